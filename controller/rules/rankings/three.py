"""Three-card hands: straight above flush, as Pair Plus, the Raise It Up progressive and the
Board Bonus list them.

The progressive pays the whole meter for ace, king and queen of spades and fixed odds for the
other suits, so a ranking of its own puts the spades one step above them.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.cards import ACE, SPADES
from controller.rules.rankings.scale import (
    CARD_CODE,
    Ranking,
    Span,
    category_spans,
    lookup,
    pack,
    whole,
)

ORDER = ("high card", "pair", "flush", "straight", "three-of-a-kind", "straight flush")
_STRAIGHT_FLUSH = 5
MIXED, SUITED = lookup(3, ORDER)

_CODE = CARD_CODE
_MINI_ROYAL = pack(_STRAIGHT_FLUSH, [ACE])


def three(hand: Sequence[int]) -> int:
    """The strength of exactly three cards."""
    a, b, c = hand
    if (a ^ b) & 3 or (a ^ c) & 3:
        return MIXED[_CODE[a] + _CODE[b] + _CODE[c]]
    return SUITED[_CODE[a] + _CODE[b] + _CODE[c]]


def three_spades(hand: Sequence[int]) -> int:
    """The same, with ace, king and queen of spades above the other suits'."""
    strength = three(hand)
    return strength + (strength == _MINI_ROYAL and hand[0] & 3 == SPADES)


_SPANS = {
    **category_spans(ORDER),
    "mini-royal": Span(_MINI_ROYAL, whole(_STRAIGHT_FLUSH).high),
}

THREE = Ranking(
    name="three",
    takes=(3, 3),
    strength=three,
    spans=_SPANS,
    categories=("mini-royal", *reversed(ORDER)),
)

THREE_SPADES = Ranking(
    name="three-spades",
    takes=(3, 3),
    strength=three_spades,
    spans={
        **_SPANS,
        "ace, king and queen of one suit": _SPANS["mini-royal"],
        "ace, king and queen of spades": Span(_MINI_ROYAL + 1, _MINI_ROYAL + 1),
    },
    categories=(
        "ace, king and queen of spades",
        "ace, king and queen of one suit",
        *reversed(ORDER),
    ),
)
