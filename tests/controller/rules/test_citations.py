"""The citations that people see most, a second time: what the text says, and where.

Written from the texts and not from the rulebook files, keyed by what is claimed. Whoever moves a
citation has to read both.
"""

from __future__ import annotations

import pytest

from controller.rules.part import READING
from tests.controller.rules.rounds import library

#: How wagers end: (rulebook, wager, ending) and the clause whose words say so.
ENDS = {
    # "fold and forfeit the ante wager"
    ("s10", "ante", "fold"): "S10.(j)(1)",
    # "higher than the hand of that player": lost; "ties": a push
    ("s10", "ante", "lose"): "S10.(j)(5)(i)",
    ("s10", "bet", "lose"): "S10.(j)(5)(i)",
    ("s10", "ante", "push"): "S10.(j)(5)(ii)",
    ("s10", "bet", "push"): "S10.(j)(5)(ii)",
    # "'No hand' and shall pay all ante wagers"; "bet wagers shall be considered void"
    ("s10", "ante", "unqualified"): "S10.(j)(6)(ii)",
    ("s10", "bet", "unqualified"): "S10.(j)(6)(iii)",
    # Nothing takes a progressive wager from who folds.
    ("s10", "progressive", "fold"): READING,
    # "a flush, full house, four-of-a-kind, straight flush or royal flush"
    ("s10", "progressive", "lose"): "S10.(a)(1)(vi)",
    # "forfeit all wagers except the Five Card Hand Bonus Wager"
    ("ma", "ante", "fold"): "MA.10(b)",
    ("ma", "bonus", "fold"): "MA.10(b)",
    ("ma", "progressive", "fold"): "MA.10(b)",
    ("ma", "cover_all", "fold"): "MA.10(b)",
    ("ma", "ante", "lose"): "MA.10(c)(3)(ii)(a)",
    ("ma", "bet", "lose"): "MA.10(c)(3)(ii)(a)",
    ("ma", "ante", "push"): "MA.10(c)(3)(ii)(c)",
    ("ma", "bet", "push"): "MA.10(c)(3)(ii)(c)",
    # Lower than an ace-king: the Bet goes back and the Ante is paid.
    ("ma", "ante", "unqualified"): "MA.10(c)(3)(i)",
    ("ma", "bet", "unqualified"): "MA.10(c)(3)(i)",
    ("ma", "bonus", "lose"): "MA.10(c)(3)(ii)(c)(1)",
    ("ma", "progressive", "lose"): "MA.10(c)(3)(ii)(c)(2)",
    ("ma", "five_card_player", "lose"): "MA.10(c)(3)(ii)(c)(3)",
    ("ma", "five_card_dealer", "lose"): "MA.10(c)(3)(ii)(c)(3)",
    # "The bet wins if the highest hand at the table ... is three-of-a-kind or better"
    ("ma", "cover_all", "lose"): "MA.12(b)",
    ("pa-639a", "ante", "fold"): "PA-639a.11(b)",
    ("pa-639a", "bonus", "fold"): "PA-639a.11(b)",
    ("pa-639a", "progressive", "fold"): "PA-639a.11(b)",
    ("pa-639a", "ante", "lose"): "PA-639a.11(c)(3)(ii)(A)",
    ("pa-639a", "bet", "lose"): "PA-639a.11(c)(3)(ii)(A)",
    ("pa-639a", "ante", "push"): "PA-639a.11(c)(3)(ii)(C)",
    ("pa-639a", "bet", "push"): "PA-639a.11(c)(3)(ii)(C)",
    ("pa-639a", "ante", "unqualified"): "PA-639a.11(c)(3)(i)",
    ("pa-639a", "bet", "unqualified"): "PA-639a.11(c)(3)(i)",
    ("pa-639a", "bonus", "lose"): "PA-639a.11(c)(4)",
    ("pa-639a", "progressive", "lose"): "PA-639a.11(c)(5)",
    ("pa-639a", "five_card_player", "lose"): "PA-639a.11(c)(6)",
    ("pa-639a", "five_card_dealer", "lose"): "PA-639a.11(c)(6)",
    # "If a player folds, the Ante and Blind Wagers shall be immediately collected"
    ("pa-669a", "ante", "fold"): "PA-669a.11(f)",
    ("pa-669a", "blind", "fold"): "PA-669a.11(f)",
    # "shall forfeit the right to receive a Progressive Payout"
    ("pa-669a", "progressive", "fold"): "PA-669a.11(g)",
    # "Does not contain a pair of 10s or better"
    ("pa-669a", "ante", "lose"): "PA-669a.11(i)(2)(i)",
    ("pa-669a", "blind", "lose"): "PA-669a.11(i)(2)(i)",
    ("pa-669a", "play", "lose"): "PA-669a.11(i)(2)(i)",
    ("pa-669a", "pair_plus", "lose"): "PA-669a.11(i)(1)",
    ("pa-669a", "progressive", "lose"): "PA-669a.11(i)(3)(i)",
    ("pa-669a", "six_card", "lose"): "PA-669a.11(i)(3)(ii)",
    ("pa-682a", "ante", "fold"): "PA-682a.11(b)",
    ("pa-682a", "ante", "lose"): "PA-682a.11(d)(2)(ii)(A)",
    ("pa-682a", "raise", "lose"): "PA-682a.11(d)(2)(ii)(A)",
    # The losing Raise is collected, the Ante goes back.
    ("pa-682a", "ante", "bad beat"): "PA-682a.11(d)(2)(ii)(B)",
    ("pa-682a", "raise", "bad beat"): "PA-682a.11(d)(2)(ii)(B)",
    ("pa-682a", "prime", "lose"): "PA-682a.11(e)(1)(i)",
    ("pa-682a", "aces", "lose"): "PA-682a.11(e)(2)(i)",
    ("pa-682a", "all_six", "lose"): "PA-682a.11(e)(3)(i)",
    # Each street has its own: the Ante; and the first Raise; and the first and second Raises.
    ("pa-683a", "ante", "fold"): "PA-683a.11(b)",
    ("pa-683a", "ante", "fold 2"): "PA-683a.11(d)",
    ("pa-683a", "ante", "fold 3"): "PA-683a.11(f)",
    ("pa-683a", "raise_1", "fold 2"): "PA-683a.11(d)",
    ("pa-683a", "raise_1", "fold 3"): "PA-683a.11(f)",
    ("pa-683a", "raise_2", "fold 3"): "PA-683a.11(f)",
    # "lower than a pair of sixes"
    ("pa-683a", "ante", "lose"): "PA-683a.11(h)(2)",
    ("pa-683a", "raise_1", "lose"): "PA-683a.11(h)(2)",
    ("pa-683a", "raise_2", "lose"): "PA-683a.11(h)(2)",
    ("pa-683a", "raise_3", "lose"): "PA-683a.11(h)(2)",
    ("pa-683a", "pocket", "lose"): "PA-683a.11(i)(1)(i)",
    ("pa-683a", "board", "lose"): "PA-683a.11(i)(2)(i)",
    ("pa-683a", "lo_ball", "lose"): "PA-683a.11(i)(3)(i)",
    ("pa-683a", "all_six", "lose"): "PA-683a.11(i)(4)(i)",
}

#: What the procedures claim, as (what, by rulebook), in the order of BOOKS.
BOOKS = ("pa-639a", "s10", "ma", "pa-669a", "pa-682a", "pa-683a")
PROCEDURES = {
    # "one cover card"; "one additional cutting card and one additional cover card"
    "accessory_cards": (".3(a)", "S10.(b)(1)", "MA.2(a)", ".3(a)", ".3(a)", ".3(a)"),
    "second_deck_needs_shuffler": (".3(b)", "S10.(b)(2)", "MA.2(b)", ".3(b)", ".3(b)", ".3(b)"),
    "hand_dealing_needs_shuffler": (
        ".9(a)(1)",
        "S10.(h)(2)(i)",
        "MA.8(c)(1)",
        ".9(a)(1)",
        ".9(a)(1)",
        ".9(a)(1)",
    ),
    # "at least ten cards in from the top"; "at least 10 cards ... on top of the cover card"
    "cut_at_least": (
        ".5(d)",
        "S10.(d)(3)(i)(B)",
        "MA.4(c)(1)(ii)",
        ".5(d)",
        ".5(d)",
        ".5(d)",
    ),
    "cut": (".5(d)", "S10.(d)(3)(i)(B)", "MA.4(c)(1)(ii)", ".5(d)", ".5(d)", ".5(d)"),
    # "a floorperson or above may require"; "a casino supervisor may require"
    "recut_ordered_by": (".5(e)", "S10.(d)(4)", "MA.4(d)", ".5(e)", ".5(e)", ".5(e)"),
    "idle_spread": (".5(f)", "S10.(d)(5)", "MA.4(e)", ".5(f)", ".5(f)", ".5(f)"),
    # "a stack of five cards", "stack of three", "stack of two"
    "stack_of": (".10(b)", "S10.(i)(1)", "MA.9(a)", ".10(b)", ".10(b)", ".10(b)"),
    # "may be considered abandoned and may be treated as losing wagers"; elsewhere nothing
    "leaving_abandons_wagers": (".7(b)", READING, READING, ".7(b)", ".7(b)", ".7(b)"),
    # "beginning with the player farthest to the dealer's left and moving clockwise ... ask"
    "decisions_in_order": (".11(b)", READING, "MA.10(b)", ".11(b)", ".11(b)", ".11(b)"),
    "folded_cards_collected": (
        ".11(c)",
        "S10.(j)(1)",
        "MA.10(a)",
        ".11(f)",
        ".11(c)",
        ".11(b)",
    ),
    # "After all losing wagers and pushes have been settled, all winning wagers shall be paid"
    "settlement": (".11(c)", "S10.(j)(5)(iii)", "MA.10(c)", ".11(i)", ".11(d)", ".11(h)"),
    # "any player ... dealt an incorrect number of cards"
    "player_misdealt": (".13(c)", "S10.(m)(4)", "MA.13(d)", ".13(c)", ".13(c)", ".13(c)"),
    "exposed_early": (".13(d)", "S10.(m)(1)", "MA.13(a)", ".13(d)", ".13(d)", ".13(d)"),
    "failed_device": (".13(g)", "S10.(m)(7)", "MA.13(g)", ".13(g)", ".13(g)", ".13(g)"),
}

#: Values and choices that no text states, so that nobody is sent to a clause for them.
READINGS = {
    ("s10", "seats"),
    ("ma", "seats"),
    ("s10", "choices.seats"),
    ("ma", "choices.seats"),
    ("s10", "choices.linked"),
    ("pa-669a", "choices.linked"),
    ("pa-639a", "choices.magic_card_every"),
    ("pa-639a", "choices.lucky_every"),
    ("ma", "choices.magic_card_every"),
    ("ma", "choices.lucky_every"),
    ("s10", "procedures.exposure_confirmed_by"),
    ("ma", "procedures.exposure_confirmed_by"),
}


#: Where a side wager's own clause does not say "after placing an Ante Wager": who takes part does.
TAKES_PART = {
    "ma": "MA.1[Ante wager]",
    "pa-669a": "PA-669a.7(d)(1)",
    "pa-682a": "PA-682a.1[Ante Wager]",
    "pa-683a": "PA-683a.1[Ante Wager]",
}
#: "Upon placing an ante wager"; "After placing an Ante Wager"; "After placing Ante and Blind".
SAYS_SO_ITSELF = {
    ("pa-639a", "progressive"): "PA-639a.7(d)(2)",
    ("pa-639a", "bonus"): "PA-639a.7(d)(3)",
    ("pa-639a", "five_card_player"): "PA-639a.7(d)(4)",
    ("pa-639a", "five_card_dealer"): "PA-639a.7(d)(4)",
    ("s10", "progressive"): "S10.(f)(3)",
    ("ma", "progressive"): "MA.6(c)",
    ("pa-669a", "progressive"): "PA-669a.7(d)(4)",
}


@pytest.mark.parametrize("book", BOOKS)
def test_a_side_wager_without_an_ante_is_refused_by_a_clause_that_says_so(book: str) -> None:
    for name, wager in library().rulebook(book).wagers.items():
        if wager.offered_by and "ante" in wager.needs:
            by = SAYS_SO_ITSELF.get((book, name)) or TAKES_PART[book]
            assert (wager.needs_by or wager.clause) == by, name


def test_every_way_in_which_a_wager_ends_is_cited_where_the_text_has_it() -> None:
    found = {
        (book, name, how): clause
        for book in BOOKS
        for name, wager in library().rulebook(book).wagers.items()
        for how, clause in wager.ends.items()
    }
    assert found == ENDS


@pytest.mark.parametrize("what", list(PROCEDURES))
def test_every_procedure_is_cited_where_the_text_has_it(what: str) -> None:
    for book, clause in zip(BOOKS, PROCEDURES[what], strict=True):
        wanted = f"PA-{book[3:]}{clause}" if clause.startswith(".") else clause
        assert getattr(library().rulebook(book).procedures, what).clause == wanted, book


def test_deck_lives_and_stub_counts_are_cited_by_the_way_of_dealing() -> None:
    for book in BOOKS:
        procedures = library().rulebook(book).procedures
        lives = {str(k): (v.is_, v.clause) for k, v in procedures.deck_life_hours.items()}
        pa = f"PA-{book[3:]}"
        if book == "s10":
            assert set(lives.values()) == {(8, "S10.(c)(5)")}
        elif book == "ma":
            assert set(lives.values()) == {(8, READING)}
        else:
            eight = (8, f"{pa}.3(c)(2)")
            assert lives == {
                "hand": (4, f"{pa}.3(c)(1)"),
                "manual shoe": eight,
                "automated shoe": eight,
            }


@pytest.mark.parametrize(("book", "where"), sorted(READINGS))
def test_what_no_text_states_is_called_a_reading(book: str, where: str) -> None:
    found: object = library().rulebook(book)
    for part in where.split("."):
        found = found[part] if isinstance(found, dict) else getattr(found, part)
    assert getattr(found, "clause", "") == READING
