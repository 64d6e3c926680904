"""How fast events become durable, beside the disk itself.

The limit is a bare overwrite of the same size with a flush after each. Everything runs by turns in
one run, and of each the median counts, because disks have slow phases and other programs busy
ones: only the ratios say something.

    python -m benchmarks.journal
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter

from controller.journal.entry import Record
from controller.journal.journal import Journal
from controller.journal.writer import Writer

BODY = os.urandom(300)
PIECE = 1 << 16
TURNS = 40
COMMITS_A_TURN = 60
WAITING, EVENTS_A_TASK = 64, 20
#: Required: of the bare disk's rate; and of the rate of one task that waits for each commit,
#: through the same writer, so that threads and other programs weigh on both.
SINGLE, GROUP = 0.8, 10.0


def overwriting(folder: Path, stack: ExitStack) -> Callable[[], None]:
    """The limit: overwrite what is there already, and wait for the disk."""
    room = 8 << 20
    file = os.open(folder / "bare", os.O_RDWR | os.O_CREAT)
    stack.callback(os.close, file)
    # In pieces, like the log: the system handles as one what was written at once, and a flush of
    # a few bytes in 8 MiB takes a third longer.
    for at in range(0, room, PIECE):
        os.pwrite(file, bytes(PIECE), at)
    os.fsync(file)
    places = iter(range(0, room - len(BODY), len(BODY)))

    def one() -> None:
        os.pwrite(file, BODY, next(places))
        os.fdatasync(file)

    return one


def appending(folder: Path, stack: ExitStack) -> Callable[[], None]:
    """One event a commit. A round has some dozens of them."""
    journal = stack.enter_context(Journal.create(folder / "single.db", "bench"))
    events = iter([[Record("event", BODY, n, n // 50)] for n in range(TURNS * COMMITS_A_TURN)])

    def one() -> None:
        journal.append(next(events))

    return one


class Sharing:
    """Tasks that append one event after another through a writer, and wait for each."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.journal = stack.enter_context(Journal.create(folder / "group.db", "bench"))

    async def seconds(self, waiting: int, each: int) -> float:
        """How long so many tasks take for so many events each."""

        async def task(writer: Writer) -> None:
            for number in range(each):
                await writer.append([Record("event", BODY, number, number // 50)])

        async with Writer(self.journal) as writer:
            start = perf_counter()
            await asyncio.gather(*(task(writer) for _ in range(waiting)))
            return perf_counter() - start


def seconds(one: Callable[[], None]) -> float:
    start = perf_counter()
    one()
    return perf_counter() - start


def main() -> int:
    bare_times, single_times, alone, together = [], [], [], []
    with ExitStack() as stack:
        # Beside the checkout: a folder for temporary files may be in memory.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=Path.cwd())))
        bare, single = overwriting(folder, stack), appending(folder, stack)
        sharing = Sharing(folder, stack)
        for _ in range(TURNS):
            # Commit by commit, so that what else the machine does comes upon both alike.
            for _ in range(COMMITS_A_TURN):
                bare_times.append(seconds(bare))
                single_times.append(seconds(single))
            alone.append(asyncio.run(sharing.seconds(1, COMMITS_A_TURN)) / COMMITS_A_TURN)
            events = WAITING * EVENTS_A_TASK
            together.append(asyncio.run(sharing.seconds(WAITING, EVENTS_A_TASK)) / events)
    limit, own, through, shared = (
        1 / median(times) for times in (bare_times, single_times, alone, together)
    )
    print("medians, in turns of the same run")
    print(f"bare overwrite and flush of {len(BODY)} bytes: {limit:,.0f}/s")
    print(f"one event a commit: {own:,.0f}/s")
    print(f"  of the bare disk's rate: {own / limit:.2f} (required {SINGLE})")
    print(f"one event a commit, through the writer's thread: {through:,.0f}/s")
    print(f"{WAITING} waiting, in shared commits: {shared:,.0f}/s")
    print(f"  of the rate of one waiting: {shared / through:.1f} (required {GROUP:.0f})")
    print(f"  of the rate without the thread: {shared / own:.1f}")
    return 0 if own / limit >= SINGLE and shared / through >= GROUP else 1


if __name__ == "__main__":
    sys.exit(main())
