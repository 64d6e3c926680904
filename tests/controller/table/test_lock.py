""" "No more bets": what locks, what comes too late, and what the deal waits for."""

from __future__ import annotations

from typing import Any

import pytest

from controller.rules.cards import DECK, name
from controller.table import events
from controller.table.commands import (
    EnableDeal,
    Lock,
    RequestDraw,
    ReturnWager,
    SetLamp,
    ShowBalance,
)
from controller.table.machine import new_table, step
from controller.table.state import Late
from tests.controller.table.playing import BOOKS, FLOOR, AtTheTable, open_table

PROGRESSIVE = ["pa-639a", "s10", "ma", "pa-669a"]


def locked(book: str, **side: int) -> AtTheTable:
    """Seats 1 and 3 are in, seat 3 with side wagers; the lock-out was just pressed."""
    at = open_table(book).shuffles().antes(1).antes(3, **side)
    at.does(events.LockOutPressed)
    return at


def meters(at: AtTheTable) -> dict[str, Any]:
    return dict(at.table.meters)


# --- Too late ---------------------------------------------------------------


@pytest.mark.rule("PA-639a.2(c)(2)", "PA-669a.2(c)(2)", "R14", "R15")
@pytest.mark.parametrize("book", PROGRESSIVE)
def test_a_chip_after_the_lock_is_not_known(book: str) -> None:
    at = locked(book, progressive=100)
    before = meters(at)
    count = sum(1 for seat in at.table.seats if seat.wagers.get("progressive"))
    why = at.refuses(
        events.WagerPlaced, seat=1, wager="progressive", amount=100, at=at.table.at + 1
    )
    assert "is not for the phase locked" in why
    assert at.table.seat(1).lamp == "off"
    assert at.table.seat(3).lamp == "accepted"
    assert sum(1 for seat in at.table.seats if seat.wagers.get("progressive")) == count == 1
    assert meters(at) == before


@pytest.mark.rule("PA-639a.7(c)", "S10.(f)(2)", "MA.6(b)", "MA.12(a)")
@pytest.mark.rule("PA-669a.7(c)", "PA-682a.7(c)", "PA-683a.7(c)")
@pytest.mark.parametrize("book", BOOKS)
def test_after_no_more_bets_nothing_is_placed_raised_or_taken_back(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3)
    at.does(events.LockOutPressed)
    before = at.table.seats
    wagers = at.terms.ruleset.rulebook.wagers
    for kind in at.terms.ruleset.offered:
        amount = 100 if wagers[kind].needs else 1000
        for seat in (1, at.terms.seats):
            why = at.refuses(events.WagerPlaced, seat=seat, wager=kind, amount=amount)
            assert "is not for the phase locked" in why
        assert at.refuses(events.WagerTakenBack, seat=1, wager=kind)
    assert "is not for the phase locked" in at.refuses(events.WagerTakenBack, seat=1, wager="ante")
    assert at.table.seats == before


@pytest.mark.rule("R14", "PA-639a.2(d)")
@pytest.mark.parametrize("book", ["pa-639a", "ma"])
def test_electronic_wagers_lock_with_the_rest_and_stay_so_when_dealing_begins(book: str) -> None:
    """The general rule on wagers wants them before "no more bets"; dealing is the latest moment."""
    at = open_table(book).shuffles().antes(1, five_card_player=100).antes(3)
    at.does(events.LockOutPressed)
    assert {(c.seat, c.device) for c in at.sent(Lock)} == {
        (seat, device) for seat in range(1, 8) for device in ("acceptor", "terminal")
    }
    balance = at.table.seat(3).balance
    late = {"seat": 3, "wager": "five_card_player", "amount": 100}
    assert at.refuses(events.WagerPlaced, **late)
    for command in [c for c in at.commands if isinstance(c, Lock)]:
        why = at.refuses(events.DealPressed)
        assert f"the {command.device} of seat {command.seat}" in why
        at.does(events.LockConfirmed, seat=command.seat, device=command.device)
    at.does(events.DealPressed)
    at.does(events.StackDispensed, number=1, cards=5)
    assert at.refuses(events.WagerPlaced, **late)
    assert at.refuses(events.WagerTakenBack, seat=1, wager="five_card_player")
    assert at.table.seat(3).balance == balance
    assert at.table.seat(3).wagers == {"ante": 1000}


@pytest.mark.rule("PA-639a.2(c)(2)", "PA-669a.2(c)(2)", "R15", "R16")
@pytest.mark.parametrize("sensed", ["before the lock", "after the lock"])
@pytest.mark.parametrize("book", PROGRESSIVE)
def test_a_chip_that_is_told_too_late_goes_back_and_is_noted(book: str, sensed: str) -> None:
    at = locked(book, progressive=100)
    before, wagers = meters(at), [seat.wagers for seat in at.table.seats]
    at.does(events.WagerCameLate, seat=1, wager="progressive", amount=100, sensed=sensed)
    assert [(c.seat, c.wager, c.cents, c.to) for c in at.sent(ReturnWager)] == [
        (1, "progressive", 100, "layout")
    ]
    assert [(c.seat, c.lamp) for c in at.sent(SetLamp)] == [(1, "off")]
    assert at.table.late == (Late(at.now, 1, "progressive", 100, sensed),)
    assert meters(at) == before
    assert [seat.wagers for seat in at.table.seats] == wagers
    # It is not counted either: one wager is accepted, and one chip lies before the inventory.
    for seat in range(1, at.terms.seats + 1):
        for device in ("acceptor", "terminal")[: 1 + at.terms.terminals]:
            at.does(events.LockConfirmed, seat=seat, device=device)
    at.does(events.ChipsCounted, chips=1)
    assert at.table.deal_enabled


@pytest.mark.rule("R16")
def test_a_late_chip_is_resolved_the_same_way_every_time() -> None:
    at = locked("pa-639a", progressive=100)
    for sensed in ("before the lock", "after the lock"):
        at.does(events.WagerCameLate, seat=1, wager="progressive", amount=100, sensed=sensed)
    for _ in range(20):
        table = new_table(at.terms)
        for event in at.taken:
            table = step(at.terms, table, event).table
        assert table == at.table


def test_late_on_a_terminal_nothing_was_debited() -> None:
    at = locked("pa-639a")
    balance = at.table.seat(1).balance
    at.does(events.WagerCameLate, seat=1, wager="five_card_player", amount=100)
    assert [c.cents for c in at.sent(ShowBalance)] == [balance]
    assert at.table.seat(1).balance == balance


def test_what_is_not_late() -> None:
    at = open_table("pa-639a").shuffles().antes(1)
    late = {"seat": 1, "amount": 100}
    assert "betting is open" in at.refuses(events.WagerCameLate, wager="progressive", **late)
    at.does(events.LockOutPressed)
    assert "no device takes" in at.refuses(events.WagerCameLate, wager="bonus", **late)
    assert "no device takes" in at.refuses(events.WagerCameLate, wager="side show", **late)


# --- What the deal waits for ------------------------------------------------


@pytest.mark.rule("R17")
@pytest.mark.parametrize("book", PROGRESSIVE)
def test_one_mute_acceptor_stops_the_deal(book: str) -> None:
    at = locked(book)
    devices = [(c.seat, c.device) for c in at.commands if isinstance(c, Lock)]
    assert len(devices) == at.terms.seats * (1 + at.terms.terminals)
    mute = devices.pop(2)
    for seat, device in devices:
        at.does(events.LockConfirmed, seat=seat, device=device)
    why = at.refuses(events.DealPressed)
    assert f"the deal waits for the {mute[1]} of seat {mute[0]}" in why
    assert not at.table.deal_enabled
    at.does(events.LockConfirmed, seat=mute[0], device=mute[1])
    assert [c.enabled for c in at.sent(EnableDeal)] == [True]
    assert "confirmed already" in at.refuses(events.LockConfirmed, seat=mute[0], device=mute[1])
    at.does(events.DealPressed)


@pytest.mark.rule("R17")
@pytest.mark.parametrize("book", PROGRESSIVE)
@pytest.mark.parametrize("counted", [2, 4])
def test_chips_that_do_not_agree_with_the_lights_call_the_floorperson(
    book: str, counted: int
) -> None:
    at = open_table(book)
    at.sits(2).shuffles().antes(1, 2, 3, progressive=100)
    for command in at.does(events.LockOutPressed):
        if isinstance(command, Lock):
            at.does(events.LockConfirmed, seat=command.seat, device=command.device)
    assert "the count of the progressive chips" in at.refuses(events.DealPressed)
    at.does(events.ChipsCounted, chips=counted)
    hold = at.table.holds[0]
    assert hold.cause == f"{counted} progressive chips and coupons counted, 3 wagers accepted"
    assert hold.clears == "floorperson"
    why = at.refuses(events.DealPressed)
    assert hold.cause in why
    assert not at.sent(EnableDeal)
    # Counting on is for after the floorperson has looked.
    assert "a floorperson clears the hold" in at.refuses(events.ChipsCounted, chips=3)
    assert at.refuses(events.HoldCleared, hold=hold.number, reason="never mind")
    at.does(events.HoldCleared, hold=hold.number, reason="one lay under the rack", by=FLOOR)
    assert "the count of the progressive chips" in at.refuses(events.DealPressed)
    at.does(events.ChipsCounted, chips=3)
    assert [c.enabled for c in at.sent(EnableDeal)] == [True]
    at.does(events.DealPressed)


@pytest.mark.rule("R17")
def test_or_the_floorperson_voids_the_round() -> None:
    at = locked("pa-639a", progressive=100)
    at.does(events.ChipsCounted, chips=0)
    at.does(events.RoundVoided, reason="a chip is missing", by=FLOOR)
    assert {(c.seat, c.wager) for c in at.sent(ReturnWager)} == {
        (1, "ante"),
        (3, "ante"),
        (3, "progressive"),
    }


@pytest.mark.parametrize("book", ["s10", "ma"])
def test_coupons_are_counted_with_the_chips(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3)
    coupon = {"wager": "progressive", "amount": 100, "tender": "progressive coupon"}
    at.does(events.WagerPlaced, seat=1, **coupon)
    at.does(events.WagerPlaced, seat=3, wager="progressive", amount=100)
    for command in at.does(events.LockOutPressed):
        if isinstance(command, Lock):
            at.does(events.LockConfirmed, seat=command.seat, device=command.device)
    at.does(events.ChipsCounted, chips=1, coupons=1)
    assert at.table.deal_enabled
    assert "counted already" in at.refuses(events.ChipsCounted, chips=2)


@pytest.mark.parametrize("book", ["pa-682a", "pa-683a"])
def test_where_nothing_is_electronic_nothing_is_waited_for(book: str) -> None:
    at = locked(book)
    assert at.table.deal_enabled
    assert "this table has no progressive" in at.refuses(events.ChipsCounted, chips=0)
    assert "this table has no acceptors" in at.refuses(
        events.LockConfirmed, seat=1, device="acceptor"
    )
    assert "this table has no acceptors" in at.refuses(events.LampRead, seat=1, lamp="off")


@pytest.mark.parametrize("book", BOOKS)
def test_no_lock_without_an_ante(book: str) -> None:
    at = open_table(book).shuffles()
    assert "no Ante is down" in at.refuses(events.LockOutPressed)


def test_an_ante_without_its_blind_is_no_entry() -> None:
    at = open_table("pa-669a").shuffles()
    at.does(events.WagerPlaced, seat=1, wager="ante", amount=1000)
    assert "seat 1 has no blind" in at.refuses(events.LockOutPressed)


# --- Draws ------------------------------------------------------------------


def drawing(book: str, **every: int) -> AtTheTable:
    return open_table(book, draw_every=every)


@pytest.mark.parametrize("book", ["pa-639a", "ma"])
def test_draws_are_asked_for_over_cards_and_over_seats_with_the_dealer(book: str) -> None:
    at = drawing(book, magic_card=1, lucky=2)
    at.shuffles().antes(1)
    at.does(events.LockOutPressed)
    assert [(c.draw, c.among) for c in at.sent(RequestDraw)] == [("magic_card", 52)]
    at.does(events.RoundVoided, reason="next", by=FLOOR)
    at.racks().shuffles().antes(1)
    at.does(events.LockOutPressed)
    assert [(c.draw, c.among) for c in at.sent(RequestDraw)] == [
        ("magic_card", 52),
        ("lucky", at.terms.seats + 1),
    ]


def test_the_deal_waits_for_the_draw_and_takes_it_once() -> None:
    at = drawing("pa-639a", lucky=1).shuffles().antes(1)
    for command in at.does(events.LockOutPressed):
        if isinstance(command, Lock):
            at.does(events.LockConfirmed, seat=command.seat, device=command.device)
    assert "the draw of the lucky" in at.refuses(events.DealPressed)
    for result in ("0", "8", "the dealer", "7d"):
        assert "is neither a seat nor 'dealer'" in at.refuses(
            events.Drawn, draw="lucky", result=result
        )
    assert "no magic_card is due" in at.refuses(events.Drawn, draw="magic_card", result="7d")
    at.does(events.Drawn, draw="lucky", result="dealer")
    assert "no lucky is due" in at.refuses(events.Drawn, draw="lucky", result="3")
    at.does(events.DealPressed)


def test_every_card_and_every_place_can_be_drawn() -> None:
    for draw, results in {
        "magic_card": [name(one) for one in DECK],
        "lucky": [*map(str, range(1, 8)), "dealer"],
    }.items():
        at = drawing("pa-639a", **{draw: 1}).shuffles().antes(1)
        at.does(events.LockOutPressed)
        for result in results:
            # Names of draws, but from a dictionary: to the types they are any text.
            drawn = events.Drawn(at=at.now, draw=draw, result=result)  # type: ignore[arg-type]
            assert not step(at.terms, at.table, drawn).refused
