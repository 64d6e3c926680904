"""The deal as it should go: whose card is next, where the cards are, the up-card and the stub.

Fifty-two cards are accounted for at all times: in hands, on the layout, set aside, and the rest
in the stub. How cards come is in ``delivery``, what goes wrong with them in ``misdeals``.
"""

from __future__ import annotations

from controller.rules.cards import CardError, card, name
from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, replace, seated, with_seat
from controller.table.commands import ArmShoe, Dispense
from controller.table.deciding import waiting
from controller.table.decks import DECK_OF_CARDS, gone
from controller.table.plan import LAST_STACK, deal_plan, has_up_card
from controller.table.state import DealStep, Table
from controller.table.terms import Terms
from controller.table.voiding import void

#: Why a round is not played on although some of its wagers are: the hands are void.
SIDE_WAGERS = "side wagers"

# --- Where the cards are ----------------------------------------------------


def next_step(table: Table) -> DealStep | None:
    deal = table.deal
    return deal.steps[deal.done] if deal.done < len(deal.steps) else None


def stub(table: Table) -> int:
    """How many cards are left after what was dealt and set aside."""
    out = sum(seat.dealt for seat in table.seats) + sum(table.deal.placed.values())
    return DECK_OF_CARDS - out - table.deal.set_aside


def cards_at(table: Table, place: int | str) -> int:
    if isinstance(place, int):
        return seated(table, place).dealt
    return table.deal.placed.get(place, 0)


def with_cards_at(table: Table, place: int | str, cards: int) -> Table:
    if isinstance(place, int):
        return with_seat(table, place, dealt=cards)
    return replace(table, deal=replace(table.deal, placed={**table.deal.placed, place: cards}))


def said(step: DealStep) -> str:
    """A step as a dealer would say it."""
    to = f"seat {step.to}" if isinstance(step.to, int) else str(step.to)
    return f"{step.cards} card{'s' if step.cards > 1 else ''} to {to}"


def put(table: Table, step: DealStep, cards: int) -> Table:
    """So many cards lie where the step wants them, and the step is done."""
    deal = table.deal
    deal = replace(deal, done=deal.done + 1, early=max(0, deal.early - cards), asked=0)
    table = replace(table, deal=deal)
    if step.to != LAST_STACK:
        return with_cards_at(table, step.to, cards_at(table, step.to) + cards)
    # The All-Six card if somebody wagered on it, the dealer's sixth, and the rest to the rack.
    left = cards
    for place in ("extra", "dealer") if all_six(table) else ("dealer",):
        some = min(1, left)
        table, left = with_cards_at(table, place, cards_at(table, place) + some), left - some
    return replace(table, deal=replace(table.deal, set_aside=table.deal.set_aside + left))


def all_six(table: Table) -> bool:
    return any(seat.wagers.get("all_six") for seat in table.seats)


def ordered(terms: Terms, table: Table) -> Change:
    """What the shoe is told next: one stack, for one place."""
    step = next_step(table)
    if step is None or not step.by_shoe:
        return table, ()
    number = table.deal.done + 1
    order = Dispense(round=table.round, number=number, cards=step.cards, to=step.to)
    planned, stacks = _stacks(deal_plan(terms, table)), _stacks(table.deal.steps)
    # A card that takes the place of another is a stack more than the shoe was armed for.
    again = (ArmShoe(round=table.round, stacks=stacks),) if stacks != planned else ()
    return table, (*again, order)


def armed(terms: Terms, table: Table) -> tuple[ArmShoe, ...]:
    """The order that lets an automated shoe give out the stacks of this round and no others."""
    stacks = _stacks(deal_plan(terms, table))
    return (ArmShoe(round=table.round, stacks=stacks),) if stacks else ()


def _stacks(steps: tuple[DealStep, ...]) -> tuple[int, ...]:
    return tuple(step.cards for step in steps if step.by_shoe)


# --- Up-card ----------------------------------------------------------------


def must_show_up_card(terms: Terms, table: Table) -> bool:
    """One by one the dealer's first card is dealt face up; of a stack the bottom card is turned."""
    if not has_up_card(terms) or table.up_card is not None:
        return False
    stacked = table.method == "automated shoe"
    return next_step(table) is None if stacked else cards_at(table, "dealer") > 0


def up_card(terms: Terms, table: Table, event: events.UpCardShown) -> Change:
    if not has_up_card(terms):
        raise Refused("card", "no dealer card is turned up in this game")
    if table.up_card is not None:
        raise Refused("card", f"{name(table.up_card)} is up already")
    if not must_show_up_card(terms, table):
        step = next_step(table)
        raise Refused(
            "card", "the dealer's cards are not there yet", f"next: {step and said(step)}"
        )
    try:
        shown = card(event.card)
    except CardError as error:
        raise Refused("card", str(error)) from None
    return if_complete(terms, replace(table, up_card=shown))


# --- Stub -------------------------------------------------------------------


def count_is_due(terms: Terms, table: Table) -> bool:
    """Every fifth round, unless a shuffler that counts waives it for this way of dealing.

    And whenever the shoe's own count says that cards are missing, whoever counted them before.
    """
    if table.deal.doubted:
        return True
    rules = terms.ruleset.rulebook.procedures
    every = {str(k): v.is_ for k, v in rules.stub_count_every.items()}[table.method]
    waived = table.method in rules.counting_shuffler_waives_stub_count.is_
    counting = terms.shuffler_counts and table.shuffler_in_service
    return table.rounds_since_count + 1 >= every and not (waived and counting)


def stub_racked(terms: Terms, table: Table, event: events.StubRacked) -> Change:
    _deal_is_out(table)
    if count_is_due(terms, table):
        clause = stub_clause(terms, table)
        raise Refused("", "the stub must be counted in this round", "count it face down", clause)
    deal = replace(table.deal, stub="racked", stub_by=event.by.id)
    return if_complete(terms, replace(table, deal=deal))


def stub_counted(terms: Terms, table: Table, event: events.StubCounted) -> Change:
    _deal_is_out(table)
    expected = stub(table)
    deal = replace(table.deal, stub="counted", stub_cards=event.cards, stub_by=event.by.id)
    if event.cards == expected:
        if event.misdealt:
            raise Refused("misdealt", "the count is right", "report who has how many cards")
        return if_complete(terms, replace(table, deal=deal, rounds_since_count=0))
    assert table.deck is not None
    makes = DECK_OF_CARDS - expected + event.cards
    why = f"the stub has {event.cards} cards where {expected} were expected: {makes} with the rest"
    table, commands = void(terms, replace(table, deal=deal), why)
    if event.misdealt and event.all_present:
        return replace(table, rounds_since_count=0), commands
    # Its cards still lie on the table, so it stays the deck of this round until they are racked.
    table = replace(gone(table, table.deck or "", why), deck=table.deck)
    return replace(table, rounds_since_count=0), commands


def stub_clause(terms: Terms, table: Table) -> str:
    every = terms.ruleset.rulebook.procedures.stub_count_every
    return next(found.clause for method, found in every.items() if method == table.method)


def _deal_is_out(table: Table) -> None:
    if (step := next_step(table)) is not None:
        raise Refused("", "the deal is not out", f"next: {said(step)}")
    if table.deal.stub != "in shoe":
        raise Refused("", f"the stub is {table.deal.stub} already")


def if_complete(terms: Terms, table: Table) -> Change:
    """Players decide once all cards are out, the up-card is known and the stub is away."""
    if (
        next_step(table) is not None
        or must_show_up_card(terms, table)
        or table.deal.stub == "in shoe"
    ):
        return table, ()
    table = replace(table, street=table.street or 1)
    decide = table.void != SIDE_WAGERS and waiting(terms, table)
    return replace(table, phase="deciding" if decide else "revealing"), ()
