"""What goes wrong with the cards: wrong numbers, cards face up in the deck, cards drawn too soon.

Pennsylvania voids every hand for a wrong number of cards. Section 10 and Massachusetts void the
hand that has it, and let a dealer who has four of five take the next card of the stub.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events, link
from controller.table.change import Change, replace, with_seat
from controller.table.commands import Command
from controller.table.dealing import (
    cards_at,
    if_complete,
    next_step,
    ordered,
    with_cards_at,
)
from controller.table.deciding import if_all_have_acted
from controller.table.plan import LAST_STACK
from controller.table.settling import is_due, reckoned, to_be_shown
from controller.table.state import Deal, DealStep, Table
from controller.table.terms import Terms
from controller.table.voiding import returned, void

# --- A wrong number of cards ------------------------------------------------


def wrong_number(terms: Terms, table: Table, to: int | str, reason: str) -> Change:
    """What is void depends on the rulebook and on whose cards they are.

    No stack is ordered here: the next one may be on its way already.
    """
    rules = terms.ruleset.rulebook.procedures
    if isinstance(to, int) and rules.player_misdealt.is_ == "that hand void":
        return _hand_void(terms, table, to, reason)
    short = rules.dealer_one_short
    lacks_one = cards_at(table, to) == terms.ruleset.rulebook.hands.dealer - 1
    if (
        to == "dealer"
        and lacks_one
        and short is not None
        and short.is_ == "one more card"
        and not table.deal.completed
        and next_step(table) is None
    ):
        return _one_more(terms, table)
    return void(terms, table, reason)


def _hand_void(terms: Terms, table: Table, number: int, reason: str) -> Change:
    """Its wagers go back and it gets no further card; the others play on."""
    table, commands = returned(terms, table, number, list(table.seat(number).wagers))
    table = with_seat(table, number, void=True)
    table = replace(table, deal=_without(table.deal, number))
    if not any(seat.wagers for seat in table.seats):
        table, more = void(terms, table, reason)
    else:
        table, rest = _played_on(terms, table)
        more = list(rest)
    return table, [*commands, *more]


def _without(deal: Deal, number: int) -> Deal:
    """The plan without the cards that the seat would still get; a stack on its way does come."""
    kept = deal.done
    if kept < len(deal.steps) and deal.steps[kept].by_shoe:
        kept += 1
    rest = tuple(step for step in deal.steps[kept:] if step.to != number)
    return replace(deal, steps=(*deal.steps[:kept], *rest))


def _played_on(terms: Terms, table: Table) -> Change:
    """The round may have waited for nobody but that hand."""
    if table.phase == "dealing":
        return if_complete(terms, table)
    if table.phase == "deciding":
        return if_all_have_acted(terms, table)
    return reckoned(terms, table) if table.phase == "revealing" else (table, ())


def _one_more(terms: Terms, table: Table) -> Change:
    """The next card of the stub, which is as it was dealt from: in the shoe, or unmixed."""
    deal = table.deal
    by_shoe = table.method == "automated shoe" and deal.stub == "in shoe"
    step = DealStep("dealer", 1, by_shoe=by_shoe)
    deal = replace(deal, steps=(*deal.steps, step), completed=True)
    return replace(table, phase="dealing", deal=deal), ()


def misdeal_reported(terms: Terms, table: Table, event: events.MisdealReported) -> Change:
    """Somebody has another number of cards than the deal has given so far."""
    was = cards_at(table, event.to)
    if not was or (isinstance(event.to, int) and table.seat(event.to).void):
        what = "no hand that plays" if isinstance(event.to, int) else "no card"
        raise Refused("to", f"{event.to} has {what}", "a floorperson decides what else is void")
    if event.cards == was:
        raise Refused("cards", f"{was} is the right number at this point")
    if isinstance(event.to, int) and (table.seat(event.to).cards or is_due(table, event.to)):
        raise Refused("to", f"the cards of seat {event.to} were turned over and counted")
    if isinstance(event.to, str) and event.to not in to_be_shown(terms, table):
        raise Refused("to", f"the cards of the {event.to} were turned over and counted")
    table = with_cards_at(table, event.to, event.cards)
    on_its_way = next_step(table) is not None
    reason = f"{event.to} has {event.cards} cards instead of {was}"
    table, commands = wrong_number(terms, table, event.to, reason)
    if on_its_way or table.phase != "dealing":
        return table, commands
    table, more = ordered(terms, table)
    return table, [*commands, *more]


# --- A card that is not where it belongs ------------------------------------


def face_up(terms: Terms, table: Table, event: events.FaceUpCardFound) -> Change:
    """The first is set aside and the next card takes its place; a second voids the round."""
    deal, step = table.deal, next_step(table)
    if event.where is None and step is None:
        raise Refused("", "every card of this deal is out", "it stays in the stub")
    commands: list[Command] = []
    if event.where is not None:
        table = _out_of_a_hand(terms, table, event.where)
        table, commands = _out_of_the_link(terms, table, event.where)
    else:
        table = replace(table, deal=replace(deal, set_aside=deal.set_aside + 1))
    table = replace(table, deal=replace(table.deal, face_up=deal.face_up + 1))
    if table.deal.face_up > 1:
        table, more = void(terms, table, "more than one card was found face up")
        return table, [*commands, *more]
    if step is not None and step.by_shoe:
        return table, commands  # that stack is on its way already
    table, orders = ordered(terms, table)
    return table, [*commands, *orders]


def _out_of_the_link(terms: Terms, table: Table, where: int | str) -> tuple[Table, list[Command]]:
    """A linked meter is won with the cards that were dealt, not with one that replaced another."""
    rule = terms.ruleset.rulebook.procedures.linked_on_dealt_cards_only
    kept = rule is None or not rule.is_ or not terms.linked or not isinstance(where, int)
    if kept or not isinstance(where, int) or not table.seat(where).wagers.get(link.METER):
        return table, []
    return returned(terms, table, where, [link.METER])


def _out_of_a_hand(terms: Terms, table: Table, where: int | str) -> Table:
    """It came with the cards of a place, which is one short and gets the next card there is."""
    deal = table.deal
    done = deal.steps[: deal.done]
    if deal.stub != "in shoe" or not cards_at(table, where):
        raise Refused("where", f"no card of this deal has come to {where}")
    if any(step.to == LAST_STACK for step in done) and where in ("dealer", "extra"):
        return table  # that stack had cards to spare, and one of them takes its place
    # A stack that is on its way can't be called back: the card follows it.
    on_its_way = deal.done < len(deal.steps) and deal.steps[deal.done].by_shoe
    at = deal.done + on_its_way
    from_shoe = table.method == "automated shoe" and all(step.by_shoe for step in done)
    steps = (*deal.steps[:at], DealStep(where, 1, by_shoe=from_shoe), *deal.steps[at:])
    table = with_cards_at(table, where, cards_at(table, where) - 1)
    deal = replace(table.deal, steps=steps, set_aside=deal.set_aside + 1)
    return replace(table, deal=deal)


def drawn_in_error(terms: Terms, table: Table, event: events.CardDrawnInError) -> Change:
    """It is the next card of the plan: nothing is skipped, and it goes where that card goes."""
    step, deal = next_step(table), table.deal
    if step is None:
        raise Refused("", "every card of this deal is out", "it stays in the stub")
    if step.by_shoe:
        raise Refused("", "the shoe deals here", "a card beside its stack is a wrong stack")
    if deal.early >= sum(one.cards for one in deal.steps[deal.done :]):
        raise Refused("", "more cards are out than the deal takes", "void the round")
    return replace(table, deal=replace(deal, early=deal.early + 1)), ()
