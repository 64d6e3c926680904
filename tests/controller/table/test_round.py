"""Whole rounds, for every rulebook and every way of dealing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from controller.rules.cards import name, names
from controller.rules.roundfile import read_round
from controller.rules.settlement import settle
from controller.table import events
from controller.table.commands import CollectWager, Pay, ReturnWager
from controller.table.machine import new_table, step
from tests.controller.rules.rounds import REQUIRED, library
from tests.controller.table.playing import BOOKS, METHODS, OFFER, AtTheTable, open_table

ROUND = pytest.mark.parametrize(
    ("book", "method"), [(book, method) for book in BOOKS for method in METHODS]
)
SIDE: dict[str, dict[str, int]] = {
    "pa-639a": {"progressive": 100, "bonus": 500, "five_card_player": 100, "five_card_dealer": 100},
    "s10": {"progressive": 100},
    "ma": {
        "progressive": 100,
        "bonus": 500,
        "five_card_player": 100,
        "five_card_dealer": 100,
        "cover_all": 300,
    },
    "pa-669a": {"progressive": 100, "pair_plus": 500, "six_card": 300},
    "pa-682a": {"prime": 500, "aces": 500, "all_six": 300},
    "pa-683a": {"pocket": 500, "board": 500, "lo_ball": 500, "all_six": 300},
}


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", ["automated shoe", "manual shoe"])
def test_rounds_go_round_without_a_shuffler(book: str, method: str) -> None:
    at = open_table(book, method, shuffler_counts=None)
    # No count by a shuffler: cover_all is withheld, and from the fifth round on a stub is counted.
    side = {k: v for k, v in SIDE[book].items() if k != "cover_all"}
    for _ in range(6):
        at.plays(1, 3, **side)
    assert (at.phase, at.table.round) == ("shuffling", 6)


def mixed(at: AtTheTable) -> Any:
    """Seats that fold, check and wager as the dice fall."""

    def choose(street: int, seat: int) -> str:
        if at.terms.ruleset.rulebook.game == "raise-it-up" and street < 3:
            return at.random.choice(["wager", "check", "check"])
        return at.random.choice(["wager", "wager", "fold"])

    return choose


@ROUND
@pytest.mark.parametrize("seed", range(6))
def test_a_round_is_settled_as_felt_settle_settles_it(book: str, method: str, seed: int) -> None:
    at = open_table(book, method, seed)
    at.shuffles().antes(1, 3, at.terms.seats, **SIDE[book]).locks().deals()
    shown = {n: m.shows() for n, m in at.table.meters.items()}
    at.decides(mixed(at)).reveals()
    assert at.phase == "settling"
    given: dict[str, Any] = {
        "rulebook": book,
        "options": {**REQUIRED[book], **OFFER[book]},
        "meters": shown,
        **{place: names(at.faces.get(place, [])) for place in ("dealer", "community", "extra")},
        "seats": [
            {
                "seat": seat.number,
                "cards": names(at.faces[seat.number]),
                "folded": seat.folded,
                "wagers": seat.wagers,
            }
            for seat in at.table.in_round()
        ],
    }
    expected = settle(*read_round(json.dumps(given), library().rulebook))
    assert [(d.seat, d.wager, d.result, d.returns, d.clause) for d in at.table.due] == [
        (s.seat, line.wager, line.result.value, line.returns, line.clause)
        for s in expected.seats
        for line in s.lines
    ]
    at.pays()
    for meter, levels in expected.meters.items():
        assert at.table.meters[meter].shows() == {k: v for k, v in levels.items() if k != "reserve"}
    at.racks()
    assert at.phase == "shuffling"


@ROUND
def test_every_wager_ends_exactly_once(book: str, method: str) -> None:
    at = open_table(book, method, seed=4)
    for _ in range(6):
        before = len(at.commands)
        at.shuffles().antes(1, 3, **SIDE[book]).locks()
        down = {(s.number, k): v for s in at.table.seats for k, v in s.wagers.items()}
        at.deals().decides(mixed(at))
        made = {(s.number, k): v for s in at.table.seats for k, v in s.wagers.items()}
        at.reveals().pays().racks()
        ended = [
            (c.seat, c.wager)
            for c in at.commands[before:]
            if isinstance(c, Pay | CollectWager | ReturnWager)
        ]
        assert set(down) <= set(made)
        for wager in made:
            assert ended.count(wager) == 1, wager


@ROUND
def test_the_same_events_make_the_same_table(book: str, method: str) -> None:
    at = open_table(book, method, seed=9)
    for _ in range(3):
        at.shuffles().antes(1, 3, **SIDE[book]).locks().deals().decides(mixed(at)).reveals()
        at.pays().racks()
    table = new_table(at.terms)
    for event in at.taken:
        done = step(at.terms, table, event)
        assert not done.refused
        table = done.table
    assert table == at.table


@ROUND
def test_no_card_comes_before_the_lock_is_confirmed(book: str, method: str) -> None:
    at = open_table(book, method).shuffles().antes(1, 3)
    for kind in (events.DealPressed, events.StubRacked):
        assert at.refuses(kind)
    assert at.refuses(events.StackDispensed, number=1, cards=5)
    at.does(events.LockOutPressed)
    if not at.table.deal_enabled:
        assert "the deal waits for" in at.refuses(events.DealPressed)
    assert all(seat.dealt == 0 for seat in at.table.seats)


def test_the_up_card_is_the_dealers_first_card() -> None:
    at = open_table("pa-639a", "manual shoe").shuffles().antes(1, 3).locks().deals()
    assert at.table.up_card is not None
    assert name(at.table.up_card) == name(at.faces["dealer"][0])
