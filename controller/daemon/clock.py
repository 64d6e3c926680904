"""The clocks of the table PC: the one on the wall, which people set, and the one that only runs.

Events carry the time on the wall. Waiting goes by the other one. A jump between the two is a step
of the wall clock, and is itself an event.
"""

from __future__ import annotations

import time
from collections.abc import Callable

#: Smaller differences are the clock being slewed, which is no step.
STEP_MS = 500


class Clock:
    def __init__(
        self,
        running: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._running = running
        self._wall = wall
        self._offset = wall() - running()

    def running(self) -> float:
        """Seconds, on the clock that nobody sets."""
        return self._running()

    def wall_ms(self) -> int:
        return int(self._wall() * 1000)

    def stepped(self) -> int:
        """By how many milliseconds the wall clock was set since this was last asked, or 0."""
        offset = self._wall() - self._running()
        jump = round((offset - self._offset) * 1000)
        if abs(jump) < STEP_MS:
            # Slow drift is followed, so that it never adds up to a step.
            self._offset = offset
            return 0
        self._offset = offset
        return jump
