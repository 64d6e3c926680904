"""What waits for the floor: each with where it is, since when, by which entry, and what answers it.

A prompt is read off the table and has no time. Since when the floor is waited for is remembered
here, from one event to the next; after a start it is found in the journal once more. What people
decide about it they find in the picture: the hand, the lights, the lines of the settlement, meters.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from controller.daemon.service import Service
from controller.journal.errors import JournalError
from controller.library import Library
from controller.recorder import Taken
from controller.replay import Replay
from controller.rules.faults import Refused
from controller.table.events import Event
from controller.table.offering import Offered
from controller.table.prompt import Prompt
from controller.table.prompts import prompts
from controller.table.state import Hold, Table
from controller.table.terms import Terms

Kind = Literal["hold", "award", "documents", "credential", "deck", "table", "word"]

#: What a prompt is about, by the act that answers it; what nobody answers is only told.
KINDS: dict[str, Kind] = {
    "hold_cleared": "hold",
    "exposure_decided": "hold",
    "maintenance_left": "hold",
    "record_accepted": "hold",
    "device_accepted": "hold",
    "payout_validated": "award",
    "hit_ordered_by_hand": "award",
    "hand_pay_documented": "documents",
    "credential_unlocked": "credential",
    "place_unlocked": "credential",
    "deck_verified": "deck",
    "deck_removed": "deck",
    "table_opened": "table",
    "table_closed": "table",
}
#: Whose prompts are no matter of the floor's.
_OTHERS = ("dealer",)
#: What prompts of the floor are read off; the rest of a table changes with most events.
PARTS = (
    "phase",
    "holds",
    "exchanged",
    "credentials",
    "resting",
    "decks",
    "deck",
    "idle",
    "due",
    "link",
    "round",
)
#: How the place of a hold names a seat, and the device that says so of a seat's light.
_SEAT = re.compile(r"(?:seat|acceptor|terminal) (\d+)$")
_LAMP = re.compile(r"lamp of seat (\d+)$")


class Begun(NamedTuple):
    """When something began to wait: by the table's clock, and the entry that it came with."""

    at: int
    seq: int


class Matter(NamedTuple):
    id: str
    prompt: Prompt
    hold: Hold | None
    #: What answers it; none where a device or another table does.
    offers: tuple[str, ...] = ()
    #: What else can be done about the very same thing: to refuse it, to have seen it.
    also: tuple[str, ...] = ()


class Matters:
    def __init__(self, service: Service, library: Library) -> None:
        self._service = service
        self._library = library
        self._terms = service.recorder.terms
        self._table = service.recorder.table
        self._begun: dict[str, Begun] = {}

    # --- Since when -------------------------------------------------------------

    def told(self, event: Event, taken: Taken) -> None:
        before, self._table = self._table, taken.step.table
        if any(getattr(before, part) is not getattr(self._table, part) for part in PARTS):
            now = Begun(event.at, taken.seq)
            self._begun = _on_from(self._begun, self._terms, self._table, now)

    async def look_back(self) -> None:
        """What waited before this start, as the journal has it from the round before on."""
        if not any(True for _ in waiting(self._terms, self._table)):
            return
        try:
            found = await asyncio.to_thread(self._in_journal, self._table.round - 1)
        except (JournalError, Refused):
            return  # what keeps a journal from being read is said elsewhere
        self._begun = {**self._begun, **found}

    def _in_journal(self, round_: int) -> dict[str, Begun]:
        journal, begun = self._service.journal, dict[str, Begun]()
        first = journal.begins(round_) or 1
        for entry, event, done in Replay(journal, self._library).events(first):
            # What the first event of the stretch found here began before it: nobody knows when.
            seq = entry.seq if entry.seq > first else 0
            begun = _on_from(begun, self._terms, done.table, Begun(event.at, seq))
        return begun

    # --- For whoever draws it ---------------------------------------------------

    def now(self, found: Offered) -> list[dict[str, Any]]:
        """The oldest first; what began together keeps the order of the prompts."""
        told = [self._told_of(one) for one in waiting(self._terms, self._table, found)]
        return sorted(told, key=lambda one: one["since"])

    def _told_of(self, one: Matter) -> dict[str, Any]:
        prompt, hold, now = one.prompt, one.hold, self._service.clock.wall_ms()
        # Some of it comes with time alone, as a deck falls due.
        begun = self._begun.setdefault(one.id, Begun(self._table.at, 0))
        since = hold.since if hold is not None else begun.at
        return {
            "id": one.id,
            "kind": KINDS.get(prompt.answer, "word"),
            "who": prompt.who,
            "text": prompt.text,
            "clause": prompt.clause,
            "seat": prompt.seat if hold is None else _seat(hold),
            "hold": None if hold is None else hold.number,
            "device": "" if hold is None else _device(hold),
            "since": since,
            "age_s": max(0, (now - since) // 1000),
            #: The entry that it came with; nothing where that was before what is remembered.
            "entry": begun.seq or None,
            "offers": list(one.offers),
            "also": list(one.also),
        }


def waiting(terms: Terms, table: Table, found: Offered | None = None) -> Iterator[Matter]:
    """Every matter of the floor, in the order of the prompts: holds come first, in their order."""
    some = [one for one, _ in found.prompts] if found is not None else prompts(terms, table)
    known = dict[str, int]()
    for n, prompt in enumerate(some):
        hold = table.holds[n] if n < len(table.holds) else None
        if hold is None and prompt.who in _OTHERS:
            continue
        id_ = f"hold {hold.number}" if hold is not None else _id(table, prompt)
        known[id_] = times = known.get(id_, 0) + 1
        id_ = f"{id_}, {times}" if times > 1 else id_
        if found is None:
            yield Matter(id_, prompt, hold)
        else:
            answers = found.answers[n]
            yield Matter(id_, prompt, hold, answers, tuple(_also(found, hold, answers)))


def _id(table: Table, prompt: Prompt) -> str:
    """The same for as long as the same is asked for, and of no other round."""
    if prompt.seat is None:
        return prompt.text
    return f"{prompt.answer or prompt.text} {prompt.seat}, round {table.round}"


def _also(found: Offered, hold: Hold | None, answers: tuple[str, ...]) -> Iterator[str]:
    """Offers of the floor that know the same facts as those that answer it, or are of its seat."""
    known = (one.acts[0].given for one in found.offers if one.id in answers)
    same = [facts for facts in known if facts]
    seat = None
    if hold is not None:
        same.append({"hold": hold.number})
        seat = _seat(hold)
    for one in found.offers:
        if one.id in answers or one.who in _OTHERS:
            continue
        if one.acts[0].given in same or (seat is not None and one.seat == seat):
            yield one.id


def _seat(hold: Hold) -> int | None:
    found = _SEAT.search(hold.where)
    return int(found[1]) if found else None


def _device(hold: Hold) -> str:
    """The device whose word it is about, if it is about one."""
    return _LAMP.sub(r"acceptor \1", hold.where)


def _on_from(before: dict[str, Begun], terms: Terms, table: Table, now: Begun) -> dict[str, Begun]:
    return {one.id: before.get(one.id, now) for one in waiting(terms, table)}
