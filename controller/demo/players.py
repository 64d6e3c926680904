"""Players who bet and decide sensibly, each from a seed: not to win, but as people would play.

A player sees the own hand and what lies face up, and nothing else.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from controller.rules.cards import ACE, JACK, KING
from controller.rules.rankings.five import FIVE
from controller.table.deciding import wager_at
from controller.table.plan import streets
from controller.table.state import Seat, Table
from controller.table.terms import Terms

Choice = Literal["wager", "check", "fold"]

#: Of ten rounds, in so many a player takes a side wager.
LIKES_SIDE_WAGERS = 0.6


class Player:
    def __init__(self, seat: int, chance: random.Random) -> None:
        self.seat = seat
        self.name = f"player {seat}"
        self._chance = chance

    def sits_out(self) -> bool:
        return self._chance.random() < 0.1

    def wagers(self, terms: Terms, withheld: Sequence[str], seat: Seat) -> dict[str, int]:
        """What goes down before the cards, in cents: the entry wagers first.

        To an Ante that is down already the others must fit.
        """
        steps = max((terms.most_ante - terms.least_ante) // terms.least_ante, 0)
        ante = terms.least_ante * (1 + self._chance.randint(0, min(steps, 4)))
        down: dict[str, int] = {}
        for name in terms.ruleset.offered:
            wager = terms.ruleset.rulebook.wagers[name]
            if wager.multiples or name in withheld or any(one not in down for one in wager.needs):
                continue
            if name == "ante":
                down[name] = seat.wagers.get(name, ante)
            elif wager.equals:
                down[name] = down[wager.equals]
            elif self._chance.random() < LIKES_SIDE_WAGERS:
                down[name] = _usual(terms, name)
        return down

    def decides(
        self, terms: Terms, table: Table, seat: Seat, hand: Sequence[int]
    ) -> tuple[Choice, int]:
        """Wager, check or fold on this street, and how much."""
        wager = terms.ruleset.rulebook.wagers[wager_at(terms, table.street)]
        moment = f"decision {table.street}"
        times = {str(k): v for k, v in wager.multiples.items()}[moment]
        checks = terms.ruleset.rulebook.game == "raise-it-up" and table.street < streets(terms)
        seen = [*hand, *table.faces.get("community", ())]
        if strong(seen):
            return "wager", max(times) * seat.wagers["ante"]
        if checks:
            return "check", 0
        if promising(seen):
            return "wager", min(times) * seat.wagers["ante"]
        return "fold", 0


def _usual(terms: Terms, wager: str) -> int:
    """What a side wager is made with: its fixed amount, or the smallest wager of the table."""
    allowed = terms.ruleset.amounts_of(wager)
    return allowed[0] if allowed else terms.least_ante


def strong(cards: Sequence[int]) -> bool:
    """Two pair or better, a high pair, or four to a flush."""
    if len(cards) == 5 and FIVE.strength(tuple(cards)) >= FIVE.spans["two pair"].low:
        return True
    ranks = Counter(card >> 2 for card in cards)
    pairs = [rank for rank, count in ranks.items() if count >= 2]
    suits = Counter(card & 3 for card in cards)
    return len(pairs) > 1 or any(rank >= JACK for rank in pairs) or max(suits.values()) >= 4


def promising(cards: Sequence[int]) -> bool:
    """Any pair, or ace and king."""
    ranks = Counter(card >> 2 for card in cards)
    return max(ranks.values()) >= 2 or (ACE in ranks and KING in ranks)
