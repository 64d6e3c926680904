"""Every hand there is, against evaluators that share nothing with felt's.

Five cards: eval7, written by other people for another purpose. Four, three and two cards: the
definitions of the regulations once more, in another style. Here a hand is counted rank by rank
with numpy and its ranks become sets of bits, one set for each number of times that a rank may
appear. Of two sets of equal size the one with the higher number has the highest rank that the
other lacks, which is how the regulations break ties.

Two evaluators agree if sorting by one sorts by the other, with ties in the same places.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from controller.rules.cards import DECK, card, name
from controller.rules.rankings import ACES_4, ACES_5, FIVE, FOUR, THREE, TWO, Ranking
from controller.rules.rankings.five import best_five, five
from controller.rules.rankings.four import best_four, four
from controller.rules.rankings.three import three
from controller.rules.rankings.two import two

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it calls pyparsing by names that are going away
    import eval7

Numbers = NDArray[np.int64]

EVAL7 = tuple(eval7.Card(name(one)) for one in DECK)


def numbers(found: Iterable[int], count: int = -1) -> Numbers:
    return np.fromiter(found, dtype=np.int64, count=count)


def strengths(evaluate: Callable[[Sequence[int]], int], size: int) -> Numbers:
    """What felt says of all hands of a size, one hand a call."""
    return numbers(map(evaluate, combinations(DECK, size)), comb(52, size))


def all_hands(size: int) -> Numbers:
    flat = (one for hand in combinations(DECK, size) for one in hand)
    return numbers(flat, size * comb(52, size)).reshape(-1, size)


def some_hands(size: int, count: int) -> list[list[int]]:
    dealer = random.Random(20_240_607)
    return [dealer.sample(DECK, size) for _ in range(count)]


def agree(ours: Numbers, theirs: Numbers) -> bool:
    """Whether two evaluators put the hands in the same order and see the same ties."""
    order = np.argsort(theirs, kind="stable")
    up, same = np.diff(ours[order]), np.diff(theirs[order]) == 0
    return bool(np.all(up >= 0) and np.array_equal(up == 0, same))


def counted(ranking: Ranking, found: Numbers, lines: Iterable[str]) -> dict[str, int]:
    """How many hands fall into each line."""
    spans = {line: ranking.spans[line] for line in lines}
    return {
        line: int(np.count_nonzero((span.low <= found) & (found <= span.high)))
        for line, span in spans.items()
    }


# The other evaluator.

LOW_ACE, BITS = 0, 14  # the places of a set: an ace that counts low, then the two up to the ace


def judge(hands: Numbers, order: Sequence[str]) -> Numbers:
    """Hands of three or four cards, one a row, as numbers that are higher for the better hand.

    ``order`` lists the kinds from the lowest.
    """
    size = hands.shape[1]
    times = (hands[:, :, None] >> 2 == np.arange(13)).sum(axis=1)
    one_suit = (hands & 3 == hands[:, :1] & 3).all(axis=1)
    sets = {n: (times == n) @ (2 << np.arange(13)) for n in (1, 2, 3, 4)}

    window = (1 << size) - 1
    ace_low = sets[1] == (window >> 1 << 1 | 1 << BITS - 1)
    in_a_row = ace_low | np.isin(
        sets[1], [window << lowest for lowest in range(1, BITS - size + 1)]
    )
    sets[1] = np.where(ace_low, window << LOW_ACE, sets[1])

    groups = {n: (times == n).sum(axis=1) for n in (2, 3, 4)}
    kinds = {
        "straight flush": in_a_row & one_suit,
        "flush": one_suit,
        "straight": in_a_row,
        "four-of-a-kind": groups[4] == 1,
        "three-of-a-kind": groups[3] == 1,
        "two pair": groups[2] == 2,
        "pair": groups[2] == 1,
    }
    kind = np.select(list(kinds.values()), [order.index(k) if k in order else -1 for k in kinds], 0)
    assert (kind >= 0).all()
    for n in (4, 3, 2, 1):
        kind = kind << BITS | sets[n]
    return kind


FOUR_CARDS = [
    "high card",
    "pair",
    "two pair",
    "straight",
    "flush",
    "three-of-a-kind",
    "straight flush",
    "four-of-a-kind",
]
THREE_CARDS = ["high card", "pair", "flush", "straight", "three-of-a-kind", "straight flush"]


# Five cards.


@pytest.fixture(scope="module")
def every_five() -> Numbers:
    return strengths(five, 5)


@pytest.fixture(scope="module")
def every_five_by_eval7() -> Numbers:
    """The higher the better, as eval7 says of its values."""
    return numbers(map(eval7.evaluate, combinations(EVAL7, 5)), comb(52, 5))


@pytest.mark.rule(
    "PA-639a.6(b)",
    "PA-639a.6(c)",
    "PA-683a.6(b)",
    "S10.(a)(1)(ix)",
    "S10.(e)(2)",
    "S10.(e)(3)",
    "MA.1[Rank]",
    "MA.5(b)",
    "MA.5(c)",
)
def test_every_five_card_hand_stands_where_eval7_puts_it(
    every_five: Numbers, every_five_by_eval7: Numbers
) -> None:
    assert len(every_five) == 2_598_960
    assert agree(every_five, every_five_by_eval7)


def test_five_card_hands_are_of_as_many_strengths_as_there_must_be(every_five: Numbers) -> None:
    runs_and_fours = 2 * 10 + 2 * 13 * 12  # in one suit or not; four of a kind and full houses
    threes_and_pairs = 13 * comb(12, 2) + comb(13, 2) * 11 + 13 * comb(12, 3)
    the_rest = 2 * (comb(13, 5) - 10)
    assert len(np.unique(every_five)) == runs_and_fours + threes_and_pairs + the_rest


def test_an_order_that_differs_in_one_hand_would_be_noticed(
    every_five: Numbers, every_five_by_eval7: Numbers
) -> None:
    for at, change in ((0, 1), (1_000_000, -1), (2_598_959, 1)):
        wrong = every_five.copy()
        wrong[at] += change
        assert not agree(wrong, every_five_by_eval7)
        assert not agree(every_five_by_eval7, wrong)
    assert not agree(-every_five, every_five_by_eval7)


def test_five_card_hands_are_as_many_of_each_kind_as_there_must_be(every_five: Numbers) -> None:
    runs, suits = 10, 4
    rank_sets, suitings = comb(13, 5) - runs, 4**5 - suits
    kinds = {
        "straight flush": runs * suits,
        "four-of-a-kind": 13 * 48,
        "full house": 13 * comb(4, 3) * 12 * comb(4, 2),
        "flush": rank_sets * suits,
        "straight": runs * suitings,
        "three-of-a-kind": 13 * comb(4, 3) * comb(12, 2) * 4**2,
        "two pair": comb(13, 2) * comb(4, 2) ** 2 * 11 * 4,
        "pair": 13 * comb(4, 2) * comb(12, 3) * 4**3,
        "high card": rank_sets * suitings,
    }
    assert sum(kinds.values()) == comb(52, 5)
    parts_of_kinds = {
        "royal flush": suits,
        # Ace and king with three of the other eleven ranks, but not with queen, jack and ten.
        "ace-king": (comb(11, 3) - 1) * suitings,
        "pair of jacks or better": 4 * comb(4, 2) * comb(12, 3) * 4**3,
        "pair of 6s to 10s": 5 * comb(4, 2) * comb(12, 3) * 4**3,
    }
    there_must_be = kinds | parts_of_kinds
    assert counted(FIVE, every_five, there_must_be) == there_must_be


@pytest.mark.rule("PA-669a.6(b)")
def test_six_cards_are_worth_what_eval7_finds_in_them(
    every_five: Numbers, every_five_by_eval7: Numbers
) -> None:
    values, first = np.unique(every_five_by_eval7, return_index=True)
    hands = some_hands(6, 100_000)
    theirs = numbers(eval7.evaluate([EVAL7[one] for one in hand]) for hand in hands)
    expected = every_five[first][np.searchsorted(values, theirs)]
    assert np.isin(theirs, values).all()
    assert np.array_equal(numbers(map(best_five, hands)), expected)


# Four cards.


@pytest.fixture(scope="module")
def every_four() -> Numbers:
    return strengths(four, 4)


@pytest.mark.rule("PA-682a.6(a)", "PA-682a.6(b)", "PA-682a.6(c)")
def test_every_four_card_hand_stands_where_the_definitions_put_it(every_four: Numbers) -> None:
    assert len(every_four) == 270_725
    assert agree(every_four, judge(all_hands(4), FOUR_CARDS))


def test_four_card_hands_are_as_many_of_each_kind_as_there_must_be(every_four: Numbers) -> None:
    runs, suits = 11, 4
    rank_sets, suitings = comb(13, 4) - runs, 4**4 - suits
    there_must_be = {
        "four-of-a-kind": 13,
        "straight flush": runs * suits,
        "three-of-a-kind": 13 * comb(4, 3) * 48,
        "flush": rank_sets * suits,
        "straight": runs * suitings,
        "two pair": comb(13, 2) * comb(4, 2) ** 2,
        "pair": 13 * comb(4, 2) * comb(12, 2) * 4**2,
        "high card": rank_sets * suitings,
    }
    assert counted(FOUR, every_four, FOUR.categories) == there_must_be
    assert sum(there_must_be.values()) == comb(52, 4)


@pytest.mark.rule("PA-682a.6(b)", "PA-682a.6(c)")
@pytest.mark.parametrize(("size", "subsets"), [(5, 5), (6, 15)])
def test_the_best_four_are_the_best_by_the_definitions(size: int, subsets: int) -> None:
    hands = some_hands(size, 20_000)
    fours = np.array(hands)[:, list(combinations(range(size), 4))]
    assert fours.shape == (20_000, subsets, 4)
    theirs = judge(fours.reshape(-1, 4), FOUR_CARDS).reshape(-1, subsets).max(axis=1)
    assert agree(numbers(map(best_four, hands)), theirs)


# The Aces Bonus, over five cards and over four of them.

LISTED = [
    "four aces",
    "four-of-a-kind",
    "royal flush",
    "straight flush",
    "three aces",
    "three-of-a-kind",
    "flush",
    "straight",
    "two pair",
    "two aces",
    "nothing",
]


def as_printed(hand: Sequence[str]) -> str:
    """What all of some cards make in the Aces Bonus, by what is printed on them."""
    times = Counter(one[0] for one in hand)
    in_order = "".join(rank for rank in "23456789TJQKA" if rank in times)
    row = in_order in "23456789TJQKA" or in_order in ("234A", "2345A")
    found = {
        "four aces": times["A"] == 4,
        "four-of-a-kind": 4 in times.values(),
        "three aces": times["A"] == 3,
        "three-of-a-kind": 3 in times.values(),
        "two pair": list(times.values()).count(2) == 2,
        "two aces": times["A"] == 2,
    }
    if len(times) == len(hand):
        suited = len({one[1] for one in hand}) == 1
        found["straight flush"], found["flush"], found["straight"] = row and suited, suited, row
        found["royal flush"] = found["straight flush"] and "K" in times and "A" in times
    return next((kind for kind in LISTED if found.get(kind)), "nothing")


@pytest.mark.rule("PA-682a.6(d)")
@pytest.mark.parametrize(("ranking", "counting"), [(ACES_4, 4), (ACES_5, 5)], ids=["4", "5"])
def test_the_aces_bonus_is_what_is_printed_on_the_cards(ranking: Ranking, counting: int) -> None:
    dealer = random.Random(682)
    everything = [name(one) for one in DECK]
    one_and_a_bit = [text for text in everything if text[1] == "h" or text in ("Ac", "Ad", "Kc")]
    high = [text for text in everything if text[0] in "TJQKA"]
    met = set()
    for deck in (everything, one_and_a_bit, high):
        for _ in range(8_000):
            hand = dealer.sample(deck, 5)
            kind = min(map(as_printed, combinations(hand, counting)), key=LISTED.index)
            assert ranking.called(ranking.strength([card(text) for text in hand])) == kind, hand
            met.add(kind)
    assert met == set(LISTED)


# Three cards and two.


@pytest.mark.rule("PA-669a.6(c)", "PA-683a.6(d)")
def test_every_three_card_hand_stands_where_the_definitions_put_it() -> None:
    ours = strengths(three, 3)
    assert len(ours) == 22_100
    assert agree(ours, judge(all_hands(3), THREE_CARDS))


def test_three_card_hands_are_as_many_of_each_kind_as_there_must_be() -> None:
    runs, suits = 12, 4
    rank_sets, suitings = comb(13, 3) - runs, 4**3 - suits
    there_must_be = {
        "mini-royal": suits,
        "straight flush": runs * suits,
        "three-of-a-kind": 13 * comb(4, 3),
        "straight": runs * suitings,
        "flush": rank_sets * suits,
        "pair": 13 * comb(4, 2) * 48,
        "high card": rank_sets * suitings,
    }
    assert counted(THREE, strengths(three, 3), THREE.categories) == there_must_be
    assert sum(there_must_be.values()) - suits == comb(52, 3)


def pocket(one: str, other: str) -> str:
    """Two cards by what is printed on them."""
    ranks = {one[0], other[0]}
    if ranks == {"A"}:
        return "pair of aces"
    if len(ranks) == 1:
        return "pair"
    if ranks in ({"A", "K"}, {"A", "Q"}, {"A", "J"}):
        return "suited ace" if one[1] == other[1] else "unsuited ace"
    return "nothing"


@pytest.mark.rule("PA-683a.6(c)")
def test_every_two_card_hand_is_what_is_printed_on_it() -> None:
    ours = strengths(two, 2)
    assert len(ours) == 1_326
    kinds = [pocket(name(a), name(b)) for a, b in combinations(DECK, 2)]
    assert [TWO.called(int(strength)) for strength in ours] == kinds
    order = ["nothing", "pair", "unsuited ace", "suited ace", "pair of aces"]
    ranks = ["23456789TJQKA".index(name(one)[0]) for one in DECK]
    theirs = [
        (order.index(kind), max(ranks[a], ranks[b]), min(ranks[a], ranks[b]))
        for kind, (a, b) in zip(kinds, combinations(DECK, 2), strict=True)
    ]
    place = {key: n for n, key in enumerate(sorted(set(theirs)))}
    assert agree(ours, numbers(place[key] for key in theirs))


def test_two_card_hands_are_as_many_of_each_kind_as_there_must_be() -> None:
    there_must_be = {
        "pair of aces": comb(4, 2),
        "suited ace": 3 * 4,
        "unsuited ace": 3 * 4 * 3,
        "pair": 12 * comb(4, 2),
    }
    there_must_be["nothing"] = comb(52, 2) - sum(there_must_be.values())
    assert counted(TWO, strengths(two, 2), TWO.categories) == there_must_be
