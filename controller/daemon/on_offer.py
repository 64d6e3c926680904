"""What the table offers now, found out once for whoever asks at the same moment.

A press is looked up in it, its answer names what is due next, and pages ask for a new picture: all
of them mean the same table.
"""

from __future__ import annotations

from controller.daemon.clock import Clock
from controller.table.offering import Offered, offered
from controller.table.state import Table
from controller.table.terms import Terms

#: A few things hang on the time: a deck falls due. So nothing is kept for longer, in milliseconds.
KEPT = 1_000


class OnOffer:
    def __init__(self, terms: Terms, clock: Clock) -> None:
        self._terms = terms
        self._clock = clock
        self._last: tuple[Table, int, Offered] | None = None

    def at(self, table: Table) -> Offered:
        now, last = self._clock.wall_ms(), self._last
        # The very same table, and not one that equals it: to compare would cost as much.
        if last is not None and last[0] is table and 0 <= now - last[1] < KEPT:
            return last[2]
        found = offered(self._terms, table, now)
        self._last = (table, now, found)
        return found
