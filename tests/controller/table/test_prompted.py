"""That people are told: what a clause wants shown is shown, at its moment, to the right person.

From "no more bets" on it is looked at in test_prompts_deal, _decisions and _settling.
"""

from __future__ import annotations

import re

import pytest

from controller.table import events
from controller.table.prompts import prompts
from tests.controller.table.playing import (
    BOOKS,
    DEALER,
    FLOOR,
    AtTheTable,
    open_table,
    terms_of,
)
from tests.controller.table.test_opening import everyone_leaves

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
    at.does(events.PlayerSat, seat=2, player="the first to arrive")
    for deck, colour in (("A", "red"), ("B", "blue")):
        assert told(at, "dealer", "receive", "deck")
        at.does(events.DeckReceived, deck=deck, colour=colour, design="bee")
        for kind, by, words in (
            (events.DeckInspected, DEALER, ("inspect",)),
            (events.DeckVerified, FLOOR, ("verif",)),
            (events.DeckSpread, DEALER, ("spread", "face up", "suit", "sequence")),
            (events.DeckShown, DEALER, ("first player look",)),
            (events.DeckWashed, DEALER, ("face down", "mix them thoroughly", "wash", "stack")),
        ):
            assert told(at, by.role, f"deck {deck}", *words), kind
            at.does(kind, deck=deck, by=by)
            assert not told(at, by.role, f"deck {deck}", *words), kind
    assert told(at, "dealer", "shuffle")


@ALL
@pytest.mark.rule(*of_pa("3(b)(4)"), "S10.(b)(2)(v)", "MA.2(b)(5)")
def test_the_rack_is_to_be_cleared_before_the_other_deck_reaches_it(book: str) -> None:
    at = open_table(book, decks=2).plays(1, 3)
    at.does(events.ShuffleCompleted, deck="B", count=52)
    assert told(at, "dealer", "clear the discard rack")
    at.does(events.RackCleared)
    assert not told(at, "dealer", "clear the discard rack")


@ALL
def test_two_decks_are_one_too_many_while_the_shuffler_is_out_of_service(book: str) -> None:
    at = open_table(book, "manual shoe", decks=2)
    out = {"device": "shuffler", "cards_inside": 0, "how": "removed", "method": "manual shoe"}
    at.does(events.DeviceTakenOut, by=FLOOR, **out)
    at.does(events.ShuffledByHand, deck="A")
    at.cuts("A")
    assert told(at, "floorperson", "remove deck B", "two decks need a shuffler")
    assert not told(at, "dealer", "place the stacked deck")
    at.does(events.DeckRemoved, deck="B", by=FLOOR, reason="the shuffler is out of service")
    assert told(at, "dealer", "deck A: place the stacked deck in the manual shoe")


@ALL
def test_one_deck_of_two_waits_for_the_other(book: str) -> None:
    at = open_table(book, "manual shoe", decks=2)
    at.does(events.DeckRemoved, deck="B", by=FLOOR, reason="a card is bent")
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert told(at, "dealer", "receive a deck")
    assert told(at, "dealer", "deck A waits", "second deck is missing")
    assert not told(at, "dealer", "place the stacked deck")
    at.refuses(events.DeckLoaded, deck="A")


@ALL
@pytest.mark.rule(*of_pa("5(c)(2)", "5(d)"), "S10.(d)(2)(ii)", "S10.(d)(3)(i)(B)")
@pytest.mark.rule("MA.4(b)(2)", "MA.4(c)(1)(ii)")
def test_what_people_shuffled_is_to_be_cut(book: str) -> None:
    at = open_table(book, "manual shoe", shuffler_counts=None)
    at.does(events.ShuffledByHand, deck="A")
    if book in ("s10", "ma"):
        at.does(events.CoverCardPlaced, deck="A")
    assert told(at, "dealer", "cover card", "at least 10 cards", "from the top")


@ALL
@pytest.mark.rule(*of_pa("4(c)"), "S10.(c)(3)", "MA.3(c)")
def test_the_cards_wait_for_the_first_player(book: str) -> None:
    at = AtTheTable(terms_of(book))
    at.does(events.TableOpened, by=FLOOR)
    at.does(events.DeckReceived, deck="A", colour="red", design="bee")
    at.does(events.DeckInspected, deck="A")
    at.does(events.DeckVerified, deck="A", by=FLOOR)
    at.does(events.DeckSpread, deck="A")
    assert told(at, "dealer", "deck A lies spread", "seat the first player to arrive")
    assert not told(at, "dealer", "wash")
    at.does(events.PlayerSat, seat=2, player="the first to arrive")
    assert told(at, "dealer", "let the first player look at the cards")
    assert not told(at, "dealer", "wash")


@ALL
@pytest.mark.rule(*of_pa("5(f)"), "S10.(d)(5)", "MA.4(e)")
def test_the_cards_of_an_idle_table_are_to_be_spread_until_somebody_comes(book: str) -> None:
    at = open_table(book, "manual shoe", shuffler_counts=None).shuffles()
    assert not told(at, "dealer", "spread")
    everyone_leaves(at)
    either = book in ("s10", "ma")
    how = "either face up or face down" if either else "face down, or face up if a player asks"
    assert told(at, "dealer", "out of shoe and rack", "spread them out on the table", how)
    at.does(events.CardsSpread, faces="face down")
    assert told(at, "dealer", "lie spread face down", "seat the first player to arrive")
    at.does(events.PlayerSat, seat=2, player="the next")
    asked = [(events.DeckShown, "let the first player look"), (events.DeckWashed, "wash")]
    if either:
        asked.insert(0, (events.CardsTurnedUp, "turn the cards face up for the player"))
    for kind, words in asked:
        assert told(at, "dealer", "deck A", words)
        at.does(kind, deck="A")
    assert told(at, "dealer", "deck A", "shuffle the cards")


# --- Whenever ---------------------------------------------------------------


@ALL
@pytest.mark.parametrize("device", ["shuffler", "shoe"])
@pytest.mark.rule(*of_pa("13(g)"), "S10.(m)(7)", "MA.13(g)")
def test_the_floor_is_called_to_a_device_that_failed(book: str, device: str) -> None:
    at = open_table(book)
    assert not told(at, "floorperson", device)
    at.does(events.DeviceFaulted, device=device, nature="dead")
    assert told(at, "floorperson", rf"\b{device}\b", "dead", "put it right")
