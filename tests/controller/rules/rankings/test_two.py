"""Two-card hands of the Pocket Bonus."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.cards import DECK, cards
from controller.rules.rankings import TWO
from controller.rules.rankings.two import two

#: One hand of each kind, the best first.
LADDER = {
    "Ac Ad": "pair of aces",
    "Ah Qh": "suited ace",
    "Ah Qd": "unsuited ace",
    "8c 8d": "pair",
    "Kc Qc": "nothing",
}

hands_of_two = st.lists(st.sampled_from(DECK), min_size=2, max_size=2, unique=True)


def called(text: str) -> str:
    return TWO.called(TWO.strength(cards(text)))


@pytest.mark.rule("PA-683a.6(c)")
def test_the_kinds_of_hand_stand_in_the_listed_order() -> None:
    strengths = [two(cards(hand)) for hand in LADDER]
    assert all(better > worse for better, worse in pairwise(strengths))
    assert [called(hand) for hand in LADDER] == list(LADDER.values())


@pytest.mark.rule("PA-683a.6(c)")
@pytest.mark.parametrize(
    ("lowest_of_the_better_kind", "highest_of_the_worse_kind"),
    [("Ac Ad", "As Ks"), ("Ac Jc", "Ac Kd"), ("Ac Jd", "Kc Kd"), ("2c 2d", "As Ts")],
)
def test_the_lowest_hand_of_a_kind_beats_the_highest_of_the_kind_below(
    lowest_of_the_better_kind: str, highest_of_the_worse_kind: str
) -> None:
    assert two(cards(lowest_of_the_better_kind)) > two(cards(highest_of_the_worse_kind))


@pytest.mark.rule("PA-683a.6(c)(1)")
@pytest.mark.parametrize("suits", [*permutations("cdhs", 2)])
def test_two_aces_of_any_suits_are_the_pair_of_aces(suits: tuple[str, str]) -> None:
    one, other = suits
    assert called(f"A{one} A{other}") == "pair of aces"
    assert called(f"K{one} K{other}") == "pair"


@pytest.mark.rule("PA-683a.6(c)(2)")
@pytest.mark.parametrize("suit", "cdhs")
@pytest.mark.parametrize(("rank", "counts"), [("K", True), ("Q", True), ("J", True), ("T", False)])
def test_an_ace_goes_with_a_face_card_of_its_suit(suit: str, rank: str, counts: bool) -> None:
    assert called(f"A{suit} {rank}{suit}") == ("suited ace" if counts else "nothing")
    assert called(f"{rank}{suit} A{suit}") == ("suited ace" if counts else "nothing")


@pytest.mark.rule("PA-683a.6(c)(3)")
@pytest.mark.parametrize("suits", [*permutations("cdhs", 2)])
@pytest.mark.parametrize(("rank", "counts"), [("K", True), ("Q", True), ("J", True), ("T", False)])
def test_an_ace_goes_with_a_face_card_of_another_suit(
    suits: tuple[str, str], rank: str, counts: bool
) -> None:
    one, other = suits
    assert called(f"A{one} {rank}{other}") == ("unsuited ace" if counts else "nothing")
    assert called(f"{rank}{other} A{one}") == ("unsuited ace" if counts else "nothing")


@pytest.mark.rule("PA-683a.6(c)(4)")
@pytest.mark.parametrize("rank", "23456789TJQK")
def test_any_other_two_of_a_rank_are_a_pair(rank: str) -> None:
    assert called(f"{rank}c {rank}s") == "pair"
    next_up = "23456789TJQKA"["23456789TJQKA".index(rank) + 1]
    assert called(f"{rank}c {next_up}s") == ("nothing" if rank != "K" else "unsuited ace")


@pytest.mark.parametrize("hand", ["Kc Qc", "Kc Jd", "Ac 2c", "Tc 9d", "3c 2d"])
def test_everything_else_is_nothing(hand: str) -> None:
    assert called(hand) == "nothing"


def test_no_line_holds_a_hand_of_another() -> None:
    for hand, kind in LADDER.items():
        spans = {line: TWO.spans[line] for line in TWO.categories}
        assert [line for line, (low, high) in spans.items() if low <= two(cards(hand)) <= high] == [
            kind
        ]


@given(hands_of_two, st.permutations(range(4)))
def test_no_suit_is_higher_than_another(hand: list[int], suits: list[int]) -> None:
    assert two([card & ~3 | suits[card & 3] for card in hand]) == two(hand)


@given(hands_of_two)
def test_a_hand_is_worth_the_same_in_whatever_order_it_is_dealt(hand: list[int]) -> None:
    assert two(hand) == two(hand[::-1])


@pytest.mark.parametrize("hand", ["", "As", "As Ks Qs"])
def test_two_cards_means_two(hand: str) -> None:
    with pytest.raises(ValueError, match="values to unpack"):
        two(cards(hand))
