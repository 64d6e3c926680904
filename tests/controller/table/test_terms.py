"""What a table may be set up with: seats, decks, devices, ways of dealing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from controller.rules.faults import Refused
from controller.table import events
from controller.table.terms import HOUR, Terms, checked
from tests.controller.table.playing import BOOKS, FLOOR, METHODS, AtTheTable, terms_of

ALL = pytest.mark.parametrize("book", BOOKS)
PENNSYLVANIA = ("pa-639a", "pa-669a", "pa-682a", "pa-683a")


def refused(terms: Terms, says: str, clause: str = "") -> None:
    """These terms are refused with the clause, and a table that has them stays closed."""
    with pytest.raises(Refused, match=says) as caught:
        checked(terms)
    assert caught.value.clause == clause
    at = AtTheTable(terms)
    assert says in at.refuses(events.TableOpened, by=FLOOR)
    assert at.phase == "closed"


@ALL
@pytest.mark.parametrize("method", METHODS)
def test_what_every_rulebook_allows_is_taken(book: str, method: str) -> None:
    for changes in ({}, {"decks": 2}, {"decks": 2, "shuffler_counts": False}):
        terms = terms_of(book, method, **changes)
        assert checked(terms) is terms


TWO_DECKS = {
    **{book: f"PA-{book[3:]}.3(b)" for book in PENNSYLVANIA},
    "s10": "S10.(b)(2)",
    "ma": "MA.2(b)",
}


@ALL
@pytest.mark.rule(*TWO_DECKS.values())
def test_two_decks_need_a_shuffler(book: str) -> None:
    terms = terms_of(book, "manual shoe", decks=2, shuffler_counts=None)
    refused(terms, "two decks need an automated shuffler", TWO_DECKS[book])
    checked(replace(terms, shuffler_counts=False))
    checked(replace(terms, decks=1))


@ALL
def test_there_are_never_more_than_two_decks(book: str) -> None:
    for decks in (0, 3):
        with pytest.raises(Refused, match=f"{decks} decks"):
            checked(terms_of(book, decks=decks))


HAND = {
    **{book: f"PA-{book[3:]}.9(a)(1)" for book in PENNSYLVANIA},
    "s10": "S10.(h)(2)(i)",
    "ma": "MA.8(c)(1)",
}


@ALL
@pytest.mark.rule(*HAND.values())
def test_dealing_from_the_hand_needs_a_shuffler(book: str) -> None:
    refused(terms_of(book, "hand", shuffler_counts=None), "needs an automated shuffler", HAND[book])
    # And in play: without its shuffler a table is not dealt from the hand any more.
    at = AtTheTable(terms_of(book, "hand")).opens()
    out: dict[str, Any] = {"by": FLOOR, "device": "shuffler", "cards_inside": 0, "how": "removed"}
    why = at.refuses(events.DeviceTakenOut, **out, method="hand")
    assert "needs an automated shuffler" in why
    assert HAND[book] in why
    at.does(events.DeviceTakenOut, **out, method="manual shoe")
    assert at.table.method == "manual shoe"


@ALL
@pytest.mark.rule(*(f"PA-{book[3:]}.9(a)" for book in PENNSYLVANIA), "S10.(h)(1)", "MA.8(a)")
def test_the_hand_may_be_chosen_where_there_is_a_shuffler(book: str) -> None:
    terms = checked(terms_of(book, "hand", shuffler_counts=False))
    assert AtTheTable(terms).table.method == "hand"
    assert terms.deck_life("hand") == (4 if book in PENNSYLVANIA else 8) * HOUR


#: How many cards a stack has, and the words that say so: "a stack of three cards".
STACKS = {
    "pa-639a": (5, "PA-639a.10(b)"),
    "pa-669a": (3, "PA-669a.10(b)"),
    "pa-682a": (5, "PA-682a.10(b)"),
    "pa-683a": (2, "PA-683a.10(b)"),
    "s10": (5, "S10.(i)(1)"),
    "ma": (5, "MA.9(a)"),
}


@ALL
@pytest.mark.rule(*(f"PA-{book[3:]}.10(a)" for book in PENNSYLVANIA), "S10.(i)(1)")
def test_the_rulebook_fixes_the_stacks_of_the_shoe(book: str) -> None:
    stack, clause = STACKS[book]
    for other in {2, 3, 4, 5, 6} - {stack}:
        refused(terms_of(book, stack_of=other), f"stacks of {other}", clause)
    terms = checked(terms_of(book, stack_of=stack))
    assert terms.method == "automated shoe"
    # Cajun Stud's shoe ends by hand; its clause names the automated shoe all the same.
    assert terms.deck_life("automated shoe") == 8 * HOUR


@pytest.mark.parametrize(
    ("book", "clause"),
    [("pa-639a", "PA-639a.7(e)"), ("pa-682a", "PA-682a.7(e)"), ("pa-683a", "PA-683a.7(e)")],
)
def test_nobody_has_more_boxes_than_the_table_has_seats(book: str, clause: str) -> None:
    refused(terms_of(book, seats=3, boxes=4), "4 boxes for one player", clause)
    checked(terms_of(book, seats=3, boxes=3))


@pytest.mark.rule("MA.9(a)")
def test_in_massachusetts_an_automated_shoe_is_an_approved_one() -> None:
    refused(terms_of("ma", shoe_approval=" "), "needs an approval of the shoe", "MA.9(a)")
    for other in (3, 4, 6):
        refused(terms_of("ma", stack_of=other), f"stacks of {other}", "MA.9(a)")
    checked(terms_of("ma", shoe_approval="146/7", stack_of=5))
    # Nor does one come to a table that was opened without it.
    at = AtTheTable(terms_of("ma", "manual shoe", shoe_approval="")).opens()
    out: dict[str, Any] = {"device": "shoe", "by": FLOOR}
    at.does(events.DeviceTakenOut, **out, cards_inside=0, how="removed", method="hand")
    why = at.refuses(events.DeviceReturned, **out, method="automated shoe")
    assert "needs an approval" in why
    assert "MA.9(a)" in why
    at.does(events.DeviceReturned, **out, method="manual shoe")


def test_no_other_rulebook_asks_for_the_approval_of_a_shoe() -> None:
    for book in BOOKS:
        if book != "ma":
            checked(terms_of(book, shoe_approval=""))


SEATS = {"pa-639a": 7, "pa-669a": 6, "pa-682a": 6, "pa-683a": 6, "s10": 7, "ma": 7}


@ALL
@pytest.mark.rule(*(f"PA-{book[3:]}.2(a)" for book in PENNSYLVANIA))
def test_a_table_has_no_more_seats_than_its_rulebook(book: str) -> None:
    terms = checked(terms_of(book, seats=SEATS[book]))
    clause = terms.ruleset.rulebook.seats.clause
    refused(replace(terms, seats=SEATS[book] + 1), f"{SEATS[book] + 1} seats", clause)
    refused(replace(terms, seats=0), "0 seats", clause)
    # Nor more than the operator chose.
    fewer = terms_of(book, seats=4)
    refused(replace(fewer, seats=5), "the choice is 4", clause)
    if book in PENNSYLVANIA:
        assert clause == f"PA-{book[3:]}.2(a)"


@ALL
def test_an_unknown_way_of_dealing_is_refused(book: str) -> None:
    refused(replace(terms_of(book), method="drone"), "'drone' is no way of dealing")


@pytest.mark.parametrize("book", PENNSYLVANIA)
def test_a_device_that_reshuffles_needs_its_approval(book: str) -> None:
    clause = f"PA-{book[3:]}.5(g)"
    refused(terms_of(book, reshuffle_approval=" "), "needs its laboratory's approval", clause)
    uncounted = terms_of(book, shuffler_counts=False, reshuffle_approval="LAB-1")
    refused(uncounted, "is a shuffler that counts", clause)
    checked(terms_of(book, reshuffle_approval="LAB-1"))


@pytest.mark.parametrize("book", ["s10", "ma"])
def test_other_rulebooks_know_no_such_device(book: str) -> None:
    refused(terms_of(book, reshuffle_approval="LAB-1"), f"{book} knows no device")
