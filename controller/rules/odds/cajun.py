"""The main game of Cajun Stud, exactly, under best play.

Two own cards and three on the table, turned one at a time; before each the player raises one
to three times the Ante or folds. All wagers are paid by one table on the five cards, so all
that counts is which cards are known, not whose they are, and how much is staked. It is worked
backwards: from four known cards to three to two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb

import numpy as np

from controller.rules.odds import stakes
from controller.rules.odds.bulk import FIVE_STRENGTHS, Ints, five_places
from controller.rules.odds.play import Prospect, best, weighted
from controller.rules.odds.result import Edge, Progress, silent
from controller.rules.odds.suits import classes
from controller.rules.paytables import PayTable

_RAISES = (1, 2, 3)
_DEALS = comb(52, 2) * 50 * 49 * 48

#: What may be staked, in Antes, before the raise that is made with so many cards known.
_STAKED = {4: range(3, 8), 3: range(2, 5), 2: range(1, 2)}


def main_game(table: PayTable, progress: Progress = silent) -> Edge:
    """The edge of Ante and Raises, all paid by this table.

    A deal is two cards and three more in order: the order decides what the player knew.
    """
    unit = stakes.unit(table)
    start, weight = best_play(table, unit, progress), classes(2).weight
    loss, wagered = -weighted(start.value, weight), weighted(start.wagered, weight)
    return Edge(loss, _DEALS, wagered, unit)


def best_play(table: PayTable, unit: int, progress: Progress = silent) -> Prospect:
    """What each two cards come to, an Ante being ``unit`` parts, over all the cards to come."""
    progress("cards to come", 0, 3)
    one = _one_stake(table, unit)
    ways = 48 * unit
    staked = {n: Prospect(n * one, np.full_like(one, n * ways)) for n in range(4, 11)}
    decided = _decide(staked, _STAKED[4], ways)
    for known in (3, 2):
        progress("cards to come", 4 - known, 3)
        staked = {n: prospect.before(known) for n, prospect in decided.items()}
        ways *= 52 - known
        decided = _decide(staked, _STAKED[known], ways)
    progress("cards to come", 3, 3)
    return decided[1]


def _one_stake(table: PayTable, unit: int) -> Ints:
    """What one stake comes to for each four cards, summed over the last card."""
    pays = np.array(stakes.nets(table, FIVE_STRENGTHS, unit), np.int64)
    total = np.empty(len(classes(4)), np.int64)
    for part, cards, real in classes(4).with_next():
        total[part] = np.where(real, pays[five_places(cards)].reshape(real.shape), 0).sum(axis=1)
    return total


def _decide(
    raised: Mapping[int, Prospect], before: Iterable[int], ways: int
) -> dict[int, Prospect]:
    """The best play for each stake on the table, given what each stake after a raise comes to.

    The stake matters, not only the cards: the more there is to lose by folding, the weaker a
    hand stays in.
    """
    decided = {}
    for stake in before:
        lost = np.full_like(raised[stake + 1].value, stake * ways)
        decided[stake] = best([*(raised[stake + x] for x in _RAISES), Prospect(-lost, lost)])
    return decided
