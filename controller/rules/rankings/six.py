"""Six-card bonus hands: the best five of six, and above them the royal flush of six cards.

One paytable pays the six-card royal in diamonds ten times what it pays in another suit, so
diamonds stand one step above. Nothing else about a six-card hand knows its suit, and no
two six-card hands are ever compared with each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.cards import ACE, DIAMONDS, NINE
from controller.rules.rankings.five import FIVE, ROYAL, best_five
from controller.rules.rankings.scale import Ranking, Span

_SIX_CARD_ROYAL, _IN_DIAMONDS = ROYAL + 1, ROYAL + 2
_RANKS = frozenset(range(NINE, ACE + 1))


def six(hand: Sequence[int]) -> int:
    """The strength of exactly six cards."""
    strength = best_five(hand)
    if strength == ROYAL:
        suits = {card & 3 for card in hand}
        if len(suits) == 1 and {card >> 2 for card in hand} == _RANKS:
            return _IN_DIAMONDS if suits == {DIAMONDS} else _SIX_CARD_ROYAL
    return strength


SIX = Ranking(
    name="six",
    takes=(6, 6),
    strength=six,
    spans={
        **FIVE.spans,
        "six-card royal flush": Span(_SIX_CARD_ROYAL, _IN_DIAMONDS),
        "six-card royal flush in diamonds": Span(_IN_DIAMONDS, _IN_DIAMONDS),
    },
    categories=("six-card royal flush", *FIVE.categories),
)
