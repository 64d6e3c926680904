"""The Aces Bonus, counted over five cards as it is printed and over four as its hold suggests."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.cards import DECK, cards
from controller.rules.paytables import LOSS, PayTable, Row, odds
from controller.rules.rankings import ACES_4, ACES_5, Ranking

#: One hand of each kind, the best first, which is of that kind over four and over five cards.
LADDER = {
    "Ac Ad Ah As 2c": "four aces",
    "7c 7d 7h 7s Ac": "four-of-a-kind",
    "Ah Kh Qh Jh Th": "royal flush",
    "9d 8d 7d 6d 5d": "straight flush",
    "Ac Ad Ah Ks Qc": "three aces",
    "7c 7d 7h Ks Qc": "three-of-a-kind",
    "Kh Jh 8h 4h 2h": "flush",
    "Tc 9d 8h 7s 6c": "straight",
    "Kc Kd 2h 2s Ac": "two pair",
    "Ac Ad 9h 6s 3c": "two aces",
    "Kc Kd Qh Js 9c": "nothing",
}

hands_of_five = st.lists(st.sampled_from(DECK), min_size=5, max_size=5, unique=True)
both = pytest.mark.parametrize("ranking", [ACES_4, ACES_5], ids=lambda one: str(one.name))


def called(text: str, ranking: Ranking) -> str:
    return ranking.called(ranking.strength(cards(text)))


@pytest.mark.rule("PA-682a.6(d)")
@both
def test_the_kinds_of_hand_stand_in_the_listed_order(ranking: Ranking) -> None:
    strengths = [ranking.strength(cards(hand)) for hand in LADDER]
    assert all(better > worse for better, worse in pairwise(strengths))
    assert [called(hand, ranking) for hand in LADDER] == list(LADDER.values())


@pytest.mark.rule("PA-682a.6(d)")
def test_four_of_one_suit_are_a_flush_only_where_four_cards_count() -> None:
    assert called("Ah 9h 6h 2h Kc", ACES_5) == "nothing"
    assert called("Ah 9h 6h 2h Kc", ACES_4) == "flush"


@pytest.mark.parametrize(
    ("hand", "over_five", "over_four"),
    [
        pytest.param(
            "7c 7d 7h 7s Ac",
            "four-of-a-kind",
            "four-of-a-kind",
            marks=pytest.mark.rule("PA-682a.6(d)(2)"),
        ),
        pytest.param(
            "2c 2d 2h 2s Kc",
            "four-of-a-kind",
            "four-of-a-kind",
            marks=pytest.mark.rule("PA-682a.6(d)(2)"),
        ),
        pytest.param(
            "Ah Kh Qh Jh Th",
            "royal flush",
            "royal flush",
            marks=pytest.mark.rule("PA-682a.6(d)(3)"),
        ),
        pytest.param(
            "Ah Kh Qh Jh 9h", "flush", "royal flush", marks=pytest.mark.rule("PA-682a.6(d)(3)")
        ),
        pytest.param(
            "Ah Kh Qh Jh Tc", "straight", "royal flush", marks=pytest.mark.rule("PA-682a.6(d)(3)")
        ),
        pytest.param(
            "Ah Kh Qh Jh Jc", "nothing", "royal flush", marks=pytest.mark.rule("PA-682a.6(d)(3)")
        ),
        pytest.param(
            "Ac Kh Qh Jh Th",
            "straight",
            "straight flush",
            marks=pytest.mark.rule("PA-682a.6(d)(3)"),
        ),
        pytest.param(
            "9d 8d 7d 6d 5d",
            "straight flush",
            "straight flush",
            marks=pytest.mark.rule("PA-682a.6(d)(4)"),
        ),
        pytest.param(
            "9d 8d 7d 6d 2d", "flush", "straight flush", marks=pytest.mark.rule("PA-682a.6(d)(4)")
        ),
        pytest.param(
            "9d 8d 7d 6d 2c",
            "nothing",
            "straight flush",
            marks=pytest.mark.rule("PA-682a.6(d)(4)"),
        ),
        pytest.param(
            "Ad 2d 3d 4d 5d",
            "straight flush",
            "straight flush",
            marks=pytest.mark.rule("PA-682a.6(d)(4)"),
        ),
        pytest.param(
            "Ad 2d 3d 4d Kc",
            "nothing",
            "straight flush",
            marks=pytest.mark.rule("PA-682a.6(d)(4)"),
        ),
        pytest.param("9d 8d 7d 5d 4d", "flush", "flush", marks=pytest.mark.rule("PA-682a.6(d)(4)")),
        pytest.param(
            "Ac Ad Ah Ks Kc",
            "three aces",
            "three aces",
            marks=pytest.mark.rule("PA-682a.6(d)(5)"),
        ),
        pytest.param(
            "Ac Ad Ah 3s 2c",
            "three aces",
            "three aces",
            marks=pytest.mark.rule("PA-682a.6(d)(5)"),
        ),
        pytest.param(
            "7c 7d 7h Ks Kc",
            "three-of-a-kind",
            "three-of-a-kind",
            marks=pytest.mark.rule("PA-682a.6(d)(6)"),
        ),
        pytest.param(
            "7c 7d 7h As Ac",
            "three-of-a-kind",
            "three-of-a-kind",
            marks=pytest.mark.rule("PA-682a.6(d)(6)"),
        ),
        pytest.param(
            "Kc Kd Kh 3s 2c",
            "three-of-a-kind",
            "three-of-a-kind",
            marks=pytest.mark.rule("PA-682a.6(d)(6)"),
        ),
        pytest.param("Ah Jh 8h 4h 2h", "flush", "flush", marks=pytest.mark.rule("PA-682a.6(d)(7)")),
        pytest.param(
            "Ah Jh 8h 4h 2c", "nothing", "flush", marks=pytest.mark.rule("PA-682a.6(d)(7)")
        ),
        pytest.param(
            "Ah Jh 8h 4c 2c", "nothing", "nothing", marks=pytest.mark.rule("PA-682a.6(d)(7)")
        ),
        pytest.param(
            "Ac 2d 3h 4s 5c", "straight", "straight", marks=pytest.mark.rule("PA-682a.6(d)(8)")
        ),
        pytest.param(
            "Ac Kd Qh Js Tc", "straight", "straight", marks=pytest.mark.rule("PA-682a.6(d)(8)")
        ),
        pytest.param(
            "Ac 2d 3h 4s Kc", "nothing", "straight", marks=pytest.mark.rule("PA-682a.6(d)(8)")
        ),
        pytest.param(
            "9c 8d 7h 6s 2c", "nothing", "straight", marks=pytest.mark.rule("PA-682a.6(d)(8)")
        ),
        pytest.param(
            "Qc Kd Ah 2s 3c", "nothing", "nothing", marks=pytest.mark.rule("PA-682a.6(d)(8)")
        ),
        pytest.param(
            "Kc Kd 2h 2s Ac", "two pair", "two pair", marks=pytest.mark.rule("PA-682a.6(d)(9)")
        ),
        pytest.param(
            "Ac Ad 2h 2s Kc", "two pair", "two pair", marks=pytest.mark.rule("PA-682a.6(d)(9)")
        ),
        pytest.param(
            "Ac Ad 6h 3s 2c", "two aces", "two aces", marks=pytest.mark.rule("PA-682a.6(d)(10)")
        ),
        pytest.param(
            "Kc Kd Ah Qs Jd", "nothing", "straight", marks=pytest.mark.rule("PA-682a.6(d)(10)")
        ),
        pytest.param(
            "Kc Kd Ah Qs Td", "nothing", "nothing", marks=pytest.mark.rule("PA-682a.6(d)(10)")
        ),
    ],
)
def test_five_cards_are(hand: str, over_five: str, over_four: str) -> None:
    assert called(hand, ACES_5) == over_five
    assert called(hand, ACES_4) == over_four


@pytest.mark.rule("PA-682a.6(d)(1)")
@both
def test_four_aces_are_four_aces_with_any_fifth_card(ranking: Ranking) -> None:
    for fifth in DECK[:48]:
        assert ranking.called(ranking.strength((*cards("Ac Ad Ah As"), fifth))) == "four aces"


@pytest.mark.rule("PA-682a.6(d)(10)")
@both
def test_two_aces_are_the_lowest_that_is_paid(ranking: Ranking) -> None:
    lines = {"two pair": "2 to 1", "two aces": "1 to 1"}
    table = PayTable("Aces", "", ranking, [Row(hand, odds(cell)) for hand, cell in lines.items()])
    assert table.odds_for(ranking.strength(cards("Ac Ad 6h 3s 2c"))) == odds("1 to 1")
    assert table.odds_for(ranking.strength(cards("Kc Kd Ah 9s 8d"))) == LOSS
    assert ranking.categories[-2:] == ("two aces", "nothing")


@pytest.mark.rule("PA-682a.6(d)")
@given(hands_of_five)
def test_counting_four_cards_never_makes_less_of_a_hand_than_counting_five(
    hand: list[int],
) -> None:
    over_four = ACES_4.called(ACES_4.strength(hand))
    over_five = ACES_5.called(ACES_5.strength(hand))
    assert ACES_5.categories.index(over_four) <= ACES_5.categories.index(over_five)


@both
@pytest.mark.parametrize("hand", LADDER)
def test_no_suit_is_higher_than_another(hand: str, ranking: Ranking) -> None:
    found = {
        ranking.strength(cards(hand.translate(str.maketrans("cdhs", "".join(suits)))))
        for suits in permutations("cdhs")
    }
    assert len(found) == 1


@both
@given(hand=hands_of_five, suits=st.permutations(range(4)))
def test_changing_suits_never_changes_what_a_hand_is_worth(
    hand: list[int], suits: list[int], ranking: Ranking
) -> None:
    other = [card & ~3 | suits[card & 3] for card in hand]
    assert ranking.strength(other) == ranking.strength(hand)


@both
@given(dealt=hands_of_five.flatmap(lambda hand: st.tuples(st.just(hand), st.permutations(hand))))
def test_a_hand_is_worth_the_same_in_whatever_order_it_is_dealt(
    dealt: tuple[list[int], list[int]], ranking: Ranking
) -> None:
    assert ranking.strength(dealt[0]) == ranking.strength(dealt[1])
