"""The file of a finished round: what is accepted, and what each thing wrong with it is told."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.faults import Refused
from controller.rules.roundfile import read_round
from controller.rules.settlement import settle
from tests.controller.rules.rounds import library, round_of, seat

Given = dict[str, Any]


def caribbean() -> Given:
    return round_of(
        "pa-639a",
        {"progressive": "F", "bonus": "A", "five_card": True},
        meters={
            "progressive": {"mega": 1234500, "major": 150000},
            "five_card": {"main": 2100000, "reserve": 0},
        },
        dealer="As Kd 9h 4c 2s",
        community="",
        extra="",
        draw={"magic_card": "7d", "lucky": 3},
        seats=[
            seat(3, "Qs Js Ts 9s 8s", ante=500, bet=1000, progressive=100, bonus=500),
            {"seat": 5, "cards": "Qh Jd 8h 5c 2d", "folded": True, "wagers": {"ante": 500}},
        ],
    )


def raise_it_up() -> Given:
    return round_of(
        "pa-669a", community="9h Td Kc", seats=[seat(2, "9c 5d 2s", ante=500, blind=500, play=1500)]
    )


def prime() -> Given:
    return round_of(
        "pa-682a",
        {"all_six": "A"},
        dealer="Kc Jd 9h 5s 3c 2d",
        extra="4s",
        seats=[seat(2, "Ah Qc 8d 6h 4c", **{"ante": 500, "raise": 500, "all_six": 100})],
    )


def cajun() -> Given:
    raises = {"raise_1": 500, "raise_2": 1000, "raise_3": 1500}
    return round_of(
        "pa-683a",
        {"all_six": "A"},
        community="9h Td Kc",
        extra="4s 3s 3d 2h",
        seats=[seat(2, "9c 5d", ante=500, **raises, all_six=100)],
    )


def refused(given: Given | str) -> Refused:
    text = given if isinstance(given, str) else json.dumps(given)
    with pytest.raises(Refused) as caught:
        read_round(text, library().rulebook)
    return caught.value


@pytest.mark.parametrize("good", [caribbean, raise_it_up, prime, cajun])
def test_a_good_round_is_read(good: Callable[[], Given]) -> None:
    ruleset, played = read_round(json.dumps(good()), library().rulebook)
    assert ruleset.rulebook.id == good()["rulebook"]
    assert len(played.seats) == len(good()["seats"])


# --- One thing wrong at a time ----------------------------------------------


def change(*path: Any, to: Any) -> Callable[[Given], None]:
    def do(given: Given) -> None:
        place: Any = given
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = to

    return do


def drop(*path: Any) -> Callable[[Given], None]:
    def do(given: Given) -> None:
        place: Any = given
        for part in path[:-1]:
            place = place[part]
        del place[path[-1]]

    return do


SEAT = ("seats", 0)
WRONG: list[tuple[Callable[[], Given], Callable[[Given], None], str, str]] = [
    # Shape.
    (caribbean, drop("rulebook"), "rulebook", "is missing"),
    (caribbean, change("rulebook", to="nj-1"), "rulebook", "no rulebook 'nj-1'"),
    (caribbean, drop("seats"), "seats", "is missing"),
    (caribbean, change("seats", to=[]), "seats", "is empty"),
    (caribbean, change("seats", to={}), "seats", "must be a list"),
    (caribbean, change("colour", to=1), "colour", "known are rulebook, options"),
    (caribbean, change(*SEAT, "name", to="x"), "seats[0].name", "known are seat, cards"),
    (caribbean, change("draw", "card", to="x"), "draw.card", "not known"),
    (caribbean, change("dealer", to=7), "dealer", "must be text"),
    (caribbean, change(*SEAT, "folded", to="no"), "seats[0].folded", "true or false"),
    (caribbean, change(*SEAT, "seat", to="3"), "seats[0].seat", "whole number"),
    (caribbean, change(*SEAT, "seat", to=True), "seats[0].seat", "whole number"),
    # Options.
    (caribbean, change("options", "bonus", to="D"), "options.bonus", "A, B, C"),
    (caribbean, change("options", "mystery", to=1), "options.mystery", "choices are"),
    # Cards.
    (caribbean, change("dealer", to="As Kd 9h 4c"), "dealer", "has 4 cards; must have 5"),
    (caribbean, change("dealer", to=""), "dealer", "has 0 cards; must have 5"),
    (caribbean, change("dealer", to="As Kd 9h 4c 1s"), "dealer", "'1s' is not a card"),
    (caribbean, change("dealer", to="As Kd 9h 4c As"), "dealer", "As appears twice"),
    (caribbean, change("dealer", to="As Kd 9h 4c Qs"), "dealer", "hand of seat 3"),
    (caribbean, change(*SEAT, "cards", to="Qs Js Ts 9s"), "seats[0].cards", "must have 5"),
    (caribbean, change(*SEAT, "cards", to="Qs Js Ts 9s 8s 7s"), "seats[0].cards", "must have 5"),
    (caribbean, change("seats", 1, "cards", to="Qs Jd 8h 5c 2d"), "seats[1].cards", "seat 3"),
    (caribbean, change("community", to="2h"), "community", "must have none"),
    (caribbean, change("extra", to="2h"), "extra", "must have none"),
    (raise_it_up, change("community", to="9h Td"), "community", "must have 3"),
    (raise_it_up, change("dealer", to="2h"), "dealer", "must have none"),
    (prime, change("dealer", to="Kc Jd 9h 5s 3c"), "dealer", "must have 6"),
    (prime, change("extra", to=""), "extra", "must have 1"),
    (prime, drop(*SEAT, "wagers", "all_six"), "extra", "no seat wagered"),
    (cajun, change("extra", to="4s 3s 3d"), "extra", "must have 4"),
    (cajun, change("extra", to="4s 3s 3d Kc"), "extra", "Kc is also in community"),
    # Seats.
    (caribbean, change(*SEAT, "seat", to=8), "seats[0].seat", "seats are 1 to 7 (PA-639a.2(a))"),
    (caribbean, change(*SEAT, "seat", to=0), "seats[0].seat", "seats are 1 to 7"),
    (raise_it_up, change(*SEAT, "seat", to=7), "seats[0].seat", "seats are 1 to 6"),
    (caribbean, change("seats", 1, "seat", to=3), "seats[1].seat", "seat 3 is given twice"),
    # Wagers.
    (caribbean, change(*SEAT, "wagers", "bet", to=900), "seats[0].wagers.bet", "not 2 times"),
    (caribbean, change(*SEAT, "wagers", "bet", to=-900), "seats[0].wagers.bet", "less than"),
    (caribbean, change(*SEAT, "wagers", "bet", to=10.5), "seats[0].wagers.bet", "whole number"),
    (caribbean, change(*SEAT, "wagers", "bet", to=1e3), "seats[0].wagers.bet", "whole number"),
    (caribbean, change(*SEAT, "wagers", "bet", to="1000"), "seats[0].wagers.bet", "whole number"),
    (caribbean, change(*SEAT, "wagers", "bet", to=True), "seats[0].wagers.bet", "whole number"),
    (caribbean, drop(*SEAT, "wagers", "ante"), "seats[0].wagers.bet", "needs an ante"),
    (caribbean, change(*SEAT, "wagers", to={}), "seats[0].wagers.ante", "is missing"),
    (caribbean, change(*SEAT, "wagers", "cover_all", to=5), "seats[0].wagers.cover_all", "wagers"),
    (caribbean, change(*SEAT, "wagers", "tip", to=0), "seats[0].wagers.tip", "not a wager"),
    (
        caribbean,
        change(*SEAT, "wagers", "progressive", to=200),
        "seats[0].wagers.progressive",
        "$1",
    ),
    (caribbean, drop("options", "bonus"), "seats[0].wagers.bonus", "not offered"),
    (raise_it_up, change(*SEAT, "wagers", "blind", to=400), "seats[0].wagers.blind", "the ante"),
    (raise_it_up, drop(*SEAT, "wagers", "blind"), "seats[0].wagers.play", "needs a blind"),
    (raise_it_up, change(*SEAT, "wagers", "play", to=2000), "seats[0].wagers.play", "1 or 2 or 3"),
    (prime, change(*SEAT, "wagers", "raise", to=750), "seats[0].wagers.raise", "1 or 2 or 3"),
    (cajun, change(*SEAT, "wagers", "raise_2", to=1), "seats[0].wagers.raise_2", "1 or 2 or 3"),
    (cajun, drop(*SEAT, "wagers", "raise_2"), "seats[0].wagers.raise_3", "needs a raise_2"),
    # Folds.
    (caribbean, change(*SEAT, "folded", to=True), "seats[0].folded", "must be false"),
    (caribbean, change("seats", 1, "folded", to=False), "seats[1].folded", "must be true"),
    (cajun, drop(*SEAT, "wagers", "raise_3"), "seats[0].folded", "must be true"),
    # Meters.
    (caribbean, drop("meters"), "meters.progressive", "is missing"),
    (caribbean, drop("meters", "five_card"), "meters.five_card", "is missing"),
    (caribbean, drop("meters", "progressive", "major"), "meters.progressive.major", "is missing"),
    (
        caribbean,
        change("meters", "progressive", "minor", to=5),
        "meters.progressive.minor",
        "level",
    ),
    (
        caribbean,
        change("meters", "progressive", "reserve", to=5),
        "meters.progressive.reserve",
        "lev",
    ),
    (caribbean, change("meters", "progressive", "mega", to=-1), "meters.progressive.mega", "less"),
    (
        caribbean,
        change("meters", "progressive", "mega", to=1.5),
        "meters.progressive.mega",
        "whole",
    ),
    (caribbean, change("meters", "mystery", to={}), "meters.mystery", "no meter"),
    (
        raise_it_up,
        change("meters", to={"progressive": {"main": 5}}),
        "meters.progressive",
        "not of",
    ),
    # Draws.
    (caribbean, change("draw", "lucky", to=8), "draw.lucky", "seats are 1 to 7"),
    (caribbean, change("draw", "lucky", to="nobody"), "draw.lucky", "dealer"),
    (caribbean, change("draw", "magic_card", to="7x"), "draw.magic_card", "not a card"),
    (raise_it_up, change("draw", to={"lucky": 1}), "draw", "not offered"),
]


@pytest.mark.parametrize(("good", "spoil", "field", "says"), WRONG, ids=range(len(WRONG)))
def test_one_clear_message_for_each_thing_wrong(
    good: Callable[[], Given], spoil: Callable[[Given], None], field: str, says: str
) -> None:
    given = copy.deepcopy(good())
    spoil(given)
    why = refused(given)
    assert why.field.startswith(field)
    assert says in str(why)
    assert "\n" not in str(why)


@pytest.mark.parametrize("book", ["pa-639a", "s10", "ma"])
@pytest.mark.rule("PA-639a.1[Bet Wager]")
def test_a_seat_without_its_bet_has_folded(book: str) -> None:
    given = round_of(book, dealer="As Kd 9h 4c 2s", seats=[seat(1, "Qh Jd 8h 5c 2d", ante=500)])
    assert refused(given).field == "seats[0].folded"
    stayed = seat(1, "Qh Jd 8h 5c 2d", ante=500, bet=1000) | {"folded": True}
    why = refused(round_of(book, dealer="As Kd 9h 4c 2s", seats=[stayed]))
    assert why.field == "seats[0].folded"


@pytest.mark.parametrize(
    ("book", "most"),
    [("pa-639a", 7), ("s10", 7), ("ma", 7), ("pa-669a", 6), ("pa-682a", 6), ("pa-683a", 6)],
)
def test_seats_beyond_the_last_are_unknown(book: str, most: int) -> None:
    given = {
        "pa-669a": raise_it_up,
        "pa-682a": prime,
        "pa-683a": cajun,
    }.get(book, caribbean)()
    given = {**given, "rulebook": book}
    if book in ("s10", "ma"):
        plain = seat(1, "Qs Js Ts 9s 8s", ante=500, bet=1000)
        given = round_of(book, dealer="As Kd 9h 4c 2s", seats=[plain])
    given["seats"][0]["seat"] = most
    read_round(json.dumps(given), library().rulebook)
    given["seats"][0]["seat"] = most + 1
    clause = library().rulebook(book).seats.clause
    assert str(refused(given)).endswith(f"seats are 1 to {most} ({clause})")


def test_seats_that_wagered_different_progressive_amounts_are_refused() -> None:
    given = caribbean()
    given["seats"][1]["wagers"]["progressive"] = 500
    assert "the progressive wagers differ: $1, $5" in str(refused(given))


def test_an_amount_that_the_table_does_not_offer_is_refused() -> None:
    given = caribbean()
    given["options"]["progressive_wager"] = 500
    assert refused(given).field == "seats[0].wagers.progressive"


def test_zero_means_not_wagered() -> None:
    given = caribbean()
    del given["options"]["bonus"]
    given["seats"][0]["wagers"]["bonus"] = 0
    _, played = read_round(json.dumps(given), library().rulebook)
    assert "bonus" not in played.seats[0].wagers


def test_nothing_drawn_is_the_same_as_no_draw() -> None:
    for nothing in (None, {}, {"magic_card": None, "lucky": None}):
        read_round(json.dumps({**raise_it_up(), "draw": nothing}), library().rulebook)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("{", "not JSON: Expecting property name enclosed in double quotes at line 1 column 2"),
        ("[]", "a round is a JSON object"),
        ("null", "a round is a JSON object"),
        ('{"rulebook": NaN}', "NaN is not a number"),
        ('{"rulebook": "ma", "rulebook": "s10"}', "rulebook: is given twice"),
        ("[" * 100_000, "nested too deeply"),
        (f'{{"rulebook": {"9" * 5000}}}', "thousands of digits"),
    ],
)
def test_a_text_that_is_no_round(text: str, says: str) -> None:
    assert says in str(refused(text))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from([*caribbean(), "seat", "wagers", "x"]), inner)
        ),
        max_leaves=20,
    )
)
def test_no_json_whatever_does_more_than_be_refused(anything: Any) -> None:
    refused(json.dumps(anything))


@given(st.text(max_size=60))
def test_no_text_whatever_does_more_than_be_refused(text: str) -> None:
    refused(text)


def _paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [here] * bool(here) + [p for key, one in inner for p in _paths(one, (*here, key))]


@given(st.data())
def test_any_value_of_a_good_round_replaced_by_anything_is_settled_or_refused(
    data: st.DataObject,
) -> None:
    rounds = st.sampled_from([caribbean(), raise_it_up(), prime(), cajun()])
    given_round = copy.deepcopy(data.draw(rounds))
    path = data.draw(st.sampled_from(_paths(given_round)))
    nested: st.SearchStrategy[Any] = st.just([]) | st.just({})
    anything = st.none() | st.integers(-2, 2000) | st.text(max_size=4) | nested
    change(*path, to=data.draw(anything))(given_round)
    with contextlib.suppress(Refused):
        settle(*read_round(json.dumps(given_round), library().rulebook))
