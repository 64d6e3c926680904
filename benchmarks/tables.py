"""How many tables one core holds: daemons on one core, all of their devices and people on another.

Each table has seven seats, its terminals on a line like the rest, and a process of its own for its
daemon. Tables are added until the slowest lock-outs take twice as long as with a single table. A
lock-out is measured at the devices: from the finger on the button to the last of the fourteen that
has locked.

Real pace is sixty rounds an hour. To see enough lock-outs rounds follow each other faster here, up
to ``--speed`` times, so that each daemon does more than it would: the number that is found is on
the safe side. What a daemon does between rounds, it does at its real pace.

    python -m benchmarks.tables [--most 64] [--seconds 60] [--speed 20]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from math import inf
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

from controller.table.state import Table
from drivers.wire.messages import Command, Lock
from simulators.device import Answer, Device
from tests.scenarios.kill.live import LiveTable
from tests.scenarios.kill.people import People, Window

ROUNDS_AN_HOUR = 60
SEATS = 7
MOST, SECONDS, SPEED = 16, 60.0, 20.0
#: What is found is worth nothing if the devices' own core is full.
FULL = 0.8
DOUBLED = 2.0
#: Fewer tables than this are looked at for longer.
ALONE = 4


class Measured(NamedTuple):
    tables: int
    p50: float
    p99: float
    lock_outs: int
    #: At each table, as it came out.
    rounds_an_hour: float
    #: Of one core: by the daemons, and by devices and people.
    daemons: float
    devices: float


class Busy:
    """One table, its daemon on a core, and its lock-outs."""

    def __init__(self, folder: Path, number: int) -> None:
        folder.mkdir()
        self.live = LiveTable(folder, seed=number, seats=SEATS, at_broker=False)
        self.lock_outs: list[float] = []
        self._pressed: float | None = None
        self._locked: set[str] = set()
        panel: Any = self.live.world.panel
        press = panel.press
        for device in self.live.at_seats:
            device.on_told = partial(self._told, device)

        def pressed(button: str) -> None:
            if button == "lock_out" and self._pressed is None:
                self._pressed = time.perf_counter()
                self._locked.clear()
            press(button)

        # The finger on the button starts the watch.
        panel.press = pressed

    def _told(self, device: Device, command: Command, _: Answer) -> None:
        if not isinstance(command, Lock) or self._pressed is None:
            return
        self._locked.add(device.name)
        if len(self._locked) == len(self.live.at_seats):
            self.lock_outs.append(time.perf_counter() - self._pressed)
            self._pressed = None

    async def play(self, core: int, every: float, delay: float) -> None:
        """A round at a time, one every so many seconds."""
        with Window(self.live.configuration.socket) as window:
            async with self.live.running():
                self.live.daemon.start()
                os.sched_setaffinity(self.live.daemon.pid, {core})
                people = People(self.live, window, seed=1)
                await asyncio.sleep(delay)
                table = await people.sees()
                while True:
                    due = asyncio.get_running_loop().time() + every
                    table = await people.play(partial(_is_over, table.round))
                    await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))

    def used(self) -> float:
        """Seconds of a processor that its daemon has used."""
        fields = Path(f"/proc/{self.live.daemon.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _is_over(before: int, table: Table) -> bool:
    """One more round is over, and wagers are taken again."""
    return table.round > before and table.phase == "betting"


async def measured(folder: Path, count: int, core: int, seconds: float, speed: float) -> Measured:
    every = 3600 / ROUNDS_AN_HOUR / speed
    tables = [Busy(folder / f"table-{n}", n) for n in range(count)]
    playing = [
        asyncio.create_task(one.play(core, every, n * every / count))
        for n, one in enumerate(tables)
    ]
    try:
        # The first rounds are those of a start.
        while min(len(one.lock_outs) for one in tables) < 2:
            await asyncio.sleep(0.2)
            for task in playing:
                if task.done():
                    task.result()
        for one in tables:
            one.lock_outs.clear()
        # The slowest of a few tables are told from as many as of several.
        seconds *= max(1, ALONE // count)
        began, mine = time.perf_counter(), time.process_time()
        used = sum(one.used() for one in tables)
        await asyncio.sleep(seconds)
        took = time.perf_counter() - began
        used = sum(one.used() for one in tables) - used
        mine = time.process_time() - mine
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    times = [one for table in tables for one in table.lock_outs]
    cuts = quantiles(times, n=100, method="inclusive") if len(times) > 1 else [inf] * 99
    pace = 3600 * len(times) / count / took
    return Measured(count, cuts[49], cuts[98], len(times), pace, used / took, mine / took)


def counts(most: int) -> Iterator[int]:
    """One, two, three, four, six, eight, twelve ..."""
    step = 1
    while step <= most:
        yield step
        if step >= 2 and step * 3 // 2 <= most:
            yield step * 3 // 2
        step *= 2


@contextlib.contextmanager
def only_on(core: int) -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def grown(most: int, seconds: float, speed: float) -> int:
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        print("tables on one core: this machine has one core, and the devices need another")
        return 0
    found: list[Measured] = []
    why = f"more than {most} were not tried"
    with only_on(cores[1]):
        for count in counts(most):
            with tempfile.TemporaryDirectory() as folder:
                run = measured(Path(folder), count, cores[0], seconds, speed)
                one = asyncio.run(run)
            first = found[0] if found else one
            print(
                f"{one.tables} tables on one core: lock-out p50 {one.p50 * 1000:.1f} ms, p99 "
                f"{one.p99 * 1000:.1f} ms of {one.lock_outs}, {one.p99 / first.p99:.2f} of one "
                f"table's; the core {one.daemons:.0%} busy, the devices' core {one.devices:.0%}"
            )
            if one.devices > FULL:
                why = "the devices' own core is full, so it may hold more"
                break
            if one.p99 >= DOUBLED * first.p99:
                times = one.p99 / first.p99
                why = f"with {one.tables} the slowest lock-outs take {times:.1f} times as long"
                break
            found.append(one)
    if not found:
        print(f"tables on one core: nothing was found, {why}")
        return 1
    last = found[-1]
    print(
        f"one core holds {last.tables} tables of {SEATS} seats at {last.rounds_an_hour:.0f} rounds "
        f"an hour each, {last.rounds_an_hour / ROUNDS_AN_HOUR:.0f} times the real pace: p99 "
        f"{last.p99 / found[0].p99:.2f} of one table's; {why}"
    )
    return 0


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How many tables one core holds.")
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--speed", type=float, default=SPEED)
    given = parser.parse_args([] if words is None else words)
    return grown(given.most, given.seconds, given.speed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
