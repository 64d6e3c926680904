"""An open table at which nobody plays: its cards lie spread until a player arrives.

Cards that lay on a table are fit for play again only after the player could look at them and
they were washed and shuffled. Where nobody confirmed the spread it is the same: the table can't
tell who had the cards meanwhile.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, replace
from controller.table.decks import is_open, is_shown, reshuffles
from controller.table.opening import shut
from controller.table.state import Table
from controller.table.terms import Terms

BETWEEN_ROUNDS = ("shuffling", "betting")


def nobody_is_left(terms: Terms, table: Table) -> Table:
    """After a player left or a round ended: with nobody there, the cards are to be spread."""
    if (
        table.phase in BETWEEN_ROUNDS
        and not table.idle
        and not reshuffles(terms, table)
        and not any(seat.player for seat in table.seats)
    ):
        return replace(table, idle="to be spread")
    return table


def spread(terms: Terms, table: Table, event: events.CardsSpread) -> Change:
    procedures = terms.ruleset.rulebook.procedures
    rule = procedures.reshuffle_and_count_device
    if reshuffles(terms, table) and rule is not None:
        raise Refused("", "the device keeps the cards: nobody spreads them", clause=rule.clause)
    if any(seat.player for seat in table.seats):
        clause = procedures.idle_spread.clause
        raise Refused("", "players sit at the table", "spread when nobody plays", clause)
    turned = procedures.idle_spread.is_ == "face up or down" and event.faces == "face down"
    first = ("turned up",) if turned else ()
    looks = "shown" if is_shown(terms) else "inspected"
    table, commands = _again(terms, table, (*first, looks, "washed"))
    return replace(table, idle=event.faces), commands


def player_arrived(terms: Terms, table: Table) -> Change:
    """From here on the cards are made fit for play again."""
    if not table.idle:
        return table, ()
    if table.idle == "to be spread":
        steps = ("spread", "shown", "washed") if is_shown(terms) else ("inspected", "washed")
        table, commands = _again(terms, table, steps)
        return replace(table, idle=""), commands
    return replace(table, idle=""), ()


def _again(terms: Terms, table: Table, steps: tuple[str, ...]) -> Change:
    """Every deck outside the shuffler must go through these steps, and be shuffled after."""
    table, commands = shut(terms, table)
    decks = tuple(
        replace(
            deck,
            again=steps,
            steps={name: who for name, who in deck.steps.items() if name != "turned up"},
            shuffled="no",
            cut=False,
            cutting=0,
            recut=False,
        )
        if not deck.removed and (deck.again or is_open(deck)) and deck.id != table.shuffler_holds
        else deck
        for deck in table.decks
    )
    return replace(table, phase="shuffling", decks=decks, deck=None, rack=None), commands
