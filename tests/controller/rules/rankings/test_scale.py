"""The scale that strengths are on, and the codes that find a strength without sorting."""

from __future__ import annotations

from itertools import chain, combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.cards import ACE, FIVE, FOUR, KING, QUEEN, TWO, cards
from controller.rules.rankings import RANKINGS, Ranking
from controller.rules.rankings.scale import (
    CARD_CODE,
    HIGHEST_CODE,
    RANK_CODE,
    Span,
    category_spans,
    led_by,
    lookup,
    pack,
    pair_spans,
    run_of,
    shape,
    whole,
)

every_ranking = pytest.mark.parametrize("ranking", RANKINGS.values(), ids=RANKINGS)


# The codes.


def test_the_codes_are_the_smallest_that_keep_all_sums_apart() -> None:
    """The search again: for each rank the smallest code that never makes two hands equal.

    ``sums[n]`` are the sums of exactly ``n`` cards above the two; twos add nothing, so the sums
    of up to five such cards must all differ. A new code is used once to four times in a hand,
    and any two hands that use it differently often must not meet.
    """
    sums = [np.array([0]), *[np.array([], dtype=np.int64)] * 5]
    found = [0]
    for _ in range(12):
        taken = np.zeros(100_000, dtype=bool)
        for fewer, more in combinations(range(5), 2):
            fewer_times = np.concatenate(sums[: 6 - fewer])
            more_times = np.concatenate(sums[: 6 - more])
            gaps = np.subtract.outer(fewer_times, more_times)
            times, rest = np.divmod(gaps, more - fewer)
            taken[times[(rest == 0) & (times > 0) & (times < len(taken))]] = True
        code = found[-1] + 1 + int(np.argmin(taken[found[-1] + 1 :]))
        found.append(code)
        sums = [
            np.concatenate([sums[n - used] + used * code for used in range(min(n, 4) + 1)])
            for n in range(6)
        ]
    assert tuple(found) == RANK_CODE


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_no_two_hands_of_different_ranks_have_the_same_sum(size: int) -> None:
    hands = [
        ranks
        for ranks in combinations_with_replacement(range(13), size)
        if max(map(ranks.count, ranks)) <= 4
    ]
    sums = [sum(RANK_CODE[rank] for rank in ranks) for ranks in hands]
    assert len(set(sums)) == len(hands)
    assert max(sums) <= HIGHEST_CODE


def test_the_highest_sum_is_four_aces_and_a_king() -> None:
    assert sum(CARD_CODE[card] for card in cards("Ac Ad Ah As Kc")) == HIGHEST_CODE


def test_cards_of_one_rank_share_a_code() -> None:
    assert [CARD_CODE[card] for card in cards("2c 2s 9d Ah")] == [
        RANK_CODE[0],
        RANK_CODE[0],
        RANK_CODE[7],
        RANK_CODE[12],
    ]


# Strengths.


digits = st.lists(st.integers(0, 12), min_size=5, max_size=5)


@given(
    st.tuples(st.integers(0, 10), digits),
    st.tuples(st.integers(0, 10), digits),
)
def test_strengths_compare_as_their_kind_and_then_their_ranks(
    one: tuple[int, list[int]], other: tuple[int, list[int]]
) -> None:
    assert (pack(*one) < pack(*other)) is (one < other)
    assert (pack(*one) == pack(*other)) is (one == other)


@given(st.integers(0, 10), digits)
def test_the_whole_of_a_kind_is_all_its_strengths_and_no_others(kind: int, ties: list[int]) -> None:
    low, high = whole(kind)
    assert low <= pack(kind, ties) <= high
    assert whole(kind + 1).low == high + 1


@given(st.integers(0, 12), st.integers(0, 12), digits)
def test_a_span_led_by_some_ranks_holds_exactly_those(low: int, high: int, ties: list[int]) -> None:
    span = led_by(3, low, high)
    assert (span.low <= pack(3, ties) <= span.high) is (low <= ties[0] <= high)


# What ranks make.


@pytest.mark.parametrize(
    ("hand", "top"),
    [
        ("Ac Kd Qh", "A"),
        ("3c 2d Ah", "3"),
        ("2c Ad Kh", None),
        ("9c 8d 6h", None),
        ("4c 3d 2h As", "4"),
        ("Ac Kd Qh Js", "A"),
        ("2c Ad Kh Qs", None),
        ("5c 4d 3h 2s Ac", "5"),
        ("6c 5d 4h 3s 2c", "6"),
        ("Tc Jd Ah Qs Kc", "A"),
        ("3c 2d Ah Ks Qc", None),
        ("6c 4d 3h 2s Ac", None),
    ],
)
def test_a_run_is_named_by_its_highest_card(hand: str, top: str | None) -> None:
    ranks = [card >> 2 for card in cards(hand)]
    assert run_of(ranks) == (None if top is None else "23456789TJQKA".index(top))


@pytest.mark.parametrize(
    ("ranks", "made"),
    [
        ((TWO, TWO, TWO, TWO, ACE), ("four-of-a-kind", [TWO, ACE])),
        ((TWO, TWO, TWO, ACE, ACE), ("full house", [TWO, ACE])),
        ((TWO, TWO, TWO, KING, ACE), ("three-of-a-kind", [TWO, ACE, KING])),
        ((TWO, TWO, FOUR, FOUR, ACE), ("two pair", [FOUR, TWO, ACE])),
        ((TWO, TWO, QUEEN, KING, ACE), ("pair", [TWO, ACE, KING, QUEEN])),
        ((TWO, TWO + 1, FOUR, FIVE, ACE), ("straight", [FIVE])),
        ((TWO, FOUR, QUEEN, KING, ACE), ("high card", [ACE, KING, QUEEN, FOUR, TWO])),
    ],
)
def test_repeated_ranks_come_first_and_then_the_higher(
    ranks: tuple[int, ...], made: tuple[str, list[int]]
) -> None:
    assert shape(ranks) == made


def test_a_table_holds_every_hand_of_its_size_and_flushes_of_different_ranks_only() -> None:
    order = ["high card", "pair", "three-of-a-kind", "straight", "flush", "straight flush"]
    mixed, suited = lookup(3, order)
    assert len(mixed) == 455  # thirteen ranks, three at a time, repeats allowed
    assert len(suited) == 286  # the same without repeats
    order += ["two pair", "full house", "four-of-a-kind"]
    assert len(lookup(5, order)[0]) == 6188 - 13  # no five of a rank


# Spans and names.


@every_ranking
def test_a_ranking_is_found_by_its_name(ranking: Ranking) -> None:
    assert RANKINGS[ranking.name] is ranking


@every_ranking
def test_every_kind_of_hand_has_a_span(ranking: Ranking) -> None:
    assert set(ranking.categories) <= set(ranking.spans)
    assert all(0 <= low <= high for low, high in ranking.spans.values())


@every_ranking
@given(data=st.data())
def test_every_hand_has_a_name(ranking: Ranking, data: st.DataObject) -> None:
    size = data.draw(st.integers(*ranking.takes))
    hand = data.draw(st.lists(st.integers(0, 51), min_size=size, max_size=size, unique=True))
    strength = ranking.strength(hand)
    low, high = ranking.spans[ranking.called(strength)]
    assert low <= strength <= high
    low, high = ranking.spans["any hand"]
    assert low <= strength <= high


@every_ranking
def test_a_strength_beyond_the_scale_has_no_name(ranking: Ranking) -> None:
    beyond = max(high for _, high in ranking.spans.values()) + 1
    with pytest.raises(ValueError, match=f"^{beyond} is not on the scale of {ranking.name}$"):
        ranking.called(beyond)


def test_kinds_take_up_the_scale_from_the_lowest_without_gaps() -> None:
    spans = category_spans(["nothing", "pair", "flush"])
    assert spans["nothing"].low == 0
    assert spans["pair"].low == spans["nothing"].high + 1
    assert spans["flush"].low == spans["pair"].high + 1
    assert spans["any hand"] == Span(0, spans["flush"].high)


def test_lines_about_pairs_are_named_as_paytables_print_them() -> None:
    spans = pair_spans(1)
    assert len(spans) == 13 + 13 * 12 // 2
    assert {
        "pair of 10s or better",
        "pair of jacks or better",
        "pair of 2s or better",
        "pair of aces or better",
        "pair of 6s to 10s",
        "pair of 2s to aces",
    } <= spans.keys()
    assert "pair of 10s to 6s" not in spans
    assert spans["pair of 2s or better"] == spans["pair of 2s to aces"]
    within = whole(1)
    assert all(within.low <= end <= within.high for end in chain.from_iterable(spans.values()))
