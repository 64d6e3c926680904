"""An event loop whose clock stands until it is moved: what a replay runs in."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from math import inf
from typing import Any

#: What a callback calls soon, and that in turn: an event's way to its acknowledgement has two.
TURNS = 4


class SteppedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._now = 0.0
        self._whens: list[float] = []
        super().__init__()

    def time(self) -> float:
        return self._now

    def move_to(self, now: float) -> None:
        self._now = max(now, self._now)

    # asyncio's own is typed with the callback's arguments, which its subclasses can't repeat.
    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        heapq.heappush(self._whens, when)
        return super().call_at(when, callback, *args, context=context)

    def next_timer(self) -> float:
        """When somebody wants to be called; or wanted, and thought better of it."""
        while self._whens and self._whens[0] <= self._now:
            heapq.heappop(self._whens)
        return self._whens[0] if self._whens else inf


async def settle() -> None:
    """Let everything happen that is due by now."""
    for _ in range(TURNS):
        await asyncio.sleep(0)
