"""Rounds as they were played, from the journal alone, for the command line and the table's pages.

The journal holds what the table played with, so a round is rebuilt from it by the same machine
that played it: wagers, lamps, cards, faults, payouts, and the events in their order.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec

from controller.journal.reader import Reader
from controller.library import Library
from controller.replay import Played, Replay, Standing
from controller.rules.cards import names
from controller.table import events
from controller.table.lay import Lay, changed, lay, merged
from controller.table.machine import Step
from controller.table.prompts import prompts
from controller.table.repeats import told_by
from controller.table.state import Table
from controller.table.telling import clauses

#: An entry of this kind has what was said on a wire before one of its devices failed.
FLIGHT = "flight"
#: Where a round is from its lock-out to its last card; before that, the next one is on its way.
LOCKED = frozenset({"locked", "dealing", "deciding", "revealing", "settling", "clearing"})
#: Entries of a round that are noted with how the table lay: its last ones. A round with every seat
#: taken has some two hundred; one that waited over a night has what was told in it meanwhile.
MOST_LAID = 600


def recalled(
    reader: Reader, first: int, last: int, library: Library, *, laid: bool = False
) -> Iterator[dict[str, Any]]:
    """The rounds from one to another, the one that is under way included.

    A round has all that happened since the cards of the one before were racked: its shuffle and
    its wagers come before the lock-out, with which the table counts it. ``laid`` notes for each
    entry how the table lay after it, and leaves out its commands.
    """
    current: dict[str, Any] | None = None
    was_locked = False
    notes = _Notes()
    for before, played in Replay(reader, library).steps(reader.begins(first - 1) or 1):
        entry, event, done = played
        table = done.table
        is_locked = table.phase in LOCKED
        if current is None:
            number = table.round if is_locked else table.round + 1
            if number > last:
                return
            current = {"round": number, "finished": False, "began": event.at, "ended": event.at}
            current |= {"events": [], "held": []}
            notes = _Notes()
        told = _told(entry.seq, event, done)
        current["events"].append(notes.noted(told, before, played) if laid else told)
        current["ended"] = event.at
        _noted_holds(current["held"], entry.seq, event, table)
        if was_locked and not is_locked:
            current["finished"] = True
            if current["round"] >= first:
                yield _with_flights(reader, current)
            current = None
        else:
            _noted(current, table)
        was_locked = is_locked
    if current is not None and current["round"] >= first and current["seats"]:
        yield _with_flights(reader, current)


class _Notes:
    """How the table lay after each entry of a round: as what changed since the entry before."""

    def __init__(self) -> None:
        self._lay: Lay = {}
        self._noted: deque[dict[str, Any]] = deque()

    def noted(self, told: dict[str, Any], before: Standing, played: Played) -> dict[str, Any]:
        now = lay(played.step.table)
        told.pop("commands", None)
        id_ = played.event.id or ""
        if (device := told_by(id_)) is not None:
            told["told_by"] = device.device
        elif id_.startswith("key/"):
            told["keyed_by"] = id_.split("/")[1]
        asked, after = prompts(before.terms, before.table), played.step.table
        follows = clauses(before.terms, asked, before.table, played.event, after)
        if found := list(dict.fromkeys(follows)):
            told["clauses"] = found
        told["lay"] = changed(self._lay, now)
        self._lay = now
        self._noted.append(told)
        if len(self._noted) > MOST_LAID:
            # What it changed is with the first one that is left.
            gone = self._noted.popleft().pop("lay")
            self._noted[0]["lay"] = merged(gone, self._noted[0]["lay"])
        return told


def _with_flights(reader: Reader, current: dict[str, Any]) -> dict[str, Any]:
    """What was last said on the wire of a device that failed in this round, if one did."""
    found = [
        {"seq": entry.seq, **flight_of(entry.body)}
        for entry in reader.round(current["round"])
        if entry.kind == FLIGHT
    ]
    if found:
        current["flights"] = found
    return current


def flight_of(body: bytes) -> dict[str, Any]:
    """The entry's body, or an empty one where another felt has written what this can't read."""
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _told(seq: int, event: events.Event, done: Step) -> dict[str, Any]:
    said: dict[str, Any] = {"seq": seq, **msgspec.to_builtins(event)}
    if done.refused:
        said["refused"] = done.refused
    if done.commands:
        said["commands"] = msgspec.to_builtins(done.commands)
    return said


def _noted_holds(held: list[dict[str, Any]], seq: int, event: events.Event, table: Table) -> None:
    """Every hold of the round: the entry that it came with, and by whom and why it was cleared."""
    stand = {hold.number: hold for hold in table.holds}
    for one in held:
        now = stand.pop(one["number"], None)
        if now is not None:
            one["over"] = now.over
        elif one["cleared"] is None:
            by = event.by if isinstance(event, events.Act) else None
            one["cleared"] = {
                "seq": seq,
                "at": event.at,
                "by": by.id if by is not None else "",
                "role": by.role if by is not None else "",
                "reason": getattr(event, "reason", ""),
            }
    for hold in stand.values():
        # One that stood before the round has its entry elsewhere.
        came = seq if hold.since == event.at else None
        held += [{**msgspec.to_builtins(hold), "seq": came, "cleared": None}]


def _noted(current: dict[str, Any], table: Table) -> None:
    """What a person asks for first, kept from before the table is cleared."""
    current["phase"] = table.phase
    current["deck"] = table.deck
    current["seats"] = list(_seats(current.get("seats", []), table))
    current["faces"] = {place: names(cards) for place, cards in table.faces.items()}
    # As it lay: how many cards were where, though nobody saw their faces.
    current["placed"] = dict(table.deal.placed) or current.get("placed", {})
    current["up_card"] = names([table.up_card]) if table.up_card is not None else ""
    current["method"] = table.method
    current["void"] = table.void
    current["holds"] = msgspec.to_builtins(table.holds)
    if table.due:
        current["payouts"] = msgspec.to_builtins(table.due)


def _seats(before: list[dict[str, Any]], table: Table) -> Iterator[dict[str, Any]]:
    """Seats with wagers down; from the lock-out on also one that has them back by now."""
    known = {one["seat"]: one for one in before} if table.phase in LOCKED else {}
    for seat in table.seats:
        if seat.wagers or seat.number in known:
            yield {
                "seat": seat.number,
                "player": seat.player,
                "wagers": seat.wagers or known[seat.number]["wagers"],
                "lamp": seat.lamp,
                "dealt": seat.dealt,
                "folded": seat.folded,
                "void": seat.void,
                "forfeited": seat.forfeited,
                "left": seat.left,
                "cards": names(seat.cards),
                "hand": seat.hand,
            }
