"""The stub: away before anyone decides, counted every fifth round, and what a wrong count means."""

from __future__ import annotations

from typing import Any

import pytest

from controller.table import events
from controller.table.dealing import next_step, stub
from tests.controller.table.midway import (
    PENNSYLVANIA,
    all_void,
    back,
    cases,
    clear_holds,
    deal_out,
    deal_step,
    dealing,
    down,
    not_loaded,
)
from tests.controller.table.playing import BOOKS, DEALER, FLOOR, METHODS, AtTheTable, open_table

#: Cards left after a whole deal to three seats with All-Six wagered, where there is one.
LEFT = {
    "pa-639a": 52 - 5 * 4,
    "s10": 52 - 5 * 4,
    "ma": 52 - 5 * 4,
    "pa-669a": 52 - 3 * 3 - 3,
    "pa-682a": 52 - 5 * 3 - 6 - 1,
    "pa-683a": 52 - 2 * 3 - 3 - 4,
}


def left(book: str, method: str) -> int:
    prime_in_stacks = (book, method) == ("pa-682a", "automated shoe")
    return 52 - 5 * (3 + 2) if prime_in_stacks else LEFT[book]


def left_by_two(book: str, method: str) -> int:
    """The same for two seats without side wagers."""
    if (book, method) == ("pa-682a", "automated shoe"):
        return 52 - 5 * (2 + 2)
    left = {"pa-669a": 52 - 3 * 2 - 3, "pa-682a": 52 - 5 * 2 - 6, "pa-683a": 52 - 2 * 2 - 3}
    return left.get(book, 52 - 5 * 3)


# --- Before decisions -------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("counted", [False, True])
def test_the_stub_is_away_before_anyone_decides(book: str, method: str, counted: bool) -> None:
    at = dealing(book, method)
    while next_step(at.table) is not None:
        at.refuses(events.StubRacked)
        at.refuses(events.StubCounted, cards=stub(at.table))
        deal_step(at)
    hands = at.terms.ruleset.rulebook.hands
    assert at.table.deal.placed.get("community", 0) == hands.community
    assert at.table.faces == {}
    at.refuses(events.Decided, seat=1, choice="wager", amount=1000)
    at.refuses(events.StubRacked, by=FLOOR)
    if counted:
        at.does(events.StubCounted, cards=left(book, method))
    else:
        at.does(events.StubRacked)
    assert at.phase == "deciding"
    assert at.table.deal.stub_by == DEALER.id
    at.refuses(events.StubRacked)


# --- Every fifth round ------------------------------------------------------

COUNTED = {
    ("pa-639a", "manual shoe"): "PA-639a.8(f)",
    ("pa-639a", "hand"): "PA-639a.9(d)",
    ("pa-639a", "automated shoe"): "PA-639a.10(d)",
    ("s10", "manual shoe"): "S10.(g)(6)",
    ("s10", "hand"): "S10.(h)(5)",
    ("s10", "automated shoe"): "S10.(i)(5)",
    ("ma", "manual shoe"): "MA.7(g)",
    ("ma", "hand"): "MA.8(f)",
    ("ma", "automated shoe"): "MA.9(f)",
    ("pa-669a", "manual shoe"): "PA-669a.8(f)",
    ("pa-669a", "hand"): "PA-669a.9(d)",
    ("pa-669a", "automated shoe"): "PA-669a.10(d)",
    ("pa-682a", "manual shoe"): "PA-682a.8(e)",
    ("pa-682a", "hand"): "PA-682a.9(d)",
    ("pa-682a", "automated shoe"): "PA-682a.10(d)",
    ("pa-683a", "manual shoe"): "PA-683a.8(e)",
    ("pa-683a", "hand"): "PA-683a.9(d)",
    ("pa-683a", "automated shoe"): "PA-683a.10(d)",
}


def deals_again(at: AtTheTable) -> AtTheTable:
    at.shuffles().antes(1, 3).locks()
    at.does(events.DealPressed)
    return deal_out(at)


def ends(at: AtTheTable) -> None:
    at.decides()
    if at.phase == "revealing":
        at.reveals()
    at.pays().racks()


@cases(COUNTED)
def test_the_fifth_round_does_not_go_on_without_a_count(book: str, method: str) -> None:
    # Section 10 and Massachusetts ask for it by hand and from a manual shoe, whoever counts.
    always = book in ("s10", "ma") and method != "automated shoe"
    for counts in (False, True) if always else (False,):
        at = open_table(book, method, shuffler_counts=counts)
        for fifth in (5, 10):
            for _ in range(4):
                deals_again(at).does(events.StubRacked)
                ends(at)
            deals_again(at)
            assert "must be counted" in at.refuses(events.StubRacked)
            at.refuses(events.Decided, seat=1, choice="wager", amount=1000)
            at.refuses(events.CardsRacked)
            at.refuses(events.LockOutPressed)
            at.does(events.StubCounted, cards=left_by_two(book, method))
            assert at.phase == "deciding"
            ends(at)
            assert at.table.round == fifth
            assert at.table.rounds_since_count == 0


@cases({case: ids for case, ids in COUNTED.items() if case[1] != "automated shoe"})
def test_a_card_that_was_set_aside_is_not_looked_for_in_the_stub(book: str, method: str) -> None:
    at = dealing(book, method)
    at.does(events.FaceUpCardFound)
    deal_out(at).does(events.StubCounted, cards=left(book, method) - 1)
    assert (at.phase, at.table.void) == ("deciding", "")


# The waiver is in the same paragraph as the count.
@cases({case: ids for case, ids in COUNTED.items() if case[0] in PENNSYLVANIA})
def test_a_counting_shuffler_waives_it_in_pennsylvania(book: str, method: str) -> None:
    at = open_table(book, method, shuffler_counts=True)
    for _ in range(7):
        deals_again(at).does(events.StubRacked)
        ends(at)


@pytest.mark.parametrize(
    "book",
    [
        pytest.param("s10", marks=pytest.mark.rule("S10.(i)(6)")),
        pytest.param("ma", marks=pytest.mark.rule("MA.9(g)")),
    ],
)
def test_a_counting_shuffler_waives_it_for_the_automated_shoe(book: str) -> None:
    at = open_table(book, "automated shoe", shuffler_counts=True)
    for _ in range(20):
        deals_again(at).does(events.StubRacked)
        ends(at)
    at.does(events.ShuffleCompleted, deck="A", count=51)
    assert at.table.decks[0].removed
    not_loaded(at, "A")


def test_a_count_is_due_at_once_when_the_counting_shuffler_goes() -> None:
    at = open_table("pa-639a", "manual shoe", shuffler_counts=True)
    for _ in range(6):
        at.plays(1)
    at.does(
        events.DeviceTakenOut,
        device="shuffler",
        cards_inside=0,
        how="covered",
        method="manual shoe",
        by=FLOOR,
    )
    deals_again(at)
    at.refuses(events.StubRacked)


# --- A good count -----------------------------------------------------------

GOOD = {
    ("pa-639a", "manual shoe"): "PA-639a.8(g)",
    ("pa-639a", "hand"): "PA-639a.9(e)",
    ("pa-639a", "automated shoe"): "PA-639a.10(e)",
    ("s10", "manual shoe"): "S10.(g)(6)(i)",
    ("s10", "hand"): "",
    ("ma", "manual shoe"): "MA.7(g)(1)",
    ("ma", "hand"): "",
    ("pa-669a", "manual shoe"): "PA-669a.8(g)",
    ("pa-669a", "hand"): "PA-669a.9(e)",
    ("pa-669a", "automated shoe"): "PA-669a.10(e)",
    ("pa-682a", "manual shoe"): "PA-682a.8(f)",
    ("pa-682a", "hand"): "PA-682a.9(e)",
    ("pa-682a", "automated shoe"): "PA-682a.10(e)",
    ("pa-683a", "manual shoe"): "PA-683a.8(f)",
    ("pa-683a", "hand"): "PA-683a.9(e)",
    ("pa-683a", "automated shoe"): "PA-683a.10(e)",
}


@cases(GOOD)
@pytest.mark.parametrize("set_aside", [0, 1])
def test_a_good_count_is_kept_and_starts_the_five_again(
    book: str, method: str, set_aside: int
) -> None:
    at = open_table(book, method, shuffler_counts=False)
    for _ in range(3):
        at.plays(1)
    assert at.table.rounds_since_count == 3
    at.shuffles().antes(1, 3, at.terms.seats, **all_six(book)).locks()
    at.does(events.DealPressed)
    deal_step(at)
    if set_aside:
        at.does(events.FaceUpCardFound)
    deal_out(at)
    at.refuses(events.StubCounted, cards=left(book, method) - set_aside, by=FLOOR)
    at.does(events.StubCounted, cards=left(book, method) - set_aside)
    table = at.table
    assert (table.round, table.deal.stub_by, table.deal.stub_cards) == (
        4,
        DEALER.id,
        left(book, method) - set_aside,
    )
    assert table.rounds_since_count == 0
    assert table.phase == "deciding"
    kept = at.taken[-1]
    assert isinstance(kept, events.StubCounted)
    assert kept.by == DEALER


def all_six(book: str) -> dict[str, int]:
    return {"all_six": 300} if book in ("pa-682a", "pa-683a") else {}


def test_a_right_count_hides_no_misdeal() -> None:
    at = deal_out(dealing("pa-639a", "manual shoe"))
    at.refuses(events.StubCounted, cards=32, misdealt=True, all_present=True)


# --- A wrong count ----------------------------------------------------------

WRONG = {
    ("pa-639a", "manual shoe"): "PA-639a.8(h)",
    ("pa-639a", "hand"): "PA-639a.9(f)",
    ("pa-639a", "automated shoe"): "PA-639a.10(f)",
    ("s10", "manual shoe"): "S10.(g)(6)(ii)",
    ("s10", "hand"): "",
    ("s10", "automated shoe"): "",
    ("ma", "manual shoe"): "MA.7(g)(2)",
    ("ma", "hand"): "",
    ("ma", "automated shoe"): "",
    ("pa-669a", "manual shoe"): "PA-669a.8(h)",
    ("pa-669a", "hand"): "PA-669a.9(f)",
    ("pa-669a", "automated shoe"): "PA-669a.10(f)",
    ("pa-682a", "manual shoe"): "PA-682a.8(g)",
    ("pa-682a", "hand"): "PA-682a.9(f)",
    ("pa-682a", "automated shoe"): "PA-682a.10(f)",
    ("pa-683a", "manual shoe"): "PA-683a.8(g)",
    ("pa-683a", "hand"): "PA-683a.9(f)",
    ("pa-683a", "automated shoe"): "PA-683a.10(f)",
}


@cases(WRONG)
@pytest.mark.parametrize(
    ("found", "stays"),
    [
        ({}, False),
        ({"all_present": True}, False),
        ({"misdealt": True}, False),
        ({"misdealt": True, "all_present": True}, True),
    ],
)
@pytest.mark.parametrize("off", [-1, 1])
def test_a_wrong_count_voids_the_round_and_may_take_the_deck(
    book: str, method: str, found: dict[str, Any], stays: bool, off: int
) -> None:
    at = deal_out(dealing(book, method, shuffler_counts=False))
    was = down(at)
    commands = at.does(events.StubCounted, cards=left(book, method) + off, **found)
    all_void(at, was, commands)
    assert sum(cents for _, cents in back(commands)) == sum(was.values())
    assert bool(at.table.decks[0].removed) is not stays
    at.racks()
    if stays:
        assert at.table.deck == "A"
        not_loaded(at, "A")  # not before it is shuffled again
        clear_holds(at)
        at.plays(1, 3)
        return
    at.refuses(events.ShuffleCompleted, deck="A")
    not_loaded(at, "A")
    clear_holds(at)
    at.enrols("N", "green")
    at.plays(1, 3)
    assert at.table.deck == "N"


@pytest.mark.rule("R5")
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("off", [-1, 1])
def test_a_count_that_contradicts_the_shuffler_is_an_alarm(book: str, off: int) -> None:
    at = deal_out(dealing(book, "automated shoe", shuffler_counts=True))
    at.does(events.StubCounted, cards=stub(at.table) + off)
    [hold] = at.table.holds
    assert "52" in hold.cause
    assert str(52 + off) in hold.cause
    at.racks().enrols("N", "green")
    at.does(events.ShuffleCompleted, deck="N", count=52)
    assert "blocks it" in at.refuses(events.DeckLoaded, deck="N")
    at.refuses(events.HoldCleared, hold=hold.number, reason="seen", by=DEALER)
    at.does(events.HoldCleared, hold=hold.number, reason="seen", by=FLOOR)
    at.does(events.DeckLoaded, deck="N")


@pytest.mark.rule("R5")
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("off", [-1, 1])
def test_a_shoe_that_has_other_cards_left_is_an_alarm_and_they_are_counted(
    book: str, off: int
) -> None:
    at = dealing(book, "automated shoe", shuffler_counts=True)
    while (planned := next_step(at.table)) is not None and planned.by_shoe:
        deal_step(at)
    expected = stub(at.table)
    at.does(events.StubReported, cards=expected)
    assert not at.table.holds
    at.does(events.StubReported, cards=expected + off)
    [hold] = at.table.holds
    assert f"{expected + off} cards left where {expected} should be: {52 + off}" in hold.cause
    assert "the shuffler counted 52" in hold.cause
    # Where a shuffler that counts spares the dealer the count, this one must be made.
    assert "blocks it" in at.refuses(events.StubRacked)
    if next_step(at.table) is not None:
        # The dealer goes on by hand, once a floorperson has looked.
        at.refuses(events.CardsDealt, to="community", cards=3)
        clear_holds(at)
        deal_out(at)
        assert "must be counted" in at.refuses(events.StubRacked)
    at.does(events.StubCounted, cards=stub(at.table) + off)
    assert at.table.void
    assert at.table.decks[0].removed


@pytest.mark.rule("R5")
def test_a_shoe_that_is_wrong_about_its_cards_costs_a_count_and_nothing_else() -> None:
    at = deal_out(dealing("pa-639a", "automated shoe", shuffler_counts=True))
    at.does(events.StubReported, cards=stub(at.table) - 1)
    at.does(events.StubCounted, cards=stub(at.table))
    assert not at.table.void
    assert not at.table.decks[0].removed
    # Nobody decides before somebody has looked.
    assert "cards left" in at.refuses(events.Decided, seat=1, choice="fold")
    clear_holds(at)
    at.does(events.Decided, seat=1, choice="fold")


@pytest.mark.rule("R5")
@pytest.mark.parametrize("found", [None, {"misdealt": True, "all_present": True}])
def test_no_alarm_where_all_cards_are_there(found: dict[str, bool] | None) -> None:
    at = deal_out(dealing("pa-639a", "automated shoe", shuffler_counts=True))
    at.does(events.StubCounted, cards=stub(at.table) - bool(found), **(found or {}))
    assert at.table.holds == ()
