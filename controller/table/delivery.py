"""How cards come: in stacks from the automated shoe, or one by one from the dealer's hands.

A stack is ordered once. If its answer is lost the shoe is asked what it did, and only its own
word that it did nothing lets the order go out again: a shoe must not dispense a stack twice.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, held, replace
from controller.table.commands import AskShoe
from controller.table.dealing import (
    if_complete,
    must_show_up_card,
    next_step,
    ordered,
    put,
    said,
    stub,
)
from controller.table.decks import DECK_OF_CARDS
from controller.table.misdeals import wrong_number
from controller.table.state import Table
from controller.table.terms import Terms
from controller.table.voiding import void

# --- From the automated shoe ------------------------------------------------


def dispensed(terms: Terms, table: Table, event: events.StackDispensed) -> Change:
    if table.method != "automated shoe":
        raise Refused("number", f"no shoe dispenses here: the deal is from a {table.method}")
    step, expected = next_step(table), table.deal.done + 1
    if event.number == table.deal.told == table.deal.done:
        # The answer was late, not lost; a third time would be a repeated stack.
        return replace(table, deal=replace(table.deal, told=0)), ()
    if table.phase != "dealing" or step is None or not step.by_shoe:
        return _shoe_failed(terms, table, event.at, f"stack {event.number} came without an order")
    if event.number != expected:
        reason = f"stack {event.number} came where {expected} was ordered"
        return _shoe_failed(terms, table, event.at, reason)
    if event.sealed:
        sealed = {**table.deal.sealed, event.number: event.sealed}
        table = replace(table, deal=replace(table.deal, sealed=sealed))
    return _taken(terms, table, event.cards, event.at)


def _taken(terms: Terms, table: Table, cards: int, at: int) -> Change:
    step = next_step(table)
    assert step is not None
    table = put(table, step, cards)
    if cards == step.cards:
        return ordered(terms, table)
    reason = f"stack {table.deal.done} has {cards} cards instead of {said(step)}"
    short = terms.ruleset.rulebook.procedures.short_stack_voids_round
    if cards < step.cards and short is not None and short.is_:
        return _shoe_failed(terms, table, at, reason)  # it fails to deal all cards of the round
    table, commands = wrong_number(terms, held(table, reason, "shoe", at), step.to, reason)
    if table.phase != "dealing":
        return table, commands
    table, more = ordered(terms, table)
    return table, [*commands, *more]


def unanswered(terms: Terms, table: Table, event: events.DispenseUnanswered) -> Change:
    """It may have dispensed, or not: nobody knows until it is asked."""
    step, expected = next_step(table), table.deal.done + 1
    if step is None or not step.by_shoe or event.number != expected:
        raise Refused("number", f"stack {event.number} is not waited for")
    if table.deal.asked == expected:
        raise Refused("number", "the shoe was asked already", "a shoe that stays mute is a fault")
    table = held(table, f"stack {expected} was not answered", "shoe", event.at)
    return replace(table, deal=replace(table.deal, asked=expected)), (AskShoe(),)


def reported(terms: Terms, table: Table, event: events.ShoeReported) -> Change:
    """Its own word settles what an unanswered dispense came to."""
    step, expected = next_step(table), table.deal.done + 1
    waited = step is not None and step.by_shoe
    asked = table.deal.asked == expected
    if event.last == expected and waited and asked:
        table = replace(table, deal=replace(table.deal, told=expected))
        return _taken(terms, table, event.cards, event.at)
    if event.last == expected - 1 and waited and asked:
        return ordered(terms, replace(table, deal=replace(table.deal, asked=0)))
    by_shoe = sum(one.by_shoe for one in table.deal.steps[: table.deal.done])
    if event.last == by_shoe or (event.last == expected and waited):
        return table, ()  # as the table has it, or on its way
    reason = f"the shoe says {event.last} stacks, {by_shoe} were taken"
    return _shoe_failed(terms, table, event.at, reason)


def stub_reported(terms: Terms, table: Table, event: events.StubReported) -> Change:
    """The shoe's count of what it has left, against what was dealt: the shuffler may have erred."""
    if table.method != "automated shoe":
        raise Refused("cards", f"no shoe counts here: the deal is from a {table.method}")
    expected = stub(table)
    if event.cards == expected:
        return table, ()
    said = "; the shuffler counted 52" if terms.shuffler_counts else ""
    makes = DECK_OF_CARDS - expected + event.cards
    cause = f"it has {event.cards} cards left where {expected} should be: {makes} in all{said}"
    table = held(table, cause, "shoe", event.at)
    return replace(table, deal=replace(table.deal, doubted=True)), ()


def _shoe_failed(terms: Terms, table: Table, at: int, reason: str) -> Change:
    table = held(table, reason, "shoe", at)
    return void(terms, table, reason)


# --- From the dealer's hands ------------------------------------------------


def dealt_by_hand(terms: Terms, table: Table, event: events.CardsDealt) -> Change:
    step = next_step(table)
    if step is None:
        raise Refused("to", "every card of this deal is out")
    if step.by_shoe:
        raise Refused("to", f"stack {table.deal.done + 1} comes from the shoe")
    if must_show_up_card(terms, table):
        raise Refused("to", "the dealer's first card is face up", "say which it is")
    if event.to != step.to:
        raise Refused("to", f"{event.to} is not next", f"next: {said(step)}")
    cards = step.cards if event.cards is None else event.cards
    table = put(table, step, cards)
    if cards == step.cards:
        return if_complete(terms, table)
    reason = f"{cards} cards instead of {said(step)}"
    return wrong_number(terms, table, step.to, reason)
