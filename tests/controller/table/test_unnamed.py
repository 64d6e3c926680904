"""A device that does not know a deck's name: the table reads off itself which deck it is."""

from __future__ import annotations

import pytest

from controller.table import events
from controller.table.commands import StartShuffle
from controller.table.events import UNNAMED
from tests.controller.table.playing import FLOOR, AtTheTable, terms_of


@pytest.fixture
def one() -> AtTheTable:
    return AtTheTable(terms_of("pa-639a", seats=2, decks=1)).opens("A")


@pytest.fixture
def two() -> AtTheTable:
    return AtTheTable(terms_of("pa-639a", seats=2, decks=2)).opens("A", "B")


def shuffled(at: AtTheTable) -> None:
    at.does(events.ShufflerReported, mode="shuffle", holds=UNNAMED)
    at.does(events.ShuffleStarted, deck=UNNAMED)
    at.does(events.ShuffleCompleted, deck=UNNAMED, count=52)


def deck(at: AtTheTable, id_: str) -> str:
    return next(deck.shuffled for deck in at.table.decks if deck.id == id_)


def test_one_deck_is_the_one_that_is_meant(one: AtTheTable) -> None:
    shuffled(one)
    assert deck(one, "A") == "automated"
    one.does(events.ShufflerReported, mode="shuffle", holds=None)
    one.does(events.DeckLoaded, deck=UNNAMED, cards=52)
    assert (one.phase, one.table.deck) == ("betting", "A")


def test_of_two_the_one_that_is_due_is_shuffled_and_then_the_other(two: AtTheTable) -> None:
    shuffled(two)
    assert two.table.shuffler_holds == "A"
    two.does(events.ShufflerReported, mode="shuffle", holds=None)
    two.does(events.ShufflerReported, mode="shuffle", holds=UNNAMED)
    assert two.table.shuffler_holds == "B"
    assert [one.deck for one in two.sent(StartShuffle)] == ["B"]
    two.does(events.DeckLoaded, deck=UNNAMED, cards=52)
    assert (two.phase, two.table.deck) == ("betting", "A")
    two.does(events.ShuffleCompleted, deck=UNNAMED, count=52)
    assert deck(two, "B") == "automated"


def test_asked_again_it_holds_what_it_held(two: AtTheTable) -> None:
    shuffled(two)
    two.does(events.ShufflerReported, mode="shuffle", holds=UNNAMED)
    assert two.table.shuffler_holds == "A"


def test_a_cycle_that_fails_is_that_of_the_deck_in_it(one: AtTheTable) -> None:
    one.does(events.ShufflerReported, mode="shuffle", holds=UNNAMED)
    one.does(events.ShuffleStarted, deck=UNNAMED)
    one.does(events.ShuffleFailed, deck=UNNAMED, nature="jam")
    assert [hold.where for hold in one.table.holds] == ["shuffler"]
    assert one.table.decks[0].spoiled


def test_cards_of_a_table_without_decks_are_none_of_its_own() -> None:
    at = AtTheTable(terms_of("pa-639a", seats=2))
    at.does(events.TableOpened, by=FLOOR)
    at.does(events.ShufflerReported, mode="shuffle", holds=UNNAMED)
    assert at.table.shuffler_holds is None
    assert "this table has no deck" in at.refuses(events.ShuffleStarted, deck=UNNAMED)


def test_loaded_without_a_deck_that_is_due_is_refused(one: AtTheTable) -> None:
    one.does(events.DeckRemoved, deck="A", reason="torn", by=FLOOR)
    assert "no deck is due" in one.refuses(events.DeckLoaded, deck=UNNAMED, cards=52)


def test_no_deck_is_received_under_that_name() -> None:
    at = AtTheTable(terms_of("pa-639a", seats=2))
    at.does(events.TableOpened, by=FLOOR)
    given = {"deck": UNNAMED, "colour": "red", "design": "bee"}
    assert "does not know a deck's name" in at.refuses(events.DeckReceived, **given)
