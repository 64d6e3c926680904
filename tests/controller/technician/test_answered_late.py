"""A dialect recorded by a felt that was busy: answers come when their time is over, or nearly."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.technician import logs
from controller.technician.logs import Logged
from controller.technician.rebrokered import Requested
from drivers.contract import Settings
from drivers.dialects.cctalk import acceptor_line
from drivers.dialects.modbus import panel_line
from drivers.dialects.polled import PolledLine
from drivers.wire import messages
from drivers.wire.capture import Capture, Heading
from drivers.wire.notices import Heard, Identified
from drivers.wire.ticks import tick
from simulators.cctalk import Bus, CoinAcceptor
from tests.controller.technician.driven import Driven
from tests.drivers.dialects.module import Module

BOOT = 1_770_000_000
SECONDS = 60.0
#: Every so often the table has an order for one of them.
ORDER_S = 0.4
#: How long a device takes to answer, for the most part; felt waits for a tenth of a second.
ANSWERS_S = ((0.002, 0.006), (0.002, 0.006), (0.002, 0.1), (0.09, 0.13), (0.1, 0.25))
#: And how long felt is held up before it comes to something.
HELD_UP_S = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.001), (0.0, 0.01), (0.0, 0.05))

Peer = Callable[[bytes, float], bytes]


def acceptors() -> tuple[PolledLine, Peer]:
    options: dict[str, str | int | bool] = {"coins": "1:100", "answer_ms": 100}
    settings = [
        (place, Settings(name=f"acceptor {place}", wager="progressive", options=options))
        for place in (1, 2)
    ]
    return acceptor_line(settings, BOOT), Bus([CoinAcceptor(2), CoinAcceptor(3)]).received


def panel() -> tuple[PolledLine, Peer]:
    return panel_line([(1, Settings(name="panel"))], BOOT), Module()


def turned(line: PolledLine, now: float) -> None:
    """What follows from what the devices said; the same for a table and for its replay."""
    for station in line.stations:
        for notice in station.notices():
            match notice:
                case Identified():
                    station.accept(now)
                case Heard(boot=boot, seq=seq):
                    station.acknowledge(boot, seq)


def ordered(line: PolledLine, count: int, now: float) -> None:
    station = line.stations[count % len(line.stations)]
    on = messages.Lights("on" if count % 2 else "off", "off", "off")
    lock = messages.Lock() if count % 4 < 2 else messages.Unlock()
    station.send(count, on if len(line.stations) == 1 else lock, deadline=now + 10)


class Busy:
    """felt at a line that it comes to when it can, as a serial port does."""

    def __init__(self, folder: Path, seed: int, line: PolledLine, peer: Peer) -> None:
        self.chance = random.Random(seed)
        self.now = 100.0
        self.line = line
        self.peer = peer
        #: What comes in, and when.
        self.coming: list[tuple[float, bytes]] = []
        heading = Heading("T", "bus", "tty", "0", "pa-639a", "1 after entry 1", "{}")
        clock: Callable[[], float] = lambda: self.now  # noqa: E731
        self.capture = Capture(folder, heading, clock=clock, utc=lambda: self.now)
        self.capture.port("open tty", self.now)
        self.line.cut(self.now, "the port was opened")
        self.orders = 0

    def later(self) -> None:
        """Whatever felt does takes a while."""
        self.now = tick(self.now + self.chance.uniform(*self.chance.choice(HELD_UP_S)))

    def play(self) -> None:
        order_at = self.now + ORDER_S
        while self.now < 100.0 + SECONDS:
            woken_at = self.line.wakes_at()
            due = min(woken_at, order_at, *(at for at, _ in self.coming))
            self.now = tick(max(due, self.now + 0.0005))
            self.later()
            if came := [one for one in self.coming if one[0] <= self.now]:
                self.coming = [one for one in self.coming if one[0] > self.now]
                data = b"".join(data for _, data in sorted(came))
                self.capture.received(data, self.now)
                self.line.received(data, self.now)
                self.turn()
            if order_at <= self.now:
                order_at += ORDER_S
                self.orders += 1
                self.capture.table(f"entry {self.orders} round 1 betting", self.now)
                ordered(self.line, self.orders, self.now)
                self.turn()
            if woken_at <= self.now:
                self.turn()
        self.capture.close()

    def turn(self) -> None:
        turned(self.line, self.now)
        self.later()
        for frame in self.line.to_write(self.now):
            self.capture.sent(frame, self.now)
            answer = self.peer(frame, self.now)
            after = self.chance.uniform(*self.chance.choice(ANSWERS_S))
            self.coming.append((self.now + after, answer))


class Again(Driven):
    def __init__(self, line: PolledLine, records: list[Logged]) -> None:
        self.line = line
        self.wire = Requested("bus", line, iter(records), lambda: self.now, trusts=False)
        self.wire.late_s = 0.25
        self.orders = 0

    def turn(self) -> None:
        turned(self.line, self.now)
        self.wire.kick()

    def entered(self, text: str) -> None:
        while self.orders < int(text.split()[1]):
            self.orders += 1
            ordered(self.line, self.orders, self.now)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("make", [panel, acceptors])
def test_what_a_busy_felt_asked_replays(
    tmp_path: Path, make: Callable[[], tuple[PolledLine, Peer]], seed: int
) -> None:
    busy = Busy(tmp_path, seed, *make())
    busy.play()
    (run,) = logs.read([tmp_path]).runs
    records = list(run.wires["bus"].records())
    assert sum(station.retries for station in busy.line.stations) > 10
    assert Again(make()[0], records).run() == busy.line.counts.frames_out
