"""Cover All: the best hand of all that are dealt, players' and dealer's.

For two and three hands it is counted: the deals in which no hand reaches a category follow
from how many hands, pairs and triples of hands from one deck do reach it. From four hands on
such a count is out of reach, and a sample of deals is used, which says that it is one.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from controller.rules.odds import stakes
from controller.rules.odds.bulk import FIVE_STRENGTHS, Cards, Ints, five, five_places
from controller.rules.odds.bulk import hands as all_hands
from controller.rules.odds.disjoint import Family, pairs, pairs_in
from controller.rules.odds.result import Edge, Estimate, Progress, silent
from controller.rules.odds.shuffle import deals as sampled_deals
from controller.rules.odds.suits import bits, form
from controller.rules.paytables import LOSS, Odds, PayTable
from controller.rules.rankings.five import FIVE

#: The categories that the wager tells apart, from the lowest; below them it is lost.
CATEGORIES = (
    "three-of-a-kind",
    "straight",
    "flush",
    "full house",
    "four-of-a-kind",
    "straight flush",
    "royal flush",
)
_LOWS = tuple(FIVE.spans[category].low for category in CATEGORIES)
_PLACES = np.searchsorted(FIVE_STRENGTHS, _LOWS).tolist()
#: Deals in one step, so that their decks stay in the cache.
_STEP = 1 << 14


@dataclass(frozen=True, slots=True)
class BestHand:
    """In how many deals the best of ``hands`` hands falls into each of ``CATEGORIES``."""

    hands: int
    counts: tuple[int, ...]
    #: All deals of that many hands; or, if not exact, those that were sampled.
    deals: int
    exact: bool

    def probability(self, category: str) -> Fraction:
        return Fraction(self.counts[CATEGORIES.index(category)], self.deals)

    def standard_error(self, category: str) -> float:
        """Of the probability: nothing where it is exact."""
        if self.exact:
            return 0.0
        chance = float(self.probability(category))
        return sqrt(chance * (1 - chance) / self.deals)


def edge(best: BestHand, table: PayTable) -> Edge | Estimate:
    """The edge of the wager with this table, as exact as the count is."""
    unit = stakes.unit(table)
    gains = [stakes.net(odds, unit) for odds in _by_category(table)]
    won = sum(gain * count for gain, count in zip(gains, best.counts, strict=True))
    lost = (best.deals - sum(best.counts)) * unit
    wagered = best.deals * unit
    if best.exact:
        return Edge(lost - won, best.deals, wagered, unit)
    squares = sum(gain * gain * count for gain, count in zip(gains, best.counts, strict=True))
    mean = (won - lost) / best.deals
    variance = (squares + lost * unit) / best.deals - mean * mean
    error = sqrt(variance / best.deals) / unit
    return Estimate(lost - won, best.deals, wagered, error, unit)


def _by_category(table: PayTable) -> list[Odds]:
    """What the table pays for each category, if it tells no more apart than they do."""
    paid: list[set[Odds]] = [set() for _ in range(len(CATEGORIES) + 1)]
    for place, strength in enumerate(FIVE_STRENGTHS.tolist()):
        paid[bisect_right(_PLACES, place)].add(table.odds_for(strength))
    if paid[0] != {LOSS} or any(len(odds) != 1 for odds in paid):
        raise ValueError(f"table {table.name} is not one for Cover All")
    return [odds.pop() for odds in paid[1:]]


def exact(hands: int, progress: Progress = silent) -> BestHand:
    """The best of two or of three hands, over all ordered deals."""
    if hands not in (2, 3):
        raise ValueError(f"the best of {hands} hands is not counted exactly; see estimate")
    cards, strengths = _reaching(_LOWS[0])
    family = Family(cards)
    reach = [int(np.searchsorted(-strengths, -low, side="right")) for low in _LOWS]
    together = [reach, [pairs_in(family, np.arange(size)) for size in reach]]
    if hands == 3:
        together.append(_triples(cards, family, reach, progress))
    all_deals = _ways(0, hands)
    none = [
        all_deals
        + sum(
            (-1) ** some * comb(hands, some) * at_once[n] * _ways(some, hands)
            for some, at_once in enumerate(together, 1)
        )
        for n in range(len(CATEGORIES))
    ]
    limits = [*none, all_deals]
    counts = tuple(higher - lower for lower, higher in pairwise(limits))
    return BestHand(hands, counts, all_deals, exact=True)


def _ways(first: int, last: int) -> int:
    """The ways to deal hands number ``first`` to ``last`` - 1 after those before them."""
    return prod(comb(52 - 5 * hand, 5) for hand in range(first, last))


def _reaching(low: int) -> tuple[Cards, NDArray[np.int32]]:
    """All hands of at least this strength, the best first, so that every category and all
    above it are a beginning of the list."""
    strengths = five(all_hands(5))
    order = np.argsort(-strengths, kind="stable")[: int((strengths >= low).sum())]
    return all_hands(5)[:, order], strengths[order]


def _triples(cards: Cards, family: Family, reach: list[int], progress: Progress) -> list[int]:
    """The ordered triples from one deck among the hands that reach each category.

    For the lowest category, by how many of the three are no more than three-of-a-kind: with
    all three, any of them is a first, and of those hands only four are not alike. Otherwise a
    better one is made the first, which leaves few firsts, and counts for each place it has.
    """
    totals = [0] * len(reach)
    better = reach[1]
    firsts, weights = _not_alike(form(bits(cards[:, :better])))
    for done, (first, weight) in enumerate(zip(firsts, weights, strict=True)):
        apart = family.apart_from(first)
        sizes = np.searchsorted(apart, reach)
        held = family.holding(apart[: sizes[1]])
        lowest = family.holding(apart[sizes[1] :])
        n, m = int(sizes[1]), len(apart) - int(sizes[1])
        among_better = pairs(held, n, held, n, n)
        mixed = pairs(lowest, m, held, n, 0)
        among_lowest = pairs(lowest, m, lowest, m, m)
        totals[0] += weight * (among_better + 3 * mixed + 3 * among_lowest)
        totals[1] += weight * among_better
        for category in range(2, len(reach)):
            if first < reach[category]:
                totals[category] += weight * pairs_in(family, apart[: sizes[category]])
        if done % 64 == 0:
            progress("hands above three-of-a-kind", done, len(firsts))
    progress("hands above three-of-a-kind", len(firsts), len(firsts))
    firsts, weights = _not_alike(_pattern(cards[:, better:]))
    for first, weight in zip(firsts, weights, strict=True):
        apart = family.apart_from(better + first)
        totals[0] += weight * pairs_in(family, apart[apart >= better])
    return totals


def _not_alike(keys: Ints) -> tuple[list[int], list[int]]:
    """One hand for each key that occurs, and how many hands have it."""
    _, first, weight = np.unique(keys, return_index=True, return_counts=True)
    return first.tolist(), weight.tolist()


def _pattern(cards: Cards) -> Ints:
    """What stays of three-of-a-kind if neither suits nor ranks have names.

    That is, for each suit, whether it has a card of the three and how many others.
    """
    # Of five ascending cards, three of them alike, the middle one is always one of the three.
    worth = np.where(cards >> 2 == cards[2] >> 2, 8, 1)
    by_suit = np.stack([(worth * (cards & 3 == suit)).sum(axis=0) for suit in range(4)])
    by_suit.sort(axis=0)
    return np.asarray((by_suit.T << (8 * np.arange(4))).sum(axis=1), np.int64)


def estimate(seed: int, deals: int = 4_000_000, progress: Progress = silent) -> dict[int, BestHand]:
    """The best of two to eight hands, from one sample of deals of forty cards."""
    counts = {number: np.zeros(len(CATEGORIES) + 1, np.int64) for number in range(2, 9)}
    for start in range(0, deals, _STEP):
        progress("deals", start, deals)
        cards = sampled_deals(seed, start, min(_STEP, deals - start), 40)
        best = five_places(cards[:5])
        for number in counts:
            np.maximum(best, five_places(cards[5 * number - 5 : 5 * number]), out=best)
            category = np.searchsorted(_PLACES, best, side="right")
            counts[number] += np.bincount(category, minlength=len(CATEGORIES) + 1)
    progress("deals", deals, deals)
    return {
        number: BestHand(number, tuple(count[1:].tolist()), int(count.sum()), exact=False)
        for number, count in counts.items()
    }
