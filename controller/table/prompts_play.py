"""What people are asked to do from the first wager to the last decision."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.paytables import dollars
from controller.table import prompts_cards
from controller.table.dealing import count_is_due, next_step, stub
from controller.table.deciding import wager_at, waiting
from controller.table.plan import LAST_STACK, has_up_card, streets
from controller.table.prompt import Prompt
from controller.table.state import DealStep, Table
from controller.table.terms import Terms
from controller.table.wagers import lacking, waits_for


def betting(terms: Terms, table: Table) -> Iterator[Prompt]:
    yield from prompts_cards.opening(terms, table)
    if table.idle:
        yield from prompts_cards.idle(terms, table)
        return
    yield from prompts_cards.recut(terms, table)
    ante = terms.ruleset.rulebook.wagers["ante"].clause
    lacks = [(seat, *one) for seat in table.in_round() for one in lacking(terms, seat)]
    for seat, name, wager, cents in lacks:
        text = f"seat {seat.number}: the {name} must equal the {wager.equals}"
        more = f"{dollars(cents)} more" if cents > 0 else "take it back, and place it anew"
        answer = "wager_placed" if cents > 0 else "wager_taken_back"
        yield Prompt("dealer", f"{text}: {more}", wager.clause, seat.number, answer)
    if table.in_round() and not lacks:
        text = "announce 'no more bets' and press lock-out"
        yield Prompt("dealer", text, _no_more_bets(terms, table), answer="lock_out_pressed")
    elif not any(seat.player for seat in table.seats):
        yield Prompt("dealer", "seat the players who arrive", ante, answer="player_sat")
    elif not lacks:
        yield Prompt("dealer", "take Antes", ante, answer="wager_placed")


def _no_more_bets(terms: Terms, table: Table) -> str:
    """The clause of the announcement and what follows it, by the way of dealing."""
    clauses = terms.ruleset.rulebook.procedures.steps.no_more_bets
    return {str(method): one for method, one in clauses.items()}.get(table.method, "")


def locked(terms: Terms, table: Table) -> Iterator[Prompt]:
    left = waits_for(terms, table)
    yield from prompts_cards.recut(terms, table)
    for one in left:
        if one.startswith("the cut"):
            continue  # said above, act by act
        if one.startswith("the count"):
            text = "count the progressive chips in front of the inventory"
            yield Prompt("dealer", text, _no_more_bets(terms, table), answer="chips_counted")
        else:
            yield Prompt("dealer", f"wait for {one}")
    for late in table.late:
        text = f"{dollars(late.cents)} of seat {late.seat} is no wager"
        yield Prompt("dealer", f"{text}: if it rolled to you, give it back")
    if not left:
        text = "place the chips in the inventory and press deal"
        yield Prompt("dealer", text, _no_more_bets(terms, table), answer="deal_pressed")


def dealing(terms: Terms, table: Table) -> Iterator[Prompt]:
    step = next_step(table)
    if step is not None:
        yield Prompt("dealer", _deal_text(terms, table, step))
        return
    if has_up_card(terms) and table.up_card is None:
        yield Prompt("dealer", "spread the dealer's cards face down and turn up the far left one")
    if table.deal.stub == "in shoe":
        if count_is_due(terms, table):
            text = f"count the stub face down on the layout: {stub(table)} expected"
            yield Prompt("dealer", text)
        else:
            yield Prompt("dealer", "rack the stub without exposing it")


def _deal_text(terms: Terms, table: Table, step: DealStep) -> str:
    cards = f"{step.cards} card{'s' if step.cards > 1 else ''}"
    if step.by_shoe:
        where = f"seat {step.to}" if isinstance(step.to, int) else str(step.to)
        if step.to == LAST_STACK:
            where = "All-Six and the dealer's sixth card, the rest to the rack"
        return f"stack {table.deal.done + 1} of {cards}: to {where}"
    up = has_up_card(terms) and step.to == "dealer" and not table.deal.placed.get("dealer")
    where = f"seat {step.to}" if isinstance(step.to, int) else f"the {step.to}"
    return f"{cards} face {'up' if up else 'down'} to {where}"


def deciding(terms: Terms, table: Table) -> Iterator[Prompt]:
    left = waiting(terms, table)
    if not left:
        number = len(table.faces.get("community", ())) + 1
        yield Prompt("dealer", f"reveal community card {number}")
        return
    seat = left[0]
    wager = wager_at(terms, table.street)
    times = {str(k): v for k, v in terms.ruleset.rulebook.wagers[wager].multiples.items()}
    ante = seat.wagers["ante"]
    sums = " or ".join(dollars(n * ante) for n in times[f"decision {table.street}"])
    checks = terms.ruleset.rulebook.game == "raise-it-up" and table.street < streets(terms)
    order = terms.ruleset.rulebook.procedures.decisions_in_order
    otherwise = "check" if checks else "fold"
    text = f"seat {seat.number}: {wager} {sums}, or {otherwise}"
    if seat.left:
        text = f"seat {seat.number}: {otherwise}, as the player has left and places no {wager}"
    yield Prompt("dealer", text, order.clause)
