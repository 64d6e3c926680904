"""Paytables: cells read as a regulation prints them, and hands paid by the line they fit."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.cards import cards
from controller.rules.paytables import (
    EVEN_MONEY,
    LOSS,
    PUSH,
    Kind,
    Odds,
    PayTable,
    Row,
    dollars,
    odds,
)
from controller.rules.rankings import FIVE, RANKINGS, SIX, THREE_SPADES, Ranking

ROYAL, STRAIGHT_FLUSH = "As Ks Qs Js Ts", "9d 8d 7d 6d 5d"


def table(lines: dict[str, str], ranking: Ranking = FIVE) -> PayTable:
    return PayTable(
        "a table", "a clause", ranking, [Row(hand, odds(c)) for hand, c in lines.items()]
    )


def paid(where: PayTable, hand: str) -> str:
    return str(where.odds_for(where.ranking.strength(cards(hand))))


# Cells.


@pytest.mark.parametrize(
    ("cell", "means"),
    [
        ("50 to 1", Odds(Kind.TO, 50)),
        ("1 to 1", EVEN_MONEY),
        ("3 to 2", Odds(Kind.TO, 3, 2)),
        ("1,000 to 1", Odds(Kind.TO, 1000)),
        ("1000 to 1", Odds(Kind.TO, 1000)),
        ("200,000 to 1", Odds(Kind.TO, 200_000)),
        ("9 for 1", Odds(Kind.FOR, 9)),
        ("5,000 for 1", Odds(Kind.FOR, 5000)),
        ("10% of meter", Odds(Kind.SHARE, 10, level="main")),
        ("100% of mega", Odds(Kind.SHARE, 100, level="mega")),
        ("100% of major", Odds(Kind.SHARE, 100, level="major")),
        ("100% of minor", Odds(Kind.SHARE, 100, level="minor")),
        ("$500", Odds(Kind.SUM, 50_000)),
        ("$1,500", Odds(Kind.SUM, 150_000)),
        ("push", PUSH),
        ("loss", LOSS),
        ("n/a", LOSS),
    ],
)
def test_a_cell_is_read_as_it_is_printed(cell: str, means: Odds) -> None:
    assert odds(cell) == means


@pytest.mark.parametrize(
    ("cell", "printed"),
    [
        ("50 to 1", "50 to 1"),
        ("3 to 2", "3 to 2"),
        ("1000 to 1", "1,000 to 1"),
        ("200000 to 1", "200,000 to 1"),
        ("5000 for 1", "5,000 for 1"),
        ("10% of meter", "10% of meter"),
        ("100% of mega", "100% of mega"),
        ("$500", "$500"),
        ("$1500", "$1,500"),
        ("push", "push"),
        ("loss", "loss"),
        ("n/a", "loss"),
    ],
)
def test_a_cell_is_printed_as_a_player_reads_it(cell: str, printed: str) -> None:
    assert str(odds(cell)) == printed
    assert odds(printed) == odds(cell)


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "50",
        "50:1",
        "50 TO 1",
        "50  to 1",
        " 50 to 1",
        "50 to 1 ",
        "50 to",
        "to 1",
        "-5 to 1",
        "0 to 1",
        "50 to 0",
        "0 for 1",
        "$0",
        "0% of meter",
        "150% of meter",
        ", to 1",
        "1,2,3 to 1",
        "1000,000 to 1",
        "\u0665 to 1",
        "1.5 to 1",
        "3 for 2",
        "10%",
        "10% of",
        "10% of jackpot",
        "2.5% of meter",
        "$",
        "500 $",
        "$12.50",
        "Push",
        "lose",
        "N/A",
        "50 to 1\n",
    ],
)
def test_a_cell_that_is_no_payout_is_refused_with_what_would_be_one(cell: str) -> None:
    with pytest.raises(ValueError, match="is not a payout") as refused:
        odds(cell)
    assert str(refused.value) == (
        f"{cell!r} is not a payout; write '50 to 1', '9 for 1', '10% of meter', "
        "'100% of mega', '$500', 'push', 'loss' or 'n/a'"
    )


@pytest.mark.parametrize(
    ("cents", "read"),
    [
        (0, "$0"),
        (1, "$0.01"),
        (50, "$0.50"),
        (100, "$1"),
        (1250, "$12.50"),
        (123_456_789, "$1,234,567.89"),
        (1_000_000, "$10,000"),
        (-1, "-$0.01"),
        (-1250, "-$12.50"),
    ],
)
def test_cents_are_read_as_dollars(cents: int, read: str) -> None:
    assert dollars(cents) == read


# What a cell pays.


@pytest.mark.parametrize(
    ("cell", "stake", "winnings", "stake_back"),
    [
        ("50 to 1", 500, 25_000, 500),
        ("1 to 1", 500, 500, 500),
        ("9 for 1", 500, 4_500, 0),
        ("$500", 100, 50_000, 0),
        ("$500", 500, 50_000, 0),
        ("push", 500, 0, 500),
        ("loss", 500, 0, 0),
        ("n/a", 500, 0, 0),
        # A share is known only when the meter is read.
        ("10% of meter", 500, 0, 0),
        ("100% of mega", 500, 0, 0),
    ],
)
def test_a_stake_earns(cell: str, stake: int, winnings: int, stake_back: int) -> None:
    assert odds(cell).winnings(stake) == winnings
    assert odds(cell).stake_back(stake) == stake_back


@pytest.mark.parametrize(
    ("stake", "winnings"), [(1000, 1500), (500, 750), (250, 375), (5, 7), (3, 4), (1, 1), (0, 0)]
)
def test_three_to_two_rounds_half_a_cent_down(stake: int, winnings: int) -> None:
    assert odds("3 to 2").winnings(stake) == winnings
    assert odds("3 to 2").stake_back(stake) == stake


@given(st.integers(0, 10**9), st.integers(1, 10**6))
def test_for_one_pays_what_to_one_pays_but_keeps_the_stake(stake: int, times: int) -> None:
    to, for_ = odds(f"{times} to 1"), odds(f"{times} for 1")
    assert to.winnings(stake) == for_.winnings(stake) == stake * times
    assert (to.stake_back(stake), for_.stake_back(stake)) == (stake, 0)


# Lines.


def test_a_hand_is_paid_by_the_first_line_that_it_fits() -> None:
    bets = table(
        {
            "royal flush": "100 to 1",
            "straight flush": "50 to 1",
            "four-of-a-kind": "20 to 1",
            "pair or less": "1 to 1",
        }
    )
    assert paid(bets, ROYAL) == "100 to 1"
    assert paid(bets, STRAIGHT_FLUSH) == "50 to 1"
    assert paid(bets, "8c 8d 8h 8s 3c") == "20 to 1"
    assert paid(bets, "Ac Ad Kh Qs Jc") == paid(bets, "7c 5d 4h 3s 2c") == "1 to 1"


def test_a_narrow_line_above_a_wide_one_takes_its_hands_out_of_the_middle() -> None:
    lines = table({"pair of 6s to 10s": "push", "any hand": "1 to 1"})
    assert paid(lines, "5c 5d Ah Ks Qc") == "1 to 1"
    assert paid(lines, "6c 6d 2h 3s 4c") == "push"
    assert paid(lines, "Tc Td Ah Ks Qc") == "push"
    assert paid(lines, "Jc Jd 2h 3s 4c") == "1 to 1"


def test_a_hand_that_fits_no_line_loses() -> None:
    progressive = table({"royal flush": "100% of meter", "flush": "50 for 1"})
    trips = FIVE.strength(cards("5c 5d 5h Ks 2c"))
    assert progressive.row_for(trips) is None
    assert progressive.odds_for(trips) == LOSS
    # Nor does one between two lines, or below the lowest.
    assert paid(progressive, STRAIGHT_FLUSH) == "loss"
    assert paid(progressive, "7c 5d 4h 3s 2c") == "loss"


def test_a_line_that_says_loss_is_a_line() -> None:
    lo_ball = table({"queen high": "loss", "king high": "1 to 1"})
    row = lo_ball.row_for(FIVE.strength(cards("Qc Td 8h 5s 2c")))
    assert row == Row("queen high", LOSS)


def test_the_line_that_pays_is_the_line_that_was_written() -> None:
    rows = [Row("flush", odds("5 to 1")), Row("straight", odds("4 to 1"))]
    bets = PayTable("Bet", "639a.12(b)", FIVE, rows)
    assert (bets.name, bets.clause, bets.ranking, bets.rows) == (
        "Bet",
        "639a.12(b)",
        FIVE,
        tuple(rows),
    )
    assert bets.row_for(FIVE.strength(cards("Kh Jh 8h 4h 2h"))) is rows[0]
    assert bets.row_for(FIVE.strength(cards("Tc 9d 8h 7s 6c"))) is rows[1]


def test_a_table_without_a_royal_line_pays_a_royal_as_a_straight_flush() -> None:
    link = table(
        {
            "straight flush": "100% of meter",
            "four-of-a-kind": "300 for 1",
            "full house": "50 for 1",
            "flush": "40 for 1",
            "straight": "30 for 1",
            "three-of-a-kind": "9 for 1",
        }
    )
    assert paid(link, ROYAL) == paid(link, STRAIGHT_FLUSH) == "100% of meter"
    assert link.row_for(FIVE.strength(cards(ROYAL))) is link.rows[0]
    assert paid(link, "Ac Ad Ah As Kc") == "300 for 1"
    assert paid(link, "Ac Ad Kh Ks Qc") == "loss"


@pytest.mark.rule("PA-683a.6(b)(9)")
def test_sixes_to_tens_push_jacks_are_paid_and_fives_lose() -> None:
    ante = table(
        {
            "two pair": "2 to 1",
            "pair of jacks or better": "1 to 1",
            "pair of 6s to 10s": "push",
        }
    )
    assert paid(ante, "3c 3d 2h 2s 4c") == "2 to 1"
    assert paid(ante, "Jc Jd 2h 3s 4c") == paid(ante, "Ac Ad Kh Qs Jc") == "1 to 1"
    assert paid(ante, "6c 6d 2h 3s 4c") == paid(ante, "Tc Td Ah Ks Qc") == "push"
    assert paid(ante, "5c 5d Ah Ks Qc") == paid(ante, "Ac Kd Qh Js 9c") == "loss"


def test_a_suit_that_a_table_asks_for_has_a_line_of_its_own() -> None:
    progressive = table(
        {
            "ace, king and queen of spades": "100% of meter",
            "ace, king and queen of one suit": "500 for 1",
            "straight flush": "70 for 1",
        },
        THREE_SPADES,
    )
    assert paid(progressive, "As Ks Qs") == "100% of meter"
    assert paid(progressive, "Ah Kh Qh") == "500 for 1"
    assert paid(progressive, "Ks Qs Js") == "70 for 1"
    all_six = table(
        {
            "six-card royal flush in diamonds": "200,000 to 1",
            "six-card royal flush": "20,000 to 1",
            "royal flush": "1,000 to 1",
        },
        SIX,
    )
    assert paid(all_six, "Ad Kd Qd Jd Td 9d") == "200,000 to 1"
    assert paid(all_six, "Ah Kh Qh Jh Th 9h") == "20,000 to 1"
    assert paid(all_six, "Ad Kd Qd Jd Td 8d") == "1,000 to 1"


def test_an_empty_table_pays_nothing() -> None:
    assert paid(table({}), ROYAL) == "loss"


# Tables that are wrong.


@pytest.mark.parametrize(
    ("above", "never_paid"),
    [
        (["straight flush"], "royal flush"),
        (["flush"], "flush"),
        (["pair or less"], "ace-king"),
        (["pair"], "pair of jacks or better"),
        (["pair of 6s to 10s", "pair of jacks or better"], "pair of 6s or better"),
        (["any hand"], "three-of-a-kind"),
    ],
)
def test_a_line_that_can_never_be_paid_is_refused(above: list[str], never_paid: str) -> None:
    rows = [Row(hand, odds("1 to 1")) for hand in [*above, never_paid]]
    with pytest.raises(ValueError, match="can never be paid") as refused:
        PayTable("a table", "a clause", FIVE, rows)
    assert str(refused.value) == (
        f"{never_paid!r} can never be paid: rows above it take all its hands"
    )


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("royal flush", "straight flush"),
        ("ace-king", "pair or less"),
        ("pair of jacks or better", "pair"),
        ("pair of 2s to 9s", "pair of 9s or better"),
    ],
)
def test_a_line_of_which_something_is_left_is_not(above: str, below: str) -> None:
    assert len(table({above: "2 to 1", below: "1 to 1"}).rows) == 2


def test_a_line_for_a_hand_that_the_ranking_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a hand of the ranking") as refused:
        table({"straight flush": "40 to 1", "full house": "10 to 1"}, RANKINGS["three"])
    assert str(refused.value).startswith(
        "'full house' is not a hand of the ranking 'three'; it knows high card, pair, flush, "
        "straight, three-of-a-kind, straight flush"
    )


@given(st.lists(st.sampled_from(sorted(FIVE.spans)), max_size=6, unique=True), st.data())
def test_whatever_the_lines_the_first_that_fits_is_paid(
    lines: list[str], data: st.DataObject
) -> None:
    rows: list[Row] = []
    for n, line in enumerate(lines):
        try:
            PayTable("", "", FIVE, [*rows, Row(line, odds(f"{n} to 1"))])
        except ValueError:
            continue  # nothing of it is left
        rows.append(Row(line, odds(f"{n} to 1")))
    some = PayTable("", "", FIVE, rows)
    ends = [end for row in rows for span in [FIVE.spans[row.hand]] for end in span]
    strength = data.draw(st.sampled_from([0, *ends]) | st.integers(0, FIVE.spans["any hand"].high))
    fits = [
        row for row in rows if FIVE.spans[row.hand].low <= strength <= FIVE.spans[row.hand].high
    ]
    assert some.row_for(strength) is (fits[0] if fits else None)


def test_a_line_above_another_of_its_kind_never_changes_what_the_rest_is_paid() -> None:
    plain = table({"straight flush": "50 to 1", "flush": "5 to 1"})
    royal = table({"royal flush": "100 to 1", "straight flush": "50 to 1", "flush": "5 to 1"})
    for ranks in combinations("23456789TJQKA", 5):
        hand = " ".join(rank + "h" for rank in ranks)
        if set(ranks) != set("TJQKA"):
            assert paid(royal, hand) == paid(plain, hand)
