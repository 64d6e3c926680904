"""Somebody sets the clock of the table PC back while the table runs."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from controller.daemon.clock import Clock
from controller.journal.verifier import verify
from controller.recorder import Taken
from controller.table import events
from controller.table.people import Person
from tests.controller.daemon.house import House, table_file

HOUR_S = 3600.0


@pytest.mark.rule("R38")
async def test_a_clock_that_is_set_back_is_on_record_and_nothing_is_lost(tmp_path: Path) -> None:
    back = 0.0
    clock = Clock(wall=lambda: time.time() - back)
    file = table_file(tmp_path)
    stepped = asyncio.Event()

    def told(event: events.Event, _: Taken) -> None:
        if isinstance(event, events.ClockStepped):
            stepped.set()

    by = Person("floor-1", "floorperson")
    async with House(file, clock=clock).running() as house:
        house.service.listen(told)
        opened = events.TableOpened(at=clock.wall_ms(), by=by)
        assert not (await house.takes(opened)).step.refused
        back = HOUR_S
        await stepped.wait()
        faulted = events.DeviceFaulted(at=clock.wall_ms(), device="shoe", nature="jam")
        assert not (await house.takes(faulted)).step.refused
        table = house.service.recorder.table
        assert "clock stepped" in [what for what, _ in house.said]
    (step,) = house.recorded(events.ClockStepped)
    assert step.milliseconds == pytest.approx(-HOUR_S * 1000, abs=1000)
    # The order of entries is the order of events, whatever the clock said.
    kinds = [type(one) for one in house.recorded()]
    at = [kinds.index(kind) for kind in (events.TableOpened, events.ClockStepped)]
    assert at == sorted(at)
    assert verify(house.configuration.journal).sound
    async with House(file, clock=clock).running() as again:
        assert again.service.recorder.table.phase == table.phase
        assert again.service.recorder.table.holds == table.holds
