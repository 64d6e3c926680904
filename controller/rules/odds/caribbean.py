"""The main game of Caribbean Stud, exactly, under best play.

The player sees his five cards and one of the dealer's, and bets twice the Ante or folds.
For every hand of the player (up to suits) and every upcard, the dealer's 163,185 hands are
counted by strength: too low to qualify, beaten, equal, better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from controller.rules.odds import stakes
from controller.rules.odds.bulk import (
    FIVE_STRENGTHS,
    Cards,
    Ints,
    Places,
    five_places,
    hands,
    join,
    number,
)
from controller.rules.odds.holding import below
from controller.rules.odds.play import Prospect, best
from controller.rules.odds.result import Edge, Progress, silent
from controller.rules.odds.suits import bits, classes
from controller.rules.paytables import PayTable
from controller.rules.rankings.five import FIVE

_DEALER_HANDS = comb(46, 4)
_UPCARDS = np.arange(52, dtype=np.uint8)
#: The place of the lowest hand that the dealer plays with.
_QUALIFIES = int(np.searchsorted(FIVE_STRENGTHS, FIVE.spans["ace-king"].low))
_TOGETHER = 1024


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What the dealer's hands come to for some hands of the player: one line a hand of the
    player, one column an upcard. Columns of cards that the player holds mean nothing."""

    unqualified: Ints
    beaten: Ints
    tied: Ints

    @property
    def better(self) -> Ints:
        return _DEALER_HANDS - self.unqualified - self.beaten - self.tied


class Dealer:
    """Counts dealer's hands that hold an upcard and none of the player's cards."""

    def __init__(self, progress: Progress = silent) -> None:
        #: The table of ``below`` for sets of 1 to 4 cards: the upcard and 0 to 3 others.
        self._below: list[NDArray[np.unsignedinteger[Any]]] = []
        #: For sets of 0 to 3 cards, by number, and each upcard: the class of both together.
        self._class: list[NDArray[np.int32]] = []
        for others in range(4):
            progress("hands by the cards they hold", others, 5)
            self._below.append(below(others + 1, 5, five_places, len(FIVE_STRENGTHS)))
            with_upcard = bits(hands(others))[:, None] | bits(hands(1))
            self._class.append(classes(others + 1).of(with_upcard))
        progress("hands by the cards they hold", 4, 5)
        #: For sets of four cards, by number, and each upcard: the place of that one hand.
        self._place: Places = five_places(join(hands(4), hands(1))).reshape(-1, 52)
        progress("hands by the cards they hold", 5, 5)

    def against(self, players: Cards, places: Places) -> Outcomes:
        """The dealer's hands against these hands of the player, which have these places."""
        unqualified = self._avoiding(players, np.full_like(places, _QUALIFIES))
        lower = self._avoiding(players, places)
        not_higher = self._avoiding(players, places + np.int16(1))
        # A hand that would not qualify itself beats nothing and ties with nothing that counts.
        counts = (places >= _QUALIFIES)[:, None]
        return Outcomes(
            unqualified,
            np.where(counts, lower - unqualified, 0),
            np.where(counts, not_higher - lower, 0),
        )

    def _avoiding(self, players: Cards, limits: Places) -> Ints:
        """The dealer's hands below a limit that hold the upcard and none of the player's cards."""
        total = np.zeros((players.shape[1], 52), np.int64)
        for held, (table, kinds) in enumerate(zip(self._below, self._class, strict=True)):
            start = limits.astype(np.int64)[:, None] * table.shape[1]
            flat = table.reshape(-1)
            for some in combinations(range(5), held):
                holding = flat[start + kinds[number(players[list(some)])]]
                if held % 2:
                    total -= holding
                else:
                    total += holding
        for some in combinations(range(5), 4):
            total += self._place[number(players[list(some)])] < limits[:, None]
        return total


def _by_strength() -> Iterator[tuple[Cards, Places, Ints]]:
    """The player's hands up to suits with their places and weights, the lowest first, because
    hands of like strength look into the same part of the tables."""
    every = classes(5)
    places = five_places(every.cards)
    order = np.argsort(places, kind="stable")
    for start in range(0, len(order), _TOGETHER):
        some = order[start : start + _TOGETHER]
        yield every.cards[:, some], places[some], every.weight[some]


def main_game(bet: PayTable, progress: Progress = silent) -> Edge:
    """The edge of Ante and Bet, the Bet paid by this table.

    Fold: the Ante is lost. Dealer not qualified: the Ante is paid even money, the Bet comes
    back. Qualified: both are lost to a better hand, both come back on a tie; else the Ante
    is paid even money and the Bet by the table.
    """
    unit = stakes.unit(bet)
    pays = np.array(stakes.nets(bet, FIVE_STRENGTHS, 2 * unit), np.int64)
    dealer = Dealer(progress)
    loss = wagered = done = 0
    for players, places, weight in _by_strength():
        found = dealer.against(players, places)
        playing = (
            found.unqualified * unit
            + found.beaten * (unit + pays[places])[:, None]
            - found.better * (3 * unit)
        )
        folding = np.full_like(playing, -_DEALER_HANDS * unit)
        decided = best([Prospect(playing, -3 * folding), Prospect(folding, -folding)])
        weights = np.where((players[:, :, None] != _UPCARDS).all(axis=0), weight[:, None], 0)
        loss -= int((decided.value * weights).sum())
        wagered += int((decided.wagered * weights).sum())
        done += len(places)
        progress("hands of the player", done, len(classes(5)))
    return Edge(loss, comb(52, 5) * 47 * _DEALER_HANDS, wagered, unit)
