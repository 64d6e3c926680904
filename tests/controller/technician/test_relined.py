"""A bus recorded by a felt that was busy: between hearing and speaking it reads its clock again."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.technician import logs
from controller.technician.logs import Logged
from controller.technician.relined import Relined
from drivers.wire import messages
from drivers.wire.capture import Capture, Heading
from drivers.wire.devicelog import Quiet
from drivers.wire.keys import BENCH_KEY, NONCE_BYTES
from drivers.wire.line import Line
from drivers.wire.notices import Heard, Identified
from drivers.wire.recorded import RecordedStation
from drivers.wire.station import Station, Timing
from drivers.wire.ticks import tick
from simulators.acceptor import Acceptor
from simulators.end import DeviceEnd
from simulators.faults import Fault
from simulators.tabletop import TableTop
from simulators.wires import Wire
from tests.controller.technician.driven import Driven

SECONDS = 30.0
TIMING = Timing.for_line(10 / 115_200, bus=True, poll=0.05, poll_most=0.25)
SEATS = (1, 2, 3)
#: Every so often the table has an order for one of them.
ORDER_S = 0.15
#: And now and then one has no power for a moment.
RESTART_S = 2.0


def turned(line: Line, now: float, arrived: Callable[[Station], None] = lambda _: None) -> None:
    """What follows from what the devices said; the same for a table and for its replay."""
    for station in line.stations:
        for notice in station.notices():
            match notice:
                case Identified():
                    station.accept(now)
                    order(station, messages.SetWatchdog(3000), now)
                    arrived(station)
                case Heard(boot=boot, seq=seq):
                    station.acknowledge(boot, seq)


def order(station: Station, message: messages.Command, now: float) -> None:
    station.send(7, message, deadline=now + 10)


def ordered(line: Line, count: int, now: float) -> None:
    lamp = messages.SetLamp("placed" if count % 2 else "off")
    order(line.stations[count % len(SEATS)], lamp, now)


class Busy:
    """felt at a bus that loses, doubles and puts together, and that it comes to when it can."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.now = 100.0
        top = TableTop()
        self.end = DeviceEnd([Acceptor(top, seat=n, address=n, polled=True) for n in SEATS])
        self.back = Wire(
            Fault("lost", 0.15, seed=seed),
            Fault("twice", 0.2, seed=seed),
            Fault("merged", 0.02, chance=0.3, seed=seed),
            seed=seed,
        )
        nonce = lambda: self.chance.randbytes(NONCE_BYTES)  # noqa: E731
        self.line = Line(Station(n, BENCH_KEY, nonce, timing=TIMING, polled=True) for n in SEATS)
        heading = Heading("T", "bus", "tty", "0", "pa-639a", "1 after entry 1", "{}")
        clock: Callable[[], float] = lambda: self.now  # noqa: E731
        self.capture = Capture(folder, heading, clock=clock, utc=lambda: self.now)
        self.capture.port("open tty", self.now)
        self.line.cut(self.now, "the port was opened")
        self.orders = 0

    def later(self) -> None:
        """Whatever felt does takes a while."""
        self.now = tick(self.now + self.chance.choice((0.0, 0.0, 0.0003, 0.004)))

    def play(self) -> None:
        order_at, restart_at = self.now + ORDER_S, self.now + RESTART_S
        while self.now < 100.0 + SECONDS:
            due = min(self.line.wakes_at(), self.back.wakes_at(self.now), order_at)
            self.now = tick(max(due, self.now + 0.0005))
            self.later()
            for data in self.back.take(self.now):
                self.capture.received(data, self.now)
                if (rest := self.line.received(data, self.now)) is not None:
                    self.capture.quiet(rest)
                turned(self.line, self.now, self.arrived)
                self.speak()
            if order_at <= self.now:
                order_at += ORDER_S
                self.orders += 1
                self.capture.table(f"entry {self.orders} round 1 betting", self.now)
                ordered(self.line, self.orders, self.now)
            if restart_at <= self.now:
                restart_at += RESTART_S
                self.chance.choice(self.end.devices).restart()
            turned(self.line, self.now, self.arrived)
            self.speak()
        self.capture.close()

    def arrived(self, station: Station) -> None:
        self.capture.device(f"acceptor {station.address}", f"boot={self.now}", self.now)

    def speak(self) -> None:
        self.later()
        for frame in self.line.to_write(self.now):
            self.capture.sent(frame, self.now)
            for answer in self.end.received(frame, self.now):
                self.back.put(answer, self.now)


class Again(Driven):
    def __init__(self, records: list[Logged]) -> None:
        self.line = Line(RecordedStation(n, BENCH_KEY, timing=TIMING, polled=True) for n in SEATS)
        self.wire = Relined("bus", self.line, iter(records), lambda: self.now, trusts=False)
        self.orders = 0

    def turn(self) -> None:
        turned(self.line, self.now)
        self.wire.kick()

    def entered(self, text: str) -> None:
        # Where nothing happened from one entry to the next, the last says enough.
        while self.orders < int(text.split()[1]):
            self.orders += 1
            ordered(self.line, self.orders, self.now)


@pytest.mark.parametrize("seed", range(8))
def test_what_a_busy_felt_said_replays(tmp_path: Path, seed: int) -> None:
    busy = Busy(tmp_path, seed)
    busy.play()
    (run,) = logs.read([tmp_path]).runs
    records = list(run.wires["bus"].records())
    assert sum(isinstance(one.record, Quiet) for one in records) > 10
    assert sum(station.retries for station in busy.line.stations) > 10
    assert Again(records).run() == busy.line.counts.frames_out
