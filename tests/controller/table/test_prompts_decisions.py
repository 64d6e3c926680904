"""Decisions and what they take: who is asked for what, and what is collected at which seat.

The clauses and their words are written from the texts, not from the rulebook files.
"""

from __future__ import annotations

from typing import Any

import pytest

from controller.rules.cards import name
from controller.table import events
from tests.controller.table.playing import FLOOR, AtTheTable, open_table
from tests.controller.table.telling import by, one, told

READING = "not stated in the text; felt's reading"

# --- Decisions --------------------------------------------------------------


def dealt(book: str, *seats: int, **side: int) -> AtTheTable:
    return open_table(book).shuffles().antes(*(seats or (1, 3)), **side).locks().deals()


def next_card(at: AtTheTable) -> dict[str, Any]:
    shown = len(at.table.faces.get("community", ()))
    return {"where": "community", "cards": name(at.faces["community"][shown])}


def two_cards(at: AtTheTable) -> dict[str, Any]:
    """The next community card, and one that nobody has."""
    shown = next_card(at)
    out = {card for cards in at.faces.values() for card in cards}
    other = next(card for card in range(52) if card not in out)
    return {**shown, "cards": f"{shown['cards']} {name(other)}"}


@pytest.mark.parametrize(
    ("book", "clause", "words", "sums"),
    [
        ("pa-639a", "PA-639a.11(b)", "Bet Wager of two times the Ante Wager", "$20"),
        ("ma", "MA.10(b)", "Bet Wager of two times the Ante Wager", "$20"),
        ("pa-682a", "PA-682a.11(b)", "one, two or three times", "$10, $20 or $30"),
    ],
)
def test_each_player_is_asked_in_turn_for_a_sum(
    book: str, clause: str, words: str, sums: str
) -> None:
    at = dealt(book)
    for seat in (1, 3):
        asked = one(at, "decided")
        assert (asked.clause, asked.seat) == (clause, seat)
        assert asked.text.startswith(f"seat {seat}: ask for a ")
        assert words in asked.text
        assert asked.text.endswith(f"forfeit the Ante Wager: {sums}")
        at.does(events.Decided, seat=seat, choice="wager", amount=2000)
    assert told(at, "decided") == []


def test_section_10_asks_nobody_first() -> None:
    at = dealt("s10")
    asked = told(at, "decided")
    assert [(one.seat, one.clause) for one in asked] == [(1, "S10.(j)(1)"), (3, "S10.(j)(1)")]
    assert all(one.text.endswith("fold and forfeit the ante wager: $20") for one in asked)
    at.does(events.Decided, seat=3, choice="wager", amount=2000)
    assert one(at, "decided").seat == 1


@pytest.mark.rule("PA-669a.11(c)", "PA-669a.11(e)", "PA-669a.11(h)")
def test_raise_it_up_is_led_from_street_to_street() -> None:
    at = dealt("pa-669a")
    streets = [
        ("PA-669a.11(b)", "$10, $20 or $30", "PA-669a.11(c)", "first", "4th"),
        ("PA-669a.11(d)", "$10 or $20", "PA-669a.11(e)", "second", "5th"),
        ("PA-669a.11(f)", "$10", "PA-669a.11(h)", "third", "6th"),
    ]
    for street, (clause, sums, reveal, card, box) in enumerate(streets, 1):
        for seat in (1, 3):
            assert told(at, "revealed") == []
            assert at.refuses(events.Revealed, **next_card(at))
            asked = one(at, "decided")
            assert (asked.clause, asked.seat) == (clause, seat)
            assert asked.text.startswith(f"seat {seat}: ")
            assert asked.text.endswith(f": {sums}")
            assert ("check" in asked.text, "fold" in asked.text) == (street < 3, street == 3)
            how = {"choice": "wager", "amount": 1000} if street == 3 else {"choice": "check"}
            at.does(events.Decided, seat=seat, **how)
        turned = one(at, "revealed")
        assert turned.clause == reveal
        assert turned.text == (
            f"turn over the {card} community card and place it in the {box} Street box"
        )
        assert at.refuses(events.Revealed, **two_cards(at))
        at.does(events.Revealed, **next_card(at))


@pytest.mark.rule("PA-683a.11(c)", "PA-683a.11(e)", "PA-683a.11(g)")
def test_cajun_stud_is_led_from_street_to_street() -> None:
    at = dealt("pa-683a")
    streets = [
        ("PA-683a.11(b)", "to forfeit the Ante Wager", "PA-683a.11(c)", "first"),
        ("PA-683a.11(d)", "the Ante Wager and the first Raise Wager", "PA-683a.11(e)", "second"),
        ("PA-683a.11(f)", "the first and second Raise Wagers", "PA-683a.11(g)", "third"),
    ]
    for clause, loses, reveal, card in streets:
        for seat in (1, 3):
            assert told(at, "revealed") == []
            assert at.refuses(events.Revealed, **next_card(at))
            asked = one(at, "decided")
            assert (asked.clause, asked.seat) == (clause, seat)
            assert asked.text.endswith(f"{loses}: $10, $20 or $30")
            at.does(events.Decided, seat=seat, choice="wager", amount=1000)
        turned = one(at, "revealed")
        assert (turned.clause, turned.seat) == (reveal, None)
        assert turned.text == f"turn over and reveal the {card} community card"
        assert at.refuses(events.Revealed, **two_cards(at))
        at.does(events.Revealed, **next_card(at))


@pytest.mark.parametrize("book", ["pa-669a", "pa-683a"])
def test_that_later_streets_keep_the_order_is_called_a_reading(book: str) -> None:
    at = dealt(book)
    assert at.refuses(events.Decided, seat=3, choice="check").endswith(f"(PA-{book[3:]}.11(b))")
    at.decides_once("check" if book == "pa-669a" else "wager")
    at.does(events.Revealed, **next_card(at))
    assert at.refuses(events.Decided, seat=3, choice="check").endswith(f"({READING})")


@pytest.mark.parametrize(
    ("book", "view", "touch"),
    [
        ("pa-639a", "PA-639a.11(a)(2)", "PA-639a.11(a)(1)"),
        ("s10", "S10.(j)(2)", "S10.(j)(2)"),
        ("ma", "MA.10(a)(2)", "MA.10(a)(1)"),
        ("pa-669a", "PA-669a.11(a)(2)", "PA-669a.11(a)(1)"),
        ("pa-682a", "PA-682a.11(a)(2)", "PA-682a.11(a)(1)"),
        ("pa-683a", "PA-683a.11(a)(2)", "PA-683a.11(a)(1)"),
    ],
)
def test_the_dealer_sees_to_the_cards_while_players_decide(
    book: str, view: str, touch: str
) -> None:
    at = dealt(book)
    assert "in full view of you" in by(at, view).text
    assert "touches" in by(at, touch).text
    assert by(at, view).answer == by(at, touch).answer == ""


@pytest.mark.parametrize(
    ("book", "clause"),
    [
        pytest.param("pa-639a", c := "PA-639a.11(a)(3)", marks=pytest.mark.rule(c)),
        pytest.param("ma", c := "MA.10(a)(3)", marks=pytest.mark.rule(c)),
        ("s10", "S10.(j)(2)"),
    ],
)
def test_who_has_decided_does_not_touch_the_cards_again(book: str, clause: str) -> None:
    at = dealt(book, 1, 3, 7)

    def alone() -> list[int | None]:
        found = [one for one in told(at) if "touch them again" in one.text]
        assert all(one.clause == clause for one in found)
        assert all(
            one.text.startswith(f"seat {one.seat}: the cards lie face down") for one in found
        )
        return [one.seat for one in found]

    assert alone() == []
    at.does(events.Decided, seat=1, choice="wager", amount=2000)
    assert alone() == [1]
    # A decision is final, and a folded hand is not the player's to touch: it is gone.
    assert "a decision is final" in at.refuses(events.Decided, seat=1, choice="fold")
    at.does(events.Decided, seat=3, choice="fold")
    at.does(events.Decided, seat=7, choice="wager", amount=2000)
    assert at.phase == "revealing"
    assert alone() == [1, 7]
    at.does(events.Revealed, where="dealer", cards=_names(at, "dealer"))
    at.does(events.HandTurned, seat=7, cards=_names(at, 7))
    assert alone() == [1]


def _names(at: AtTheTable, place: int | str) -> str:
    return " ".join(name(card) for card in at.faces[place])


# --- What folds and forfeits take -------------------------------------------


@pytest.mark.rule("PA-639a.11(c)")
def test_pennsylvania_collects_forfeits_when_all_have_decided() -> None:
    at = open_table("pa-639a").shuffles()
    at.antes(1, bonus=500, progressive=100, five_card_player=100).antes(3, bonus=500).antes(7)
    at.locks().deals()
    for seat in (1, 3):
        at.does(events.Decided, seat=seat, choice="fold")
        assert [one for one in told(at) if one.clause == "PA-639a.11(c)"] == []
        assert told(at, "revealed") == []
    at.does(events.Decided, seat=7, choice="wager", amount=2000)
    first, second = (one for one in told(at) if one.clause == "PA-639a.11(c)" and one.seat)
    wagers = "collect the forfeited wagers: Ante Wager $10, Caribbean Stud Bonus Wager $5"
    # The progressive chip is in the inventory already, and this hand has a wager that lives on.
    assert (first.seat, first.text) == (1, f"seat 1: {wagers}")
    assert (second.seat, second.text) == (
        3,
        f"seat 3: {wagers}; place the cards in the discard rack",
    )
    stays = by(at, "PA-639a.11(b)")
    assert stays.seat == 1
    assert stays.text.startswith("seat 1: leave the cards face down")
    at.does(events.Revealed, where="dealer", cards=_names(at, "dealer"))
    assert not any("forfeited" in one.text for one in told(at))


@pytest.mark.rule("PA-682a.11(c)")
def test_four_card_prime_collects_the_ante_and_leaves_cards_with_a_side_wager() -> None:
    at = open_table("pa-682a").shuffles().antes(1, prime=500).antes(3, 6).locks().deals()
    for seat in (1, 3):
        at.does(events.Decided, seat=seat, choice="fold")
        assert [one for one in told(at) if one.clause == "PA-682a.11(c)"] == []
    at.does(events.Decided, seat=6, choice="wager", amount=1000)
    taken, stays, gone = (one for one in told(at) if one.clause == "PA-682a.11(c)")
    assert (taken.seat, taken.text) == (1, "seat 1: collect the forfeited wager: Ante Wager $10")
    assert stays.seat == 1
    assert stays.text.endswith("leave the cards on the table")
    assert gone.seat == 3
    assert gone.text.endswith("Ante Wager $10; place the cards in the discard rack")


def test_cajun_stud_collects_more_from_street_to_street() -> None:
    at = open_table("pa-683a").sits(2).shuffles()
    at.antes(1).antes(2, pocket=500).antes(3, 6).locks().deals()
    for street, (seat, clause, wagers) in enumerate(
        [
            (1, "PA-683a.11(b)", "Ante Wager $10"),
            (2, "PA-683a.11(d)", "Ante Wager $10, first Raise Wager $20"),
            (3, "PA-683a.11(f)", "Ante Wager $10, first Raise Wager $20, second Raise Wager $20"),
        ],
        1,
    ):
        for other in (1, 2, 3, 6)[street - 1 :]:
            how = {"choice": "fold"} if other == seat else {"choice": "wager", "amount": 2000}
            assert told(at, "revealed") == []
            at.does(events.Decided, seat=other, **how)
        taken, *stays = (one for one in told(at) if one.clause == clause)
        assert taken.seat == seat
        assert taken.text.startswith(f"seat {seat}: collect the forfeited wagers: {wagers}")
        assert ("discard rack" in taken.text) is (seat != 2)
        assert [(one.seat, "leave the cards" in one.text) for one in stays] == (
            [(2, True)] if seat == 2 else []
        )
        at.does(events.Revealed, **next_card(at))
    assert not any("collect" in one.text for one in told(at))


@pytest.mark.parametrize(
    ("side", "clause", "words"),
    [
        ({}, None, ""),
        (
            {"progressive": 100},
            "PA-669a.11(f)",
            "until the Six Card Bonus Wager and any Envy Bonus",
        ),
        ({"six_card": 300}, "PA-669a.11(f)", "until the Six Card Bonus Wager and any Envy Bonus"),
        ({"pair_plus": 500}, READING, "no clause takes the Pair Plus Wager"),
    ],
)
def test_raise_it_up_collects_ante_and_blind_at_once(
    side: dict[str, int], clause: str | None, words: str
) -> None:
    at = dealt("pa-669a", 1, 3, **side)
    for _ in range(2):
        at.decides_once("check")
        at.does(events.Revealed, **next_card(at))
    at.does(events.Decided, seat=1, choice="fold")
    taken, *stays = (one for one in told(at) if one.seat == 1)
    assert taken.clause == "PA-669a.11(f)"
    assert "Ante Wager $10, Blind Wager $10" in taken.text
    assert ("discard rack" in taken.text) is (clause is None)
    assert [one.clause for one in stays] == ([clause] if clause else [])
    assert all(words in one.text for one in stays)
    # Seat 3 is asked all the same.
    assert one(at, "decided").seat == 3


@pytest.mark.parametrize(("book", "clause"), [("s10", "S10.(j)(1)"), ("ma", "MA.10(a)")])
def test_a_folded_hand_is_collected_at_once(book: str, clause: str) -> None:
    at = dealt(book)
    at.does(events.Decided, seat=1, choice="fold")
    [taken] = [one for one in told(at) if one.seat == 1]
    assert taken.clause == clause
    assert "nte wager $10; collect the folded hand immediately" in taken.text
    assert one(at, "decided").seat == 3


@pytest.mark.parametrize(
    ("book", "clause"),
    [
        pytest.param("s10", c := "S10.(j)(3)", marks=pytest.mark.rule(c)),
        pytest.param("pa-669a", c := "PA-669a.11(a)(3)", marks=pytest.mark.rule(c)),
    ],
)
def test_players_keep_their_hands_to_themselves_or_forfeit_all(book: str, clause: str) -> None:
    at = dealt(book, 1, 3, progressive=100)
    rule = by(at, clause)
    assert rule.text.startswith("no player exchanges information about a hand before")
    assert "tell a floorperson" in rule.text
    assert at.refuses(events.WagersForfeited, seats=(1,), reason="talked")
    at.does(events.WagersForfeited, seats=(1,), reason="talked", by=FLOOR)
    assert set(at.table.seat(1).taken_in) == set(at.table.seat(1).wagers)
    [taken] = [one for one in told(at) if one.seat == 1]
    assert taken.clause == clause
    assert taken.text.startswith("seat 1: all wagers are forfeited for exchanging information")
    blind = ", Blind Wager $10" if book == "pa-669a" else ""
    assert taken.text.lower().endswith(f"collect them: ante wager $10{blind.lower()}")
    at.decides().reveals()
    lost = [due for due in at.table.due if due.seat == 1]
    assert {due.wager for due in lost} == set(at.table.seat(1).wagers)
    assert {(due.result, due.clause) for due in lost} == {("lose", clause)}
    assert {due.clause for due in at.table.due if due.seat == 3} & {clause} == set()


@pytest.mark.parametrize("book", ["pa-639a", "pa-669a", "pa-682a", "pa-683a"])
def test_what_a_player_left_behind_is_collected(book: str) -> None:
    clause = f"PA-{book[3:]}.7(b)"
    at = dealt(book)
    at.does(events.PlayerLeft, seat=1)
    at.does(events.WagersAbandoned, seat=1, lost=True, by=FLOOR)
    taken = by(at, clause)
    assert (taken.who, taken.seat) == ("dealer", 1)
    assert "seat 1: the player left and the wagers are lost: collect them: Ante Wager $10" in (
        taken.text
    )
    at.decides().reveals()
    assert {due.clause for due in at.table.due if due.seat == 1} == {clause}
