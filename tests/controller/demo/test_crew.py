"""The crew plays every table by its rulebook: nothing that it does is refused.

Devices are answered for here at once and by the book, so what is tested is the people. The table
with its devices is played in the scenarios.
"""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from controller.demo.crew import Crew, Do, Say
from controller.demo.players import Player, promising, strong
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.library import Library, shipped
from controller.rules.cards import DECK, cards
from controller.table import commands, events
from controller.table.dealing import next_step
from controller.table.people import Person, Role
from controller.table.state import Seat
from controller.table.wagers import accepted
from controller.tables import read_file
from simulators import virtual_time
from tests.controller.table.playing import BOOKS, BOSS, DEALER, FLOOR, METHODS, AtTheTable, terms_of

PEOPLE: dict[Role, Person] = {"dealer": DEALER, "floorperson": FLOOR, "supervisor": BOSS}


class Playing:
    """A table, its crew, and devices that do at once what they are told."""

    def __init__(self, book: str, method: str, seed: int) -> None:
        self.at_table = AtTheTable(terms_of(book, method), seed)
        terms = self.at_table.terms
        seats = range(1, terms.seats + 1)
        players = {seat: Player(seat, random.Random(seed * 100 + seat)) for seat in seats}
        self.crew = Crew(terms, players, self)
        self.transfers = 0

    def at(self, place: int | str) -> list[int]:
        return self.at_table.faces.get(place, [])

    def stub(self) -> int:
        return len(self.at_table.shoe)

    def chips(self) -> int:
        return accepted(self.at_table.table)

    def plays(self, rounds: int) -> None:
        table = self.at_table
        while table.table.round < rounds or table.phase != "shuffling":
            act = self.crew.next_act(table.table)
            assert act is not None, f"nobody knows what to do in {table.phase}"
            if isinstance(act, Say):
                self._said(act)
            else:
                self._done(act)

    def _said(self, act: Say) -> None:
        if act.kind is events.CardsDealt:
            self.at_table.draw(act.facts["to"], act.facts["cards"])
        if act.kind is events.DeckLoaded:
            self._loads()
        by = {"by": PEOPLE[act.role]} if act.role else {}
        self.at_table.does(act.kind, **act.facts, **by)

    def _loads(self) -> None:
        self.at_table.shoe = self.at_table.random.sample(DECK, 52)
        self.at_table.faces = {}

    def _done(self, act: Do) -> None:
        at = self.at_table
        match act:
            case Do("press", name="lock_out"):
                self._locks()
            case Do("press"):
                self._deals()
            case Do("put into shuffler", name=deck):
                at.does(events.ShuffleCompleted, deck=deck, count=52)
            case Do("put into shoe", name=deck):
                self._loads()
                at.does(events.DeckLoaded, deck=deck)
            case Do("buy in", seat=seat, cents=cents):
                self.transfers += 1
                at.does(events.BoughtIn, seat=seat, cents=cents, transfer=f"t{self.transfers}")
            case Do("chip", seat=seat, name=wager, cents=cents):
                at.does(events.WagerPlaced, seat=seat, wager=wager, amount=cents)
            case Do("wager at terminal", seat=seat, name=wager, cents=cents):
                tender = "game account"
                at.does(events.WagerPlaced, seat=seat, wager=wager, amount=cents, tender=tender)
            case _:
                raise AssertionError(f"{act} is no device's business")

    def _locks(self) -> None:
        for command in self.at_table.does(events.LockOutPressed):
            match command:
                case commands.Lock(seat=seat, device=device):
                    self.at_table.does(events.LockConfirmed, seat=seat, device=device)
                case commands.RequestDraw(draw=draw):
                    result = "7d" if draw == "magic_card" else "3"
                    self.at_table.does(events.Drawn, draw=draw, result=result)

    def _deals(self) -> None:
        at = self.at_table
        at.does(events.DealPressed)
        while (planned := next_step(at.table)) is not None and planned.by_shoe:
            at.draw(planned.to, planned.cards)
            number = at.table.deal.done + 1
            at.does(events.StackDispensed, number=number, cards=planned.cards)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("book", BOOKS)
def test_a_crew_plays_by_the_book(book: str, method: str) -> None:
    playing = Playing(book, method, seed=3)
    playing.plays(12)
    assert not playing.at_table.table.holds


def test_two_crews_from_one_seed_play_the_same() -> None:
    one, other = (Playing("pa-669a", "automated shoe", seed=5) for _ in range(2))
    one.plays(6)
    other.plays(6)
    assert one.at_table.taken == other.at_table.taken


def test_players_do_all_that_a_game_lets_them() -> None:
    playing = Playing("pa-669a", "hand", seed=1)
    playing.plays(20)
    choices = {e.choice for e in playing.at_table.taken if isinstance(e, events.Decided)}
    assert choices == {"wager", "check", "fold"}


@pytest.mark.parametrize("method", METHODS)
def test_with_two_decks_one_is_shuffled_while_the_other_is_in_play(
    tmp_path: Path, method: str
) -> None:
    data = read_file(shipped("tables") / "pa-639a.toml")
    data["decks"], data["method"], data["options"]["seats"] = 2, method, 2
    options = Options(seed=1, pause=0.1, broker=False, starts_at=1_767_225_600.0)
    show = Show(data, tmp_path, Library(), options, rounds=3, view=View(io.StringIO()))
    virtual_time.run(show.run)
    assert show.differences() == []
    assert show.table is not None
    assert show.table.round == 3
    assert show.table.last_deck == "A", "they take turns"


def test_who_has_an_ante_down_wagers_what_goes_with_it() -> None:
    """A game that has begun is played on: the Blind is as large as the Ante that lies there."""
    terms = terms_of("pa-669a")
    for seed in range(20):
        player = Player(1, random.Random(seed))
        planned = player.wagers(terms, [], Seat(1, wagers={"ante": 3 * terms.least_ante}))
        assert planned["ante"] == planned["blind"] == 3 * terms.least_ante


@pytest.mark.parametrize(
    ("hand", "is_strong", "is_promising"),
    [
        ("As Kd 9h 4c 2s", False, True),
        ("As Qd 9h 4c 2s", False, False),
        ("2s 2d 9h 4c 7s", False, True),
        ("Js Jd 9h 4c 7s", True, True),
        ("2s 2d 9h 9c 7s", True, True),
        ("2s 5s 9s Kc 7s", True, False),
        ("3s 4d 5h 6c 7s", True, False),
    ],
)
def test_what_players_call_a_good_hand(hand: str, is_strong: bool, is_promising: bool) -> None:
    assert strong(cards(hand)) is is_strong
    assert promising(cards(hand)) is is_promising
