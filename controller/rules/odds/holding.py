"""How many hands hold certain cards and stay below a strength.

The dealer cannot hold what the player holds. Instead of going through the dealer's hands for
every hand of the player, the odds count the hands that hold a set of cards, for every set up
to suits, and add and subtract over the subsets of the player's cards (inclusion and
exclusion): a hand without any of them is all hands, less those with each one, plus those
with each two, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from controller.rules.odds.bulk import Cards, Places, blocks, join
from controller.rules.odds.suits import bits, classes

#: Hands in one step, so that a step's arrays stay at some tens of megabytes.
_STEP = 1 << 20


def below(
    held: int, size: int, evaluate: Callable[[Cards], Places], places: int
) -> NDArray[np.unsignedinteger[Any]]:
    """``table[x, k]``: the hands of ``size`` cards that hold a set of ``held`` cards of
    class k and whose place is below x, for every x from 0 to ``places``.

    By strength first, because a player's hand asks about many sets at its one strength.
    """
    sets = classes(held)
    dtype = np.min_scalar_type(comb(52 - held, size - held))
    table = np.zeros((places + 1, len(sets)), dtype)
    for part, count in _histograms(held, size, evaluate, places):
        table[1:, part] = np.cumsum(count, axis=1, dtype=np.int64).T
    return table


def _histograms(
    held: int, size: int, evaluate: Callable[[Cards], Places], places: int
) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """For some classes at a time, how many of the hands have each place."""
    sets = classes(held)
    others = comb(52, size - held)
    # Few sets at a time where there are many hands to each, and no more than fit in memory.
    together = max(1, min(_STEP // others, _STEP * 4 // places))
    for start in range(0, len(sets), together):
        part = slice(start, min(start + together, len(sets)))
        some = sets.cards[:, part]
        count = np.zeros(some.shape[1] * places, np.int64)
        for block in blocks(size - held):
            for at in range(0, block.shape[1], _STEP):
                rest = block[:, at : at + _STEP]
                real = (bits(some)[:, None] & bits(rest)) == 0
                place = evaluate(join(some, rest)).reshape(real.shape)
                key = place + np.arange(some.shape[1], dtype=np.int64)[:, None] * places
                count += np.bincount(key[real], minlength=len(count))
        yield part, count.reshape(-1, places)
