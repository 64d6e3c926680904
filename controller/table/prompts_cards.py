"""What people are asked to do with the cards before a round: opening, shuffle, cut."""

from __future__ import annotations

from collections.abc import Iterator

from controller.table.decks import STEPS, is_open, is_ready
from controller.table.prompt import Prompt
from controller.table.state import Table
from controller.table.terms import Terms

_STEP = {
    "inspected": ("dealer", "sort and inspect the cards for defects"),
    "verified": ("floorperson", "verify the inspection"),
    "spread": ("dealer", "spread the cards face up, by suit and in sequence, for the first player"),
    "washed": ("dealer", "turn the cards face down, wash and stack them"),
}


def closed(terms: Terms, table: Table) -> Iterator[Prompt]:
    yield Prompt("floorperson", "open the table")


def opening(terms: Terms, table: Table) -> Iterator[Prompt]:
    registered = [deck for deck in table.decks if not deck.removed]
    if len(registered) < terms.decks:
        accessory = terms.ruleset.rulebook.procedures.accessory_cards
        text = f"receive a deck, with {' and '.join(accessory.is_)}"
        yield Prompt("dealer", text, accessory.clause)
    for deck in registered:
        step = next((one for one in STEPS if one not in deck.steps), None)
        if not is_open(deck) and step in _STEP:
            who, text = _STEP[step]
            yield Prompt(
                "floorperson" if who == "floorperson" else "dealer", f"deck {deck.id}: {text}"
            )


def shuffling(terms: Terms, table: Table) -> Iterator[Prompt]:
    yield from opening(terms, table)
    deck = next((one for one in table.decks if one.id == table.deck), None)
    if deck is None:
        yield Prompt("floorperson", "bring another deck: none can be played")
        return
    procedures = terms.ruleset.rulebook.procedures
    if deck.shuffled == "no":
        automated = terms.has_shuffler and table.shuffler_in_service
        if automated and deck.opened:
            text = "the shuffler was opened: wait for the end of its cycle, it shuffles anew"
            yield Prompt("dealer", f"deck {deck.id}: {text}")
            return
        what = "put it into the shuffler" if automated else "shuffle it"
        yield Prompt("dealer", f"deck {deck.id}: {what}")
    elif is_ready(deck):
        least = procedures.cut_at_least
        text = f"deck {deck.id}: cut it, at least {least.is_} cards ({procedures.cut.is_})"
        yield Prompt("dealer", text, procedures.cut.clause)
    else:
        into = "into your hand" if table.method == "hand" else f"into the {table.method}"
        yield Prompt("dealer", f"deck {deck.id}: take it {into}")
    if terms.decks == 2 and table.rack is not None:
        yield Prompt("dealer", f"clear the rack of deck {table.rack}")
