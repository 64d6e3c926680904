"""What came of a fault, in a few fixed words, seen from outside: by what was taken and ordered.

A word counts for the round that the fault struck in, or for a later one. What happens between two
rounds belongs to the one that it leads to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from controller.recorder import Taken
from controller.table import events
from controller.table.commands import AskShoe
from controller.table.events import Event
from controller.table.state import Table

NOTHING = "no effect"
LATER = "next round: "

#: Every word that an outcome may have, and what it says.
WORDS = {
    NOTHING: "the round goes on as if nothing had happened",
    "held": "a hold lies on it until a floorperson has looked and cleared it",
    "shuffle void": "the shuffle counts for nothing, and a whole new one is made",
    "deck removed": "the deck is out, and another is brought",
    "round void": "every wager goes back, and the cards are shuffled again with those dealt",
    "hand void": "the wagers of one hand go back, and the others play on",
    "card set aside": "the card goes to the rack, and the next one takes its place",
    "asked": "the shoe is asked what it did; no order is repeated on a guess",
    "late wager back": "what came after the lock goes back, and is on record",
    "deal waits": "the deal is not enabled before the last lock is confirmed",
    "offline": "the table is told that the device is not there, and when it is back",
    "withheld": "the wagers that need it are not offered until it is back",
    "silent": "its health says that it does not answer",
    "stuck": "nobody can go on: never right",
}

#: A lock that takes longer than this, in milliseconds, has kept the deal waiting.
PROMPT = 1000
#: Health that says that nothing is heard.
SILENT = ("absent", "connecting")


def about(where: str) -> str:
    """A hold's place without numbers: which seat or deck it is, is chance."""
    words = [word for word in where.split() if not word.isdecimal()]
    return "lamp" if words[0] == "lamp" else "deck" if words[0] == "deck" else " ".join(words)


def round_of(table: Table) -> int:
    """The round that is played, or that is prepared."""
    return table.round + (table.phase in ("closed", "opening", "shuffling", "betting"))


@dataclass
class Watcher:
    """Listens from the moment that ``struck`` is called."""

    table: Table
    found: list[str] = field(default_factory=list)
    cleared: list[tuple[str, str]] = field(default_factory=list)
    #: What every hold is for, with its place.
    causes: list[str] = field(default_factory=list)
    _struck_in: int = 0
    _locked_at: int = 0

    def struck(self, table: Table) -> None:
        self._struck_in = round_of(table)

    def told(self, event: Event, taken: Taken) -> None:
        before, self.table = self.table, taken.step.table
        if isinstance(event, events.LockOutPressed) and not taken.step.refused:
            self._locked_at = event.at
        if not self._struck_in or taken.step.refused:
            return
        for word in (*self._of(event, before), *self._changes(before, taken)):
            self._add(word, round_of(before if before.phase == "clearing" else self.table))

    def said(self, device: set[str], what: str, facts: dict[str, Any]) -> None:
        """A word of the daemon's log about the devices that the fault is at."""
        is_it = what == "device is" and facts["device"] in device
        if self._struck_in and is_it and facts["status"] in SILENT:
            self._add("silent", round_of(self.table))

    def _add(self, word: str, in_round: int) -> None:
        text = word if in_round <= self._struck_in else f"{LATER}{word}"
        if text not in self.found:
            self.found.append(text)

    def _of(self, event: Event, before: Table) -> Iterator[str]:
        match event:
            case events.WagerCameLate():
                yield "late wager back"
            case events.DeviceWentOffline():
                yield "offline"
            case events.FaceUpCardFound():
                yield "card set aside"
            case events.LockConfirmed() if event.at - self._locked_at > PROMPT:
                yield "deal waits"
            case events.HoldCleared():
                hold = next(one for one in before.holds if one.number == event.hold)
                assert event.by is not None
                self.cleared.append((hold.where, event.by.role))

    def _changes(self, before: Table, taken: Taken) -> Iterator[str]:
        after = taken.step.table
        for hold in after.holds:
            if hold.number > before.holds_made:
                self.causes.append(f"{hold.where}: {hold.cause}")
                yield f"held: {about(hold.where)}"
        was = {deck.id: deck for deck in before.decks}
        for deck in after.decks:
            if deck.spoiled and not was[deck.id].spoiled:
                yield "shuffle void"
            if deck.removed and deck.id in was and not was[deck.id].removed:
                yield "deck removed"
        if after.void and not before.void and after.phase == "clearing":
            yield "round void"
        if any(seat.void and not before.seat(seat.number).void for seat in after.seats):
            yield "hand void"
        if after.withheld and not before.withheld:
            yield "withheld"
        if any(isinstance(command, AskShoe) for command in taken.step.commands):
            yield "asked"

    @property
    def now(self) -> list[str]:
        """What came in the round that the fault struck in, in the order of the alphabet."""
        return sorted(word for word in self.found if not word.startswith(LATER))

    @property
    def later(self) -> list[str]:
        return sorted(word.removeprefix(LATER) for word in self.found if word.startswith(LATER))
