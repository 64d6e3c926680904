"""Caribbean Stud: how a round is settled in Pennsylvania, under Section 10 and in Massachusetts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controller.rules.rounds import (
    FIVE_CARDS,
    Settled,
    avoiding,
    folded,
    rags,
    round_of,
    seat,
    settled,
)

BOOKS = pytest.mark.parametrize("book", ["pa-639a", "ma", "s10"])
ACE_QUEEN = "As Qd Jh Tc 9s"
LOWEST_THAT_QUALIFIES = "As Kd 4h 3c 2s"
MAIN = 4_000_000


def played(book: str, dealer: str, *seats: dict[str, Any], **more: Any) -> Settled:
    return settled(round_of(book, more.pop("options", {}), dealer=dealer, seats=seats, **more))


# --- Ante and Bet -----------------------------------------------------------


@BOOKS
@pytest.mark.rule(
    "PA-639a.11(c)(3)(i)",
    "MA.10(c)(3)(i)",
    "MA.1[Qualifying hand]",
    "S10.(a)(1)(viii)",
    "S10.(j)(6)(iii)",
)
def test_below_ace_king_the_bet_comes_back_and_the_ante_is_paid_whatever_the_player_holds(
    book: str,
) -> None:
    worst, best = "9c 7d 5h 3s 2c", "Ah Kh Qh Jh Th"
    done = played(
        book,
        "Ac Qd Js Tc 9s",
        seat(1, worst, ante=1000, bet=2000),
        seat(2, best, ante=1000, bet=2000),
    )
    assert done.dealer == {"hand": "ace high", "qualifies": False}
    for number in (1, 2):
        assert done.returns(number, "ante") == 2000
        bet = done.line(number, "bet")
        assert bet["returns"] == 2000
        assert bet["result"] == ("void" if book == "s10" else "return")


@BOOKS
@pytest.mark.rule("S10.(a)(1)(viii)", "S10.(a)(1)(ix)", "MA.1[Qualifying hand]", "MA.1[Rank]")
@pytest.mark.parametrize(
    ("dealer", "qualifies"),
    [
        (LOWEST_THAT_QUALIFIES, True),
        ("2s 2d 4h 3c 5s", True),
        (ACE_QUEEN, False),
        ("Ks Qd Jh Tc 8s", False),
    ],
)
def test_ace_king_with_any_kickers_qualifies(book: str, dealer: str, qualifies: bool) -> None:
    done = played(book, dealer, seat(1, rags([dealer]), ante=100, bet=200))
    assert done.dealer["qualifies"] is qualifies


@BOOKS
@pytest.mark.rule("PA-639a.11(c)(3)(ii)(A)", "MA.10(c)(3)(ii)(a)", "S10.(j)(5)(i)")
def test_a_lower_hand_loses_ante_and_bet(book: str) -> None:
    done = played(book, LOWEST_THAT_QUALIFIES, seat(1, "Ah Qc Js Td 8h", ante=1000, bet=2000))
    for wager in ("ante", "bet"):
        line = done.line(1, wager)
        assert (line["result"], line["returns"]) == ("lose", 0)


@BOOKS
@pytest.mark.rule(
    "PA-639a.11(c)(3)(ii)(C)",
    "MA.10(c)(3)(ii)(c)",
    "MA.1[Push]",
    "S10.(a)(1)(vii)",
    "S10.(j)(5)(ii)",
)
def test_an_equal_hand_pushes(book: str) -> None:
    done = played(book, "As Kd Qh Jc 9s", seat(1, "Ah Kc Qd Js 9h", ante=1000, bet=2000))
    assert [done.line(1, wager)["result"] for wager in ("ante", "bet")] == ["push", "push"]
    assert (done.returns(1, "ante"), done.returns(1, "bet")) == (1000, 2000)


@BOOKS
@pytest.mark.rule("PA-639a.11(c)(3)(ii)(B)", "MA.10(c)(3)(ii)(b)")
def test_a_flush_beats_ace_king_for_five_to_one(book: str) -> None:
    done = played(book, LOWEST_THAT_QUALIFIES, seat(1, "Qd 9d 7d 5d 3d", ante=1000, bet=2000))
    assert (done.returns(1, "ante"), done.returns(1, "bet")) == (2000, 12000)


# --- Order ------------------------------------------------------------------


@pytest.mark.parametrize("book", ["pa-639a", "ma"])
def test_seats_are_settled_from_the_dealers_right(book: str) -> None:
    hands = ["Ah Kc Qd Js 9h", "9c 7d 5h 3s 2c", "Jd Jh 8s 4c 2d"]
    seats = [
        seat(number, hand, ante=100, bet=200) for number, hand in zip((1, 3, 7), hands, strict=True)
    ]
    assert played(book, "As Kd 6h 4h 3c", *seats).order == [7, 3, 1]


def test_section_10_settles_losers_then_pushes_then_winners() -> None:
    done = played(
        "s10",
        "As Kd Qh Jc 9s",
        folded(7, "Tc Td Th 8s 3c", ante=100),
        seat(6, "Ad Kc Qs Jh 9d", ante=100, bet=200),  # pushes
        seat(5, "8c 8d 5h 4c 2d", ante=100, bet=200),  # wins
        seat(4, "Ah Jd 7h 4d 2c", ante=100, bet=200),  # loses
        seat(3, "6c 6d 5s 4s 2h", ante=100, bet=200),  # wins
        seat(1, "Kh Ts 7c 5d 3d", ante=100, bet=200),  # loses
    )
    assert done.order == [7, 4, 1, 6, 5, 3]


@pytest.mark.rule("S10.(j)(6)")
def test_section_10_without_a_dealer_hand_pays_every_ante_from_the_right() -> None:
    done = played(
        "s10",
        "Qs Jd 9h 4c 2s",
        seat(1, "Ah Kc 8d 5s 3h", ante=100, bet=200),
        folded(2, "Th 7c 6d 4s 3d", ante=100),
        seat(5, "9c 8h 6s 5h 2d", ante=100, bet=200),
    )
    assert done.order == [2, 5, 1]
    assert (done.returns(1, "ante"), done.returns(5, "ante")) == (200, 200)


# --- Folds ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "options"),
    [
        pytest.param(
            "pa-639a",
            {"five_card": True, "progressive": "D", "bonus": "A"},
            marks=pytest.mark.rule(
                "PA-639a.11(b)", "PA-639a.11(c)(5)(v)", "PA-639a.11(c)(6)", "PA-639a.1[Fold]"
            ),
        ),
        pytest.param(
            "ma",
            {
                "five_card": True,
                "five_card_reset": 1_000_000,
                "progressive": "D",
                "progressive_reset": 1_000_000,
                "bonus": "A",
            },
            marks=pytest.mark.rule("MA.10(b)", "MA.10(c)(3)(ii)(c)(3)"),
        ),
    ],
)
def test_a_fold_loses_everything_but_the_five_card_bonus_and_envy(
    book: str, options: dict[str, Any]
) -> None:
    flush, straight_flush = "Kd Jd 8d 4d 2d", "9s 8s 7s 6s 5s"
    done = played(
        book,
        "As Kc 4h 3c 2h",
        folded(3, flush, ante=1000, bonus=500, progressive=100, five_card_player=100),
        seat(5, straight_flush, ante=1000, bet=2000),
        options=options,
        meters={"progressive": {"main": MAIN}, "five_card": {"main": MAIN}},
        draw={"magic_card": "8d", "lucky": 3},
    )
    for wager in ("ante", "bonus", "progressive"):
        assert (done.line(3, wager)["result"], done.returns(3, wager)) == ("lose", 0)
    assert done.returns(3, "five_card_player") == 50 * 100
    assert (done.returns(3, "magic_card"), done.returns(3, "lucky")) == (2000, 500)
    assert done.returns(3, "envy") == 300_00
    assert done.lines(3, "bet") == []


@pytest.mark.rule("S10.(j)(1)")
def test_section_10_discards_a_folded_royal_unseen() -> None:
    done = played(
        "s10",
        "Qs Jd 9h 4c 2s",
        folded(3, FIVE_CARDS["royal flush"], ante=1000, progressive=100),
        options={"progressive": True, "straight_flush": "10%", "progressive_reset": 1_000_000},
        meters={"progressive": {"main": MAIN}},
    )
    assert done.line(3, "ante")["result"] == "lose"
    assert done.returns(3, "progressive") == 0
    assert done.meters["progressive"]["main"] == MAIN


# --- Side wagers do not look at the dealer ----------------------------------

PROGRESSIVE: dict[str, dict[str, Any]] = {
    "pa-639a": {"progressive": "A"},
    "ma": {"progressive": "A", "progressive_reset": 1_000_000},
    "s10": {"progressive": True, "straight_flush": "10%", "progressive_reset": 1_000_000},
}


@pytest.mark.parametrize("book", ["pa-639a", "ma"])
@pytest.mark.rule("PA-639a.11(c)(4)", "MA.10(c)(3)(ii)(c)(1)")
@pytest.mark.parametrize(("own", "returns"), [("Tc Td 8h 5s 2c", 1000), ("9c 9d 8h 5s 2c", 0)])
def test_the_bonus_is_settled_on_a_losing_hand_too(book: str, own: str, returns: int) -> None:
    done = played(
        book, "Qs Qd Qh 4c 3s", seat(1, own, ante=500, bet=1000, bonus=500), options={"bonus": "B"}
    )
    assert done.line(1, "bet")["result"] == "lose"
    assert done.returns(1, "bonus") == returns


@BOOKS
@pytest.mark.rule("PA-639a.11(c)(5)", "MA.10(c)(3)(ii)(c)(2)", "MA.11(d)(2)", "S10.(k)(3)")
@pytest.mark.parametrize("dealer", ["As Ac Ah 4c 4h", "9c 8h 5s 3c 2h"])
def test_a_flush_is_paid_on_the_progressive_whatever_the_dealer_has(book: str, dealer: str) -> None:
    flush, other = "Kd Jd 8d 4d 2d", "Kh Jh 7h 6h 3h"
    done = played(
        book,
        dealer,
        seat(1, flush, ante=500, bet=1000, progressive=100),
        seat(2, other, ante=500, bet=1000),
        options=PROGRESSIVE[book],
        meters={"progressive": {"main": MAIN}},
    )
    assert done.returns(1, "progressive") == 50_00
    assert done.lines(2, "progressive") == []


@pytest.mark.parametrize("book", ["pa-639a", "ma"])
@pytest.mark.rule("PA-639a.11(c)(5)", "MA.10(c)(3)(ii)(c)(2)", "PA-639a.12(d)(1)", "MA.11(d)")
def test_a_flush_that_folded_is_paid_nothing_and_one_that_stayed_no_stake_on_top(book: str) -> None:
    done = played(
        book,
        "As Ac Ah 4c 4h",
        folded(1, "Kd Jd 8d 4d 2d", ante=500, progressive=100),
        seat(2, "Kh Jh 7h 6h 3h", ante=500, bet=1000, progressive=100),
        options=PROGRESSIVE[book],
        meters={"progressive": {"main": MAIN}},
    )
    assert (done.line(1, "progressive")["result"], done.returns(1, "progressive")) == ("lose", 0)
    assert done.returns(2, "progressive") == 50 * 100


@pytest.mark.rule("MA.12(l)")
def test_a_link_table_gives_no_stake_back_on_top() -> None:
    done = played(
        "ma",
        "As Ac Ah 4c 4h",
        seat(2, "Kh Jh 7h 6h 3h", ante=500, bet=1000, progressive=500),
        options={"progressive": "PTMGL01", "progressive_wager": 500},
        meters={"progressive": {"main": MAIN}},
    )
    assert done.returns(2, "progressive") == 40 * 500


@BOOKS
@pytest.mark.rule("PA-639a.12(d)(2)", "MA.11(d)(3)")
def test_only_the_best_hand_is_paid_on_the_progressive(book: str) -> None:
    done = played(
        book,
        "As Kd 8h 3c 2s",
        seat(1, FIVE_CARDS["full house"], ante=500, bet=1000, progressive=100),
        options=PROGRESSIVE[book],
        meters={"progressive": {"main": MAIN}},
    )
    (line,) = done.lines(1, "progressive")
    assert line["returns"] == 100_00


@pytest.mark.parametrize(
    ("book", "options", "hand", "returns"),
    [
        pytest.param(
            "pa-639a", {"progressive": column}, hand, returns, marks=pytest.mark.rule(rule)
        )
        for column, hand, returns, rule in [
            ("D", "three-of-a-kind", 900, "PA-639a.1[Progressive Payout Hand](i)"),
            ("E", "three-of-a-kind", 0, "PA-639a.1[Progressive Payout Hand](i)"),
            ("E", "straight", 0, "PA-639a.1[Progressive Payout Hand](i)"),
            ("E", "flush", 5000, "PA-639a.1[Progressive Payout Hand](i)"),
            ("A", "two pair", 200, "PA-639a.1[Progressive Payout Hand](ii)"),
            ("B", "two pair", 200, "PA-639a.1[Progressive Payout Hand](ii)"),
            ("C", "two pair", 0, "PA-639a.1[Progressive Payout Hand](ii)"),
        ]
    ]
    + [
        pytest.param(
            "ma",
            {"progressive": column, "progressive_reset": 1_000_000},
            "three-of-a-kind",
            returns,
            marks=pytest.mark.rule("MA.1[Progressive payout hand]"),
        )
        for column, returns in [("D", 900), ("E", 0)]
    ]
    + [
        pytest.param(
            "s10", PROGRESSIVE["s10"], hand, returns, marks=pytest.mark.rule("S10.(a)(1)(vi)")
        )
        for hand, returns in (("flush", 5000), ("straight", 0), ("three-of-a-kind", 0))
    ],
)
def test_the_paytable_decides_which_hands_win_the_progressive(
    book: str, options: dict[str, Any], hand: str, returns: int
) -> None:
    own = FIVE_CARDS[hand]
    done = played(
        book,
        avoiding("AK543", [own]),
        seat(1, own, ante=500, bet=1000, progressive=100),
        options=options,
        meters={"progressive": {"main": MAIN}},
    )
    assert done.returns(1, "progressive") == returns


# --- Envy -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "options"),
    [
        pytest.param(
            "pa-639a",
            {"progressive": "D"},
            marks=pytest.mark.rule(
                "PA-639a.11(c)(5)(v)",
                "PA-639a.1[Envy Bonus]",
                "PA-639a.1[Envy Bonus Qualifying Hand]",
            ),
        ),
        pytest.param(
            "ma",
            {"progressive": "D", "progressive_reset": 1_000_000},
            marks=pytest.mark.rule("MA.10(c)(3)(ii)(c)(2)(v)"),
        ),
    ],
)
def test_envy_for_each_other_seats_straight_flush_never_for_ones_own_or_the_dealers(
    book: str, options: dict[str, Any]
) -> None:
    done = played(
        book,
        "6d 5d 4d 3d 2d",  # the dealer's straight flush counts for nobody
        seat(2, "9s 8s 7s 6s 5s", ante=500, bet=1000, progressive=100),
        seat(3, "Kc Qd 9h 4c 2h", ante=500, bet=1000, progressive=100),
        seat(4, "Qc Jd 9d 4h 3c", ante=500, bet=1000),  # no progressive, no envy
        seat(5, "5h Ah 2s 4s 3s", ante=500, bet=1000, progressive=100),
        seat(6, "5c Ac 2c 8c 3h", ante=500, bet=1000, progressive=100),
        seat(7, "Th 9c 8h 7h Jh", ante=500, bet=1000, progressive=100),
        options=options,
        meters={"progressive": {"main": MAIN}},
    )
    assert [done.returns(number, "envy") for number in range(2, 8)] == [
        0,
        30000,
        0,
        30000,
        30000,
        30000,
    ]
    two = played(
        book,
        "Kd Qh 9d 4d 3c",
        seat(2, "9s 8s 7s 6s 5s", ante=500, bet=1000, progressive=100),
        seat(3, "Kc Qs 9c 4c 2s", ante=500, bet=1000, progressive=100),
        seat(5, "5h Ah 2h 4h 3h", ante=500, bet=1000),  # the wheel; the holder need not wager
        options=options,
        meters={"progressive": {"main": MAIN}},
    )
    assert [two.returns(number, "envy") for number in (2, 3, 5)] == [30000, 60000, 0]


@pytest.mark.rule("PA-639a.11(c)(5)(v)", "PA-639a.1[Envy Bonus Qualifying Hand]")
def test_no_envy_for_four_of_a_kind_nor_for_a_folded_straight_flush() -> None:
    done = played(
        "pa-639a",
        "Ks Qd 9h 4c 3s",
        folded(2, "9d 8d 7d 6d 5d", ante=500),
        seat(3, "Jc Jd Jh Js 2c", ante=500, bet=1000),
        seat(4, "Kc Qh 9c 5c 3h", ante=500, bet=1000, progressive=100),
        options={"progressive": "D"},
        meters={"progressive": {"main": MAIN}},
    )
    assert done.lines(4, "envy") == []


@pytest.mark.parametrize("column", ["A", "B", "C", "E"])
@pytest.mark.rule("PA-639a.12(d)(6)")
def test_tables_without_envy_pay_none(column: str) -> None:
    done = played(
        "pa-639a",
        "Ks Qd 9h 4c 3s",
        seat(2, "9d 8d 7d 6d 5d", ante=500, bet=1000),
        seat(4, "Kc Qh 9c 5c 3h", ante=500, bet=1000, progressive=100),
        options={"progressive": column},
        meters={"progressive": {"main": MAIN}},
    )
    assert done.lines(4, "envy") == []


@pytest.mark.rule("MA.11(d)(7)")
@pytest.mark.parametrize("column", ["A", "B", "C", "E"])
def test_massachusetts_pays_envy_only_with_table_d(column: str) -> None:
    done = played(
        "ma",
        "Ks Qd 9h 4c 3s",
        seat(2, "9d 8d 7d 6d 5d", ante=500, bet=1000),
        seat(4, "Kc Qh 9c 5c 3h", ante=500, bet=1000, progressive=100),
        options={"progressive": column, "progressive_reset": 1_000_000},
        meters={"progressive": {"main": MAIN}},
    )
    assert done.lines(4, "envy") == []


# --- Meters at each player's turn -------------------------------------------

ROYALS = ("As Ks Qs Js Ts", "Ah Kh Qh Jh Th")
STRAIGHT_FLUSHES = ("9s 8s 7s 6s 5s", "9h 8h 7h 6h 5h")


def two_hands(book: str, hands: tuple[str, str], options: dict[str, Any], main: int) -> Settled:
    return played(
        book,
        "Ad Qc 9d 4c 2d",
        seat(2, hands[0], ante=500, bet=1000, progressive=100),
        seat(6, hands[1], ante=500, bet=1000, progressive=100),
        options=options,
        meters={"progressive": {"main": main}},
    )


@pytest.mark.parametrize(
    ("book", "options", "restart"),
    [
        pytest.param(
            "pa-639a", {"progressive": "D"}, 1_000_000, marks=pytest.mark.rule("PA-639a.12(d)(5)")
        ),
        pytest.param(
            "ma",
            {"progressive": "D", "progressive_reset": 1_100_000},
            1_100_000,
            marks=pytest.mark.rule("MA.11(d)(6)"),
        ),
    ],
)
def test_the_first_royal_takes_the_meter_and_the_second_its_new_start(
    book: str, options: dict[str, Any], restart: int
) -> None:
    done = two_hands(book, ROYALS, options, MAIN)
    assert (done.returns(6, "progressive"), done.returns(2, "progressive")) == (MAIN, restart)
    assert done.meters["progressive"]["main"] == restart


@pytest.mark.parametrize(
    ("book", "options"),
    [
        pytest.param("pa-639a", {"progressive": "D"}, marks=pytest.mark.rule("PA-639a.12(d)(5)")),
        pytest.param(
            "ma",
            {"progressive": "D", "progressive_reset": 0},
            marks=pytest.mark.rule("MA.11(d)(6)"),
        ),
        pytest.param("s10", PROGRESSIVE["s10"], marks=pytest.mark.rule("S10.(l)(7)")),
    ],
)
def test_two_straight_flushes_take_a_tenth_and_a_tenth_of_the_rest(
    book: str, options: dict[str, Any]
) -> None:
    done = two_hands(book, STRAIGHT_FLUSHES, options, 1_000_005)
    assert (done.returns(6, "progressive"), done.returns(2, "progressive")) == (100_000, 90_000)
    assert done.meters["progressive"]["main"] == 810_005


@pytest.mark.rule("S10.(l)(7)")
def test_section_10_royals_share_the_meter_of_the_first_ones_turn() -> None:
    options = {**PROGRESSIVE["s10"], "progressive_reset": 1_500_000}
    done = two_hands("s10", ROYALS, options, MAIN + 1)
    assert (done.returns(6, "progressive"), done.returns(2, "progressive")) == (
        MAIN // 2,
        MAIN // 2,
    )
    # The odd cent stays on the meter.
    assert done.meters["progressive"]["main"] == 1_500_001


@pytest.mark.rule("S10.(l)(7)")
def test_section_10_divides_only_among_royals_that_wagered_and_stayed() -> None:
    done = played(
        "s10",
        "Ad Qc 9d 4c 2d",
        seat(1, ROYALS[0], ante=500, bet=1000, progressive=100),
        folded(2, ROYALS[1], ante=500, progressive=100),
        seat(3, "Ac Kc 3d Jc Tc", ante=500, bet=1000),
        seat(4, STRAIGHT_FLUSHES[0], ante=500, bet=1000, progressive=100),
        options=PROGRESSIVE["s10"],
        meters={"progressive": {"main": 2_000_000}},
    )
    # Seat 4 comes before seat 1 and takes its tenth first.
    assert done.returns(4, "progressive") == 200_000
    assert done.returns(1, "progressive") == 1_800_000
    assert done.line(1, "progressive")["odds"] == "win 100% of meter"


@pytest.mark.rule("S10.(l)(6)", "S10.(l)(5)")
def test_section_10_pays_what_the_casino_designated_and_starts_again_at_its_reset() -> None:
    options = {**PROGRESSIVE["s10"], "straight_flush": "$5,000", "progressive_reset": 2_222_200}
    done = two_hands("s10", (STRAIGHT_FLUSHES[0], ROYALS[1]), options, 3_000_000)
    assert done.line(2, "progressive")["odds"] == "win $5,000"
    assert done.returns(2, "progressive") == 500_000
    assert done.returns(6, "progressive") == 3_000_000
    assert done.meters["progressive"]["main"] == 2_222_200


@pytest.mark.parametrize(
    ("column", "reserve", "left"),
    [("A", 1_200_000, 200_000), ("B", 300_000, 0), ("E", 1_000_000, 0)],
)
def test_the_reserve_funds_the_new_start_and_the_house_adds_the_rest(
    column: str, reserve: int, left: int
) -> None:
    done = played(
        "pa-639a",
        "Ad Qc 9d 4c 2d",
        seat(2, ROYALS[0], ante=500, bet=1000, progressive=100),
        options={"progressive": column},
        meters={"progressive": {"main": MAIN, "reserve": reserve}},
    )
    assert done.meters["progressive"] == {"main": 1_000_000, "reserve": left}


@pytest.mark.parametrize(
    ("book", "column", "hand", "prize"),
    [
        ("pa-639a", "F", "four-of-a-kind", 30_000),
        ("ma", "PTMGLML01", "four-of-a-kind", 30_000),
        ("pa-639a", "A", "straight flush", 500_000),
    ],
)
def test_a_fixed_prize_leaves_the_meter_as_it_is(
    book: str, column: str, hand: str, prize: int
) -> None:
    own = FIVE_CARDS[hand]
    levels = {"A": ["main"], "F": ["mega", "major"], "PTMGLML01": ["major", "minor"]}[column]
    shown = dict.fromkeys(levels, prize - 1)
    done = played(
        book,
        avoiding("AK543", [own]),
        seat(4, own, ante=500, bet=1000, progressive=100),
        options={"progressive": column},
        meters={"progressive": shown},
    )
    assert done.returns(4, "progressive") == prize
    assert {level: done.meters["progressive"][level] for level in levels} == shown


# --- Five Card Hand Bonus ---------------------------------------------------

FIVE_CARD: dict[str, dict[str, Any]] = {
    "pa-639a": {"five_card": True},
    "ma": {"five_card": True, "five_card_reset": 1_300_000},
}
WITH_FIVE_CARD = pytest.mark.parametrize("book", ["pa-639a", "ma"])


@WITH_FIVE_CARD
@pytest.mark.rule("PA-639a.12(e)(2)", "MA.11(e)(2)")
def test_a_straight_flush_of_the_dealers_is_split_among_all_who_wagered_on_it(book: str) -> None:
    done = played(
        book,
        STRAIGHT_FLUSHES[0],
        seat(1, "Ad Qc 9d 4c 2d", ante=500, bet=1000, five_card_dealer=100),
        folded(3, "Kd Jc 8d 4d 2h", ante=500, five_card_dealer=500),
        seat(7, "Qd Tc 8c 3c 2c", ante=500, bet=1000, five_card_dealer=100, five_card_player=100),
        seat(6, "Qh Th 8h 3h 2s", ante=500, bet=1000, five_card_player=100),
        options=FIVE_CARD[book],
        meters={"five_card": {"main": 3_000_020}},
    )
    assert [done.returns(n, "five_card_dealer") for n in (1, 3, 7)] == [100_000] * 3
    assert [line["paid_by"] for line in done.lines(1, "five_card_dealer")] == ["hand"]
    # The two cents that don't divide stay on the meter.
    assert done.meters["five_card"]["main"] == 2_700_020
    assert done.returns(6, "five_card_player") == 0


@pytest.mark.parametrize(
    ("book", "meter", "after"),
    [
        pytest.param(
            "pa-639a",
            {"main": 1_000_001, "reserve": 70_000},
            {"main": 70_001, "reserve": 0},
            marks=pytest.mark.rule("PA-639a.12(e)(2)", "PA-639a.12(e)(4)"),
        ),
        pytest.param(
            "ma",
            {"main": 1_000_001},
            {"main": 1_300_001},
            marks=pytest.mark.rule("MA.11(e)(2)"),
        ),
    ],
)
def test_a_royal_of_the_dealers_is_valued_once_and_starts_the_meter_again(
    book: str, meter: dict[str, int], after: dict[str, int]
) -> None:
    done = played(
        book,
        ROYALS[0],
        seat(1, "Ad Qc 9d 4c 2d", ante=500, bet=1000, five_card_dealer=100),
        seat(7, "Qd Tc 8c 3c 2c", ante=500, bet=1000, five_card_dealer=300),
        options=FIVE_CARD[book],
        meters={"five_card": meter},
    )
    assert [done.returns(n, "five_card_dealer") for n in (7, 1)] == [500_000, 500_000]
    assert done.meters["five_card"] == after


@pytest.mark.rule("PA-639a.12(e)(4)", "PA-639a.12(e)(2)")
def test_own_hand_comes_before_the_dealers_and_the_next_seat_sees_what_is_left() -> None:
    done = played(
        "pa-639a",
        STRAIGHT_FLUSHES[0],
        seat(7, ROYALS[1], ante=500, bet=1000, five_card_player=100, five_card_dealer=100),
        seat(2, STRAIGHT_FLUSHES[1], ante=500, bet=1000, five_card_player=100),
        options={"five_card": True},
        meters={"five_card": {"main": 2_000_000, "reserve": 100_000}},
    )
    assert done.returns(7, "five_card_player") == 2_000_000
    assert done.returns(7, "five_card_dealer") == 10_000
    assert done.returns(2, "five_card_player") == 9_000
    assert done.meters["five_card"] == {"main": 81_000, "reserve": 0}


@WITH_FIVE_CARD
def test_a_fixed_prize_leaves_the_five_card_meter_as_it_is(book: str) -> None:
    done = played(
        book,
        "Ad Qc 9d 4c 3d",
        seat(2, FIVE_CARDS["flush"], ante=500, bet=1000, five_card_player=100),
        options=FIVE_CARD[book],
        meters={"five_card": {"main": 900_000}},
    )
    assert done.returns(2, "five_card_player") == 5_000
    assert done.meters["five_card"]["main"] == 900_000


@WITH_FIVE_CARD
@pytest.mark.rule(
    "PA-639a.1[Magic Card Bonus](i)",
    "PA-639a.1[Magic Card Bonus](ii)",
    "PA-639a.1[Lucky Bonus](i)",
    "PA-639a.1[Lucky Bonus](ii)",
    "MA.11(e)(3)",
)
def test_who_holds_the_magic_card_and_who_is_lucky(book: str) -> None:
    def drawn(magic: str | None, lucky: int | str | None) -> Settled:
        return played(
            book,
            "As Qd 9h 4s 2s",
            seat(3, "7d Jc 8s 5h 3c", ante=500, bet=1000, five_card_player=100),
            folded(4, "7h Ts 6s 5c 3h", ante=500, five_card_player=100, five_card_dealer=300),
            seat(5, "7c Th 6h 5d 3d", ante=500, bet=1000, five_card_dealer=200),
            options=FIVE_CARD[book],
            meters={"five_card": {"main": MAIN}},
            draw={"magic_card": magic, "lucky": lucky},
        )

    def sums(done: Settled, bonus: str) -> list[int]:
        return [done.returns(number, bonus) for number in (3, 4, 5)]

    assert sums(drawn("7d", None), "magic_card") == [2000, 0, 0]
    assert sums(drawn("7h", None), "magic_card") == [0, 2000, 0]
    assert sums(drawn("Qd", None), "magic_card") == [0, 6000, 4000]
    for nobodys in ("Kc", "Qh"):  # the dealer has another queen
        assert sums(drawn(nobodys, None), "magic_card") == [0, 0, 0]
    assert sums(drawn(None, 3), "lucky") == [500, 0, 0]
    assert sums(drawn(None, 4), "lucky") == [0, 500, 0]
    assert sums(drawn(None, 5), "lucky") == [0, 0, 0]
    assert sums(drawn(None, 6), "lucky") == [0, 0, 0]
    assert sums(drawn(None, "dealer"), "lucky") == [0, 1500, 1000]
    assert drawn("7d", 3).line(3, "lucky")["paid_by"] == "account"


# --- Cover All --------------------------------------------------------------


def cover_all(*seats: dict[str, Any], dealer: str) -> Settled:
    return played("ma", dealer, *seats, options={"cover_all": True})


@pytest.mark.rule("MA.12(b)", "MA.12(g)", "MA.12(c)")
def test_the_best_hand_of_the_table_decides_cover_all_for_everyone() -> None:
    trips, straight_flush = "Qs Qd Qh 4c 2s", "9s 8s 7s 6s 5s"
    low, lower = "Kc Jd 8c 5h 3c", "Kd Js 8h 5d 3d"
    for dealer, third, times in (
        (trips, lower, 5),
        (trips, straight_flush, 100),
        ("Ac Qd 9h 4h 2s", lower, None),
    ):
        done = cover_all(
            seat(1, low, ante=500, bet=1000, cover_all=500),
            seat(2, third, ante=500, bet=1000),
            seat(6, "Ah Tc 9d 4d 2c", ante=500, bet=1000, cover_all=1000),
            dealer=dealer,
        )
        back = 0 if times is None else 500 + 500 * times
        assert (done.returns(1, "cover_all"), done.returns(6, "cover_all")) == (back, 2 * back)


@pytest.mark.rule("MA.12(c)", "MA.12(k)", "MA.12(h)")
def test_a_folded_hand_counts_for_the_column_but_not_as_the_highest() -> None:
    done = cover_all(
        folded(1, FIVE_CARDS["royal flush"], ante=500, cover_all=500),
        seat(2, FIVE_CARDS["three-of-a-kind"], ante=500, bet=1000, cover_all=500),
        dealer="Ac Qd 9d 4h 3s",
    )
    assert done.line(1, "cover_all")["result"] == "lose"
    # Three hands were dealt: 6 to 1 for three-of-a-kind.
    assert done.returns(2, "cover_all") == 500 + 6 * 500


@pytest.mark.rule("MA.12(k)")
@pytest.mark.parametrize("players", range(1, 8))
def test_the_column_counts_the_dealers_hand(players: int) -> None:
    used = [FIVE_CARDS["three-of-a-kind"]]
    seats = [seat(1, used[0], ante=500, bet=1000, cover_all=500)]
    for number in range(2, players + 1):
        used.append(rags(used))
        seats.append(seat(number, used[-1], ante=500, bet=1000))
    done = cover_all(*seats, dealer=rags(used))
    assert done.line(1, "cover_all")["clause"] == f"MA.12(k)[{players + 1}]"


# --- Who validates, who pays ------------------------------------------------


@pytest.mark.parametrize(
    ("book", "role"), [("pa-639a", "floorperson"), ("ma", "supervisor"), ("s10", "supervisor")]
)
def test_every_progressive_payout_is_validated(book: str, role: str) -> None:
    done = played(
        book,
        "Ad Qc 9d 4c 2d",
        seat(1, ROYALS[0], ante=500, bet=1000, progressive=100),
        seat(2, "Kh Jh 8h 6h 3h", ante=500, bet=1000, progressive=100),
        seat(3, "Kc Jc 8s 6s 3s", ante=500, bet=1000, progressive=100),
        options=PROGRESSIVE[book],
        meters={"progressive": {"main": MAIN}},
    )
    assert [done.line(n, "progressive")["validate"] for n in (1, 2, 3)] == [role, role, None]
    assert [done.line(n, "progressive")["paid_by"] for n in (1, 2, 3)] == ["hand", "rack", None]


# --- Section 10's payout limit ----------------------------------------------


@pytest.mark.rule("S10.(l)(4)")
@pytest.mark.parametrize(
    ("limit", "bet", "cut"), [(None, 20_200_000, 0), (1_000_000, 1_200_000, 19_000_000)]
)
def test_a_payout_limit_caps_what_the_bet_wins_and_not_its_stake(
    limit: int | None, bet: int, cut: int
) -> None:
    done = played(
        "s10",
        LOWEST_THAT_QUALIFIES,
        seat(1, ROYALS[1], ante=100_000, bet=200_000),
        options={} if limit is None else {"payout_limit": limit},
    )
    assert done.returns(1, "bet") == bet
    assert done.returns(1, "ante") == 200_000
    assert done.line(1, "bet").get("cut", 0) == cut


@pytest.mark.rule("S10.(l)(1)")
def test_section_10_never_states_odds_with_for() -> None:
    for hand in FIVE_CARDS:
        own = FIVE_CARDS[hand]
        for straight_flush in ("10%", "$5,000"):
            done = played(
                "s10",
                avoiding("AK543", [own]),
                seat(1, own, ante=500, bet=1000, progressive=100),
                options={**PROGRESSIVE["s10"], "straight_flush": straight_flush},
                meters={"progressive": {"main": MAIN}},
            )
            for line in done.lines(1):
                assert " for " not in (line["odds"] or "")
                if line["result"] == "win":
                    assert " to " in line["odds"] or line["odds"].startswith("win ")


@BOOKS
@pytest.mark.rule("PA-639a.11(c)(2)", "MA.10(c)(2)")
def test_every_seats_hand_is_named(book: str) -> None:
    for hand, own in FIVE_CARDS.items():
        done = played(book, rags([own]), seat(1, own, ante=500, bet=1000))
        assert done.hand(1) == ("pair" if hand.startswith("pair") else hand)
