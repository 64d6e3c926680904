"""Many hands at once are the same hands, with the same strengths, as one at a time."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest

from controller.rules.odds.bulk import (
    FIVE_STRENGTHS,
    Cards,
    Fours,
    best_five_of_six_places,
    blocks,
    five,
    fours,
    hands,
    join,
    number,
)
from controller.rules.odds.shuffle import deals
from controller.rules.rankings.aces import aces_4, relabel_4
from controller.rules.rankings.five import best_five
from controller.rules.rankings.five import five as one_five
from controller.rules.rankings.four import best_four, four


def rows(cards: Cards) -> list[tuple[int, ...]]:
    return list(zip(*cards.tolist(), strict=True))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_hand_once(size: int) -> None:
    found = rows(hands(size))
    assert sorted(found) == list(combinations(range(52), size))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5])
def test_number_is_the_index(size: int) -> None:
    assert hands(size).shape == (size, comb(52, size))
    assert np.array_equal(number(hands(size)), np.arange(comb(52, size)))


def test_six_cards_in_blocks() -> None:
    start = 0
    for block in blocks(6):
        assert (block[:-1] < block[1:]).all()
        assert np.array_equal(number(block), np.arange(start, start + block.shape[1]))
        start += block.shape[1]
    assert start == comb(52, 6)


def test_join_pairs_every_hand_with_every_other() -> None:
    left, right = hands(2)[:, :3], hands(1)[:, :2]
    expected = [a + b for a in rows(left) for b in rows(right)]
    assert rows(join(left, right)) == expected


def test_five_cards_in_any_order() -> None:
    sample = hands(5)[:, ::97]
    expected = [one_five(hand) for hand in rows(sample)]
    for order in list(permutations(range(5)))[::40]:
        assert five(sample[list(order)]).tolist() == expected


def test_every_flush() -> None:
    every = hands(5)
    flushes = every[:, ((every ^ every[0]) & 3 == 0).all(axis=0)]
    assert flushes.shape[1] == 4 * comb(13, 5)
    assert five(flushes).tolist() == [one_five(hand) for hand in rows(flushes)]


def test_strengths_are_all_that_occur() -> None:
    assert np.array_equal(np.unique(five(hands(5))), FIVE_STRENGTHS)
    assert len(FIVE_STRENGTHS) == 7462


def test_best_five_of_six() -> None:
    dealt = deals(seed=6, start=0, count=8000, cards=6)
    of_a_suit = hands(5)[:, :: comb(52, 5) // 999] >> 2 << 2 | 2
    dull = np.full((1, of_a_suit.shape[1]), 51, np.uint8)
    distinct = (of_a_suit[:-1] != of_a_suit[1:]).all(axis=0)
    suited = np.concatenate([dull, of_a_suit])[:, distinct]
    assert suited.shape[1] > 300
    for cards in (dealt, suited):
        found = FIVE_STRENGTHS[best_five_of_six_places(cards)]
        assert found.tolist() == [best_five(hand) for hand in rows(cards)]


@pytest.mark.parametrize("size", [4, 5, 6])
def test_best_four(size: int) -> None:
    cards = deals(seed=size, start=0, count=5000, cards=size)
    found = fours().strengths[fours().best_places(cards)]
    assert found.tolist() == [best_four(hand) for hand in rows(cards)]


def test_best_four_in_the_order_of_the_aces_bonus() -> None:
    order = Fours.of(lambda hand: relabel_4(four(hand)))
    cards = deals(seed=9, start=0, count=10_000, cards=5)
    found = order.strengths[order.best_places(cards)]
    assert found.tolist() == [aces_4(hand) for hand in rows(cards)]
