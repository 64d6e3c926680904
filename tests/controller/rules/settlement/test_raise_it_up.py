"""Raise It Up Stud: three cards of one's own, three for everyone, one Play Wager."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controller.rules.rounds import Settled, folded, round_of, seat, settled

ENTRY = {"ante": 1000, "blind": 1000}
RAGS = "Kc 8d 3h"


def played(community: str, *seats: dict[str, Any], **more: Any) -> Settled:
    options = more.pop("options", {})
    return settled(round_of("pa-669a", options, community=community, seats=seats, **more))


@pytest.mark.rule(
    "PA-669a.11(i)(2)(i)", "PA-669a.11(i)(2)(ii)", "PA-669a.7(d)(1)", "PA-669a.7(d)(2)"
)
@pytest.mark.parametrize(
    ("own", "returns"),
    [
        ("9c 5d 2s", (0, 0, 0)),  # with a nine on the board: a pair of 9s
        ("Tc 5d 2s", (2000, 6000, 1000)),  # a pair of 10s
    ],
)
def test_a_pair_of_tens_wins_and_less_loses(own: str, returns: tuple[int, int, int]) -> None:
    done = played("9h Td Kc", seat(2, own, **ENTRY, play=3000))
    assert tuple(done.returns(2, wager) for wager in ("ante", "play", "blind")) == returns


@pytest.mark.rule("PA-669a.1[Push]", "PA-669a.12(d)")
def test_the_blind_pushes_on_two_pair() -> None:
    done = played("9h 9d Kc", seat(2, "Ks 5d 2s", **ENTRY, play=1000))
    blind = done.line(2, "blind")
    assert (blind["result"], blind["returns"]) == ("push", 1000)


@pytest.mark.rule("PA-669a.12(c)")
@pytest.mark.parametrize(("play", "returns"), [(1000, 2500), (1001, 2502)])
def test_three_to_two_rounds_a_half_cent_down(play: int, returns: int) -> None:
    done = played("9h 9d Kc", seat(2, "Ks 5d 2s", ante=play, blind=play, play=play))
    assert done.returns(2, "play") == returns


@pytest.mark.rule(
    "PA-669a.1[Community card]", "PA-669a.11(i)(2)", "PA-669a.6(b)(8)", "PA-669a.6(b)(4)"
)
def test_every_seat_uses_the_same_community_cards() -> None:
    done = played(
        "7c 7d 5h",
        seat(1, "7h 5s 5c", **ENTRY, play=1000),
        seat(2, "9s 9c 5d", **ENTRY, play=1000),
        seat(3, "Ts Jc Qd", **ENTRY, play=1000),
    )
    assert [done.hand(number) for number in (1, 2, 3)] == ["full house", "two pair", "pair"]
    assert [done.line(number, "ante")["result"] for number in (1, 2, 3)] == ["win", "win", "lose"]


@pytest.mark.rule("PA-669a.1[Community card]", "PA-669a.11(i)(2)")
def test_each_of_the_three_community_cards_may_be_the_one_that_is_needed() -> None:
    for community in ("Th 7d 2c", "7d Th 2c", "7d 2c Th"):
        done = played(
            community,
            seat(1, "Tc Ks 4d", **ENTRY, play=1000),
            seat(4, "Td Js 3d", **ENTRY, play=1000),
        )
        assert [done.line(number, "ante")["result"] for number in (1, 4)] == ["win", "win"]


@pytest.mark.rule("PA-669a.7(d)(5)", "PA-669a.11(i)(3)(ii)")
@pytest.mark.parametrize("own", ["8c 8d Ks", "Ks 8c 8d", "8c Ks 8d"])
@pytest.mark.parametrize("community", ["8h 4d 2c", "4d 8h 2c", "4d 2c 8h"])
def test_six_card_takes_three_of_a_kind_from_any_of_the_six_and_not_two_pair(
    own: str, community: str
) -> None:
    wagers = {**ENTRY, "six_card": 500}
    done = played(
        community,
        seat(2, own, **wagers, play=1000),
        folded(3, "4c 2s Kd", **wagers),
        options={"six_card": "A"},
    )
    assert done.returns(2, "six_card") == 500 + 5 * 500
    assert (done.hand(3), done.returns(3, "six_card")) == ("two pair", 0)


@pytest.mark.rule("PA-669a.11(i)(1)", "PA-669a.11(i)(3)")
def test_a_seat_is_settled_pair_plus_first_and_six_card_last() -> None:
    done = played(
        "9h 9d Kc",
        seat(6, "Ks 5d 5s", **ENTRY, play=1000, pair_plus=500, progressive=100, six_card=500),
        seat(1, "Qs 4d 2s", **ENTRY, play=1000),
        options={"progressive": True, "six_card": "A"},
        meters={"progressive": {"main": 150_000}},
    )
    assert done.order == [6, 1]
    kinds = [line["wager"] for line in done.lines(6)]
    assert kinds == ["pair_plus", "ante", "play", "blind", "progressive", "six_card"]
    assert done.returns(6, "pair_plus") == 1000


@pytest.mark.rule(
    "PA-669a.11(f)", "PA-669a.11(g)", "PA-669a.1[Fold]", "PA-669a.11(i)(3)(ii)", "PA-669a.7(d)(5)"
)
def test_a_fold_loses_ante_blind_and_progressive_and_keeps_the_rest() -> None:
    done = played(
        "8h 8d 2c",
        folded(3, "As Ks Qs", **ENTRY, progressive=100, six_card=500, pair_plus=500),
        folded(4, "8c 4d 3s", **ENTRY, progressive=100, six_card=500, pair_plus=500),
        seat(5, "Ah Kh Qh", **ENTRY, play=1000),
        options={"progressive": True, "six_card": "A"},
        meters={"progressive": {"main": 150_000}},
    )
    for number in (3, 4):
        for wager in ("ante", "blind", "progressive"):
            assert done.line(number, wager)["result"] == "lose"
    # The folded ace, king and queen of spades lies on the table, and others envy it.
    assert done.returns(3, "envy") == 25_00
    assert done.returns(4, "envy") == 25_00 + 100_00
    assert done.meters["progressive"]["main"] == 150_000
    assert done.returns(3, "pair_plus") == 500 + 40 * 500
    assert done.line(3, "six_card")["result"] == "lose"
    assert done.returns(4, "six_card") == 500 + 5 * 500
    assert done.lines(5, "envy") == []  # without a progressive wager


@pytest.mark.rule("PA-669a.11(f)", "PA-669a.11(i)(3)(i)(E)")
@pytest.mark.parametrize(
    ("side", "envy"),
    [
        ({}, 0),
        ({"pair_plus": 500}, 0),  # 11(f) does not leave it on the table for that
        ({"progressive": 100}, 100_00),
        ({"six_card": 500}, 100_00),
    ],
)
def test_a_folded_hand_is_envied_if_it_is_left_on_the_table(
    side: dict[str, int], envy: int
) -> None:
    done = played(
        "8h 8d 2c",
        folded(3, "As Ks Qs", **ENTRY, **side),
        seat(5, "9c 5d 4s", **ENTRY, play=1000, progressive=100),
        options={"progressive": True, "six_card": "A"},
        meters={"progressive": {"main": 150_000}},
    )
    assert done.returns(5, "envy") == envy
    assert done.lines(3, "envy") == []  # not for one's own hand


@pytest.mark.rule("PA-669a.7(d)(3)")
@pytest.mark.parametrize(("own", "returns"), [("2c 2d 9h", 1000), ("Ks 9c 4d", 0)])
def test_pair_plus_wins_on_any_pair_of_the_own_three(own: str, returns: int) -> None:
    done = played("Kh Kd 9s", seat(2, own, **ENTRY, play=1000, pair_plus=500))
    assert done.returns(2, "pair_plus") == returns


@pytest.mark.rule("PA-669a.12(e)(2)", "PA-669a.7(d)(4)", "PA-669a.11(i)(3)(i)", "PA-669a.12(e)(1)")
@pytest.mark.parametrize(
    ("own", "returns"),
    [
        ("8s 7s 6s", 70_00),  # a straight flush, not a straight as well
        ("Kd 9d 4d", 0),  # a flush is not paid
        ("3c 3d Kh", 0),  # nor a pair
        ("Qd Kc Ah", 6_00),
    ],
)
def test_the_progressive_looks_at_the_own_three_cards_only(own: str, returns: int) -> None:
    # The community cards would make a flush, a straight or trips of most of these, and are
    # themselves a straight flush or nothing.
    for community in ("3s 5d 2d", "Ts 9s Js"):
        done = played(
            community,
            seat(2, own, **ENTRY, play=1000, progressive=100),
            folded(4, "5s 6c 7c", **ENTRY, progressive=100),
            options={"progressive": True},
            meters={"progressive": {"main": 150_000}},
        )
        assert done.returns(2, "progressive") == returns
        assert done.returns(4, "progressive") == 0  # a straight, and folded


@pytest.mark.rule(
    "PA-669a.11(i)(3)(i)(E)", "PA-669a.1[Envy Bonus]", "PA-669a.1[Envy Bonus Qualifying Hand]"
)
def test_envy_for_other_seats_ace_king_queen() -> None:
    done = played(
        "8h 7d 2c",
        seat(1, "Kc Qc Jc", **ENTRY, play=1000),  # a straight flush is not enough
        seat(2, "As Ks Qs", **ENTRY, play=1000, progressive=100),
        seat(3, "9c 5d 4s", **ENTRY, play=1000, progressive=100),
        seat(5, "Ah Kh Qh", **ENTRY, play=1000, progressive=100),
        seat(6, "Ad Kd Qd", **ENTRY, play=1000),
        options={"progressive": True},
        meters={"progressive": {"main": 150_000}},
    )
    assert [done.returns(n, "envy") for n in (1, 2, 3, 5, 6)] == [0, 5000, 15000, 12500, 0]


@pytest.mark.rule("PA-669a.12(e)(4)", "PA-669a.12(e)(3)")
def test_ace_king_queen_of_spades_takes_the_meter_as_it_stands_at_that_seats_turn() -> None:
    done = played(
        "8h 7d 2c",
        seat(2, "As Ks Qs", **ENTRY, play=1000, progressive=500),
        seat(6, "4s 4d 4h", **ENTRY, play=1000, progressive=500),
        options={"progressive": True},
        meters={"progressive": {"main": 650_000}},
    )
    # Seat 6 is settled first: its 60 for 1 is paid from the rack, and the meter stays whole.
    assert done.returns(6, "progressive") == 30_000
    line = done.line(2, "progressive")
    assert (line["returns"], line["paid_by"], line["validate"]) == (650_000, "hand", "floorperson")
    assert done.meters["progressive"]["main"] == 500_000
