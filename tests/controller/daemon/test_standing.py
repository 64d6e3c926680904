"""What a device that has come (back) is told, so that it stands as the table has it."""

from __future__ import annotations

import pytest

from controller.daemon.standing import standing_orders
from controller.table import events
from controller.table.commands import Command, ShowLink, ShowOffer, ShowWin, StopShoe, Unlock
from tests.controller.table.playing import BOSS, FLOOR, AtTheTable, open_table
from tests.controller.table.rigged import NO_HAND, ROYAL, seated_round


def told(at: AtTheTable, kind: str, seat: int | None = None) -> list[Command]:
    return list(standing_orders(at.terms, at.table, kind, seat))


def without_id(command: ShowWin) -> ShowWin:
    return ShowWin(
        table=command.table,
        seat=command.seat,
        meter=command.meter,
        level=command.level,
        cents=command.cents,
        base=command.base,
    )


@pytest.mark.rule("R23")
def test_a_win_is_shown_until_its_documents_are_done() -> None:
    at = seated_round("s10", {1: ROYAL, "dealer": NO_HAND}, side={"progressive": 100})
    assert not [one for one in told(at, "sign") if isinstance(one, ShowWin)]
    at.does(events.HandVerified, seat=1, wager="progressive")
    at.does(events.PayoutValidated, seat=1, wager="progressive", by=BOSS)
    at.does(events.SeatPaid, seat=1)
    [win] = at.sent(ShowWin)
    assert [one for one in told(at, "sign") if isinstance(one, ShowWin)] == [without_id(win)]
    at.does(events.HandPayDocumented, seat=1, by=FLOOR)
    assert not [one for one in told(at, "sign") if isinstance(one, ShowWin)]


@pytest.mark.rule("R26")
def test_a_sign_that_comes_back_says_that_the_meter_can_not_be_played_for() -> None:
    at = open_table("pa-639a").shuffles()
    assert not [one for one in told(at, "sign") if isinstance(one, ShowOffer | ShowLink)]
    at.does(events.DeviceWentOffline, device="panel")
    why = at.table.withheld["progressive"]
    assert ShowOffer(wager="progressive", offered=False, why=why) in told(at, "sign")


def test_a_terminal_that_comes_back_hears_what_is_offered_again() -> None:
    """It may have been told that a wager is off, and not that it is back."""
    at = open_table("pa-639a").shuffles()
    offers = [one for one in told(at, "terminal", 1) if isinstance(one, ShowOffer)]
    assert offers
    assert all(one.offered for one in offers)
    at.does(events.DeviceWentOffline, device="meter")
    offers = [one for one in told(at, "terminal", 1) if isinstance(one, ShowOffer)]
    assert {one.wager for one in offers if not one.offered} == set(at.table.withheld)


@pytest.mark.rule("R9")
def test_a_shoe_that_comes_back_after_a_void_round_is_stopped() -> None:
    at = open_table("pa-639a").shuffles().antes(1).locks()
    assert not [one for one in told(at, "shoe") if isinstance(one, StopShoe)]
    at.does(events.RoundVoided, by=FLOOR, reason="a dispute")
    assert told(at, "shoe") == [StopShoe()]


def test_a_panel_hears_that_betting_is_open() -> None:
    at = open_table("pa-639a").shuffles()
    assert [one for one in told(at, "panel") if isinstance(one, Unlock)]
    at.antes(1).locks()
    assert not [one for one in told(at, "panel") if isinstance(one, Unlock)]
