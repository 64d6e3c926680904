"""Cards as people type and read them, and as the rest of felt counts them."""

from __future__ import annotations

import pytest

from controller.rules import cards as deck
from controller.rules.cards import CardError, card, cards, name, names

ALL = (
    "2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h 5s 6c 6d 6h 6s 7c 7d 7h 7s 8c 8d 8h 8s "
    "9c 9d 9h 9s Tc Td Th Ts Jc Jd Jh Js Qc Qd Qh Qs Kc Kd Kh Ks Ac Ad Ah As"
)


def test_the_deck_is_fifty_two_cards_from_the_two_of_clubs_to_the_ace_of_spades() -> None:
    assert cards(ALL) == deck.DECK == tuple(range(52))
    assert names(deck.DECK) == ALL


def test_every_card_is_read_back_as_it_was_written() -> None:
    for text in ALL.split():
        assert name(card(text)) == text


def test_a_card_knows_its_rank_and_its_suit() -> None:
    assert (deck.rank(card("2c")), deck.suit(card("2c"))) == (deck.TWO, deck.CLUBS)
    assert (deck.rank(card("Td")), deck.suit(card("Td"))) == (deck.TEN, deck.DIAMONDS)
    assert (deck.rank(card("Kh")), deck.suit(card("Kh"))) == (deck.KING, deck.HEARTS)
    assert (deck.rank(card("As")), deck.suit(card("As"))) == (deck.ACE, deck.SPADES)


def test_each_rank_has_four_cards_and_each_suit_thirteen() -> None:
    ranks = [deck.rank(one) for one in deck.DECK]
    suits = [deck.suit(one) for one in deck.DECK]
    assert [ranks.count(rank) for rank in range(13)] == [4] * 13
    assert [suits.count(suit) for suit in range(4)] == [13] * 4


def test_hearts_and_diamonds_are_red() -> None:
    red = {name(one) for one in deck.DECK if deck.is_red(one)}
    assert red == {text for text in ALL.split() if text[1] in "dh"}


def test_the_red_cards_of_a_hand_are_counted() -> None:
    assert deck.reds(cards("2h 9d Kd")) == 3
    assert deck.reds(cards("2h 9c Kd As")) == 2
    assert deck.reds(cards("9c As")) == 0
    assert deck.reds(()) == 0


def test_ranks_are_called_as_a_dealer_calls_them() -> None:
    one, many = deck.RANK_NAMES[deck.TEN]
    assert (one, many) == ("10", "10s")
    assert deck.RANK_NAMES[deck.SIX] == ("6", "6s")
    assert deck.RANK_NAMES[deck.JACK] == ("jack", "jacks")
    assert deck.RANK_NAMES[deck.ACE] == ("ace", "aces")


def test_a_hand_keeps_the_order_in_which_it_was_dealt() -> None:
    assert names(cards("7d As 2c")) == "7d As 2c"


def test_space_between_cards_may_be_any() -> None:
    assert cards("  As\tKd\n 2c ") == (card("As"), card("Kd"), card("2c"))


def test_no_text_is_no_cards() -> None:
    assert cards("") == cards("  ") == ()
    assert names(()) == ""


@pytest.mark.parametrize(
    "text", ["", "A", "s", "1s", "10s", "AS", "as", "Ax", "sA", "Ass", " As", "As,", "A♠"]
)
def test_what_is_no_card_is_refused_with_what_a_card_looks_like(text: str) -> None:
    with pytest.raises(CardError) as refused:
        card(text)
    assert str(refused.value) == (
        f"{text!r} is not a card; a card is a rank (2 3 4 5 6 7 8 9 T J Q K A) "
        "followed by a suit (c d h s), such as As or Td"
    )
    assert refused.value.__cause__ is None


def test_one_wrong_card_in_a_hand_is_the_one_that_is_named() -> None:
    with pytest.raises(CardError, match=r"^'10h' is not a card;"):
        cards("As Kd 10h")


def test_a_card_that_is_dealt_twice_is_named() -> None:
    with pytest.raises(CardError) as refused:
        cards("2c As Kd As 2c")
    assert str(refused.value) == "As appears twice"


def test_a_wrong_card_is_a_wrong_value_to_whoever_asked() -> None:
    assert issubclass(CardError, ValueError)
