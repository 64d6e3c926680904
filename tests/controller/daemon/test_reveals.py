"""A reading shoe fills in what the dealer turns over, at that very reveal and no sooner."""

from __future__ import annotations

from typing import Any

import pytest

from controller.daemon.reveals import Disagree, filled
from controller.daemon.sealing import Sealer, public_of
from controller.rules.cards import name, names
from controller.rules.faults import Refused
from controller.table import events
from controller.table.dealing import must_show_up_card, next_step
from controller.table.settling import to_be_shown, to_be_turned
from tests.controller.table.playing import BOOKS, DEALER, AtTheTable, open_table

SEALER = Sealer(public_of(bytes(range(32))))


class Opened:
    """Opens seals, and keeps how many it has opened."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, sealed: str) -> tuple[int, ...]:
        self.count += 1
        return SEALER.open(sealed)


def dealt(book: str, *, reads: bool = True) -> AtTheTable:
    """Everything is out except what is not of the shoe."""
    at = open_table(book).shuffles().antes(1, 3).locks()
    at.does(events.DealPressed)
    while (planned := next_step(at.table)) is not None:
        cards = at.shoe[-planned.cards :][::-1]
        at.draw(planned.to, planned.cards)
        if not planned.by_shoe:
            at.does(events.CardsDealt, to=planned.to, cards=planned.cards)
            continue
        sealed = SEALER.seal(bytes(cards)) if reads else ""
        number = at.table.deal.done + 1
        at.does(events.StackDispensed, number=number, cards=planned.cards, sealed=sealed)
    return at


def said(at: AtTheTable, kind: type[Any], opened: Opened | None = None, **facts: Any) -> Any:
    event = kind(at=at.now, by=DEALER, **facts)
    return filled(at.terms, at.table, event, opened or Opened())


def until_the_reveal(at: AtTheTable) -> AtTheTable:
    if must_show_up_card(at.terms, at.table):
        at.does(events.UpCardShown, card=name(at.faces["dealer"][0]))
    return at.stubs().decides()


@pytest.mark.parametrize("book", BOOKS)
def test_a_whole_round_is_revealed_without_keying_a_card_in(book: str) -> None:
    at = dealt(book)
    if must_show_up_card(at.terms, at.table):
        shown = said(at, events.UpCardShown, card="")
        assert shown.card == name(at.faces["dealer"][0])
        at.does(events.UpCardShown, card=shown.card)
    at.stubs().decides()
    while at.phase == "revealing":
        left = to_be_shown(at.terms, at.table)
        if left:
            place = next(iter(left))
            if book == "pa-683a":
                # Cajun Stud's board is dealt by hand: nobody has read it.
                at.reveals()
                break
            event = said(at, events.Revealed, where=place, cards="")
            assert set(event.cards.split()) <= set(names(at.faces[place]).split())
            at.does(events.Revealed, where=place, cards=event.cards)
        else:
            seat = to_be_turned(at.terms, at.table)[0]
            event = said(at, events.HandTurned, seat=seat, cards="")
            assert event.cards == names(at.faces[seat])
            at.does(events.HandTurned, seat=seat, cards=event.cards)
    assert at.phase == "settling"


@pytest.mark.rule("R12")
@pytest.mark.parametrize("book", BOOKS)
def test_no_seal_is_opened_before_its_reveal(book: str) -> None:
    at, opened = dealt(book), Opened()
    asked: list[tuple[type[Any], dict[str, Any]]] = [
        (events.HandTurned, {"seat": 1, "cards": ""}),
        (events.HandTurned, {"seat": 3, "cards": "As"}),
        (events.Revealed, {"where": "dealer", "cards": ""}),
        (events.Revealed, {"where": "community", "cards": ""}),
        (events.Revealed, {"where": "extra", "cards": ""}),
    ]
    for kind, facts in asked:
        event = said(at, kind, opened, **facts)
        assert event.cards == facts["cards"]
    assert opened.count == 0


@pytest.mark.rule("R12")
def test_only_the_hand_whose_turn_it_is_is_opened() -> None:
    at, opened = until_the_reveal(dealt("pa-639a")), Opened()
    assert said(at, events.HandTurned, opened, seat=3, cards="").cards == ""
    at.does(events.Revealed, where="dealer", cards=names(at.faces["dealer"]))
    assert said(at, events.HandTurned, opened, seat=1, cards="").cards == ""
    assert opened.count == 0
    assert said(at, events.HandTurned, opened, seat=3, cards="").cards == names(at.faces[3])
    assert opened.count == 1


def test_cards_that_were_keyed_in_right_are_taken() -> None:
    at = until_the_reveal(dealt("pa-639a"))
    keyed = names(reversed(at.faces["dealer"]))
    assert said(at, events.Revealed, where="dealer", cards=keyed).cards == keyed


def test_cards_that_the_shoe_did_not_read_are_not_taken() -> None:
    at = until_the_reveal(dealt("pa-639a"))
    other = next(one for one in at.shoe if one not in at.faces["dealer"])
    keyed = names([*at.faces["dealer"][:4], other])
    with pytest.raises(Disagree, match="read other faces than were shown") as refused:
        said(at, events.Revealed, where="dealer", cards=keyed)
    assert not set(str(refused.value).split()) & {name(one) for one in range(52)}


def test_what_is_no_card_is_left_to_the_table() -> None:
    at, opened = until_the_reveal(dealt("pa-639a")), Opened()
    assert said(at, events.Revealed, opened, where="dealer", cards="nonsense").cards == "nonsense"
    assert opened.count == 0


def test_a_shoe_that_does_not_read_fills_nothing_in() -> None:
    at = until_the_reveal(dealt("pa-639a", reads=False))
    assert said(at, events.Revealed, where="dealer", cards="").cards == ""


def test_one_of_several_cards_is_known_to_people_only() -> None:
    at = dealt("pa-669a").stubs()
    while at.phase == "deciding" and not at.table.faces.get("community"):
        for seat in (1, 3):
            at.does(events.Decided, seat=seat, choice="check", amount=0)
        with pytest.raises(Refused, match="key in what was turned"):
            said(at, events.Revealed, where="community", cards="")
        first = name(at.faces["community"][0])
        at.does(events.Revealed, where="community", cards=first)
