"""Reveal, settlement, payment and clearing: in which order, by whom, and what stays."""

from __future__ import annotations

import pytest

from controller.rules.cards import cards, names
from controller.table import events
from controller.table.clearing import frozen, left_exposed
from controller.table.commands import CollectWager, KeepRound, Pay, ShowWin, StartShuffle
from controller.table.dealing import stub
from controller.table.people import Person
from controller.table.settling import in_turn
from tests.controller.table.playing import (
    BOOKS,
    BOSS,
    DEALER,
    FLOOR,
    OFFER,
    OTHER_DEALER,
    TECH,
    AtTheTable,
    open_table,
)
from tests.controller.table.rigged import (
    ACE_KING,
    FLUSH,
    FULL_HOUSE,
    LOW,
    NO_HAND,
    QUADS,
    ROYAL,
    STRAIGHT_FLUSH,
    TRIPS,
    line,
    pay_until,
    played,
    seated_round,
    show,
    stacked,
    to_be_shown,
    to_be_turned,
    turn,
    verified,
)

STUD = ["pa-639a", "s10", "ma"]
PAIR = "Qh Qc 8h 5s 2s"
KINGS = "Ks Kh 9c 6s 4s"
LOWER = "Qd Jh 8d 5d 3s"
AKQ_SPADES = "As Ks Qs"
SUITED_AKQ = "Ah Kh Qh"


# --- Order ------------------------------------------------------------------


@pytest.mark.rule("MA.10(c)", "PA-669a.11(i)", "PA-682a.11(d)", "PA-683a.11(h)")
@pytest.mark.parametrize("book", [b for b in BOOKS if b != "s10"])
def test_seats_are_turned_and_settled_from_the_dealers_right_one_by_one(book: str) -> None:
    at = open_table(book)
    last = at.terms.seats
    at.shuffles().antes(1, 3, last).locks().deals()
    assert at.refuses(events.HandTurned, seat=last, cards=names(at.faces[last]))
    at.decides()
    if "dealer" in to_be_shown(at.terms, at.table):
        why = at.refuses(events.HandTurned, seat=last, cards=names(at.faces[last]))
        assert "the dealer's cards are revealed first" in why
    for place in list(to_be_shown(at.terms, at.table)):
        show(at, place)
    assert to_be_turned(at.terms, at.table) == [last, 3, 1]
    assert f"seat {last} is turned first" in at.refuses(
        events.HandTurned, seat=1, cards=names(at.faces[1])
    )
    for number in (last, 3, 1):
        turn(at, number)
    order = []
    while (seat := in_turn(at.table)) is not None:
        other = 1 if seat != 1 else 3
        assert at.refuses(events.SeatPaid, seat=other)
        verified(at)
        at.does(events.SeatPaid, seat=seat)
        assert all(due.paid for due in at.table.due if due.seat == seat)
        order.append(seat)
    assert order == [last, 3, 1]


@pytest.mark.rule("PA-639a.11(c)", "MA.10(c)")
@pytest.mark.parametrize("book", ["pa-639a", "ma"])
def test_a_winner_at_the_right_is_settled_before_a_loser_at_the_left(book: str) -> None:
    at = seated_round(book, {1: LOW, 3: KINGS, 7: LOWER, "dealer": ACE_KING})
    assert [line(at, number, "ante").result for number in (1, 3, 7)] == ["lose", "win", "lose"]
    order = []
    while (seat := in_turn(at.table)) is not None:
        at.does(events.SeatPaid, seat=seat)
        assert all(due.paid for due in at.table.due if due.seat == seat)
        order.append(seat)
    assert order == [7, 3, 1]


@pytest.mark.rule("PA-639a.11(c)(1)", "MA.10(c)(1)", "PA-682a.11(d)(1)")
@pytest.mark.parametrize("book", ["pa-639a", "ma", "pa-682a"])
def test_settlement_waits_for_the_cards_of_every_seat(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3).locks().deals().decides()
    show(at, "dealer")
    assert not at.table.due
    assert at.refuses(events.SeatPaid, seat=3)
    turn(at, 3)
    assert at.phase == "revealing"
    assert {due.seat for due in at.table.due} == {3}
    assert at.refuses(events.SeatPaid, seat=1)
    five = names(at.faces[1])
    assert at.refuses(events.HandTurned, seat=1, cards=five[:-3])
    assert "seen elsewhere" in at.refuses(
        events.HandTurned, seat=1, cards=names([*at.faces[1][:4], at.faces[3][0]])
    )
    at.does(events.HandTurned, seat=1, cards=five, by=DEALER)
    assert at.table.seat(1).cards == tuple(at.faces[1])
    assert at.phase == "settling"


@pytest.mark.rule("PA-682a.11(e)(3)", "PA-683a.11(i)(4)")
@pytest.mark.parametrize(("book", "count"), [("pa-682a", 1), ("pa-683a", 4)])
def test_all_six_cards_are_shown_once_before_the_wager_is_settled(book: str, count: int) -> None:
    at = open_table(book).shuffles().antes(1, 3, all_six=300).locks().deals().decides()
    assert "extra" not in at.table.faces
    for place in [p for p in to_be_shown(at.terms, at.table) if p != "extra"]:
        show(at, place)
    turn(at, 3)
    turn(at, 1)
    assert at.phase == "revealing"  # all six are needed
    assert to_be_shown(at.terms, at.table) == {"extra": count}
    wrong = names(at.faces["extra"])[:-3] if count > 1 else names([*at.faces["extra"], at.shoe[0]])
    assert f"{count} expected" in at.refuses(events.Revealed, where="extra", cards=wrong)
    show(at, "extra")
    assert at.phase == "settling"
    assert {due.seat for due in at.table.due if due.wager == "all_six"} == {1, 3}


def test_no_all_six_card_is_shown_where_nobody_wagered_on_it() -> None:
    at = open_table("pa-682a").shuffles().antes(1).locks().deals().decides()
    assert "extra" not in to_be_shown(at.terms, at.table)


def test_the_up_card_is_one_of_the_dealers_five() -> None:
    at = open_table("pa-639a").shuffles().antes(1).locks().deals().decides()
    others = [one for one in cards("2c 3c 4c 5c 7c 8c 9c") if one != at.table.up_card]
    assert "the up-card is not among them" in at.refuses(
        events.Revealed, where="dealer", cards=names(others[:5])
    )


# --- Section 10: losers, pushes, winners -------------------------------------


@pytest.mark.rule("S10.(j)(5)", "S10.(k)(1)")
@pytest.mark.rule("S10.(j)(5)(i)", "S10.(j)(5)(ii)", "S10.(j)(5)(iii)")
def test_section_10_collects_then_pushes_then_pays() -> None:
    at = open_table("s10").sits(2, 4, 5).shuffles()
    tie = "Ad Kd 9h 4d 3h"
    hands: dict[int | str, str] = {
        1: LOW,
        2: tie,
        3: KINGS,
        4: "Qd 8d 7d 5d 2d",
        5: "Jc Tc 6c 6d 2c",
        "dealer": ACE_KING,
    }
    at.antes(1, 2, 3, 4, 5, progressive=100).locks()
    stacked(at, hands).deals().decides()
    show(at, "dealer")
    assert to_be_turned(at.terms, at.table) == [5, 4, 3, 2, 1]
    at.reveals()
    before = len(at.commands)
    while (seat := in_turn(at.table)) is not None:
        for other in {1, 2, 3, 4, 5} - {seat}:
            assert f"seat {seat} is settled first" in at.refuses(events.SeatPaid, seat=other)
        verified(at)
        at.does(events.SeatPaid, seat=seat)
    ends = [
        "collect" if isinstance(c, CollectWager) else "push" if c.paid_by == "layout" else "pay"
        for c in at.commands[before:]
        if isinstance(c, CollectWager | Pay)
    ]
    assert ends == sorted(ends, key=["collect", "push", "pay"].index)
    assert set(ends) == {"collect", "push", "pay"}
    paid = [c.seat for c in at.commands[before:] if isinstance(c, Pay) and c.wager == "ante"]
    assert paid == [2, 5, 4, 3]


@pytest.mark.rule("S10.(j)(5)", "S10.(j)(5)(i)", "S10.(k)(1)")
def test_a_losing_hand_with_a_winning_progressive_stays_until_it_is_paid() -> None:
    at = open_table("s10").shuffles().antes(1, 3, progressive=100).locks()
    stacked(at, {1: FLUSH, 3: LOW, "dealer": "9c 9d 9h 4h 4c"}).deals().decides().reveals()
    order = []
    while (seat := in_turn(at.table)) is not None:
        if line(at, 1, "ante").paid and not line(at, 1, "progressive").paid:
            assert 1 not in at.table.picked_up
        verified(at)
        at.does(events.SeatPaid, seat=seat)
        order.append(seat)
    # Seat 1 loses Ante and Bet with the others, and is paid for its flush afterwards.
    assert order == [3, 1, 1]
    assert line(at, 1, "progressive").returns == 5000
    assert at.table.picked_up == (3, 1)


@pytest.mark.rule("S10.(j)(6)(ii)")
def test_without_a_dealers_hand_all_antes_are_paid_from_the_right() -> None:
    at = seated_round("s10", {1: LOW, 3: PAIR, 7: KINGS, "dealer": NO_HAND}, folds=(3,))
    order = []
    while (seat := in_turn(at.table)) is not None:
        at.does(events.SeatPaid, seat=seat)
        assert [(c.wager, c.cents) for c in at.sent(Pay)] == [("ante", 2000), ("bet", 2000)]
        order.append(seat)
    assert order == [7, 1]


@pytest.mark.rule("S10.(j)(6)(i)")
@pytest.mark.parametrize("on", [True, False])
def test_hands_are_turned_over_for_nothing_only_where_the_casino_wants_it(on: bool) -> None:
    options = {**OFFER["s10"], **({"turn_over_when_not_qualified": True} if on else {})}
    at = open_table("s10", options=options).shuffles().antes(1, progressive=100).antes(3, 7)
    at.locks()
    stacked(at, {1: FLUSH, 3: PAIR, 7: KINGS, "dealer": NO_HAND}).deals().decides()
    show(at, "dealer")
    assert to_be_turned(at.terms, at.table) == ([7, 3, 1] if on else [1])
    if not on:
        assert "not to be turned" in at.refuses(events.HandTurned, seat=3, cards=names(at.faces[3]))
    at.reveals()
    assert [(d.result, d.returns) for d in at.table.due if d.seat == 3] == [
        ("win", 2000),
        ("void", 2000),
    ]
    at.pays().racks()


def test_against_a_qualified_dealer_every_hand_is_turned() -> None:
    at = open_table("s10").shuffles().antes(1, 3).locks()
    stacked(at, {"dealer": ACE_KING}).deals().decides()
    show(at, "dealer")
    assert to_be_turned(at.terms, at.table) == [3, 1]


# --- Verified, validated, paid ----------------------------------------------

VERIFY_HAND = (
    "PA-639a.11(c)(5)(i)",
    "S10.(k)(2)(i)",
    "MA.10(c)(3)(ii)(c)(2)(i)",
    "MA.11(d)(1)(i)",
    "PA-669a.11(i)(3)(i)(A)",
)
VERIFY_LIGHT = (
    "PA-639a.11(c)(5)(ii)",
    "S10.(k)(2)(ii)",
    "MA.10(c)(3)(ii)(c)(2)(ii)",
    "MA.11(d)(1)(ii)",
    "PA-669a.11(i)(3)(i)(B)",
)
VALIDATE = (
    "PA-639a.11(c)(5)(iii)",
    "S10.(k)(2)(iii)",
    "MA.10(c)(3)(ii)(c)(2)(iii)",
    "MA.11(d)(1)(iii)",
    "PA-669a.11(i)(3)(i)(C)",
)
WINNER = {"pa-669a": SUITED_AKQ}


def winning(book: str) -> AtTheTable:
    """Seat 3 holds a hand that wins the progressive it wagered on, seat 1 did not wager."""
    at = open_table(book).shuffles().antes(1).antes(3, progressive=100).locks()
    dealer: dict[int | str, str] = {} if book == "pa-669a" else {"dealer": ACE_KING}
    stacked(at, {3: WINNER.get(book, FLUSH), **dealer}).deals().decides().reveals()
    pay_until(at, 3)
    assert line(at, 3, "progressive").result == "win"
    return at


@pytest.mark.rule(*VERIFY_HAND)
@pytest.mark.parametrize("book", [*STUD, "pa-669a"])
def test_no_progressive_is_paid_before_the_dealer_verified_the_hand(book: str) -> None:
    at = winning(book)
    assert "the progressive is not verified" in at.refuses(events.SeatPaid, seat=3)
    assert "the dealer verifies the hand first" in at.refuses(
        events.PayoutValidated, seat=3, wager="progressive", by=BOSS
    )
    assert "is for a dealer" in at.refuses(
        events.HandVerified, seat=3, wager="progressive", by=FLOOR
    )
    at.does(events.HandVerified, seat=3, wager="progressive", by=DEALER)
    assert line(at, 3, "progressive").verified_by == DEALER.id


@pytest.mark.rule(*VERIFY_LIGHT)
@pytest.mark.parametrize("book", [*STUD, "pa-669a"])
def test_only_a_lit_seat_is_paid(book: str) -> None:
    at = winning(book)
    # Seat 1 never lit its lamp: whatever the dealer says, there is nothing to verify or to pay.
    assert "has no win on progressive" in at.refuses(
        events.HandVerified, seat=1, wager="progressive"
    )
    # Seat 3 is known, but its lamp reads dark: a floorperson has to look first.
    at.does(events.LampRead, seat=3, lamp="off")
    assert "the light of seat 3 is not lit" in at.refuses(
        events.HandVerified, seat=3, wager="progressive"
    )
    assert at.refuses(events.SeatPaid, seat=3)
    hold = at.table.holds[0]
    at.does(events.HoldCleared, hold=hold.number, reason="the bulb", by=FLOOR)
    at.does(events.HandVerified, seat=3, wager="progressive")
    at.does(events.PayoutValidated, seat=3, wager="progressive", by=BOSS)
    at.does(events.SeatPaid, seat=3)
    assert not [
        c for c in at.commands if isinstance(c, Pay) and (c.seat, c.wager) == (1, "progressive")
    ]


@pytest.mark.rule(*VALIDATE)
@pytest.mark.parametrize("book", [*STUD, "pa-669a"])
def test_the_right_person_validates_before_the_progressive_is_paid(book: str) -> None:
    at = winning(book)
    payout = {"seat": 3, "wager": "progressive"}
    at.does(events.HandVerified, **payout)
    assert "is not validated" in at.refuses(events.SeatPaid, seat=3)
    needs = "floorperson" if book.startswith("pa") else "supervisor"
    wrong = [DEALER, TECH] if needs == "floorperson" else [DEALER, TECH, FLOOR]
    for person in wrong:
        assert f"is for a {needs}" in at.refuses(events.PayoutValidated, **payout, by=person)
    # The dealer who verified it does not validate it under another role.
    assert "takes two different people" in at.refuses(
        events.PayoutValidated, **payout, by=Person(DEALER.id, "supervisor")
    )
    right = FLOOR if needs == "floorperson" else BOSS
    at.does(events.PayoutValidated, **payout, by=right)
    due = line(at, 3, "progressive")
    assert (due.validated_by, due.validated_at) == (right.id, at.now)
    assert due.returns > 0
    at.does(events.SeatPaid, seat=3)
    assert [c.cents for c in at.sent(Pay) if c.wager == "progressive"] == [due.returns]
    # Fixed odds come from the inventory.
    assert line(at, 3, "progressive").paid_by == "rack"


@pytest.mark.parametrize("book", [*STUD, "pa-669a"])
def test_what_the_floor_refuses_is_verified_again_before_it_is_validated(book: str) -> None:
    at = winning(book)
    payout = {"seat": 3, "wager": "progressive"}
    right = FLOOR if book.startswith("pa") else BOSS
    why = {"reason": "seat 3 lies under the wrong light"}
    assert "verifies the hand first" in at.refuses(events.PayoutRefused, **payout, **why, by=right)
    at.does(events.HandVerified, **payout)
    assert "is for a" in at.refuses(events.PayoutRefused, **payout, **why, by=TECH)
    at.does(events.PayoutRefused, **payout, **why, by=right)
    assert line(at, 3, "progressive").verified_by == ""
    assert "is not verified" in at.refuses(events.SeatPaid, seat=3)
    assert "first" in at.refuses(events.PayoutValidated, **payout, by=right)
    at.does(events.HandVerified, **payout)
    at.does(events.PayoutValidated, **payout, by=right)
    # Once it is validated it stands.
    assert "is validated already" in at.refuses(events.PayoutRefused, **payout, **why, by=right)
    at.does(events.SeatPaid, seat=3)
    assert "is paid already" in at.refuses(events.PayoutRefused, **payout, **why, by=right)


@pytest.mark.rule("PA-639a.11(c)(6)(i)", "PA-639a.11(c)(6)(ii)", "PA-639a.11(c)(6)(iii)")
@pytest.mark.rule("MA.10(c)(3)(ii)(c)(3)(i)", "MA.10(c)(3)(ii)(c)(3)(ii)")
@pytest.mark.rule("MA.10(c)(3)(ii)(c)(3)(iii)")
@pytest.mark.parametrize("book", ["pa-639a", "ma"])
@pytest.mark.parametrize(
    ("hand", "credit", "floor"),
    [(FLUSH, 5000, False), (FULL_HOUSE, 10_000, False), (QUADS, 50_000, True)],
)
def test_five_card_wins_are_verified_and_credited(
    book: str, hand: str, credit: int, floor: bool
) -> None:
    at = seated_round(book, {1: hand, "dealer": ACE_KING}, side={"five_card_player": 100})
    before = at.table.seat(1).balance
    payout = {"seat": 1, "wager": "five_card_player"}
    assert "is not verified" in at.refuses(events.SeatPaid, seat=1)
    at.does(events.HandVerified, **payout)
    if floor:
        assert "is not validated by a floorperson" in at.refuses(events.SeatPaid, seat=1)
        why = at.refuses(events.PayoutValidated, **payout, by=OTHER_DEALER)
        assert "is for a floorperson" in why
        at.does(events.PayoutValidated, **payout, by=FLOOR)
    else:
        assert "needs no validation" in at.refuses(events.PayoutValidated, **payout, by=FLOOR)
    assert at.table.seat(1).balance == before
    at.does(events.SeatPaid, seat=1)
    assert at.table.seat(1).balance == before + credit
    assert at.refuses(events.SeatPaid, seat=1)
    assert at.table.seat(1).balance == before + credit


@pytest.mark.rule("PA-639a.11(c)(6)(iii)", "MA.10(c)(3)(ii)(c)(3)(iii)", "R24")
@pytest.mark.parametrize("book", ["pa-639a", "ma"])
def test_a_share_of_the_five_card_meter_is_never_credited(book: str) -> None:
    at = seated_round(book, {1: STRAIGHT_FLUSH, "dealer": ACE_KING}, side={"five_card_player": 100})
    before = at.table.seat(1).balance
    payout = {"seat": 1, "wager": "five_card_player"}
    at.does(events.HandVerified, **payout)
    assert "is not validated by a floorperson" in at.refuses(events.SeatPaid, seat=1)
    at.does(events.PayoutValidated, **payout, by=FLOOR)
    at.does(events.SeatPaid, seat=1)
    assert [c.paid_by for c in at.sent(Pay) if c.wager == "five_card_player"] == ["hand"]
    assert at.table.seat(1).balance == before
    assert frozen(at.table) == [1]
    assert "is not documented" in at.refuses(events.CardsRacked)
    at.does(events.HandPayDocumented, seat=1, by=FLOOR)
    at.racks()


@pytest.mark.rule("PA-639a.11(c)(6)(iii)", "MA.10(c)(3)(ii)(c)(3)(iii)")
@pytest.mark.parametrize("book", ["pa-639a", "ma"])
def test_magic_card_and_lucky_bonus_are_credited(book: str) -> None:
    at = open_table(book, draw_every={"magic_card": 1, "lucky": 1}).shuffles()
    at.antes(3, five_card_player=100).locks()  # drawn are the 7 of diamonds and seat 3
    stacked(at, {3: "7d 2c 4s Th Jc", "dealer": ACE_KING}).deals().decides().reveals()
    before = at.table.seat(3).balance
    at.pays()
    assert at.table.seat(3).balance == before + 2000 + 500


# --- Paid by hand -----------------------------------------------------------

BY_HAND = {
    "pa-639a": STRAIGHT_FLUSH,
    "s10": STRAIGHT_FLUSH,
    "ma": STRAIGHT_FLUSH,
    "pa-669a": AKQ_SPADES,
}


@pytest.mark.rule("PA-639a.11(c)(5)(iv)", "MA.10(c)(3)(ii)(c)(2)(iv)", "PA-669a.11(i)(3)(i)(D)")
@pytest.mark.rule("S10.(j)(6)(iv)", "R24")
@pytest.mark.parametrize("book", list(BY_HAND))
def test_a_share_of_the_meter_is_paid_by_hand_and_freezes_the_hand(book: str) -> None:
    dealer: dict[int | str, str] = {} if book == "pa-669a" else {"dealer": NO_HAND}
    at = open_table(book).shuffles().antes(1).antes(3, progressive=100).locks()
    stacked(at, {3: BY_HAND[book], **dealer}).deals().decides().reveals()
    pay_until(at, 3)
    if book == "s10":  # seat 1 is paid after seat 3, and its hand may go
        assert in_turn(at.table) == 3
    assert "is not paid yet" in at.refuses(events.HandPayDocumented, seat=3, by=FLOOR)
    verified(at)
    at.does(events.SeatPaid, seat=3)
    pay = next(c for c in at.sent(Pay) if c.wager == "progressive")
    assert pay.paid_by == "hand"  # neither the rack nor an account
    assert frozen(at.table) == [3]
    while (seat := in_turn(at.table)) is not None:
        verified(at)
        at.does(events.SeatPaid, seat=seat)
    # The other hands go to the rack; this one stays, and with it the round.
    assert 1 in at.table.picked_up
    assert 3 not in at.table.picked_up
    assert "is not documented" in at.refuses(events.CardsRacked)
    assert not at.sent(StartShuffle)
    assert at.refuses(events.DeckLoaded, deck="A")
    assert "is for a floorperson" in at.refuses(events.HandPayDocumented, seat=3, by=DEALER)
    at.does(events.HandPayDocumented, seat=3, by=FLOOR)
    assert line(at, 3, "progressive").documented_by == FLOOR.id
    assert at.table.picked_up[-1] == 3
    assert "no payment by hand" in at.refuses(events.HandPayDocumented, seat=3, by=FLOOR)
    at.racks()
    assert at.phase == "shuffling"


@pytest.mark.rule("R23")
@pytest.mark.parametrize(
    ("book", "hand", "base"),
    [("pa-639a", ROYAL, 1_000_000), ("s10", ROYAL, 1_000_000), ("pa-669a", AKQ_SPADES, 100_000)],
)
def test_a_win_is_shown_in_the_very_step_in_which_it_is_paid(
    book: str, hand: str, base: int
) -> None:
    dealer: dict[int | str, str] = {} if book == "pa-669a" else {"dealer": ACE_KING}
    at = seated_round(book, {3: hand, **dealer}, side={"progressive": 100})
    level = at.table.meters["progressive"].shows()["main"]
    verified(at)
    at.does(events.SeatPaid, seat=3)
    shown = at.sent(ShowWin)[0]
    assert (shown.table, shown.seat, shown.cents, shown.base) == ("t1", 3, level, base)
    assert (shown.meter, shown.level) == ("progressive", "main")
    assert at.table.meters["progressive"].shows()["main"] == base


def test_a_hand_is_verified_and_validated_before_it_is_paid_not_after() -> None:
    at = winning("pa-639a")
    verified(at)
    at.does(events.SeatPaid, seat=3)
    payout = {"seat": 3, "wager": "progressive"}
    assert "is paid already" in at.refuses(events.HandVerified, **payout)
    assert "is paid already" in at.refuses(events.PayoutValidated, **payout, by=FLOOR)


@pytest.mark.rule("PA-669a.11(f)")
@pytest.mark.parametrize("side", ["", "progressive", "six_card"])
def test_a_folded_hand_on_the_table_is_envied_and_one_in_the_rack_is_not(side: str) -> None:
    at = open_table("pa-669a").shuffles()
    at.antes(1, progressive=100).antes(3, **({side: 100} if side else {})).locks()
    stacked(at, {3: "As Ks Qs", 1: "9c 5d 4s", "community": "8h 8d 2c"}).deals()
    at.decides(lambda street, seat: "wager" if seat == 1 else "fold" if street == 3 else "check")
    assert (3 in at.table.picked_up) == (not side)
    at.reveals()
    envied = {due.seat: due.returns for due in at.table.due if due.wager == "envy"}
    assert envied == ({1: 100_00} if side else {})


# --- One player, two boxes --------------------------------------------------


@pytest.mark.rule("PA-639a.11(c)(5)(v)")
def test_no_envy_for_the_hand_in_ones_own_other_box() -> None:
    at = open_table("pa-639a", boxes=2)
    at.does(events.PlayerSat, seat=4, player=" P3")  # however the name is spelled
    at.shuffles().antes(1, 3, 4, progressive=100).locks()
    stacked(at, {3: STRAIGHT_FLUSH, "dealer": ACE_KING}).deals().decides().reveals()
    envied = {due.seat: due.returns for due in at.table.due if due.wager == "envy"}
    assert envied == {1: 30_000}


@pytest.mark.rule("PA-683a.12(f)")
@pytest.mark.parametrize(("player", "won"), [("p3", 5_000_000), ("another", 10_000_000)])
def test_the_payout_limit_is_the_players_over_all_boxes(player: str, won: int) -> None:
    options = {**OFFER["pa-683a"], "payout_limit": 5_000_000}
    at = open_table("pa-683a", options=options, boxes=2)
    at.does(events.PlayerSat, seat=4, player=player)
    at.shuffles()
    for seat in (3, 4):
        at.does(events.WagerPlaced, seat=seat, wager="ante", amount=20_000)
    at.locks()
    stacked(at, {3: "6h 5h", 4: "Jh Th", "community": "9h 8h 7h"}).deals().decides().reveals()
    assert sum(due.returns - due.stake for due in at.table.due) == won


# --- Cover All --------------------------------------------------------------


def covered(hands: dict[int | str, str]) -> AtTheTable:
    at = open_table("ma").shuffles().antes(1, 3, 7, cover_all=300).locks()
    return stacked(at, hands).deals().decides()


@pytest.mark.rule("MA.12(h)(a)", "MA.12(i)")
def test_the_best_hand_lies_open_for_cover_all_and_gives_way_to_a_better() -> None:
    # Seat 3 has no Cover All of its own, and holds the hand that wins it for the others.
    at = open_table("ma").shuffles().antes(1, 7, cover_all=300).antes(3).locks()
    stacked(at, {7: TRIPS, 3: QUADS, 1: LOW, "dealer": ACE_KING}).deals().decides()
    at.does(events.HandsCounted, hands=4)
    show(at, "dealer")
    assert left_exposed(at.terms, at.table) is None
    turn(at, 7)
    assert left_exposed(at.terms, at.table) == 7  # three of a kind wins it already
    turn(at, 3)
    assert left_exposed(at.terms, at.table) == 3
    turn(at, 1)
    assert left_exposed(at.terms, at.table) == 3
    pay_until(at, 3)
    verified(at)
    at.does(events.SeatPaid, seat=3)
    at.does(events.SeatPaid, seat=1)
    # Its Ante and Bet are paid, and it still lies there; the earlier one went.
    assert 3 not in at.table.picked_up
    at.pays().racks()
    kept = at.sent(KeepRound)[0]
    assert kept.picked_up.index(7) < kept.picked_up.index(3)


@pytest.mark.rule("MA.12(h)(a)")
def test_the_dealers_hand_may_be_the_one_that_lies_open() -> None:
    at = covered({7: LOW, "dealer": "9c 9d 9h As Kc"})
    show(at, "dealer")
    assert left_exposed(at.terms, at.table) == "dealer"


@pytest.mark.rule("MA.12(j)")
def test_cover_all_is_settled_after_every_other_wager() -> None:
    at = covered({7: TRIPS, 3: PAIR, 1: LOW, "dealer": ACE_KING}).reveals()
    before = len(at.commands)
    order = []
    while (seat := in_turn(at.table)) is not None:
        verified(at)
        at.does(events.SeatPaid, seat=seat)
        order.append(seat)
    assert order == [7, 3, 1, 7, 3, 1]
    ends = [c.wager for c in at.commands[before:] if isinstance(c, Pay | CollectWager)]
    first = ends.index("cover_all")
    assert set(ends[first:]) == {"cover_all"}
    assert ends.count("cover_all") == 3


# --- The end of the round ---------------------------------------------------


@pytest.mark.rule("S10.(a)(1)(x)", "MA.1[Round of play]")
@pytest.mark.parametrize("book", STUD)
def test_a_round_ends_when_all_have_decided_and_all_is_settled(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3, progressive=100).locks().deals()
    assert at.refuses(events.CardsRacked)
    at.does(events.Decided, seat=1, choice="wager", amount=2000)
    assert at.refuses(events.CardsRacked)
    at.does(events.Decided, seat=3, choice="wager", amount=2000)
    assert at.refuses(events.CardsRacked)
    at.reveals()
    while (seat := in_turn(at.table)) is not None:
        assert "is not for the phase settling" in at.refuses(events.CardsRacked)
        assert at.refuses(events.TableClosed, by=FLOOR)
        verified(at)
        at.does(events.SeatPaid, seat=seat)
    assert all(due.paid for due in at.table.due)
    at.racks()


@pytest.mark.rule("PA-639a.11(d)", "S10.(j)(7)", "MA.10(d)", "PA-669a.11(j)", "PA-682a.11(f)")
@pytest.mark.rule("PA-683a.11(j)")
@pytest.mark.parametrize("book", BOOKS)
def test_every_hand_can_be_rebuilt_from_the_record(book: str) -> None:
    side = {"pa-682a": {"all_six": 300}, "pa-683a": {"all_six": 300}}.get(book, {})
    at = open_table(book)
    last = at.terms.seats
    at.shuffles().antes(1, 3, last, **side).locks().deals()
    folds = {last}
    at.decides(lambda street, seat: "wager" if seat not in folds else _quits(book, street))
    at.reveals().pays()
    assert at.refuses(events.CardsRacked, by=FLOOR)
    at.does(events.CardsRacked, by=DEALER)
    kept = at.sent(KeepRound)[0]
    assert (kept.round, kept.deck) == (1, at.table.last_deck)
    for seat in kept.hands:
        assert kept.hands[seat] == tuple(at.faces[seat])
    for place, shown in kept.places.items():
        assert shown == tuple(at.faces[place])
    # Every hand is somewhere in the rack, those included that nobody saw, and once.
    assert set(kept.picked_up) >= {1, 3, last}
    assert len(set(kept.picked_up)) == len(kept.picked_up)
    assert kept.dealt == dict.fromkeys((1, 3, last), at.terms.ruleset.rulebook.hands.player)
    assert (last in kept.hands) is bool(side)
    dealt = sum(kept.dealt.values()) + sum(len(at.faces.get(p, ())) for p in kept.places)
    assert kept.stub + dealt + _set_aside(book) == 52


def _quits(book: str, street: int) -> str:
    return "check" if book == "pa-669a" and street < 3 else "fold"


def _set_aside(book: str) -> int:
    """Cards of Four Card Prime's last stack that nobody plays."""
    return 3 if book == "pa-682a" else 0


@pytest.mark.rule("S10.(a)(1)(xi)", "MA.1[Stub]")
@pytest.mark.parametrize("book", ["s10", "ma"])
def test_the_stub_is_what_the_deal_left(book: str) -> None:
    at = open_table(book).sits(2)
    at.shuffles().antes(1, 2, 3, 7).locks().deals()
    assert stub(at.table) == 27
    at.decides().reveals().pays().racks()
    assert at.sent(KeepRound)[0].stub == 27


def test_unplayed_tables_keep_nobody_waiting() -> None:
    at = open_table("pa-639a").shuffles()
    played(at, {1: LOW, "dealer": NO_HAND}).pays().racks()
    assert at.table.picked_up == ()
    assert at.phase == "shuffling"
