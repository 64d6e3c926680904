"""Side wagers: all hands counted, and the holds that regulators have published for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from controller.rules.cards import DECK
from controller.rules.odds.side import histogram, progressive, side_edge
from controller.rules.paytables import PayTable
from controller.rules.rankings import (
    ACES_4,
    ACES_5,
    COLOURS,
    FIVE,
    FOUR,
    RANKINGS,
    SIX,
    THREE,
    THREE_SPADES,
    TWO,
    Ranking,
)


def by_category(ranking: Ranking, size: int) -> dict[str, int]:
    found: Counter[str] = Counter()
    for strength, count in histogram(ranking, size).items():
        found[ranking.called(strength)] += count
    return dict(found)


@pytest.mark.parametrize("ranking", RANKINGS.values(), ids=lambda ranking: ranking.name)
def test_every_hand_is_counted_once(ranking: Ranking) -> None:
    for size in range(ranking.takes[0], ranking.takes[1] + 1):
        assert sum(histogram(ranking, size).values()) == comb(52, size)


def test_five_cards() -> None:
    found = by_category(FIVE, 5)
    assert [found[hand] for hand in FIVE.categories[:9]] == [
        4,
        36,
        624,
        3744,
        5108,
        10_200,
        54_912,
        123_552,
        1_098_240,
    ]


def test_six_cards() -> None:
    found = by_category(SIX, 6)
    # The best five of six, as published for six-card games; four of the 188 royals are of six.
    assert [found[hand] for hand in SIX.categories[:10]] == [
        4,
        184,
        1656,
        14_664,
        165_984,
        205_792,
        361_620,
        732_160,
        2_532_816,
        9_730_740,
    ]
    in_diamonds = SIX.spans["six-card royal flush in diamonds"].low
    assert histogram(SIX, 6)[in_diamonds] == 1


def test_four_cards() -> None:
    found = by_category(FOUR, 4)
    assert found == {
        "four-of-a-kind": 13,
        "straight flush": 44,
        "three-of-a-kind": 2496,
        "flush": 4 * comb(13, 4) - 44,
        "straight": 11 * 256 - 44,
        "two pair": 2808,
        "pair": 82_368,
        "high card": (comb(13, 4) - 11) * 252,
    }


def test_three_cards() -> None:
    assert by_category(THREE, 3) == {
        "mini-royal": 4,
        "straight flush": 44,
        "three-of-a-kind": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        "high card": 16_440,
    }
    assert histogram(THREE_SPADES, 3)[THREE_SPADES.spans["ace, king and queen of spades"].low] == 1


def test_two_cards() -> None:
    assert by_category(TWO, 2) == {
        "pair of aces": 6,
        "suited ace": 12,
        "unsuited ace": 36,
        "pair": 72,
        "nothing": 1200,
    }


def test_colours() -> None:
    assert by_category(COLOURS, 5) == {
        "five of one colour": 2 * comb(26, 5),
        "four of one colour": 2 * comb(26, 4) * 26,
        "mixed colours": 2 * comb(26, 3) * comb(26, 2),
    }


def test_aces_of_five_cards() -> None:
    assert by_category(ACES_5, 5) == {
        "four aces": 48,
        "four-of-a-kind": 576,
        "royal flush": 4,
        "straight flush": 36,
        # Full houses count as their three-of-a-kind.
        "three aces": 4224 + 288,
        "three-of-a-kind": 12 * (4224 + 288),
        "flush": 5108,
        "straight": 10_200,
        "two pair": 123_552,
        "two aces": 84_480,
        "nothing": 1_302_540 + 12 * 84_480,
    }


@pytest.mark.parametrize(("ranking", "size"), [(THREE, 3), (THREE_SPADES, 3), (TWO, 2), (FOUR, 4)])
def test_the_same_as_hand_by_hand(ranking: Ranking, size: int) -> None:
    asked = Counter(map(ranking.strength, combinations(DECK, size)))
    assert histogram(ranking, size) == asked


@pytest.mark.slow
@pytest.mark.parametrize("ranking", [FIVE, FOUR, ACES_4, ACES_5, COLOURS], ids=lambda r: r.name)
def test_all_five_card_hands_as_hand_by_hand(ranking: Ranking) -> None:
    asked = Counter(map(ranking.strength, combinations(DECK, 5)))
    assert histogram(ranking, 5) == asked


def test_other_sizes_and_rankings_are_refused() -> None:
    with pytest.raises(ValueError, match="takes 6 to 6"):
        histogram(SIX, 5)
    stranger = Ranking("five", (5, 5), FIVE.strength, FIVE.spans, FIVE.categories)
    with pytest.raises(ValueError, match="not one of the rankings"):
        histogram(stranger, 5)


#: Rankings, how many cards they are given here, and the rows of the tables below.
WAGERS: dict[str, tuple[Ranking, int, str]] = {
    "prime": (COLOURS, 5, "five of one colour, four of one colour"),
    "aces": (
        ACES_4,
        5,
        "four aces, four-of-a-kind, royal flush, straight flush, three aces, three-of-a-kind, "
        "flush, straight, two pair, two aces",
    ),
    "all-six": (
        SIX,
        6,
        "six-card royal flush in diamonds, six-card royal flush, royal flush, straight flush, "
        "four-of-a-kind, full house, flush, straight, three-of-a-kind",
    ),
    "pocket": (TWO, 2, "pair of aces, suited ace, unsuited ace, pair"),
    "board": (THREE, 3, "mini-royal, straight flush, three-of-a-kind, straight, flush, pair"),
    "lo ball": (FIVE, 5, "7 high, 8 high, 9 high, 10 high, jack high, queen high"),
}


@pytest.mark.parametrize(
    ("wager", "payouts", "hold"),
    [
        # The ends of the ranges that the Board published with the tables of 682a and 683a.
        ("prime", "6 1", "4.74%"),
        ("prime", "5 1", "9.80%"),
        ("aces", "500 100 50 30 20 10 5 4 2 1", "1.11%"),
        ("aces", "500 100 50 20 15 10 5 3 2 1", "6.61%"),
        ("all-six", "1000 1000 1000 200 100 20 15 9 8", "6.74%"),
        ("all-six", "200000 20000 1000 200 50 20 15 10 5", "18.10%"),
        ("pocket", "30 20 10 5", "4.52%"),
        ("pocket", "30 20 10 4", "9.95%"),
        ("board", "50 40 30 6 3 1", "7.10%"),
        # Published as 2.14%, which the printed table does not give.
        ("board", "40 40 30 6 4 1", "2.32%"),
        ("lo ball", "100 50 15 5 1 loss", "8.71%"),
        ("lo ball", "100 50 10 5 1 push", "7.18%"),
    ],
)
def test_published_holds(
    make_table: Callable[..., PayTable], wager: str, payouts: str, hold: str
) -> None:
    ranking, size, rows = WAGERS[wager]
    cells = (cell if cell.isalpha() else f"{cell} to 1" for cell in payouts.split())
    table = make_table(ranking, dict(zip(rows.split(", "), cells, strict=True)))
    edge = side_edge(table, histogram(ranking, size))
    assert f"{float(edge.edge):.2%}" == hold
    assert edge.wagered == edge.deals == comb(52, size)


def test_three_to_two_and_for(make_table: Callable[..., PayTable]) -> None:
    table = make_table(TWO, {"pair of aces": "3 to 2", "suited ace": "9 for 1", "pair": "push"})
    edge = side_edge(table, histogram(TWO, 2))
    # Of 1,326 hands 6 win one and a half, 12 win eight and 72 push.
    assert edge.unit == 2
    assert edge.edge == Fraction(1326 - 6 - 12 - 72 - 9 - 96, 1326)
    assert edge.text == "1131/1326"


def test_progressive_with_one_meter(make_table: Callable[..., PayTable]) -> None:
    table = make_table(
        FIVE,
        {
            "royal flush": "100% of meter",
            "straight flush": "10% of meter",
            "four-of-a-kind": "$500",
            "full house": "$100",
            "flush": "$50",
        },
    )
    found = progressive(table, histogram(FIVE, 5))
    assert [hit.count for hit in found.hits] == [4, 36, 624, 3744, 5108]
    assert {hit.deals for hit in found.hits} == {2_598_960}
    assert [hit.row.hand for hit in found.shares] == ["royal flush", "straight flush"]
    assert found.fixed == Fraction(624 * 500 + 3744 * 100 + 5108 * 50, 2_598_960)
    # The $218,047 that guides to the game have long given for a $1 wager on this table.
    assert int(found.break_even()) == 218_047
    assert found.returned({"main": found.break_even()}) == 1
    # Prizes in dollars weigh less against a wager of $5.
    assert progressive(table, histogram(FIVE, 5), wager_cents=500).fixed == found.fixed / 5


def test_progressive_with_three_meters(make_table: Callable[..., PayTable]) -> None:
    table = make_table(
        FIVE,
        {
            "royal flush": "100% of mega",
            "straight flush": "100% of major",
            "four-of-a-kind": "100% of minor",
            "full house": "50 for 1",
            "flush": "40 to 1",
            "straight": "push",
        },
    )
    found = progressive(table, histogram(FIVE, 5))
    assert found.top == "mega"
    assert found.fixed == Fraction(3744 * 50 + 5108 * 41 + 10_200, 2_598_960)
    others: dict[str, Fraction | int] = {"major": 1000, "minor": Fraction(501, 2)}
    missing = 2_598_960 - 3744 * 50 - 5108 * 41 - 10_200 - 36 * 1000 - 624 * Fraction(501, 2)
    assert found.break_even(others) == missing / 4
    assert found.break_even({"major": 1_000_000, "minor": 0}) == 0
    with pytest.raises(KeyError):
        found.break_even({"major": 1000})


def test_without_a_whole_meter_there_is_no_break_even(
    make_table: Callable[..., PayTable],
) -> None:
    table = make_table(FIVE, {"royal flush": "10% of meter", "flush": "n/a"})
    with pytest.raises(ValueError, match="whole meter"):
        progressive(table, histogram(FIVE, 5)).break_even()
