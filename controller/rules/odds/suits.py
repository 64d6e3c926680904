"""Hands that differ only in which suit is which, counted as one.

No main game looks at a particular suit, so of 2,598,960 five-card hands only 134,459 play
differently. A hand is written as one bit a card, thirteen bits a suit; sorting the four
suits' bits gives the form that all hands of a class share.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from controller.rules.odds.bulk import Cards, Ints, hands, join

Bits = NDArray[np.int64]

_BIT = np.array([1 << (13 * (card & 3) + (card >> 2)) for card in range(52)], np.int64)
_SUIT = (1 << 13) - 1


def bits(cards: Cards) -> Bits:
    """Each hand as 52 bits."""
    total = np.zeros(cards.shape[1:], np.int64)
    for column in cards:
        total |= _BIT[column]
    return total


def form(some: Bits) -> Bits:
    """The form that a hand shares with all hands of its class."""
    suits = np.stack([(some >> shift) & _SUIT for shift in (0, 13, 26, 39)])
    suits.sort(axis=0)
    a, b, c, d = suits
    return np.asarray(a | b << 13 | c << 26 | d << 39, np.int64)


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of all hands of one size, in the order of their forms."""

    forms: Bits
    #: One hand of each class.
    cards: Cards
    #: How many hands each class has.
    weight: Ints

    def __len__(self) -> int:
        return len(self.forms)

    def of(self, some: Bits) -> NDArray[np.int32]:
        """The class of each hand, given as bits; what is no hand of this size gets any class."""
        found = np.searchsorted(self.forms, form(some))
        return np.minimum(found, len(self) - 1).astype(np.int32)

    def with_next(self, chunk: int = 4096) -> Iterator[tuple[slice, Cards, NDArray[np.bool_]]]:
        """Each class's hand with each of the 52 cards added, some classes at a time.

        Also which of those hands are real: not where the card is in the hand already.
        """
        for start in range(0, len(self), chunk):
            part = slice(start, min(start + chunk, len(self)))
            held = self.cards[:, part]
            real = (held[:, :, None] != np.arange(52, dtype=np.uint8)).all(axis=0)
            yield part, join(held, hands(1)), real


@cache
def classes(size: int) -> Classes:
    """The classes of all hands of up to five cards."""
    every = hands(size)
    forms, first, weight = np.unique(form(bits(every)), return_index=True, return_counts=True)
    return Classes(forms, every[:, first], weight.astype(np.int64))


@cache
def _following(size: int) -> NDArray[np.int32]:
    """The class that each class becomes with each card; one past the last where it cannot."""
    before, after = classes(size), classes(size + 1)
    found = np.empty((len(before), 52), np.int32)
    for part, cards, real in before.with_next():
        found[part] = np.where(real, after.of(bits(cards)).reshape(real.shape), len(after))
    return found


def over_next(size: int, values: Ints) -> Ints:
    """For each class of ``size`` cards, the sum of the values of what the next card makes of it."""
    return np.asarray(np.append(values, 0)[_following(size)].sum(axis=1), np.int64)
