"""A walk through every state that a small table can reach in a round, with every event at each.

Two seats, one deck, the progressive where the game has one. Tables that differ only in how often
something happened before are taken as one; the invariants are checked in each.

To walk through all of them takes minutes (``make slow``). Every run of the suite walks a part of
each: so many states, by a throw of dice that is always the same, through every phase.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, get_args

import msgspec
import pytest

from controller.rules.part import Method
from controller.table.machine import new_table, step
from controller.table.state import Hold, Phase, Table
from controller.table.terms import Terms
from controller.table.transitions import TRANSITIONS
from tests.controller.table.invariants import check
from tests.controller.table.playing import BOOKS, OFFER, AtTheTable, terms_of
from tests.controller.table.possible import NOW, possible

#: More than any of these walks needs; a machine that grows without end stops here.
MOST = 200_000
MOST_ROUNDS = 1
#: A part of a walk: so many states, and all there are if they are fewer.
SOME = 300
PHASES = set(get_args(Phase))


def key(table: Table) -> bytes:
    """What tells two tables of the walk apart."""
    deal = msgspec.structs.replace(table.deal, stub_cards=None, stub_by="", told=0)
    holds = {hold.where: hold.blocks for hold in table.holds}
    same: dict[str, Any] = {
        "taken": 0,
        "round": min(table.round, 1),
        "holds_made": 0,
        "holds": tuple(Hold(0, "", where, 0, how, "dealer") for where, how in holds.items()),
        "ids": (),
        "heard": {},
        "on_duty": {},
        "back": (),
        "late": (),
        "picked_up": (),
        "rounds_since_count": min(table.rounds_since_count, 1),
        "meters": {},
        "contributed": (),
        "after": {},
        "deal": deal,
        "seats": tuple(msgspec.structs.replace(seat, last={}) for seat in table.seats),
        "void": "void" if table.void else "",
        "decks": tuple(
            msgspec.structs.replace(d, removed="removed" if d.removed else "") for d in table.decks
        ),
    }
    return msgspec.msgpack.encode(msgspec.structs.replace(table, **same))


def of_a_round(terms: Terms) -> Iterator[Table]:
    """Every table of a round in which all goes well: from each of them something may go wrong."""
    played = AtTheTable(terms)
    seats = range(1, terms.seats + 1)
    played.opens(*("A", "B")[: terms.decks]).sits(*seats).plays(*seats)
    yield (table := new_table(terms))
    for event in played.taken:
        table = step(terms, table, msgspec.structs.replace(event, at=NOW)).table
        if table.round <= MOST_ROUNDS:
            yield table


class _Todo:
    """Where a walk has not been: a table of each phase in turn, any of those that were found."""

    def __init__(self, starts: Iterable[Table]) -> None:
        self._by_phase: dict[Phase, list[Table]] = {}
        self._turns: deque[Phase] = deque()
        self._dice = random.Random(1)
        for start in starts:
            self.add(start)

    def __bool__(self) -> bool:
        return bool(self._turns)

    def add(self, table: Table) -> None:
        waiting = self._by_phase.setdefault(table.phase, [])
        if not waiting:
            self._turns.append(table.phase)
        waiting.append(table)

    def next(self) -> Table:
        phase = self._turns.popleft()
        waiting = self._by_phase[phase]
        place = self._dice.randrange(len(waiting))
        waiting[place], waiting[-1] = waiting[-1], waiting[place]
        table = waiting.pop()
        if waiting:
            self._turns.append(phase)
        return table


class Walk:
    """The states that can be reached, and how many events were taken and refused on the way."""

    def __init__(
        self, terms: Terms, families: tuple[str, ...] = (), some: int | None = None
    ) -> None:
        self.states = self.taken = self.refused = 0
        self.phases: set[Phase] = set()
        starts = [new_table(terms)] if some is None else list(of_a_round(terms))
        seen, todo = set(map(key, starts)), _Todo(starts)
        while todo and (some is None or self.states < some):
            table, before = todo.next(), self.taken
            self.states += 1
            self.phases.add(table.phase)
            for after in self._steps(terms, table, families):
                if after.round <= MOST_ROUNDS and (found := key(after)) not in seen:
                    assert len(seen) < MOST, "the walk does not end"
                    seen.add(found)
                    todo.add(after)
            gone = table.decks and all(deck.removed for deck in table.decks)
            assert self.taken > before or gone, f"nothing can happen any more in {table}"

    def _steps(self, terms: Terms, table: Table, families: tuple[str, ...]) -> Iterator[Table]:
        """Every table that one event makes of this one, each of them sound."""
        for event in possible(terms, table, families):
            done = step(terms, table, event)
            if done.refused:
                assert done.table is table
                self.refused += 1
                continue
            self.taken += 1
            assert TRANSITIONS[type(event)].may_lead(table.phase, done.table.phase), event
            check(terms, done.table)
            yield done.table


def small(book: str) -> Terms:
    # Where a misdealt hand is void by itself, a second wager at each seat makes too many tables.
    kept = () if book in ("s10", "ma") else ("progressive", "progressive_wager")
    options = {k: v for k, v in OFFER[book].items() if k in kept}
    return terms_of(book, "automated shoe", options=options, seats=2)


#: What seldom happens, at tables where it can; one seat is enough for these. A family at a time,
#: two of them, or with so many ways that it takes long.
SELDOM: list[tuple[Method, bool | None, tuple[str, ...]]] = [
    ("automated shoe", True, ("shoe",)),
    ("automated shoe", True, ("misdeals",)),
    ("automated shoe", True, ("idle",)),
    ("manual shoe", None, ("by hand",)),
    ("automated shoe", True, ("devices",)),
    ("automated shoe", True, ("shoe", "misdeals")),
    ("hand", True, ("misdeals",)),
    ("manual shoe", None, ("by hand", "misdeals")),
    ("manual shoe", None, ("by hand", "idle")),
    ("manual shoe", None, ("devices",)),
]


@pytest.mark.parametrize("book", BOOKS)
def test_some_states_of_a_small_table_are_sound(book: str) -> None:
    assert Walk(small(book), some=SOME).phases == PHASES


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(("method", "counts", "families"), SELDOM)
def test_what_seldom_happens_leaves_some_states_sound(
    book: str, method: Method, counts: bool | None, families: tuple[str, ...]
) -> None:
    terms = terms_of(book, method, options={}, seats=1, shuffler_counts=counts)
    assert Walk(terms, families, some=SOME).phases == PHASES


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
def test_every_state_of_a_small_table_is_sound(
    book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    all_ = Walk(small(book))
    with capsys.disabled():
        events = f"{all_.taken:,} events taken, {all_.refused:,} refused"
        print(f" {book}: {all_.states:,} states, {events}")
    assert all_.states > SOME
    assert all_.phases == PHASES


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(("method", "counts", "families"), SELDOM)
def test_what_seldom_happens_leaves_every_state_sound(
    book: str, method: Method, counts: bool | None, families: tuple[str, ...]
) -> None:
    terms = terms_of(book, method, options={}, seats=1, shuffler_counts=counts)
    assert Walk(terms, families).states > 100
