"""The journal for asyncio: a thread of its own writes, and all who wait share one commit.

    async with Writer(journal) as writer:
        entries = await writer.append([record])

A commit takes as long as the disk takes, whether it holds one record or sixty. While one is under
way, requests gather, and the next commit has them all.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, NamedTuple, Self

from controller.journal.entry import MAX_RECORDS_A_COMMIT, Entry, Record
from controller.journal.errors import JournalError, Unfit
from controller.journal.journal import Journal

#: Requests that may wait. Who comes when there are as many waits for room.
MAX_WAITING = 1024


class _Request(NamedTuple):
    """Records to append, and who waits for their entries."""

    records: Sequence[Record]
    answer: asyncio.Future[list[Entry]]


class Writer:
    """The one through whom a loop's tasks write a journal. The journal stays open at its end."""

    def __init__(self, journal: Journal, max_waiting: int = MAX_WAITING) -> None:
        self._journal = journal
        self._room = asyncio.Semaphore(max_waiting)
        self._queue: deque[_Request] = deque()
        self._ready = threading.Condition()
        self._closing = False
        self._called = False
        self._thread = threading.Thread(target=self._run, name=f"journal {journal.path.name}")

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        self._thread.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """What has been asked for is still written; nothing more is taken."""
        self._closing = True
        self._call()
        cancelled: asyncio.CancelledError | None = None
        while not self._ended.done():
            try:
                await asyncio.shield(self._ended)
            except asyncio.CancelledError as told:
                cancelled = told  # not before the thread has ended
        self._thread.join()
        if cancelled:
            raise cancelled

    async def append(self, records: Sequence[Record]) -> list[Entry]:
        """Write records down, in one transaction. They are on the disk when this returns.

        Who is cancelled while the request still waits has asked for nothing. Later on the records
        are written all the same, and only the answer is lost. Without records, this returns when
        the thread has come by: a sign that it is alive.
        """
        await self._room.acquire()
        request = _Request(records, self._loop.create_future())
        if self._closing:
            self._room.release()
            raise JournalError(self._journal.path, "is no longer written to", "start again")
        self._queue.append(request)
        if not self._called:
            # Once for all the tasks that run in this turn of the loop, so that they share a commit.
            self._called = True
            self._loop.call_soon(self._call)
        try:
            return await request.answer
        except asyncio.CancelledError:
            self._withdraw(request)
            raise

    def _withdraw(self, request: _Request) -> None:
        with self._ready:
            try:
                self._queue.remove(request)
            except ValueError:
                return  # under way, and answered to nobody
        self._room.release()

    def _call(self) -> None:
        self._called = False
        with self._ready:
            self._ready.notify()

    # In the thread.

    def _run(self) -> None:
        while batch := self._next():
            self._write(batch)
            self._tidy()
        self._tell(self._ended.set_result, None)

    def _next(self) -> list[_Request]:
        """All that waits and fits into one commit; nothing at the end."""
        with self._ready:
            while not self._queue and not self._closing:
                self._ready.wait()
            batch: list[_Request] = []
            count = 0
            while self._queue:
                request = self._queue[0]
                count += len(request.records)
                if batch and count > MAX_RECORDS_A_COMMIT:
                    break
                batch.append(self._queue.popleft())
            return batch

    def _write(self, batch: list[_Request]) -> None:
        """All requests in one commit. One that is unfit is nobody else's concern."""
        answers: list[list[Entry]] = []
        try:
            entries = iter(self._journal.append([one for asked, _ in batch for one in asked]))
        except Unfit as error:
            if len(batch) > 1:
                for request in batch:
                    self._write([request])
            else:
                self._tell(self._answer, batch, answers, error)
        except BaseException as error:
            self._tell(self._answer, batch, answers, error)
        else:
            answers += [list(islice(entries, len(asked))) for asked, _ in batch]
            self._tell(self._answer, batch, answers, None)

    def _tidy(self) -> None:
        """Between commits, when everybody has their answer."""
        if self._journal.untidy and not self._journal.stopped:
            # If it fails the journal has stopped, and the next who asks is told why.
            with contextlib.suppress(Exception):
                self._journal.tidy()

    def _tell(self, what: Callable[..., object], *given: Any) -> None:
        # A closed loop has nobody left to be told.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what, *given)

    # In the loop again.

    def _answer(
        self, batch: list[_Request], answers: list[list[Entry]], error: BaseException | None
    ) -> None:
        for number, request in enumerate(batch):
            self._room.release()
            if request.answer.done():
                continue
            if error:
                request.answer.set_exception(error)
            else:
                request.answer.set_result(answers[number])
