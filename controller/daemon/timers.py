"""Timers that the machine asks for, by name: a new one of a name takes the place of the old."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from controller.daemon.clock import Clock

#: A loop is not asked to wait longer than this at a time: clocks are set in between.
LONGEST_S = 3600.0


class Timers:
    def __init__(self, clock: Clock, fired: Callable[[str], None]) -> None:
        self._clock = clock
        self._fired = fired
        #: By name, when it is due by the wall clock, in milliseconds.
        self.due: dict[str, int] = {}
        self._handles: dict[str, asyncio.TimerHandle] = {}

    def set(self, name: str, at_ms: int) -> None:
        self.due[name] = at_ms
        self._arm(name)

    def clock_stepped(self) -> None:
        """Deadlines are by the wall clock: all are reckoned anew."""
        for name in self.due:
            self._arm(name)

    def _arm(self, name: str) -> None:
        if handle := self._handles.pop(name, None):
            handle.cancel()
        wait = (self.due[name] - self._clock.wall_ms()) / 1000
        loop = asyncio.get_running_loop()
        self._handles[name] = loop.call_later(min(max(wait, 0), LONGEST_S), self._due, name)

    def _due(self, name: str) -> None:
        if self._clock.wall_ms() < self.due[name]:
            self._arm(name)
            return
        del self.due[name], self._handles[name]
        self._fired(name)

    def close(self) -> None:
        for handle in self._handles.values():
            handle.cancel()
        self._handles.clear()
        self.due.clear()
