"""Six-card bonus hands: All-Six of Four Card Prime and of Cajun Stud.

Four Card Prime adds one card to the player's five and Cajun Stud four to the player's two;
once there are six, both rank them alike.
"""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from controller.rules.cards import DECK, cards
from controller.rules.paytables import LOSS, PayTable, Row, odds
from controller.rules.rankings import FIVE, SIX
from controller.rules.rankings.five import five

#: One hand of each kind, the best first, each with a card that does not help.
LADDER = {
    "Ah Kh Qh Jh Th 9h": "six-card royal flush",
    "As Ks Qs Js Ts 2d": "royal flush",
    "9d 8d 7d 6d 5d Kc": "straight flush",
    "8c 8d 8h 8s 3c 2d": "four-of-a-kind",
    "Jc Jd Jh 4s 4c 2d": "full house",
    "Kh Jh 8h 4h 2h 3c": "flush",
    "Tc 9d 8h 7s 6c 2d": "straight",
    "5c 5d 5h Ks 2c 7d": "three-of-a-kind",
    "Qc Qd 7h 7s Ac 3d": "two pair",
}

WITHOUT_SIX_CARD_ROYAL = {
    "royal flush": "1,000 to 1",
    "straight flush": "200 to 1",
    "four-of-a-kind": "50 to 1",
    "full house": "25 to 1",
    "flush": "20 to 1",
    "straight": "10 to 1",
    "three-of-a-kind": "5 to 1",
}
WITH_SIX_CARD_ROYAL = {
    "six-card royal flush in diamonds": "200,000 to 1",
    "six-card royal flush": "20,000 to 1",
    **WITHOUT_SIX_CARD_ROYAL,
}

hands_of_six = st.lists(st.sampled_from(DECK), min_size=6, max_size=6, unique=True)


def strength(text: str) -> int:
    return SIX.strength(cards(text))


def called(text: str) -> str:
    return SIX.called(strength(text))


def table(lines: dict[str, str]) -> PayTable:
    return PayTable("All-Six", "", SIX, [Row(hand, odds(cell)) for hand, cell in lines.items()])


@pytest.mark.rule("PA-682a.6(e)", "PA-683a.6(e)")
def test_the_kinds_of_hand_stand_in_the_listed_order() -> None:
    assert all(strength(better) > strength(worse) for better, worse in pairwise(LADDER))
    assert [called(hand) for hand in LADDER] == list(LADDER.values())


@pytest.mark.rule("PA-682a.6(e)", "PA-683a.6(e)")
@given(hands_of_six)
def test_six_cards_are_worth_their_best_five(hand: list[int]) -> None:
    assume(SIX.called(SIX.strength(hand)) != "six-card royal flush")
    assert SIX.strength(hand) == max(map(five, combinations(hand, 5)))


@pytest.mark.rule("PA-682a.6(e)", "PA-683a.6(e)")
@pytest.mark.parametrize("odd_one", range(6))
def test_any_of_the_six_may_be_the_one_that_does_not_help(odd_one: int) -> None:
    hand = list(cards("Ks Qs Js Ts 9s"))
    hand.insert(odd_one, *cards("2d"))
    assert SIX.strength(hand) == five(cards("Ks Qs Js Ts 9s"))


@pytest.mark.rule("PA-682a.6(e)(1)", "PA-683a.6(e)(1)")
@pytest.mark.parametrize("suit", "cdhs")
def test_ace_to_nine_of_one_suit_is_the_six_card_royal(suit: str) -> None:
    royal = f"A{suit} K{suit} Q{suit} J{suit} T{suit} 9{suit}"
    another = "h" if suit != "h" else "s"
    assert called(royal) == "six-card royal flush"
    assert called(royal.replace(f"9{suit}", f"9{another}")) == "royal flush"
    assert called(royal.replace(f"9{suit}", f"8{suit}")) == "royal flush"
    assert called(royal.replace(f"A{suit}", f"A{another}")) == "straight flush"
    assert called(royal.replace(f"A{suit}", f"8{suit}")) == "straight flush"


@pytest.mark.rule("PA-682a.6(e)(1)", "PA-683a.6(e)(1)")
@pytest.mark.parametrize(
    ("suit", "with_the_line"),
    [("d", "200,000 to 1"), ("c", "20,000 to 1"), ("h", "20,000 to 1"), ("s", "20,000 to 1")],
)
def test_a_six_card_royal_is_more_than_a_royal_only_where_the_table_lists_it(
    suit: str, with_the_line: str
) -> None:
    six_card = strength(f"A{suit} K{suit} Q{suit} J{suit} T{suit} 9{suit}")
    five_card = strength(f"A{suit} K{suit} Q{suit} J{suit} T{suit} 8{suit}")
    listed, unlisted = table(WITH_SIX_CARD_ROYAL), table(WITHOUT_SIX_CARD_ROYAL)
    assert listed.odds_for(six_card) == odds(with_the_line)
    assert listed.odds_for(five_card) == odds("1,000 to 1")
    assert unlisted.odds_for(six_card) == unlisted.odds_for(five_card) == odds("1,000 to 1")


@pytest.mark.parametrize(
    ("six", "is_called"),
    [
        pytest.param(
            "As 3h Ks Qs Js Ts",
            "royal flush",
            marks=pytest.mark.rule("PA-682a.6(e)(2)", "PA-683a.6(e)(2)"),
        ),
        pytest.param(
            "As Ks Qs Js Ts Ah",
            "royal flush",
            marks=pytest.mark.rule("PA-682a.6(e)(2)", "PA-683a.6(e)(2)"),
        ),
        pytest.param(
            "Ah Ks Qs Js Ts 9s",
            "straight flush",
            marks=pytest.mark.rule("PA-682a.6(e)(2)", "PA-683a.6(e)(2)"),
        ),
        pytest.param(
            "Ac 2c Kd 3c 4c 5c",
            "straight flush",
            marks=pytest.mark.rule("PA-682a.6(e)(3)", "PA-683a.6(e)(3)"),
        ),
        pytest.param(
            "9h 8h 7h 6h 5h 9c",
            "straight flush",
            marks=pytest.mark.rule("PA-682a.6(e)(3)", "PA-683a.6(e)(3)"),
        ),
        pytest.param(
            "Kc Ac 2c 3c 4c 6c",
            "flush",
            marks=pytest.mark.rule("PA-682a.6(e)(3)", "PA-683a.6(e)(3)"),
        ),
        pytest.param(
            "9h 8h 7h 6h 5c 2h",
            "flush",
            marks=pytest.mark.rule("PA-682a.6(e)(3)", "PA-683a.6(e)(3)"),
        ),
        pytest.param(
            "2c Qc 2d 2h Qd 2s",
            "four-of-a-kind",
            marks=pytest.mark.rule("PA-682a.6(e)(4)", "PA-683a.6(e)(4)"),
        ),
        pytest.param(
            "2c Qc 2d 2h Qd 3s",
            "full house",
            marks=pytest.mark.rule("PA-682a.6(e)(4)", "PA-683a.6(e)(4)"),
        ),
        pytest.param(
            "7c 7d 7h 5c 5d 5h",
            "full house",
            marks=pytest.mark.rule("PA-682a.6(e)(5)", "PA-683a.6(e)(5)"),
        ),
        pytest.param(
            "2c Ac 2d 2h Ad 3s",
            "full house",
            marks=pytest.mark.rule("PA-682a.6(e)(5)", "PA-683a.6(e)(5)"),
        ),
        pytest.param(
            "2c Ac 2d 2h Kd 3s",
            "three-of-a-kind",
            marks=pytest.mark.rule("PA-682a.6(e)(5)", "PA-683a.6(e)(5)"),
        ),
        pytest.param(
            "Kd Jd 9s 8d 4d 2d",
            "flush",
            marks=pytest.mark.rule("PA-682a.6(e)(6)", "PA-683a.6(e)(6)"),
        ),
        pytest.param(
            "Kd Qd 9d 8d 4d 2d",
            "flush",
            marks=pytest.mark.rule("PA-682a.6(e)(6)", "PA-683a.6(e)(6)"),
        ),
        pytest.param(
            "Kh Qh Jh Th 9h 2c",
            "straight flush",
            marks=pytest.mark.rule("PA-682a.6(e)(3)", "PA-683a.6(e)(3)"),
        ),
        pytest.param(
            "Kd Jd 8d 4d 2s 3c",
            "king high",
            marks=pytest.mark.rule("PA-682a.6(e)(6)", "PA-683a.6(e)(6)"),
        ),
        pytest.param(
            "9c 8d 7h 6s 4c Kd",
            "king high",
            marks=pytest.mark.rule("PA-682a.6(e)(7)", "PA-683a.6(e)(7)"),
        ),
        pytest.param(
            "Kd Jd 9s 8s 4d 2d",
            "king high",
            marks=pytest.mark.rule("PA-682a.6(e)(6)", "PA-683a.6(e)(6)"),
        ),
        pytest.param(
            "Ac 2d 3h 9s 4s 5c",
            "straight",
            marks=pytest.mark.rule("PA-682a.6(e)(7)", "PA-683a.6(e)(7)"),
        ),
        pytest.param(
            "Tc Td 9h 8s 7c 6d",
            "straight",
            marks=pytest.mark.rule("PA-682a.6(e)(7)", "PA-683a.6(e)(7)"),
        ),
        pytest.param(
            "Jc Qd Kh As 2c 3d",
            "ace-king",
            marks=pytest.mark.rule("PA-682a.6(e)(7)", "PA-683a.6(e)(7)"),
        ),
        pytest.param(
            "2c Jd 2h Ks 2d 4c",
            "three-of-a-kind",
            marks=pytest.mark.rule("PA-682a.6(e)(8)", "PA-683a.6(e)(8)"),
        ),
        pytest.param(
            "Ac Ad Kh Ks Qd Qc",
            "two pair",
            marks=pytest.mark.rule("PA-682a.6(e)(8)", "PA-683a.6(e)(8)"),
        ),
    ],
)
def test_six_cards_make(six: str, is_called: str) -> None:
    assert called(six) == is_called


@pytest.mark.rule("PA-682a.6(e)(8)", "PA-683a.6(e)(8)")
def test_three_twos_are_paid_and_aces_and_kings_are_not() -> None:
    for lines in (WITH_SIX_CARD_ROYAL, WITHOUT_SIX_CARD_ROYAL):
        assert table(lines).odds_for(strength("2c 2d 2h 3s 4c 6d")) == odds("5 to 1")
        assert table(lines).odds_for(strength("Ac Ad Kh Ks Qd Qc")) == LOSS


@pytest.mark.rule("PA-682a.6(e)(7)", "PA-683a.6(e)(7)")
def test_the_straight_below_the_two_is_the_lowest_of_its_kind() -> None:
    assert strength("Ac 2d 3h 4s 5c 9d") < strength("2c 3d 4h 5s 6c 9d")
    assert strength("Ac 2d 3h 4s 5c 6d") == strength("2c 3d 4h 5s 6c 9d")


@pytest.mark.parametrize("hand", LADDER)
def test_no_suit_is_higher_unless_it_is_the_diamonds_of_a_six_card_royal(hand: str) -> None:
    found = {
        suits[2]: strength(hand.translate(str.maketrans("cdhs", "".join(suits))))
        for suits in permutations("cdhs")
    }
    if LADDER[hand] == "six-card royal flush":
        assert found["d"] > found["c"] == found["h"] == found["s"]
    else:
        assert len(set(found.values())) == 1


@given(hands_of_six, st.permutations(range(4)))
def test_changing_suits_never_changes_what_six_cards_are_worth(
    hand: list[int], suits: list[int]
) -> None:
    assume(SIX.called(SIX.strength(hand)) != "six-card royal flush")
    assert SIX.strength([card & ~3 | suits[card & 3] for card in hand]) == SIX.strength(hand)


@given(hands_of_six.flatmap(lambda hand: st.tuples(st.just(hand), st.permutations(hand))))
def test_six_cards_are_worth_the_same_in_whatever_order_they_come(
    dealt: tuple[list[int], list[int]],
) -> None:
    assert SIX.strength(dealt[0]) == SIX.strength(dealt[1])


@given(st.permutations(cards("Ad Kd Qd Jd Td 9d")))
def test_a_six_card_royal_is_one_in_whatever_order_it_comes(dealt: list[int]) -> None:
    low, high = SIX.spans["six-card royal flush in diamonds"]
    assert low <= SIX.strength(dealt) <= high


def test_every_line_of_a_five_card_table_may_be_used_for_six_cards() -> None:
    assert FIVE.spans.items() <= SIX.spans.items()
