"""Repeatable deals for the one figure that is sampled and not counted.

``controller.rules`` has no randomness, and needs none here: SplitMix64, a published mixing of
a counter, turns the number of a deal into cards, so that the same seed gives the same sample
on every machine. It is a means to sample odds and nothing else; no card of a real round ever
comes from it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from controller.rules.odds.bulk import Cards

_GAMMA = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1


def splitmix64(seed: int, start: int, count: int) -> NDArray[np.uint64]:
    """Outputs number ``start`` to ``start + count - 1`` of the generator with this seed."""
    first = np.uint64((seed + (start + 1) * _GAMMA) & _WORD)
    state = first + np.arange(count, dtype=np.uint64) * np.uint64(_GAMMA)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(state ^ (state >> np.uint64(31)), np.uint64)


def deals(seed: int, start: int, count: int, cards: int) -> Cards:
    """Deals number ``start`` onwards, each of ``cards`` cards from a full deck; a column a deal.

    Very rarely one fewer than asked for, see ``dealt``.
    """
    words = (cards + 1) // 2
    found = splitmix64(seed, start * words, count * words).reshape(count, words).T
    halves = np.concatenate([found >> np.uint64(32), found & np.uint64(0xFFFFFFFF)])
    return dealt(halves[:cards])


def dealt(draws: NDArray[np.uint64]) -> Cards:
    """The deals that draws of 32 bits make: the n-th draw chooses among the 52 - n cards left.

    2**32 does not divide evenly by the number of cards left. A draw that falls into the
    remainder would favour some cards, so the deal that it belongs to is left out.
    """
    count = draws.shape[1]
    deck = np.repeat(np.arange(52, dtype=np.uint8)[:, None], count, axis=1)
    column = np.arange(count)
    fair = np.ones(count, np.bool_)
    for at, draw in enumerate(draws):
        left = 52 - at
        scaled = draw * np.uint64(left)
        fair &= (scaled & np.uint64(0xFFFFFFFF)) >= np.uint64((1 << 32) % left)
        chosen = at + (scaled >> np.uint64(32)).astype(np.intp)
        taken = deck[chosen, column]
        deck[chosen, column] = deck[at]
        deck[at] = taken
    return deck[: len(draws), fair]
