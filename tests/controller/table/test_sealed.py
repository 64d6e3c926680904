"""Which cards of which stack lie where, so that a reveal opens those and no others."""

from __future__ import annotations

import pytest

from controller.table import events
from controller.table.dealing import next_step
from controller.table.plan import LAST_STACK
from controller.table.sealed import cards_of, is_sealed
from tests.controller.table.playing import BOOKS, AtTheTable, open_table


def dealt_sealed(book: str, **side: int) -> AtTheTable:
    """Every stack carries its faces as the seal of their names, so that a test can read them."""
    at = open_table(book).shuffles().antes(1, 3, **side).locks()
    at.does(events.DealPressed)
    while (planned := next_step(at.table)) is not None and planned.by_shoe:
        number = at.table.deal.done + 1
        cards = at.shoe[-planned.cards :][::-1]
        at.draw(planned.to, planned.cards)
        sealed = ",".join(map(str, cards))
        at.does(events.StackDispensed, number=number, cards=planned.cards, sealed=sealed)
    return at


def opened(at: AtTheTable, place: int | str) -> list[int]:
    sealed = at.table.deal.sealed
    return [
        int(card)
        for lie in cards_of(at.table, place)
        for card in sealed[lie.stack].split(",")[lie.first : lie.end]
    ]


@pytest.mark.parametrize("book", BOOKS)
def test_the_seal_of_every_place_holds_exactly_the_cards_that_lie_there(book: str) -> None:
    at = dealt_sealed(book)
    for place, cards in at.faces.items():
        assert place != LAST_STACK
        assert opened(at, place) == cards
        assert is_sealed(at.table, place)


def test_the_last_stack_is_shared_between_all_six_and_the_dealer() -> None:
    at = dealt_sealed("pa-682a", all_six=500)
    assert opened(at, "extra") == at.faces["extra"]
    assert opened(at, "dealer") == at.faces["dealer"]
    assert len(opened(at, "dealer")) == 6


def test_a_place_whose_card_was_set_aside_is_turned_by_hand() -> None:
    at = open_table("pa-639a").shuffles().antes(1, 3).locks()
    at.does(events.DealPressed)
    at.does(events.StackDispensed, number=1, cards=5, sealed="1,2,3,4,5")
    assert is_sealed(at.table, 1)
    at.does(events.FaceUpCardFound, where=1)
    assert not is_sealed(at.table, 1)


def test_a_shoe_that_does_not_read_seals_nothing() -> None:
    at = open_table("pa-639a").shuffles().antes(1, 3).locks().deals()
    assert cards_of(at.table, 1)
    assert not is_sealed(at.table, 1)
    assert not is_sealed(at.table, 5)


def test_cards_from_the_hand_have_no_stack() -> None:
    at = open_table("pa-639a", "hand").shuffles().antes(1, 3).locks().deals()
    assert cards_of(at.table, 1) == ()
