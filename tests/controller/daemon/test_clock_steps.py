"""Somebody sets the clock of the table PC back while the table runs."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

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


RECEIVED: dict[str, Any] = {"deck": "A", "colour": "red", "design": "bee"}


@pytest.mark.rule("R8", "R38")
@pytest.mark.parametrize("hours", [-24, -1, 1, 24])
@pytest.mark.parametrize("away", [False, True])
async def test_no_step_ages_a_deck_or_ends_a_duty(tmp_path: Path, hours: int, away: bool) -> None:
    """However soon an event comes after it, and whether felt runs or not."""
    ahead = 0.0
    floor, dealer = Person("floor-1", "floorperson"), Person("dealer-1", "dealer")
    file = table_file(tmp_path)

    def started() -> House:
        return House(file, clock=Clock(wall=lambda: time.time() + ahead))

    def is_as_before(house: House) -> None:
        table, now = house.service.core.table, house.service.clock.wall_ms()
        (deck,) = table.decks
        assert deck.received_at is not None
        assert 0 <= table.at - deck.received_at < 600_000
        assert 0 <= now - house.service._stepping - table.on_duty["dealer"].since < 600_000
        assert house.service.duty.acting("dealer") == dealer

    async with started().running() as house:
        clock = house.service.clock
        await house.takes(events.TableOpened(at=clock.wall_ms(), by=floor))
        await house.takes(events.SignedOn(at=clock.wall_ms(), by=dealer))
        await house.takes(events.DeckReceived(at=clock.wall_ms(), by=dealer, **RECEIVED))
        if not away:
            ahead = hours * HOUR_S
            await house.takes(events.DeviceFaulted(at=clock.wall_ms(), device="shoe", nature="jam"))
            is_as_before(house)
            while not house.recorded(events.ClockStepped):
                is_as_before(house)
                await asyncio.sleep(0.05)
            is_as_before(house)
    ahead = hours * HOUR_S
    async with started().running() as again:
        await again.service.core.ping()
        is_as_before(again)
        assert len(again.recorded(events.ClockStepped)) == 1
        assert not again.recorded(events.DutyLapsed)
        at = again.service.clock.wall_ms()
        assert at == pytest.approx((time.time() + ahead) * 1000, abs=600_000)
