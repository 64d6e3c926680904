"""A record that is doubted stops play; a supervisor and a floorperson go on from it together."""

from __future__ import annotations

from typing import Any

import pytest

from controller.table import events
from controller.table.prompts import prompts
from tests.controller.table.playing import BOSS, DEALER, FLOOR, TECH, AtTheTable, open_table

FOUND = "it ends with entry 40, and 47 were recorded"
WHY: dict[str, Any] = {"reason": "compared with the layout"}


def doubted() -> AtTheTable:
    at = open_table("pa-639a").shuffles().antes(1)
    at.does(events.RecordDisputed, found=FOUND)
    return at


def test_nothing_is_played_on_a_record_that_is_doubted() -> None:
    at = doubted()
    assert FOUND in at.refuses(events.LockOutPressed)
    (asked,) = [one for one in prompts(at.terms, at.table) if one.answer == "record_accepted"]
    assert asked.who == "supervisor"
    assert FOUND in asked.text


@pytest.mark.rule("R40")
def test_two_different_people_end_it_and_nobody_alone() -> None:
    at = doubted()
    (hold,) = at.table.holds
    cleared = at.refuses(events.HoldCleared, hold=hold.number, by=BOSS, reason="looked")
    assert "two people go on from a record together" in cleared
    for second in (BOSS, DEALER, TECH):
        assert "by" in at.refuses(events.RecordAccepted, by=BOSS, second=second, **WHY)
    for by in (FLOOR, DEALER, TECH):
        refused = at.refuses(events.RecordAccepted, by=by, second=FLOOR, **WHY)
        assert "is for a supervisor" in refused
    assert at.table.holds == (hold,)
    at.does(events.RecordAccepted, by=BOSS, second=FLOOR, **WHY)
    assert not at.table.holds
    at.does(events.LockOutPressed)


def test_nobody_accepts_what_nobody_doubts() -> None:
    at = open_table("pa-639a")
    assert "nobody doubts" in at.refuses(events.RecordAccepted, by=BOSS, second=FLOOR, **WHY)


def test_a_device_that_says_that_it_is_over_does_not_end_it() -> None:
    at = doubted()
    at.refuses(events.DeviceRecovered, device="shoe")
    at.send(events.DeviceRecovered, device="record")
    assert [one.cause for one in at.table.holds] == [FOUND]
