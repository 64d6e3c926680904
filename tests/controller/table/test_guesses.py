"""Wrong PINs by place and person: guessing ends, and locking is no weapon against the staff."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.table import events, guesses
from controller.table.duty import SHIFT
from controller.table.people import Person
from controller.table.prompts import prompts
from controller.table.state import Table
from tests.controller.table.playing import BOSS, DEALER, FLOOR, OTHER_BOSS, AtTheTable, open_table

HERE, THERE, ELSEWHERE = "control socket, user eve", "page 192.0.2.7", "page 192.0.2.8"


def wrong(at: AtTheTable, person: Person, place: str, times: int = 1) -> None:
    for _ in range(times):
        at.does(events.CredentialRefused, person=person.id, device=place, by_place=True)


def right(at: AtTheTable, person: Person, place: str) -> None:
    at.now += guesses.LONGEST_WAIT
    at.does(events.CredentialAccepted, person=person.id, device=place, by_place=True)


def refuses_right(at: AtTheTable, person: Person, place: str) -> str:
    return at.refuses(events.CredentialAccepted, person=person.id, device=place, by_place=True)


@pytest.mark.rule("R40")
def test_guesses_between_right_pins_come_to_an_end() -> None:
    at = open_table("pa-639a").shuffles().antes(1)
    for _ in range(4):
        wrong(at, DEALER, HERE, 2)
        right(at, DEALER, HERE)
    assert not at.table.credentials[0].locked
    told = [one.text for one in prompts(at.terms, at.table) if one.who == "supervisor"]
    assert any(f"8 wrong PINs for {DEALER.id} in this shift" in one for one in told), told
    wrong(at, DEALER, HERE, 2)
    assert "locked after 10 wrong PINs" in at.refuses(events.LockOutPressed)
    # Not by time, and not by a restart.
    at.now += 2 * SHIFT
    at.table = msgspec.json.decode(msgspec.json.encode(at.table), type=Table)
    assert "is locked" in refuses_right(at, DEALER, THERE)
    at.does(events.CredentialUnlocked, by=BOSS, person=DEALER.id, reason="it was a guest")
    right(at, DEALER, HERE)
    assert not at.table.credentials


@pytest.mark.rule("R40")
def test_who_guesses_at_one_place_shuts_the_person_out_there_and_nowhere_else() -> None:
    at = open_table("pa-639a")
    at.does(events.SignedOn, by=DEALER)
    wrong(at, DEALER, HERE, 3)
    assert at.table.on_duty["dealer"].person == DEALER.id
    assert f"{DEALER.id} is locked out at {HERE}" in refuses_right(at, DEALER, HERE)
    right(at, DEALER, THERE)
    at.does(events.PlayerSat, seat=2, player="p2")
    # What is right elsewhere opens nothing here.
    assert "is locked out" in refuses_right(at, DEALER, HERE)
    (prompt,) = [one for one in prompts(at.terms, at.table) if one.who == "supervisor"]
    assert f"3 wrong PINs for {DEALER.id} in this shift, last at {HERE}" in prompt.text
    assert f"locked out at {HERE}" in prompt.text
    assert prompt.answer == "credential_unlocked"
    at.does(events.CredentialUnlocked, by=BOSS, person=DEALER.id, reason="eve was at the PC")
    right(at, DEALER, HERE)


@pytest.mark.rule("R40")
def test_who_goes_through_the_people_at_one_place_is_stopped_there() -> None:
    at = open_table("pa-639a")
    for person in (DEALER, FLOOR, BOSS):
        wrong(at, person, HERE)
    said = refuses_right(at, OTHER_BOSS, HERE)
    assert f"nobody signs on at {HERE}" in said
    assert "or ask a supervisor elsewhere" in said
    assert at.table.resting[0].until - at.table.at == guesses.FIRST_REST
    for person in (DEALER, FLOOR, BOSS, OTHER_BOSS):
        at.does(events.CredentialAccepted, person=person.id, device=THERE, by_place=True)
    assert not any(one.locked for one in at.table.credentials)
    # It rests longer each time, and comes back by itself.
    at.now += guesses.FIRST_REST
    wrong(at, OTHER_BOSS, HERE)
    assert at.table.resting[0].until - at.table.at == 2 * guesses.FIRST_REST
    assert "nobody signs on" in refuses_right(at, FLOOR, HERE)
    at.now += 2 * guesses.FIRST_REST
    right(at, FLOOR, HERE)


def test_a_supervisor_opens_a_place_that_rests() -> None:
    at = open_table("pa-639a")
    for person in (DEALER, FLOOR, BOSS):
        wrong(at, person, HERE)
    (prompt,) = [one for one in prompts(at.terms, at.table) if one.answer == "place_unlocked"]
    assert HERE in prompt.text
    unlock: dict[str, Any] = {"place": HERE, "reason": "found who it was"}
    assert "is for a supervisor" in at.refuses(events.PlaceUnlocked, by=FLOOR, **unlock)
    at.does(events.PlaceUnlocked, by=OTHER_BOSS, **unlock)
    at.does(events.CredentialAccepted, person=FLOOR.id, device=HERE, by_place=True)
    assert "nobody was kept" in at.refuses(events.PlaceUnlocked, by=OTHER_BOSS, **unlock)
    assert [one.wrong for one in at.table.credentials] == [1, 1, 1]


def test_each_wrong_pin_makes_the_next_one_wait_longer() -> None:
    at = open_table("pa-639a", wrong_pins=10)
    waits = []
    for _ in range(9):
        wrong(at, DEALER, HERE)
        waits.append(guesses.wait(at.table.credentials[0], HERE, at.table.at) // 1000)
        assert guesses.wait(at.table.credentials[0], THERE, at.now) == 0
    assert waits == [0, 2, 4, 8, 16, 32, 60, 60, 60]
    at.now += 55_000
    assert "try again in" in refuses_right(at, DEALER, HERE)
    right(at, DEALER, HERE)


def test_what_is_not_locked_is_forgotten_with_the_shift() -> None:
    at = open_table("pa-639a")
    wrong(at, DEALER, HERE, 3)
    wrong(at, DEALER, THERE, 3)
    at.now += SHIFT
    right(at, DEALER, HERE)
    assert not at.table.credentials
    wrong(at, DEALER, HERE, 2)
    assert (at.table.credentials[0].wrong, len(at.table.credentials[0].places)) == (2, 1)


@pytest.mark.parametrize("step", [-SHIFT, SHIFT])
def test_a_clock_that_is_set_opens_nothing(step: int) -> None:
    at = open_table("pa-639a")
    at.now += 2 * SHIFT
    wrong(at, DEALER, HERE, 3)
    for person in (FLOOR, BOSS):
        wrong(at, person, HERE)
    at.now += step
    at.does(events.ClockStepped, milliseconds=step)
    assert "nobody signs on" in refuses_right(at, DEALER, HERE)
    at.now += guesses.FIRST_REST
    assert "is locked out" in refuses_right(at, DEALER, HERE)


def test_a_withdrawn_credential_is_back_with_a_new_pin_only() -> None:
    at = open_table("pa-639a").shuffles().antes(1)
    at.does(events.SignedOn, by=DEALER)
    at.does(events.CredentialWithdrawn, person=DEALER.id, device="control socket, user root")
    assert not at.table.on_duty
    assert "was withdrawn" in at.refuses(events.LockOutPressed)
    assert not [one for one in prompts(at.terms, at.table) if one.who == "supervisor"]
    unlock = {"person": DEALER.id, "reason": "he is nice"}
    assert "only a new PIN" in at.refuses(events.CredentialUnlocked, by=BOSS, **unlock)
    at.does(events.CredentialReissued, person=DEALER.id, device="control socket, user root")
    at.does(events.SignedOn, by=DEALER)


def test_a_journal_of_an_earlier_felt_means_what_it_meant() -> None:
    """Wrong ones in a row, wherever they were given, and a right one ended them all."""
    at = open_table("pa-639a").shuffles().antes(1)
    for _ in range(5):
        for place in (HERE, THERE):
            at.does(events.CredentialRefused, person=DEALER.id, device=place)
        at.does(events.CredentialAccepted, person=DEALER.id, device=ELSEWHERE)
    assert not at.table.credentials
    for place in (HERE, THERE):
        at.does(events.CredentialRefused, person=DEALER.id, device=place)
    unlock = {"person": DEALER.id, "reason": "early"}
    assert "is not locked" in at.refuses(events.CredentialUnlocked, by=BOSS, **unlock)
    at.does(events.CredentialRefused, person=DEALER.id, device=ELSEWHERE)
    assert "is locked" in at.refuses(events.LockOutPressed)
