"""The Aces Bonus has an order of its own, and the regulation leaves open how many cards it counts.

As printed, royal flush, straight flush, flush and straight take five cards; the hold that the
Board published with the tables fits only the best four of the five. Both are here; which one a
table plays is the operator's choice and has no default.

Either way the order is a relabelling of a hand that another ranking has already recognised.
A full house counts as its three-of-a-kind, and aces with another pair as two pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from controller.rules.cards import ACE
from controller.rules.rankings.five import ORDER as FIVE_ORDER
from controller.rules.rankings.five import five
from controller.rules.rankings.four import ORDER as FOUR_ORDER
from controller.rules.rankings.four import four
from controller.rules.rankings.scale import (
    CATEGORY_SHIFT,
    TIES,
    Ranking,
    category_spans,
)

ORDER = (
    "nothing",
    "two aces",
    "two pair",
    "straight",
    "flush",
    "three-of-a-kind",
    "three aces",
    "straight flush",
    "royal flush",
    "four-of-a-kind",
    "four aces",
)

#: What a recognised hand counts as: led by an ace, and otherwise.
_COUNTS_AS = {
    "high card": ("nothing", "nothing"),
    "pair": ("two aces", "nothing"),
    "two pair": ("two pair", "two pair"),
    "straight": ("straight", "straight"),
    "flush": ("flush", "flush"),
    "three-of-a-kind": ("three aces", "three-of-a-kind"),
    "full house": ("three aces", "three-of-a-kind"),
    "straight flush": ("royal flush", "straight flush"),
    "four-of-a-kind": ("four aces", "four-of-a-kind"),
}


def _relabelled(order: Sequence[str]) -> Callable[[int], int]:
    places = [
        tuple(ORDER.index(label) << CATEGORY_SHIFT for label in _COUNTS_AS[kind]) for kind in order
    ]

    def relabel(strength: int) -> int:
        ties = strength & TIES
        led_by_ace, otherwise = places[strength >> CATEGORY_SHIFT]
        leader = ties >> (CATEGORY_SHIFT - 4)
        return (led_by_ace if leader == ACE else otherwise) | ties

    return relabel


relabel_4 = _relabelled(FOUR_ORDER)
relabel_5 = _relabelled(FIVE_ORDER)


def aces_4(hand: Sequence[int]) -> int:
    """The best four of five cards, in the order of the Aces Bonus."""
    return max(relabel_4(four(some)) for some in combinations(hand, 4))


def aces_5(hand: Sequence[int]) -> int:
    """All five cards, in the order of the Aces Bonus."""
    return relabel_5(five(hand))


def _ranking(name: str, strength: Callable[[Sequence[int]], int]) -> Ranking:
    return Ranking(
        name=name,
        takes=(5, 5),
        strength=strength,
        spans=category_spans(ORDER),
        categories=tuple(reversed(ORDER)),
    )


ACES_4 = _ranking("aces-4", aces_4)
ACES_5 = _ranking("aces-5", aces_5)
