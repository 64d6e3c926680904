"""Settlement in succession: a seat is turned, settled and cleared before the next is turned.

The other way, all hands first, is allowed as well, and both come to the same.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.rules.cards import names
from controller.table import events
from controller.table.commands import CollectWager, Pay, ReturnWager, ShowColumn, TakeBack, TakeIn
from controller.table.paying import due_now, in_turn, must_be_verified
from controller.table.settling import to_be_shown, to_be_turned
from tests.controller.table.playing import BOOKS, BOSS, DEALER, FLOOR, AtTheTable, open_table
from tests.controller.table.rigged import (
    ACE_KING,
    FLUSH,
    LOW,
    NO_HAND,
    ROYAL,
    STRAIGHT_FLUSH,
    TRIPS,
    show,
    stacked,
    turn,
)
from tests.controller.table.test_round import SIDE, mixed

IN_SUCCESSION = [book for book in BOOKS if book != "s10"]


def pays(at: AtTheTable) -> None:
    """Whatever the seat in turn is owed now."""
    seat = in_turn(at.table)
    assert seat is not None
    for due in due_now(at.table):
        if must_be_verified(at.terms, due) and not due.verified_by:
            at.does(events.HandVerified, seat=seat, wager=due.wager)
        if due.validate and not due.validated_by:
            at.does(events.PayoutValidated, seat=seat, wager=due.wager, by=BOSS)
    at.does(events.SeatPaid, seat=seat)


def in_succession(at: AtTheTable) -> AtTheTable:
    """From the reveal on, as the texts have it; All-Six cards when the first of them is due."""
    while at.phase in ("revealing", "settling"):
        shown, left = to_be_shown(at.terms, at.table), to_be_turned(at.terms, at.table)
        if in_turn(at.table) is not None:
            pays(at)
        elif shown.keys() - {"extra"}:
            show(at, next(iter(shown.keys() - {"extra"})))
        elif "extra" in shown and (not left or any(due.seat > left[0] for due in at.table.due)):
            show(at, "extra")
        else:
            turn(at, left[0])
    return at


@pytest.mark.rule("PA-639a.11(c)", "MA.10(c)", "PA-669a.11(i)", "PA-682a.11(d)", "PA-683a.11(h)")
@pytest.mark.parametrize("book", IN_SUCCESSION)
def test_a_seat_is_settled_and_its_hand_cleared_before_the_next_is_turned(book: str) -> None:
    at = open_table(book).sits(5).shuffles().antes(1, 3, 5).locks().deals().decides()
    if "dealer" in to_be_shown(at.terms, at.table):
        assert at.refuses(events.HandTurned, seat=5, cards=names(at.faces[5]))
        show(at, "dealer")
    for seat, following in ((5, 3), (3, 1)):
        assert at.refuses(events.HandTurned, seat=following, cards=names(at.faces[following]))
        turn(at, seat)
        assert at.refuses(events.SeatPaid, seat=following)
        assert in_turn(at.table) == seat
        at.does(events.SeatPaid, seat=seat)
        assert at.table.picked_up[-1] == seat
        assert at.phase == "revealing"
        assert to_be_turned(at.terms, at.table)[0] == following
    turn(at, 1)
    assert at.phase == "settling"
    at.does(events.SeatPaid, seat=1)
    assert at.phase == "clearing"


@pytest.mark.rule("S10.(j)(5)", "S10.(j)(5)(i)", "S10.(j)(5)(ii)", "S10.(j)(5)(iii)")
def test_section_10_collects_a_loser_at_once_and_the_others_when_all_are_turned() -> None:
    at = open_table("s10").sits(5).shuffles().antes(1, 3, 5, 7).locks()
    clubs = "Qc Tc 8h 6c 5c"
    hands: dict[int | str, str] = {7: TRIPS, 5: clubs, 3: "Ad Kh 9s 4d 3s", 1: "7c 7d 7h 6s 6d"}
    stacked(at, {**hands, "dealer": ACE_KING}).deals().decides()
    show(at, "dealer")
    turn(at, 7)
    assert in_turn(at.table) is None  # a winner waits
    turn(at, 5)
    assert in_turn(at.table) == 5
    commands = at.does(events.SeatPaid, seat=5)
    assert {c.wager for c in commands if isinstance(c, CollectWager)} == {"ante", "bet"}
    assert at.table.picked_up == (5,)
    turn(at, 3)
    assert in_turn(at.table) is None  # so does a push
    turn(at, 1)
    order = []
    while (seat := in_turn(at.table)) is not None:
        at.does(events.SeatPaid, seat=seat)
        order.append(seat)
    assert order == [3, 7, 1]


def lines(at: AtTheTable) -> Counter[tuple[object, ...]]:
    return Counter(
        (d.seat, d.wager, d.result, d.stake, d.returns, d.odds, d.paid_by, d.clause)
        for d in at.table.due
    )


@pytest.mark.parametrize("book", BOOKS)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_in_succession_or_all_hands_first_comes_to_the_same(book: str, seed: int) -> None:
    ends = []
    for way in ("in succession", "all first"):
        at = open_table(book, seed=seed).sits(2).shuffles()
        if book == "ma":
            at.does(events.ShufflerSet, game="Caribbean Stud Poker Cover All")
        side = {k: v for k, v in SIDE[book].items() if k not in at.table.withheld}
        at.antes(1, 2, 3, **side).antes(at.terms.seats).locks().deals().decides(mixed(at))
        if at.table.hands_counted is None and "cover_all" in side:
            at.does(events.HandsCounted, hands=5)
        if way == "in succession":
            in_succession(at)
        else:
            at.reveals()
            while in_turn(at.table) is not None:
                pays(at)
        assert at.phase == "clearing"
        ends.append((lines(at), at.table.meters, [seat.balance for seat in at.table.seats]))
    assert ends[0] == ends[1]


@pytest.mark.rule("PA-639a.11(c)(5)(v)", "PA-639a.12(d)(6)")
def test_envy_for_a_hand_that_is_turned_later_is_paid_after_its_holder() -> None:
    at = open_table("pa-639a").shuffles().antes(3, 7, progressive=100).antes(1).locks()
    stacked(
        at, {7: "Ts 8c 6d 5s 2h", 3: FLUSH, 1: STRAIGHT_FLUSH, "dealer": "As Kc 9c 4h 3c"}
    ).deals().decides()
    show(at, "dealer")
    for seat in (7, 3):
        turn(at, seat)
        pays(at)
    assert not [due for due in at.table.due if due.wager == "envy"]
    turn(at, 1)
    order = []
    while (payee := in_turn(at.table)) is not None:
        order.append((payee, [due.wager for due in due_now(at.table)]))
        pays(at)
    assert order == [(1, ["ante", "bet"]), (7, ["envy"]), (3, ["envy"])]


@pytest.mark.rule("PA-682a.11(e)(3)", "PA-683a.11(i)(4)")
@pytest.mark.parametrize("book", ["pa-682a", "pa-683a"])
def test_all_six_cards_are_exposed_when_the_first_wager_on_them_is_due(book: str) -> None:
    at = (
        open_table(book)
        .sits(5)
        .shuffles()
        .antes(3, 5)
        .antes(1, all_six=300)
        .locks()
        .deals()
        .decides()
    )
    if book == "pa-682a":
        show(at, "dealer")
    for seat in (5, 3, 1):
        turn(at, seat)
        assert "all_six" not in {due.wager for due in at.table.due}
        at.does(events.SeatPaid, seat=seat)
    assert at.phase == "revealing"
    show(at, "extra")
    assert [due.wager for due in due_now(at.table)] == ["all_six"]
    at.does(events.SeatPaid, seat=1)
    assert at.phase == "clearing"


@pytest.mark.rule("MA.12(e)", "MA.12(k)")
def test_cover_alls_column_counts_a_hand_that_was_void() -> None:
    """The column that was shown is the one that is paid."""
    at = open_table("ma").shuffles()
    at.does(events.ShufflerSet, game="Caribbean Stud Poker Cover All")
    at.antes(1, 3, cover_all=300).antes(7).locks()
    stacked(at, {1: TRIPS, 3: LOW, 7: "Kd 9s 8d 5d 2d", "dealer": NO_HAND}).deals()
    shown = at.does(events.HandsCounted, hands=4)
    assert [c.column for c in shown if isinstance(c, ShowColumn)] == ["4"]
    at.does(events.MisdealReported, to=7, cards=4)
    at.decides()
    in_succession(at)
    paid = next(due for due in at.table.due if (due.seat, due.wager) == (1, "cover_all"))
    assert paid.odds == "5 to 1"  # three-of-a-kind in the column of four hands


@pytest.mark.rule("PA-639a.11(c)(6)(i)", "MA.10(c)(3)(ii)(c)(3)(i)")
@pytest.mark.parametrize("book", ["pa-639a", "ma"])
@pytest.mark.parametrize("draw", ["magic_card", "lucky"])
def test_what_a_draw_wins_is_verified_before_it_is_credited(book: str, draw: str) -> None:
    at = open_table(book, draw_every={draw: 1}).shuffles()
    at.antes(3, five_card_player=100, five_card_dealer=100).locks()
    drawn = "7d" if draw == "magic_card" else "3"
    assert at.table.draws == {draw: drawn}
    stacked(at, {3: "7d 9c 2h 4s Jd", "dealer": NO_HAND}).deals().decides().reveals()
    assert draw in [due.wager for due in due_now(at.table)]
    assert f"the {draw} is not verified" in at.refuses(events.SeatPaid, seat=3)
    before = at.table.seat(3).balance
    at.does(events.HandVerified, seat=3, wager=draw)
    at.does(events.SeatPaid, seat=3)
    assert at.table.seat(3).balance > before


@pytest.mark.parametrize("book", ["pa-639a", "pa-682a"])
@pytest.mark.rule("PA-639a.13(c)", "PA-682a.13(c)")
def test_a_misdeal_found_after_a_seat_was_paid_takes_that_back(book: str) -> None:
    dealer = NO_HAND if book == "pa-639a" else "2c 3d 5h 7s 9c Js"
    at = open_table(book).shuffles().antes(1, 3).locks()
    stacked(at, {3: ROYAL, "dealer": dealer}).deals().decides()
    show(at, "dealer")
    turn(at, 3)
    pays(at)
    paid = {c.wager: c.cents for c in at.last if isinstance(c, Pay)}
    assert paid
    commands = at.does(events.MisdealReported, to=1, cards=4)
    assert {c.wager: c.cents for c in commands if isinstance(c, TakeBack)} == paid
    back = {(c.seat, c.wager) for c in commands if isinstance(c, ReturnWager)}
    assert {(1, "ante"), (3, "ante")} <= back
    assert at.phase == "clearing"
    assert sum(one.cents for one in at.table.hand_back if one.seat == 3) == 3000 - sum(
        paid.values()
    ) + (0 if book == "pa-639a" else -1000)
    at.does(events.WagersReturned, seat=3)
    assert {one.seat for one in at.table.hand_back} == {1}
    assert "nothing is to be handed back" in at.refuses(events.WagersReturned, seat=3)
    at.racks()
    assert at.table.hand_back == ()


def test_what_was_credited_in_a_round_that_is_void_comes_off_the_account_again() -> None:
    at = open_table("pa-639a").shuffles().antes(1).antes(3, five_card_player=100).locks()
    stacked(at, {3: FLUSH, "dealer": NO_HAND}).deals().decides()
    show(at, "dealer")
    turn(at, 3)
    pays(at)
    assert at.table.seat(3).balance == 1_000_000 - 100 + 5000
    at.does(events.RoundVoided, reason="found out", by=FLOOR)
    assert at.table.seat(3).balance == 1_000_000
    assert all(one.wager in ("ante", "bet") for one in at.table.hand_back)


def test_what_was_cashed_out_meanwhile_is_asked_for_at_the_table() -> None:
    at = open_table("pa-639a").shuffles().antes(1).antes(3, five_card_player=100).locks()
    stacked(at, {3: FLUSH, "dealer": NO_HAND}).deals().decides()
    show(at, "dealer")
    turn(at, 3)
    pays(at)
    at.does(events.CashedOut, seat=3, transfer="c1", cents=1_000_000 - 100 + 5000)
    at.does(events.RoundVoided, reason="found out", by=FLOOR)
    # The wager goes back to the account; the prize must come from the player.
    assert at.table.seat(3).balance == 100
    owed = [one for one in at.table.hand_back if one.cents < 0 and one.wager == "five_card_player"]
    assert [one.cents for one in owed] == [-5000]


def test_a_fold_takes_in_what_lies_on_the_layout_and_no_chip_of_the_inventory() -> None:
    at = open_table("pa-639a").shuffles().antes(1, progressive=100, bonus=500).antes(3).locks()
    at.deals()
    at.decides(lambda street, seat: "fold" if seat == 1 else "wager")
    took = [c for c in at.commands if isinstance(c, TakeIn)]
    assert [(c.seat, c.cents, set(c.wagers)) for c in took] == [(1, 1500, {"ante", "bonus"})]


def test_who_leaves_after_the_own_hand_is_settled_leaves_nothing_to_decide() -> None:
    at = open_table("pa-639a").shuffles().antes(1, 3).locks().deals().decides()
    show(at, "dealer")
    turn(at, 3)
    at.does(events.PlayerLeft, seat=3)
    assert at.table.holds == ()
    assert "is known already" in at.refuses(events.WagersAbandoned, seat=3, lost=True, by=FLOOR)
    at.does(events.PlayerLeft, seat=1)
    assert at.table.holds != ()


def test_a_hand_that_is_settled_is_no_misdeal_any_more() -> None:
    at = open_table("s10").shuffles().antes(1, 3).locks().deals()
    at.decides(lambda street, seat: "fold" if seat == 3 else "wager")
    show(at, "dealer")
    assert at.refuses(events.MisdealReported, to=3, cards=4, by=DEALER)
    assert names(at.faces[1])
