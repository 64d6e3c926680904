"""Hands counted as one are those that a renaming of suits makes equal, and no others."""

from __future__ import annotations

from itertools import permutations
from math import comb

import numpy as np
import pytest

from controller.rules.odds.bulk import five_places, hands, number
from controller.rules.odds.holding import below
from controller.rules.odds.suits import bits, classes, form, over_next


@pytest.mark.parametrize(
    ("size", "count"), [(0, 1), (1, 13), (2, 169), (3, 1755), (4, 16_432), (5, 134_459)]
)
def test_classes(size: int, count: int) -> None:
    found = classes(size)
    assert len(found) == count
    assert int(found.weight.sum()) == comb(52, size)
    assert np.array_equal(found.of(bits(found.cards)), np.arange(count))


def test_renamed_suits_make_no_difference_and_nothing_else_makes_none() -> None:
    sample = hands(3)[:, ::31]
    renamed = [
        [sum(1 << number_of(card, names) for card in hand) for hand in sample.T.tolist()]
        for names in permutations(range(4))
    ]
    lowest = np.array(renamed).min(axis=0)
    forms = form(bits(sample))
    _, one = np.unique(lowest, return_inverse=True)
    _, other = np.unique(forms, return_inverse=True)
    # The same partition: each label of one goes with one label of the other.
    assert len(set(zip(one.tolist(), other.tolist(), strict=True))) == one.max() + 1
    assert one.max() == other.max()


def number_of(card: int, names: tuple[int, ...]) -> int:
    return card >> 2 << 2 | names[card & 3]


def test_over_next_adds_up_every_card_that_may_come() -> None:
    values = np.arange(len(classes(3))) ** 2
    found = over_next(2, values)
    for kind in range(0, 169, 7):
        held = classes(2).cards[:, kind].tolist()
        expected = 0
        for card in range(52):
            if card not in held:
                three = np.array(sorted([*held, card]), np.uint8)[:, None]
                expected += int(values[classes(3).of(bits(three))[0]])
        assert found[kind] == expected


@pytest.mark.parametrize("held", [2, 3, 4])
def test_below_counts_the_hands_that_hold_a_set(held: int) -> None:
    places = five_places(hands(5))
    every = bits(hands(5))
    table = below(held, 5, five_places, 7462)
    assert (table[7462] == comb(52 - held, 5 - held)).all()
    sets = classes(held)
    for kind in range(0, len(sets), len(sets) // 12):
        one = bits(sets.cards[:, kind : kind + 1])
        held_by = places[(every & one) == one]
        assert len(held_by) == comb(52 - held, 5 - held)
        for limit in (0, 1, 900, 1276, 1277, 3000, 4138, 5000, 6185, 7461, 7462):
            assert table[limit, kind] == (held_by < limit).sum()


def test_number_does_not_overflow() -> None:
    assert number(hands(5)[:, -1:]).tolist() == [comb(52, 5) - 1]
