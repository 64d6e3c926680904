"""Who may do what from where, on a real service."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.daemon import pins
from controller.daemon.access import ROLES, Access, Caller, NotAllowed, PinNeeded
from controller.daemon.action import Asked
from controller.daemon.client import Answered
from controller.daemon.clock import Clock
from controller.rules.faults import Refused
from controller.table import events
from controller.table.people import Person
from tests.controller.daemon.house import House, felt, table_file, wrong_pin


def everything() -> Caller:
    return Caller("control socket", frozenset(ROLES))


class Hand:
    """A clock that goes on when it is told to, and not by itself."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.clock = Clock(running=lambda: self.now, wall=lambda: 1_700_000_000 + self.now)

    def later(self, seconds: float) -> None:
        self.now += seconds


def access_to(house: House) -> Access:
    service = house.service
    return Access(service.core, service.clock, house.configuration.secrets)


async def test_a_person_with_one_role_need_not_say_it(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).running() as house:
        access = access_to(house)
        assert await access.person(everything(), "dealer-1", None, "x") == Person(
            "dealer-1", "dealer"
        )
        one = await access.person(everything(), "floor-1:floorperson", None, "x")
        assert one == Person("floor-1", "floorperson")
        with pytest.raises(Refused, match="several roles"):
            await access.person(everything(), "relief-1", None, "x")


@pytest.mark.parametrize(
    "said",
    ["", ":dealer", "dealer-1:", "dealer-1:king", "eve", "eve:dealer", "dealer-1:floorperson"],
)
async def test_who_is_not_listed_so_is_nobody(tmp_path: Path, said: str) -> None:
    async with House(table_file(tmp_path)).running() as house:
        if said == "dealer-1:":
            assert (await access_to(house).person(everything(), said, None, "x")).id == "dealer-1"
            return
        with pytest.raises(Refused):
            await access_to(house).person(everything(), said, None, "x")


@pytest.mark.rule("R36")
async def test_a_role_that_is_not_for_this_way_in_is_refused_and_recorded(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).running() as house:
        caller = Caller("control socket, user pit", frozenset({"dealer"}))
        with pytest.raises(NotAllowed, match="nobody acts as floorperson from"):
            await access_to(house).person(caller, "floor-1", None, "round_voided")
        (attempt,) = house.recorded(events.AttemptRefused)
        assert (attempt.person, attempt.device) == ("floor-1", "control socket, user pit")
        assert attempt.attempt == "round_voided"


async def test_attempts_beyond_a_measure_are_counted_and_not_each_recorded(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).running() as house:
        access = access_to(house)
        for _ in range(100):
            await access.refused(Caller("page"), "eve", "stop", "no")
        assert len(house.recorded(events.AttemptRefused)) == 30


@pytest.mark.rule("R36", "R40")
async def test_wrong_pins_are_recorded_and_lock_the_credential(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    for person in ("dealer-1", "floor-1"):
        pins.keep(tmp_path / "secrets", person, "1234")
    clock = Hand()
    async with House(file, clock=clock.clock).running() as house:
        access, caller = access_to(house), everything()
        with pytest.raises(PinNeeded):
            await access.person(caller, "dealer-1", None, "x")
        for place in range(1, 5):
            # At each place until it is shut for the person; the tenth wrong one is the last.
            caller.device = f"page {place}"
            for said in ("2 more", "1 more", f"locked out at page {place}"):
                with pytest.raises(NotAllowed, match=said if place < 4 else "is locked"):
                    await access.person(caller, "dealer-1", "9999", "x")
                clock.later(60)
        with pytest.raises(NotAllowed, match="locked after 10 wrong PINs"):
            await access.person(caller, "dealer-1", "1234", "x")
        assert len(house.recorded(events.CredentialRefused)) == 10
        # What was tried with the locked credential is an attempt, whether the PIN was right.
        assert len(house.recorded(events.AttemptRefused)) == 3
        assert (await access.person(caller, "floor-1", "1234", "x")).id == "floor-1"


async def test_a_pin_is_given_once_for_each_way_in(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    pins.keep(tmp_path / "secrets", "dealer-1", "1234")
    async with House(file).running() as house:
        access, caller = access_to(house), everything()
        await access.person(caller, "dealer-1", "1234", "x")
        await access.person(caller, "dealer-1", None, "x")
        with pytest.raises(PinNeeded):
            await access.person(everything(), "dealer-1", None, "x")
        assert len(house.recorded(events.CredentialAccepted)) == 1


async def test_who_has_no_pin_is_not_let_in_where_pins_are_kept(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    pins.keep(tmp_path / "secrets", "dealer-1", "1234")
    async with House(file).running() as house:
        with pytest.raises(NotAllowed, match="felt pin floor-1"):
            await access_to(house).person(everything(), "floor-1", "1234", "x")


async def test_without_a_list_whoever_says_so_acts(tmp_path: Path) -> None:
    async with House(table_file(tmp_path, people=False)).running() as house:
        eve = await access_to(house).person(everything(), "eve:floorperson", None, "x")
        assert eve == Person("eve", "floorperson")


@pytest.mark.rule("R36", "R40")
async def test_with_all_supervisors_locked_out_a_new_pin_set_on_the_pc_is_the_way_back(
    tmp_path: Path,
) -> None:
    file = table_file(tmp_path)
    bosses = ("supervisor-1", "supervisor-2")
    for person in bosses:
        pins.keep(tmp_path / "secrets", person, "1234")
    async with House(file).with_desk().running() as house:
        at = house.service.clock.wall_ms()
        for person in bosses:
            for n in range(10):
                await house.takes(wrong_pin(at, person, f"page {n}"))
        unlock = {"person": "supervisor-2", "reason": "all are locked out"}
        with pytest.raises(Answered, match="felt pin"):
            await house.asks("credential_unlocked", unlock, as_="supervisor-1", pin="1234")
        done = await felt("pin", "supervisor-1", "--stdin", "--table", file, stdin="8642\n")
        assert done.code == 0, done.err
        assert "the credential of supervisor-1 is not locked" in done.out
        with pytest.raises(Answered, match="wrong"):
            await house.asks("credential_unlocked", unlock, as_="supervisor-1", pin="1234")
        await house.asks("credential_unlocked", unlock, as_="supervisor-1", pin="8642")
        # Both are free; what was given wrongly since then is counted.
        (left,) = house.service.recorder.table.credentials
        assert (left.person, left.wrong, left.locked) == ("supervisor-1", 1, False)
        [reissued] = house.recorded(events.CredentialReissued)
        assert reissued.person == "supervisor-1"
        assert reissued.device.startswith("control socket, user ")


@pytest.mark.rule("R36", "R40")
async def test_nobody_else_says_that_a_pin_was_set(tmp_path: Path) -> None:
    """A user of the PC who may act in every role, and may not write the file of PINs."""
    async with House(table_file(tmp_path)).with_desk().running() as house:
        assert house.desk is not None
        asked = Asked(everything(), {"person": "supervisor-1"})
        with pytest.raises(NotAllowed, match="may not set PINs"):
            await house.desk.actions.do("pin_set", asked)
        assert not house.recorded(events.CredentialReissued)
        [attempt] = house.recorded(events.AttemptRefused)
        assert (attempt.person, attempt.attempt) == ("supervisor-1", "pin_set")


async def test_a_pin_that_is_set_while_the_table_is_down_unlocks_nothing(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    done = await felt("pin", "supervisor-1", "--stdin", "--table", file, stdin="8642\n")
    assert done.code == 0, done.err
    assert "set the PIN again while the table runs" in done.out
