"""The main game of Raise It Up Stud, exactly, under best play.

Three own cards and three on the table, turned one at a time. The one Play wager may be three
times the Ante before the first of them, twice before the second, once before the third. So
there are two things to do at each point, wager now or wait, and it is worked backwards from
five known cards.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from controller.rules.odds import stakes
from controller.rules.odds.bulk import FIVE_STRENGTHS, Ints, best_five_of_six_places
from controller.rules.odds.play import Prospect, best, weighted
from controller.rules.odds.result import Edge, Progress, silent
from controller.rules.odds.suits import classes, over_next
from controller.rules.paytables import PayTable
from controller.rules.rankings.five import FIVE

_WINS = FIVE.spans["pair of 10s or better"].low
_DEALS = comb(52, 3) * 49 * 48 * 47


def main_game(play: PayTable, blind: PayTable, progress: Progress = silent) -> Edge:
    """The edge of Ante, Blind and Play, with these tables for Play and Blind.

    The best five of six cards win from a pair of 10s; the Ante is then paid even money. Below
    that, or on a fold before the last card, all is lost. A deal is three cards and three more
    in order: the order decides what the player knew.
    """
    unit = stakes.unit(play, blind)
    decided, weight = best_play(play, blind, unit, progress), classes(3).weight
    loss, wagered = -weighted(decided.value, weight), weighted(decided.wagered, weight)
    return Edge(loss, _DEALS, wagered, unit)


def best_play(play: PayTable, blind: PayTable, unit: int, progress: Progress = silent) -> Prospect:
    """What each three cards come to, an Ante being ``unit`` parts, over all the cards to come."""
    start, played = _with_last_card(play, blind, unit, progress)
    ways = 47 * unit
    folding = np.full_like(start, 2 * ways)
    decided = best([_wager(1, start, played, ways), Prospect(-folding, folding)])
    for known, most in ((4, 2), (3, 3)):
        waiting = decided.before(known)
        start, played = over_next(known, start), over_next(known, played)
        ways *= 52 - known
        wagers = (_wager(times, start, played, ways) for times in range(1, most + 1))
        decided = best([waiting, *wagers])
    return decided


def _wager(times: int, start: Ints, played: Ints, ways: int) -> Prospect:
    """A Play wager of so many Antes, made now."""
    return Prospect(start + times * played, np.full_like(start, (2 + times) * ways))


def _with_last_card(
    play: PayTable, blind: PayTable, unit: int, progress: Progress
) -> tuple[Ints, Ints]:
    """For each five cards, summed over the sixth: what Ante and Blind come to together when
    the hand is played, and what a Play wager of one Ante comes to."""
    wins = FIVE_STRENGTHS >= _WINS
    on_start = np.where(wins, unit, -unit) + _where_won(wins, blind, unit)
    on_play = _where_won(wins, play, unit)
    five = classes(5)
    start, played = np.empty((2, len(five)), np.int64)
    for part, cards, real in five.with_next():
        places = best_five_of_six_places(cards).reshape(real.shape)
        start[part] = np.where(real, on_start[places], 0).sum(axis=1)
        played[part] = np.where(real, on_play[places], 0).sum(axis=1)
        progress("hands of five known cards", part.stop, len(five))
    return start, played


def _where_won(wins: NDArray[np.bool_], table: PayTable, unit: int) -> Ints:
    """What a stake comes to at each place: by the table, and lost below a pair of 10s."""
    return np.where(wins, stakes.nets(table, FIVE_STRENGTHS, unit), -unit).astype(np.int64)
