"""An event loop whose clock jumps to the next thing that is due, as soon as nothing else is left.

Hours of play pass in seconds, and two runs from one seed are the same: time stands still while
anything is being done, so that what is late in the computer is not late at the table. Files are
ready in the order of their numbers. A loop in which nothing is ready, scheduled or on its way is
stuck for ever, and says so.

It holds for peers in this process only: one in another process lives by another clock.
"""

from __future__ import annotations

import array
import asyncio
import fcntl
import os
import selectors
import termios
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any, TypeVar

T = TypeVar("T")

#: Bytes in a pty or a socket need a moment of real time to come out at the other end.
SETTLING = 0.00005
#: Longer than this they are not on their way but lost: a cable was pulled.
LOST_AFTER = 0.25
#: Give the threads of this process so much time to finish before the loop looks again.
PATIENCE = 0.05


class Stuck(RuntimeError):
    """Nothing is ready, nothing is scheduled, and nobody is working: it would wait for ever."""


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self._working = 0
        #: Each tells how many bytes were sent to somewhere in this process and not read yet.
        self.on_their_way: list[Callable[[], int]] = []
        super().__init__(_Patient(self))

    def time(self) -> float:
        return self._now

    # asyncio's own is typed with the function's arguments, which its subclasses can't repeat.
    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        self._working += 1
        future: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._worked)
        return future

    def _worked(self, _: asyncio.Future[Any]) -> None:
        self._working -= 1

    async def shutdown_default_executor(self, *given: Any) -> None:
        self._working += 1
        try:
            await super().shutdown_default_executor(*given)
        finally:
            self._working -= 1

    @property
    def is_waited_for(self) -> bool:
        """Somebody in this process is still busy with what happened at this time."""
        return self._working > 0

    @property
    def bytes_on_their_way(self) -> int:
        return sum(count() for count in self.on_their_way)

    def advance(self, seconds: float) -> None:
        self._now += seconds


class _Patient(selectors.BaseSelector):
    """A selector that waits in virtual time, once real time has nothing more to bring."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        self._loop = loop
        self._real = selectors.DefaultSelector()
        #: Something came in since the clock last moved, and may have set more on its way.
        self._stirred = True
        #: Bytes that were waited for in vain: a cable was pulled, and they never come.
        self._lost = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(0)
        if ready:
            ready = self._all_of_them(ready)
        elif timeout != 0:
            ready = self._wait()
        self._stirred = bool(ready) or (self._stirred and timeout == 0)
        if not ready and timeout != 0:
            if timeout is None:
                raise Stuck("nothing is ready, nothing is scheduled, and nobody is working")
            self._loop.advance(timeout)
        return sorted(ready, key=lambda one: one[0].fd)

    def _wait(self) -> list[tuple[selectors.SelectorKey, int]]:
        """Let what belongs to this moment arrive."""
        began = time.monotonic()
        ready = self._settled() if self._stirred else []
        while not ready:
            if self._loop.is_waited_for:
                ready = self._real.select(PATIENCE)
                began = time.monotonic()
            elif not self._more_on_their_way():
                break
            elif time.monotonic() - began < LOST_AFTER:
                ready = self._settled()
            else:
                self._lost = self._loop.bytes_on_their_way
        return ready

    def _all_of_them(
        self, ready: list[tuple[selectors.SelectorKey, int]]
    ) -> list[tuple[selectors.SelectorKey, int]]:
        """What belongs to this moment, together: or who comes first would be left to chance."""
        began = time.monotonic()
        while self._more_on_their_way(_readable(ready)):
            if time.monotonic() - began >= LOST_AFTER:
                self._lost = self._loop.bytes_on_their_way - _readable(ready)
                break
            ready = self._settled()
        return ready

    def _more_on_their_way(self, arrived: int = 0) -> bool:
        count = self._loop.bytes_on_their_way - arrived
        self._lost = min(self._lost, max(count, 0))
        return count > self._lost

    def _settled(self) -> list[tuple[selectors.SelectorKey, int]]:
        # By sleeping: the selector itself would wait for a whole millisecond.
        time.sleep(SETTLING)
        return self._real.select(0)

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


def _readable(ready: list[tuple[selectors.SelectorKey, int]]) -> int:
    """Bytes that wait in the terminals among them."""
    count = array.array("i", [0])
    total = 0
    for key, _ in ready:
        if os.isatty(key.fd):
            fcntl.ioctl(key.fd, termios.FIONREAD, count)
            total += count[0]
    return total


def run(main: Callable[[], Any], start: float = 0.0) -> Any:
    """Run a coroutine function in virtual time."""
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(start)) as runner:
        return runner.run(main())
