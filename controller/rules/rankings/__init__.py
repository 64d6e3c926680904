"""The orders of hands that the six regulations define, by name.

Each ranking turns cards into a *strength*: an integer that is higher for the better hand
and equal only for hands that tie. A paytable's lines are spans of strengths.
"""

from __future__ import annotations

from controller.rules.rankings.aces import ACES_4, ACES_5
from controller.rules.rankings.colours import COLOURS
from controller.rules.rankings.five import FIVE
from controller.rules.rankings.four import FOUR
from controller.rules.rankings.scale import Ranking, Span
from controller.rules.rankings.six import SIX
from controller.rules.rankings.three import THREE, THREE_SPADES
from controller.rules.rankings.two import TWO

RANKINGS = {
    ranking.name: ranking
    for ranking in (FIVE, SIX, FOUR, THREE, THREE_SPADES, TWO, ACES_4, ACES_5, COLOURS)
}

__all__ = [
    "ACES_4",
    "ACES_5",
    "COLOURS",
    "FIVE",
    "FOUR",
    "RANKINGS",
    "SIX",
    "THREE",
    "THREE_SPADES",
    "TWO",
    "Ranking",
    "Span",
]
