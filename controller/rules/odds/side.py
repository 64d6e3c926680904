"""Side wagers: every hand of the ranking, counted by strength, and what a table makes of it.

A side wager has no decisions. So one histogram of all hands answers every paytable of the
same ranking, progressives included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from controller.rules.cards import ACE, DECK, TEN, is_red
from controller.rules.odds import stakes
from controller.rules.odds.bulk import (
    FIVE_STRENGTHS,
    Cards,
    Fours,
    Places,
    best_five_of_six_places,
    blocks,
    five_places,
    fours,
)
from controller.rules.odds.result import Edge, Hits
from controller.rules.paytables import Kind, Odds, PayTable
from controller.rules.rankings import RANKINGS, Ranking
from controller.rules.rankings.aces import relabel_4, relabel_5
from controller.rules.rankings.colours import colours
from controller.rules.rankings.five import ROYAL
from controller.rules.rankings.four import four
from controller.rules.rankings.six import six

Histogram = dict[int, int]


def histogram(ranking: Ranking, size: int) -> Histogram:
    """How many of all hands of ``size`` cards have each strength that occurs."""
    if RANKINGS.get(ranking.name) is not ranking:
        raise ValueError(f"{ranking.name} is not one of the rankings that the games use")
    fewest, most = ranking.takes
    if not fewest <= size <= most:
        raise ValueError(f"the ranking {ranking.name} takes {fewest} to {most} cards, not {size}")
    return dict(_histogram(ranking.name, size))


@cache
def _histogram(name: str, size: int) -> Histogram:
    if name in _COUNTED:
        return _COUNTED[name](size)
    # Two or three cards: so few hands that they are simply asked one by one.
    return dict(Counter(map(RANKINGS[name].strength, combinations(DECK, size))))


def _five(size: int) -> Histogram:
    evaluate = five_places if size == 5 else best_five_of_six_places
    return _count(size, evaluate, FIVE_STRENGTHS)


def _four(size: int) -> Histogram:
    return _count(size, fours().best_places, fours().strengths)


def _aces_4(size: int) -> Histogram:
    order = Fours.of(lambda hand: relabel_4(four(hand)))
    return _count(size, order.best_places, order.strengths)


def _aces_5(size: int) -> Histogram:
    return _relabelled(_histogram("five", size), relabel_5)


def _count(
    size: int, evaluate: Callable[[Cards], Places], strengths: NDArray[np.int32]
) -> Histogram:
    total = np.zeros(len(strengths), np.int64)
    for block in blocks(size):
        total += np.bincount(evaluate(block), minlength=len(total))
    found = zip(strengths.tolist(), total.tolist(), strict=True)
    return {strength: count for strength, count in found if count}


def _relabelled(counts: Histogram, relabel: Callable[[int], int]) -> Histogram:
    found: Counter[int] = Counter()
    for strength, count in counts.items():
        found[relabel(strength)] += count
    return dict(found)


def _six(size: int) -> Histogram:
    """The best five of six, and then the royal flushes one by one, because some have six cards."""
    found = Counter(_histogram("five", size))
    del found[ROYAL]
    for suit in range(4):
        royal = [rank * 4 + suit for rank in range(TEN, ACE + 1)]
        found.update(six((*royal, sixth)) for sixth in DECK if sixth not in royal)
    return dict(found)


_RED = np.array([is_red(card) for card in DECK])


def _colours(size: int) -> Histogram:
    """Counted by how many cards are red, which is all that the ranking looks at."""
    by_reds: Counter[int] = Counter()
    for block in blocks(size):
        by_reds.update(dict(enumerate(np.bincount(_RED[block].sum(axis=0)).tolist())))
    red, black = (tuple(c for c in DECK if is_red(c) is colour) for colour in (True, False))
    return _relabelled(by_reds, lambda reds: colours((*red[:reds], *black[reds:size])))


_COUNTED: Mapping[str, Callable[[int], Histogram]] = {
    "five": _five,
    "six": _six,
    "four": _four,
    "aces-4": _aces_4,
    "aces-5": _aces_5,
    "colours": _colours,
}


def side_edge(table: PayTable, counts: Mapping[int, int]) -> Edge:
    """The edge of a side wager that is paid by this table alone."""
    unit = stakes.unit(table)
    deals = sum(counts.values())
    loss = -sum(
        count * stakes.net(table.odds_for(strength), unit) for strength, count in counts.items()
    )
    return Edge(loss, deals, deals * unit, unit)


@dataclass(frozen=True, slots=True)
class Progressive:
    """How often a progressive wager hits each row, and what of it does not hang on a meter."""

    #: One for each row of the table, in its order.
    hits: tuple[Hits, ...]
    #: What the fixed prizes return, per unit wagered.
    fixed: Fraction

    @property
    def shares(self) -> tuple[Hits, ...]:
        """The rows that pay a share of a meter."""
        return tuple(hit for hit in self.hits if hit.row.odds.kind is Kind.SHARE)

    @property
    def top(self) -> str:
        """The level that the rarest prize of a whole meter is paid from."""
        whole = [hit for hit in self.shares if hit.row.odds.number == 100]
        if not whole:
            raise ValueError("no row of this table pays a whole meter")
        return min(whole, key=lambda hit: hit.count).row.odds.level

    def per_unit(self, level: str) -> Fraction:
        """What the wager returns for each unit that the meter of this level holds."""
        return sum(
            (
                hit.probability * Fraction(hit.row.odds.number, 100)
                for hit in self.shares
                if hit.row.odds.level == level
            ),
            Fraction(0),
        )

    def returned(self, meters: Mapping[str, Fraction | int]) -> Fraction:
        """What the wager returns per unit wagered while the meters hold this, in wagers."""
        levels = {hit.row.odds.level for hit in self.shares}
        return self.fixed + sum(self.per_unit(level) * meters[level] for level in levels)

    def break_even(self, others: Mapping[str, Fraction | int] | None = None) -> Fraction:
        """What the top meter holds, in wagers, when the wager returns all that is wagered.

        ``others`` is what the meters of the other levels hold. Nothing (0) where the prizes
        return the whole wager even with an empty top meter.
        """
        missing = 1 - self.returned({**(others or {}), self.top: 0})
        return max(Fraction(0), missing / self.per_unit(self.top))


def progressive(table: PayTable, counts: Mapping[int, int], wager_cents: int = 100) -> Progressive:
    """A progressive wager of so many cents, which only prizes in dollars depend on."""
    deals = sum(counts.values())
    by_row = Counter[int]()
    for strength, count in counts.items():
        row = table.row_for(strength)
        if row is not None:
            by_row[table.rows.index(row)] += count
    hits = tuple(Hits(row, by_row[n], deals) for n, row in enumerate(table.rows))
    fixed = sum(
        (hit.probability * _returned(hit.row.odds, wager_cents) for hit in hits), Fraction(0)
    )
    return Progressive(hits, fixed)


def _returned(odds: Odds, wager_cents: int) -> Fraction:
    """What a row returns per unit wagered, shares of a meter left aside."""
    match odds.kind:
        case Kind.TO:
            return Fraction(odds.number, odds.per) + 1
        case Kind.FOR:
            return Fraction(odds.number, odds.per)
        case Kind.SUM:
            return Fraction(odds.number, wager_cents)
        case Kind.PUSH:
            return Fraction(1)
        case _:
            return Fraction(0)
