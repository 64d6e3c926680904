"""What a shoe or a shuffler says of its cards and the table does not take is said to people."""

from __future__ import annotations

from controller.daemon.unbelieved import NOT_TAKEN, unbelieved
from controller.table import events
from tests.controller.table.playing import FLOOR, AtTheTable, terms_of


def at_the_table() -> AtTheTable:
    return AtTheTable(terms_of("pa-639a", seats=2, decks=1)).opens("A")


def told(at: AtTheTable, event: events.Event) -> tuple[str, str]:
    done = at.send(type(event), **{name: getattr(event, name) for name in _given(event)})
    assert done.refused
    return unbelieved(at.terms, at.table, event, done.refused)


def _given(event: events.Event) -> list[str]:
    return [name for name in event.__struct_fields__ if name not in ("id", "kept")]


def test_a_deck_that_the_table_does_not_know() -> None:
    at = at_the_table()
    assert at.phase == "shuffling"
    why = f"{NOT_TAKEN}deck: 'blue 9' is not a deck of this table"
    now, deck = at.now, "blue 9"
    assert told(at, events.DeckLoaded(at=now, deck=deck, cards=52)) == ("shoe", why)
    for event in (
        events.ShufflerReported(at=now, mode="shuffle", holds=deck),
        events.ShuffleStarted(at=now, deck=deck),
        events.ShuffleCompleted(at=now, deck=deck, count=52),
        events.ShuffleFailed(at=now, deck=deck, nature="jam"),
    ):
        assert told(at, event) == ("shuffler", why)


def test_a_deck_that_was_loaded_while_something_is_held() -> None:
    at = at_the_table()
    at.does(events.ShuffleCompleted, deck="A", count=52)
    at.does(events.DeviceFaulted, device="panel", nature="lamp")
    device, why = told(at, events.DeckLoaded(at=at.now, deck="A", cards=52))
    assert device == "shoe"
    assert why.startswith(f"{NOT_TAKEN}hold 1 blocks it")


def test_a_shuffler_that_counts_and_does_not_say_how_many() -> None:
    at = at_the_table()
    device, why = told(at, events.ShuffleCompleted(at=at.now, deck="A", count=None))
    assert device == "shuffler"
    assert "this shuffler counts" in why


def test_what_changes_nothing_is_no_hold() -> None:
    at = at_the_table()
    at.does(events.ShuffleCompleted, deck="A", count=52)
    at.does(events.DeckLoaded, deck="A", cards=52)
    # Told once more of the same cards: they are where the table has them.
    assert told(at, events.DeckLoaded(at=at.now, deck="A", cards=52)) == ("", "")
    at.does(events.TableClosed, by=FLOOR)
    assert told(at, events.ShuffleCompleted(at=at.now, deck="A", count=52)) == ("", "")
