"""What the people at the table have to do next, in words: the dealer follows, the floor is called.

Prompts are read off the table, never stored: what is prompted is what the machine waits for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from controller.rules.cards import name
from controller.rules.paytables import dollars
from controller.table.dealing import count_is_due, next_step, stub
from controller.table.deciding import wager_at, waiting
from controller.table.decks import MAINTENANCE, STEPS, is_open, is_ready
from controller.table.people import Role
from controller.table.plan import LAST_STACK, has_up_card, streets
from controller.table.settling import in_turn, to_be_shown, to_be_turned
from controller.table.state import DealStep, Table
from controller.table.terms import Terms
from controller.table.voiding import EXPOSED
from controller.table.wagers import waits_for


class Prompt(NamedTuple):
    who: Role
    text: str
    clause: str = ""


_STEP = {
    "inspected": ("dealer", "sort and inspect the cards for defects"),
    "verified": ("floorperson", "verify the inspection"),
    "spread": ("dealer", "spread the cards face up, by suit and in sequence, for the first player"),
    "washed": ("dealer", "turn the cards face down, wash and stack them"),
}


def prompts(terms: Terms, table: Table) -> tuple[Prompt, ...]:
    """Everything that somebody is asked to do now, holds first."""
    return (
        *_holds(terms, table),
        *_locked_out(table),
        *_linked(table),
        *_PHASES[table.phase](terms, table),
    )


def _holds(terms: Terms, table: Table) -> Iterator[Prompt]:
    for hold in table.holds:
        if hold.where == MAINTENANCE:
            yield Prompt("technician", f"maintenance, {hold.cause}: leave it with a floorperson")
            continue
        if hold.where == EXPOSED:
            clause = terms.ruleset.rulebook.procedures.exposed_early.clause
            yield Prompt(hold.clears, f"{hold.cause}: confirm that the round is void", clause)
            continue
        todo = f"since then: {hold.over}; look, and" if hold.over else "look, put it right, and"
        text = f"hold {hold.number}, {hold.where}: {hold.cause}; {todo} clear it"
        yield Prompt(hold.clears, text)


def _locked_out(table: Table) -> Iterator[Prompt]:
    for one in table.credentials:
        if one.locked:
            text = f"the credential of {one.person} is locked: {one.wrong} wrong PINs, last at"
            yield Prompt("supervisor", f"{text} {one.device}; find out, and unlock it")


def _linked(table: Table) -> Iterator[Prompt]:
    if table.link is None or table.phase == "closed" or table.link.status == "up":
        return
    played = "" if table.link.status == "stale" else ": the progressive is not offered"
    yield Prompt("floorperson", f"the link is {table.link.status}{played}")


def _closed(terms: Terms, table: Table) -> Iterator[Prompt]:
    yield Prompt("floorperson", "open the table")


def _opening(terms: Terms, table: Table) -> Iterator[Prompt]:
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


def _shuffling(terms: Terms, table: Table) -> Iterator[Prompt]:
    yield from _opening(terms, table)
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


def _betting(terms: Terms, table: Table) -> Iterator[Prompt]:
    if table.in_round():
        yield Prompt("dealer", "announce 'no more bets' and press lock-out")
    else:
        yield Prompt("dealer", "take Antes")


def _locked(terms: Terms, table: Table) -> Iterator[Prompt]:
    left = waits_for(terms, table)
    for one in left:
        if one.startswith("the count"):
            yield Prompt("dealer", "count the progressive chips in front of the inventory")
        else:
            yield Prompt("dealer", f"wait for {one}")
    for late in table.late:
        text = f"{dollars(late.cents)} of seat {late.seat} is no wager"
        yield Prompt("dealer", f"{text}: if it rolled to you, give it back")
    if not left:
        yield Prompt("dealer", "place the chips in the inventory and press deal")


def _dealing(terms: Terms, table: Table) -> Iterator[Prompt]:
    step, deal = next_step(table), table.deal
    if deal.lies:
        yield Prompt(
            "dealer", f"take stack {deal.lies} out of the shoe: {_stack(table, deal.lies)}"
        )
        return
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
        done = table.deal.done
        # Of a shoe that does not say what lies in its exit, the last one may still lie there.
        last = f"stack {done}: {_stack(table, done)}; then " if done > table.deal.taken else ""
        return f"{last}wait for stack {done + 1}: {_stack(table, done + 1)}"
    up = has_up_card(terms) and step.to == "dealer" and not table.deal.placed.get("dealer")
    where = f"seat {step.to}" if isinstance(step.to, int) else f"the {step.to}"
    return f"{cards} face {'up' if up else 'down'} to {where}"


def _stack(table: Table, number: int) -> str:
    """What is done with a stack."""
    step = table.deal.steps[number - 1]
    cards = f"{step.cards} card{'s' if step.cards > 1 else ''}"
    if step.to == LAST_STACK:
        return f"{cards}, All-Six and the dealer's sixth card, the rest to the rack"
    return f"{cards} to {f'seat {step.to}' if isinstance(step.to, int) else f'the {step.to}'}"


def _deciding(terms: Terms, table: Table) -> Iterator[Prompt]:
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
    text = f"seat {seat.number}: {wager} {sums}, or {'check' if checks else 'fold'}"
    yield Prompt("dealer", text, order.clause)


def _revealing(terms: Terms, table: Table) -> Iterator[Prompt]:
    shown = to_be_shown(terms, table)
    for place, count in shown.items():
        known = table.up_card if place == "dealer" else None
        left, up = (count, "") if known is None else (count - 1, f" beside {name(known)}")
        yield Prompt("dealer", f"reveal {left} card{'s' if left > 1 else ''} of the {place}{up}")
    if "dealer" not in shown:
        for number in to_be_turned(terms, table)[:1]:
            yield Prompt("dealer", f"turn the hand of seat {number} face up")


def _settling(terms: Terms, table: Table) -> Iterator[Prompt]:
    turn = in_turn(table)
    for due in table.due:
        if due.seat != turn or due.result != "win" or not due.validate:
            continue
        if due.claim and not due.order and not due.ordered_by:
            yield Prompt("floorperson", f"wait for the link's word on the hit of seat {due.seat}")
            if table.link is not None and table.link.status not in ("up", "stale"):
                text = f"agree with the other tables what the hit of seat {due.seat} is worth"
                yield Prompt("supervisor", f"the link is {table.link.status}: {text}, and say it")
        what = f"{due.wager} of seat {due.seat}, {dollars(due.returns)}"
        if not due.verified_by:
            yield Prompt("dealer", f"verify the hand and the light: {what}", due.clause)
        elif not due.validated_by:
            role: Role = "supervisor" if due.validate == "supervisor" else "floorperson"
            yield Prompt(role, f"validate: {what}", due.clause)
    for due in table.due:
        if due.seat == turn:
            yield Prompt("dealer", _due_text(due.wager, due.result, due.returns), due.clause)


def _due_text(wager: str, result: str, returns: int) -> str:
    return f"{wager}: collect" if result == "lose" else f"{wager}: {result}, {dollars(returns)}"


def _clearing(terms: Terms, table: Table) -> Iterator[Prompt]:
    for due in table.due:
        if due.paid_by == "hand" and not due.documented_by:
            text = f"complete the documents of seat {due.seat}, {dollars(due.returns)}; cards stay"
            yield Prompt("floorperson", text, due.clause)
    if table.void:
        yield Prompt("dealer", f"the round is void ({table.void}): return every wager")
    yield Prompt("dealer", "pick up the cards in order and rack them")


_PHASES = {
    "closed": _closed,
    "opening": _opening,
    "shuffling": _shuffling,
    "betting": _betting,
    "locked": _locked,
    "dealing": _dealing,
    "deciding": _deciding,
    "revealing": _revealing,
    "settling": _settling,
    "clearing": _clearing,
}
