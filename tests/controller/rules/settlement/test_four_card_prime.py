"""Four Card Prime: the best four of five against the best four of the dealer's six."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controller.rules.rounds import Settled, folded, round_of, seat, settled

WORST_DEALER = "Kc Jd 9h 5s 3c 2d"


def played(dealer: str, *seats: dict[str, Any], **more: Any) -> Settled:
    options = more.pop("options", {})
    return settled(round_of("pa-682a", options, dealer=dealer, seats=seats, **more))


def raised(number: int, own: str, /, **wagers: int) -> dict[str, Any]:
    return seat(number, own, **{"ante": 1000, "raise": 3000, **wagers})


@pytest.mark.rule("PA-682a.11(d)(2)(i)", "PA-682a.12(a)", "PA-682a.6(c)")
@pytest.mark.parametrize(
    ("own", "wins"),
    [
        ("Ah Qc 8d 6h 4s", True),  # higher
        ("Kh Jc 9d 5c 2h", True),  # equal in four cards; the fifth never breaks a tie
        ("Kh Jc 9d 4c 2h", False),
    ],
)
def test_a_higher_or_equal_hand_wins_even_money(own: str, wins: bool) -> None:
    done = played(WORST_DEALER, raised(3, own))
    returns = (done.returns(3, "ante"), done.returns(3, "raise"))
    assert returns == ((2000, 6000) if wins else (0, 0))
    assert done.dealer == {"hand": "high card"}


@pytest.mark.rule("PA-682a.11(d)(2)(ii)(A)")
def test_a_lower_hand_without_trips_loses_both() -> None:
    done = played("8c 8d 9h 5s 3c 2d", raised(3, "7c 7d Kh Qs 4c"))
    assert [line["result"] for line in done.lines(3)] == ["lose", "lose"]


@pytest.mark.rule("PA-682a.11(d)(2)(ii)(B)", "PA-682a.1[Bad Beat Bonus]")
def test_a_bad_beat_gets_the_ante_back_with_its_bonus() -> None:
    done = played(
        "8c 8d 8h 5s 3c 2d",
        raised(3, "7c 7d 7h Qs 4c"),
        raised(4, "Ah Kh 9h 6h 4s"),
        options={"bad_beat": "B"},
    )
    assert [done.returns(3, wager) for wager in ("ante", "raise", "bad_beat")] == [1000, 0, 5000]
    # A flush that loses is no bad beat.
    assert [line["wager"] for line in done.lines(4)] == ["ante", "raise"]
    assert done.returns(4, "ante") == 0


@pytest.mark.rule("PA-682a.11(d)(2)(i)", "PA-682a.1[Win Bonus]")
def test_equal_straight_flushes_win_with_their_bonus() -> None:
    done = played("9h 8h 7h 6h 3c 2d", raised(3, "9s 8s 7s 6s Kc"))
    returns = [done.returns(3, wager) for wager in ("ante", "raise", "win_bonus")]
    assert returns == [2000, 6000, 20_000]


@pytest.mark.rule("PA-682a.1[Win Bonus]", "PA-682a.12(b)")
def test_a_straight_or_a_flush_wins_without_a_bonus() -> None:
    done = played(WORST_DEALER, raised(3, "Ah Kh 8h 6h 4s"), raised(4, "9c 8d 7h 6s 2c"))
    assert done.lines(3, "win_bonus") == done.lines(4, "win_bonus") == []


@pytest.mark.rule(
    "PA-682a.11(b)",
    "PA-682a.11(e)",
    "PA-682a.11(e)(1)(i)",
    "PA-682a.11(e)(1)(ii)",
    "PA-682a.11(e)(2)(i)",
    "PA-682a.11(e)(2)(ii)",
    "PA-682a.11(e)(3)(i)",
    "PA-682a.11(e)(3)(ii)",
)
def test_a_fold_loses_the_ante_and_the_side_wagers_live_on() -> None:
    side = {"prime": 500, "aces": 500, "all_six": 500}
    done = played(
        WORST_DEALER,
        folded(2, "Ts 8s 7c 4c 6d", ante=1000, **side),  # four black, nothing
        folded(3, "Ac Ad Qs Qh 6c", ante=1000, **side),  # two red, three black
        folded(4, "Th Td 8h 7d 6h", ante=1000, **side),  # five red, a pair of 10s
        extra="Qd",
        options={"prime": "A", "aces": "A", "aces_bonus_cards": 5, "all_six": "A"},
    )
    assert done.order == [4, 3, 2]
    assert [line["wager"] for line in done.lines(3)] == ["ante", "prime", "aces", "all_six"]
    assert [done.returns(3, w) for w in ("ante", *side)] == [0, 0, 1500, 13_000]
    assert [done.returns(4, w) for w in ("ante", *side)] == [0, 3500, 0, 0]
    assert [done.returns(2, w) for w in ("ante", *side)] == [0, 1000, 0, 0]


@pytest.mark.rule("PA-682a.7(d)(2)")
@pytest.mark.parametrize(
    ("own", "returns"),
    [
        ("Kh Jd 8h 5d 2h", 3500),
        ("Kh Jd 8h 5d 2s", 1000),
        ("Kh Jd 8h 5c 2s", 0),
        ("Kh Jd 8s 5c 2s", 0),
        ("Kh Jc 8s 5c 2s", 1000),
        ("Ks Jc 8s 5c 2s", 3500),
    ],
)
def test_prime_counts_colours(own: str, returns: int) -> None:
    done = played("Qc Td 9h 6s 4c 3d", raised(3, own, prime=500), options={"prime": "A"})
    assert done.returns(3, "prime") == returns


@pytest.mark.rule("PA-682a.7(d)(3)", "PA-682a.6(d)", "PA-682a.11(e)(2)(i)", "PA-682a.11(e)(2)(ii)")
@pytest.mark.parametrize(
    ("own", "four", "five"),
    [
        ("Ac Ad 9h 7s 4c", 1000, 1000),  # a pair of aces
        ("Kc Kd 9h 7s 4c", 0, 0),
        ("Ad 9d 6d 2d Ks", 3000, 0),  # a flush of four cards
        ("9c 8d 7h 6s 2c", 2500, 0),  # a straight of four cards
    ],
)
def test_the_aces_bonus_counts_four_cards_or_five(own: str, four: int, five: int) -> None:
    for count, returns in ((4, four), (5, five)):
        done = played(
            "Qc Td 8h 5s 3c 3d",
            raised(3, own, aces=500),
            options={"aces": "A", "aces_bonus_cards": count},
        )
        assert done.returns(3, "aces") == returns


@pytest.mark.rule("PA-682a.7(d)(4)", "PA-682a.6(e)", "PA-682a.6(e)(1)", "PA-682a.6(e)(8)")
def test_all_six_joins_the_extra_card_to_the_own_five() -> None:
    own, dealer = "Ad Kd Qd Jd Td", "Qc Tc 8h 5s 3c 3d"
    for column, extra, times in (
        ("A", "9d", 1000),
        ("E", "9d", 200_000),
        ("E", "2c", 1000),
    ):
        done = played(dealer, raised(3, own, all_six=500), extra=extra, options={"all_six": column})
        assert done.returns(3, "all_six") == 500 + times * 500
    trips = played(
        dealer, raised(3, "7c 7d Kh 9s 2c", all_six=500), extra="7h", options={"all_six": "A"}
    )
    assert trips.returns(3, "all_six") == 3000
    two_pair = played(
        dealer, raised(3, "7c 7d Kh 9s 2c", all_six=500), extra="9h", options={"all_six": "A"}
    )
    assert two_pair.returns(3, "all_six") == 0


# --- The payout limit -------------------------------------------------------

LIMITED = {"aces": "A", "aces_bonus_cards": 5, "all_six": "E", "payout_limit": 5_000_000}


@pytest.mark.rule("PA-682a.12(g)")
def test_the_limit_is_used_up_by_aces_first_and_never_touches_a_stake() -> None:
    done = played(
        "Qc Tc 8h 5s 3c 3d",
        raised(3, "Ah Kh Qh Jh Th", aces=60_000, all_six=10_000),
        raised(5, "As Ks Qs Js Ts", aces=200_000, all_six=10_000),
        extra="2c",
        options=LIMITED,
    )
    # Seat 3: 50 x $600 = $30,000 leaves $20,000 of the royal's $100,000.
    assert (done.returns(3, "aces"), done.returns(3, "all_six")) == (3_060_000, 2_010_000)
    assert done.line(3, "all_six")["cut"] == 8_000_000
    # Seat 5: the Aces Bonus uses it all; the All-Six gets its stake back and no more.
    assert (done.returns(5, "aces"), done.returns(5, "all_six")) == (5_200_000, 10_000)
    # Ante, Raise and Win Bonus are not covered.
    assert done.returns(5, "win_bonus") == 20_000


@pytest.mark.rule("PA-682a.12(g)")
def test_a_six_card_royal_is_neither_counted_nor_cut() -> None:
    done = played(
        "Qc Tc 8h 5s 3c 3d",
        raised(3, "Ad Kd Qd Jd Td", aces=100_000, all_six=100_000),
        extra="9d",
        options=LIMITED,
    )
    assert done.returns(3, "aces") == 5_100_000
    assert done.returns(3, "all_six") == 100_000 + 200_000 * 100_000
