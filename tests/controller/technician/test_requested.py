"""A line in a dialect, recorded by a felt that was busy: it did what was due, a little late."""

from __future__ import annotations

import random
from math import inf
from pathlib import Path

import pytest

from controller.technician.logs import Logged
from controller.technician.rebrokered import Requested
from drivers.contract import Settings
from drivers.dialects.modbus import panel_line
from drivers.dialects.polled import PolledLine
from drivers.wire.devicelog import Bytes, Remark
from drivers.wire.notices import Identified, Notice
from drivers.wire.ticks import tick
from tests.controller.technician.driven import Driven
from tests.drivers.dialects.module import Module

SECONDS = 20.0


def line() -> PolledLine:
    return panel_line([(1, Settings(name="panel"))], 1_770_000_000)


def collected(one: PolledLine, now: float) -> list[Notice]:
    (station,) = one.stations
    found = station.notices()
    for notice in found:
        if isinstance(notice, Identified):
            station.accept(now)
    return found


class Busy:
    """A felt that comes to its timers when it comes to them, and a module that says nothing at
    times."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.line = line()
        self.now = 100.0
        self.records: list[Logged] = []
        self.happened: list[Notice] = []

    def record(self, record: Bytes | Remark) -> None:
        at_us = round(self.now * 1e6)
        number = len(self.records) + 1
        made = record._replace(at_us=at_us)
        self.records.append(Logged(at_us, at_us, "panel", made, Path("panel.log"), number))

    def run(self) -> list[Logged]:
        module = Module()
        self.record(Remark(0, "port", "open /dev/panel"))
        self.line.cut(self.now, "the port was opened")
        answer, answers_at = b"", inf
        while self.now < 100.0 + SECONDS:
            late = self.chance.choice((0.0, 0.0, 0.0, 0.003, 0.03))
            at = max(min(self.line.wakes_at(), answers_at), self.now + 0.001)
            self.now = tick(at + late)
            if answers_at <= self.now:
                self.record(Bytes(0, "in", answer))
                self.line.received(answer, self.now)
                answers_at = inf
            self.happened += collected(self.line, self.now)
            for frame in self.line.to_write(self.now):
                self.record(Bytes(0, "out", frame))
                if self.chance.random() < 0.9:
                    answer, answers_at = module(frame, self.now), self.now + 0.004
        return self.records


class Again(Driven):
    def __init__(self, records: list[Logged]) -> None:
        self.line = line()
        self.wire = Requested("panel", self.line, iter(records), lambda: self.now, trusts=True)
        self.happened: list[Notice] = []

    def turn(self) -> None:
        self.happened += collected(self.line, self.now)


@pytest.mark.parametrize("seed", range(6))
def test_what_was_repeated_late_replays(seed: int) -> None:
    busy = Busy(seed)
    records = busy.run()
    again = Again(records)
    sent = sum(isinstance(one.record, Bytes) and one.record.direction == "out" for one in records)
    assert again.run() == sent
    assert busy.line.stations[0].retries > 5
    # What a device says of itself has the same order, whenever it was noticed.
    kinds = [type(one) for one in again.happened]
    assert kinds == [type(one) for one in busy.happened][: len(kinds)]
