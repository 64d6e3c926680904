"""Decisions: of several ways to go on, the one that an optimal player takes.

Every main game compares sums over the cards still to come. What is wagered is carried along,
because the money wagered under best play is itself a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from controller.rules.odds.bulk import Ints
from controller.rules.odds.suits import over_next


@dataclass(frozen=True, slots=True)
class Prospect:
    """What one way to go on comes to, summed over all that the cards may still do.

    One entry for each hand that the player may hold.
    """

    #: What the player is ahead by.
    value: Ints
    wagered: Ints

    def before(self, known: int) -> Prospect:
        """The same for ``known`` cards, one fewer: summed over the card that comes next."""
        return Prospect(over_next(known, self.value), over_next(known, self.wagered))


def weighted(values: Ints, weight: Ints) -> int:
    """The sum over all hands, in integers of any size."""
    return sum((values * weight).tolist())


def best(options: Sequence[Prospect]) -> Prospect:
    """The best option of each hand; of equal ones, the one that is listed first.

    What the player loses does not depend on that, but what he wagers does. So the games list
    raises from the smallest and folding last: a player who may as well stay in stays in, with
    no more than he has to. It is the convention that the Board's figures for Cajun Stud keep.
    """
    value, wagered = options[0].value, options[0].wagered
    for option in options[1:]:
        better = option.value > value
        value = np.where(better, option.value, value)
        wagered = np.where(better, option.wagered, wagered)
    return Prospect(value, wagered)
