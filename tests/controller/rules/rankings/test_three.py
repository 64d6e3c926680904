"""Three-card hands: Pair Plus and the progressive of Raise It Up, the Board Bonus of Cajun Stud."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.cards import DECK, cards
from controller.rules.rankings import THREE, THREE_SPADES, Ranking
from controller.rules.rankings.three import three, three_spades

#: One hand of each kind, the best first.
LADDER = {
    "Ah Kh Qh": "mini-royal",
    "7c 6c 5c": "straight flush",
    "4c 4d 4h": "three-of-a-kind",
    "9c 8d 7h": "straight",
    "Kd 7d 2d": "flush",
    "9c 9d Kh": "pair",
    "Ac Jd 4h": "high card",
}

RUNS = ["AKQ", "KQJ", "QJT", "JT9", "T98", "987", "876", "765", "654", "543", "432", "32A"]

hands_of_three = st.lists(st.sampled_from(DECK), min_size=3, max_size=3, unique=True)
both = pytest.mark.parametrize("ranking", [THREE, THREE_SPADES], ids=lambda one: str(one.name))


def strength(text: str) -> int:
    return THREE.strength(cards(text))


def called(text: str, ranking: Ranking = THREE) -> str:
    return ranking.called(ranking.strength(cards(text)))


@pytest.mark.rule("PA-669a.6(c)", "PA-683a.6(d)")
@both
def test_the_kinds_of_hand_stand_in_the_listed_order(ranking: Ranking) -> None:
    strengths = [ranking.strength(cards(hand)) for hand in LADDER]
    assert all(better > worse for better, worse in pairwise(strengths))


@pytest.mark.rule("PA-669a.6(c)", "PA-683a.6(d)")
@pytest.mark.parametrize(
    ("lowest_of_the_better_kind", "highest_of_the_worse_kind"),
    [
        ("3c 2c Ac", "Ac Ad Ah"),
        ("2c 2d 2h", "Ac Kd Qh"),
        ("3c 2d Ah", "Ac Kc Jc"),
        ("5c 3c 2c", "Ac Ad Kh"),
        ("2c 2d 3h", "Ac Kd Jh"),
    ],
)
@both
def test_the_lowest_hand_of_a_kind_beats_the_highest_of_the_kind_below(
    lowest_of_the_better_kind: str, highest_of_the_worse_kind: str, ranking: Ranking
) -> None:
    better = ranking.strength(cards(lowest_of_the_better_kind))
    worse = ranking.strength(cards(highest_of_the_worse_kind))
    assert better > worse
    assert ranking.categories.index(ranking.called(better)) + 1 == ranking.categories.index(
        ranking.called(worse)
    )


@pytest.mark.rule("PA-683a.6(d)(1)")
@pytest.mark.parametrize("suit", "cdhs")
def test_ace_king_queen_of_one_suit_is_the_mini_royal(suit: str) -> None:
    another = "h" if suit != "h" else "s"
    assert called(f"A{suit} K{suit} Q{suit}") == "mini-royal"
    assert called(f"A{suit} K{suit} Q{another}") == "straight"
    assert called(f"K{suit} Q{suit} J{suit}") == "straight flush"
    assert called(f"A{suit} K{suit} J{suit}") == "flush"
    assert strength(f"A{suit} K{suit} Q{suit}") > strength(f"K{suit} Q{suit} J{suit}")


@pytest.mark.parametrize(
    ("hand", "is_called"),
    [
        pytest.param(
            "7c 6c 5c",
            "straight flush",
            marks=pytest.mark.rule("PA-669a.6(c)(1)", "PA-683a.6(d)(2)"),
        ),
        pytest.param(
            "Ah 2h 3h",
            "straight flush",
            marks=pytest.mark.rule("PA-669a.6(c)(1)", "PA-683a.6(d)(2)"),
        ),
        pytest.param(
            "Kc Qc Jc",
            "straight flush",
            marks=pytest.mark.rule("PA-669a.6(c)(1)", "PA-683a.6(d)(2)"),
        ),
        pytest.param(
            "7c 6c 5d", "straight", marks=pytest.mark.rule("PA-669a.6(c)(1)", "PA-683a.6(d)(2)")
        ),
        pytest.param(
            "Kh Ah 2h", "flush", marks=pytest.mark.rule("PA-669a.6(c)(1)", "PA-683a.6(d)(2)")
        ),
        pytest.param(
            "4c 4d 4h",
            "three-of-a-kind",
            marks=pytest.mark.rule("PA-669a.6(c)(2)", "PA-683a.6(d)(3)"),
        ),
        pytest.param(
            "4c 4d 5h", "pair", marks=pytest.mark.rule("PA-669a.6(c)(2)", "PA-683a.6(d)(3)")
        ),
        pytest.param(
            "Qc Kd Ah", "straight", marks=pytest.mark.rule("PA-669a.6(c)(3)", "PA-683a.6(d)(4)")
        ),
        pytest.param(
            "Ac 2d 3h", "straight", marks=pytest.mark.rule("PA-669a.6(c)(3)", "PA-683a.6(d)(4)")
        ),
        pytest.param(
            "9c 8c 7d", "straight", marks=pytest.mark.rule("PA-669a.6(c)(3)", "PA-683a.6(d)(4)")
        ),
        pytest.param(
            "Kc Ad 2h", "high card", marks=pytest.mark.rule("PA-669a.6(c)(3)", "PA-683a.6(d)(4)")
        ),
        pytest.param(
            "9c 8c 6d", "high card", marks=pytest.mark.rule("PA-669a.6(c)(3)", "PA-683a.6(d)(4)")
        ),
        pytest.param(
            "2d 7d Kd", "flush", marks=pytest.mark.rule("PA-669a.6(c)(4)", "PA-683a.6(d)(5)")
        ),
        pytest.param(
            "2d 7d Kh", "high card", marks=pytest.mark.rule("PA-669a.6(c)(4)", "PA-683a.6(d)(5)")
        ),
        pytest.param(
            "9c 9d Kh", "pair", marks=pytest.mark.rule("PA-669a.6(c)(5)", "PA-683a.6(d)(6)")
        ),
        pytest.param(
            "2c Kd 2h", "pair", marks=pytest.mark.rule("PA-669a.6(c)(5)", "PA-683a.6(d)(6)")
        ),
        pytest.param(
            "9c Td Kh", "high card", marks=pytest.mark.rule("PA-669a.6(c)(5)", "PA-683a.6(d)(6)")
        ),
    ],
)
@both
def test_three_cards_make(hand: str, is_called: str, ranking: Ranking) -> None:
    assert called(hand, ranking) == is_called


@pytest.mark.rule("PA-669a.6(c)(1)", "PA-683a.6(d)(2)")
def test_straight_flushes_go_down_to_ace_two_three() -> None:
    hands = [" ".join(rank + "d" for rank in run) for run in RUNS]
    assert all(strength(better) > strength(worse) for better, worse in pairwise(hands))
    low, high = THREE.spans["straight flush"]
    assert all(low <= strength(hand) <= high for hand in hands)


@pytest.mark.rule("PA-669a.6(c)(3)", "PA-683a.6(d)(4)")
def test_straights_go_down_to_ace_two_three() -> None:
    hands = [" ".join(rank + suit for rank, suit in zip(run, "cdh", strict=True)) for run in RUNS]
    assert all(strength(better) > strength(worse) for better, worse in pairwise(hands))
    assert {called(hand) for hand in hands} == {"straight"}


@pytest.mark.rule("PA-669a.6(c)")
@both
def test_the_own_three_cards_are_all_that_counts(ranking: Ranking) -> None:
    assert ranking.takes == (3, 3)
    with pytest.raises(ValueError, match="values to unpack"):
        ranking.strength(cards("4c 4d 4h 4s"))


# Spades.


def test_ace_king_queen_of_spades_stand_above_the_other_suits() -> None:
    spades, hearts = cards("As Ks Qs"), cards("Ah Kh Qh")
    assert three_spades(spades) > three_spades(hearts) == three_spades(cards("Ac Kc Qc"))
    assert three(spades) == three(hearts)
    assert called("As Ks Qs", THREE_SPADES) == "ace, king and queen of spades"
    assert called("Ad Kd Qd", THREE_SPADES) == "ace, king and queen of one suit"
    assert called("Ks Qs Js", THREE_SPADES) == "straight flush"
    assert called("As Ks Qd", THREE_SPADES) == "straight"
    assert called("As Ks 2s", THREE_SPADES) == "flush"


def test_a_line_for_one_suit_takes_the_spades_as_well_where_they_have_no_line() -> None:
    low, high = THREE_SPADES.spans["ace, king and queen of one suit"]
    assert low <= three_spades(cards("Ah Kh Qh")) < three_spades(cards("As Ks Qs")) <= high


def test_nothing_else_knows_its_suit() -> None:
    different = [hand for hand in combinations(DECK, 3) if three_spades(hand) != three(hand)]
    assert different == [tuple(sorted(cards("As Ks Qs")))]


@pytest.mark.rule("PA-669a.6(a)", "PA-683a.6(a)")
@pytest.mark.parametrize("hand", LADDER)
def test_no_suit_is_higher_than_another(hand: str) -> None:
    for suits in permutations("cdhs"):
        assert strength(hand.translate(str.maketrans("cdhs", "".join(suits)))) == strength(hand)


@given(hands_of_three, st.permutations(range(4)))
def test_changing_suits_never_changes_what_a_hand_is_worth(
    hand: list[int], suits: list[int]
) -> None:
    assert three([card & ~3 | suits[card & 3] for card in hand]) == three(hand)


@both
@given(hand=hands_of_three.flatmap(lambda hand: st.tuples(st.just(hand), st.permutations(hand))))
def test_a_hand_is_worth_the_same_in_whatever_order_it_is_dealt(
    hand: tuple[list[int], list[int]], ranking: Ranking
) -> None:
    assert ranking.strength(hand[0]) == ranking.strength(hand[1])


@pytest.mark.parametrize("dealt", [*permutations(cards("As Ks Qs"))])
def test_the_spades_are_known_in_whatever_order_they_are_dealt(dealt: tuple[int, ...]) -> None:
    assert three_spades(dealt) == three_spades(cards("As Ks Qs"))
