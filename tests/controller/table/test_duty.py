"""Who is on duty is part of the table: on record, bounded, and over when it must be."""

from __future__ import annotations

import pytest

from controller.table import events
from controller.table.duty import SHIFT, acting
from controller.table.people import Person
from tests.controller.table.playing import (
    DEALER,
    FLOOR,
    OTHER_DEALER,
    AtTheTable,
    open_table,
    terms_of,
)

PEOPLE = {"dealer-1": ("dealer",), "dealer-2": ("dealer",), "floor-1": ("floorperson",)}


def signed_on() -> AtTheTable:
    at = open_table("pa-639a", people=PEOPLE)
    at.does(events.SignedOn, by=DEALER)
    assert acting(at.table, "dealer", at.now) == DEALER
    return at


@pytest.mark.rule("R40")
def test_only_people_of_the_table_are_on_duty_and_only_in_their_roles() -> None:
    at = AtTheTable(terms_of("pa-639a", people=PEOPLE))
    assert "not among the people" in at.refuses(events.SignedOn, by=Person("guest-1", "dealer"))
    assert "no supervisor" in at.refuses(events.SignedOn, by=Person("dealer-1", "supervisor"))
    assert acting(at.table, "dealer", at.now) is None


def test_who_takes_over_is_on_duty_alone() -> None:
    at = signed_on()
    at.does(events.SignedOn, by=OTHER_DEALER)
    assert acting(at.table, "dealer", at.now) == OTHER_DEALER


@pytest.mark.rule("R40")
def test_one_signs_off_oneself_and_the_floor_anybody() -> None:
    at = signed_on()
    refused = at.refuses(events.SignedOff, by=OTHER_DEALER, role="dealer")
    assert "a floorperson signs others off" in refused
    at.does(events.SignedOff, by=FLOOR, role="dealer")
    assert acting(at.table, "dealer", at.now) is None
    assert "nobody is on duty" in at.refuses(events.SignedOff, by=FLOOR, role="dealer")


def test_a_shift_ends_whoever_forgot_to_sign_off_and_a_clock_does_not_stretch_it() -> None:
    at = signed_on()
    since = at.table.on_duty["dealer"].since
    assert acting(at.table, "dealer", since + SHIFT - 1) == DEALER
    assert acting(at.table, "dealer", since + SHIFT) is None
    at.does(events.ClockStepped, milliseconds=-3_600_000, at=at.now - 3_600_000)
    moved = since - 3_600_000
    assert acting(at.table, "dealer", moved + SHIFT - 1) == DEALER
    assert acting(at.table, "dealer", moved + SHIFT) is None


@pytest.mark.rule("R40")
def test_a_locked_credential_is_not_on_duty_any_more() -> None:
    at = signed_on()
    for _ in range(at.terms.wrong_pins):
        assert acting(at.table, "dealer", at.now) == DEALER
        at.does(events.CredentialRefused, person="dealer-1", device="page 1")
    assert acting(at.table, "dealer", at.now) is None


def test_nobody_is_on_duty_at_a_closed_table() -> None:
    at = AtTheTable(terms_of("pa-639a", people=PEOPLE)).opens()
    at.does(events.SignedOn, by=DEALER)
    at.does(events.TableClosed, by=FLOOR)
    assert acting(at.table, "dealer", at.now) is None


def test_an_absence_ends_it() -> None:
    at = signed_on()
    at.does(events.DutyLapsed, role="dealer", reason="felt was away")
    assert acting(at.table, "dealer", at.now) is None
    assert at.refuses(events.DutyLapsed, role="dealer", reason="felt was away")
