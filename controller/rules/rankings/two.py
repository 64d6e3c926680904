"""Two-card hands of the Pocket Bonus: aces, then an ace with a face card, then other pairs."""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.cards import ACE, JACK
from controller.rules.rankings.scale import Ranking, category_spans, pack

ORDER = ("nothing", "pair", "unsuited ace", "suited ace", "pair of aces")


def two(hand: Sequence[int]) -> int:
    """The strength of exactly two cards."""
    a, b = hand
    low, high = sorted((a >> 2, b >> 2))
    if low == high:
        return pack(4 if high == ACE else 1, [high])
    if high == ACE and low >= JACK:
        return pack(2 if (a ^ b) & 3 else 3, [high, low])
    return pack(0, [high, low])


TWO = Ranking(
    name="two",
    takes=(2, 2),
    strength=two,
    spans=category_spans(ORDER),
    categories=tuple(reversed(ORDER)),
)
