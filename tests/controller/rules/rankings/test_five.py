"""Five-card hands: who beats whom at Caribbean Stud, Raise It Up and Cajun Stud.

Three rulebooks of Caribbean Stud rank five-card hands in almost the same words, so most of
these hands speak for all three. Raise It Up makes its five out of six; those hands stand apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.cards import ACE, DECK, KING, RANK_NAMES, TWO, cards
from controller.rules.rankings import FIVE
from controller.rules.rankings.five import best_five, five

#: One hand of each kind, the best first, and what it is called.
LADDER = {
    "As Ks Qs Js Ts": "royal flush",
    "9d 8d 7d 6d 5d": "straight flush",
    "8c 8d 8h 8s 3c": "four-of-a-kind",
    "Jc Jd Jh 4s 4c": "full house",
    "Kh Jh 8h 4h 2h": "flush",
    "Tc 9d 8h 7s 6c": "straight",
    "5c 5d 5h Ks 2c": "three-of-a-kind",
    "Qc Qd 7h 7s Ac": "two pair",
    "4c 4d As 8h 6c": "pair",
    "Ac Kd 9h 6s 3c": "ace-king",
    "Ac Qd 9h 6s 3c": "ace high",
    "Kc Qd 9h 6s 3c": "king high",
}

hands_of_five = st.lists(st.sampled_from(DECK), min_size=5, max_size=5, unique=True)
hands_of_six = st.lists(st.sampled_from(DECK), min_size=6, max_size=6, unique=True)


def strength(text: str) -> int:
    return five(cards(text))


def called(text: str) -> str:
    return FIVE.called(FIVE.strength(cards(text)))


def descends(hands: Iterable[str]) -> bool:
    """Each hand beats the one after it."""
    return all(strength(better) > strength(worse) for better, worse in pairwise(hands))


def mixed(*ranks: int) -> tuple[int, ...]:
    """Cards of these ranks, with the suits going round, so that they make no flush."""
    return tuple(rank * 4 + n % 4 for n, rank in enumerate(ranks))


def suited(*ranks: int) -> tuple[int, ...]:
    return tuple(rank * 4 for rank in ranks)


# The order of the kinds.


@pytest.mark.rule(
    "PA-639a.6(b)",
    "S10.(a)(1)(ix)",
    "S10.(e)(2)",
    "MA.1[Rank]",
    "MA.5(b)",
    "PA-683a.6(b)",
)
def test_the_kinds_of_hand_stand_in_the_order_of_the_ranking_section() -> None:
    assert descends(LADDER)
    assert [called(hand) for hand in LADDER] == list(LADDER.values())


@pytest.mark.rule("PA-639a.6(b)", "S10.(e)(2)", "MA.5(b)", "PA-683a.6(b)", "PA-669a.6(b)")
@pytest.mark.parametrize(
    ("lowest_of_the_better_kind", "highest_of_the_worse_kind"),
    [
        ("As Ks Qs Js Ts", "Ks Qs Js Ts 9s"),
        ("5d 4d 3d 2d Ad", "Ac Ad Ah As Kc"),
        ("2c 2d 2h 2s 3c", "Ac Ad Ah Ks Kc"),
        ("2c 2d 2h 3s 3c", "Ah Kh Qh Jh 9h"),
        ("7c 5c 4c 3c 2c", "Ac Kd Qh Js Tc"),
        ("5c 4d 3h 2s Ac", "Ac Ad Ah Ks Qc"),
        ("2c 2d 2h 4s 3c", "Ac Ad Kh Ks Qc"),
        ("3c 3d 2h 2s 4c", "Ac Ad Kh Qs Jc"),
        ("2c 2d 5h 4s 3c", "Ac Kd Qh Js 9c"),
    ],
)
def test_the_lowest_hand_of_a_kind_beats_the_highest_of_the_kind_below(
    lowest_of_the_better_kind: str, highest_of_the_worse_kind: str
) -> None:
    assert strength(lowest_of_the_better_kind) > strength(highest_of_the_worse_kind)
    assert called(lowest_of_the_better_kind) != called(highest_of_the_worse_kind)


# The cards.


@pytest.mark.rule("PA-639a.6(a)", "S10.(e)(1)", "MA.5(a)", "PA-669a.6(a)", "PA-683a.6(a)")
def test_ranks_run_from_the_ace_down_to_the_two() -> None:
    order = "AKQJT98765432"
    assert descends(
        f"{rank}c {rank}d {rank}h {rank}s {'2' if rank == 'A' else 'A'}c" for rank in order
    )
    assert descends(f"Kc Qd Jh 9s {rank}c" for rank in "A8765432")


@pytest.mark.rule("PA-639a.6(a)", "S10.(e)(1)", "MA.5(a)", "PA-669a.6(a)", "PA-683a.6(a)")
def test_an_ace_completes_the_straight_below_the_two() -> None:
    assert called("Ac 2d 3h 4s 5c") == "straight"
    assert called("Ac 2c 3c 4c 5c") == "straight flush"


@pytest.mark.rule("S10.(e)(1)", "MA.5(a)")
def test_the_ace_counts_low_in_that_straight_only() -> None:
    assert strength("Ac 2d 3h 4s 5c") < strength("2d 3h 4s 5c 6d")
    assert called("Ac 2d 3h 4s 6c") == "ace high"
    assert strength("Ac 2d 3h 4s 6c") > strength("Kc Qd Jh Ts 8c")
    assert strength("Ac Ad 3h 4s 5c") > strength("Kc Kd 3h 4s 5c")


@pytest.mark.rule(
    "PA-639a.6(a)",
    "S10.(e)(1)",
    "S10.(e)(2)(vi)",
    "MA.5(a)",
    "MA.5(b)(6)",
    "PA-669a.6(a)",
    "PA-683a.6(a)",
)
@pytest.mark.parametrize("ranks", ["Q K A 2 3", "K A 2 3 4", "J Q K A 2"])
def test_no_sequence_goes_round_the_ace(ranks: str) -> None:
    one_suit = " ".join(rank + "h" for rank in ranks.split())
    assert called(one_suit) == "flush"
    assert called(one_suit.replace("Ah", "As")) == "ace-king"


@pytest.mark.rule(
    "PA-639a.6(a)",
    "S10.(a)(1)(xii)",
    "MA.1[Suit]",
    "PA-669a.6(a)",
    "PA-683a.6(a)",
)
@pytest.mark.parametrize("hand", LADDER)
def test_no_suit_is_higher_than_another(hand: str) -> None:
    for suits in permutations("cdhs"):
        assert strength(hand.translate(str.maketrans("cdhs", "".join(suits)))) == strength(hand)


@pytest.mark.rule("S10.(a)(1)(xii)", "MA.1[Suit]")
@given(hands_of_five, st.permutations(range(4)))
def test_changing_suits_never_changes_what_a_hand_is_worth(
    hand: list[int], suits: list[int]
) -> None:
    assert five([card & ~3 | suits[card & 3] for card in hand]) == five(hand)


# One kind after the other.


@pytest.mark.rule("PA-639a.6(b)(1)", "S10.(e)(2)(i)", "MA.5(b)(1)", "PA-683a.6(b)(1)")
@pytest.mark.parametrize("suit", "cdhs")
def test_ace_to_ten_of_one_suit_is_the_royal_flush(suit: str) -> None:
    royal = f"A{suit} K{suit} Q{suit} J{suit} T{suit}"
    assert called(royal) == "royal flush"
    assert strength(royal) > strength(f"K{suit} Q{suit} J{suit} T{suit} 9{suit}")
    another = "h" if suit != "h" else "s"
    assert called(royal.replace(f"T{suit}", f"T{another}")) == "straight"
    assert called(royal.replace(f"T{suit}", f"9{suit}")) == "flush"
    assert called(f"K{suit} Q{suit} J{suit} T{suit} 9{suit}") == "straight flush"


@pytest.mark.rule("PA-639a.6(b)(2)", "S10.(e)(2)(ii)", "MA.5(b)(2)")
def test_straight_flushes_go_from_king_high_down_to_five_high() -> None:
    runs = ["KQJT9", "QJT98", "JT987", "T9876", "98765", "87654", "76543", "65432", "5432A"]
    hands = [" ".join(rank + "d" for rank in run) for run in runs]
    assert descends(hands)
    assert {called(hand) for hand in hands} == {"straight flush"}


@pytest.mark.rule("PA-639a.6(b)(2)", "PA-683a.6(b)(2)")
def test_a_straight_flush_takes_one_suit_and_a_run_and_is_no_royal() -> None:
    assert called("9h 8h 7h 6h 5h") == "straight flush"
    assert called("9h 8h 7h 6h 5s") == "straight"
    assert called("9h 8h 7h 6h 4h") == "flush"
    assert called("Kh Qh Jh Th 9h") == "straight flush"
    assert called("Ah Kh Qh Jh Th") == "royal flush"


@pytest.mark.rule("PA-639a.6(b)(3)", "S10.(e)(2)(iii)", "MA.5(b)(3)")
def test_four_aces_are_the_best_four_of_a_kind_and_four_twos_the_lowest() -> None:
    assert strength("Ac Ad Ah As 2c") > strength("Kc Kd Kh Ks Ac")
    assert strength("2c 2d 2h 2s Ac") < strength("3c 3d 3h 3s 4c")
    fours = [mixed(*[rank] * 4, ACE if rank != ACE else TWO) for rank in range(13)]
    assert [five(hand) for hand in fours] == sorted({five(hand) for hand in fours})
    assert {FIVE.called(five(hand)) for hand in fours} == {"four-of-a-kind"}


@pytest.mark.rule("PA-683a.6(b)(3)")
def test_four_of_a_kind_takes_all_four() -> None:
    assert called("Qc Qd Qh Qs 2c") == "four-of-a-kind"
    assert called("2c 2d 2h 2s Ac") == "four-of-a-kind"
    assert called("Qc Qd Qh 2s 2c") != "four-of-a-kind"


@pytest.mark.rule("PA-639a.6(b)(4)", "S10.(e)(2)(iv)", "MA.5(b)(4)")
def test_full_houses_go_by_the_three_and_then_by_the_pair() -> None:
    assert strength("3c 3d 3h 2s 2c") > strength("2c 2d 2h As Ac")
    assert descends(["7c 7d 7h As Ac", "7c 7d 7h 5s 5c", "7c 7d 7h 4s 4c", "6c 6d 6h As Ac"])
    houses = [mixed(a, a, a, b, b) for a, b in permutations(range(13), 2)]
    assert max(map(five, houses)) == strength("Ac Ad Ah Ks Kc")
    assert min(map(five, houses)) == strength("2c 2d 2h 3s 3c")
    assert {FIVE.called(five(hand)) for hand in houses} == {"full house"}


@pytest.mark.rule("PA-683a.6(b)(4)")
def test_a_full_house_is_three_and_two() -> None:
    assert called("2c 2d 2h As Ac") == "full house"
    assert called("Ac Ad Ah 2s 2c") == "full house"
    assert called("Ac Ad Ah 2s 3c") == "three-of-a-kind"
    assert called("Ac Ad 2h 2s 3c") == "two pair"


@pytest.mark.rule("PA-639a.6(b)(5)")
def test_flushes_go_card_by_card_from_ace_king_queen_jack_nine_down_to_seven_high() -> None:
    flushes = [
        hand
        for ranks in combinations(range(13), 5)
        if FIVE.called(five(hand := suited(*ranks))) == "flush"
    ]
    assert len(flushes) == 1287 - 10
    assert max(map(five, flushes)) == strength("Ah Kh Qh Jh 9h")
    assert min(map(five, flushes)) == strength("7h 5h 4h 3h 2h")
    assert descends(
        [
            "Ah Kh Qh Jh 9h",
            "Ah Kh Qh Jh 8h",
            "Ah Kh Qh Th 9h",
            "Ah Kh Jh Th 9h",
            "Ah Qh Jh Th 9h",
            "Kh Qh Jh Th 8h",
        ]
    )


@pytest.mark.rule("PA-639a.6(b)(5)", "S10.(e)(2)(v)", "MA.5(b)(5)", "PA-683a.6(b)(5)")
def test_five_of_one_suit_are_a_flush_unless_they_run() -> None:
    assert called("7s 5s 4s 3s 2s") == "flush"
    assert called("6s 5s 4s 3s 2s") == "straight flush"
    assert called("Ad Kd Qd Jd 9d") == "flush"
    assert called("Ad Kd Qd Jd 9c") == "ace-king"
    assert strength("6s 5s 4s 3s 2s") > strength("As Ks Qs Js 9s")


@pytest.mark.rule("PA-639a.6(b)(6)", "S10.(e)(2)(vi)", "MA.5(b)(6)")
def test_straights_go_from_ace_high_down_to_five_high() -> None:
    runs = [
        *("AKQJT", "KQJT9", "QJT98", "JT987", "T9876"),
        *("98765", "87654", "76543", "65432", "5432A"),
    ]
    hands = [" ".join(rank + suit for rank, suit in zip(run, "cdhsc", strict=True)) for run in runs]
    assert descends(hands)
    assert {called(hand) for hand in hands} == {"straight"}


@pytest.mark.rule("PA-639a.6(b)(6)", "S10.(e)(2)(vi)", "MA.5(b)(6)", "PA-683a.6(b)(6)")
def test_a_straight_is_five_in_a_row_of_more_than_one_suit() -> None:
    assert called("8c 7d 6h 5s 4c") == "straight"
    assert called("8c 7c 6c 5c 4s") == "straight"
    assert called("8c 7c 6c 5c 4c") == "straight flush"
    assert called("9c 7d 6h 5s 4c") == "9 high"
    assert called("8c 7d 6h 5s 5c") == "pair"


@pytest.mark.rule("PA-639a.6(b)(7)", "S10.(e)(2)(vii)", "MA.5(b)(7)")
def test_three_aces_are_the_best_three_of_a_kind_and_three_twos_the_lowest() -> None:
    assert strength("3c 3d 3h Ks 2c") > strength("2c 2d 2h As Kc")
    # Even with the worst kickers against the best of the rank below.
    for rank in range(1, 13):
        low = [other for other in range(13) if other != rank][:2]
        high = [other for other in range(13) if other != rank - 1][-2:]
        better, worse = mixed(*[rank] * 3, *low), mixed(*[rank - 1] * 3, *high)
        assert five(better) > five(worse)
        assert FIVE.called(five(better)) == FIVE.called(five(worse)) == "three-of-a-kind"


@pytest.mark.rule("PA-683a.6(b)(7)")
def test_three_of_a_kind_is_three_with_two_odd_cards() -> None:
    assert called("8c 8d 8h Ks 2c") == "three-of-a-kind"
    assert called("8c 8d 8h Ks Kc") == "full house"
    assert called("8c 8d 7h Ks 2c") == "pair"


@pytest.mark.rule("PA-639a.6(b)(8)", "S10.(e)(2)(viii)", "MA.5(b)(8)")
def test_two_pair_go_by_the_higher_pair_and_then_by_the_lower() -> None:
    assert strength("Kc Kd 2h 2s Ac") > strength("Qc Qd Jh Js Ac")
    assert descends(["9c 9d 8h 8s 2c", "9c 9d 7h 7s Ac", "9c 9d 2h 2s 3c", "8c 8d 7h 7s Ac"])
    pairs = [
        mixed(a, a, b, b, odd)
        for a, b in combinations(range(13), 2)
        for odd in range(13)
        if odd not in (a, b)
    ]
    assert max(map(five, pairs)) == strength("Ac Ad Kh Ks Qc")
    assert min(map(five, pairs)) == strength("3c 3d 2h 2s 4c")
    assert {FIVE.called(five(hand)) for hand in pairs} == {"two pair"}


@pytest.mark.rule("PA-683a.6(b)(8)")
def test_two_pair_are_two_different_pairs() -> None:
    assert called("9c 9d 4h 4s Ac") == "two pair"
    assert called("9c 9d 4h 5s Ac") == "pair"
    assert called("9c 9d 4h 4s 4c") == "full house"


@pytest.mark.rule("PA-639a.6(b)(9)", "S10.(e)(2)(ix)", "MA.5(b)(9)")
def test_two_aces_are_the_best_pair_and_two_twos_the_lowest() -> None:
    assert strength("3c 3d 6h 5s 4c") > strength("2c 2d Ah Ks Qc")
    for rank in range(1, 13):
        low = [other for other in range(13) if other != rank][:3]
        high = [other for other in range(13) if other != rank - 1][-3:]
        better, worse = mixed(rank, rank, *low), mixed(rank - 1, rank - 1, *high)
        assert five(better) > five(worse)
        assert FIVE.called(five(better)) == FIVE.called(five(worse)) == "pair"


@pytest.mark.rule("PA-683a.6(b)(9)")
@pytest.mark.parametrize(
    ("pair", "pushes", "wins"),
    [
        ("2c 2d Ah Ks Qc", False, False),
        ("5c 5d Ah Ks Qc", False, False),
        ("6c 6d 2h 3s 4c", True, False),
        ("8c 8d 2h 3s 4c", True, False),
        ("Tc Td Ah Ks Qc", True, False),
        ("Jc Jd 2h 3s 4c", False, True),
        ("Ac Ad 2h 3s 4c", False, True),
    ],
)
def test_the_rank_of_a_pair_tells_pay_from_push_from_loss(
    pair: str, pushes: bool, wins: bool
) -> None:
    push, win = FIVE.spans["pair of 6s to 10s"], FIVE.spans["pair of jacks or better"]
    assert called(pair) == "pair"
    assert (push.low <= strength(pair) <= push.high) is pushes
    assert (win.low <= strength(pair) <= win.high) is wins


# Two hands of the same kind.


@pytest.mark.rule("PA-639a.6(c)", "S10.(e)(3)", "MA.5(c)")
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        # The kind's own order first: a higher pair beats a higher odd card, and a low ace is low.
        ("3c 3d 6h 5s 4c", "2c 2d Ah Ks Qc"),
        ("3c 3d 2h 2s 4c", "2c 2d Ah Ks Qc"),
        ("Kc Kd 2h 2s 3c", "Qc Qd Jh Js Ac"),
        ("3c 3d 3h 5s 4c", "2c 2d 2h As Kc"),
        ("6c 5d 4h 3s 2c", "5c 4d 3h 2s Ac"),
        ("6c 5c 4c 3c 2c", "5c 4c 3c 2c Ac"),
        # Then the highest card that the other hand lacks.
        ("9c 9d 4h 4s 6c", "9h 9s 4c 4d 5c"),
        ("9c 9d Ah 3s 2c", "9h 9s Kc Qd Jh"),
        ("9c 9d Ah 4s 2c", "9h 9s Ac 3d 2h"),
        ("9c 9d Ah 4s 3c", "9h 9s Ac 4d 2h"),
        ("Ac Jd 9h 6s 3c", "Kc Qd Jh Ts 8c"),
        ("Ac Kd 4h 3s 2c", "Ad Qc Jh Ts 9c"),
        ("Ac Kd Qh 4s 2c", "Ad Kc Jh Ts 9c"),
        ("Ac Kd Qh 9s 2c", "Ad Kc Qs 8h 7c"),
        ("Ac Kd Qh 9s 3c", "Ad Kc Qs 9h 2c"),
        ("Ah Jh 9h 6h 3h", "As Js 9s 6s 2s"),
    ],
)
def test_of_two_hands_of_one_kind_the_higher_is(better: str, worse: str) -> None:
    assert strength(better) > strength(worse)


@pytest.mark.rule("PA-639a.6(c)", "PA-639a.6(a)", "S10.(e)(3)", "MA.5(c)")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("As Ks Qs Js Ts", "Ah Kh Qh Jh Th"),
        ("5s 4s 3s 2s As", "5h 4h 3h 2h Ah"),
        ("Ah Jh 9h 6h 3h", "As Js 9s 6s 3s"),
        ("Tc 9d 8h 7s 6c", "Td 9c 8s 7h 6d"),
        ("9c 9d 4h 4s 6c", "9h 9s 4c 4d 6h"),
        ("9c 9d Ah 3s 2c", "9h 9s Ac 3d 2h"),
        ("Ac Kd Qh 9s 2c", "Ad Kc Qs 9h 2d"),
    ],
)
def test_hands_of_the_same_ranks_tie(one: str, other: str) -> None:
    assert strength(one) == strength(other)


@given(hands_of_five.flatmap(lambda hand: st.tuples(st.just(hand), st.permutations(hand))))
def test_a_hand_is_worth_the_same_in_whatever_order_it_is_dealt(
    dealt: tuple[list[int], list[int]],
) -> None:
    assert five(dealt[0]) == five(dealt[1])


@pytest.mark.rule("PA-639a.6(c)", "S10.(e)(3)", "MA.5(c)")
@given(hands_of_five, hands_of_five)
def test_hands_tie_only_when_their_ranks_are_the_same(one: list[int], other: list[int]) -> None:
    def ranks(hand: list[int]) -> list[int]:
        return sorted(card >> 2 for card in hand)

    def flush(hand: list[int]) -> bool:
        return len({card & 3 for card in hand}) == 1

    same = ranks(one) == ranks(other) and flush(one) == flush(other)
    assert (five(one) == five(other)) is same


# The dealer's ace-king.


@pytest.mark.rule("S10.(a)(1)(viii)", "MA.1[Qualifying hand]")
@pytest.mark.parametrize(
    ("dealer", "qualifies"),
    [
        ("7c 5d 4h 3s 2c", False),
        ("Kc Qd Jh Ts 8c", False),
        ("Ac 6d 4h 3s 2c", False),
        ("Ac Qd Jh Ts 9c", False),
        ("Ac Kd 4h 3s 2c", True),
        ("Ac Kd Qh Js 9c", True),
        ("2c 2d 5h 4s 3c", True),
        ("5c 4d 3h 2s Ac", True),
        ("Ac Kc Qc Jc Tc", True),
    ],
)
def test_the_dealer_qualifies_with_ace_king_and_whatever_beats_it(
    dealer: str, qualifies: bool
) -> None:
    assert (strength(dealer) >= FIVE.spans["ace-king"].low) is qualifies


@pytest.mark.rule("S10.(a)(1)(viii)", "MA.1[Qualifying hand]")
def test_of_hands_without_a_pair_exactly_those_with_an_ace_and_a_king_are_ace_king() -> None:
    low, high = FIVE.spans["ace-king"]
    nothing = [
        hand
        for ranks in combinations(range(13), 5)
        if (hand := mixed(*ranks)) and five(hand) <= high
    ]
    held = [hand for hand in nothing if low <= five(hand)]
    assert len(nothing) == 1287 - 10
    assert held == [hand for hand in nothing if {ACE, KING} <= {card >> 2 for card in hand}]
    assert min(map(five, held)) == strength("Ac Kd 4h 3s 2c")
    assert all(FIVE.called(five(hand)) == "ace-king" for hand in held)
    assert strength("2c 2d 5h 4s 3c") > high


@pytest.mark.rule("S10.(a)(1)(ix)", "MA.1[Rank]")
@given(hands_of_five, hands_of_five)
def test_one_strength_serves_the_comparison_the_qualifying_and_the_paying(
    one: list[int], other: list[int]
) -> None:
    """A better hand never falls into a lower line, nor below the line that a worse one clears."""
    worse, better = sorted((five(one), five(other)))
    ladder = FIVE.categories
    assert ladder.index(FIVE.called(better)) <= ladder.index(FIVE.called(worse))
    qualifying = FIVE.spans["ace-king"].low
    assert better >= qualifying or worse < qualifying


# The best five of six, as three own and three community cards make them.


@pytest.mark.rule("PA-669a.6(b)")
@pytest.mark.parametrize("odd_one", range(6))
def test_whichever_card_does_not_help_is_left_out(odd_one: int) -> None:
    hand = list(cards("Ks Qs Js Ts 9s"))
    hand.insert(odd_one, *cards("2d"))
    assert FIVE.strength(hand) == strength("Ks Qs Js Ts 9s")


@pytest.mark.rule("PA-669a.6(b)")
@given(hands_of_six)
def test_six_cards_are_worth_their_best_five(hand: list[int]) -> None:
    fives = [five(hand[:out] + hand[out + 1 :]) for out in range(6)]
    assert FIVE.strength(hand) == best_five(hand) == max(fives)


@pytest.mark.parametrize(
    ("three_and_three", "is_called"),
    [
        pytest.param("As Ks 2d Qs Js Ts", "royal flush", marks=pytest.mark.rule("PA-669a.6(b)(1)")),
        pytest.param("As Ks Qs Js Ts 9s", "royal flush", marks=pytest.mark.rule("PA-669a.6(b)(1)")),
        pytest.param("As Kd Qs Js Ts 2s", "flush", marks=pytest.mark.rule("PA-669a.6(b)(1)")),
        pytest.param(
            "Ks Qs Js Ts 9s 2d",
            "straight flush",
            marks=pytest.mark.rule("PA-669a.6(b)(1)", "PA-669a.6(b)(2)"),
        ),
        pytest.param(
            "9h 8h Kc 7h 6h 5h",
            "straight flush",
            marks=pytest.mark.rule("PA-669a.6(b)(2)", "PA-669a.6(b)(5)"),
        ),
        pytest.param("9h 8h 7h 6h 5c 2c", "straight", marks=pytest.mark.rule("PA-669a.6(b)(6)")),
        pytest.param("9h 8d 7h 6s 4c 2c", "9 high", marks=pytest.mark.rule("PA-669a.6(b)(6)")),
        pytest.param(
            "5h 4h Kc 3h 2h Ah", "straight flush", marks=pytest.mark.rule("PA-669a.6(b)(2)")
        ),
        pytest.param("9h 8h Th 7c 6h 5h", "flush", marks=pytest.mark.rule("PA-669a.6(b)(2)")),
        pytest.param(
            "Qc Qd 2h Qh Qs 2c", "four-of-a-kind", marks=pytest.mark.rule("PA-669a.6(b)(3)")
        ),
        pytest.param("Qc Qd 2h Qh 2s 2c", "full house", marks=pytest.mark.rule("PA-669a.6(b)(3)")),
        pytest.param("7c 7d 7h 5c 5d 5h", "full house", marks=pytest.mark.rule("PA-669a.6(b)(4)")),
        pytest.param("7c 7d Ah 5c 5d 5h", "full house", marks=pytest.mark.rule("PA-669a.6(b)(4)")),
        pytest.param("Kd 9d 2c 7d 4d 2d", "flush", marks=pytest.mark.rule("PA-669a.6(b)(5)")),
        pytest.param("Kd 9d 2c 7d 4d 2s", "pair", marks=pytest.mark.rule("PA-669a.6(b)(5)")),
        pytest.param("5c 4d 9h 3h 2s Ac", "straight", marks=pytest.mark.rule("PA-669a.6(b)(6)")),
        pytest.param("5c 4d 6h 3h 2s Ac", "straight", marks=pytest.mark.rule("PA-669a.6(b)(6)")),
        pytest.param("3c 2d Ah Kh Qs Jc", "ace-king", marks=pytest.mark.rule("PA-669a.6(b)(6)")),
        pytest.param(
            "8c 8d 8h Ks Jc 4d", "three-of-a-kind", marks=pytest.mark.rule("PA-669a.6(b)(7)")
        ),
        pytest.param("8c 8d 8h Ks Kc 4d", "full house", marks=pytest.mark.rule("PA-669a.6(b)(7)")),
        pytest.param("9c 9d 7h 7s 5c 5d", "two pair", marks=pytest.mark.rule("PA-669a.6(b)(8)")),
        pytest.param("9c 9d 7h 7s 5c 4d", "two pair", marks=pytest.mark.rule("PA-669a.6(b)(8)")),
        pytest.param("9c 9d 7h 6s 4c 2d", "pair", marks=pytest.mark.rule("PA-669a.6(b)(9)")),
        pytest.param("9c 8d 7h 4s 3c 2d", "9 high", marks=pytest.mark.rule("PA-669a.6(b)(9)")),
    ],
)
def test_three_own_and_three_community_cards_make(three_and_three: str, is_called: str) -> None:
    assert called(three_and_three) == is_called


@pytest.mark.rule("PA-669a.6(b)(4)", "PA-669a.6(b)(8)")
def test_out_of_more_than_five_useful_cards_the_best_are_used() -> None:
    best = FIVE.strength(cards("7c 7d 7h 5c 5d 5h"))
    assert best == strength("7c 7d 7h 5c 5d") > strength("5c 5d 5h 7c 7d")
    assert FIVE.strength(cards("9c 9d 7h 7s 5c 5d")) == strength("9c 9d 7h 7s 5c")
    assert FIVE.strength(cards("9c 9d 7h 7s 5c Ad")) == strength("9c 9d 7h 7s Ad")
    assert FIVE.strength(cards("6h 5c 4d 3h 2s Ac")) == strength("6h 5c 4d 3h 2s")


@pytest.mark.rule("PA-669a.6(a)")
@pytest.mark.parametrize(
    ("three_and_three", "is_called"),
    [
        ("Ac 2d 3h 4s 5c 9d", "straight"),
        ("Kc Qd Ah 2s 3c 9d", "ace-king"),
        ("Kc Qd Ah 2s 3c 4d", "ace-king"),
        ("Kh Qh Ah 2h 3h 9d", "flush"),
    ],
)
def test_an_ace_among_six_cards_runs_up_or_down_but_not_both(
    three_and_three: str, is_called: str
) -> None:
    assert called(three_and_three) == is_called


@pytest.mark.rule("PA-669a.6(b)(9)")
@pytest.mark.parametrize(
    ("three_and_three", "wins"),
    [
        ("2c 2d Ah Ks Qc 9d", False),
        ("9c 9d Ah Ks Qc 2d", False),
        ("Tc Td 6h 4s 3c 2d", True),
        ("Ac Ad 6h 4s 3c 2d", True),
    ],
)
def test_a_pair_of_tens_is_where_winning_begins(three_and_three: str, wins: bool) -> None:
    low, high = FIVE.spans["pair of 10s or better"]
    assert (low <= FIVE.strength(cards(three_and_three)) <= high) is wins


# Names of lines, and hands that are no hands.


@pytest.mark.parametrize("rank", range(13))
def test_every_line_that_speaks_of_pairs_holds_the_pairs_it_names(rank: int) -> None:
    pair = five(mixed(rank, rank, *[other for other in range(13) if other != rank][:3]))
    for low, high in combinations(range(13), 2):
        start, end = FIVE.spans[f"pair of {RANK_NAMES[low][1]} to {RANK_NAMES[high][1]}"]
        assert (start <= pair <= end) is (low <= rank <= high)
    for low in range(13):
        start, end = FIVE.spans[f"pair of {RANK_NAMES[low][1]} or better"]
        assert (start <= pair <= end) is (low <= rank)


@pytest.mark.parametrize(
    ("rank", "hand"),
    [
        ("ace", "Ac Kd Qh Js 9c"),
        ("ace", "Ac 6d 4h 3s 2c"),
        ("king", "Kc Qd Jh Ts 8c"),
        ("king", "Kc 5d 4h 3s 2c"),
        ("queen", "Qc Jd Th 9s 7c"),
        ("10", "Tc 5d 4h 3s 2c"),
        ("7", "7c 5d 4h 3s 2c"),
    ],
)
def test_a_hand_of_nothing_falls_into_the_line_of_its_highest_card(rank: str, hand: str) -> None:
    within = {
        line
        for line, span in FIVE.spans.items()
        if line.endswith(" high") and span.low <= strength(hand) <= span.high
    }
    assert within == {f"{rank} high"}


def test_a_pair_or_less_ends_where_two_pair_begin() -> None:
    low, high = FIVE.spans["pair or less"]
    assert low <= strength("7c 5d 4h 3s 2c") < strength("Ac Ad Kh Qs Jc") <= high
    assert strength("3c 3d 2h 2s 4c") > high


@pytest.mark.parametrize("hand", ["", "As Ks Qs Js", "As Ks Qs Js Ts 9s"])
def test_five_cards_means_five(hand: str) -> None:
    with pytest.raises(ValueError, match="values to unpack"):
        five(cards(hand))
