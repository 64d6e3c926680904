"""The main game of Four Card Prime, exactly, under best play.

Five cards against the dealer's six, four of each playing, and none of the dealer's seen. So
there is one decision for each hand of the player (up to suits), and all it needs is how many
of the dealer's 10,737,573 hands are better. That count knows no paytable: it is made
once and serves every table of bonuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from controller.rules.odds import stakes
from controller.rules.odds.bulk import Cards, Fours, Ints, Places, fours
from controller.rules.odds.holding import below
from controller.rules.odds.play import Prospect, best, weighted
from controller.rules.odds.result import Edge, Progress, silent
from controller.rules.odds.suits import bits, classes
from controller.rules.paytables import Kind, PayTable

_DEALER_HANDS = comb(47, 6)
_RAISES = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Counts:
    """The player's hands up to suits, in an order of no meaning, and how the dealer's fall."""

    strengths: Ints
    #: How many hands each one stands for.
    weight: Ints
    #: How many of the dealer's hands are no better, and so lose to it.
    won: Ints

    @property
    def lost(self) -> Ints:
        return _DEALER_HANDS - self.won


def counts(progress: Progress = silent) -> Counts:
    """Every hand of the player against every hand of the dealer."""
    order, players = fours(), classes(5)
    places = order.best_places(players.cards)
    won = not_better(players.cards, places, progress)
    return Counts(order.strengths[places].astype(np.int64), players.weight, won)


def not_better(players: Cards, places: Places, progress: Progress = silent) -> Ints:
    """How many of the dealer's hands are no better than each of the player's hands."""
    order = fours()
    above = places.astype(np.int64) + 1
    total = np.zeros(players.shape[1], np.int64)
    for held in range(5):
        progress("dealer's hands by the cards they hold", held, 6)
        table = below(held, 6, order.best_places, len(order.strengths))
        for some in combinations(range(5), held):
            kind = classes(held).of(bits(players[list(some)]))
            total += (-1) ** held * table[above, kind].astype(np.int64)
    progress("dealer's hands by the cards they hold", 5, 6)
    total -= _holding_all(order, players, places)
    progress("dealer's hands by the cards they hold", 6, 6)
    return total


def _holding_all(order: Fours, players: Cards, places: Places) -> Ints:
    """The hands of six cards that hold all the player's five and are no better than they are."""
    total = np.zeros(players.shape[1], np.int64)
    for card in range(52):
        sixth = np.full((1, players.shape[1]), card, np.uint8)
        no_better = order.best_places(np.concatenate([players, sixth])) <= places
        total += no_better & (players != card).all(axis=0)
    return total


def edge(found: Counts, win_bonus: PayTable, bad_beat: PayTable) -> Edge:
    """The edge of Ante and Raise with these bonuses, both paid on the Ante.

    Fold: the Ante is lost. Raise one to three times the Ante, and against a hand that is no
    better both are paid even money and the Win Bonus on top. Against a better one both are
    lost; but a hand in the Bad Beat table has its Ante back, with the bonus, and loses the
    Raise only.
    """
    unit = stakes.unit(win_bonus, bad_beat)
    extra = np.array(stakes.all_paid(win_bonus, found.strengths, unit), np.int64)
    beaten = np.array(_bad_beats(bad_beat, found.strengths, unit), np.int64)
    wagers = np.full_like(found.won, _DEALER_HANDS * unit)
    options = []
    for times in _RAISES:
        value = found.won * (unit + times * unit + extra) + found.lost * (beaten - times * unit)
        options.append(Prospect(value, wagers * (1 + times)))
    decided = best([*options, Prospect(-wagers, wagers)])
    loss = -weighted(decided.value, found.weight)
    wagered = weighted(decided.wagered, found.weight)
    return Edge(loss, comb(52, 5) * _DEALER_HANDS, wagered, unit)


def _bad_beats(table: PayTable, strengths: Ints, unit: int) -> list[int]:
    """What becomes of the Ante of each hand when it is beaten."""
    return [
        -unit if odds.kind is Kind.LOSS else stakes.paid(odds, unit)
        for odds in map(table.odds_for, strengths.tolist())
    ]


def main_game(win_bonus: PayTable, bad_beat: PayTable, progress: Progress = silent) -> Edge:
    """Count, then settle with these bonuses."""
    return edge(counts(progress), win_bonus, bad_beat)
