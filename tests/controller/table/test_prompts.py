"""At every moment somebody is told what to do next, and doing it is what the machine waits for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, get_args

import pytest

from controller.table import events
from controller.table.diagram import named
from controller.table.prompts import Prompt, prompts
from tests.controller.table.playing import (
    BOOKS,
    BOSS,
    DEALER,
    FLOOR,
    METHODS,
    AtTheTable,
    open_table,
    terms_of,
)


def said(at: AtTheTable) -> list[str]:
    return [f"{prompt.who}: {prompt.text}" for prompt in prompts(at.terms, at.table)]


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", METHODS)
def test_somebody_always_has_something_to_do(book: str, method: str, older: bool) -> None:
    terms = terms_of(book, method)
    if older:  # by a rulebook that has no words of its own
        plain = terms.ruleset.rulebook.model_copy(update={"says": None})
        terms = replace(terms, ruleset=replace(terms.ruleset, rulebook=plain))
    at = AtTheTable(terms)
    seen: list[Prompt] = []
    send = at.send

    def watched(kind: type, **given: object) -> object:
        found = prompts(at.terms, at.table)
        assert found, at.phase
        seen.extend(found)
        return send(kind, **given)

    at.send = watched  # type: ignore[method-assign, assignment]
    at.opens().sits(1, 3).plays(1, 3).plays(1, 3)
    assert len({prompt.text for prompt in seen}) > 10


def test_the_prompts_of_a_round_of_caribbean_stud() -> None:
    at = AtTheTable(terms_of("pa-639a", "manual shoe", options={}))
    assert said(at) == ["floorperson: open the table"]
    at.does(events.TableOpened, by=FLOOR)
    assert said(at) == ["dealer: receive a deck, with cover card"]
    at.does(events.DeckReceived, deck="A", colour="red", design="bee")
    assert said(at) == ["dealer: deck A: sort and inspect the cards for defects"]
    at.does(events.DeckInspected, deck="A")
    assert said(at) == ["floorperson: deck A: verify the inspection"]
    at.does(events.DeckVerified, deck="A", by=FLOOR)
    at.does(events.DeckSpread, deck="A")
    assert said(at) == ["dealer: deck A lies spread: seat the first player to arrive"]
    at.sits(1)
    assert said(at) == ["dealer: deck A: let the first player look at the cards"]
    at.does(events.DeckShown, deck="A")
    wash = "turn the cards face down, mix them thoroughly by a washing, and stack them"
    assert said(at) == [f"dealer: deck A: {wash}"]
    at.does(events.DeckWashed, deck="A")
    assert said(at) == ["dealer: deck A: put the cards into the shuffler"]
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert said(at) == ["dealer: deck A: place the stacked deck in the manual shoe"]
    at.does(events.DeckLoaded, deck="A")
    assert said(at) == ["dealer: take Antes"]
    at.antes(1)
    assert said(at) == ["dealer: announce 'no more bets' and press lock-out"]
    at.locks()
    at.does(events.DealPressed)
    assert said(at) == ["dealer: card 1 to seat 1, face down"]
    at.does(events.CardsDealt, to=1)
    assert said(at) == [
        "dealer: card 1 to the dealer's hand, face up, on the area of the dealer's hand"
    ]


PA_CUT = (
    "deck A: place the cover card in the stack, at least 10 cards in from the top; "
    "take all cards above it and the cover card and place them on the bottom"
)
CUT = {
    **{f"pa-{n}": [(PA_CUT, "cut_made", f"PA-{n}.5(d)")] for n in ("639a", "669a", "682a", "683a")},
    **{
        book: [
            (
                "deck A: using one hand, place the cover card on the table in front of the deck",
                "cover_card_placed",
                clauses[0],
            ),
            (
                "deck A: take a stack of at least 10 cards from the top and place it on the "
                "cover card",
                "cut_made",
                clauses[1],
            ),
            (
                "deck A: place the cards that remain on top of the stack that was cut",
                "rest_placed",
                clauses[2],
            ),
            (
                "deck A: remove the cover card and place it in the discard rack",
                "cover_card_racked",
                clauses[3],
            ),
        ]
        for book, clauses in {
            "s10": [f"S10.(d)(3)(i)({letter})" for letter in "ABCD"],
            "ma": [f"MA.4(c)(1)({number})" for number in ("i", "ii", "iii", "iv")],
        }.items()
    },
}


@pytest.mark.parametrize(
    "book",
    [
        pytest.param(book, marks=pytest.mark.rule(*(clause for _, _, clause in acts)))
        for book, acts in CUT.items()
    ],
)
def test_every_act_of_the_cut_is_prompted_in_its_own_words(book: str) -> None:
    at = open_table(book, "manual shoe", shuffler_counts=None)
    (shuffle,) = prompts(at.terms, at.table)
    assert (shuffle.answer, shuffle.clause) == (
        "shuffled_by_hand",
        at.terms.ruleset.rulebook.procedures.steps.shuffled,
    )
    at.does(events.ShuffledByHand, deck="A")
    kinds = {
        named(kind): kind
        for kind in (
            events.CoverCardPlaced,
            events.CutMade,
            events.RestPlaced,
            events.CoverCardRacked,
        )
    }
    for text, answer, clause in CUT[book]:
        assert prompts(at.terms, at.table) == (Prompt("dealer", text, clause, None, answer),)
        depth = {"depth": 10} if answer == "cut_made" else {}
        at.does(kinds[answer], deck="A", **depth)
    (load,) = prompts(at.terms, at.table)
    assert load.text == "deck A: place the stacked deck in the manual shoe"
    assert load.answer == "deck_loaded"


def answered(at: AtTheTable, prompt: Prompt) -> None:
    """Somebody does what a prompt asks for, and knows nothing but the prompt."""
    kinds = {named(kind): kind for kind in get_args(events.Event)}
    given: dict[str, Any] = {}
    found = re.search(r"deck (\w+)", prompt.text)
    if issubclass(kinds[prompt.answer], events.Act):
        given["by"] = {"dealer": DEALER, "floorperson": FLOOR, "supervisor": BOSS}[prompt.who]
    match prompt.answer:
        case "deck_received":
            given |= {"deck": "A" if not at.table.decks else "B", "design": "bee"}
            given["colour"] = "red" if not at.table.decks else "blue"
        case "player_sat":
            given |= {"seat": 2, "player": "Ann"}
        case "cards_spread":
            given["faces"] = "face down"
        case "wager_placed":
            blind = "blind" in prompt.text
            given |= {"seat": 2, "wager": "blind" if blind else "ante", "amount": 1000}
        case "lock_out_pressed" | "table_opened" | "rack_cleared":
            pass
        case _:
            assert found, prompt
            given["deck"] = found[1]
            given |= {"depth": 10} if prompt.answer == "cut_made" else {}
    at.does(kinds[prompt.answer], **given)


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(
    ("method", "counts", "decks"),
    [("manual shoe", None, 1), ("manual shoe", True, 1), ("hand", True, 2), ("hand", True, 1)],
)
def test_who_follows_the_prompts_comes_from_a_closed_table_to_the_lock(
    book: str, method: str, counts: bool | None, decks: int
) -> None:
    at = AtTheTable(terms_of(book, method, options={}, shuffler_counts=counts, decks=decks))
    for _ in range(2):
        follow_to_the_lock(at)
        # And again from a table at which nobody plays any more.
        at.does(events.RoundVoided, by=FLOOR, reason="a test")
        at.racks()
        at.does(events.PlayerLeft, seat=2)
        assert at.table.idle == "to be spread"


def follow_to_the_lock(at: AtTheTable) -> None:
    for _ in range(60):
        if at.phase == "locked":
            return
        asked = prompts(at.terms, at.table)
        assert asked, at.phase
        assert all(one.clause or one.answer == "table_opened" for one in asked)
        by_people = [one for one in asked if one.answer]
        if by_people:
            answered(at, by_people[0])
            continue
        # Only a device can answer: the shuffler, with the deck that was put into it.
        deck = re.search(r"deck (\w+)", asked[0].text)
        assert deck
        if at.table.deck == deck[1]:
            at.does(events.ShuffleCompleted, deck=deck[1], count=52)
        else:
            at.does(events.ShufflerReported, mode="shuffle", holds=deck[1])
    raise AssertionError(f"the prompts lead nowhere: {said(at)}")


def test_a_hold_comes_first_and_names_who_clears_it() -> None:
    at = open_table("pa-639a").shuffles()
    at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    assert said(at)[0].startswith("floorperson: hold 1, shuffler: red light")
