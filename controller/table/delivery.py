"""How cards come: in stacks from the automated shoe, or one by one from the dealer's hands.

A stack is ordered once, when the one before it was taken out of the exit. If its answer is lost
the shoe is asked what it did, and only its own word that it did nothing, which its cards bear out,
lets the order go out again: no stack is dispensed twice. A person clears the hold first, unless it
was felt that was away and the shoe's word leaves nothing open.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, held, over, replace
from controller.table.commands import AskShoe
from controller.table.dealing import (
    if_complete,
    is_on_its_way,
    must_be_taken,
    must_show_up_card,
    next_step,
    ordered,
    put,
    said,
)
from controller.table.misdeals import wrong_number
from controller.table.state import Table
from controller.table.terms import Terms
from controller.table.voiding import void

# --- From the automated shoe ------------------------------------------------


def unanswered_cause(number: int) -> str:
    return f"stack {number} was not answered"


def dispensed(terms: Terms, table: Table, event: events.StackDispensed) -> Change:
    if table.method != "automated shoe":
        raise Refused("number", f"no shoe dispenses here: the deal is from a {table.method}")
    expected = table.deal.done + 1
    if event.number == table.deal.told == table.deal.done:
        # The answer was late, not lost; a third time would be a repeated stack.
        return _in_the_exit(replace(table, deal=replace(table.deal, told=0)), event), ()
    if not is_on_its_way(table):
        return shoe_failed(terms, table, event.at, f"stack {event.number} came without an order")
    if event.number != expected:
        reason = f"stack {event.number} came where {expected} was ordered"
        return shoe_failed(terms, table, event.at, reason)
    if event.sealed:
        sealed = {**table.deal.sealed, event.number: event.sealed}
        table = replace(table, deal=replace(table.deal, sealed=sealed))
    if table.deal.asked == event.number:
        table = answered(table, event.number, f"it came after all, {event.cards} cards")
    table = _in_the_exit(table, event)
    return came(terms, table, event.cards, event.at)


def _in_the_exit(table: Table, event: events.StackDispensed) -> Table:
    lies = event.number if event.lies else 0
    return replace(table, deal=replace(table.deal, lies=lies))


def came(terms: Terms, table: Table, cards: int, at: int) -> Change:
    step = next_step(table)
    assert step is not None
    table = put(table, step, cards)
    if cards == step.cards:
        return ordered(terms, table)
    reason = f"stack {table.deal.done} has {cards} cards instead of {said(step)}"
    short = terms.ruleset.rulebook.procedures.short_stack_voids_round
    if cards < step.cards and short is not None and short.is_:
        return shoe_failed(terms, table, at, reason)  # it fails to deal all cards of the round
    table = held(table, reason, "shoe", at, blocks="play")
    table, commands = wrong_number(terms, table, step.to, reason)
    if table.phase != "dealing":
        return table, commands
    table, more = ordered(terms, table)
    return table, [*commands, *more]


def taken(terms: Terms, table: Table, event: events.StackTaken) -> Change:
    """It is in the dealer's hand, on its way to its place: the next one may come."""
    if event.number != table.deal.lies:
        raise Refused("number", f"stack {event.number} does not lie in the exit of the shoe")
    deal = replace(table.deal, lies=0, taken=event.number)
    return ordered(terms, replace(table, deal=deal))


def refused(terms: Terms, table: Table, event: events.DispenseRefused) -> Change:
    """Nothing moved. A person finds out why; then it is ordered again, or the round is void."""
    expected = table.deal.done + 1
    if not is_on_its_way(table) or event.number != expected:
        raise Refused("number", f"stack {event.number} is not waited for")
    cause = f"stack {expected} was refused: {event.reason}"
    table = held(table, cause, "shoe", event.at, blocks="play")
    # What it has done, and has inside, is held against the deal meanwhile.
    return replace(table, deal=replace(table.deal, ordered=expected - 1)), (AskShoe(),)


def unanswered(terms: Terms, table: Table, event: events.DispenseUnanswered) -> Change:
    """It may have dispensed, or not: nobody knows until it is asked."""
    expected = table.deal.done + 1
    if not is_on_its_way(table) or event.number != expected:
        raise Refused("number", f"stack {event.number} is not waited for")
    if table.deal.asked == expected:
        raise Refused("number", "the shoe was asked already", "a shoe that stays mute is a fault")
    if event.restarted is True:
        # Nothing speaks against the shoe. Its word may settle it, and then nobody need look.
        return replace(table, deal=replace(table.deal, asked=expected)), (AskShoe(),)
    return asked(table, event.at)


def asked(table: Table, at: int) -> Change:
    """Nothing goes on before the shoe has said what became of the stack that is waited for."""
    number = table.deal.done + 1
    table = held(table, unanswered_cause(number), "shoe", at, blocks="play")
    return replace(table, deal=replace(table.deal, asked=number)), (AskShoe(),)


def answered(table: Table, number: int, what: str) -> Table:
    return over(table, "shoe", (unanswered_cause(number),), what)


def doubted(table: Table, number: int, what: str, at: int) -> Table:
    """What it says leaves something open: a person looks, whoever asked."""
    table = held(table, unanswered_cause(number), "shoe", at, blocks="play")
    return answered(table, number, what)


def shoe_failed(terms: Terms, table: Table, at: int, reason: str) -> Change:
    table = held(table, reason, "shoe", at)
    return void(terms, table, reason)


# --- From the dealer's hands ------------------------------------------------


def dealt_by_hand(terms: Terms, table: Table, event: events.CardsDealt) -> Change:
    step = next_step(table)
    if step is None:
        raise Refused("to", "every card of this deal is out")
    if step.by_shoe:
        raise Refused("to", f"stack {table.deal.done + 1} comes from the shoe")
    must_be_taken(table)
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
