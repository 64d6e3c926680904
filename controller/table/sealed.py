"""Where the cards lie that a reading shoe has seen: which of which stack, for every place.

The faces themselves are sealed, and nothing here can open them. Whoever holds the key asks for the
cards of one place when the rules reveal it, and opens no others.
"""

from __future__ import annotations

from typing import NamedTuple

from controller.table.dealing import all_six, cards_at
from controller.table.plan import LAST_STACK
from controller.table.state import Table


class Lies(NamedTuple):
    """Cards of one stack: from one place in it up to, but without, another; the bottom is 0."""

    stack: int
    first: int
    end: int


def cards_of(table: Table, place: int | str) -> tuple[Lies, ...]:
    """Where the cards of a seat or a place come from; nothing if the shoe did not deal them."""
    found: list[Lies] = []
    for stack, step in enumerate(table.deal.steps[: table.deal.done], 1):
        if not step.by_shoe:
            continue
        if step.to == place:
            found.append(Lies(stack, 0, step.cards))
        elif step.to == LAST_STACK:
            order = ("extra", "dealer") if all_six(table) else ("dealer",)
            found += [Lies(stack, n, n + 1) for n, to in enumerate(order) if to == place]
    return tuple(found)


def is_sealed(table: Table, place: int | str) -> bool:
    """Whether the shoe has read every card that lies there, and no other.

    Of cards that came for a place and were set aside nobody can tell here which they were.
    """
    lie = cards_of(table, place)
    count = sum(one.end - one.first for one in lie)
    read = bool(lie) and all(one.stack in table.deal.sealed for one in lie)
    return read and count == cards_at(table, place)


def may_be_revealed(table: Table) -> bool:
    """Whether the rules may still reveal a card of this round: after that, none is ever opened."""
    return table.phase in ("locked", "dealing", "deciding", "revealing")
