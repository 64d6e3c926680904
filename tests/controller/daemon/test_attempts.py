"""What is refused is on record, in number once it is too much; and nobody hides behind others."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.daemon.access import ROLES, Caller
from controller.daemon.action import Asked, TableRefused
from controller.daemon.attempts import RECORDED
from controller.daemon.refusals import LONGEST_S, MOST, MOST_A_PLACE, WITHIN_S, TooOften
from controller.rules.faults import Refused
from controller.table import events
from tests.controller.daemon.house import House, table_file
from tests.controller.daemon.test_access import Hand, access_to


@pytest.mark.rule("R36")
async def test_attempts_beyond_the_measure_are_in_one_entry_by_what_they_were(
    tmp_path: Path,
) -> None:
    clock = Hand()
    async with House(table_file(tmp_path), clock=clock.clock).running() as house:
        access, eve = access_to(house), Caller("control socket, user eve")
        for n in range(RECORDED + 50):
            await access.refused(eve, "eve", "stop" if n % 5 else "pin_set", "no")
        # Whoever is elsewhere is recorded all the same.
        await access.refused(Caller("page 192.0.2.7"), "dealer-1", "stop", "no")
        assert house.recorded(events.AttemptRefused)[-1].device == "page 192.0.2.7"
        clock.later(61)
        await access.refused(eve, "eve", "stop", "no")
        summed = house.recorded(events.AttemptRefused)[-2]
        assert "50 more attempts were counted" in summed.reason
        assert "40 stop, 10 pin_set" in summed.reason


@pytest.mark.rule("R36")
async def test_whoever_it_says_that_it_is_a_place_is_turned_away(tmp_path: Path) -> None:
    """Without a list of people a program may take any name."""
    clock = Hand()
    caller = Caller("control socket, user eve", frozenset(ROLES))
    file = table_file(tmp_path, people=False)
    async with House(file, clock=clock.clock).with_desk().running() as house:
        assert house.desk is not None
        for n in range(500):
            with pytest.raises((TableRefused, TooOften)):
                await house.desk.actions.do("seat_paid", Asked(caller, {"seat": 1}, f"d{n}:dealer"))
        assert len(house.recorded(events.SeatPaid)) == MOST_A_PLACE
        clock.later(WITHIN_S)
        with pytest.raises(TableRefused):
            await house.desk.actions.do("seat_paid", Asked(caller, {"seat": 1}, "d1:dealer"))
        (summed,) = house.recorded(events.AttemptRefused)
        assert (summed.person, summed.attempt) == ("several", "seat_paid")
        assert f"{500 - MOST_A_PLACE} attempts were turned away unread" in summed.reason


async def test_signing_off_over_and_over_is_turned_away_like_any_act(tmp_path: Path) -> None:
    caller = Caller("control socket, user eve", frozenset(ROLES))
    async with House(table_file(tmp_path), clock=Hand().clock).with_desk().running() as house:
        assert house.desk is not None
        asked = Asked(caller, {"role": "supervisor"}, "floor-1:floorperson")
        for _ in range(100):
            with pytest.raises(Refused):
                await house.desk.actions.do("sign_off", asked)
        assert len(house.recorded(events.SignedOff)) <= MOST


async def test_what_was_done_is_not_recorded_again_and_again(tmp_path: Path) -> None:
    caller = Caller("control socket, user eve", frozenset(ROLES))
    async with House(table_file(tmp_path), clock=Hand().clock).with_desk().running() as house:
        assert house.desk is not None
        done = {"reason": "a new belt", "second": {"id": "floor-1", "role": "floorperson"}}
        asked = Asked(caller, {**done, "id": "once"}, "technician-1:technician")
        answers = []
        for _ in range(100):
            try:
                await house.desk.actions.do("maintenance_entered", asked)
                answers.append("done")
            except TooOften:
                answers.append("turned away")
        assert answers.count("done") == MOST + 1
        assert len(house.recorded(events.MaintenanceEntered)) == MOST + 1


async def test_who_does_not_stop_is_turned_away_for_longer_each_time(tmp_path: Path) -> None:
    clock = Hand()
    caller = Caller("control socket, user eve", frozenset(ROLES))
    async with House(table_file(tmp_path), clock=clock.clock).with_desk().running() as house:
        assert house.desk is not None
        waits = []
        for _ in range(8):
            for _ in range(MOST):
                with pytest.raises(TableRefused):
                    await house.desk.actions.do("seat_paid", Asked(caller, {"seat": 1}, "dealer-1"))
            with pytest.raises(TooOften) as away:
                await house.desk.actions.do("seat_paid", Asked(caller, {"seat": 1}, "dealer-1"))
            seconds = int(str(away.value).rpartition(" in ")[2].split()[0])
            waits.append(seconds)
            clock.later(seconds)
        assert waits == [10, 20, 40, 80, 160, 320, 600, 600]
        clock.later(2 * LONGEST_S)
        for _ in range(MOST):
            with pytest.raises(TableRefused):
                await house.desk.actions.do("seat_paid", Asked(caller, {"seat": 1}, "dealer-1"))
        with pytest.raises(TooOften, match="act again in 10 s"):
            await house.desk.actions.do("seat_paid", Asked(caller, {"seat": 1}, "dealer-1"))
