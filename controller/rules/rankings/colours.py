"""The Prime wager looks only at colours: how many of the five cards share the commoner one."""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.cards import reds
from controller.rules.rankings.scale import Ranking, category_spans, pack

ORDER = ("mixed colours", "four of one colour", "five of one colour")


def colours(hand: Sequence[int]) -> int:
    """The strength of exactly five cards."""
    red = reds(hand)
    return pack(max(0, max(red, len(hand) - red) - 3))


COLOURS = Ranking(
    name="colours",
    takes=(5, 5),
    strength=colours,
    spans=category_spans(ORDER),
    categories=tuple(reversed(ORDER)),
)
