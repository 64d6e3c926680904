"""The operator's choices: what a rulebook lets a table choose, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from controller.rules.faults import Refused
from controller.rules.ruleset import Ruleset, best_win_at_minimum, choose
from tests.controller.rules.rounds import REQUIRED, library

#: One dollar; the envy schedules and the link's tables know five as well.
LINKED_AMOUNTS = "MA.6(c), MA.11(d)(7), MA.12(l)"

#: What a whole table has to settle beforehand.
TABLE: dict[str, dict[str, Any]] = {
    "pa-639a": {"seats": 7, "adjacent_boxes": 2},
    "s10": {"seats": 7},
    "ma": {"seats": 7},
    "pa-669a": {"seats": 6},
    "pa-682a": {"seats": 6, "adjacent_boxes": 1},
    "pa-683a": {"seats": 6, "adjacent_boxes": 1},
}


def chosen(book: str, **options: Any) -> Ruleset:
    return choose(library().rulebook(book), {**REQUIRED[book], **options})


def table(book: str, **options: Any) -> Ruleset:
    everything = {**REQUIRED[book], **TABLE[book], **options}
    return choose(library().rulebook(book), everything, of_a_table=True)


def refused(book: str, **options: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        chosen(book, **options)
    return caught.value


def table_refused(book: str, **options: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        table(book, **options)
    return caught.value


# --- Paytables --------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "choice", "columns", "none"),
    [
        pytest.param(book, choice, columns, none, marks=pytest.mark.rule(clause))
        for book, choice, columns, none, clause in [
            ("pa-639a", "bonus", "ABC", "D", "PA-639a.12(c)"),
            ("pa-639a", "progressive", "ABCDEFGH", "J", "PA-639a.12(d)(1)"),
            ("ma", "bonus", "ABC", "D", "MA.11(c)"),
            ("pa-669a", "pair_plus", "AB", "C", "PA-669a.12(a)"),
            ("pa-669a", "six_card", "ABCD", "E", "PA-669a.12(f)"),
            ("pa-682a", "bad_beat", "ABCD", "E", "PA-682a.12(c)"),
            ("pa-682a", "prime", "AB", "C", "PA-682a.12(d)"),
            ("pa-682a", "all_six", "ABCDE", "F", "PA-682a.12(f)"),
            ("pa-683a", "ante", "ABC", "D", "PA-683a.12(a)"),
            ("pa-683a", "pocket", "ABC", "D", "PA-683a.12(b)"),
            ("pa-683a", "board", "ABCD", "E", "PA-683a.12(c)"),
            ("pa-683a", "lo_ball", "AB", "C", "PA-683a.12(d)"),
            ("pa-683a", "all_six", "ABCDE", "F", "PA-683a.12(e)"),
        ]
    ],
)
def test_each_printed_column_can_be_chosen_and_no_other(
    book: str, choice: str, columns: str, none: str
) -> None:
    for column in columns:
        assert chosen(book, **{choice: column}).tables[choice].name == column
    why = refused(book, **{choice: none})
    assert why.field == choice
    assert why.clause == library().rulebook(book).choices[choice].clause
    assert all(column in why.allowed for column in columns)


@pytest.mark.rule("PA-682a.12(e)", "PA-682a.6(d)")
def test_the_aces_bonus_needs_a_paytable_and_a_reading() -> None:
    for column in "ABCDEFGH":
        four = chosen("pa-682a", aces=column, aces_bonus_cards=4).tables["aces"]
        five = chosen("pa-682a", aces=column, aces_bonus_cards=5).tables["aces"]
        assert (four.ranking.name, five.ranking.name) == ("aces-4", "aces-5")
    assert refused("pa-682a", aces="J", aces_bonus_cards=4).clause == "PA-682a.12(e)"
    assert refused("pa-682a", aces="A").field == "aces_bonus_cards"
    assert refused("pa-682a", aces="A").clause == "PA-682a.6(d)"
    for wrong in (3, "4", True):
        assert refused("pa-682a", aces="A", aces_bonus_cards=wrong).field == "aces_bonus_cards"


@pytest.mark.rule("MA.11(d)")
def test_massachusetts_has_five_progressive_tables_of_its_own() -> None:
    for column in "ABCDE":
        made = chosen("ma", progressive=column, progressive_reset=0)
        assert made.tables["progressive"].clause == f"MA.11(d)[{column}]"
    assert "MA.11(d)" in refused("ma", progressive="F").clause


@pytest.mark.rule("MA.12(l)")
def test_the_multi_game_link_has_six_tables_and_no_ptmgl03() -> None:
    for column in ("PTMGL01", "PTMGL02", "PTMGL04", "PTMGLML01", "PTMGLML02", "PTMGLML03"):
        made = chosen("ma", progressive=column)
        assert made.tables["progressive"].clause == f"MA.12(l)[{column}:Pays]"
        top = made.meters["progressive"].levels[0]
        dollars = 1_000 if column == "PTMGL04" else 10_000
        assert made.meters["progressive"].reseed_cents(top, 500) == dollars * 500
    assert "MA.12(l)" in refused("ma", progressive="PTMGL03").clause
    # Its seeds are printed: there is nothing to choose.
    assert refused("ma", progressive="PTMGL01", progressive_reset=5).field == "progressive_reset"


def test_what_is_required_can_not_be_left_out() -> None:
    for book, choice in (("pa-669a", "pair_plus"), ("pa-682a", "bad_beat"), ("pa-683a", "ante")):
        with pytest.raises(Refused) as caught:
            choose(library().rulebook(book), {})
        assert caught.value.field == choice
        assert caught.value.clause == library().rulebook(book).choices[choice].clause


def test_a_wager_that_is_not_chosen_is_not_offered() -> None:
    assert chosen("pa-639a").offered == ("ante", "bet")
    assert chosen("pa-639a", bonus=False, five_card=False).offered == ("ante", "bet")
    assert chosen("pa-669a").offered == ("ante", "blind", "play", "pair_plus")
    five_card = chosen("pa-639a", five_card=True).offered
    assert five_card == ("ante", "bet", "five_card_player", "five_card_dealer")


def test_an_unknown_choice_is_refused_with_the_known_ones() -> None:
    why = refused("pa-639a", payout_limit=5_000_000)
    assert why.field == "payout_limit"
    assert "bonus, progressive" in why.allowed


# --- Links, rates, resets ---------------------------------------------------


@pytest.mark.parametrize(
    ("book", "options", "clause"),
    [
        pytest.param("pa-639a", {}, "PA-639a.12(d)(3)", marks=pytest.mark.rule("PA-639a.12(d)(3)")),
        pytest.param(
            "ma", {"progressive_reset": 0}, "MA.11(d)(4)", marks=pytest.mark.rule("MA.11(d)(4)")
        ),
    ],
)
def test_a_linked_jackpot_excludes_tables_a_b_c_and_e(
    book: str, options: dict[str, Any], clause: str
) -> None:
    for column in "ABCE":
        why = refused(book, progressive=column, linked=True, **options)
        assert (why.field, why.clause) == ("progressive", clause)
        assert chosen(book, progressive=column, linked=False, **options)
    assert chosen(book, progressive="D", linked=True, **options)


def test_a_link_where_the_rulebook_knows_none() -> None:
    for book in ("pa-669a", "s10"):
        why = refused(book, linked=True)
        assert (why.field, why.clause) == ("linked", "not stated in the text; felt's reading")


@pytest.mark.parametrize("book", ["pa-639a", "pa-669a", "s10", "ma"])
def test_nobody_may_choose_that_fixed_prizes_come_off_a_meter(book: str) -> None:
    for why in (refused, table_refused):
        said = why(book, fixed_prizes_debit_meter=True)
        assert (said.field, "is not a choice" in said.problem) == ("fixed_prizes_debit_meter", True)


@pytest.mark.parametrize("column", ["F", "G", "H"])
def test_the_later_tables_may_be_linked(column: str) -> None:
    assert chosen("pa-639a", progressive=column, linked=True)


@pytest.mark.rule("S10.(l)(6)")
def test_section_10_wants_a_rate_of_seventy_percent() -> None:
    options = {"progressive": True, "straight_flush": "10%", "progressive_reset": 1_000_000}
    why = refused("s10", **options, progressive_rate=69)
    assert (why.field, why.clause) == ("progressive_rate", "S10.(l)(6)")
    terms = chosen("s10", **options, progressive_rate=70).meters["progressive"]
    assert terms.rate == {"main": 70}
    assert terms.reseed_cents("main", 100) == 1_000_000
    assert refused("s10", progressive=True, straight_flush="10%").field == "progressive_reset"
    assert refused("s10", **options, progressive_rate=101).field == "progressive_rate"


@pytest.mark.rule("MA.11(d)(5)")
def test_massachusetts_wants_seventy_percent_and_an_approved_reset() -> None:
    assert refused("ma", progressive="A", progressive_reset=0, progressive_rate=69).clause == (
        "MA.11(d)(5)"
    )
    assert refused("ma", progressive="PTMGL01", progressive_rate=69).clause == "MA.11(d)(5)"
    assert refused("ma", progressive="A").field == "progressive_reset"
    terms = chosen("ma", progressive="A", progressive_reset=77, progressive_rate=70)
    assert terms.meters["progressive"].rate == {"main": 70}
    assert terms.meters["progressive"].reseed_cents("main", 100) == 77
    options = {"progressive": "A", "progressive_reset": 0, "progressive_rate": 70}
    without = table_refused("ma", **options)
    assert (without.field, without.clause) == ("progressive_approval", "MA.11(d)(5)")
    assert table("ma", **options, progressive_approval="138.62/17")


@pytest.mark.rule("MA.11(e)(4)")
def test_massachusetts_restarts_the_five_card_meter_at_ten_thousand_dollars_or_more() -> None:
    assert refused("ma", five_card=True).field == "five_card_reset"
    why = refused("ma", five_card=True, five_card_reset=999_999)
    assert (why.field, why.clause) == ("five_card_reset", "MA.11(e)(4)")
    terms = chosen("ma", five_card=True, five_card_reset=1_000_000, five_card_rate=13)
    assert terms.meters["five_card"].reseed_cents("main", 500) == 1_000_000
    assert terms.meters["five_card"].rate == {"main": 13}
    assert chosen("ma", five_card=True, five_card_reset=1_000_000, five_card_rate=1)
    assert refused("ma", five_card=True, five_card_reset=1_000_000, five_card_rate=0)


@pytest.mark.rule("PA-639a.12(d)(4)")
@pytest.mark.parametrize(
    "name", ["progressive_rate", "progressive_reset", "five_card_rate", "five_card_reset"]
)
def test_pennsylvania_fixes_seeds_and_rates_itself(name: str) -> None:
    why = refused("pa-639a", progressive="D", five_card=True, **{name: 70})
    assert why.field == name
    assert why.clause == ("PA-639a.12(d)(4)" if "prog" in name else "PA-639a.12(e)(4)")


MA_AMOUNTS = "MA.6(c), MA.11(d)(7), MA.12(l)"


@pytest.mark.parametrize(
    ("book", "options", "amounts", "clause"),
    [
        pytest.param(
            "pa-639a",
            {"progressive": column},
            [100, 500],
            "PA-639a.12(d)(4), PA-639a.12(d)(6)",
            marks=pytest.mark.rule("PA-639a.12(d)(6)"),
        )
        for column in "DFGH"
    ]
    + [
        pytest.param(
            "pa-669a",
            {"progressive": True},
            [100, 500],
            "PA-669a.12(e)(3), PA-669a.12(e)(5)",
            marks=pytest.mark.rule("PA-669a.12(e)(5)"),
        ),
        pytest.param("ma", {"progressive": "PTMGL02"}, [100, 500], LINKED_AMOUNTS),
        pytest.param("ma", {"progressive": "B", "progressive_reset": 0}, [100], LINKED_AMOUNTS),
        pytest.param(
            "s10",
            {"progressive": True, "straight_flush": "10%", "progressive_reset": 0},
            [100],
            "S10.(f)(3)",
        ),
    ],
)
def test_progressive_amounts_without_a_schedule_are_refused(
    book: str, options: dict[str, Any], amounts: list[int], clause: str
) -> None:
    for cents in amounts:
        assert chosen(book, **options, progressive_wager=cents)
    for cents in {200, 500, 1000} - set(amounts):
        why = refused(book, **options, progressive_wager=cents)
        assert (why.field, why.clause) == ("progressive_wager", clause)


def test_pennsylvania_tables_without_envy_take_any_amount() -> None:
    for column in "ABCE":
        for cents in (1, 250):
            assert chosen("pa-639a", progressive=column, progressive_wager=cents)
        why = refused("pa-639a", progressive=column, progressive_wager=0)
        assert why.field == "progressive_wager"


# --- What a table must fix, and a finished round may leave out ---------------

FIXED: dict[str, dict[str, Any]] = {
    "s10": {
        "progressive": True,
        "straight_flush": "10%",
        "progressive_reset": 1_000_000,
        "progressive_rate": 70,
    },
    "ma": {
        "progressive": "D",
        "progressive_wager": 500,
        "progressive_reset": 1_000_000,
        "progressive_rate": 70,
        "progressive_approval": "138.62/17",
        "five_card": True,
        "five_card_wager": 100,
        "five_card_reset": 1_000_000,
        "five_card_rate": 20,
    },
    "pa-639a": {
        "progressive": "A",
        "progressive_wager": 250,
        "five_card": True,
        "five_card_wager": 100,
    },
    "pa-669a": {"progressive": True, "progressive_wager": 500},
}


@pytest.mark.parametrize(
    ("book", "left_out", "clause"),
    [
        pytest.param(book, left_out, clause, marks=pytest.mark.rule(proven))
        for book, left_out, clause, proven in [
            ("s10", "progressive_rate", "S10.(l)(6)", "S10.(l)(6)"),
            ("ma", "progressive_rate", "MA.11(d)(5)", "MA.11(d)(5)"),
            ("ma", "five_card_rate", "MA.11(e)(4)", "MA.11(e)(4)"),
            ("ma", "five_card_wager", "MA.11(e)(4)", "MA.11(e)(4)"),
            ("ma", "progressive_wager", MA_AMOUNTS, "MA.11(d)(7)"),
            (
                "pa-639a",
                "progressive_wager",
                "PA-639a.12(d)(4), PA-639a.12(d)(6)",
                "PA-639a.12(d)(4)",
            ),
            ("pa-639a", "five_card_wager", "PA-639a.12(e)(4)", "PA-639a.12(e)(4)"),
            (
                "pa-669a",
                "progressive_wager",
                "PA-669a.12(e)(3), PA-669a.12(e)(5)",
                "PA-669a.12(e)(3)",
            ),
        ]
    ],
)
def test_a_table_fixes_what_a_meter_follows(book: str, left_out: str, clause: str) -> None:
    made = FIXED[book]
    assert table(book, **made)
    why = table_refused(book, **{name: made[name] for name in made if name != left_out})
    assert (why.field, why.clause) == (left_out, clause)
    assert why.problem.startswith("must be chosen with ")
    # A finished round is settled the same without it.
    known = {name: made[name] for name in made if name != "progressive_approval"}
    assert chosen(book, **{name: known[name] for name in known if name != left_out})


def test_a_table_need_not_fix_what_the_text_does() -> None:
    assert table("s10", **FIXED["s10"]).wager_on("progressive") == 100
    b = {**FIXED["ma"], "progressive": "B"}
    del b["progressive_wager"]
    assert table("ma", **b).wager_on("progressive") == 100


@pytest.mark.parametrize("wrong", [0, -100, 99.5, "100", True, None, {"main": 100}])
@pytest.mark.parametrize("name", ["progressive_wager", "five_card_wager"])
def test_an_amount_is_whole_cents(name: str, wrong: Any) -> None:
    why = table_refused("pa-639a", **{**FIXED["pa-639a"], name: wrong})
    assert why.field == name


# --- Rates of several levels -------------------------------------------------

THREE = {"progressive": "PTMGLML02", "progressive_wager": 100}


@pytest.mark.rule("MA.11(d)(5)", "MA.12(l)")
@pytest.mark.parametrize(
    ("rates", "field", "says"),
    [
        ({"mega": 40, "major": 20, "minor": 9}, "progressive_rate", "69% is too little"),
        ({"mega": 60, "major": 30, "minor": 11}, "progressive_rate", "more than the whole wager"),
        ({"mega": 100, "major": 100, "minor": 100}, "progressive_rate", "more than the whole"),
        ({"mega": 70, "major": 20}, "progressive_rate.minor", "is missing"),
        ({}, "progressive_rate.mega", "is missing"),
        ({"mega": 70, "major": 9, "minor": 0}, "progressive_rate.minor", "too little"),
        ({"mega": 90, "major": -9, "minor": 1}, "progressive_rate.major", "too little"),
        ({"mega": 101, "major": 1, "minor": 1}, "progressive_rate.mega", "too much"),
        ({"mega": 70, "major": 9, "minor": 2, "main": 1}, "progressive_rate.main", "no level"),
        ({"mega": 70, "major": 9, "minor": "9"}, "progressive_rate.minor", "not a whole number"),
        ({"mega": 70, "major": 9, "minor": 1.5}, "progressive_rate.minor", "not a whole number"),
        ({"mega": 70, "major": 9, "minor": True}, "progressive_rate.minor", "not a whole number"),
        (70, "progressive_rate", "does not say what each of mega, major, minor gets"),
        ([70, 9, 1], "progressive_rate", "not a whole number"),
        ("70", "progressive_rate", "not a whole number"),
    ],
)
def test_each_level_has_its_own_rate_and_together_they_are_the_rate(
    rates: Any, field: str, says: str
) -> None:
    why = table_refused("ma", **THREE, progressive_rate=rates)
    assert (why.field, why.clause) == (field, "MA.11(d)(5)")
    assert says in why.problem


@pytest.mark.rule("MA.11(d)(5)")
def test_levels_rise_by_their_own_rates() -> None:
    for rates in ({"mega": 50, "major": 15, "minor": 5}, {"mega": 50, "major": 30, "minor": 20}):
        for made in (table, chosen):
            assert made("ma", **THREE, progressive_rate=rates).meters["progressive"].rate == rates
    two = {"progressive": "PTMGLML01", "progressive_wager": 500}
    assert table("ma", **two, progressive_rate={"major": 69, "minor": 1})
    why = table_refused("ma", **two, progressive_rate={"mega": 50, "major": 15, "minor": 5})
    assert why.field == "progressive_rate.mega"
    one = {**two, "progressive": "PTMGL01"}
    assert table("ma", **one, progressive_rate=70)
    for odd in ({"main": 70}, {"major": 69, "minor": 1}):
        assert table_refused("ma", **one, progressive_rate=odd).field.startswith("progressive_rate")
    assert table_refused("s10", **{**FIXED["s10"], "progressive_rate": {"main": 70}})


def test_one_number_of_a_finished_round_is_what_its_levels_had_together() -> None:
    made = chosen("ma", progressive="PTMGLML02", progressive_rate=70).meters["progressive"]
    assert made.rate == {"mega": None, "major": None, "minor": None}
    for wrong in (69, 101):
        assert refused("ma", progressive="PTMGLML02", progressive_rate=wrong)
    assert refused("ma", progressive="PTMGLML02", progressive_rate={"mega": 70})


# --- Section 10: printed odds are the least ---------------------------------


@pytest.mark.rule("S10.(l)(3)")
def test_section_10_odds_may_be_better_than_printed_and_not_worse() -> None:
    why = table_refused("s10", bet_odds={"full house": "6 to 1"})
    assert (why.field, why.clause) == ("bet_odds.full house", "S10.(l)(3)")
    assert table("s10", bet_odds={"full house": "7 to 1"})
    better = table("s10", bet_odds={"full house": "8 to 1"}).tables["bet"]
    assert {row.hand: str(row.odds) for row in better.rows}["full house"] == "8 to 1"
    assert {row.hand: str(row.odds) for row in better.rows}["flush"] == "5 to 1"
    for wrong in ({"six of a kind": "9 to 1"}, {"flush": "many"}, {"flush": "6 for 1"}, "9 to 1"):
        assert table_refused("s10", bet_odds=wrong).field.startswith("bet_odds")
    # A finished round is settled by the printed odds.
    assert refused("s10", bet_odds={"full house": "8 to 1"}).field == "bet_odds"


@pytest.mark.rule("S10.(l)(5)")
def test_section_10_prizes_may_be_higher_than_printed_and_not_lower() -> None:
    options = {"progressive": True, "straight_flush": "$5,000", "progressive_reset": 0}
    low = {"four-of-a-kind": "$499"}
    why = table_refused("s10", **options, progressive_prizes=low)
    assert why.clause == "S10.(l)(5)"
    made = table(
        "s10", **options, progressive_rate=70, progressive_prizes={"four-of-a-kind": "$501"}
    )
    prizes = {row.hand: str(row.odds) for row in made.tables["progressive"].rows}
    assert prizes["four-of-a-kind"] == "$501"
    assert refused("s10", progressive=True, progressive_reset=0).field == "straight_flush"
    wrong = refused("s10", progressive=True, progressive_reset=0, straight_flush="20%")
    assert (wrong.field, wrong.clause) == ("straight_flush", "S10.(l)(5)")


# --- Payout limits ----------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "least", "minimum_ante", "best"),
    [
        pytest.param("s10", 500_000, 5_000, 1_005_000, marks=pytest.mark.rule("S10.(l)(4)")),
        pytest.param(
            "pa-683a", 5_000_000, 5_000, 10_000_000, marks=pytest.mark.rule("PA-683a.12(f)")
        ),
        pytest.param(
            "pa-682a", 5_000_000, 10_000, 10_500_000, marks=pytest.mark.rule("PA-682a.12(g)")
        ),
    ],
)
def test_a_payout_limit_has_a_floor(book: str, least: int, minimum_ante: int, best: int) -> None:
    options: dict[str, Any] = {}
    if book == "pa-682a":
        options = {"aces": "A", "aces_bonus_cards": 5, "all_six": "E"}
    clause = library().rulebook(book).choices["payout_limit"].clause
    assert chosen(book, **options, payout_limit=least).payout_limit == least
    why = refused(book, **options, payout_limit=least - 1)
    assert (why.field, why.clause) == ("payout_limit", clause)
    high = {**options, "minimum_ante": minimum_ante}
    assert chosen(book, **high, payout_limit=best)
    assert refused(book, **high, payout_limit=best - 1).clause == clause
    assert chosen(book, **options, minimum_ante=1)
    assert refused(book, **options, minimum_ante=0).field == "minimum_ante"
    # A table has one minimum, and says it once.
    why = table_refused(book, **options, minimum_ante=minimum_ante)
    assert (why.field, why.clause) == ("minimum_ante", clause)
    assert "ante.least" in why.allowed


@pytest.mark.rule("S10.(l)(4)")
def test_the_best_win_is_at_whichever_hand_a_casino_pays_best() -> None:
    better = table("s10", bet_odds={"flush": "150 to 1"})
    assert best_win_at_minimum(better, 100) == 100 + 200 * 150


def test_the_best_win_depends_on_what_is_offered() -> None:
    six_only = chosen("pa-682a", all_six="E")
    assert best_win_at_minimum(six_only, 100) == 100_000  # a six-card royal does not count
    aces_only = chosen("pa-682a", aces="A", aces_bonus_cards=4)
    assert best_win_at_minimum(aces_only, 100) == 50_000
    # A straight flush that the extra card makes a royal: 40 and 1,000 times.
    both = chosen("pa-682a", aces="H", aces_bonus_cards=5, all_six="A")
    assert best_win_at_minimum(both, 100) == 104_000


# --- What only a table chooses ----------------------------------------------


@pytest.mark.parametrize(
    ("book", "most"),
    [
        pytest.param("pa-639a", 7, marks=pytest.mark.rule("PA-639a.2(a)")),
        pytest.param("pa-669a", 6, marks=pytest.mark.rule("PA-669a.2(a)")),
        pytest.param("pa-682a", 6, marks=pytest.mark.rule("PA-682a.2(a)")),
        pytest.param("pa-683a", 6, marks=pytest.mark.rule("PA-683a.2(a)")),
        ("ma", 7),
        ("s10", 7),
    ],
)
def test_seats_up_to_the_limit(book: str, most: int) -> None:
    assert table(book, seats=1)
    assert table(book, seats=most)
    for number in (0, most + 1):
        why = table_refused(book, seats=number)
        assert (why.field, why.clause) == ("seats", library().rulebook(book).seats.clause)


@pytest.mark.parametrize("book", ["pa-639a", "ma"])
@pytest.mark.rule("PA-639a.12(e)(3)", "MA.11(e)(3)")
@pytest.mark.parametrize("draw", ["magic_card", "lucky"])
def test_a_draw_needs_its_submitted_frequency(book: str, draw: str) -> None:
    why = table_refused(book, **{draw: True})
    assert why.field == f"{draw}_every"
    for every in (1, 40):
        assert table(book, **{draw: True, f"{draw}_every": every})
    assert table_refused(book, **{draw: True, f"{draw}_every": 0}).field == f"{draw}_every"
    assert table(book, **{draw: False})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"seats": "7"}, "not a whole number"),
        ({"seats": True}, "not a whole number"),
        ({"five_card": "yes"}, "true or false"),
        ({"bonus": 1}, "not a paytable"),
        ({"bonus": None}, "not a paytable"),
        ({"progressive": "D", "progressive_wager": -5}, "too little"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(options: dict[str, Any], says: str) -> None:
    assert says in str(table_refused("pa-639a", **options))


def test_a_text_must_say_something() -> None:
    for blank in ("  ", 5):
        options = {"progressive": "A", "progressive_reset": 0, "progressive_approval": blank}
        assert table_refused("ma", **options).field == "progressive_approval"
