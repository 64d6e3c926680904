"""What the shoe says of itself: what it has dealt and has inside, held against the deal.

Fifty-two cards were loaded. What is not dealt and not inside has left the shoe in no stack, and
then nothing more is dealt from it.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, held, replace
from controller.table.dealing import (
    inside,
    is_by_hand,
    is_on_its_way,
    is_uncounted,
    ordered,
    owes_stacks,
)
from controller.table.decks import DECK_OF_CARDS
from controller.table.delivery import answered, came, doubted, shoe_failed
from controller.table.state import Table
from controller.table.terms import Terms


def reported(terms: Terms, table: Table, event: events.ShoeReported) -> Change:
    """Its own word settles what an unanswered dispense came to, if its cards bear it out."""
    if table.method != "automated shoe":
        raise Refused("last", f"no shoe dispenses here: the deal is from a {table.method}")
    if event.inside is not None:
        table = replace(table, shoe_counts=True)
    if table.phase != "dealing":
        return _before_the_deal(table, event)
    return _in_the_deal(terms, table, event)


def _in_the_deal(terms: Terms, table: Table, event: events.ShoeReported) -> Change:
    expected = table.deal.done + 1
    was_asked = table.deal.asked == expected
    forgot = event.round is not None and event.round != table.round
    last = 0 if forgot else event.last
    if was_asked and last == expected:
        return _did_it(terms, table, event)
    by_shoe = sum(one.by_shoe for one in table.deal.steps[: table.deal.done])
    on_its_way = last == expected and is_on_its_way(table)
    if last != by_shoe and not on_its_way:
        reason = f"the shoe says {last} stacks, {by_shoe} were taken"
        return shoe_failed(terms, table, event.at, reason)
    if not on_its_way and _differs(table, event, 0):
        return _lacks_cards(terms, table, event, 0)
    if was_asked and not on_its_way:
        return _did_nothing(terms, table, event, forgot=forgot)
    if is_uncounted(table) and event.inside is not None and not is_by_hand(table):
        table = replace(table, deal=replace(table.deal, left=event.inside))
    return table, ()


def _did_it(terms: Terms, table: Table, event: events.ShoeReported) -> Change:
    if _differs(table, event, event.cards):
        return _lacks_cards(terms, table, event, event.cards)
    number = table.deal.done + 1
    table = replace(table, deal=replace(table.deal, told=number))
    said = doubted if _is_doubtful(table, event) else _settled
    table = said(table, number, f"stack {number} is out, {event.cards} cards", event.at)
    return came(terms, table, event.cards, event.at)


def _settled(table: Table, number: int, what: str, at: int) -> Table:
    return answered(table, number, what)


def _is_doubtful(table: Table, event: events.ShoeReported) -> bool:
    """Only of this round, and with its cards counted, its word is all that need be known."""
    return event.round != table.round or event.inside is None


def _did_nothing(terms: Terms, table: Table, event: events.ShoeReported, *, forgot: bool) -> Change:
    """Of one that has forgotten the round, only its cards say that none has left it."""
    number = table.deal.done + 1
    if forgot and event.inside is None:
        reason = f"it forgot stack {number} and does not count its cards"
        return shoe_failed(terms, table, event.at, reason)
    what = f"it has dealt nothing of stack {number}, which is ordered anew when this is cleared"
    deal = replace(table.deal, asked=0, ordered=number - 1)
    said = doubted if _is_doubtful(table, event) else _settled
    return ordered(terms, said(replace(table, deal=deal), number, what, event.at), again=True)


def _differs(table: Table, event: events.ShoeReported, out: int) -> bool:
    """Whether it has other cards inside than were not dealt, ``out`` more of them being out."""
    told = event.inside is not None and not is_by_hand(table)
    return told and event.inside != inside(table) - out


def _lacks_cards(terms: Terms, table: Table, event: events.ShoeReported, out: int) -> Change:
    """Cards are out that no stack accounts for: a stop in the middle of one, or worse."""
    has, should = event.inside, inside(table) - out
    if not owes_stacks(table):
        return _doubted(terms, table, has or 0, event.at)
    reason = f"it has {has} cards inside where {should} should be"
    return shoe_failed(terms, table, event.at, reason)


def _before_the_deal(table: Table, event: events.ShoeReported) -> Change:
    if event.inside in (None, DECK_OF_CARDS):
        return table, ()
    cause = f"it has {event.inside} cards inside where {DECK_OF_CARDS} should be"
    return held(table, cause, "shoe", event.at), ()


def stub_reported(terms: Terms, table: Table, event: events.StubReported) -> Change:
    """The shoe's count of what it has left, against what was dealt: the shuffler may have erred."""
    if table.method != "automated shoe":
        raise Refused("cards", f"no shoe counts here: the deal is from a {table.method}")
    table = replace(table, deal=replace(table.deal, left=event.cards))
    if event.cards == inside(table):
        return table, ()
    return _doubted(terms, table, event.cards, event.at)


def _doubted(terms: Terms, table: Table, has: int, at: int) -> Change:
    expected = inside(table)
    said = "; the shuffler counted 52" if terms.shuffler_counts else ""
    makes = DECK_OF_CARDS - expected + has
    cause = f"it has {has} cards left where {expected} should be: {makes} in all{said}"
    table = held(table, cause, "shoe", at, blocks="play")
    return replace(table, deal=replace(table.deal, doubted=True, left=has)), ()
