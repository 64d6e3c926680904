"""What people did at a recorded table, taken from its journal, to be done again at one that runs.

Devices tell of themselves. What people did is not on any wire: it comes through the control socket,
as `felt act` does it, at the place in the record where it was taken.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from controller.daemon.acts import FILLED_IN, KEYED, tag
from controller.journal.entry import Entry
from controller.recorder import Decision
from controller.table import events
from controller.table.events import Event
from controller.table.people import Person, Role
from controller.technician.logs import Logged, Run
from controller.technician.past import Past
from controller.technician.script import Step
from controller.technician.span import mark_of

#: Acts that are actions of their own, under another name.
_OWN_ACTIONS: dict[type[events.Happening], str] = {
    events.SignedOn: "sign_on",
    events.SignedOff: "sign_off",
}
#: Who proves to be whom is the bench's own.
_OF_PINS = (
    events.CredentialRefused, events.CredentialUnlocked, events.CredentialReissued,
    events.CredentialWithdrawn, events.PlaceUnlocked,
)  # fmt: skip
WRONG_PINS = "wrong PINs, and who was locked out by them, are not played"
_events = msgspec.json.Decoder(Event)
_decisions = msgspec.json.Decoder(Decision)


@dataclass(slots=True, kw_only=True)
class Act(Step):
    turn = 1
    action: str
    given: dict[str, Any] = field(default_factory=dict)
    by: Person
    #: The table refused it when it was recorded.
    was_refused: bool = False
    is_done: bool = False

    @property
    def said(self) -> str:
        return f"{self.action} by {self.by.id}"

    @property
    def second(self) -> str:
        """The other person of an act for two."""
        second = self.given.get("second")
        return str(second.get("id", "")) if isinstance(second, dict) else ""


def acts_of(run: Run, past: Past, remarks: list[str]) -> list[Act]:
    """In the order in which they were taken; people sign on before they are needed."""
    places = _Places(run)
    on_duty: dict[Role, Person] = {}
    found: list[Act] = []
    last: tuple[int, str] | None = None
    dealer = Person("dealer-1", "dealer")
    for entry, event, refused in _taken(past.entries):
        place = places.of(entry.seq, event.at)
        if place is None:
            break  # after the end of the logs
        if isinstance(event, _OF_PINS):
            if WRONG_PINS not in remarks:
                remarks.append(WRONG_PINS)
            continue
        by = getattr(event, "by", None)
        if isinstance(by, Person) and by.role == "dealer":
            dealer = by
        if _is_a_devices(event):
            if isinstance(by, Person) and on_duty.get(by.role) != by:
                on_duty[by.role] = by
                at_us, where = last or place
                found.append(Act(at_us=at_us, where=where, action="sign_on", by=by))
        elif isinstance(event, events.Act) or type(event) in KEYED:
            person = by if isinstance(by, Person) else _who_keyed(event, dealer)
            if isinstance(event, events.SignedOn):
                on_duty[person.role] = person
            facts = msgspec.to_builtins(event)
            for name in ("kind", *FILLED_IN):
                facts.pop(name, None)
            action = _OWN_ACTIONS.get(type(event))
            found.append(
                Act(
                    at_us=place[0],
                    where=place[1],
                    action=action or tag(type(event)),
                    given=facts if action else {**facts, "id": f"replay-{entry.seq}"},
                    by=person,
                    was_refused=refused,
                )
            )
        last = place
    return found


class _Places:
    """When entries were acted on, and where that stands; to be asked in their order.

    A log leaves out what the table did while nothing went over its wire. Such an act was at the
    time that it says itself, and before what the log has next.
    """

    def __init__(self, run: Run) -> None:
        each = [wire.records(having=b" table ") for wire in run.wires.values()]
        self._marks = heapq.merge(*each, key=lambda one: one.at_us)
        self._next: Logged | None = None
        self._entry = -1
        self._last_us = 0

    def of(self, seq: int, at_ms: int) -> tuple[int, str] | None:
        while self._entry < seq:
            self._next = next(self._marks, None)
            if self._next is None:
                return None
            if mark := mark_of(self._next):
                self._entry = max(self._entry, mark.entry)
        logged = self._next
        if logged is None:
            return None
        said_us = at_ms * 1000 - (logged.utc_us - logged.at_us)
        at_us = logged.at_us if self._entry == seq else min(said_us, logged.at_us)
        self._last_us = max(self._last_us, at_us)
        return self._last_us, f"{logged.file}:{logged.line}"


def _taken(entries: Iterable[Entry]) -> Iterator[tuple[Entry, Event, bool]]:
    held: tuple[Entry, Event] | None = None
    for entry in entries:
        if entry.kind == "event":
            held = (entry, _events.decode(entry.body))
        elif entry.kind == "decision" and held is not None:
            yield *held, bool(_decisions.decode(entry.body).refused)
            held = None


def _is_a_devices(event: Event) -> bool:
    """A device's events have an id that says its boot and its number."""
    id_ = event.id or ""
    return ":" in id_ and not id_.startswith(("act/", "key/"))


def _who_keyed(event: Event, dealer: Person) -> Person:
    """Who keyed it in stands in the id; where nothing does, it was the dealer."""
    word, _, rest = (event.id or "").partition("/")
    return Person(rest.partition("/")[0], KEYED[type(event)]) if word == "key" else dealer
