"""The one loop: journal the event, decide, journal the decision, act.

Whatever happens at the table, on whichever wire or page, comes through here, one at a time and in
one order. Journal and machine run in a thread of their own, so that a slow disk never keeps a wire
waiting; nobody is told or ordered anything before that is on the disk.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from controller.journal.errors import JournalError
from controller.recorder import Recorder, Taken
from controller.table import lateness
from controller.table.commands import Command
from controller.table.events import Event

#: Events that may wait. A table makes a few in a second: more means that something floods it.
MAX_WAITING = 1024


class Overrun(Exception):
    """More events wait than the journal keeps up with."""


class Stopped(Exception):
    """The core takes nothing more; the cause says why."""


@dataclass(slots=True)
class _Waiting:
    event: Event
    taken: asyncio.Future[Taken]
    then: Callable[[Taken], None] | None
    #: When it was posted, by the loop's clock.
    since: float


@dataclass(slots=True)
class _Ping:
    """Goes the way of an event without being one, to show that the way is open."""

    through: asyncio.Future[None]


@dataclass(slots=True)
class _Beside:
    """For the journal alone: nothing is decided by it."""

    kind: str
    body: bytes
    at: int


class Core:
    def __init__(
        self,
        recorder: Recorder,
        act: Callable[[tuple[Command, ...]], None],
        told: Callable[[Event, Taken], None] = lambda _event, _taken: None,
        decided: Callable[[Taken], None] = lambda _taken: None,
    ) -> None:
        """``decided`` hears of a decision before ``act`` carries it out, and ``told`` after."""
        self.recorder = recorder
        #: As it stands for whoever acts on it. The recorder's own, in the journal's thread, may be
        #: ahead of what was carried out; this one changes on the loop, with each decision.
        self.table = recorder.table
        #: The entry of the last event that is in it.
        self.seq = recorder.seq
        self._act = act
        self._told = told
        self._decided = decided
        self._queue: deque[_Waiting | _Ping | _Beside] = deque()
        self._more = asyncio.Event()
        self._busy = False
        #: What is with the journal's thread; and since when something is, by the loop's clock.
        self._writing: _Waiting | None = None
        self._with_journal: float | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="felt-journal")
        #: Why it stopped, once it has.
        self.failure: JournalError | None = None
        #: How many events were taken, for the watchdog: only work that went through counts.
        self.taken = 0
        #: Is told how many seconds each event took, for the metrics.
        self.took: Callable[[float], None] = lambda _seconds: None

    @property
    def is_idle(self) -> bool:
        """Nothing waits, and nothing is being written: all that was decided has been acted on."""
        return not self._queue and not self._busy

    @property
    def waiting(self) -> int:
        return len(self._queue)

    @property
    def writing_s(self) -> float:
        """For how long the journal's thread is at what it was given; 0 if it is at nothing."""
        if self._with_journal is None:
            return 0.0
        return asyncio.get_running_loop().time() - self._with_journal

    def undecided(self) -> Iterator[Event]:
        """What was posted and is not in ``table`` yet, in the order in which it will be."""
        if self._writing is not None:
            yield self._writing.event
        for waiting in self._queue:
            if isinstance(waiting, _Waiting):
                yield waiting.event

    def post(
        self, event: Event, then: Callable[[Taken], None] | None = None
    ) -> asyncio.Future[Taken]:
        """Have an event taken in its turn. The future is done when it and its decision are safe.

        ``then`` is called when the decision has been acted on, before anything else can happen:
        what devices are told belongs to this entry, in the order that their logs have it.
        """
        future: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        if self.failure is not None:
            future.set_exception(Stopped(str(self.failure)))
        elif len(self._queue) >= MAX_WAITING:
            future.set_exception(Overrun(f"{MAX_WAITING} events wait for the journal"))
        else:
            now = asyncio.get_running_loop().time()
            self._queue.append(_Waiting(event, future, then, now))
            self._more.set()
        # Most callers act on what the table decided, not on this: a failure is said by ``run``.
        future.add_done_callback(_looked_at)
        return future

    def keep(self, kind: str, body: bytes, at: int) -> None:
        """Have something written down in its turn. Lost if too much waits: nobody acts on it."""
        if self.failure is None and len(self._queue) < MAX_WAITING:
            self._queue.append(_Beside(kind, body, at))
            self._more.set()

    def ping(self) -> asyncio.Future[None]:
        """Done when the core's queue and the journal's thread have come to it."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(_Ping(future))
        self._more.set()
        return future

    async def run(self) -> None:
        """Take events until cancelled. Ends with the journal's error if it can't be written."""
        loop = asyncio.get_running_loop()
        while True:
            while not self._queue:
                self._more.clear()
                self._busy = False
                await self._more.wait()
            self._busy = True
            waiting = self._queue.popleft()
            self._with_journal = loop.time()
            if isinstance(waiting, _Ping):
                await loop.run_in_executor(self._thread, lambda: None)
                self._with_journal = None
                if not waiting.through.done():
                    waiting.through.set_result(None)
                continue
            begun = loop.time()
            if isinstance(waiting, _Waiting):
                waiting.event = lateness.waited(
                    waiting.event, round((begun - waiting.since) * 1000)
                )
            try:
                taken = await self._written(loop, waiting)
            except JournalError as error:
                self.failure = error
                self._fail(waiting)
                raise
            finally:
                self._with_journal = None
            if taken is None or isinstance(waiting, _Beside):
                continue
            self.taken += 1
            self.took(loop.time() - begun)
            self.table, self.seq = taken.step.table, taken.seq
            self._writing = None
            self._decided(taken)
            self._act(taken.step.commands)
            self._told(waiting.event, taken)
            if not waiting.taken.done():
                waiting.taken.set_result(taken)
            if waiting.then is not None:
                waiting.then(taken)

    async def _written(
        self, loop: asyncio.AbstractEventLoop, waiting: _Waiting | _Beside
    ) -> Taken | None:
        # Not to be cancelled half way: what was begun is finished, and known.
        if isinstance(waiting, _Beside):
            given = (waiting.kind, waiting.body, waiting.at)
            await asyncio.shield(loop.run_in_executor(self._thread, self.recorder.keep, *given))
            return None
        self._writing = waiting
        return await asyncio.shield(
            loop.run_in_executor(self._thread, self.recorder.take, waiting.event)
        )

    def _fail(self, first: _Waiting | _Beside) -> None:
        for waiting in (first, *self._queue):
            if isinstance(waiting, _Ping):
                waiting.through.cancel()
            elif isinstance(waiting, _Waiting) and not waiting.taken.done():
                waiting.taken.set_exception(Stopped(str(self.failure)))
        self._queue.clear()

    def close(self) -> None:
        """After ``run`` has ended: wait for what is being written."""
        self._thread.shutdown(wait=True)


def _looked_at(future: asyncio.Future[Taken]) -> None:
    if not future.cancelled():
        future.exception()
