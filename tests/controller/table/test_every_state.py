"""A walk through every state that a small table can reach in a round, with every event at each.

Two seats, one deck, the progressive where the game has one. Tables that differ only in how often
something happened before are taken as one; the invariants are checked in each.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec
import pytest

from controller.table.machine import new_table, step
from controller.table.state import Hold, Table
from controller.table.terms import Terms
from controller.table.transitions import TRANSITIONS
from tests.controller.table.invariants import check
from tests.controller.table.playing import BOOKS, OFFER, terms_of
from tests.controller.table.possible import possible

#: More than any of these walks needs; a machine that grows without end stops here.
MOST = 200_000


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


def walk(
    terms: Terms, families: tuple[str, ...] = (), most_rounds: int = 1
) -> tuple[int, int, int]:
    """The states that can be reached, and how many events were taken and refused on the way."""
    start = new_table(terms)
    seen, todo = {key(start)}, deque([start])
    taken = refused = 0
    while todo:
        table, before = todo.popleft(), taken
        for event in possible(terms, table, families):
            done = step(terms, table, event)
            if done.refused:
                assert done.table is table
                refused += 1
                continue
            taken += 1
            assert TRANSITIONS[type(event)].may_lead(table.phase, done.table.phase), event
            check(terms, done.table)
            if done.table.round > most_rounds or (found := key(done.table)) in seen:
                continue
            assert len(seen) < MOST, "the walk does not end"
            seen.add(found)
            todo.append(done.table)
        gone = table.decks and all(deck.removed for deck in table.decks)
        assert taken > before or gone, f"nothing can happen any more in {table}"
    return len(seen), taken, refused


@pytest.mark.parametrize("book", BOOKS)
def test_every_state_of_a_small_table_is_sound(
    book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # Where a misdealt hand is void by itself, a second wager at each seat makes too many tables.
    kept = () if book in ("s10", "ma") else ("progressive", "progressive_wager")
    options = {k: v for k, v in OFFER[book].items() if k in kept}
    terms = terms_of(book, "automated shoe", options=options, seats=2)
    states, taken, refused = walk(terms)
    with capsys.disabled():
        print(f" {book}: {states:,} states, {taken:,} events taken, {refused:,} refused")
    assert states > 100


#: What seldom happens, a family at a time, at tables where it can; one seat is enough for these.
SELDOM = [
    ("automated shoe", True, ("shoe",)),
    ("automated shoe", True, ("misdeals",)),
    ("automated shoe", True, ("idle",)),
    ("manual shoe", None, ("by hand",)),
]


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(("method", "counts", "families"), SELDOM)
def test_what_seldom_happens_leaves_every_state_sound(
    book: str, method: str, counts: bool | None, families: tuple[str, ...]
) -> None:
    terms = terms_of(book, method, options={}, seats=1, shuffler_counts=counts)
    assert walk(terms, families)[0] > 100


#: Two of them at a time, or with so many ways that it takes long.
TOGETHER = [
    ("automated shoe", True, ("devices",)),
    ("automated shoe", True, ("shoe", "misdeals")),
    ("hand", True, ("misdeals",)),
    ("manual shoe", None, ("by hand", "misdeals")),
    ("manual shoe", None, ("by hand", "idle")),
    ("manual shoe", None, ("devices",)),
]


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(("method", "counts", "families"), TOGETHER)
def test_what_seldom_happens_together_leaves_every_state_sound(
    book: str, method: str, counts: bool | None, families: tuple[str, ...]
) -> None:
    terms = terms_of(book, method, options={}, seats=1, shuffler_counts=counts)
    assert walk(terms, families)[0] > 1000
