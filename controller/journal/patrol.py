"""A patrol: goes through the entries again and again while the table plays, a few at a time.

It looks at the file as another program would, through a connection of its own for each step, so
that it sees what is there now and not what somebody still has in memory. If it finds damage, the
journal takes nothing more.

    patrol = asyncio.create_task(Patrol(journal).watch())
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import NamedTuple

from controller.journal.errors import Damaged, JournalError
from controller.journal.journal import Journal
from controller.journal.reader import Reader

#: Two milliseconds' work. With a second between steps, a month's entries are gone through in hours.
ENTRIES_A_STEP = 256
PAUSE_S = 1.0


class Checked(NamedTuple):
    """The entries that a step has found sound; none, where there are none."""

    first: int
    last: int
    #: How many times the patrol has come to the end.
    passes: int


class Patrol:
    """Checks a journal that is in use."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._next = 1
        #: How many times it has come to the end.
        self.passes = 0

    async def watch(self, pause_s: float = PAUSE_S, count: int = ENTRIES_A_STEP) -> None:
        """Step by step, beside the loop, until there is damage or the task is cancelled."""
        while True:
            step = asyncio.ensure_future(asyncio.to_thread(self.step, count))
            try:
                await asyncio.shield(step)
            except asyncio.CancelledError:
                # A thread can't be cancelled, and nothing may look at the file after its end. What
                # it still finds has stopped the journal.
                with contextlib.suppress(JournalError):
                    await step
                raise
            await asyncio.sleep(pause_s)

    def step(self, count: int = ENTRIES_A_STEP) -> Checked:
        """Check the next entries; after the last one, the first one is next."""
        try:
            return self._step(count)
        except JournalError as error:
            self._journal.stop(error)
            raise

    def _step(self, count: int) -> Checked:
        known = self._journal.head
        with Reader.look(self._journal.path, self._journal.header.table) as file:
            if file.header != self._journal.header:
                raise Damaged(file.path, "the header is another one than at the start")
            first, last = self._next, min(self._next + count - 1, known.seq)
            for entry in file.entries(first, last):
                if entry.seq == known.seq and entry.link != known.link:
                    raise Damaged(file.path, "it is another one than was written", entry.seq)
            if file.head.seq < known.seq:
                raise Damaged(file.path, "it is missing", file.head.seq + 1)
        self._next = last + 1
        if last == known.seq:
            self._next = 1
            self.passes += 1
        return Checked(first, last, self.passes)
