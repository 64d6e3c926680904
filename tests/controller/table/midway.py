"""Rounds that are stopped on the way: a table with wagers down, dealt as far as a test wants.

Also the books that tests of money keep: what was down, what went back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from controller.rules.cards import name
from controller.table import events
from controller.table.commands import Command, ReturnWager
from controller.table.dealing import must_show_up_card, next_step
from tests.controller.table.playing import FLOOR, METHODS, AtTheTable, open_table
from tests.controller.table.test_round import SIDE

#: The seats that play, with the last one by rulebook.
LAST = {"pa-639a": 7, "s10": 7, "ma": 7, "pa-669a": 6, "pa-682a": 6, "pa-683a": 6}
PENNSYLVANIA = ("pa-639a", "pa-669a", "pa-682a", "pa-683a")


def cases(clauses: dict[tuple[str, str], str]) -> pytest.MarkDecorator:
    """One case for each rulebook and method, carrying the clauses that it proves there."""
    return pytest.mark.parametrize(
        ("book", "method"),
        [
            pytest.param(book, method, marks=[pytest.mark.rule(*ids.split())] if ids else [])
            for (book, method), ids in clauses.items()
        ],
    )


def every_method(clauses: dict[str, str]) -> pytest.MarkDecorator:
    return cases({(book, method): ids for book, ids in clauses.items() for method in METHODS})


def ready(
    book: str, method: str, *, seats: tuple[int, ...] = (), side: bool = True, **more: Any
) -> AtTheTable:
    """Wagers are down and locked, the deal may begin; at the first, third and last seat."""
    at = open_table(book, method, **more).shuffles()
    at.antes(*(seats or (1, 3, LAST[book])), **(SIDE[book] if side else {}))
    return at.locks()


def dealing(book: str, method: str, **more: Any) -> AtTheTable:
    at = ready(book, method, **more)
    at.does(events.DealPressed)
    return at


def deal_step(at: AtTheTable) -> tuple[int | str, int]:
    """One step of the plan as it should go, with the up-card when it is due."""
    planned = next_step(at.table)
    assert planned is not None
    at.draw(planned.to, planned.cards)
    if planned.by_shoe:
        at.does(events.StackDispensed, number=at.table.deal.done + 1, cards=planned.cards)
    else:
        at.does(events.CardsDealt, to=planned.to, cards=planned.cards)
    show_up_card(at)
    return planned.to, planned.cards


def show_up_card(at: AtTheTable) -> None:
    if at.phase == "dealing" and must_show_up_card(at.terms, at.table):
        at.does(events.UpCardShown, card=name(at.faces["dealer"][0]))


def deal_out(at: AtTheTable) -> AtTheTable:
    """All cards of the plan are out; the stub is not yet away."""
    while next_step(at.table) is not None:
        deal_step(at)
    return at


def down(at: AtTheTable) -> dict[tuple[int, str], int]:
    return {(s.number, kind): cents for s in at.table.seats for kind, cents in s.wagers.items()}


def back(commands: Iterable[Command]) -> list[tuple[tuple[int, str], int]]:
    return sorted(((c.seat, c.wager), c.cents) for c in commands if isinstance(c, ReturnWager))


def all_void(at: AtTheTable, was_down: dict[tuple[int, str], int], commands: Any) -> None:
    """The round is void, and of the wagers that were down each went back once."""
    assert at.phase == "clearing"
    assert at.table.void
    assert back(commands) == sorted(was_down.items())
    assert down(at) == {}
    assert all(seat.lamp == "off" for seat in at.table.seats)
    assert all(deck.shuffled == "no" for deck in at.table.decks if deck.id == at.table.deck)


def exposes(at: AtTheTable, where: str) -> list[Command]:
    """A card was seen, and confirmed by a floorperson where the rulebook wants that."""
    commands = [*at.does(events.CardExposed, where=where)]
    if at.terms.ruleset.rulebook.procedures.exposure_confirmed_by is not None:
        commands += at.does(events.ExposureDecided, by=FLOOR, reason="it was seen")
    return commands


def not_loaded(at: AtTheTable, deck: str | None) -> None:
    """A deck that is not ready does not come into play; a shoe that took it in is held."""
    at.send(events.DeckLoaded, deck=deck)
    assert at.phase == "shuffling"
    if at.table.method == "automated shoe":
        assert at.table.holds
    at.refuses(events.LockOutPressed)
    at.refuses(events.DealPressed)


def clear_holds(at: AtTheTable) -> None:
    for hold in at.table.holds:
        at.does(events.HoldCleared, hold=hold.number, reason="looked at", by=FLOOR)


def goes_on(at: AtTheTable) -> None:
    """After a void: nothing is dealt before the whole deck is gathered and shuffled again."""
    deck = at.table.deck
    at.refuses(events.ShuffleCompleted, deck=deck, count=52)
    at.refuses(events.DealPressed)
    at.racks()
    not_loaded(at, deck)
    clear_holds(at)
    at.plays(1, 3)
    assert at.phase == "shuffling"
