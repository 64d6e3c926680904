"""Four-card hands of Four Card Prime: the best four of the player's five and the dealer's six."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.cards import DECK, cards
from controller.rules.rankings import FOUR
from controller.rules.rankings.four import best_four, four

#: One hand of each kind, the best first.
LADDER = {
    "6c 6d 6h 6s": "four-of-a-kind",
    "9d 8d 7d 6d": "straight flush",
    "8c 8d 8h 3c": "three-of-a-kind",
    "Kh Jh 8h 4h": "flush",
    "Tc 9d 8h 7s": "straight",
    "Qc Qd 7h 7s": "two pair",
    "4c 4d As 8h": "pair",
    "Ac Kd 9h 6s": "high card",
}

RUNS = ["AKQJ", "KQJT", "QJT9", "JT98", "T987", "9876", "8765", "7654", "6543", "5432", "432A"]


def hands_of(size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.sampled_from(DECK), min_size=size, max_size=size, unique=True)


def strength(text: str) -> int:
    return FOUR.strength(cards(text))


def called(text: str) -> str:
    return FOUR.called(strength(text))


def descends(hands: Iterable[str]) -> bool:
    """Each hand beats the one after it."""
    return all(strength(better) > strength(worse) for better, worse in pairwise(hands))


def mixed(*ranks: int) -> tuple[int, ...]:
    """Cards of these ranks, with the suits going round, so that they make no flush."""
    return tuple(rank * 4 + n % 4 for n, rank in enumerate(ranks))


# The order of the kinds.


@pytest.mark.rule("PA-682a.6(b)")
def test_the_kinds_of_hand_stand_in_the_listed_order() -> None:
    assert descends(LADDER)
    assert [called(hand) for hand in LADDER] == list(LADDER.values())


@pytest.mark.parametrize(
    ("lowest_of_the_better_kind", "highest_of_the_worse_kind"),
    [
        pytest.param("2c 2d 2h 2s", "Ac Kc Qc Jc", marks=pytest.mark.rule("PA-682a.6(b)(1)")),
        pytest.param("4c 3c 2c Ac", "Ac Ad Ah Ks", marks=pytest.mark.rule("PA-682a.6(b)(2)")),
        pytest.param("2c 2d 2h 3s", "Ac Kc Qc Tc", marks=pytest.mark.rule("PA-682a.6(b)(3)")),
        pytest.param(
            "6c 4c 3c 2c",
            "Ac Kd Qh Js",
            marks=pytest.mark.rule("PA-682a.6(b)(4)", "PA-682a.6(b)(5)"),
        ),
        pytest.param("4c 3d 2h As", "Ac Ad Kh Ks", marks=pytest.mark.rule("PA-682a.6(b)(5)")),
        pytest.param("3c 3d 2h 2s", "Ac Ad Kh Qs", marks=pytest.mark.rule("PA-682a.6(b)(6)")),
        pytest.param("2c 2d 4h 3s", "Ac Kd Qh Ts", marks=pytest.mark.rule("PA-682a.6(b)(7)")),
    ],
)
def test_the_lowest_hand_of_a_kind_beats_the_highest_of_the_kind_below(
    lowest_of_the_better_kind: str, highest_of_the_worse_kind: str
) -> None:
    assert strength(lowest_of_the_better_kind) > strength(highest_of_the_worse_kind)
    kinds = FOUR.categories
    better, worse = called(lowest_of_the_better_kind), called(highest_of_the_worse_kind)
    assert kinds.index(better) + 1 == kinds.index(worse)


# The cards.


@pytest.mark.rule("PA-682a.6(a)")
def test_ranks_run_from_the_ace_down_to_the_two() -> None:
    assert descends(f"{rank}c {rank}d {rank}h {rank}s" for rank in "AKQJT98765432")


@pytest.mark.rule("PA-682a.6(a)")
def test_an_ace_completes_the_straight_below_the_two() -> None:
    assert called("Ac 2d 3h 4s") == "straight"
    assert called("Ac 2c 3c 4c") == "straight flush"
    assert called("Ac 2d 3h 5s") == "high card"


@pytest.mark.rule("PA-682a.6(a)")
@pytest.mark.parametrize("ranks", ["Q K A 2", "K A 2 3"])
def test_no_sequence_goes_round_the_ace(ranks: str) -> None:
    one_suit = " ".join(rank + "h" for rank in ranks.split())
    assert called(one_suit) == "flush"
    assert called(one_suit.replace("Ah", "As")) == "high card"


@pytest.mark.rule("PA-682a.6(a)")
@pytest.mark.parametrize("hand", LADDER)
def test_no_suit_is_higher_than_another(hand: str) -> None:
    for suits in permutations("cdhs"):
        assert strength(hand.translate(str.maketrans("cdhs", "".join(suits)))) == strength(hand)


@pytest.mark.rule("PA-682a.6(a)")
@given(st.integers(4, 6).flatmap(hands_of), st.permutations(range(4)))
def test_changing_suits_never_changes_what_a_hand_is_worth(
    hand: list[int], suits: list[int]
) -> None:
    assert FOUR.strength([card & ~3 | suits[card & 3] for card in hand]) == FOUR.strength(hand)


# One kind after the other.


@pytest.mark.rule("PA-682a.6(b)(1)")
def test_four_of_a_kind_go_from_aces_to_twos() -> None:
    hands = [f"{rank}c {rank}d {rank}h {rank}s" for rank in "AKQJT98765432"]
    assert descends(hands)
    assert {called(hand) for hand in hands} == {"four-of-a-kind"}
    assert called("2c 2d 2h 3s") == "three-of-a-kind"


@pytest.mark.rule("PA-682a.6(b)(2)")
def test_straight_flushes_go_from_ace_king_queen_jack_down_to_four_high() -> None:
    hands = [" ".join(rank + "d" for rank in run) for run in RUNS]
    assert descends(hands)
    assert {called(hand) for hand in hands} == {"straight flush"}
    assert strength("5s 4s 3s 2s") > strength("4s 3s 2s As")
    assert called("9h 8h 7h 6c") == "straight"
    assert called("9h 8h 7h 5h") == "flush"


@pytest.mark.rule("PA-682a.6(b)(3)")
def test_three_of_a_kind_go_from_aces_to_twos_whatever_the_fourth_card() -> None:
    for rank in range(1, 13):
        low = min(other for other in range(13) if other != rank)
        high = max(other for other in range(13) if other != rank - 1)
        better, worse = mixed(*[rank] * 3, low), mixed(*[rank - 1] * 3, high)
        assert four(better) > four(worse)
        assert FOUR.called(four(better)) == FOUR.called(four(worse)) == "three-of-a-kind"


@pytest.mark.rule("PA-682a.6(b)(3)")
def test_three_twos_beat_an_ace_high_flush() -> None:
    assert strength("2c 2d 2h 3s") > strength("As Ks Qs Ts")


@pytest.mark.rule("PA-682a.6(b)(4)")
def test_a_flush_is_any_four_of_one_suit() -> None:
    assert called("Ad 9d 6d 2d Kc") == "flush"
    assert called("Ad 9d 6d 2c Kc") == "high card"
    assert called("5d 4d 3d 2d") == "straight flush"
    assert descends(["Ad Kd Qd Td", "Ad Kd Qd 9d", "Ad Kd Jd Td", "Ad Qd Jd Td", "Kd Qd Jd 9d"])


@pytest.mark.rule("PA-682a.6(b)(5)")
def test_straights_go_from_ace_king_queen_jack_down_to_four_high() -> None:
    hands = [" ".join(rank + suit for rank, suit in zip(run, "cdhs", strict=True)) for run in RUNS]
    assert descends(hands)
    assert {called(hand) for hand in hands} == {"straight"}
    assert called("9h 8h 7h 6c") == "straight"
    assert called("9h 8h 7h 6h") == "straight flush"


@pytest.mark.rule("PA-682a.6(b)(4)", "PA-682a.6(b)(5)")
def test_a_flush_beats_a_straight() -> None:
    assert strength("6d 4d 3d 2d") > strength("Ac Kd Qh Js")
    # In the player's five cards, where both can be made, the flush is the hand.
    assert called("Kd Th 9d 8d 7d") == "flush"


@pytest.mark.rule("PA-682a.6(b)(6)")
def test_two_pairs_go_by_the_higher_pair_and_then_by_the_lower() -> None:
    assert strength("Kc Kd 2h 2s") > strength("Qc Qd Jh Js")
    assert descends(["9c 9d 8h 8s", "9c 9d 7h 7s", "9c 9d 2h 2s", "8c 8d 7h 7s"])
    pairs = [mixed(a, a, b, b) for a, b in combinations(range(13), 2)]
    assert max(map(four, pairs)) == strength("Ac Ad Kh Ks")
    assert min(map(four, pairs)) == strength("3c 3d 2h 2s")
    assert {FOUR.called(four(hand)) for hand in pairs} == {"two pair"}


@pytest.mark.rule("PA-682a.6(b)(7)")
def test_pairs_go_from_aces_to_twos_whatever_the_other_cards() -> None:
    assert strength("3c 3d 5h 4s") > strength("2c 2d Ah Ks")
    for rank in range(1, 13):
        low = [other for other in range(13) if other != rank][:2]
        high = [other for other in range(13) if other != rank - 1][-2:]
        better, worse = mixed(rank, rank, *low), mixed(rank - 1, rank - 1, *high)
        assert four(better) > four(worse)
        assert FOUR.called(four(better)) == FOUR.called(four(worse)) == "pair"


# Two hands of the same kind.


@pytest.mark.rule("PA-682a.6(c)")
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        # The kind's own order first.
        ("3c 3d 5h 4s", "2c 2d Ah Ks"),
        ("3c 3d 3h 2s", "2c 2d 2h As"),
        ("5c 4d 3h 2s", "4c 3d 2h As"),
        ("Kc Kd 2h 2s", "Qc Qd Jh Js"),
        # Then the highest card that the other hand lacks.
        ("3c 3d Ah 2s", "3h 3s Kc Qd"),
        ("3c 3d Ah 5s", "3h 3s Ac 4d"),
        ("Ah 9h 6h 3h", "As 9s 6s 2s"),
        ("Ac Kd 3h 2s", "Ad Qc Jh Ts"),
        ("Ac Kd 9h 2s", "Ad Kc 8h 7s"),
        ("Ac Kd 9h 3s", "Ad Kc 9s 2h"),
    ],
)
def test_of_two_hands_of_one_kind_the_higher_is(better: str, worse: str) -> None:
    assert strength(better) > strength(worse)


@pytest.mark.rule("PA-682a.6(c)")
@pytest.mark.parametrize(
    ("player", "dealer"),
    [
        ("9c 9d Ah Ks Qc", "9h 9s Ad Kc 2d 3h"),
        ("9c 9d 9h As Kc", "9c 9d 9h Ad 2c 3s"),
        ("Kc Kd Qh Qs Ac", "Kh Ks Qc Qd Jc 2h"),
        ("Ah 9h 6h 4h Kc", "As 9s 6s 4s 2c 3c"),
        ("Tc 9d 8h 7s Ac", "Td 9c 8s 7h 2c 2d"),
        ("6c 6d 6h 6s Ac", "6c 6d 6h 6s 2c 2d"),
        ("Ac Kd Qh Ts 9c", "Ad Kc Qs Th 9d 2c"),
    ],
)
def test_cards_beyond_the_four_never_break_a_tie(player: str, dealer: str) -> None:
    assert strength(player) == strength(dealer)


# The best four of five and of six.


@pytest.mark.rule("PA-682a.6(b)")
@pytest.mark.parametrize("odd_one", range(5))
def test_whichever_of_the_players_five_does_not_help_is_left_out(odd_one: int) -> None:
    player = list(cards("9d 8d 7d 6d"))
    player.insert(odd_one, *cards("Ac"))
    assert best_four(player) == strength("9d 8d 7d 6d")


@pytest.mark.rule("PA-682a.6(b)")
@pytest.mark.parametrize("odd_ones", [*combinations(range(6), 2)])
def test_whichever_two_of_the_dealers_six_do_not_help_are_left_out(
    odd_ones: tuple[int, int],
) -> None:
    dealer = list(cards("9d 8d 7d 6d"))
    for at, odd in zip(odd_ones, cards("Ac Kh"), strict=True):
        dealer.insert(at, odd)
    assert best_four(dealer) == strength("9d 8d 7d 6d")


@pytest.mark.rule("PA-682a.6(b)")
@given(st.integers(4, 6).flatmap(hands_of))
def test_a_hand_is_worth_its_best_four(hand: list[int]) -> None:
    fours = [four(some) for some in combinations(hand, 4)]
    assert len(fours) == {4: 1, 5: 5, 6: 15}[len(hand)]
    assert FOUR.strength(hand) == max(fours)


@given(
    st.integers(4, 6)
    .flatmap(hands_of)
    .flatmap(lambda hand: st.tuples(st.just(hand), st.permutations(hand)))
)
def test_a_hand_is_worth_the_same_in_whatever_order_it_is_dealt(
    dealt: tuple[list[int], list[int]],
) -> None:
    assert FOUR.strength(dealt[0]) == FOUR.strength(dealt[1])


@pytest.mark.parametrize("hand", ["", "As Ks Qs", "As Ks Qs Js Ts"])
def test_four_cards_means_four(hand: str) -> None:
    with pytest.raises(ValueError, match="values to unpack"):
        four(cards(hand))
