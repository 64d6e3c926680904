"""The order of the deal: who gets how many cards when, by rulebook and method."""

from __future__ import annotations

from typing import Any

import pytest

from controller.rules.faults import Refused
from controller.rules.ruleset import choose
from controller.table import events
from controller.table.commands import Dispense
from controller.table.dealing import next_step, stub
from controller.table.plan import streets
from controller.table.terms import HOUR
from tests.controller.rules.rounds import REQUIRED, library
from tests.controller.table.midway import cases, deal_out, deal_step, dealing
from tests.controller.table.playing import BOOKS, OFFER, open_table, terms_of

Steps = list[tuple[int | str, int]]

CARIBBEAN: Steps = [(to, 1) for to in (1, 3, 7, "dealer")] * 5
RAISE_IT_UP: Steps = [*[(to, 1) for to in (1, 3, 6)] * 3, ("community", 3)]
PRIME: Steps = [("extra", 1), *[(to, 1) for to in (1, 3, 6, "dealer")] * 5, ("dealer", 1)]
CAJUN: Steps = [("extra", 4), *[(to, 1) for to in (1, 3, 6)] * 2, ("community", 3)]
BY_HAND: dict[str, Steps] = {
    "pa-639a": CARIBBEAN,
    "s10": CARIBBEAN,
    "ma": CARIBBEAN,
    "pa-669a": RAISE_IT_UP,
    "pa-682a": PRIME,
    "pa-683a": CAJUN,
}


@pytest.mark.parametrize("method", ["manual shoe", "hand"])
@pytest.mark.parametrize("book", BOOKS)
def test_cards_go_out_one_by_one_from_the_far_left(book: str, method: str) -> None:
    at = dealing(book, method)
    places = [*range(1, at.terms.seats + 1), "dealer", "community", "extra"]
    for to, cards in BY_HAND[book]:
        for other in places:
            if other != to:
                at.refuses(events.CardsDealt, to=other, cards=cards)
        at.refuses(events.StubRacked)
        assert deal_step(at) == (to, cards)
    assert next_step(at.table) is None
    at.refuses(events.CardsDealt, to=1, cards=1)
    hands = at.terms.ruleset.rulebook.hands
    dealt = {seat.number: seat.dealt for seat in at.table.seats}
    in_round = {1, 3, at.terms.seats}
    assert dealt == {n: hands.player if n in in_round else 0 for n in dealt}
    assert at.table.deal.placed.get("dealer", 0) == hands.dealer
    assert at.table.deal.placed.get("community", 0) == hands.community
    # Nothing but the up-card is known: every card lies face down.
    assert at.table.faces == {}
    assert not any(seat.cards for seat in at.table.seats)


@cases(
    {
        ("pa-682a", "manual shoe"): "PA-682a.8(c)",
        ("pa-682a", "hand"): "PA-682a.9(b)",
        ("pa-682a", "automated shoe"): "PA-682a.10(b)",
        ("pa-683a", "manual shoe"): "PA-683a.8(c)",
        ("pa-683a", "hand"): "PA-683a.9(b)",
        ("pa-683a", "automated shoe"): "PA-683a.10(c)(1)",
    }
)
def test_all_six_cards_are_dealt_only_when_somebody_wagered(book: str, method: str) -> None:
    at = dealing(book, method, side=False)
    deal_out(at)
    assert at.table.deal.placed.get("extra", 0) == 0
    with_wager = deal_out(dealing(book, method))
    assert with_wager.table.deal.placed["extra"] == at.terms.ruleset.rulebook.hands.extra


@cases(
    {
        ("pa-639a", "automated shoe"): "PA-639a.10(b)",
        ("s10", "automated shoe"): "S10.(i)(3)",
        ("ma", "automated shoe"): "MA.9(d)",
        ("pa-669a", "automated shoe"): "PA-669a.10(b)",
        ("pa-682a", "automated shoe"): "PA-682a.10(b)",
        ("pa-683a", "automated shoe"): "PA-683a.10(b)",
    }
)
def test_the_shoe_is_ordered_one_stack_at_a_time(book: str, method: str) -> None:
    at = dealing(book, method)
    last: dict[str, list[int | str]] = {
        "pa-639a": ["dealer"],
        "s10": ["dealer"],
        "ma": ["dealer"],
        "pa-669a": ["community"],
        "pa-682a": ["dealer", "last stack"],
        "pa-683a": [],
    }
    size = {"pa-669a": 3, "pa-683a": 2}.get(book, 5)
    targets = [1, 3, at.terms.seats, *last[book]]
    for number, to in enumerate(targets, 1):
        [order] = at.sent(Dispense)
        assert (order.number, order.cards, order.to) == (number, size, to)
        at.refuses(events.CardsDealt, to=to if to != "last stack" else "dealer", cards=size)
        at.draw(to, size)
        at.does(events.StackDispensed, number=number, cards=size)
    # The shoe has no order left.
    assert at.sent(Dispense) == []
    if book == "pa-683a":
        at.refuses(events.CardsDealt, to="community", cards=3)
        # The rest comes from the dealer's hands, and the shoe has no part in it.
        for place, count in (("extra", 4), ("community", 3)):
            at.draw(place, count)
            at.does(events.CardsDealt, to=place, cards=count)
            assert at.sent(Dispense) == []
    assert next_step(at.table) is None
    hands = at.terms.ruleset.rulebook.hands
    assert [at.table.seat(n).dealt for n in (1, 3, at.terms.seats)] == [hands.player] * 3
    assert at.table.deal.placed.get("dealer", 0) == hands.dealer
    assert at.table.deal.placed.get("community", 0) == hands.community
    assert at.table.faces == {}


@pytest.mark.rule("PA-682a.10(b)", "PA-682a.10(d)")
@pytest.mark.parametrize(("all_six", "racked"), [(True, 3), (False, 4)])
def test_the_rest_of_primes_last_stack_is_racked(all_six: bool, racked: int) -> None:
    at = deal_out(dealing("pa-682a", "automated shoe", side=all_six))
    deal = at.table.deal
    assert (deal.placed["dealer"], deal.placed.get("extra", 0)) == (6, int(all_six))
    assert deal.set_aside == racked
    assert stub(at.table) == 52 - 5 * (3 + 2)


#: Hours that a deck lives by hand and in a shoe, and the stack, with the clauses that say so.
METHODS_OFFERED: dict[str, tuple[int, int, str, str]] = {
    "pa-639a": (4, 5, "PA-639a.9(a)", "PA-639a.10(a)"),
    "pa-669a": (4, 3, "PA-669a.9(a)", "PA-669a.10(a)"),
    "pa-682a": (4, 5, "PA-682a.9(a)", "PA-682a.10(a)"),
    "pa-683a": (4, 2, "PA-683a.9(a)", "PA-683a.10(a)"),
}


@pytest.mark.parametrize(
    ("book", "hours"),
    [
        pytest.param(book, hours, marks=pytest.mark.rule(clause))
        for book, (hours, _, clause, _) in METHODS_OFFERED.items()
    ],
)
def test_by_hand_a_deck_lives_four_hours(book: str, hours: int) -> None:
    at = open_table(book, "hand").shuffles()
    at.antes(1)
    since = at.table.decks[0].in_play_since
    assert since is not None
    at.refuses(events.LockOutPressed, at=since + hours * HOUR)
    at.does(events.LockOutPressed, at=since + hours * HOUR - 1)


@pytest.mark.parametrize(
    ("book", "size"),
    [
        *[
            pytest.param(book, size, marks=pytest.mark.rule(clause))
            for book, (_, size, _, clause) in METHODS_OFFERED.items()
        ],
        pytest.param("s10", 5, marks=pytest.mark.rule("S10.(i)(1)")),
        pytest.param("ma", 5, marks=pytest.mark.rule("MA.9(a)")),
    ],
)
def test_the_size_of_a_stack_is_the_rulebooks(book: str, size: int) -> None:
    at = dealing(book, "automated shoe")
    assert at.sent(Dispense)[0].cards == size
    assert at.terms.deck_life("automated shoe") == 8 * HOUR
    options: dict[str, Any] = {**REQUIRED[book], **OFFER[book], "stack_of": size + 1}
    with pytest.raises(Refused, match="stack_of"):
        choose(library().rulebook(book), options)


@pytest.mark.rule("S10.(h)(1)", "MA.8(a)")
@pytest.mark.parametrize("book", ["s10", "ma"])
def test_dealing_from_the_hand_is_the_casinos_choice(book: str) -> None:
    at = open_table(book, "hand")
    assert at.table.method == "hand"
    at.plays(1, 3)
    assert not [one for one in at.commands if isinstance(one, Dispense)]


@pytest.mark.parametrize("book", BOOKS)
def test_players_decide_as_often_as_the_game_asks(book: str) -> None:
    assert streets(terms_of(book)) == {"pa-669a": 3, "pa-683a": 3}.get(book, 1)
