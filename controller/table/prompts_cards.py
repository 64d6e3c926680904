"""What people are asked to do with the cards before a round: opening, idle table, shuffle, cut.

The words are those of the regulations; the clauses come from the rulebook.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.table.decks import (
    due_at,
    has_shuffler,
    is_open,
    is_ready,
    may_be_turned_up,
    registered,
    reshuffles,
    to_do,
    wanted,
    warned,
)
from controller.table.people import Role
from controller.table.prompt import Prompt
from controller.table.shuffle import acts
from controller.table.state import Deck, Table
from controller.table.terms import Terms

#: By step of the checklist: who does it, what, and the event that answers.
_STEPS: dict[str, tuple[Role, str, str]] = {
    "inspected": ("dealer", "sort and inspect the cards for defects", "deck_inspected"),
    "verified": ("floorperson", "verify the inspection", "deck_verified"),
    "spread": (
        "dealer",
        "spread the cards out face up on the table, by suit and in sequence, for the first player",
        "deck_spread",
    ),
    "turned up": ("dealer", "turn the cards face up for the player", "cards_turned_up"),
    "shown": ("dealer", "let the first player look at the cards", "deck_shown"),
    "washed": (
        "dealer",
        "turn the cards face down, mix them thoroughly by a washing, and stack them",
        "deck_washed",
    ),
}
#: By act of the cut: what is done, and the event that answers.
_CUT = {
    "cover card placed": (
        "using one hand, place the cover card on the table in front of the deck",
        "cover_card_placed",
    ),
    "cut": (
        "take a stack of at least {least} cards from the top and place it on the cover card",
        "cut_made",
    ),
    "rest placed": ("place the cards that remain on top of the stack that was cut", "rest_placed"),
    "cover card racked": (
        "remove the cover card and place it in the discard rack",
        "cover_card_racked",
    ),
}
_CUT_UNDER = (
    "place the cover card in the stack, at least {least} cards in from the top; "
    "take all cards above it and the cover card and place them on the bottom"
)


def closed(terms: Terms, table: Table) -> Iterator[Prompt]:
    yield Prompt("floorperson", "open the table", answer="table_opened")


# --- Opening ----------------------------------------------------------------


def opening(terms: Terms, table: Table) -> Iterator[Prompt]:
    there = [deck for deck in registered(table) if not deck.replaces]
    if len(there) < wanted(terms, table):
        accessory = terms.ruleset.rulebook.procedures.accessory_cards
        text = f"receive a deck, with {' and '.join(accessory.is_)}"
        yield Prompt("dealer", text, accessory.clause, answer="deck_received")
    yield from _changing(terms, table)
    for deck in registered(table):
        yield from _checklist(terms, table, deck)


def _checklist(terms: Terms, table: Table, deck: Deck) -> Iterator[Prompt]:
    step = next(iter(to_do(terms, deck)), None)
    if step not in _STEPS or (deck.again and table.idle):
        return
    procedures = terms.ruleset.rulebook.procedures
    of_idle = deck.again and step != "washed"
    clause = procedures.idle_spread.clause if of_idle else procedures.steps.of(step)
    if step == "shown" and not any(seat.player for seat in table.seats):
        text = f"deck {deck.id} lies spread: seat the first player to arrive"
        yield Prompt("dealer", text, clause, answer="player_sat")
        return
    who, text, answer = _STEPS[step]
    if step == "shown" and may_be_turned_up(terms, deck):
        text += "; if the player asks, turn them face up"
    yield Prompt(who, f"deck {deck.id}: {text}", clause, answer=answer)


def _changing(terms: Terms, table: Table) -> Iterator[Prompt]:
    """Another deck for one that is due for change; the old one goes when that is ready."""
    for old in warned(terms, table):
        clause = terms.deck_life_clause(table.method)
        new = next((deck for deck in registered(table) if deck.replaces == old.id), None)
        due = due_at(terms, table, old)
        is_over = due is not None and table.at >= due
        if new is None:
            text = f"receive a deck that replaces deck {old.id}: it is due for change"
            yield Prompt("dealer", text, clause, answer="deck_received")
        if is_over or (new is not None and is_open(new)):
            text = f"remove deck {old.id}: it is due for change"
            yield Prompt("floorperson", text, clause, answer="deck_removed")


# --- The idle table ---------------------------------------------------------


def idle(terms: Terms, table: Table) -> Iterator[Prompt]:
    """Nobody plays: the cards lie on the table until somebody comes."""
    rule = terms.ruleset.rulebook.procedures.idle_spread
    if table.idle == "to be spread":
        how = "face down, or face up if a player asks"
        if rule.is_ == "face up or down":
            how = "either face up or face down"
        text = f"take the cards out of shoe and rack and spread them out on the table, {how}"
        yield Prompt("dealer", text, rule.clause, answer="cards_spread")
    elif table.idle:
        text = f"the cards lie spread {table.idle}: seat the first player to arrive"
        yield Prompt("dealer", text, rule.clause, answer="player_sat")


# --- Shuffle and cut --------------------------------------------------------


def shuffling(terms: Terms, table: Table) -> Iterator[Prompt]:
    yield from opening(terms, table)
    yield from idle(terms, table)
    deck = next((one for one in table.decks if one.id == table.deck), None)
    if deck is not None and not table.idle:
        yield from _made_ready(terms, table, deck)
    elif not registered(table):
        yield Prompt("floorperson", "bring another deck: none can be played")


def _made_ready(terms: Terms, table: Table, deck: Deck) -> Iterator[Prompt]:
    steps = terms.ruleset.rulebook.procedures.steps
    if deck.shuffled == "no":
        yield _to_shuffle(terms, table, deck)
    elif is_ready(deck) or deck.recut:
        yield cut(terms, deck)
    elif turns := list(_taking_turns(terms, table, deck)):
        yield from turns
    else:
        loaded = {str(method): clause for method, clause in steps.loaded.items()}
        into = "in either hand" if table.method == "hand" else f"in the {table.method}"
        answer = "" if table.method == "automated shoe" else "deck_loaded"
        text = f"deck {deck.id}: place the stacked deck {into}"
        yield Prompt("dealer", text, loaded.get(table.method, ""), answer=answer)


def _to_shuffle(terms: Terms, table: Table, deck: Deck) -> Prompt:
    clause = terms.ruleset.rulebook.procedures.steps.of("shuffled")
    if not has_shuffler(terms, table):
        text = f"deck {deck.id}: shuffle the cards and place them in a single stack"
        return Prompt("dealer", text, clause, answer="shuffled_by_hand")
    text = "put the cards into the shuffler"
    if deck.opened:
        text = "the shuffler was opened: wait for the end of its cycle, it shuffles anew"
    elif deck.cycle_runs:
        text = "wait until the shuffler has shuffled the cards"
    return Prompt("dealer", f"deck {deck.id}: {text}", clause)


def _taking_turns(terms: Terms, table: Table, deck: Deck) -> Iterator[Prompt]:
    """With two decks: the other one out of the rack and into the shuffler, before this is dealt."""
    clause = terms.ruleset.rulebook.procedures.second_deck_needs_shuffler.clause
    if wanted(terms, table) == 1:
        for other in registered(table):
            if other.id != deck.id and not other.replaces:
                text = f"remove deck {other.id}: two decks need a shuffler in service"
                yield Prompt("floorperson", text, clause, answer="deck_removed")
        return
    if all(other.id == deck.id or other.replaces for other in registered(table)):
        yield Prompt("dealer", f"deck {deck.id} waits: the second deck is missing", clause)
    if table.rack not in (None, deck.id):
        text = f"clear the discard rack of deck {table.rack}"
        yield Prompt("dealer", text, clause, answer="rack_cleared")
    for other in registered(table):
        if other.id not in (deck.id, table.shuffler_holds) and not other.replaces:
            yield Prompt("dealer", f"deck {other.id}: put it into the shuffler", clause)


def cut(terms: Terms, deck: Deck) -> Prompt:
    """The next act of the cut; all of it where the text has it as one."""
    procedures = terms.ruleset.rulebook.procedures
    in_order = acts(terms)
    again = "cut it again: " if deck.recut else ""
    text, answer = _CUT[in_order[deck.cutting]]
    if len(in_order) == 1:
        text = _CUT_UNDER
    text = text.format(least=procedures.cut_at_least.is_)
    clauses = procedures.steps.cut or [procedures.cut.clause] * len(in_order)
    clause = clauses[deck.cutting]
    return Prompt("dealer", f"deck {deck.id}: {again}{text}", clause, answer=answer)


def recut(terms: Terms, table: Table) -> Iterator[Prompt]:
    """After an order to cut again, for as long as it is not done."""
    for deck in table.decks:
        if deck.id == table.deck and deck.recut and not reshuffles(terms, table):
            yield cut(terms, deck)
