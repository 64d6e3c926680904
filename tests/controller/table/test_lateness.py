"""Presses that were kept for too long are refused, in words; what happened counts all the same."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import UNSET

from controller.table import events, lateness
from controller.table.lateness import COUNTS_FOR
from tests.controller.table.playing import DEALER, FLOOR, AtTheTable, open_table

AT = 1_700_000_000_000


def betting() -> AtTheTable:
    return open_table("pa-639a").shuffles().antes(1)


@pytest.mark.parametrize("kept", [COUNTS_FOR + 1, 40_000, 60_000, 86_400_000, None])
def test_a_lock_out_that_was_kept_ends_no_betting(kept: int | None) -> None:
    at = betting()
    said = at.refuses(events.LockOutPressed, kept=kept)
    assert "the lock-out" in said
    assert "press it again" in said
    assert at.phase == "betting"


@pytest.mark.parametrize("kept", [0, 2_000, COUNTS_FOR])
def test_one_that_came_soon_enough_counts(kept: int) -> None:
    at = betting()
    at.does(events.LockOutPressed, kept=kept)
    assert at.phase == "locked"


def test_a_deal_that_was_kept_deals_nothing() -> None:
    at = betting()
    at.locks()
    assert at.table.deal_enabled
    assert "60 s ago" in at.refuses(events.DealPressed, kept=60_000)
    assert "nobody knows" in at.refuses(events.DealPressed, kept=None)
    assert at.phase == "locked"
    at.does(events.DealPressed)


def test_a_void_that_was_kept_voids_nothing() -> None:
    at = betting()
    at.locks()
    at.refuses(events.RoundVoided, by=FLOOR, reason="void pressed at the panel", kept=20_000)
    at.does(events.RoundVoided, by=FLOOR, reason="void pressed at the panel")


def test_a_players_decision_that_was_kept_is_for_another_moment() -> None:
    at = betting()
    assert "the decision" in at.refuses(events.PlayerDecided, seat=1, choice="fold", kept=None)


def test_what_happened_counts_however_late_it_is_told() -> None:
    at = betting()
    at.does(events.DeviceFaulted, device="shoe", nature="jam", kept=None)
    at.does(events.WagerTakenBack, seat=1, wager="ante", kept=3_600_000)
    assert not at.table.seat(1).wagers


def test_the_record_has_what_was_kept_and_for_how_long() -> None:
    plain = events.DealPressed(at=AT, by=DEALER)
    assert b"kept" not in msgspec.json.encode(plain)
    for kept in (7, None):
        event = events.DealPressed(at=AT, by=DEALER, kept=kept)
        assert msgspec.json.decode(msgspec.json.encode(event), type=events.Event) == event


def test_a_press_that_waited_for_the_disk_grows_old_there() -> None:
    press = events.DealPressed(at=AT, by=DEALER)
    assert lateness.waited(press, 15_000).kept == 15_000
    assert lateness.waited(press, 20).kept is UNSET
    kept = events.DealPressed(at=AT, by=DEALER, kept=4_000)
    assert lateness.waited(kept, 2_000).kept == 6_000
    unknown = events.DealPressed(at=AT, by=DEALER, kept=None)
    assert lateness.waited(unknown, 15_000).kept is None
    told = events.StackDispensed(at=AT, number=1, cards=5)
    assert lateness.waited(told, 15_000) is told
