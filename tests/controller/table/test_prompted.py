"""That people are told: what a clause wants shown is shown, at its moment, to the right person.

How it is worded is the business of the pages and of test_prompts.
"""

from __future__ import annotations

import re

import pytest

from controller.rules.cards import name
from controller.table import events
from controller.table.dealing import next_step
from controller.table.prompts import prompts
from controller.table.settling import to_be_shown, to_be_turned
from tests.controller.table.midway import cases, deal_step, dealing
from tests.controller.table.playing import (
    BOOKS,
    BOSS,
    DEALER,
    FLOOR,
    AtTheTable,
    open_table,
    terms_of,
)
from tests.controller.table.rigged import (
    ACE_KING,
    FLUSH,
    NO_HAND,
    QUADS,
    seated_round,
    show,
    turn,
)

ALL = pytest.mark.parametrize("book", BOOKS)
PENNSYLVANIA = ("PA-639a", "PA-669a", "PA-682a", "PA-683a")


def of_pa(*paragraphs: str) -> list[str]:
    return [f"{book}.{paragraph}" for book in PENNSYLVANIA for paragraph in paragraphs]


def told(at: AtTheTable, who: str, *words: str) -> bool:
    """Whether somebody in this role is told something with all of these words in it."""
    return any(
        one.who == who and all(re.search(word, one.text, re.IGNORECASE) for word in words)
        for one in prompts(at.terms, at.table)
    )


# --- Before a round ---------------------------------------------------------


@ALL
@pytest.mark.rule(*of_pa("4(a)", "4(b)", "4(c)", "4(d)"))
@pytest.mark.rule("S10.(c)(1)", "S10.(c)(2)", "S10.(c)(3)", "S10.(c)(4)", "S10.(b)(2)(i)")
@pytest.mark.rule("MA.3(b)", "MA.3(c)", "MA.3(d)", "MA.2(b)(1)")
def test_each_step_of_the_opening_is_asked_for_of_each_deck(book: str) -> None:
    at = AtTheTable(terms_of(book, decks=2))
    at.does(events.TableOpened, by=FLOOR)
    for deck, colour in (("A", "red"), ("B", "blue")):
        assert told(at, "dealer", "receive", "deck")
        at.does(events.DeckReceived, deck=deck, colour=colour, design="bee")
        for kind, by, words in (
            (events.DeckInspected, DEALER, ("inspect",)),
            (events.DeckVerified, FLOOR, ("verif",)),
            (events.DeckSpread, DEALER, ("spread", "face up", "suit", "sequence")),
            (events.DeckWashed, DEALER, ("face down", "wash", "stack")),
        ):
            assert told(at, by.role, f"deck {deck}", *words), kind
            at.does(kind, deck=deck, by=by)
            assert not told(at, by.role, f"deck {deck}", *words), kind
    assert told(at, "dealer", "shuffle")


@ALL
@pytest.mark.rule(*of_pa("3(b)(4)"), "S10.(b)(2)(v)", "MA.2(b)(5)")
def test_the_rack_is_to_be_cleared_before_the_other_deck_reaches_it(book: str) -> None:
    at = open_table(book, decks=2).plays(1, 3)
    assert told(at, "dealer", "clear the rack")
    at.does(events.RackCleared)
    assert not told(at, "dealer", "clear the rack")


@ALL
@pytest.mark.rule(*of_pa("5(c)(2)", "5(d)"), "S10.(d)(2)(ii)", "S10.(d)(3)(i)(B)")
@pytest.mark.rule("MA.4(b)(2)", "MA.4(c)(1)(ii)")
def test_what_people_shuffled_is_to_be_cut(book: str) -> None:
    at = open_table(book, "manual shoe", shuffler_counts=None)
    at.does(events.ShuffledByHand, deck="A")
    if book in ("s10", "ma"):
        at.does(events.CoverCardPlaced, deck="A")
    assert told(at, "dealer", "cut", "10")


# --- The deal ---------------------------------------------------------------


@cases(
    {
        ("pa-639a", "manual shoe"): "PA-639a.8(d) PA-639a.8(d)(1) PA-639a.8(d)(2) PA-639a.8(d)(3) "
        "PA-639a.8(d)(4) PA-639a.8(d)(5)",
        ("pa-639a", "hand"): "PA-639a.9(b) PA-639a.9(b)(1) PA-639a.9(b)(2) PA-639a.9(b)(3) "
        "PA-639a.9(b)(4) PA-639a.9(b)(5)",
        ("s10", "manual shoe"): "S10.(g)(4) S10.(g)(4)(i) S10.(g)(4)(ii) S10.(g)(4)(iii) "
        "S10.(g)(4)(iv) S10.(g)(4)(v)",
        ("s10", "hand"): "S10.(h)(3) S10.(h)(3)(i) S10.(h)(3)(ii) S10.(h)(3)(iii) "
        "S10.(h)(3)(iv) S10.(h)(3)(v)",
        ("ma", "manual shoe"): "MA.7(e) MA.7(e)(1) MA.7(e)(2) MA.7(e)(3) MA.7(e)(4) MA.7(e)(5)",
        ("ma", "hand"): "MA.8(d) MA.8(d)(1) MA.8(d)(2) MA.8(d)(3) MA.8(d)(4) MA.8(d)(5)",
        ("pa-669a", "manual shoe"): "PA-669a.8(d) PA-669a.8(d)(1) PA-669a.8(d)(2)",
        ("pa-669a", "hand"): "PA-669a.9(b) PA-669a.9(b)(1) PA-669a.9(b)(2)",
        ("pa-682a", "manual shoe"): "PA-682a.8(c)",
        ("pa-682a", "hand"): "PA-682a.9(b)",
        ("pa-683a", "manual shoe"): "PA-683a.8(c)",
        ("pa-683a", "hand"): "PA-683a.9(b)",
    }
)
def test_every_card_is_asked_for_with_its_place_and_face(book: str, method: str) -> None:
    at = dealing(book, method)
    up = book in ("pa-639a", "s10", "ma")
    while (step := next_step(at.table)) is not None:
        first = up and step.to == "dealer" and not at.table.deal.placed.get("dealer")
        where = f"seat {step.to}" if isinstance(step.to, int) else str(step.to)
        face = "face up" if first else "face down"
        assert told(at, "dealer", rf"\b{step.cards} card", rf"\b{where}\b", face)
        deal_step(at)


AWAY = {
    ("pa-639a", "manual shoe"): "PA-639a.8(e)",
    ("pa-639a", "hand"): "PA-639a.9(c)",
    ("pa-639a", "automated shoe"): "PA-639a.10(c)",
    ("s10", "manual shoe"): "S10.(g)(5)",
    ("s10", "hand"): "S10.(h)(4)",
    ("s10", "automated shoe"): "S10.(i)(4) S10.(i)(7)",
    ("ma", "manual shoe"): "MA.7(f)",
    ("ma", "hand"): "MA.8(e)",
    ("ma", "automated shoe"): "MA.9(e) MA.9(h)",
    ("pa-669a", "manual shoe"): "PA-669a.8(e)",
    ("pa-669a", "hand"): "PA-669a.9(c)",
    ("pa-669a", "automated shoe"): "PA-669a.10(c)",
    ("pa-682a", "manual shoe"): "PA-682a.8(d)",
    ("pa-682a", "hand"): "PA-682a.9(c)",
    ("pa-682a", "automated shoe"): "PA-682a.10(c)",
    ("pa-683a", "manual shoe"): "PA-683a.8(d)",
    ("pa-683a", "hand"): "PA-683a.9(c)",
    ("pa-683a", "automated shoe"): "PA-683a.10(c)(1) PA-683a.10(c)(2)",
}


@cases(AWAY)
def test_the_stub_is_to_be_racked_unseen(book: str, method: str) -> None:
    at = dealing(book, method)
    stacked = method == "automated shoe" and book in ("pa-639a", "s10", "ma")
    while (step := next_step(at.table)) is not None:
        assert not told(at, "dealer", "stub")
        at.draw(step.to, step.cards)
        if step.by_shoe:
            at.does(events.StackDispensed, number=at.table.deal.done + 1, cards=step.cards)
            continue
        assert told(at, "dealer", rf"\b{step.cards} card", str(step.to))
        at.does(events.CardsDealt, to=step.to, cards=step.cards)
        if book in ("pa-639a", "s10", "ma") and at.table.up_card is None and "dealer" in at.faces:
            at.does(events.UpCardShown, card=name(at.faces["dealer"][0]))
    assert told(at, "dealer", "turn up") is stacked
    if stacked:
        at.does(events.UpCardShown, card=name(at.faces["dealer"][0]))
    assert told(at, "dealer", "rack the stub", "without exposing")


# --- Decisions, reveal, payment ---------------------------------------------


@pytest.mark.parametrize("book", ["pa-669a", "pa-683a"])
@pytest.mark.rule("PA-669a.11(c)", "PA-669a.11(e)", "PA-669a.11(h)")
@pytest.mark.rule("PA-683a.11(c)", "PA-683a.11(e)", "PA-683a.11(g)")
def test_each_community_card_is_to_be_revealed_when_all_have_acted(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3).locks().deals()
    choice = "check" if book == "pa-669a" else "wager"
    for number in (1, 2, 3):
        last = number == 3 or choice == "wager"
        for seat in (1, 3):
            assert told(at, "dealer", f"seat {seat}")
            assert not told(at, "dealer", "reveal community card")
            act = {"choice": "wager", "amount": 1000} if last else {"choice": "check"}
            at.does(events.Decided, seat=seat, **act)
        assert told(at, "dealer", f"reveal community card {number}")
        face = name(at.faces["community"][number - 1])
        at.does(events.Revealed, where="community", cards=face)


@ALL
@pytest.mark.rule("PA-639a.11(c)", "PA-639a.11(c)(1)", "MA.10(c)", "MA.10(c)(1)", "S10.(j)(5)")
@pytest.mark.rule("PA-669a.11(i)", "PA-682a.11(d)", "PA-682a.11(d)(1)", "PA-682a.11(e)(3)")
@pytest.mark.rule("PA-683a.11(h)", "PA-683a.11(i)(4)")
def test_what_is_to_be_revealed_and_then_each_hand_from_the_right(book: str) -> None:
    side = {"all_six": 100} if book in ("pa-682a", "pa-683a") else {"progressive": 100}
    at = open_table(book).shuffles().antes(1, 3, **side).locks().deals().decides()
    for place, count in to_be_shown(at.terms, at.table).items():
        assert told(at, "dealer", f"reveal {count} card", place)
        show(at, place)
    for seat in to_be_turned(at.terms, at.table):
        assert told(at, "dealer", "turn", rf"\bseat {seat}\b")
        turn(at, seat)


@pytest.mark.parametrize("book", ["pa-639a", "s10", "ma"])
@pytest.mark.rule("PA-639a.11(c)(5)(i)", "PA-639a.11(c)(5)(ii)", "PA-639a.11(c)(5)(iii)")
@pytest.mark.rule("S10.(k)(2)(i)", "S10.(k)(2)(ii)", "S10.(k)(2)(iii)")
@pytest.mark.rule("MA.10(c)(3)(ii)(c)(2)(i)", "MA.10(c)(3)(ii)(c)(2)(ii)")
@pytest.mark.rule("MA.10(c)(3)(ii)(c)(2)(iii)")
@pytest.mark.rule("MA.11(d)(1)(i)", "MA.11(d)(1)(ii)", "MA.11(d)(1)(iii)")
def test_a_progressive_win_is_to_be_verified_and_then_validated(book: str) -> None:
    at = seated_round(book, {1: FLUSH, "dealer": NO_HAND}, side={"progressive": 100})
    _verified_then_validated(at, "progressive", "light")


@pytest.mark.rule("PA-669a.11(i)(3)(i)(A)", "PA-669a.11(i)(3)(i)(B)", "PA-669a.11(i)(3)(i)(C)")
def test_a_win_of_three_cards_is_to_be_verified_and_then_validated() -> None:
    hands: dict[int | str, str] = {1: "Qd Kc Ah", "community": "2c 5d 9h"}
    at = seated_round("pa-669a", hands, side={"progressive": 100})
    _verified_then_validated(at, "progressive", "light")


@pytest.mark.parametrize("book", ["pa-639a", "ma"])
@pytest.mark.rule("PA-639a.11(c)(6)(i)", "PA-639a.11(c)(6)(ii)")
@pytest.mark.rule("MA.10(c)(3)(ii)(c)(3)(i)", "MA.10(c)(3)(ii)(c)(3)(ii)")
def test_a_five_card_win_is_to_be_verified_and_then_validated(book: str) -> None:
    at = seated_round(book, {1: QUADS, "dealer": ACE_KING}, side={"five_card_player": 100})
    _verified_then_validated(at, "five_card_player")


def _verified_then_validated(at: AtTheTable, wager: str, *words: str) -> None:
    role = next(due.validate for due in at.table.due if due.wager == wager)
    assert role is not None
    payout = {"seat": 1, "wager": wager}
    assert told(at, "dealer", "verif", "hand", *words, wager, "seat 1")
    assert not told(at, role, "validate")
    at.does(events.HandVerified, **payout)
    assert told(at, role, "validate", wager, "seat 1")
    at.does(events.PayoutValidated, **payout, by=BOSS)
    assert not told(at, role, "validate")


@pytest.mark.rule("S10.(j)(6)(ii)", "S10.(j)(6)(iv)")
def test_without_a_dealers_hand_antes_are_to_be_paid_and_then_the_cards_racked() -> None:
    at = seated_round("s10", {1: FLUSH, 3: QUADS, "dealer": NO_HAND})
    for seat in (3, 1):
        assert told(at, "dealer", "ante", "win")
        assert not told(at, "dealer", "rack")
        at.does(events.SeatPaid, seat=seat)
    assert told(at, "dealer", "pick up the cards", "rack")
