"""How fast events become durable, beside the disk itself.

The limit is a bare overwrite of the same size with a flush after each. Everything runs by turns in
one run, a few commits each, because disks have slow phases: only the ratios say something.

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
from time import perf_counter, time_ns

from controller.journal.entry import Record
from controller.journal.journal import Journal
from controller.journal.writer import Writer

BODY = os.urandom(300)
TURNS = 40
COMMITS_A_TURN = 60
WAITING = 64
#: Required: of the bare disk's rate, and of the rate of single commits.
SINGLE, GROUP = 0.8, 10.0


def overwriting(folder: Path, stack: ExitStack) -> Callable[[], None]:
    """The limit: overwrite what is there already, and wait for the disk."""
    room = 8 << 20
    file = os.open(folder / "bare", os.O_RDWR | os.O_CREAT)
    stack.callback(os.close, file)
    os.pwrite(file, bytes(room), 0)
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


def timed(one: Callable[[], None]) -> list[float]:
    times = []
    for _ in range(COMMITS_A_TURN):
        start = perf_counter()
        one()
        times.append(perf_counter() - start)
    return times


async def sharing(writer: Writer, waiting: int, each: int) -> float:
    """Seconds that so many tasks take, each of which appends one event after another."""

    async def task() -> None:
        for number in range(each):
            await writer.append([Record("event", BODY, time_ns(), number // 50)])

    start = perf_counter()
    await asyncio.gather(*(task() for _ in range(waiting)))
    return perf_counter() - start


async def group(journal: Journal, waiting: int, each: int) -> float:
    async with Writer(journal) as writer:
        return await sharing(writer, waiting, each)


def main() -> int:
    with ExitStack() as stack:
        # Beside the checkout: a folder for temporary files may be in memory.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=Path.cwd())))
        bare, single = overwriting(folder, stack), appending(folder, stack)
        shared = stack.enter_context(Journal.create(folder / "group.db", "bench"))
        bare_times, single_times = [], []
        alone = together = 0.0
        for _ in range(TURNS):
            bare_times += timed(bare)
            single_times += timed(single)
            alone += asyncio.run(group(shared, 1, COMMITS_A_TURN))
            together += asyncio.run(group(shared, WAITING, COMMITS_A_TURN))
    count = TURNS * COMMITS_A_TURN
    limit, own = count / sum(bare_times), count / sum(single_times)
    through, grouped = count / alone, count * WAITING / together
    print(f"bare overwrite and flush of {len(BODY)} bytes: {limit:.0f}/s")
    print(f"one event a commit: {own:.0f}/s, median {median(single_times) * 1e6:.0f} us")
    print(f"  of the bare disk's rate: {own / limit:.2f} (required {SINGLE})")
    print(f"  by medians: {median(bare_times) / median(single_times):.2f}")
    print(f"one event a commit, through the writer's thread: {through:.0f}/s")
    print(f"{WAITING} waiting, in shared commits: {grouped:.0f}/s")
    print(f"  of the rate of single commits: {grouped / own:.1f} (required {GROUP:.0f})")
    return 0 if own / limit >= SINGLE and grouped / own >= GROUP else 1


if __name__ == "__main__":
    sys.exit(main())
