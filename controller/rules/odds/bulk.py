"""Many hands at once: lists of all hands, and their strengths, as numpy arrays.

One hand a call is right for a table and far too slow for odds: the six-card hands alone are
20 million. Hands are columns here, ``cards[i, n]`` being the i-th card of hand n, and a
strength is first a *place*: its index among all strengths that occur, in order. Places fit
in 16 bits and index arrays; the tables behind them are those of the single-call evaluators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from controller.rules.rankings.five import MIXED, SUITED
from controller.rules.rankings.four import four
from controller.rules.rankings.scale import CARD_CODE

Cards = NDArray[np.uint8]
Places = NDArray[np.int16]
Ints = NDArray[np.int64]

#: Hands worked on at a time: few enough that all intermediate arrays stay in the cache.
_CHUNK = 1 << 15


@cache
def hands(size: int) -> Cards:
    """All hands of up to five cards, cards ascending, ordered by their highest card first.

    In that order the hands without the highest cards come first, so each list begins with
    the list of a shorter deck, and a hand's number is a sum of binomials (see ``number``).
    """
    if size == 0:
        return np.zeros((0, 1), np.uint8)
    found = np.empty((size, comb(52, size)), np.uint8)
    smaller, start = hands(size - 1), 0
    for highest in range(size - 1, 52):
        count = comb(highest, size - 1)
        found[:-1, start : start + count] = smaller[:, :count]
        found[-1, start : start + count] = highest
        start += count
    found.flags.writeable = False
    return found


def blocks(size: int) -> Iterator[Cards]:
    """All hands, six cards included, in pieces of at most some megabytes."""
    if size < 6:
        yield hands(size)
        return
    smaller = hands(size - 1)
    for highest in range(size - 1, 52):
        count = comb(highest, size - 1)
        block = np.empty((size, count), np.uint8)
        block[:-1] = smaller[:, :count]
        block[-1] = highest
        yield block


@cache
def _binomials(size: int) -> tuple[Ints, ...]:
    return tuple(
        np.array([comb(card, n) for card in range(52)], np.int64) for n in range(1, size + 1)
    )


def number(cards: Cards) -> Ints:
    """The index in ``hands`` of each hand; its cards must ascend."""
    total = np.zeros(cards.shape[1:], np.int64)
    for column, binomial in zip(cards, _binomials(len(cards)), strict=True):
        total += binomial[column]
    return total


def join(left: Cards, right: Cards) -> Cards:
    """Every hand of ``left`` together with every hand of ``right``, overlapping or not."""
    (m, a), (n, b) = left.shape, right.shape
    both = np.empty((m + n, a, b), np.uint8)
    both[:m] = left[:, :, None]
    both[m:] = right[:, None, :]
    return both.reshape(m + n, a * b)


_CODE = np.array(CARD_CODE, np.int32)

#: Every strength that five cards can have, ascending.
FIVE_STRENGTHS = np.unique(np.array([*filter(None, MIXED), *SUITED.values()], np.int32))


def _by_code(strengths: Mapping[int, int]) -> Places:
    """The places of hands by the sum of their rank codes.

    Long enough for any five cards, five aces included: some counts add the card of one hand
    to another and only afterwards leave out the hands that cannot be.
    """
    table = np.zeros(5 * max(CARD_CODE) + 1, np.int16)
    table[list(strengths)] = np.searchsorted(FIVE_STRENGTHS, list(strengths.values()))
    return table


_MIXED, _SUITED = _by_code(dict(enumerate(MIXED))), _by_code(SUITED)


def _five_chunk(cards: Cards) -> Places:
    a, b, c, d, e = cards
    code = _CODE.take(a)
    for other in (b, c, d, e):
        code += _CODE.take(other)
    # The two low bits of a card are its suit: any difference there, and it is no flush.
    differ = ((a ^ b) | (a ^ c) | (a ^ d) | (a ^ e)) & 3
    found: Places = _MIXED.take(code)
    flush = np.flatnonzero(differ == 0)
    found[flush] = _SUITED.take(code[flush])
    return found


def _in_chunks(evaluate: Callable[[Cards], Places], cards: Cards) -> Places:
    found = np.empty(cards.shape[1], np.int16)
    for start in range(0, len(found), _CHUNK):
        part = slice(start, start + _CHUNK)
        found[part] = evaluate(cards[:, part])
    return found


def five_places(cards: Cards) -> Places:
    """The place of each five-card hand among ``FIVE_STRENGTHS``."""
    return _in_chunks(_five_chunk, cards)


def five(cards: Cards) -> NDArray[np.int32]:
    """The strength of each five-card hand."""
    return FIVE_STRENGTHS[five_places(cards)]


#: Four bits for each suit, to count the cards of all four at once; five or more of a suit
#: carry into its highest bit when three is added to each.
_TALLY = np.array([1 << 4 * (card & 3) for card in range(52)], np.int32)
_THREE_EACH, _FIVE_OF_ONE = 0x3333, 0x8888


def _five_of_six_chunk(cards: Cards) -> Places:
    codes = [_CODE.take(column) for column in cards]
    total = np.sum(codes, axis=0, dtype=np.int32)
    best: Places = _MIXED.take(total - codes[0])
    for left_out in codes[1:]:
        np.maximum(best, _MIXED.take(total - left_out), out=best)
    tally = np.sum([_TALLY.take(column) for column in cards], axis=0, dtype=np.int32)
    # Where a suit has five cards the suits matter: a hand in fifty.
    suited = np.flatnonzero((tally + _THREE_EACH) & _FIVE_OF_ONE)
    few = cards[:, suited]
    for some in combinations(range(6), 5):
        best[suited] = np.maximum(best[suited], _five_chunk(few[list(some)]))
    return best


def best_five_of_six_places(cards: Cards) -> Places:
    """The place of the best five of each six cards among ``FIVE_STRENGTHS``."""
    return _in_chunks(_five_of_six_chunk, cards)


def _pairs() -> NDArray[np.int32]:
    pairs = np.zeros((52, 52), np.int32)
    low, high = hands(2)
    pairs[low, high] = pairs[high, low] = np.arange(comb(52, 2))
    return pairs.ravel()


_PAIR = _pairs()
_PAIRS = comb(52, 2)
_HALVES = list(combinations(range(4), 2))


@dataclass(frozen=True, slots=True)
class Fours:
    """Four-card hands under one order.

    Looked up by two pairs of cards, which needs no sorting: the table has an entry for every
    way to halve the hand.
    """

    strengths: NDArray[np.int32]
    table: Places

    @classmethod
    def of(cls, strength: Callable[[tuple[int, ...]], int]) -> Fours:
        """From an evaluator of four cards, asked once for every hand."""
        every = hands(4)
        found = np.array([strength(hand) for hand in zip(*every.tolist(), strict=True)], np.int32)
        strengths, places = np.unique(found, return_inverse=True)
        table = np.zeros(_PAIRS * _PAIRS, np.int16)
        for one in _HALVES:
            other = [n for n in range(4) if n not in one]
            a, b = (_pair(every[i], every[j]) for i, j in (one, other))
            table[a * _PAIRS + b] = places
        return cls(strengths, table)

    def best_places(self, cards: Cards) -> Places:
        """The place of the best four of each hand's four cards or more."""
        return _in_chunks(self._chunk, cards)

    def _chunk(self, cards: Cards) -> Places:
        pair = {(i, j): _pair(cards[i], cards[j]) for i, j in combinations(range(len(cards)), 2)}
        best = np.zeros(cards.shape[1], np.int16)
        for a, b, c, d in combinations(range(len(cards)), 4):
            np.maximum(best, self.table.take(pair[a, b] * _PAIRS + pair[c, d]), out=best)
        return best


def _pair(one: Cards, other: Cards) -> NDArray[np.int32]:
    return _PAIR.take(one * np.int32(52) + other)


@cache
def fours() -> Fours:
    """Four-card hands in the order of Four Card Prime."""
    return Fours.of(four)
