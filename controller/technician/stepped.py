"""An event loop whose clock stands until it is moved: what a replay runs in."""

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
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._numbers = count()
        super().__init__(_Unasked())

    def time(self) -> float:
        return self._now

    def move_to(self, now: float) -> None:
        self._now = max(now, self._now)

    # asyncio's own is typed with the callback's arguments, which its subclasses can't repeat.
    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        handle = super().call_at(when, callback, *args, context=context)
        heapq.heappush(self._timers, (when, next(self._numbers), handle))
        return handle

    def next_timer(self) -> float:
        """When somebody wants to be called."""
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else inf

    async def settle(self) -> None:
        """Let everything happen that is due by now, and all that follows from it."""
        while self._ready or self.next_timer() <= self._now:
            while self._timers and self._timers[0][0] <= self._now:
                heapq.heappop(self._timers)
            await asyncio.sleep(0)
