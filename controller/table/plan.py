"""The order of the deal: who gets how many cards when, for each game and dealing method."""

from __future__ import annotations

from controller.table.state import DealStep, Table
from controller.table.terms import Terms

#: The last stack of Four Card Prime: All-Six card, the dealer's sixth, the rest to the rack.
LAST_STACK = "last stack"


def deal_plan(terms: Terms, table: Table) -> tuple[DealStep, ...]:
    """The steps of the deal of this round, from the dealer's far left."""
    players = [seat.number for seat in table.in_round()]
    hands = terms.ruleset.rulebook.hands
    extra = hands.extra if any(seat.wagers.get("all_six") for seat in table.seats) else 0
    automated = table.method == "automated shoe"
    game = terms.ruleset.rulebook.game
    if automated:
        stacks = [DealStep(seat, _stack(terms), by_shoe=True) for seat in players]
        return tuple(stacks + _after_the_stacks(game, _stack(terms), extra))
    steps = [DealStep("extra", extra)] if extra else []
    for lap in range(hands.player):
        steps += [DealStep(seat, 1) for seat in players]
        if hands.dealer:
            steps.append(DealStep("dealer", 1))
        if lap == hands.player - 1 and hands.dealer > hands.player:
            steps.append(DealStep("dealer", hands.dealer - hands.player))
    if hands.community:
        steps.append(DealStep("community", hands.community))
    return tuple(steps)


def _stack(terms: Terms) -> int:
    return terms.ruleset.rulebook.procedures.stack_of.is_


def _after_the_stacks(game: str, stack: int, extra: int) -> list[DealStep]:
    match game:
        case "caribbean-stud":
            return [DealStep("dealer", stack, by_shoe=True)]
        case "raise-it-up":
            return [DealStep("community", stack, by_shoe=True)]
        case "four-card-prime":
            return [
                DealStep("dealer", stack, by_shoe=True),
                DealStep(LAST_STACK, stack, by_shoe=True),
            ]
        case _:
            # Cajun Stud goes on by hand: the rest is taken out of the shoe.
            more = [DealStep("extra", extra)] if extra else []
            return [*more, DealStep("community", 3)]


def has_up_card(terms: Terms) -> bool:
    return terms.ruleset.rulebook.game == "caribbean-stud"


def streets(terms: Terms) -> int:
    """How many times players decide."""
    moments = {m for wager in terms.ruleset.rulebook.wagers.values() for m in wager.multiples}
    return len(moments)
