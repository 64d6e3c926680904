"""The Prime wager: how many of five cards share a colour."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.cards import DECK, cards
from controller.rules.rankings import COLOURS
from controller.rules.rankings.colours import colours

hands_of_five = st.lists(st.sampled_from(DECK), min_size=5, max_size=5, unique=True)


@pytest.mark.parametrize(
    ("hand", "is_called"),
    [
        ("2h 5d 9h Jd Kh", "five of one colour"),
        ("2c 5s 9c Js Kc", "five of one colour"),
        ("2h 5d 9h Jd Kc", "four of one colour"),
        ("2c 5s 9c Js Kd", "four of one colour"),
        ("2h 5d 9h Jc Ks", "mixed colours"),
        ("2c 5s 9c Jd Kh", "mixed colours"),
        ("2h 3h 4h 5h 6h", "five of one colour"),
    ],
)
def test_five_cards_are(hand: str, is_called: str) -> None:
    assert COLOURS.called(COLOURS.strength(cards(hand))) == is_called


def test_whatever_the_suits_only_the_colours_count() -> None:
    by_reds = ["five", "four", "mixed", "mixed", "four", "five"]
    for suits in product("cdhs", repeat=5):
        hand = cards(" ".join(rank + suit for rank, suit in zip("359JK", suits, strict=True)))
        kind = by_reds[sum(suit in "dh" for suit in suits)]
        assert COLOURS.called(colours(hand)).split()[0] == kind


def test_five_beat_four_and_four_beat_mixed() -> None:
    five, four, mixed = cards("2h 5d 9h Jd Kh"), cards("2h 5d 9h Jd Kc"), cards("2h 5d 9h Jc Ks")
    assert colours(five) > colours(four) > colours(mixed)


@given(hands_of_five, st.permutations(range(5)))
def test_neither_order_nor_rank_counts(hand: list[int], order: list[int]) -> None:
    assert colours([hand[at] for at in order]) == colours(hand)
    assert colours([card & 3 for card in hand]) == colours(hand)


@given(hands_of_five)
def test_red_and_black_count_alike(hand: list[int]) -> None:
    assert colours([card ^ 1 for card in hand]) == colours(hand)
