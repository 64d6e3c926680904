"""What goes down before "no more bets": offers and their devices, lamps, tender, taking back."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from controller.rules.faults import Refused
from controller.rules.ruleset import choose
from controller.table import events
from controller.table.commands import (
    Lock,
    ReturnWager,
    SetLamp,
    ShowColumn,
    ShowOffer,
    Unlock,
)
from controller.table.machine import new_table, step
from controller.table.offers import COVER_ALL_GAME
from controller.table.prompts import prompts
from tests.controller.rules.rounds import REQUIRED, library
from tests.controller.table.playing import BOOKS, FLOOR, OFFER, AtTheTable, open_table, terms_of
from tests.controller.table.rigged import show
from tests.controller.table.test_round import SIDE

PROGRESSIVE = ["pa-639a", "s10", "ma", "pa-669a"]


def lamp(at: AtTheTable, seat: int) -> str:
    return at.table.seat(seat).lamp


def progressive_of(at: AtTheTable) -> int:
    """How many progressive wagers the machine knows."""
    return sum(1 for seat in at.table.seats if seat.wagers.get("progressive"))


# --- Devices ----------------------------------------------------------------


@pytest.mark.rule("PA-639a.2(c)", "PA-639a.2(c)(1)", "PA-669a.2(c)", "PA-669a.2(c)(1)")
@pytest.mark.parametrize("device", ["acceptor 3", "panel", "meter"])
@pytest.mark.parametrize("book", ["pa-639a", "pa-669a"])
def test_no_progressive_without_every_acceptor_panel_and_meter(book: str, device: str) -> None:
    at = open_table(book)
    at.does(events.DeviceWentOffline, device=device)
    at.shuffles().antes(1)
    assert device in at.table.withheld["progressive"]
    shown = [c for c in at.commands if isinstance(c, ShowOffer) and c.wager == "progressive"]
    assert [(c.offered, c.why) for c in shown] == [(False, f"{device} offline")]
    # Acceptors stay locked and no lamp invites.
    assert not [c for c in at.commands if isinstance(c, Unlock) and c.device == "acceptor"]
    assert lamp(at, 1) == "off"
    why = at.refuses(events.WagerPlaced, seat=1, wager="progressive", amount=100)
    assert f"is not offered in this round: {device} offline" in why
    # It comes back for a new round, not in the middle of this one.
    at.does(events.DeviceCameOnline, device=device)
    assert at.refuses(events.WagerPlaced, seat=1, wager="progressive", amount=100)
    at.locks().deals().decides().reveals().pays().racks().shuffles()
    assert at.sent(ShowOffer)[0].offered
    at.antes(1, progressive=100)


@pytest.mark.rule("PA-639a.2(b)(5)")
def test_no_five_card_bonus_without_a_terminal_at_every_seat() -> None:
    at = open_table("pa-639a")
    at.does(events.DeviceWentOffline, device="terminal 7")
    at.shuffles().antes(1, progressive=100)  # the progressive needs no terminals
    assert {c.wager for c in at.commands if isinstance(c, ShowOffer) and not c.offered} == {
        "five_card_player",
        "five_card_dealer",
    }
    before = at.table.seat(1).balance
    for wager in ("five_card_player", "five_card_dealer"):
        why = at.refuses(events.WagerPlaced, seat=1, wager=wager, amount=100)
        assert "terminal 7 offline" in why
    assert at.table.seat(1).balance == before
    assert not [c for c in at.commands if isinstance(c, Unlock) and c.device == "terminal"]


@pytest.mark.rule("PA-639a.2(b)(5)", "PA-639a.2(c)")
def test_with_every_device_there_all_is_offered() -> None:
    at = open_table("pa-639a").shuffles()
    assert at.table.withheld == {}
    at.antes(1, progressive=100, five_card_player=100)


@pytest.mark.rule("PA-639a.2(c)")
def test_a_linked_progressive_needs_its_link() -> None:
    linked = {**OFFER["pa-639a"], "linked": True}
    at = open_table("pa-639a", options=linked)
    at.does(events.DeviceWentOffline, device="link")
    at.shuffles().antes(1)
    assert "link offline" in at.refuses(events.WagerPlaced, seat=1, wager="progressive", amount=100)
    unheard = open_table("pa-639a", options=linked).shuffles().antes(1)
    why = unheard.refuses(events.WagerPlaced, seat=1, wager="progressive", amount=100)
    assert "the link is not joined" in why
    alone = open_table("pa-639a")
    assert "serves no wager here" in alone.refuses(events.DeviceWentOffline, device="link")


@pytest.mark.rule("PA-669a.2(c)")
def test_raise_it_up_knows_no_linked_tables() -> None:
    options = {**REQUIRED["pa-669a"], **OFFER["pa-669a"], "linked": True}
    with pytest.raises(Refused, match="linked"):
        choose(library().rulebook("pa-669a"), options)


def test_a_device_lost_while_betting_is_open_ends_the_offer_at_once() -> None:
    at = open_table("pa-639a").shuffles().antes(1, progressive=100).antes(3)
    at.does(events.DeviceWentOffline, device="meter")
    assert lamp(at, 1) == "accepted"
    assert lamp(at, 3) == "off"
    assert at.refuses(events.WagerPlaced, seat=3, wager="progressive", amount=100)
    assert progressive_of(at) == 1  # what is down stays down


@pytest.mark.rule("PA-639a.2(c)", "PA-639a.7(d)(2)", "R15")
def test_what_is_off_the_offer_can_not_be_put_in_and_goes_back_if_it_was() -> None:
    at = open_table("pa-639a").shuffles().antes(1, progressive=100).antes(3)
    at.does(events.DeviceWentOffline, device="terminal 2")
    shut = at.sent(Lock)
    assert {(one.device, one.withheld) for one in shut} == {("terminal", True)}
    at.does(events.DeviceWentOffline, device="meter")
    shut = at.sent(Lock)
    assert [one.seat for one in shut] == list(range(1, at.terms.seats + 1))
    assert {(one.device, one.withheld) for one in shut} == {("acceptor", True)}
    # One that was in its slot at that moment comes late, and goes back like any that does.
    late = {"seat": 3, "wager": "progressive", "amount": 100, "sensed": "before the lock"}
    at.does(events.WagerCameLate, **late)
    assert [(one.seat, one.cents) for one in at.sent(ReturnWager)] == [(3, 100)]
    assert progressive_of(at) == 1
    at.does(events.LockOutPressed)
    # This is the lock-out: everyone is told again, and confirms.
    assert {one.withheld for one in at.sent(Lock)} == {False}
    assert len(at.sent(Lock)) == 2 * at.terms.seats
    assert [(one.seat, one.cents) for one in at.table.late] == [(3, 100)]
    texts = [one.text for one in prompts(at.terms, at.table)]
    assert any(text.startswith("seat 3: $1 is no wager") for text in texts)


def test_with_nothing_down_the_offer_comes_back_at_once() -> None:
    at = open_table("pa-639a").shuffles()
    at.does(events.DeviceWentOffline, device="meter")
    at.does(events.DeviceWentOffline, device="panel")
    at.does(events.DeviceCameOnline, device="meter")
    assert "panel offline" in at.table.withheld["progressive"]
    at.does(events.DeviceCameOnline, device="panel")
    assert at.table.withheld == {}
    assert lamp(at, 1) == "invite"


@pytest.mark.parametrize("device", ["acceptor 8", "terminal 0", "kettle", "shoe"])
def test_unknown_devices_are_refused(device: str) -> None:
    at = open_table("pa-639a")
    assert "serves no wager here" in at.refuses(events.DeviceWentOffline, device=device)
    assert "was not offline" in at.refuses(events.DeviceCameOnline, device=device)


def test_a_device_is_offline_once() -> None:
    at = open_table("pa-639a")
    at.does(events.DeviceWentOffline, device="panel")
    assert "already" in at.refuses(events.DeviceWentOffline, device="panel")


# --- Cover All and its shuffler ---------------------------------------------


@pytest.mark.rule("MA.12(d)")
def test_cover_all_needs_a_shuffler() -> None:
    terms = dataclasses.replace(terms_of("ma", "manual shoe"), shuffler_counts=None)
    at = AtTheTable(terms)
    why = at.refuses(events.TableOpened, by=FLOOR)
    assert "Cover All needs a shuffler" in why
    assert "MA.12(d)" in why


@pytest.mark.rule("MA.12(d)")
def test_cover_all_is_withheld_while_the_shuffler_is_out_of_service() -> None:
    at = AtTheTable(terms_of("ma", "manual shoe"))
    at.does(events.TableOpened, by=FLOOR)
    at.enrols("A")
    at.does(events.ShufflerSet, game=COVER_ALL_GAME)
    out: dict[str, Any] = {"device": "shuffler", "cards_inside": 0, "how": "removed"}
    at.does(events.DeviceTakenOut, by=FLOOR, method="manual shoe", **out)
    at.sits(1, 3).shuffles().antes(1)
    why = at.refuses(events.WagerPlaced, seat=1, wager="cover_all", amount=100)
    assert "no shuffler in service" in why


@pytest.mark.rule("MA.12(d)")
def test_cover_all_is_withheld_until_the_shuffler_has_told_its_mode() -> None:
    at = AtTheTable(terms_of("ma"))
    at.does(events.TableOpened, by=FLOOR)
    at.enrols("A")
    at.sits(1, 3).shuffles().antes(1)
    why = at.refuses(events.WagerPlaced, seat=1, wager="cover_all", amount=100)
    assert "the shuffler has not told" in why
    at.does(events.WagerTakenBack, seat=1, wager="ante")
    at.does(events.ShufflerSet, game=COVER_ALL_GAME)
    at.antes(1, cover_all=100)


@pytest.mark.rule("MA.12(d)")
def test_cover_all_needs_the_shuffler_in_its_own_mode() -> None:
    at = open_table("ma")
    at.does(events.ShufflerSet, game="Caribbean Stud Poker")
    at.shuffles().antes(1)
    assert [(c.wager, c.offered) for c in at.commands if isinstance(c, ShowOffer)] == [
        ("cover_all", False)
    ]
    why = at.refuses(events.WagerPlaced, seat=1, wager="cover_all", amount=100)
    assert "the shuffler is set to 'Caribbean Stud Poker'" in why
    at.does(events.WagerTakenBack, seat=1, wager="ante")
    at.does(events.ShufflerSet, game=COVER_ALL_GAME)
    at.antes(1, cover_all=100)


@pytest.mark.rule("MA.12(e)")
def test_the_shufflers_count_of_hands_is_checked_and_shows_the_column() -> None:
    at = open_table("ma")
    at.does(events.ShufflerSet, game=COVER_ALL_GAME)
    at.shuffles().antes(1, 3, cover_all=100).locks().deals().decides()
    show(at, "dealer")
    why = at.refuses(events.HandTurned, seat=3, cards="2c 3c 4c 5c 7c")
    assert "has not told how many hands" in why
    at.does(events.HandsCounted, hands=3)
    pays = (300, 125, 40, 30, 20, 17, 6)
    shown = ShowColumn(id=at.last[0].id, wager="cover_all", column="3", pays=pays)
    assert at.sent(ShowColumn) == [shown]
    at.reveals()
    assert at.phase == "settling"


@pytest.mark.rule("MA.12(e)")
def test_a_wrong_count_of_hands_is_a_fault_before_settlement() -> None:
    at = open_table("ma")
    at.does(events.ShufflerSet, game=COVER_ALL_GAME)
    at.shuffles().antes(1, 3, cover_all=100).locks().deals().decides()
    show(at, "dealer")
    at.does(events.HandsCounted, hands=4)
    hold = at.table.holds[0]
    assert hold.cause == "the shuffler counted 4 hands where 3 were dealt"
    assert at.refuses(events.HandTurned, seat=3, cards="2c 3c 4c 5c 7c")
    assert not at.sent(ShowColumn)
    at.does(events.HoldCleared, hold=hold.number, reason="counted by eye: three", by=FLOOR)
    at.reveals()
    assert at.phase == "settling"


def test_hands_are_counted_only_for_cover_all() -> None:
    at = open_table("ma").shuffles().antes(1).locks().deals()
    assert "no Cover All is down" in at.refuses(events.HandsCounted, hands=2)


# --- Antes ------------------------------------------------------------------


@pytest.mark.rule("S10.(a)(1)(i)", "MA.1[Ante wager]", "PA-682a.1[Ante Wager]")
@pytest.mark.rule("PA-683a.1[Ante Wager]")
@pytest.mark.parametrize(
    ("book", "side"),
    [("s10", "progressive"), ("ma", "bonus"), ("pa-682a", "prime"), ("pa-683a", "pocket")],
)
def test_without_an_ante_no_side_wager_and_no_card(book: str, side: str) -> None:
    at = open_table(book).shuffles().antes(1)
    why = at.refuses(events.WagerPlaced, seat=3, wager=side, amount=100)
    assert "needs an ante" in why
    at.locks()
    assert at.refuses(events.WagerPlaced, seat=3, wager="ante", amount=1000)
    at.deals()
    assert at.table.seat(1).dealt > 0
    assert at.table.seat(3).dealt == 0
    assert "nothing to decide" in at.refuses(events.Decided, seat=3, choice="fold")


@pytest.mark.rule("PA-669a.7(d)(1)")
def test_no_round_of_raise_it_up_without_a_blind_beside_each_ante() -> None:
    at = open_table("pa-669a").shuffles().antes(1)
    at.does(events.WagerPlaced, seat=3, wager="ante", amount=1000)
    assert "seat 3 has no blind" in at.refuses(events.LockOutPressed)
    at.does(events.WagerPlaced, seat=3, wager="blind", amount=1000)
    at.locks()


def test_the_tables_own_limits() -> None:
    at = open_table("pa-639a", least_ante=500, most_ante=10_000).shuffles()
    for amount in (499, 10_001):
        assert "outside the table's limits" in at.refuses(
            events.WagerPlaced, seat=1, wager="ante", amount=amount
        )
    at.does(events.WagerPlaced, seat=1, wager="ante", amount=500)
    at.does(events.WagerPlaced, seat=3, wager="ante", amount=10_000)


# --- Lamps ------------------------------------------------------------------


@pytest.mark.rule("R13", "PA-639a.2(c)(1)", "PA-669a.2(c)(1)")
@pytest.mark.parametrize("book", PROGRESSIVE)
def test_a_chip_that_is_taken_lights_its_lamp_and_counts_once(book: str) -> None:
    at = open_table(book)
    assert lamp(at, 3) == "off"
    at.shuffles().antes(3)
    assert lamp(at, 3) == "invite"
    assert not [c for c in at.commands if isinstance(c, SetLamp) and c.lamp == "accepted"]
    at.does(events.WagerPlaced, seat=3, wager="progressive", amount=100)
    assert [(c.seat, c.lamp) for c in at.sent(SetLamp)] == [(3, "accepted")]
    assert progressive_of(at) == 1
    assert at.table.seat(3).wagers["progressive"] == 100
    assert "is down already" in at.refuses(
        events.WagerPlaced, seat=3, wager="progressive", amount=100
    )
    assert progressive_of(at) == 1
    # No lamp says "accepted" but after the wager of its seat was taken.
    assert [c.seat for c in at.commands if isinstance(c, SetLamp) and c.lamp == "accepted"] == [3]


@pytest.mark.rule("R13")
@pytest.mark.parametrize("book", PROGRESSIVE)
def test_lamps_are_read_back_and_a_wrong_one_is_a_fault(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3)
    at.does(events.LampRead, seat=1, lamp="placed")  # a chip sensed, and not yet told
    at.does(events.WagerPlaced, seat=1, wager="progressive", amount=100)
    at.does(events.LampRead, seat=1, lamp="accepted")
    assert not at.table.holds
    at.does(events.LampRead, seat=1, lamp="off")
    hold = at.table.holds[0]
    assert hold.cause == "the lamp shows 'off' where 'accepted' was ordered"
    assert (hold.where, hold.clears) == ("lamp of seat 1", "floorperson")
    # The order is given once more, and nothing is dealt before a floorperson has looked.
    assert [(c.seat, c.lamp) for c in at.sent(SetLamp)] == [(1, "accepted")]
    at.locks()
    assert f"hold {hold.number} blocks it" in at.refuses(events.DealPressed)
    at.does(events.HoldCleared, hold=hold.number, reason="a loose contact", by=FLOOR)
    at.does(events.DealPressed)


@pytest.mark.rule("R13")
def test_an_unordered_light_is_a_fault_too() -> None:
    at = open_table("pa-639a").shuffles().antes(1, 3).locks()
    at.does(events.LampRead, seat=3, lamp="accepted")
    assert at.table.holds[0].where == "lamp of seat 3"


@pytest.mark.rule("R13")
@pytest.mark.parametrize("book", PROGRESSIVE)
def test_the_same_lamps_are_lit_after_the_record_is_played_again(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3).antes(at_last(book), progressive=100).locks()
    again = new_table(at.terms)
    for event in at.taken:
        again = step(at.terms, again, event).table
    assert [seat.lamp for seat in again.seats] == [seat.lamp for seat in at.table.seats]
    assert [seat.number for seat in again.seats if seat.lamp == "accepted"] == [at_last(book)]


def at_last(book: str) -> int:
    return library().rulebook(book).seats.most


# --- Tender and taking back -------------------------------------------------


@pytest.mark.parametrize("book", ["s10", "ma"])
def test_a_coupon_is_a_wager_like_a_chip(book: str) -> None:
    at = open_table(book).shuffles().antes(1)
    at.does(
        events.WagerPlaced, seat=1, wager="progressive", amount=100, tender="progressive coupon"
    )
    assert lamp(at, 1) == "accepted"
    assert at.table.seat(1).tender == {"progressive": "progressive coupon"}


def test_what_is_taken_back_is_gone_with_its_tender() -> None:
    options = {**OFFER["s10"], "match_play": True}
    at = open_table("s10", options=options).shuffles()
    at.does(events.WagerPlaced, seat=1, wager="ante", amount=1000, tender="match play coupon")
    at.does(events.WagerTakenBack, seat=1, wager="ante")
    assert at.table.seat(1).wagers == {}
    assert at.table.seat(1).tender == {}
    assert "no ante is down" in at.refuses(events.WagerTakenBack, seat=1, wager="ante")


BEFORE_THE_LOCK = ("PA-639a.7(c)", "PA-669a.7(c)", "PA-682a.7(c)", "PA-683a.7(c)")
BEFORE_THE_LOCK_EAST = ("S10.(f)(2)", "MA.6(b)")


@pytest.mark.rule(*BEFORE_THE_LOCK, *BEFORE_THE_LOCK_EAST)
@pytest.mark.parametrize("book", BOOKS)
def test_an_ante_is_increased_and_withdrawn_until_no_more_bets(book: str) -> None:
    at = open_table(book, least_ante=500, most_ante=5_000).shuffles().antes(1, 3)
    more = {"seat": 1, "wager": "ante"}
    why = at.refuses(events.WagerPlaced, **more, amount=4_001)
    assert "$50.01 is outside the table's limits" in why
    assert at.refuses(events.WagerPlaced, **more, amount=0)
    at.does(events.WagerPlaced, **more, amount=500)
    assert at.table.seat(1).wagers["ante"] == 1_500
    assert at.table.seat(3).wagers["ante"] == 1_000
    last = at.terms.seats
    at.antes(last).does(events.WagerTakenBack, seat=last, wager="ante")
    assert at.table.seat(last).wagers == {}
    if book == "pa-669a":
        # The Blind follows the Ante, or nothing is dealt.
        why = at.refuses(events.LockOutPressed)
        assert "the blind of seat 1 is not the same as its ante" in why
        (asked,) = prompts(at.terms, at.table)
        assert (asked.seat, asked.answer) == (1, "wager_placed")
        assert "$5 more" in asked.text
        why = at.refuses(events.WagerPlaced, seat=1, wager="blind", amount=400)
        assert "allowed is $15" in why
        at.does(events.WagerPlaced, seat=1, wager="blind", amount=500)
    at.locks()
    assert at.refuses(events.WagerPlaced, **more, amount=500)
    assert at.refuses(events.WagerTakenBack, **more)
    at.deals().decides().reveals()
    # What it is settled with is the whole of it.
    assert {due.stake for due in at.table.due if (due.seat, due.wager) == (1, "ante")} == {1_500}


def test_a_fixed_amount_is_not_increased_and_what_is_added_is_made_with_the_same() -> None:
    at = open_table("pa-639a").shuffles().antes(1, five_card_player=100)
    before = at.table.seat(1).balance
    why = at.refuses(events.WagerPlaced, seat=1, wager="five_card_player", amount=100)
    assert "its amount is fixed" in why
    assert at.table.seat(1).balance == before
    why = at.refuses(events.WagerPlaced, seat=1, wager="ante", amount=500, tender="plaques")
    assert "is down in chips" in why


@pytest.mark.rule(*BEFORE_THE_LOCK[:2], *BEFORE_THE_LOCK_EAST)
@pytest.mark.parametrize("book", PROGRESSIVE)
def test_an_ante_is_withdrawn_with_what_rests_on_it(book: str) -> None:
    at = open_table(book).shuffles()
    balance = at.table.seat(1).balance
    side = {k: v for k, v in SIDE[book].items() if k != "cover_all"}
    at.antes(1, **side).antes(3, progressive=100)
    at.does(events.WagerTakenBack, seat=1, wager="ante")
    seat = at.table.seat(1)
    assert (seat.wagers, seat.tender, seat.lamp) == ({}, {}, "invite")
    assert seat.balance == balance
    # The acceptor gives its chip back, and its lamp invites again.
    assert [(c.seat, c.wager, c.cents) for c in at.sent(ReturnWager)] == [(1, "progressive", 100)]
    assert [(c.seat, c.lamp) for c in at.sent(SetLamp)] == [(1, "invite")]
    assert progressive_of(at) == 1
    at.antes(1, progressive=100).locks()


def test_a_chip_that_the_player_took_out_is_not_asked_for_again() -> None:
    at = open_table("pa-639a").shuffles().antes(1, bonus=500, progressive=100)
    at.does(events.WagerTakenBack, seat=1, wager="progressive", out=True)
    assert at.table.seat(1).wagers == {"ante": 1000, "bonus": 500}
    assert not at.sent(ReturnWager)
    assert lamp(at, 1) == "invite"
    at.does(events.WagerTakenBack, seat=1, wager="bonus")
    assert at.table.seat(1).wagers == {"ante": 1000}


@pytest.mark.rule("PA-639a.5(a)", "PA-669a.5(a)")
@pytest.mark.parametrize("book", ["pa-639a", "pa-669a"])
def test_wagers_outlast_a_shuffle_that_is_ordered(book: str) -> None:
    at = open_table(book).shuffles().antes(1, progressive=100).antes(3)
    before = [seat.wagers for seat in at.table.seats]
    at.does(events.ShuffleOrdered, by=FLOOR, reason="a card was seen")
    assert at.phase == "shuffling"
    # The chip rolls to the dealer as the acceptors close; the light stays the player's receipt.
    assert {c.seat for c in at.sent(Lock) if c.device == "acceptor"} == set(
        range(1, at.terms.seats + 1)
    )
    assert (lamp(at, 1), lamp(at, 3)) == ("accepted", "off")
    assert "wagers are down" in at.refuses(events.PlayerLeft, seat=1)
    assert "wagers are down" in at.refuses(events.TableClosed, by=FLOOR)
    at.shuffles()
    assert [seat.wagers for seat in at.table.seats] == before
    assert (lamp(at, 1), lamp(at, 3)) == ("accepted", "invite")
    opened = [c.seat for c in at.sent(Unlock) if c.device == "acceptor"]
    assert opened == list(range(2, at.terms.seats + 1))
    at.antes(at.terms.seats, progressive=100).locks()
    assert at.table.chips == 2


def test_a_wager_is_withdrawn_while_an_ordered_shuffle_runs() -> None:
    at = open_table("pa-639a").shuffles().antes(1, progressive=100)
    at.does(events.ShuffleOrdered, by=FLOOR, reason="a card was seen")
    at.does(events.WagerTakenBack, seat=1, wager="ante")
    assert at.table.seat(1).wagers == {}
    assert lamp(at, 1) == "off"
    assert [(c.seat, c.wager) for c in at.sent(ReturnWager)] == [(1, "progressive")]


def test_a_match_play_coupon_may_make_the_bet() -> None:
    at = open_table("s10", options={**OFFER["s10"], "match_play": True})
    at.shuffles().antes(1).locks().deals()
    coupon = {"seat": 1, "choice": "wager", "amount": 2000}
    assert at.refuses(events.Decided, **coupon, tender="cash")
    at.does(events.Decided, **coupon, tender="match play coupon")
    assert at.table.seat(1).tender == {"bet": "match play coupon"}
