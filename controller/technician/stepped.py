"""An event loop whose clock stands until it is moved: what a replay runs in.

A replay is one call of the loop, and not a task of it: so it can have everything done that is due
then and there, without giving the loop its turn each time.
"""

from __future__ import annotations

import asyncio
import heapq
import selectors
from collections import deque
from collections.abc import Callable
from itertools import count
from math import inf
from typing import Any


class _Unasked(selectors.SelectSelector):
    """Nothing ever comes from outside, so nobody is asked: that would be most of a loop's turn."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return []


class SteppedLoop(asyncio.SelectorEventLoop):
    #: What is to be called soon; asyncio's own.
    _ready: deque[asyncio.Handle]

    def __init__(self) -> None:
        self._now = 0.0
        #: Who wants to be called, and when; those among them who want it no more are let go later.
        self.timers: list[tuple[float, int, asyncio.TimerHandle, float]] = []
        #: How much later than now a timer may have been started, for whoever knows of that.
        self.lag: Callable[[], float] = lambda: 0.0
        self._numbers = count()
        super().__init__(_Unasked())

    def run_call(self, call: Callable[[], None]) -> None:
        """Run this in the loop, and close the loop; what it raises comes out."""
        raised: list[BaseException] = []

        def called() -> None:
            try:
                call()
            except BaseException as error:
                raised.append(error)
            self.stop()

        try:
            self.call_soon(called)
            self.run_forever()
        finally:
            self.close()
        if raised:
            raise raised[0]

    def time(self) -> float:
        return self._now

    def move_to(self, now: float) -> None:
        self._now = max(self._now, now)

    # asyncio's own is typed with the callback's arguments, which its subclasses can't repeat.
    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Not given to asyncio, which would have its own heap of it: ``settle`` calls it."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self.timers, (when, next(self._numbers), handle, self.lag()))
        return handle

    def next_timer(self) -> float:
        """When somebody wants to be called."""
        timers = self.timers
        while timers and timers[0][2].cancelled():
            heapq.heappop(timers)
        return timers[0][0] if timers else inf

    def last_call(self) -> float:
        """When the next timer goes off, if it was started as late as may be."""
        at = self.next_timer()
        return at + self.timers[0][3] if self.timers else at

    def settle(self, due_by: float = -inf) -> None:
        """Let everything happen that is due by now, and all that follows from it.

        ``due_by`` a later time, these timers go off early: the clock stands.
        """
        by = max(self._now, due_by)
        while self._ready or self.next_timer() <= by:
            while self.timers and self.timers[0][0] <= by:
                self._ready.append(heapq.heappop(self.timers)[2])
            # In rounds, as the loop has them: who is called may want to call others.
            for _ in range(len(self._ready)):
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
