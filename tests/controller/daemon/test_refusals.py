"""Whoever is refused over and over is turned away, and how often is on record."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.daemon.access import ROLES, Caller
from controller.daemon.action import Asked, TableRefused
from controller.daemon.clock import Clock
from controller.daemon.refusals import MOST, WITHIN_S, TooOften
from controller.table import events
from controller.table.people import Person
from tests.controller.daemon.house import House, table_file

TRIES = 200
DECK = {"deck": "A", "colour": "red", "design": "bee"}


@pytest.mark.rule("R36")
async def test_a_stuck_key_does_not_fill_the_journal(tmp_path: Path) -> None:
    now = 1000.0
    clock = Clock(running=lambda: now, wall=lambda: 1_700_000_000 + now)
    caller = Caller("control socket, user pit", frozenset(ROLES))
    async with House(table_file(tmp_path), clock=clock).with_desk().running() as house:
        assert house.desk is not None
        do = house.desk.actions.do
        tried: list[type[Exception]] = []
        for _ in range(TRIES):
            with pytest.raises((TableRefused, TooOften)) as refused:
                await do("seat_paid", Asked(caller, {"seat": 1}, "dealer-1"))
            tried.append(refused.type)
        assert tried == [TableRefused] * MOST + [TooOften] * (TRIES - MOST)
        assert "act again in 10 s" in str(refused.value)
        assert len(house.recorded(events.SeatPaid)) == MOST
        # It is nobody else's trouble.
        await house.takes(events.TableOpened(at=1, by=Person("floor-1", "floorperson")))
        await do("deck_received", Asked(caller, DECK, "dealer-2"))
        now += WITHIN_S
        # Over; and what was turned away is in one entry.
        await do("deck_inspected", Asked(caller, {"deck": "A"}, "dealer-1"))
        [summed] = house.recorded(events.AttemptRefused)
        assert (summed.person, summed.device) == ("dealer-1", "control socket, user pit")
        assert f"{TRIES - MOST} attempts were turned away unread" in summed.reason
        assert f"({TRIES - MOST} seat_paid)" in summed.reason
        assert "seat_paid is not for the phase closed" in summed.reason
