"""``felt recall``: a round as it was played, from the journal alone.

The journal holds what the table played with, so a round is rebuilt from it by the same machine
that played it: wagers, lamps, cards, faults, payouts, and the events in their order.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from controller.library import Library
from controller.recorder import replay
from controller.rules.cards import names
from controller.rules.faults import Refused, listed
from controller.table import events
from controller.table.machine import Step
from controller.table.state import Table


def run(given: argparse.Namespace) -> int:
    try:
        with Reader.look(given.journal) as reader:
            known = reader.rounds(given.last)
            if given.round is not None and given.round not in reader.rounds(10**9):
                raise Refused(
                    "--round", f"there is no round {given.round}", f"last: {listed(known)}"
                )
            wanted = {given.round} if given.round is not None else set(known)
            found = list(recalled(reader, wanted, Library(*given.folder)))
    except JournalError as error:
        raise Refused("", str(error)) from None
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
    return 0


def recalled(reader: Reader, wanted: set[int], library: Library) -> Iterator[dict[str, Any]]:
    """Each of the rounds, an unfinished one included."""
    current: dict[str, Any] | None = None
    for entry, event, done in replay(reader.entries(), library):
        table = done.table
        if current is not None and table.round != current["round"]:
            yield current
            current = None
        if table.round not in wanted:
            continue
        if current is None:
            current = {"round": table.round, "finished": False, "events": []}
        current["events"].append(_told(entry.seq, event, done))
        _noted(current, table, event)
    if current is not None:
        yield current


def _told(seq: int, event: events.Event, done: Step) -> dict[str, Any]:
    said: dict[str, Any] = {"seq": seq, **msgspec.to_builtins(event)}
    if done.refused:
        said["refused"] = done.refused
    if done.commands:
        said["commands"] = msgspec.to_builtins(done.commands)
    return said


def _noted(current: dict[str, Any], table: Table, event: events.Event) -> None:
    """What a person asks for first, kept from before the table is cleared."""
    if isinstance(event, events.CardsRacked) and table.phase == "shuffling":
        current["finished"] = True
        return
    current["phase"] = table.phase
    current["deck"] = table.deck
    current["seats"] = [
        {
            "seat": seat.number,
            "player": seat.player,
            "wagers": seat.wagers,
            "lamp": seat.lamp,
            "folded": seat.folded,
            "cards": names(seat.cards),
        }
        for seat in table.seats
        if seat.wagers
    ] or current.get("seats", [])
    current["faces"] = {place: names(cards) for place, cards in table.faces.items()}
    current["void"] = table.void
    current["holds"] = msgspec.to_builtins(table.holds)
    if table.due:
        current["payouts"] = msgspec.to_builtins(table.due)
