"""What was ordered back a moment ago: repeated where that is safe, and in doubt where it is not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.table import events
from controller.table.commands import ReturnWager
from controller.table.prompts import prompts
from controller.table.returns import KNOWN_AFTER, in_doubt, to_repeat
from tests.controller.table.playing import FLOOR, AtTheTable, open_table

BACK = ReturnWager(seat=1, wager="progressive", cents=100, to="layout")


def removed() -> AtTheTable:
    """Betting ends without a round, and the chip at seat 1 goes back."""
    at = open_table("pa-639a").shuffles().antes(1, progressive=100).antes(3)
    assert to_repeat(at.table) == []
    at.does(events.DeckRemoved, deck="A", reason="a spot", by=FLOOR)
    return at


@pytest.mark.rule("R31")
def test_it_is_owed_until_its_fate_must_be_known() -> None:
    at = removed()
    # The Antes go back too, by the dealer's hand.
    assert to_repeat(at.table) == [BACK]
    ordered = at.table.at
    at.does(events.DeviceAppeared, what="a stick", at=ordered + KNOWN_AFTER - 1)
    assert to_repeat(at.table) == [BACK]
    at.does(events.DeviceAppeared, what="a stick", at=ordered + KNOWN_AFTER)
    assert to_repeat(at.table) == []
    assert not at.table.back


def test_after_the_lock_the_dealers_hand_gives_it_back() -> None:
    at = open_table("pa-639a").shuffles().antes(1, progressive=100).locks()
    at.does(events.RoundVoided, by=FLOOR, reason="a dispute")
    assert [one.wager for one in at.sent(ReturnWager) if one.wager == "progressive"]
    assert to_repeat(at.table) == []


@pytest.mark.rule("R15")
def test_with_another_wager_in_the_acceptor_it_is_not_repeated() -> None:
    at = open_table("pa-639a").shuffles().antes(1)
    at.does(events.DeviceWentOffline, device="meter")
    late = {"seat": 1, "wager": "progressive", "amount": 100, "sensed": "before the lock"}
    at.does(events.WagerCameLate, **late)
    assert to_repeat(at.table) == [BACK]
    assert in_doubt(at.table) == []
    at.does(events.WagerTakenBack, seat=1, wager="ante")
    at.does(events.DeviceCameOnline, device="meter")
    at.antes(1, progressive=100)
    # So quick that the order may still be on its way: given now, it could take the new chip.
    assert [one.seat for one in in_doubt(at.table)] == [1]
    assert to_repeat(at.table) == []


@pytest.mark.rule("R15", "R31")
def test_the_order_names_the_chip_where_an_accepted_one_lies_beside_it() -> None:
    at = open_table("pa-639a").shuffles().antes(1, progressive=100)
    at.does(events.LockOutPressed)
    late = {"seat": 1, "wager": "progressive", "amount": 100, "given_back": False}
    at.does(events.WagerCameLate, id="acceptor-1:7:12", **late)
    named = ReturnWager(seat=1, wager="progressive", cents=100, to="layout", chip="acceptor-1:7:12")
    [order] = at.sent(ReturnWager)
    assert replace(order, id="") == named
    # Given twice it takes no other, so a felt that comes back may repeat it.
    assert to_repeat(at.table) == [named]
    assert in_doubt(at.table) == []
    # felt's own note about a wager that was refused speaks of the same chip.
    at.does(events.WagerCameLate, id="acceptor-1:7:13/late", **late)
    [order] = at.sent(ReturnWager)
    assert order.chip == "acceptor-1:7:13"
    # Without a name none is given back on a guess.
    at.does(events.WagerCameLate, **late)
    [order] = at.sent(ReturnWager)
    assert order.chip == ""
    assert [one.chip for one in in_doubt(at.table)] == [""]
    # A journal of a felt that did not ask says again what it said.
    del late["given_back"]
    at.does(events.WagerCameLate, id="acceptor-1:7:14", **late)
    [order] = at.sent(ReturnWager)
    assert order.chip is None


@pytest.mark.rule("R15")
def test_what_the_acceptor_gave_back_by_itself_is_not_ordered_back() -> None:
    at = open_table("pa-639a").shuffles().antes(1, progressive=100)
    at.does(events.LockOutPressed)
    late = {"seat": 1, "wager": "progressive", "amount": 100}
    at.does(events.WagerCameLate, id="acceptor-1:7:12", given_back=True, **late)
    assert at.sent(ReturnWager) == []
    assert [one.given_back for one in at.table.late] == [True]
    assert at.table.back == ()
    assert not [one for one in prompts(at.terms, at.table) if "is no wager" in one.text]
    assert at.table.seat(1).wagers["progressive"] == 100
