"""How long the wire takes: a command and its answer, and seven acceptors locked on a bus.

The limit of a round trip is a bare descriptor on the same loop with a process that echoes, by turns
in the same run; ours goes through line, station, tags, capture and port, to a device that checks
tags and does commands. The limit on a bus is what its bytes need at the rate of the line.

    python -m benchmarks.wire
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import tty
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from benchmarks.wire_device import KEY
from drivers.wire import describe
from drivers.wire.capture import Capture, Heading
from drivers.wire.line import Line
from drivers.wire.messages import Lock
from drivers.wire.notices import Answered, Identified
from drivers.wire.ports import PortSettings
from drivers.wire.serial import SerialPort
from drivers.wire.station import Station, Timing

EXCHANGES = 2000
SEVEN = 7
#: Of the bare descriptor's times, at the most.
P50, P99 = 3.0, 5.0
#: Beyond what the bytes of a lock-out need, for 19 of 20: the rest is what else the machine does.
LOCK_OUT_S = 0.010
RATES = ((115200, 100), (38400, 30))
#: What a lock and its answer are, on the line: as many bytes as the bare descriptor echoes.
FRAME_BYTES = 24
RECORDS = 10_000


@contextmanager
def cable(*device: str) -> Iterator[str]:
    """The name of a port, with a process at the other end."""
    master, slave = os.openpty()
    tty.setraw(slave)
    command = [sys.executable, "-m", "benchmarks.wire_device", device[0], str(master), *device[1:]]
    process = subprocess.Popen(command, pass_fds=(master,))
    os.close(master)
    try:
        yield os.ttyname(slave)
    finally:
        os.close(slave)
        process.terminate()
        process.wait()


class Bare:
    """A descriptor on the loop, and nothing else."""

    def __init__(self, path: str) -> None:
        self._port = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._port)
        self._frame = b"x" * FRAME_BYTES
        self._got = 0
        self._answered: asyncio.Future[None] | None = None
        asyncio.get_running_loop().add_reader(self._port, self._read)

    def _read(self) -> None:
        self._got += len(os.read(self._port, 1024))
        if self._got >= FRAME_BYTES and self._answered is not None:
            self._answered.set_result(None)

    async def exchange(self) -> float:
        self._got = 0
        self._answered = asyncio.get_running_loop().create_future()
        start = perf_counter()
        os.write(self._port, self._frame)
        await self._answered
        return perf_counter() - start

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._port)
        os.close(self._port)


class Ours:
    """Stations on a line at a port, captured, and somebody who collects what they say."""

    def __init__(self, path: str, folder: Path, devices: int, baud: int) -> None:
        self.settings = PortSettings(path, baud=baud)
        timing = Timing.for_line(self.settings.byte_s, bus=devices > 1, poll=0.05)
        self.stations = [
            Station(address, KEY, lambda: os.urandom(16), timing=timing, polled=devices > 1)
            for address in range(1, devices + 1)
        ]
        self.line = Line(self.stations)
        heading = Heading("bench", "bus", str(self.settings), "0", "none")
        self.capture = Capture(folder, heading, describe=describe.frames)
        self.port = SerialPort(self.settings, self.line, on_turn=self._turn, tap=self.capture)
        self._numbers = count(1)
        self._waiting = 0
        self._answered: asyncio.Future[None] | None = None

    def _turn(self) -> None:
        now = asyncio.get_running_loop().time()
        for station in self.stations:
            for notice in station.notices():
                if isinstance(notice, Identified):
                    station.accept(now)
                elif isinstance(notice, Answered):
                    self._waiting -= 1
                    if self._waiting == 0 and self._answered is not None:
                        self._answered.set_result(None)

    async def exchange(self) -> float:
        """Lock them all."""
        loop = asyncio.get_running_loop()
        self._waiting = len(self.stations)
        self._answered = loop.create_future()
        start = perf_counter()
        for station in self.stations:
            station.send(next(self._numbers), Lock(), deadline=loop.time() + 10, urgent=True)
        self.port.kick()
        await self._answered
        return perf_counter() - start

    async def ready(self) -> None:
        async with asyncio.timeout(20):
            while any(station.stage != "ready" for station in self.stations):  # noqa: ASYNC110
                await asyncio.sleep(0.01)


@asynccontextmanager
async def ours(path: str, devices: int, baud: int) -> AsyncIterator[Ours]:
    with tempfile.TemporaryDirectory() as folder:
        one = Ours(path, Path(folder), devices, baud)
        tasks = [asyncio.create_task(one.capture.run()), asyncio.create_task(one.port.run())]
        try:
            await one.ready()
            yield one
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


async def round_trips() -> tuple[list[float], list[float]]:
    bare_times, our_times = [], []
    with cable("echo") as echo, cable("devices", "1", "0") as device:
        async with ours(device, 1, 115200) as own:
            bare = Bare(echo)
            for _ in range(EXCHANGES):
                # One by one, so that what else the machine does comes upon both alike.
                bare_times.append(await bare.exchange())
                our_times.append(await own.exchange())
            bare.close()
    return bare_times, our_times


async def lock_outs(baud: int, times: int) -> tuple[list[float], float]:
    """How long each took, and how long its bytes need."""
    byte_s = PortSettings("", baud=baud).byte_s
    taken = []
    with cable("devices", str(SEVEN), str(byte_s)) as bus:
        async with ours(bus, SEVEN, baud) as own:
            for number in range(times):
                # Anywhere between two polls, as a dealer presses the button.
                await asyncio.sleep(0.02 + 0.0013 * (number % 40))
                taken.append(await own.exchange())
            locks = SEVEN * bytes_of(own, "command", "result")
            # Somebody is being asked something when the button is pressed, and has to answer first.
            asked = bytes_of(own, "poll", "idle")
    return taken, (locks + asked) * byte_s


def bytes_of(own: Ours, *kinds: str) -> int:
    """How long one of each kind was on the line."""
    records = own.capture.flight().splitlines()
    last = [[line for line in records if f"; {kind} " in line][-1] for kind in kinds]
    return sum(len(line.split()[2]) // 2 for line in last)


def capturing() -> tuple[float, float]:
    """What a record costs on the loop, and beside it."""
    with tempfile.TemporaryDirectory() as folder:
        heading = Heading("bench", "bus", "port", "0", "none")
        capture = Capture(Path(folder), heading, describe=describe.frames)
        data = os.urandom(FRAME_BYTES - 1) + b"\0"
        start = perf_counter()
        for number in range(RECORDS):
            capture.received(data, number * 0.001)
        kept = perf_counter()
        capture.close()
        written = perf_counter()
    return (kept - start) / RECORDS, (written - kept) / RECORDS


def p99(times: list[float]) -> float:
    return quantiles(times, n=100)[98]


def main() -> int:
    good = True
    bare, own = asyncio.run(round_trips())
    print(f"round trip of {FRAME_BYTES} bytes over a pty, by turns, p50/p99 in microseconds")
    print(f"bare descriptor and echo: {median(bare) * 1e6:.0f}/{p99(bare) * 1e6:.0f}")
    print(f"a lock and its answer, through it all: {median(own) * 1e6:.0f}/{p99(own) * 1e6:.0f}")
    ratio50, ratio99 = median(own) / median(bare), p99(own) / p99(bare)
    print(f"  of the bare descriptor's: {ratio50:.2f}/{ratio99:.2f} (required {P50:.0f}/{P99:.0f})")
    good = good and ratio50 <= P50 and ratio99 <= P99
    for baud, times in RATES:
        taken, needed = asyncio.run(lock_outs(baud, times))
        over = quantiles(taken, n=20)[18] - needed
        print(
            f"{SEVEN} acceptors on a bus at {baud} baud: a poll on the line and then their locks"
            f" need {needed * 1e3:.1f} ms"
        )
        print(
            f"  all locked after {median(taken) * 1e3:.1f} ms, {max(taken) * 1e3:.1f} at the most;"
            f" 19 of 20 within {over * 1e3:.1f} ms more (required {LOCK_OUT_S * 1e3:.0f})"
        )
        good = good and over <= LOCK_OUT_S
    kept, written = capturing()
    print(f"a captured record: {kept * 1e6:.1f} us on the loop, {written * 1e6:.1f} us beside it")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
