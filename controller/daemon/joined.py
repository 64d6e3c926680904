"""Long work in a thread that whoever asks for it meanwhile waits for together.

On a PC that is so slow that nobody has the patience for it, asking again would begin the work anew
each time, and none of it would ever end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Joined(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._running: asyncio.Future[T] | None = None

    async def result(self) -> T:
        if self._running is None:
            loop = asyncio.get_running_loop()
            self._running = loop.run_in_executor(None, self._work)
            self._running.add_done_callback(self._done)
        return await asyncio.shield(self._running)

    def _done(self, running: asyncio.Future[T]) -> None:
        self._running = None
        if not running.cancelled():
            running.exception()  # who still waits is told of it
