"""The table top: every card and every cent is in exactly one place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators.tabletop import FLOOR, HANDS, RACK, SHOE, SHUFFLER, TRAY, Card, Impossible, TableTop


def test_a_deck_goes_round_the_table() -> None:
    top = TableTop()
    top.bring("A")
    top.put_into_shuffler("A")
    assert top.deck_at(SHUFFLER) == "A"
    top.put_into_shoe("A")
    assert top.count(SHOE) == 52
    top.move(SHOE, TRAY, 5)
    assert top.take_stack(3) == 5
    top.deal("dealer", 5)
    assert top.at(3) == [0, 1, 2, 3, 4]
    assert top.at("dealer") == [5, 6, 7, 8, 9]
    assert top.take_stub() == 42
    top.rack()
    assert top.count(RACK) == 52
    top.put_into_shuffler("A")
    assert top.count(SHUFFLER) == 52


def test_a_deck_is_gathered_by_hands_that_held_none_before() -> None:
    top = TableTop()
    top.piles[RACK] = [Card("A", face) for face in range(52)]
    top.gather("A")
    assert (top.count(HANDS), top.count(RACK)) == (52, 0)


def test_nobody_takes_what_is_not_there() -> None:
    top = TableTop()
    top.bring("A")
    with pytest.raises(Impossible, match="5 cards from shoe, where 0 lie"):
        top.deal(1, 5)
    with pytest.raises(Impossible, match="on the table already"):
        top.bring("A")
    with pytest.raises(Impossible, match="would be other cards"):
        top.arrange(HANDS, top.cards(HANDS)[1:])


def test_two_decks_do_not_mix() -> None:
    top = TableTop()
    top.bring("A")
    top.put_into_shuffler("A")
    top.bring("B")
    top.put_into_shoe("B")
    assert (top.deck_at(SHUFFLER), top.deck_at(SHOE)) == ("A", "B")
    top.remove("A")
    assert (top.count_of("A"), top.count_of("B")) == (0, 52)


def test_a_lost_card_stays_lost_and_one_face_up_is_seen() -> None:
    top = TableTop()
    top.bring("A")
    top.lose(HANDS)
    assert top.count(FLOOR) == 1
    top.turn_up(HANDS, 3)
    assert [card.face_up for card in top.cards(HANDS)].index(True) == 3
    top.gather("A")
    assert top.count(HANDS) == 51


places = st.sampled_from([HANDS, SHOE, SHUFFLER, TRAY, RACK, 1, 2, "dealer"])


@given(st.lists(st.tuples(places, places, st.integers(0, 52))))
def test_however_cards_move_there_are_52(moves: list[tuple[str | int, str | int, int]]) -> None:
    top = TableTop()
    top.bring("A")
    for source, to, cards in moves:
        top.move(source, to, min(cards, top.count(source)))
    assert sorted(card.face for pile in top.piles.values() for card in pile) == list(range(52))


def test_money_only_moves() -> None:
    top = TableTop()
    top.fund("player 1", 500)
    top.pay("player 1", "acceptor 1", 100)
    assert top.money == {"player 1": 400, "acceptor 1": 100}
