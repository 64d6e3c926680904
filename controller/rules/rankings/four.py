"""Four-card hands in the order of Four Card Prime: four-of-a-kind first, then straight flush,
and three-of-a-kind above flush above straight."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from controller.rules.rankings.scale import CARD_CODE, Ranking, category_spans, lookup

ORDER = (
    "high card",
    "pair",
    "two pair",
    "straight",
    "flush",
    "three-of-a-kind",
    "straight flush",
    "four-of-a-kind",
)
MIXED, SUITED = lookup(4, ORDER)

_CODE = CARD_CODE


def four(hand: Sequence[int]) -> int:
    """The strength of exactly four cards."""
    a, b, c, d = hand
    if (a ^ b) & 3 or (a ^ c) & 3 or (a ^ d) & 3:
        return MIXED[_CODE[a] + _CODE[b] + _CODE[c] + _CODE[d]]
    return SUITED[_CODE[a] + _CODE[b] + _CODE[c] + _CODE[d]]


def best_four(hand: Sequence[int]) -> int:
    """The strength of the best four of the cards."""
    return max(map(four, combinations(hand, 4)))


FOUR = Ranking(
    name="four",
    takes=(4, 6),
    strength=best_four,
    spans=category_spans(ORDER),
    categories=tuple(reversed(ORDER)),
)
