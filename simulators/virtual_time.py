"""An event loop whose clock jumps to the next thing that is due, as soon as nothing else is left.

Hours of play pass in seconds, and two runs from one seed are the same: time stands still while
anything is being done, so that what is late in the computer is not late at the table. At each time
the loop first does all that is ready, then reads what came in, from one file after the other in the
order in which it began to listen to them, and then learns what its threads have done, in the order
in which that was begun. A loop in which nothing is ready, scheduled or on its way is
stuck for ever, and says so.

It holds for peers in this process only: one in another process lives by another clock.
"""

from __future__ import annotations

import array
import asyncio
import fcntl
import itertools
import os
import selectors
import socket
import stat
import termios
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any, TypeVar

T = TypeVar("T")

#: Bytes in a pty or a socket need a moment of real time to come out at the other end.
SETTLING = 0.00005
#: So often in a row the loop goes on with what it has to do without looking at its files, if it is
#: known that nothing is on its way to them: somebody outside may want it to end.
UNSEEN = 16
#: Longer than this they are not on their way but lost: a cable was pulled.
LOST_AFTER = 0.25
#: A job in a thread that takes longer than this may be waiting for one that was begun after it.
PATIENCE = 1.0


class Stuck(RuntimeError):
    """Nothing is ready, nothing is scheduled, and nobody is working: it would wait for ever."""


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        #: What threads do for this loop, in the order in which it was begun: the thread's own end
        #: of it, and ours.
        self._jobs: list[tuple[asyncio.Future[Any], asyncio.Future[Any]]] = []
        self._ending = 0
        #: Each tells how many bytes were sent to somewhere in this process and not read yet. Where
        #: there is one, there is one for every terminal: nothing else is waited for then.
        self.on_their_way: list[Callable[[], int]] = []
        selector = _Patient(self)
        super().__init__(selector)
        selector.is_set_up = True

    def time(self) -> float:
        return self._now

    # asyncio's own is typed with the function's arguments, which its subclasses can't repeat.
    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """In a thread, as ever; but what comes of it is known when it is its turn."""
        real: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        known: asyncio.Future[T] = self.create_future()
        self._jobs.append((real, known))
        known.add_done_callback(lambda _: real.cancel())
        return known

    async def shutdown_default_executor(self, *given: Any) -> None:
        self._ending += 1
        try:
            await super().shutdown_default_executor(*given)
        finally:
            self._ending -= 1

    @property
    def is_waited_for(self) -> bool:
        """Somebody in this process is still busy with what happened at this time."""
        return bool(self._jobs) or self._ending > 0

    def next_job_is_known(self, *, whichever: bool = False) -> bool:
        """Tell what came of the job that was begun first, if it has ended.

        Or of whichever has: the first may be one that waits for another.
        """
        for job in self._jobs if whichever else self._jobs[:1]:
            real, known = job
            if real.done():
                self._jobs.remove(job)
                _tell(real, known)
                return True
        return False

    @property
    def bytes_on_their_way(self) -> int:
        return sum([count() for count in self.on_their_way])

    def advance(self, seconds: float) -> None:
        self._now += seconds


class _Patient(selectors.BaseSelector):
    """A selector that waits in virtual time, once real time has nothing more to bring."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        self._loop = loop
        #: Before that, what is registered is the loop's own: threads and signals wake it by that.
        self.is_set_up = False
        self._real = selectors.DefaultSelector()
        #: Something came in since the clock last moved, and may have set more on its way.
        self._stirred = True
        #: Bytes that were waited for in vain: a cable was pulled, and they never come.
        self._lost = 0
        #: What came of a job was just told: that is to be dealt with before time goes on.
        self._told = False
        #: How often in a row nobody looked.
        self._unseen = 0
        #: Those of the files that are terminals.
        self._terminals: set[int] = set()
        #: Those to which somebody in this process may write, uncounted.
        self._talking: set[int] = set()
        #: Whose turn is before whose; their numbers depend on which thread was first to open one.
        self._turns: dict[int, int] = {}
        self._count = itertools.count()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout == 0:
            return self._meanwhile()
        ready = self._wait()
        self._stirred = bool(ready)
        if not ready and not self._told:
            if timeout is None:
                raise Stuck("nothing is ready, nothing is scheduled, and nobody is working")
            self._loop.advance(timeout)
        self._told = False
        return sorted(ready, key=self._turn) if len(ready) > 1 else ready

    def _meanwhile(self) -> list[tuple[selectors.SelectorKey, int]]:
        """The loop has something to do, and only looks whether there is more.

        What is in its terminals comes when it has done all of it, not whenever the system gets to
        it; so nobody has to look for that.
        """
        if not self._is_counted:
            ready = self._real.select(0)
            self._stirred = self._stirred or bool(ready)
            return sorted(ready, key=self._turn)
        if not self._looks():
            return []
        return [one for one in self._real.select(0) if one[0].fd not in self._terminals]

    @property
    def _is_counted(self) -> bool:
        """Every byte in a terminal is: then nothing comes that nobody knows of."""
        return bool(self._loop.on_their_way)

    def _looks(self) -> bool:
        """Whether it is worth a look at files that nobody in this process has written to."""
        self._unseen += 1
        if self._unseen < UNSEEN and not self._talking:
            return False
        self._unseen = 0
        return True

    def _wait(self) -> list[tuple[selectors.SelectorKey, int]]:
        """Let what belongs to this moment arrive: first bytes, then what threads have done."""
        began = time.monotonic()
        while True:
            if self._more_on_their_way():
                left = LOST_AFTER - (time.monotonic() - began)
                # They make one of the files ready, which ends this.
                if ready := self._real.select(max(left, 0)):
                    return self._all_of_them(ready)
                if left <= 0:
                    self._lost = self._loop.bytes_on_their_way
            elif not self._loop.is_waited_for:
                return self._seen()
            elif self._loop.next_job_is_known():
                self._told = True
                return []
            elif ready := self._real.select(PATIENCE):
                return self._all_of_them(ready)
            elif self._loop.next_job_is_known(whichever=True):
                self._told = True
                return []
            else:
                began = time.monotonic()

    def _seen(self) -> list[tuple[selectors.SelectorKey, int]]:
        """Nothing is known to be on its way: what is there all the same."""
        if self._is_counted:
            return self._real.select(0) if self._looks() else []
        return self._real.select(0) or (self._settled() if self._stirred else [])

    def _all_of_them(
        self, ready: list[tuple[selectors.SelectorKey, int]]
    ) -> list[tuple[selectors.SelectorKey, int]]:
        """What belongs to this moment, together: or who comes first would be left to chance."""
        began = time.monotonic()
        while self._more_on_their_way(self._readable(ready)):
            if time.monotonic() - began >= LOST_AFTER:
                self._lost = self._loop.bytes_on_their_way - self._readable(ready)
                break
            ready = self._settled()
        return ready

    def _more_on_their_way(self, arrived: int = 0) -> bool:
        count = self._loop.bytes_on_their_way - arrived
        if self._lost:
            self._lost = min(self._lost, max(count, 0))
        return count > self._lost

    def _settled(self) -> list[tuple[selectors.SelectorKey, int]]:
        # By sleeping: the selector itself would wait for a whole millisecond.
        time.sleep(SETTLING)
        return self._real.select(0)

    def _turn(self, one: tuple[selectors.SelectorKey, int]) -> int:
        return self._turns[one[0].fd]

    def _readable(self, ready: list[tuple[selectors.SelectorKey, int]]) -> int:
        """Bytes that wait in the terminals among them."""
        count = array.array("i", [0])
        total = 0
        for key, _ in ready:
            if key.fd in self._terminals:
                try:
                    fcntl.ioctl(key.fd, termios.FIONREAD, count)
                except OSError:
                    continue  # its cable was just pulled
                total += count[0]
        return total

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        key = self._real.register(fileobj, events, data)
        self._turns[key.fd] = next(self._count)
        if os.isatty(key.fd):
            self._terminals.add(key.fd)
        elif self.is_set_up and not _only_hears_from_outside(key.fd):
            self._talking.add(key.fd)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        key = self._real.unregister(fileobj)
        del self._turns[key.fd]
        self._terminals.discard(key.fd)
        self._talking.discard(key.fd)
        return key

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


def _only_hears_from_outside(descriptor: int) -> bool:
    """A socket that waits for callers, or for the kernel's word."""
    if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
        return False
    with socket.socket(fileno=os.dup(descriptor)) as one:
        if one.family == socket.AF_NETLINK:
            return True
        return bool(one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def _tell(real: asyncio.Future[Any], known: asyncio.Future[Any]) -> None:
    if known.done():
        return  # nobody wants to know any more
    if real.cancelled():
        known.cancel()
    elif (error := real.exception()) is not None:
        known.set_exception(error)
    else:
        known.set_result(real.result())


def run(main: Callable[[], Any], start: float = 0.0) -> Any:
    """Run a coroutine function in virtual time."""
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(start)) as runner:
        return runner.run(main())
