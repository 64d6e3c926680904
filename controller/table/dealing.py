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
from controller.table.interlock import may
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


def inside(table: Table) -> int:
    """How many of the cards the shoe still has: the dealer's hands take theirs out of it."""
    done = table.deal.steps[: table.deal.done]
    return stub(table) + sum(step.cards for step in done if not step.by_shoe)


def is_by_hand(table: Table) -> bool:
    """Whether the dealer has begun to deal from what was left in the shoe."""
    return any(not step.by_shoe for step in table.deal.steps[: table.deal.done])


def owes_stacks(table: Table) -> bool:
    """Whether the automated shoe deals this round and has not dealt all of its stacks yet."""
    deal = table.deal
    return table.phase == "dealing" and any(step.by_shoe for step in deal.steps[deal.done :])


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
    early = max(0, deal.early - cards)
    left = None if step.by_shoe else deal.left
    ordered = deal.done + 1 if deal.ordered is None else deal.ordered
    deal = replace(deal, done=deal.done + 1, early=early, asked=0, left=left, ordered=ordered)
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


def ordered(terms: Terms, table: Table, *, again: bool = False) -> Change:
    """What the shoe is told next: one stack, for one place, once.

    Not before the stack before it was taken: two in the exit are one hand of ten cards. ``again``
    where the shoe may have forgotten what it was armed for.
    """
    step, number = next_step(table), table.deal.done + 1
    waits = table.deal.lies or is_on_its_way(table) or not may(table, Dispense)
    if table.phase != "dealing" or step is None or not step.by_shoe or waits:
        return table, ()
    order = Dispense(round=table.round, number=number, cards=step.cards, to=step.to)
    planned, stacks = _stacks(deal_plan(terms, table)), _stacks(table.deal.steps)
    # A card that takes the place of another is a stack more than the shoe was armed for.
    again = again or stacks != planned
    arm = (ArmShoe(round=table.round, stacks=stacks),) if again else ()
    return replace(table, deal=replace(table.deal, ordered=number)), (*arm, order)


def is_on_its_way(table: Table) -> bool:
    """Whether the shoe was ordered a stack that has not come."""
    step, deal = next_step(table), table.deal
    waited = deal.ordered is None or deal.ordered > deal.done
    return table.phase == "dealing" and step is not None and step.by_shoe and waited


def must_be_taken(table: Table) -> None:
    """Refuse what follows on a stack that still lies in the shoe's exit."""
    if lies := table.deal.lies:
        where = said(table.deal.steps[lies - 1])
        raise Refused("", f"stack {lies} lies in the exit of the shoe", f"deliver it: {where}")


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
    if table.method != "automated shoe":
        return cards_at(table, "dealer") > 0
    return next_step(table) is None and not table.deal.lies


def up_card(terms: Terms, table: Table, event: events.UpCardShown) -> Change:
    if not has_up_card(terms):
        raise Refused("card", "no dealer card is turned up in this game")
    if table.up_card is not None:
        raise Refused("card", f"{name(table.up_card)} is up already")
    if not must_show_up_card(terms, table):
        must_be_taken(table)
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

    And whenever the shoe's own count says that cards are missing, whoever counted them before; or
    is itself missing, of a shoe that counts.
    """
    if table.deal.doubted or is_uncounted(table):
        return True
    rules = terms.ruleset.rulebook.procedures
    every = {str(k): v.is_ for k, v in rules.stub_count_every.items()}[table.method]
    waived = table.method in rules.counting_shuffler_waives_stub_count.is_
    counting = terms.shuffler_counts and table.shuffler_in_service
    return table.rounds_since_count + 1 >= every and not (waived and counting)


def is_uncounted(table: Table) -> bool:
    """Whether a shoe that counts has dealt its last stack, and not said what it has left."""
    deal = table.deal
    dealt = any(step.by_shoe for step in deal.steps) and not owes_stacks(table)
    waits = table.shoe_counts and deal.left is None and deal.stub == "in shoe"
    return table.phase == "dealing" and dealt and waits


def stub_racked(terms: Terms, table: Table, event: events.StubRacked) -> Change:
    _deal_is_out(table)
    if is_uncounted(table):
        problem = "the shoe has not said how many cards it has left"
        raise Refused("", problem, f"count them face down: {stub(table)} expected")
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
    must_be_taken(table)
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
