"""What just happened at a table, by which clause, and what came of it at each seat.

It listens; a view draws it. Sums are those of the settlement's lines, as the table has them.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import NamedTuple

from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.table.prompts import prompts
from controller.table.state import Table
from controller.table.telling import clauses, told
from controller.table.terms import Terms

#: Lines that are kept: more than fit on any screen.
KEPT = 64
#: Devices and clocks that only say what is expected of them: nobody would look up for it.
QUIET = (
    events.TimerFired,
    events.LockConfirmed,
    events.StackTaken,
    events.ShufflerReported,
    events.ShoeReported,
    events.StubReported,
    events.HandsCounted,
)


class Happened(NamedTuple):
    said: str
    by: str
    clause: str


class Board:
    """``table`` is where it begins; ``notes`` says whether somebody reads what happens."""

    def __init__(self, terms: Terms, table: Table, *, notes: bool = True) -> None:
        self._notes = notes
        self._terms = terms
        self._before = table
        #: The last one last.
        self.happened: deque[Happened] = deque(maxlen=KEPT)
        #: By seat, in cents: what the last round came to, once it is settled.
        self.last: dict[int, int] = {}
        self.rounds: Counter[int] = Counter()
        self.staked: Counter[int] = Counter()
        self.returned: Counter[int] = Counter()

    def told(self, event: Event, taken: Taken) -> None:
        before, after = self._before, taken.step.table
        self._before = after
        if self._notes:
            self._note(before, event, taken)
        if after.phase == "locked" and before.phase == "betting":
            self.last = {}
        if after.phase == "clearing" and before.phase != "clearing":
            self._settled(after)

    def note(self, said: str, by: str = "", clause: str = "") -> None:
        self.happened.append(Happened(said, by, clause))

    def _note(self, before: Table, event: Event, taken: Taken) -> None:
        terms, after, by = self._terms, taken.step.table, ""
        if isinstance(event, events.Act):
            by = event.by.id
            if taken.step.refused:
                self.note(f"refused: {taken.step.refused}", by)
        if taken.step.refused or isinstance(event, QUIET):
            return
        clause = next(clauses(terms, prompts(terms, before), before, event, after), "")
        self.note(told(terms, before, event, after), by, clause)
        if after.void and not before.void:
            self.note(f"the round is void: {after.void}")

    def _settled(self, table: Table) -> None:
        for seat in sorted({due.seat for due in table.due}):
            staked = sum(due.stake for due in table.due if due.seat == seat)
            returned = sum(due.returns for due in table.due if due.seat == seat)
            self.rounds[seat] += 1
            self.staked[seat] += staked
            self.returned[seat] += returned
            self.last[seat] = returned - staked

    def so_far(self, seat: int) -> int | None:
        """What a seat has won or lost since the beginning; None of one that did not play."""
        return self.returned[seat] - self.staked[seat] if self.rounds[seat] else None
