"""Whether it all adds up: every cent that went down is settled or went back, every card is there.

Counted from the outside, by what was taken and what followed, and held against the machine's own
word and against what lies on the simulated table.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from controller.demo.books import Books
from controller.demo.world import World
from controller.journal.entry import Entry
from controller.journal.reader import Reader
from controller.journal.verifier import verify
from controller.library import Library
from controller.recorder import Decision, Taken
from controller.replay import Replay
from controller.rules.paytables import dollars
from controller.table import commands, events
from controller.table.events import Event
from controller.table.state import Table
from controller.table.terms import Terms
from simulators.tabletop import DECK_OF_CARDS, FLOOR


class Totals:
    """Listens to a table, and counts."""

    def __init__(self, terms: Terms, table: Table) -> None:
        self.books = Books(terms, table)
        self.placed = 0
        self.returned = 0
        self.settled = 0
        self.paid_out = 0
        self.rounds = 0
        self.void = 0
        self._phase = table.phase

    def told(self, event: Event, taken: Taken) -> None:
        step = taken.step
        self.books.told(event, taken)
        if step.refused:
            return
        if isinstance(event, events.WagerPlaced | events.Decided):
            self.placed += event.amount
        for command in step.commands:
            # What came late was never down: it goes back, and is no part of the sums.
            late = isinstance(event, events.WagerCameLate)
            if isinstance(command, commands.ReturnWager) and not late:
                self.returned += command.cents
        self._count(step.table)

    def _count(self, table: Table) -> None:
        """A round is over when its cards are racked; its lines are there until then."""
        if table.phase == "clearing" and self._phase != "clearing":
            self.settled += sum(due.stake for due in table.due)
            self.paid_out += sum(due.returns for due in table.due)
            self.rounds += 1
            self.void += bool(table.void)
        self._phase = table.phase

    def __str__(self) -> str:
        return (
            f"{self.rounds} rounds, {self.void} of them void; wagered {dollars(self.placed)}, "
            f"sent back {dollars(self.returned)}, settled {dollars(self.settled)}, "
            f"returned to players {dollars(self.paid_out)}"
        )


def differences(
    totals: Totals, table: Table, world: World, journal: Path, library: Library
) -> Iterator[str]:
    """What does not add up, in words; nothing if it all does."""
    down = sum(sum(seat.wagers.values()) for seat in table.seats if table.phase != "clearing")
    if totals.placed != totals.returned + totals.settled + down:
        yield (
            f"{dollars(totals.placed)} was wagered, but {dollars(totals.settled)} settled, "
            f"{dollars(totals.returned)} sent back and {dollars(down)} is down"
        )
    yield from totals.books.differences(table)
    yield from _cards(table, world)
    for seat, terminal in world.terminals.items():
        if terminal.balance != table.seat(seat).balance:
            yield (
                f"terminal {seat} shows {dollars(terminal.balance)} where the account has "
                f"{dollars(table.seat(seat).balance)}"
            )
    yield from _record(table, journal, library)


def _cards(table: Table, world: World) -> Iterator[str]:
    for deck in table.decks:
        lost = sum(card.deck == deck.id for card in world.top.cards(FLOOR))
        count = world.top.count_of(deck.id)
        if count != DECK_OF_CARDS:
            yield f"deck {deck.id} has {count} cards"
        if lost and not deck.removed:
            yield f"deck {deck.id} is in play, and {lost} of its cards lie on the floor"


def _record(table: Table, journal: Path, library: Library) -> Iterator[str]:
    report = verify(journal)
    if not report.sound:
        yield f"the journal is not as it was written: {report.findings[0]}"
        return
    with Reader.look(journal, report.table) as opened:
        replay = Replay(opened, library)
        if replay.at(opened.head.seq).table != table:
            yield "replaying the journal gives another table"
        yield from _decided_again(opened, replay)


def _decided_again(opened: Reader, replay: Replay) -> Iterator[str]:
    """From its first event on, the machine writes the same bytes as it did when they happened."""
    followed = _follow_ups(opened)
    for _, event, step in replay.events():
        entry = next(followed, None)
        if entry is None:
            yield f"nothing follows on {event}"
            return
        again = msgspec.json.encode(Decision(step.table.phase, step.commands, step.refused))
        if entry.body != again:
            yield f"entry {entry.seq} of the journal says other than the machine says now"
            return


def _follow_ups(opened: Reader) -> Iterator[Entry]:
    return (entry for entry in opened.entries() if entry.kind == "decision")
