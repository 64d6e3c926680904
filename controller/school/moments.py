"""Moments of a round, read off its events: when something happens, and when a drill is over.

The same while it is played and when its journal is read afterwards.
"""

from __future__ import annotations

from typing import get_args

from controller.recalling import LOCKED
from controller.table import events
from controller.table.events import Event
from controller.table.state import Table

#: Every kind of event by its name.
ACTS: dict[str, type[events.Happening]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(events.Event)
}


def tag(event: Event) -> str:
    return str(event.__struct_config__.tag)


def round_of(table: Table) -> int:
    """The round that is at play, or about to be: it has no number before its lock-out."""
    return table.round + (table.phase not in LOCKED)


class Trigger:
    """Comes once: as a phase is reached, or as an act is taken for the nth time in a round."""

    def __init__(
        self, round_: int, *, phase: str | None = None, action: str | None = None, times: int = 1
    ) -> None:
        self._round = round_
        self._phase = phase
        self._action = action
        self._left = times
        self.has_come = False

    def told(self, before: Table, event: Event, after: Table) -> bool:
        """Whether this is the moment; of events that were taken."""
        if self.has_come:
            return False
        if self._action is not None:
            # The act that ends a round belongs to it, and the one that begins it too.
            if tag(event) == self._action and self._round in (round_of(before), round_of(after)):
                self._left -= 1
                self.has_come = self._left == 0
        elif after.phase == self._phase and before.phase != self._phase:
            self.has_come = round_of(after) == self._round
        return self.has_come


def is_over(table: Table, round_: int) -> bool:
    """The cards of that round are racked."""
    return table.round >= round_ and table.phase in ("shuffling", "betting", "closed", "opening")
