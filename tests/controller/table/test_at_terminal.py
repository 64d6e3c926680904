"""What a terminal shows its player is what the table would take, in every state of a round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from controller.table import events
from controller.table.at_terminal import changes, screen
from controller.table.commands import ShowDecision, ShowSeat, ShowWager
from controller.table.machine import step
from controller.table.state import Table
from controller.table.terms import Terms
from tests.controller.table.playing import BOOKS, FLOOR, AtTheTable, open_table, terms_of
from tests.controller.table.possible import NOW
from tests.controller.table.test_every_state import of_a_round

#: The rulebooks that have terminals as the tests' tables are set up.
WITH_TERMINALS = [book for book in BOOKS if terms_of(book).terminals]


def of(kind: type[Any], terms: Terms, table: Table, seat: int) -> list[Any]:
    return [one for one in screen(terms, table, seat) if isinstance(one, kind)]


def takes(terms: Terms, table: Table, kind: type[Any], seat: int, **given: Any) -> bool:
    event = kind(at=NOW, id=f"terminal-{seat}:7:{table.taken}", seat=seat, **given)
    return not step(terms, table, event).refused


def answers(one: ShowDecision) -> Iterator[dict[str, Any]]:
    yield from ({"choice": "wager", "amount": cents} for cents in one.amounts)
    yield {"choice": one.otherwise}


@pytest.mark.parametrize("book", BOOKS)
def test_a_decision_is_shown_when_it_is_due_and_what_is_shown_is_taken(book: str) -> None:
    terms = terms_of(book)
    shown = 0
    for table in of_a_round(terms):
        for seat in range(1, terms.seats + 1):
            (one,) = of(ShowDecision, terms, table, seat)
            if not one.street:
                assert not takes(terms, table, events.PlayerDecided, seat, choice="fold")
                continue
            shown += 1
            for answer in answers(one):
                assert takes(terms, table, events.PlayerDecided, seat, **answer), answer
            other = {"choice": "wager", "amount": max(one.amounts) + 1}
            assert not takes(terms, table, events.PlayerDecided, seat, **other)
    assert shown


@pytest.mark.parametrize("book", WITH_TERMINALS)
def test_a_wager_is_offered_when_it_would_be_taken(book: str) -> None:
    terms = terms_of(book)
    stood: set[str] = set()
    for table in of_a_round(terms):
        for seat in range(1, terms.seats + 1):
            if table.phase == "betting" and table.seat(seat).player:
                bought = events.BoughtIn(at=NOW, seat=seat, transfer="more", cents=10_000)
                stood |= offered_is_taken(terms, step(terms, table, bought).table, seat)
    assert stood == {"offered", "down", "needs another wager"}


def offered_is_taken(terms: Terms, table: Table, seat: int) -> set[str]:
    """How the wagers of a seat stand, and what can be placed once one of them is."""
    stood = set()
    for one in of(ShowWager, terms, table, seat):
        stood.add(one.stands)
        assert one.down == table.seat(seat).wagers.get(one.wager, 0)
        given = {"wager": one.wager, "amount": one.least, "tender": "game account"}
        placed = events.WagerPlaced(
            at=NOW, id=f"terminal-{seat}:7:{table.taken}", seat=seat, **given
        )
        after = step(terms, table, placed)
        assert bool(after.refused) == (one.stands != "offered"), one
        if not after.refused:
            stood |= offered_is_taken(terms, after.table, seat)
    return stood


def stage(at: AtTheTable) -> ShowSeat:
    (one,) = of(ShowSeat, at.terms, at.table, 1)
    assert isinstance(one, ShowSeat)
    return one


def test_how_the_seat_stands() -> None:
    at = open_table("pa-639a")
    assert stage(at).stage == "between rounds"
    at.shuffles()
    assert (stage(at).stage, stage(at).player != "") == ("betting", True)
    at.does(events.DeviceWentOffline, device="terminal 2")
    assert {one.stands for one in of(ShowWager, at.terms, at.table, 1)} == {"withheld"}
    at.antes(1).locks()
    assert (stage(at).stage, stage(at).round) == ("no more bets", 1)
    at.deals()
    assert stage(at).stage == "deciding"
    at.does(events.RoundVoided, by=FLOOR, reason="a dispute")
    assert stage(at).stage == "between rounds"


def test_only_what_has_changed_is_said_again() -> None:
    at = open_table("pa-639a").shuffles().antes(1)
    before = at.table
    wager = {"wager": "five_card_player", "amount": 100, "tender": "game account"}
    at.does(events.WagerPlaced, seat=1, **wager)
    (news,) = changes(at.terms, before, at.table, 1)
    assert isinstance(news, ShowWager)
    assert (news.wager, news.down, news.stands) == ("five_card_player", 100, "down")
    assert not list(changes(at.terms, before, at.table, 2))


def test_nobody_sits_there_any_more() -> None:
    at = open_table("pa-639a").shuffles().antes(1).locks()
    at.does(events.PlayerLeft, seat=1)
    assert stage(at).player == ""
    assert stage(at).held
