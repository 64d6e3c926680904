"""Five-card poker hands, as all the regulations rank them, and the best five of more cards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from controller.rules.cards import ACE, KING, RANK_NAMES
from controller.rules.rankings.scale import (
    CARD_CODE,
    HIGHEST_CODE,
    Ranking,
    Span,
    category_spans,
    led_by,
    lookup,
    pack,
    pair_spans,
    whole,
)

ORDER = (
    "high card",
    "pair",
    "two pair",
    "three-of-a-kind",
    "straight",
    "flush",
    "full house",
    "four-of-a-kind",
    "straight flush",
)
_HIGH_CARD, _PAIR, _STRAIGHT_FLUSH = 0, 1, 8

_mixed, SUITED = lookup(5, ORDER)
#: A list, not a dict: a third faster for one hand a call, and odds use it as an array.
MIXED = [0] * (HIGHEST_CODE + 1)
for _code, _strength in _mixed.items():
    MIXED[_code] = _strength

_CODE = CARD_CODE


def five(hand: Sequence[int]) -> int:
    """The strength of exactly five cards."""
    a, b, c, d, e = hand
    # The two low bits of a card are its suit: any difference there, and it is no flush.
    if (a ^ b) & 3 or (a ^ c) & 3 or (a ^ d) & 3 or (a ^ e) & 3:
        return MIXED[_CODE[a] + _CODE[b] + _CODE[c] + _CODE[d] + _CODE[e]]
    return SUITED[_CODE[a] + _CODE[b] + _CODE[c] + _CODE[d] + _CODE[e]]


def best_five(hand: Sequence[int]) -> int:
    """The strength of the best five of the cards."""
    return five(hand) if len(hand) == 5 else max(map(five, combinations(hand, 5)))


ROYAL = pack(_STRAIGHT_FLUSH, [ACE])

SPANS = {
    **category_spans(ORDER),
    # A royal flush is the best straight flush. So a table that has no line for it pays it
    # as a straight flush, and one that has lists it first.
    "royal flush": Span(ROYAL, whole(_STRAIGHT_FLUSH).high),
    "pair or less": Span(0, whole(_PAIR).high),
    "ace-king": Span(pack(_HIGH_CARD, [ACE, KING]), whole(_HIGH_CARD).high),
    **pair_spans(_PAIR),
    **{f"{one} high": led_by(_HIGH_CARD, r, r) for r, (one, _) in enumerate(RANK_NAMES)},
}

FIVE = Ranking(
    name="five",
    takes=(5, 6),
    strength=best_five,
    spans=SPANS,
    categories=(
        "royal flush",
        *reversed(ORDER[1:]),
        "ace-king",
        *(f"{one} high" for one, _ in reversed(RANK_NAMES)),
    ),
)
