"""Small changes to a table, written so that handlers read like sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from controller.rules.faults import Refused
from controller.table.commands import Command
from controller.table.people import Role
from controller.table.state import Blocks, Deck, Hold, Seat, Table

#: What a handler gives back: the next table and what follows for the devices.
Change = tuple[Table, Sequence[Command]]

__all__ = ["Change", "deck_of", "held", "over", "replace", "with_deck", "with_seat"]


def with_seat(table: Table, number: int, **changes: Any) -> Table:
    seats = list(table.seats)
    seats[number - 1] = replace(seats[number - 1], **changes)
    return replace(table, seats=tuple(seats))


def seated(table: Table, number: int) -> Seat:
    if number > len(table.seats):
        raise Refused("seat", f"{number} is not a seat", f"seats are 1 to {len(table.seats)}")
    return table.seat(number)


def deck_of(table: Table, wanted: str) -> Deck:
    for deck in table.decks:
        if deck.id == wanted:
            return deck
    raise Refused("deck", f"{wanted!r} is not a deck of this table")


def with_deck(table: Table, wanted: str, **changes: Any) -> Table:
    decks = tuple(replace(d, **changes) if d.id == wanted else d for d in table.decks)
    return replace(table, decks=decks)


def over(table: Table, where: str, causes: tuple[str, ...], becomes: str) -> Table:
    """The holds there whose cause begins like one of these say what has become of it."""
    holds = tuple(
        replace(hold, over=becomes)
        if hold.where == where and hold.cause.startswith(causes)
        else hold
        for hold in table.holds
    )
    return replace(table, holds=holds) if holds != table.holds else table


def held(
    table: Table,
    cause: str,
    where: str,
    at: int,
    *,
    blocks: Blocks = "deal",
    clears: Role = "floorperson",
) -> Table:
    """The table with one more hold; the same cause at the same place is held once."""
    if any(hold.cause == cause and hold.where == where for hold in table.holds):
        return _as_it_was(table, cause, where)
    number = table.holds_made + 1
    hold = Hold(number, cause, where, at, blocks, clears)
    return replace(table, holds=(*table.holds, hold), holds_made=number)


def _as_it_was(table: Table, cause: str, where: str) -> Table:
    """A cause that is there again: whatever had become of it, has not."""
    holds = tuple(
        replace(hold, over="") if (hold.cause, hold.where) == (cause, where) else hold
        for hold in table.holds
    )
    return replace(table, holds=holds)
