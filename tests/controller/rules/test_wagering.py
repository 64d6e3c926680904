"""Which wagers may go down: kind, moment, amount, tender, boxes."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from controller.rules.faults import Refused
from controller.rules.rulebook import Moment
from controller.rules.ruleset import Ruleset, choose
from controller.rules.wagering import may_take_boxes, place
from tests.controller.rules.rounds import REQUIRED, library

MOMENTS: tuple[Moment, ...] = get_args(Moment)
EVERYTHING: dict[str, dict[str, Any]] = {
    "pa-639a": {"progressive": "D", "bonus": "A", "five_card": True},
    "s10": {"progressive": True, "straight_flush": "10%", "progressive_reset": 0},
    "ma": {
        "progressive": "A",
        "progressive_reset": 0,
        "bonus": "A",
        "five_card": True,
        "five_card_reset": 1_000_000,
        "cover_all": True,
    },
    "pa-669a": {"progressive": True, "six_card": "A"},
    "pa-682a": {"prime": "A", "aces": "A", "aces_bonus_cards": 5, "all_six": "A"},
    "pa-683a": {"pocket": "A", "board": "A", "lo_ball": "A", "all_six": "A"},
}
ALL = pytest.mark.parametrize("book", list(EVERYTHING))
#: Where each text says that no wager is made after "no more bets".
NO_MORE_BETS = {
    "pa-639a": "PA-639a.7(c)",
    "s10": "S10.(f)(2)",
    "ma": "MA.6(b)",
    "pa-669a": "PA-669a.7(c)",
    "pa-682a": "PA-682a.7(c)",
    "pa-683a": "PA-683a.7(c)",
}


def rules(book: str, **more: Any) -> Ruleset:
    return choose(library().rulebook(book), {**REQUIRED[book], **EVERYTHING[book], **more})


def plain(book: str) -> Ruleset:
    return choose(library().rulebook(book), REQUIRED[book])


def refusal(ruleset: Ruleset, wager: str, amount: int, **how: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        place(ruleset, wager, amount, **how)
    return caught.value


def entry(book: str, ante: int = 1000) -> dict[str, int]:
    """What a seat must have down to be dealt in."""
    return {"ante": ante, "blind": ante} if book == "pa-669a" else {"ante": ante}


# --- Tender -----------------------------------------------------------------


@ALL
@pytest.mark.rule(
    "PA-639a.7(a)", "S10.(f)(1)", "MA.6(a)", "PA-669a.7(a)", "PA-682a.7(a)", "PA-683a.7(a)"
)
def test_cash_and_spoken_wagers_do_not_exist(book: str) -> None:
    for tender in ("cash", "spoken"):
        why = refusal(rules(book), "ante", 1000, down={}, tender=tender)
        assert why.clause == library().rulebook(book).tender.clause
    for tender in ("chips", "plaques"):
        place(rules(book), "ante", 1000, down={}, tender=tender)


@pytest.mark.parametrize("book", ["s10", "ma"])
@pytest.mark.rule("S10.(f)(1)", "MA.6(a)")
def test_match_play_only_where_the_house_accepts_it(book: str) -> None:
    assert refusal(rules(book), "ante", 1000, down={}, tender="match play coupon")
    more: dict[str, Any] = {"progressive_rate": 70}
    if book == "ma":
        more |= {"progressive_approval": "1", "five_card_wager": 100, "five_card_rate": 20}
    accepting = choose(
        library().rulebook(book),
        {**EVERYTHING[book], **more, "match_play": True, "seats": 7},
        of_a_table=True,
    )
    place(accepting, "ante", 1000, down={}, tender="match play coupon")
    down = {"ante": 1000}
    assert refusal(accepting, "progressive", 100, down=down, tender="match play coupon")


# --- Kinds ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "kinds"),
    [
        pytest.param(
            "pa-639a",
            "ante bet bonus progressive five_card_player five_card_dealer",
            marks=pytest.mark.rule("PA-639a.7(d)"),
        ),
        pytest.param(
            "pa-669a",
            "ante blind play pair_plus progressive six_card",
            marks=pytest.mark.rule("PA-669a.7(d)"),
        ),
        pytest.param(
            "pa-682a", "ante raise prime aces all_six", marks=pytest.mark.rule("PA-682a.7(d)")
        ),
        pytest.param(
            "pa-683a",
            "ante raise_1 raise_2 raise_3 pocket board lo_ball all_six",
            marks=pytest.mark.rule("PA-683a.7(d)"),
        ),
    ],
)
def test_only_the_listed_kinds_are_known(book: str, kinds: str) -> None:
    assert set(rules(book).offered) == set(kinds.split())
    for unknown in ("cover_all", "tie", "insurance", ""):
        why = refusal(rules(book), unknown, 100, down=entry(book))
        assert why.clause == f"PA-{book[3:]}.7(d)"


@ALL
def test_an_optional_wager_that_is_not_offered_is_refused(book: str) -> None:
    bare = plain(book)
    for wager in set(rules(book).offered) - set(bare.offered):
        assert "not offered" in str(refusal(bare, wager, 100, down=entry(book)))


@pytest.mark.parametrize(
    ("book", "wager"),
    [
        pytest.param("pa-639a", "progressive", marks=pytest.mark.rule("PA-639a.7(d)(2)")),
        pytest.param("pa-639a", "bonus", marks=pytest.mark.rule("PA-639a.7(d)(3)")),
        pytest.param("pa-639a", "five_card_player", marks=pytest.mark.rule("PA-639a.7(d)(4)")),
        pytest.param("pa-639a", "five_card_dealer", marks=pytest.mark.rule("PA-639a.7(d)(4)")),
        pytest.param("s10", "progressive", marks=pytest.mark.rule("S10.(f)(3)")),
        pytest.param("ma", "progressive", marks=pytest.mark.rule("MA.6(c)")),
        pytest.param("ma", "cover_all", marks=pytest.mark.rule("MA.12(a)")),
        pytest.param("ma", "bonus", marks=pytest.mark.rule("MA.11(c)")),
        pytest.param("pa-669a", "progressive", marks=pytest.mark.rule("PA-669a.7(d)(4)")),
        pytest.param("pa-669a", "six_card", marks=pytest.mark.rule("PA-669a.7(d)(5)")),
        pytest.param("pa-682a", "prime", marks=pytest.mark.rule("PA-682a.7(d)(2)")),
        pytest.param("pa-682a", "aces", marks=pytest.mark.rule("PA-682a.7(d)(3)")),
        pytest.param("pa-682a", "all_six", marks=pytest.mark.rule("PA-682a.7(d)(4)")),
        pytest.param("pa-683a", "pocket", marks=pytest.mark.rule("PA-683a.7(d)(2)")),
        pytest.param("pa-683a", "board", marks=pytest.mark.rule("PA-683a.7(d)(3)")),
        pytest.param("pa-683a", "lo_ball", marks=pytest.mark.rule("PA-683a.7(d)(4)")),
        pytest.param("pa-683a", "all_six", marks=pytest.mark.rule("PA-683a.7(d)(5)")),
    ],
)
def test_a_side_wager_needs_an_offer_an_ante_and_its_moment(book: str, wager: str) -> None:
    offered, down = rules(book), entry(book)
    place(offered, wager, 100, down=down, moment="no more bets")
    assert refusal(plain(book), wager, 100, down=down)
    assert refusal(offered, wager, 100, down={})
    for late in MOMENTS[1:]:
        assert refusal(offered, wager, 100, down=down, moment=late)
    assert refusal(offered, wager, 100, down={**down, wager: 100})


@pytest.mark.rule("PA-669a.7(d)(3)")
def test_pair_plus_may_always_be_added_by_a_seat_with_ante_and_blind() -> None:
    place(plain("pa-669a"), "pair_plus", 100, down=entry("pa-669a"), moment="no more bets")
    assert refusal(plain("pa-669a"), "pair_plus", 100, down={"ante": 1000})
    with pytest.raises(Refused, match="pair_plus: must be chosen"):
        choose(library().rulebook("pa-669a"), {})


@pytest.mark.parametrize("wager", ["all_six", "aces", "prime"])
@pytest.mark.rule(
    "PA-682a.1[All-Six Bonus Wager]", "PA-682a.1[Aces Bonus Wager]", "PA-682a.1[Prime Wager]"
)
def test_four_card_prime_takes_side_wagers_before_any_card(wager: str) -> None:
    place(rules("pa-682a"), wager, 100, down={"ante": 1000}, moment="no more bets")
    assert refusal(rules("pa-682a"), wager, 100, down={"ante": 1000}, moment="decision 1")


@pytest.mark.parametrize("wager", ["all_six", "board", "pocket", "lo_ball"])
@pytest.mark.rule(
    "PA-683a.1[All-Six Bonus Wager]",
    "PA-683a.1[Board Bonus Wager]",
    "PA-683a.1[Pocket Bonus Wager]",
    "PA-683a.1[Lo Ball Wager]",
)
def test_cajun_stud_takes_side_wagers_before_any_card(wager: str) -> None:
    place(rules("pa-683a"), wager, 100, down={"ante": 1000}, moment="no more bets")
    for late in MOMENTS[1:]:
        assert refusal(rules("pa-683a"), wager, 100, down={"ante": 1000}, moment=late)


# --- Moments ----------------------------------------------------------------


@ALL
@pytest.mark.rule(
    "PA-639a.7(c)", "S10.(f)(2)", "MA.6(b)", "PA-669a.7(c)", "PA-682a.7(c)", "PA-683a.7(c)"
)
def test_after_no_more_bets_nothing_goes_down_but_the_wager_of_the_decision(book: str) -> None:
    ruleset = rules(book)
    for name, wager in ruleset.rulebook.wagers.items():
        for moment in MOMENTS[1:]:
            if moment in wager.moments:
                continue
            needs = dict.fromkeys(wager.needs, 1000)
            why = refusal(ruleset, name, 1000, down=needs, moment=moment)
            assert why.clause == NO_MORE_BETS[book]


@pytest.mark.parametrize("book", ["s10", "ma"])
@pytest.mark.rule("S10.(f)(4)", "MA.6(d)")
def test_a_bet_is_taken_at_the_decision_and_not_before(book: str) -> None:
    place(rules(book), "bet", 2000, down={"ante": 1000}, moment="decision 1")
    for moment in ("no more bets", "decision 2", "decision 3"):
        why = refusal(rules(book), "bet", 2000, down={"ante": 1000}, moment=moment)
        assert "only at decision 1" in str(why)


@pytest.mark.parametrize(
    ("book", "wager", "amount", "moment", "says"),
    [
        ("pa-639a", "bonus", 100, "decision 1", "bonus: comes after 'no more bets'"),
        (
            "pa-639a",
            "bet",
            2000,
            "no more bets",
            "bet: can't be made before 'no more bets', only at decision 1",
        ),
        ("ma", "bet", 2000, "decision 2", "bet: can't be made at decision 2, only at decision 1"),
        (
            "pa-682a",
            "raise",
            1500,
            "decision 1",
            "raise: $15 is not 1 or 2 or 3 times the ante of $10; allowed is $10 or $20 or $30",
        ),
    ],
)
def test_a_refusal_says_when_and_how_much_would_be_right(
    book: str, wager: str, amount: int, moment: Moment, says: str
) -> None:
    why = refusal(rules(book), wager, amount, down={"ante": 1000}, moment=moment)
    assert str(why) == f"{says} ({why.clause})"


@ALL
@pytest.mark.rule(
    "PA-639a.7(c)", "S10.(f)(2)", "MA.6(b)", "PA-669a.7(c)", "PA-682a.7(c)", "PA-683a.7(c)"
)
def test_a_wager_that_is_down_is_not_changed(book: str) -> None:
    assert "already" in str(refusal(rules(book), "ante", 2000, down=entry(book)))


# --- Amounts ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "wager", "moment", "allowed"),
    [
        pytest.param(
            "pa-639a",
            "bet",
            "decision 1",
            [2],
            marks=pytest.mark.rule("PA-639a.7(d)(1)", "PA-639a.11(b)"),
        ),
        pytest.param(
            "s10",
            "bet",
            "decision 1",
            [2],
            marks=pytest.mark.rule("S10.(a)(1)(ii)", "S10.(j)(1)"),
        ),
        pytest.param(
            "ma", "bet", "decision 1", [2], marks=pytest.mark.rule("MA.1[Bet wager]", "MA.10(b)")
        ),
        pytest.param(
            "pa-682a",
            "raise",
            "decision 1",
            [1, 2, 3],
            marks=pytest.mark.rule("PA-682a.7(d)(1)", "PA-682a.1[Raise Wager]", "PA-682a.11(b)"),
        ),
        pytest.param(
            "pa-669a",
            "play",
            "decision 1",
            [1, 2, 3],
            marks=pytest.mark.rule("PA-669a.7(d)(2)", "PA-669a.11(b)"),
        ),
        pytest.param(
            "pa-669a",
            "play",
            "decision 2",
            [1, 2],
            marks=pytest.mark.rule("PA-669a.7(d)(2)", "PA-669a.11(d)"),
        ),
        pytest.param(
            "pa-669a",
            "play",
            "decision 3",
            [1],
            marks=pytest.mark.rule("PA-669a.7(d)(2)", "PA-669a.11(f)"),
        ),
        pytest.param(
            "pa-683a",
            "raise_1",
            "decision 1",
            [1, 2, 3],
            marks=pytest.mark.rule("PA-683a.7(d)(1)", "PA-683a.1[Raise Wager]", "PA-683a.11(b)"),
        ),
        pytest.param(
            "pa-683a",
            "raise_2",
            "decision 2",
            [1, 2, 3],
            marks=pytest.mark.rule("PA-683a.7(d)(1)", "PA-683a.1[Raise Wager]", "PA-683a.11(d)"),
        ),
        pytest.param(
            "pa-683a",
            "raise_3",
            "decision 3",
            [1, 2, 3],
            marks=pytest.mark.rule("PA-683a.7(d)(1)", "PA-683a.1[Raise Wager]", "PA-683a.11(f)"),
        ),
    ],
)
def test_a_decision_wager_is_a_multiple_of_the_ante(
    book: str, wager: str, moment: Moment, allowed: list[int]
) -> None:
    down = entry(book)
    if book == "pa-683a":
        down = {**down, **{f"raise_{n}": 1000 for n in range(1, int(wager[-1]))}}
    for times in range(1, 6):
        if times in allowed:
            place(rules(book), wager, times * 1000, down=down, moment=moment)
        else:
            assert refusal(rules(book), wager, times * 1000, down=down, moment=moment)
    for odd in (1, 1500, 1999, 2001, 2500):
        assert refusal(rules(book), wager, odd, down=down, moment=moment)
    assert "needs" in str(refusal(rules(book), wager, 1000, down={}, moment=moment))


@pytest.mark.rule("PA-669a.7(d)(2)")
def test_one_play_wager_in_a_round_at_one_of_three_decisions() -> None:
    down = {**entry("pa-669a"), "play": 1000}
    assert refusal(rules("pa-669a"), "play", 1000, down=down, moment="decision 2")
    assert refusal(rules("pa-669a"), "play", 1000, down=entry("pa-669a"), moment="no more bets")


@pytest.mark.rule("PA-669a.7(d)(1)")
def test_the_blind_equals_the_ante() -> None:
    place(rules("pa-669a"), "blind", 1000, down={"ante": 1000})
    for wrong in (500, 999, 2000):
        why = refusal(rules("pa-669a"), "blind", wrong, down={"ante": 1000})
        assert why.allowed == "allowed is $10"


@ALL
@pytest.mark.parametrize("amount", [0, -1])
def test_nothing_is_no_wager(book: str, amount: int) -> None:
    assert refusal(rules(book), "ante", amount, down={})


@pytest.mark.rule("S10.(f)(3)", "MA.6(c)")
@pytest.mark.parametrize("book", ["s10", "ma"])
def test_a_progressive_wager_is_one_dollar_by_chip_or_coupon(book: str) -> None:
    down = {"ante": 1000}
    for tender in ("chips", "progressive coupon"):
        place(rules(book), "progressive", 100, down=down, tender=tender)
    for amount in (99, 101, 200, 500):
        assert refusal(rules(book), "progressive", amount, down=down)
    assert refusal(rules(book), "ante", 1000, down={}, tender="progressive coupon")


@pytest.mark.rule("MA.6(c)")
def test_massachusetts_takes_five_dollars_only_with_a_table_that_prints_them() -> None:
    five = rules("ma", progressive="D")
    place(five, "progressive", 500, down={"ante": 1000})
    fixed = rules("ma", progressive="D", progressive_wager=100)
    assert refusal(fixed, "progressive", 500, down={"ante": 1000})


# --- Boxes ------------------------------------------------------------------


@pytest.mark.parametrize(
    "book",
    [
        pytest.param("pa-639a", marks=pytest.mark.rule("PA-639a.7(e)")),
        pytest.param("pa-682a", marks=pytest.mark.rule("PA-682a.7(e)")),
        pytest.param("pa-683a", marks=pytest.mark.rule("PA-683a.7(e)")),
    ],
)
def test_adjacent_boxes_are_the_operators_number(book: str) -> None:
    seats = library().rulebook(book).seats.most
    options = {**REQUIRED[book], "seats": seats}
    two = choose(library().rulebook(book), {**options, "adjacent_boxes": 2}, of_a_table=True)
    for boxes in ({3}, {3, 4}, {1, 2}):
        may_take_boxes(two, boxes)
    for boxes in ({3, 5}, {3, 4, 5}):
        with pytest.raises(Refused, match=r"\.7\(e\)"):
            may_take_boxes(two, boxes)
    for fine in (1, seats):
        choose(library().rulebook(book), {**options, "adjacent_boxes": fine}, of_a_table=True)
    for wrong in (0, seats + 1):
        with pytest.raises(Refused, match=r"\.7\(e\)"):
            choose(library().rulebook(book), {**options, "adjacent_boxes": wrong}, of_a_table=True)


@pytest.mark.parametrize(
    "book",
    [
        pytest.param("s10", marks=pytest.mark.rule("S10.(f)(5)")),
        pytest.param("ma", marks=pytest.mark.rule("MA.6(e)")),
        pytest.param("pa-669a", marks=pytest.mark.rule("PA-669a.7(e)")),
    ],
)
def test_one_player_one_box(book: str) -> None:
    may_take_boxes(plain(book), {3})
    with pytest.raises(Refused):
        may_take_boxes(plain(book), {3, 4})
