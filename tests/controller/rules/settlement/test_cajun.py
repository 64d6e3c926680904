"""Cajun Stud: two cards of one's own, three for everyone, three Raises against a paytable."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controller.rules.rounds import Settled, folded, round_of, seat, settled

REQUIRED = {"ante": 1000, "raise_1": 3000, "raise_2": 1000, "raise_3": 2000}


def played(community: str, *seats: dict[str, Any], **more: Any) -> Settled:
    options = more.pop("options", {})
    return settled(round_of("pa-683a", options, community=community, seats=seats, **more))


@pytest.mark.rule("PA-683a.11(h)(1)", "PA-683a.11(h)(2)", "PA-683a.6(b)(9)")
@pytest.mark.parametrize(
    ("own", "result", "returns"),
    [
        ("5c 5d", "lose", [0, 0, 0, 0]),
        ("6c 6d", "push", [1000, 3000, 1000, 2000]),
        ("Tc Td", "push", [1000, 3000, 1000, 2000]),
        ("Jc Jd", "win", [2000, 6000, 2000, 4000]),
        ("Kc Qd", "lose", [0, 0, 0, 0]),
    ],
)
def test_jacks_win_sixes_push_and_less_loses(own: str, result: str, returns: list[int]) -> None:
    done = played("Ah 8s 2c", seat(3, own, **REQUIRED))
    assert {line["result"] for line in done.lines(3)} == {result}
    assert [done.returns(3, wager) for wager in REQUIRED] == returns


@pytest.mark.rule("PA-683a.12(a)[B]")
def test_three_to_two_rounds_a_half_cent_down() -> None:
    wagers = {"ante": 501, "raise_1": 501, "raise_2": 1002, "raise_3": 1503}
    done = played("Ah 8s 8c", seat(3, "Ac 2d", **wagers), options={"ante": "B"})
    assert [done.returns(3, wager) for wager in wagers] == [1252, 1252, 2505, 3757]


@pytest.mark.rule("PA-683a.1[Community card]", "PA-683a.1[Board Bonus Wager]")
def test_community_cards_count_for_everyone_and_the_board_pays_all_alike() -> None:
    done = played(
        "Ah Ad 8c",
        seat(1, "As 8d", **REQUIRED, board=500),
        seat(6, "Kc Qc", **REQUIRED, board=300),
        options={"board": "A"},
    )
    assert [done.hand(1), done.hand(6)] == ["full house", "pair"]
    assert [done.returns(1, "board"), done.returns(6, "board")] == [1000, 600]
    assert done.order == [6, 1]


@pytest.mark.rule("PA-683a.11(i)(2)(i)", "PA-683a.11(i)(2)(ii)", "PA-683a.7(d)(3)")
def test_the_board_bonus_looks_at_the_community_cards_alone() -> None:
    board: dict[str, Any] = {"options": {"board": "A"}}
    trips = played("8h 8d 8c", seat(3, "Kc 2d", **REQUIRED, board=500), **board)
    assert trips.returns(3, "board") == 500 + 30 * 500
    # Own aces with an ace on the board are no pair of the board's.
    none = played("Ah Td 6c", seat(3, "As Ac", **REQUIRED, board=500), **board)
    assert none.returns(3, "board") == 0


SIDE = {"pocket": 500, "board": 500, "lo_ball": 500, "all_six": 500}
SIDE_OPTIONS = {"pocket": "A", "board": "A", "lo_ball": "A", "all_six": "A"}


@pytest.mark.parametrize(
    "wagers",
    [
        pytest.param({"ante": 1000}, marks=pytest.mark.rule("PA-683a.11(b)", "PA-683a.1[Fold]")),
        pytest.param({"ante": 1000, "raise_1": 3000}, marks=pytest.mark.rule("PA-683a.11(d)")),
        pytest.param(
            {"ante": 1000, "raise_1": 3000, "raise_2": 1000},
            marks=pytest.mark.rule("PA-683a.11(f)"),
        ),
    ],
)
@pytest.mark.rule(
    "PA-683a.11(i)",
    "PA-683a.11(i)(1)(ii)",
    "PA-683a.11(i)(2)(ii)",
    "PA-683a.11(i)(3)(i)",
    "PA-683a.11(i)(4)(ii)",
)
def test_a_fold_loses_what_was_raised_and_the_side_wagers_live_on(wagers: dict[str, int]) -> None:
    done = played(
        "9h 9d Kc",
        folded(3, "Jc Jd", **wagers, **SIDE),
        extra="Jh 4s 3c 2d",
        options=SIDE_OPTIONS,
    )
    street = {1: "PA-683a.11(b)", 2: "PA-683a.11(d)", 3: "PA-683a.11(f)"}[len(wagers)]
    for wager in wagers:
        assert (done.line(3, wager)["result"], done.returns(3, wager)) == ("lose", 0)
        assert done.line(3, wager)["clause"] == street
    assert [line["wager"] for line in done.lines(3)] == [*wagers, *SIDE]
    assert [done.returns(3, wager) for wager in SIDE] == [3000, 1000, 0, 3000]


@pytest.mark.rule(
    "PA-683a.7(d)(2)",
    "PA-683a.7(d)(3)",
    "PA-683a.7(d)(5)",
    "PA-683a.11(i)(1)(i)",
    "PA-683a.11(i)(2)(i)",
    "PA-683a.11(i)(4)(i)",
)
def test_side_wagers_that_lose() -> None:
    done = played(
        "9h 7d Kc", seat(3, "Ac Td", **REQUIRED, **SIDE), extra="Jh Js 3c Ad", options=SIDE_OPTIONS
    )
    # Ace-ten is no pocket, the board has no pair, ace-high is not low, two pair is not trips.
    assert [done.returns(3, wager) for wager in SIDE] == [0, 0, 0, 0]


@pytest.mark.rule("PA-683a.7(d)(4)", "PA-683a.11(i)(3)(i)", "PA-683a.11(i)(3)(ii)")
@pytest.mark.parametrize(
    ("own", "community", "a", "b"),
    [
        ("Js 9c", "7d 4h 2c", 1000, 1000),  # jack high
        ("Qs 9c", "7d 4h 2c", 0, 500),  # queen high: lost, or a push
        ("Ks 9c", "7d 4h 2c", 0, 0),
        ("2s 9c", "7d 4h 2c", 0, 0),  # a pair
        ("As 5c", "3d 4h 2c", 0, 0),  # a straight
        ("7c 5c", "3c 4c 2c", 0, 0),  # a flush
        ("7s 5c", "3d 4h 2c", 50_500, 50_500),  # the lowest there is
    ],
)
def test_lo_ball_wants_nothing_at_all(own: str, community: str, a: int, b: int) -> None:
    for column, returns in (("A", a), ("B", b)):
        done = played(community, seat(3, own, **REQUIRED, lo_ball=500), options={"lo_ball": column})
        assert done.returns(3, "lo_ball") == returns


@pytest.mark.rule("PA-683a.6(e)", "PA-683a.6(e)(1)", "PA-683a.7(d)(5)")
def test_all_six_uses_its_own_four_cards_and_not_the_community() -> None:
    own, community = "Ah Kh", "Qd Jd Td"  # a straight on the table counts for nothing here
    royal = {"A": 1000, "E": 20_000}
    for column, times in royal.items():
        done = played(
            community,
            seat(3, own, **REQUIRED, all_six=100),
            extra="Qh Jh Th 9h",
            options={"all_six": column},
        )
        assert done.returns(3, "all_six") == 100 + times * 100
    lost = played(
        community,
        seat(3, own, **REQUIRED, all_six=100),
        extra="Qh 9s 5c 2d",
        options={"all_six": "A"},
    )
    assert lost.returns(3, "all_six") == 0


@pytest.mark.rule("PA-683a.12(f)")
def test_the_payout_limit_covers_ante_and_raises_and_nothing_else() -> None:
    wagers = {"ante": 5_000, "raise_1": 5_000, "raise_2": 5_000, "raise_3": 5_000}
    done = played(
        "Qh Jh Th",
        seat(3, "Ah Kh", **wagers, pocket=1_000_000, board=500, all_six=10_000),
        extra="Qd Qs Qc 9c",
        options={"pocket": "A", "board": "A", "all_six": "A", "payout_limit": 6_000_000},
    )
    assert [done.returns(3, wager) for wager in wagers] == [2_505_000, 2_505_000, 1_005_000, 5_000]
    assert [done.line(3, w).get("cut", 0) for w in wagers] == [0, 0, 1_500_000, 2_500_000]
    assert done.returns(3, "pocket") == 21_000_000
    assert done.returns(3, "all_six") == 10_000 + 5 * 10_000
    assert done.returns(3, "board") == 500 + 40 * 500
