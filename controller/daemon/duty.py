"""Who is on duty, as the table has it: a button on the panel does not say who pressed it."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from controller.daemon.clock import Clock
from controller.table.duty import acting
from controller.table.people import NOBODY, Person, Role
from controller.table.state import Table

#: With nobody signed on, an act is refused where people are listed, and recorded as nobody's.
_NOBODY: dict[Role, Person] = {role: Person(NOBODY, role) for role in get_args(Role)}


class Duty:
    def __init__(self, table: Callable[[], Table], now: Callable[[], int]) -> None:
        """``now`` in milliseconds since 1970."""
        self._table = table
        self._now = now

    @classmethod
    def at(cls, table: Callable[[], Table], clock: Clock) -> Duty:
        return cls(table, clock.wall_ms)

    def acting(self, role: Role) -> Person:
        """Who acts when a device says that somebody did."""
        return acting(self._table(), role, self._now()) or _NOBODY[role]

    def everyone(self) -> tuple[Person, ...]:
        table, now = self._table(), self._now()
        found = (acting(table, role, now) for role in get_args(Role))
        return tuple(one for one in found if one is not None)

    def seconds(self) -> dict[Role, int]:
        """For how long each of them has been, by role."""
        table, now = self._table(), self._now()
        return {
            one.role: max(0, now - table.on_duty[one.role].since) // 1000 for one in self.everyone()
        }


class NobodyOnDuty(Duty):
    """Where it is not asked who acts: a replay takes that from the record."""

    def __init__(self) -> None:
        super().__init__(Table, lambda: 0)

    def acting(self, role: Role) -> Person:
        return _NOBODY[role]
