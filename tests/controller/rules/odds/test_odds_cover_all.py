"""Cover All: counts of hands from one deck against comparing all pairs and triples."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from controller.rules.odds import cover_all
from controller.rules.odds.bulk import Cards, five, hands
from controller.rules.odds.cover_all import CATEGORIES, BestHand
from controller.rules.odds.disjoint import Family, pairs, pairs_in
from controller.rules.odds.result import Edge, Estimate, silent
from controller.rules.odds.suits import bits, form
from controller.rules.paytables import PayTable
from controller.rules.rankings import FIVE

LOWS = [FIVE.spans[category].low for category in CATEGORIES]
TWO_HANDS = dict(
    zip(reversed(CATEGORIES), ("500", "200", "60", "40", "35", "25", "9"), strict=True)
)


def apart(cards: Cards) -> NDArray[np.float32]:
    """Which hands share no card with which, by comparing all of them."""
    found = bits(cards)
    shared = found[:, None] & found
    return np.asarray(shared == 0, np.float32)


def test_pairs() -> None:
    cards = hands(5)[:, :: comb(52, 5) // 2000]
    family, every = Family(cards), np.arange(cards.shape[1])
    matrix = apart(cards)
    assert pairs_in(family, every) == matrix.sum()
    some, others = every[::3], every[1::2]
    found = pairs(
        family.holding(some),
        len(some),
        family.holding(others),
        len(others),
        len(np.intersect1d(some, others)),
    )
    assert found == matrix[np.ix_(some, others)].sum()
    assert np.array_equal(family.apart_from(5), np.flatnonzero(matrix[5]))


def test_triples_of_a_deck_of_twenty_cards() -> None:
    """Tens to aces only: every kind of hand but a plain flush, and few enough to compare."""
    cards, strengths = cover_all._reaching(LOWS[0])
    high = (cards >= 32).all(axis=0)
    cards, strengths = cards[:, high], strengths[high]
    reach = [int((strengths >= low).sum()) for low in LOWS]
    assert reach[0] > reach[1] > reach[2] > reach[4] > reach[5] == reach[6] == 4
    found = cover_all._triples(cards, Family(cards), reach, silent)
    matrix = apart(cards)
    for size, triples in zip(reach, found, strict=True):
        some = matrix[:size, :size]
        assert triples == int((some * (some @ some)).sum(dtype=np.float64))


def test_two_hands() -> None:
    found = cover_all.exact(2)
    assert found.deals == comb(52, 5) * comb(47, 5)
    # Two royal flushes in two suits are counted once.
    assert found.counts[-1] == 2 * 4 * comb(47, 5) - 4 * 3
    quads = reaching_pairs("four-of-a-kind") - reaching_pairs("straight flush")
    assert found.counts[CATEGORIES.index("four-of-a-kind")] == quads
    assert found.exact
    assert found.standard_error("flush") == 0


def reaching_pairs(category: str) -> int:
    """The ordered deals of two hands with one at least of this category or better."""
    every = hands(5)
    cards = every[:, five(every) >= FIVE.spans[category].low]
    both = int(apart(cards).sum(dtype=np.float64))
    return 2 * int(cards.shape[1]) * comb(47, 5) - both


def test_the_estimate_agrees_with_the_count() -> None:
    exact = cover_all.exact(2)
    sampled = cover_all.estimate(seed=20, deals=300_000)
    assert list(sampled) == [2, 3, 4, 5, 6, 7, 8]
    found = sampled[2]
    assert not found.exact
    assert found.deals == 300_000
    for category in CATEGORIES[:4]:
        off = abs(float(found.probability(category) - exact.probability(category)))
        assert off < 4 * found.standard_error(category)
    at_least_trips = [sum(best.counts) for best in sampled.values()]
    assert at_least_trips == sorted(at_least_trips)


def test_edge_of_a_count_and_of_a_sample(make_table: Callable[..., PayTable]) -> None:
    table = make_table(FIVE, {hand: f"{n} to 1" for hand, n in TWO_HANDS.items()})
    counts = (9, 8, 7, 6, 5, 4, 3)
    won = 9 * 9 + 8 * 25 + 7 * 35 + 6 * 40 + 5 * 60 + 4 * 200 + 3 * 500
    exact = cover_all.edge(BestHand(2, counts, 10_000, exact=True), table)
    assert exact == Edge(10_000 - 42 - won, 10_000, 10_000)
    sample = cover_all.edge(BestHand(2, counts, 10_000, exact=False), table)
    assert isinstance(sample, Estimate)
    assert sample.edge == exact.edge
    gains = np.repeat([-1, 9, 25, 35, 40, 60, 200, 500], [10_000 - 42, *counts])
    assert sample.standard_error == pytest.approx(gains.std() / 100)


def test_a_table_that_is_not_for_cover_all(make_table: Callable[..., PayTable]) -> None:
    best = BestHand(2, (0,) * 7, 1, exact=True)
    with pytest.raises(ValueError, match="Cover All"):
        cover_all.edge(best, make_table(FIVE, {"pair": "1 to 1"}))
    with pytest.raises(ValueError, match="Cover All"):
        cover_all.edge(best, make_table(FIVE, {"pair or less": "push", "flush": "1 to 1"}))
    with pytest.raises(ValueError, match="estimate"):
        cover_all.exact(4)


@pytest.mark.slow
def test_three_hands() -> None:
    found = cover_all.exact(3)
    assert found.deals == comb(52, 5) * comb(47, 5) * comb(42, 5)
    assert found.counts[-1] == (
        3 * 4 * comb(47, 5) * comb(42, 5) - 3 * 12 * comb(42, 5) + 4 * 3 * 2
    )
    # Without the short cuts: every hand up to suits is a first.
    cards, _ = cover_all._reaching(LOWS[0])
    family = Family(cards)
    firsts, weights = cover_all._not_alike(form(bits(cards)))
    assert len(firsts) == 6545
    triples = sum(
        weight * pairs_in(family, family.apart_from(first))
        for first, weight in zip(firsts, weights, strict=True)
    )
    two = pairs_in(family, np.arange(len(family)))
    none = (
        found.deals - 3 * len(family) * comb(47, 5) * comb(42, 5) + 3 * two * comb(42, 5) - triples
    )
    assert found.deals - sum(found.counts) == none
