"""Cards that a device can't name: which deck they are is read off the table.

A shoe or a shuffler sees cards and no back colour, and nobody keys the deck's name into it. So it
says that it has a deck, and the table says which that must be: the one that is due, or where two
take turns the other one. What a device does name is believed or refused, never corrected.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table.change import deck_of
from controller.table.events import UNNAMED
from controller.table.state import Deck, Table


def in_the_shoe(table: Table, said: str) -> str:
    """The deck that was loaded."""
    if said != UNNAMED:
        return said
    if table.deck is None:
        raise Refused("deck", "the shoe was loaded, and no deck is due")
    return table.deck


def in_the_shuffler(table: Table, said: str) -> str:
    """The deck that a cycle of the shuffler is about."""
    found = held_by_the_shuffler(table, said)
    if found is None:
        raise Refused("deck", "the shuffler has cards, and this table has no deck")
    return found


def held_by_the_shuffler(table: Table, said: str | None) -> str | None:
    """The deck that lies in the shuffler, if one of the table's does."""
    if said != UNNAMED:
        return said
    if table.shuffler_holds is not None:
        return table.shuffler_holds  # it was never empty in between
    there = [deck for deck in table.decks if not deck.removed and not deck.replaces]
    if table.deck is None:
        return there[0].id if there else None
    if table.phase == "shuffling" and deck_of(table, table.deck).shuffled == "no":
        return table.deck
    return _beside(there, table.deck)


def _beside(there: list[Deck], deck: str) -> str:
    """While one is dealt, or is shuffled and waits for the shoe, the other one goes in."""
    return next((one.id for one in there if one.id != deck), deck)
