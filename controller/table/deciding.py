"""Decisions, street by street: who is asked, what may be answered, what a fold takes and leaves.

A decision is final: a seat that has answered is not asked again on that street, and what a fold
took off the layout does not come back but with a void round.

No rulebook has a wager of a decision made electronically: it is chips on the layout. So what a
player chose to wager at a terminal waits until the dealer has seen the chips. A check or a fold
stakes nothing and counts as it is.
"""

from __future__ import annotations

from typing import get_args

from controller.rules.cards import CardError, cards
from controller.rules.faults import Refused
from controller.rules.part import READING
from controller.rules.paytables import dollars
from controller.rules.rulebook import Decision
from controller.rules.wagering import place
from controller.table import events
from controller.table.change import Change, replace, seated, with_seat
from controller.table.clearing import taken_in
from controller.table.commands import Command
from controller.table.plan import streets
from controller.table.state import Seat, Table
from controller.table.terms import Terms

#: The moments of the streets, in their order.
DECISIONS: tuple[Decision, ...] = get_args(Decision)


def wager_at(terms: Terms, street: int) -> str:
    """The wager that this street's decision is about."""
    moment = f"decision {street}"
    wagers = terms.ruleset.rulebook.wagers
    return next(name for name, wager in wagers.items() if moment in wager.multiples)


def must_act(terms: Terms, table: Table, seat: Seat) -> bool:
    """Whether a seat still has to say something on this street."""
    if seat.folded or seat.void or seat.acted >= table.street:
        return False
    return wager_at(terms, table.street) not in seat.wagers


def waiting(terms: Terms, table: Table) -> list[Seat]:
    """The seats that have yet to act, from the dealer's left."""
    return [seat for seat in table.in_round() if must_act(terms, table, seat)]


def decided(terms: Terms, table: Table, event: events.Decided) -> Change:
    seat = _must_be_asked(terms, table, event)
    if event.choice != "wager":
        return _without_a_wager(terms, table, event)
    wager = _wager_of(terms, table, seat, event.amount, event.tender)
    tender = {wager: event.tender} if event.tender != "chips" else {}
    table = with_seat(
        table,
        event.seat,
        wagers={**seat.wagers, wager: event.amount},
        tender={**seat.tender, **tender},
        acted=table.street,
        chosen=0,
    )
    return if_all_have_acted(terms, table)


def chosen(terms: Terms, table: Table, event: events.PlayerDecided) -> Change:
    """Said at the terminal. Nobody has seen chips for a wager: the dealer is asked for them."""
    seat = _must_be_asked(terms, table, event)
    if seat.chosen:
        wager = wager_at(terms, table.street)
        raise Refused(
            "seat", f"{dollars(seat.chosen)} was chosen", f"the dealer waits for the {wager}"
        )
    if event.choice != "wager":
        return _without_a_wager(terms, table, event)
    _wager_of(terms, table, seat, event.amount, "chips")
    return with_seat(table, event.seat, chosen=event.amount), ()


def _must_be_asked(
    terms: Terms, table: Table, event: events.Decided | events.PlayerDecided
) -> Seat:
    seat, left = seated(table, event.seat), waiting(terms, table)
    if seat not in left:
        raise Refused("seat", f"seat {event.seat} has nothing to decide now", "a decision is final")
    order = terms.ruleset.rulebook.procedures.decisions_in_order
    if order.is_ and seat.number != left[0].number:
        # The clauses ask in order once; that later streets keep it is a reading.
        clause = order.clause if table.street == 1 else READING
        raise Refused("seat", f"seat {left[0].number} is asked first", clause=clause)
    _may_answer(terms, table, event)
    if event.choice == "wager" and seat.left:
        clause = terms.ruleset.rulebook.procedures.leaving_abandons_wagers.clause
        problem = f"{seat.player} has left seat {seat.number} and places no wager"
        raise Refused("seat", problem, "who makes none checks or folds", clause)
    return seat


def _without_a_wager(
    terms: Terms, table: Table, event: events.Decided | events.PlayerDecided
) -> Change:
    commands: list[Command] = []
    if event.choice == "fold":
        table = with_seat(table, event.seat, folded=True, acted=table.street, chosen=0)
        if terms.ruleset.rulebook.procedures.folded_cards_collected.is_ == "at once":
            table, commands = _fold_taken_in(terms, table, event.seat)
    else:
        table = with_seat(table, event.seat, acted=table.street, chosen=0)
    table, more = if_all_have_acted(terms, table)
    return table, [*commands, *more]


def _wager_of(terms: Terms, table: Table, seat: Seat, amount: int, tender: str) -> str:
    """The wager of this street, if it may be made with that."""
    wager, moment = wager_at(terms, table.street), DECISIONS[table.street - 1]
    place(terms.ruleset, wager, amount, down=seat.wagers, moment=moment, tender=tender)
    return wager


def may_check(terms: Terms, table: Table) -> bool:
    """Raise It Up checks on the first two streets and folds on the last; the others only fold."""
    return terms.ruleset.rulebook.game == "raise-it-up" and table.street < streets(terms)


def _may_answer(terms: Terms, table: Table, event: events.Decided | events.PlayerDecided) -> None:
    checks = may_check(terms, table)
    if event.choice == "check" and not checks:
        raise Refused("choice", "checking is not offered here", "wager or fold")
    if event.choice == "fold" and checks:
        raise Refused("choice", "folding is not offered yet", "wager or check")
    if event.choice != "wager" and event.amount:
        raise Refused("amount", "goes with a wager only")
    if event.choice == "wager" and not event.amount:
        wager = wager_at(terms, table.street)
        sums = amounts(terms, table, seated(table, event.seat))
        said = " or ".join(f"{cents} ({dollars(cents)})" for cents in sums)
        named = terms.ruleset.rulebook.wagers[wager]
        raise Refused("amount", f"how much is the {named.title}?", said, named.clause)


def amounts(terms: Terms, table: Table, seat: Seat) -> tuple[int, ...]:
    """What a seat may wager on this street, in cents."""
    moment = DECISIONS[table.street - 1]
    times = terms.ruleset.rulebook.wagers[wager_at(terms, table.street)].multiples[moment]
    return tuple(n * seat.wagers["ante"] for n in sorted(times))


def if_all_have_acted(terms: Terms, table: Table) -> Change:
    """When nobody is left to ask: what folded comes off the layout, and hole cards may be seen."""
    if waiting(terms, table):
        return table, ()
    commands: list[Command] = []
    for seat in table.in_round():
        if seat.folded and not seat.forfeited:
            table, more = _fold_taken_in(terms, table, seat.number)
            commands += more
    if terms.ruleset.rulebook.hands.community:
        return table, commands  # a community card is next, see ``revealed_street``
    return replace(table, phase="revealing"), commands


def _fold_taken_in(terms: Terms, table: Table, number: int) -> tuple[Table, list[Command]]:
    """The wagers that a fold loses; those that live on stay, and the hand with them."""
    seat, wagers = table.seat(number), terms.ruleset.rulebook.wagers
    lost = tuple(
        kind for kind in seat.wagers if wagers[kind].on_fold == "lose" and kind not in seat.taken_in
    )
    return taken_in(terms, table, number, lost) if lost else (table, [])


def lost_at_once(terms: Terms, table: Table, number: int) -> tuple[Table, list[Command]]:
    """Every wager of a seat is lost, side wagers included; what it added to a meter stays."""
    table = with_seat(table, number, forfeited=True, folded=True)
    seat = table.seat(number)
    down = tuple(kind for kind in seat.wagers if kind not in seat.taken_in)
    return taken_in(terms, table, number, down)


def revealed_street(terms: Terms, table: Table, event: events.Revealed) -> Change:
    """The next community card, once everybody has acted."""
    if event.where != "community":
        raise Refused("where", f"the {event.where} is not revealed before all have decided")
    if left := waiting(terms, table):
        raise Refused("where", f"seat {left[0].number} has not acted")
    shown = faces(event.cards, 1, table)
    community = (*table.faces.get("community", ()), *shown)
    table = replace(table, faces={**table.faces, "community": community})
    if table.street < streets(terms):
        return replace(table, street=table.street + 1), ()
    return replace(table, phase="revealing"), ()


def faces(text: str, count: int, table: Table) -> tuple[int, ...]:
    """So many cards, none of which has been seen in this round."""
    try:
        found = cards(text)
    except CardError as error:
        raise Refused("cards", str(error)) from None
    if len(found) != count:
        raise Refused("cards", f"{len(found)} given", f"{count} expected")
    seen = {one for some in table.faces.values() for one in some}
    seen |= {one for seat in table.seats for one in seat.cards}
    if any(one in seen for one in found):
        raise Refused("cards", "one of them was seen elsewhere in this round")
    return found


def forfeited(terms: Terms, table: Table, event: events.WagersForfeited) -> Change:
    """For communicating: every wager of those players is lost, the others' are untouched."""
    rule = terms.ruleset.rulebook.procedures.communicating_forfeits
    if rule is None or not rule.is_:
        raise Refused("seats", f"{terms.ruleset.rulebook.id} has no such forfeit")
    if table.phase == "revealing" and not _hole_cards_left(terms, table):
        raise Refused("seats", "all cards are shown", "a forfeit comes before that", rule.clause)
    commands: list[Command] = []
    for number in event.seats:
        seat = seated(table, number)
        if not seat.wagers.get("ante"):
            raise Refused("seats", f"seat {number} is not in the round", clause=rule.clause)
        if seat.forfeited:
            raise Refused("seats", f"seat {number} has forfeited already", clause=rule.clause)
        table, more = lost_at_once(terms, table, number)
        commands += more
    if table.phase == "deciding":
        table, more_commands = if_all_have_acted(terms, table)
        commands += more_commands
    return table, commands


def _hole_cards_left(terms: Terms, table: Table) -> bool:
    return len(table.faces.get("dealer", ())) < terms.ruleset.rulebook.hands.dealer
