"""From the reveal on: the right person is told what is due now, at which seat, and nothing else."""

from __future__ import annotations

import pytest

from controller.table import events
from controller.table.paying import in_turn
from controller.table.prompt import Prompt
from controller.table.prompts import prompts
from controller.table.settling import to_be_turned
from tests.controller.table.playing import BOOKS, BOSS, FLOOR, AtTheTable, open_table
from tests.controller.table.rigged import (
    ACE_KING,
    FLUSH,
    LOW,
    NO_HAND,
    STRAIGHT_FLUSH,
    TRIPS,
    seated_round,
    show,
    stacked,
    turn,
)
from tests.controller.table.test_seat_by_seat import pays

PUSH = "Ad Kh 9s 4d 3s"


def asked(at: AtTheTable, answer: str) -> list[Prompt]:
    return [one for one in prompts(at.terms, at.table) if one.answer == answer]


def clauses(at: AtTheTable) -> set[str]:
    return {one.clause for one in prompts(at.terms, at.table)}


# --- Reveal and turn --------------------------------------------------------

REVEAL = {
    "pa-639a": ("PA-639a.11(c)", "reveal the four hole cards", "PA-639a.11(c)(1)"),
    "ma": ("MA.10(c)", "reveal the four hole cards", "MA.10(c)(1)"),
    "s10": ("S10.(j)(4)", "reveal the hole cards", "S10.(j)(5)"),
    "pa-682a": ("PA-682a.11(d)", "reveal the six cards", "PA-682a.11(d)(1)"),
    "pa-669a": ("", "", "PA-669a.11(i)"),
    "pa-683a": ("", "", "PA-683a.11(h)"),
}


@pytest.mark.rule("PA-639a.11(c)", "MA.10(c)", "PA-682a.11(d)")
@pytest.mark.rule("PA-639a.11(c)(1)", "MA.10(c)(1)", "S10.(j)(5)", "PA-682a.11(d)(1)")
@pytest.mark.rule("PA-669a.11(i)", "PA-683a.11(h)")
@pytest.mark.parametrize("book", BOOKS)
def test_the_dealers_cards_then_each_hand_from_the_right(book: str) -> None:
    reveal, words, turned = REVEAL[book]
    at = open_table(book).shuffles().antes(1, 3).locks()
    stacked(at, {"dealer": ACE_KING} if reveal else {}).deals().decides()
    if reveal:
        assert [one.clause for one in asked(at, "revealed")] == [reveal]
        assert words in asked(at, "revealed")[0].text
        assert asked(at, "hand_turned") == []
        show(at, "dealer")
    for seat in (3, 1):
        assert asked(at, "revealed") == []
        assert [(one.seat, one.clause) for one in asked(at, "hand_turned")] == [(seat, turned)]
        assert asked(at, "hand_turned")[0].text.startswith(f"seat {seat}: turn ")
        turn(at, seat)
        if in_turn(at.table) is not None:
            # No other hand before this one is settled.
            assert asked(at, "hand_turned") == []
            assert {one.seat for one in asked(at, "seat_paid")} == {seat}
            pays(at)


@pytest.mark.rule("PA-683a.11(h)")
def test_the_best_hand_is_announced_as_it_is_turned() -> None:
    at = open_table("pa-683a").shuffles().antes(3).locks().deals().decides()
    assert "announce the best five-card hand" in asked(at, "hand_turned")[0].text


@pytest.mark.rule("PA-639a.11(c)(2)", "MA.10(c)(2)")
@pytest.mark.parametrize("book", ["pa-639a", "ma"])
def test_the_rank_of_a_hand_is_shown_with_what_it_is_owed(book: str) -> None:
    at = seated_round(book, {1: LOW, 3: TRIPS, "dealer": ACE_KING})
    assert all("three-of-a-kind" in one.text for one in asked(at, "seat_paid"))
    assert at.table.seat(3).hand == "three-of-a-kind"


@pytest.mark.rule("PA-682a.11(e)(3)", "PA-683a.11(i)(4)")
@pytest.mark.parametrize("book", ["pa-682a", "pa-683a"])
def test_all_six_cards_are_exposed_after_the_seats_other_wagers_are_settled(book: str) -> None:
    at = open_table(book).sits(5).shuffles().antes(5).antes(1, 3, all_six=300).locks()
    at.deals().decides()
    if book == "pa-682a":
        show(at, "dealer")
    turn(at, 5)
    pays(at)
    assert asked(at, "revealed") == []
    turn(at, 3)
    pays(at)
    clause = {"pa-682a": "PA-682a.11(e)(3)", "pa-683a": "PA-683a.11(i)(4)"}[book]
    assert [(one.seat, one.clause) for one in asked(at, "revealed")] == [(3, clause)]
    assert "expose" in asked(at, "revealed")[0].text
    show(at, "extra")
    assert [one.seat for one in asked(at, "seat_paid")] == [3]
    assert "all_six" in asked(at, "seat_paid")[0].text


# --- What is due, and nothing else ------------------------------------------


def test_a_payout_names_the_seat_and_the_sum() -> None:
    at = seated_round("pa-639a", {1: LOW, 3: FLUSH, "dealer": "As Kc 9d 4h 3c"})
    assert [one.seat for one in asked(at, "seat_paid")] == [3, 3]
    ante, bet = (one.text for one in asked(at, "seat_paid"))
    assert "seat 3" in ante
    assert "$20 goes to the player" in ante
    assert "$120 goes to the player" in bet
    pays(at)
    assert [one.text for one in asked(at, "seat_paid")] == [
        "seat 1, 10 high: collect the ante, $10",
        "seat 1, 10 high: collect the bet, $20",
    ]


@pytest.mark.rule("S10.(j)(5)")
def test_each_pass_asks_for_its_own_lines_and_no_progressive_before_it_is_verified() -> None:
    at = open_table("s10").sits(5).shuffles().antes(1, 3, 5, 7, progressive=100).locks()
    hands: dict[int | str, str] = {7: TRIPS, 5: "Kd Td 8d 5d 2d", 3: PUSH, 1: "Qs Tc 8c 6h 5h"}
    stacked(at, {**hands, "dealer": ACE_KING})
    at.deals().decides().reveals()
    seen = []
    while (seat := in_turn(at.table)) is not None:
        now = {(one.seat, one.text.split(":")[-1].split(",")[0]) for one in asked(at, "seat_paid")}
        texts = [one.text for one in asked(at, "seat_paid")]
        assert {one for one, _ in now} <= {seat}
        seen += texts
        pays(at)
    assert len(seen) == len(set(seen)), "nothing is asked for twice"
    lost = [text for text in seen if "collect the" in text]
    assert len(lost) == 2 + 3  # Ante, Bet of seat 1, and the progressives of 7, 3 and 1
    assert not any("progressive" in text and "collect" not in text for text in seen)


@pytest.mark.rule("S10.(k)(2)(i)", "S10.(k)(2)(ii)", "S10.(k)(2)(iii)")
@pytest.mark.rule("PA-639a.11(c)(5)(i)", "PA-639a.11(c)(5)(ii)", "PA-639a.11(c)(5)(iii)")
@pytest.mark.rule(
    "MA.10(c)(3)(ii)(c)(2)(i)", "MA.10(c)(3)(ii)(c)(2)(ii)", "MA.11(d)(1)(i)", "MA.11(d)(1)(ii)"
)
@pytest.mark.rule("MA.11(d)(1)(iii)", "MA.10(c)(3)(ii)(c)(2)(iii)")
@pytest.mark.rule("PA-669a.11(i)(3)(i)(A)", "PA-669a.11(i)(3)(i)(B)", "PA-669a.11(i)(3)(i)(C)")
@pytest.mark.parametrize(
    ("book", "hand", "validator", "verify", "validate"),
    [
        ("s10", FLUSH, "supervisor", ["S10.(k)(2)(i)", "S10.(k)(2)(ii)"], "S10.(k)(2)(iii)"),
        (
            "pa-639a",
            FLUSH,
            "floorperson",
            ["PA-639a.11(c)(5)(i)", "PA-639a.11(c)(5)(ii)"],
            "PA-639a.11(c)(5)(iii)",
        ),
        (
            "ma",
            FLUSH,
            "supervisor",
            ["MA.10(c)(3)(ii)(c)(2)(i)", "MA.10(c)(3)(ii)(c)(2)(ii)"],
            "MA.11(d)(1)(iii)",
        ),
        (
            "pa-669a",
            "7c 7d 7h",
            "floorperson",
            ["PA-669a.11(i)(3)(i)(A)", "PA-669a.11(i)(3)(i)(B)"],
            "PA-669a.11(i)(3)(i)(C)",
        ),
    ],
)
def test_a_progressive_is_verified_and_validated_before_anybody_is_told_to_pay_it(
    book: str, hand: str, validator: str, verify: list[str], validate: str
) -> None:
    dealer: dict[int | str, str] = {} if book == "pa-669a" else {"dealer": NO_HAND}
    at = seated_round(book, {3: hand, **dealer}, side={"progressive": 100})
    found = asked(at, "hand_verified")
    assert [(one.who, one.seat, one.clause) for one in found] == [
        ("dealer", 3, clause) for clause in verify
    ]
    assert found[0].text.endswith("verify that the hand is a winning hand")
    assert found[1].text.endswith("light of the seat is illuminated")
    assert asked(at, "payout_validated") == []
    at.does(events.HandVerified, seat=3, wager="progressive")
    assert asked(at, "hand_verified") == []
    found = asked(at, "payout_validated")
    assert [(one.who, one.seat, one.clause) for one in found] == [(validator, 3, validate)]
    assert found[0].text.endswith("validate the progressive payout")
    assert asked(at, "seat_paid") == []
    at.does(events.PayoutValidated, seat=3, wager="progressive", by=BOSS)
    assert any("progressive" in one.text for one in asked(at, "seat_paid"))


@pytest.mark.rule("PA-639a.11(c)(6)(i)", "PA-639a.11(c)(6)(ii)")
@pytest.mark.rule("MA.10(c)(3)(ii)(c)(3)(i)", "MA.10(c)(3)(ii)(c)(3)(ii)")
@pytest.mark.parametrize(
    ("book", "verify", "validate"),
    [
        ("pa-639a", "PA-639a.11(c)(6)(i)", "PA-639a.11(c)(6)(ii)"),
        ("ma", "MA.10(c)(3)(ii)(c)(3)(i)", "MA.10(c)(3)(ii)(c)(3)(ii)"),
    ],
)
@pytest.mark.parametrize(("hand", "high"), [(FLUSH, False), ("7c 7d 7h 7s 2c", True)])
def test_a_five_card_win_is_verified_and_a_high_one_by_the_floor_as_well(
    book: str, verify: str, validate: str, hand: str, high: bool
) -> None:
    at = seated_round(book, {3: hand, "dealer": NO_HAND}, side={"five_card_player": 100})
    [look] = asked(at, "hand_verified")
    assert (look.who, look.seat, look.clause) == ("dealer", 3, verify)
    assert look.text.endswith("verify that the hand is a winning hand")
    assert asked(at, "seat_paid") == []
    at.does(events.HandVerified, seat=3, wager="five_card_player")
    found = asked(at, "payout_validated")
    assert [(one.who, one.clause) for one in found] == [("floorperson", validate)] * high
    if high:
        assert found[0].text.endswith("verify the payout")
        assert asked(at, "seat_paid") == []
        at.does(events.PayoutValidated, seat=3, wager="five_card_player", by=FLOOR)
    assert any("credit" in one.text for one in asked(at, "seat_paid"))


@pytest.mark.parametrize("draw", ["magic_card", "lucky"])
def test_what_a_draw_wins_is_asked_to_be_verified(draw: str) -> None:
    at = open_table("pa-639a", draw_every={draw: 1}).shuffles()
    at.antes(3, five_card_player=100).locks()
    stacked(at, {3: "7d 9c 2h 4s Jd", "dealer": NO_HAND}).deals().decides().reveals()
    found = [one for one in asked(at, "hand_verified") if draw in one.text]
    assert [(one.seat, one.clause) for one in found] == [(3, "PA-639a.11(c)(6)(i)")]


@pytest.mark.rule("S10.(j)(6)(ii)")
def test_no_hand_is_announced_before_the_antes_are_paid() -> None:
    at = open_table("s10").shuffles().antes(1, 3).locks()
    stacked(at, {1: LOW, 3: TRIPS, "dealer": NO_HAND}).deals()
    at.decides(lambda street, seat: "fold" if seat == 1 else "wager")
    said = Prompt("dealer", "announce 'No hand'", "S10.(j)(6)(ii)")
    assert said not in prompts(at.terms, at.table)
    show(at, "dealer")
    assert said in prompts(at.terms, at.table)
    at.reveals()
    assert said in prompts(at.terms, at.table)
    pays(at)
    assert said not in prompts(at.terms, at.table)


@pytest.mark.rule("S10.(j)(6)(ii)")
def test_a_hand_that_qualifies_is_not_announced_as_none() -> None:
    at = open_table("s10").shuffles().antes(3).locks()
    stacked(at, {3: TRIPS, "dealer": ACE_KING}).deals().decides()
    show(at, "dealer")
    assert "S10.(j)(6)(ii)" not in clauses(at)


def test_what_a_fold_took_in_is_not_asked_for_again() -> None:
    at = open_table("s10").shuffles().antes(1, 3, progressive=100).locks().deals()
    at.decides(lambda street, seat: "fold" if seat == 3 else "wager").reveals()
    while in_turn(at.table) is not None:
        assert all(one.seat != 3 for one in prompts(at.terms, at.table))
        pays(at)


# --- Cards that stay, and cards that go -------------------------------------


@pytest.mark.rule("MA.12(h)(a)", "MA.12(i)", "MA.12(j)")
def test_the_highest_hand_lies_open_for_cover_all_until_a_higher_one_is_found() -> None:
    at = open_table("ma").sits(5).shuffles()
    at.does(events.ShufflerSet, game="Caribbean Stud Poker Cover All")
    at.antes(1, 3, 5, cover_all=300).locks()
    straight = "9s 8c 7d 6h 5s"
    stacked(at, {5: TRIPS, 3: straight, 1: "Ts 8d 6s 4s 3d", "dealer": NO_HAND}).deals()
    at.does(events.HandsCounted, hands=4)
    at.decides()
    show(at, "dealer")
    turn(at, 5)
    [open_] = [p for p in prompts(at.terms, at.table) if p.clause == "MA.12(h)(a)"]
    assert (open_.who, open_.seat) == ("dealer", 5)
    assert "leave the cards exposed on the table" in open_.text
    pays(at)
    assert 5 not in at.table.picked_up
    turn(at, 3)
    assert (3, "MA.12(h)(a)") in {(p.seat, p.clause) for p in prompts(at.terms, at.table)}
    [exceeded] = [p for p in prompts(at.terms, at.table) if p.clause == "MA.12(i)"]
    assert (exceeded.who, exceeded.seat) == ("dealer", 5)
    assert "remove these cards from the table" in exceeded.text
    pays(at)
    assert at.table.picked_up == (5,)
    turn(at, 1)
    assert "MA.12(j)" not in clauses(at)
    pays(at)
    for seat in (5, 3, 1):
        assert (seat, "MA.12(j)") in {(p.seat, p.clause) for p in prompts(at.terms, at.table)}
        assert [one.seat for one in asked(at, "seat_paid")] == [seat]
        pays(at)


STAYS = {
    "pa-639a": "PA-639a.11(c)(5)(iv)",
    "ma": "MA.10(c)(3)(ii)(c)(2)(iv)",
    "s10": "S10.(j)(5)(iii)",
}


@pytest.mark.parametrize(
    "book",
    [
        "pa-639a",
        "ma",
        pytest.param("s10", marks=pytest.mark.rule("S10.(j)(5)(iii)", "S10.(j)(6)(iv)")),
    ],
)
def test_a_hand_that_is_paid_by_hand_stays_and_the_floor_is_asked_for_its_documents(
    book: str,
) -> None:
    at = open_table(book).shuffles().antes(1).antes(3, progressive=100).locks()
    stacked(at, {3: STRAIGHT_FLUSH, 1: "Ts 8c 6d 4d 3d", "dealer": NO_HAND}).deals().decides()
    at.reveals()
    while in_turn(at.table) is not None:
        pays(at)
    found = asked(at, "hand_pay_documented")
    assert [(one.who, one.seat, one.clause) for one in found] == [("floorperson", 3, STAYS[book])]
    assert asked(at, "cards_racked") == []
    assert at.refuses(events.CardsRacked)
    at.does(events.HandPayDocumented, seat=3, by=FLOOR)
    assert asked(at, "hand_pay_documented") == []
    [rack] = asked(at, "cards_racked")
    assert "in the discard rack" in rack.text


CLEARED = {
    "pa-639a": "PA-639a.11(d)",
    "ma": "MA.10(d)",
    "s10": "S10.(j)(7)",
    "pa-669a": "PA-669a.11(j)",
    "pa-682a": "PA-682a.11(f)",
    "pa-683a": "PA-683a.11(j)",
}


@pytest.mark.parametrize("book", BOOKS)
def test_the_cards_of_a_settled_round_are_racked_in_order(book: str) -> None:
    at = open_table(book).shuffles().antes(3).locks().deals().decides().reveals()
    pays(at)
    if in_turn(at.table) is not None:
        pays(at)
    found = asked(at, "cards_racked")
    assert [(one.who, one.clause) for one in found] == [("dealer", CLEARED[book])]
    assert not any("void" in one.text for one in prompts(at.terms, at.table))


# --- Void -------------------------------------------------------------------


@pytest.mark.parametrize("book", BOOKS)
def test_a_void_round_names_what_goes_back_to_whom(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3).locks().deals()
    at.does(events.RoundVoided, reason="found out", by=FLOOR)
    found = asked(at, "wagers_returned")
    assert [one.seat for one in found] == [1, 3]
    entry = "ante $10, blind $10" if book == "pa-669a" else "ante $10"
    assert found[0].text == f"seat 1: return {entry}"
    assert any("the round is void: found out" in one.text for one in prompts(at.terms, at.table))
    at.does(events.WagersReturned, seat=1)
    assert [one.seat for one in asked(at, "wagers_returned")] == [3]


@pytest.mark.parametrize("book", ["s10", "pa-669a", "pa-682a", "pa-683a"])
def test_what_goes_back_goes_back_after_the_table_was_closed_too(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3)
    at.does(events.DeckRemoved, deck="A", by=FLOOR, reason="a card is bent")
    at.does(events.TableClosed, by=FLOOR)
    for seat in (1, 3):
        assert seat in [one.seat for one in asked(at, "wagers_returned")]
        at.does(events.WagersReturned, seat=seat)
    assert asked(at, "wagers_returned") == []


@pytest.mark.rule("PA-682a.13(d)", "PA-683a.13(d)")
@pytest.mark.parametrize(("book", "where"), [("pa-682a", "dealer"), ("pa-683a", "community")])
def test_at_an_exposure_ante_and_raises_go_back_and_side_wagers_are_settled(
    book: str, where: str
) -> None:
    side = {"prime": 500} if book == "pa-682a" else {"pocket": 500}
    at = open_table(book).shuffles().antes(1).antes(3, **side).locks().deals()
    at.does(events.CardExposed, where=where)
    found = asked(at, "wagers_returned")
    assert [(one.seat, one.text) for one in found] == [
        (1, "seat 1: return ante $10"),
        (3, "seat 3: return ante $10"),
    ]
    for seat in (1, 3):
        at.does(events.WagersReturned, seat=seat)
    at.reveals()
    assert [one.seat for one in asked(at, "seat_paid")] == [3]
    pays(at)
    # What was settled is not to be returned again.
    assert at.phase == "clearing"
    assert not any("return" in one.text for one in prompts(at.terms, at.table))
    assert to_be_turned(at.terms, at.table) == []


@pytest.mark.rule("PA-639a.13(f)", "S10.(m)(6)", "MA.13(f)")
@pytest.mark.rule("PA-669a.13(f)", "PA-682a.13(f)", "PA-683a.13(f)")
@pytest.mark.parametrize("book", BOOKS)
def test_a_shoe_that_failed_is_emptied(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3).locks()
    at.does(events.DealPressed)
    at.does(events.DeviceFaulted, device="shoe", nature="jam")
    clause = {"s10": "S10.(m)(6)", "ma": "MA.13(f)"}.get(book, f"{book.upper()[:-1]}a.13(f)")
    found = [one for one in prompts(at.terms, at.table) if one.clause == clause]
    assert len(found) == 1
    assert "remove the cards from the shoe: they are reshuffled with" in found[0].text
