"""At every moment somebody is told what to do next, and doing it is what the machine waits for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.table import events
from controller.table.prompts import Prompt, prompts
from tests.controller.table.playing import BOOKS, FLOOR, METHODS, AtTheTable, open_table, terms_of


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
    at.does(events.DeckWashed, deck="A")
    assert said(at) == ["dealer: deck A: put it into the shuffler"]
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert said(at) == ["dealer: deck A: take it into the manual shoe"]
    at.does(events.DeckLoaded, deck="A")
    at.sits(1).antes(1)
    assert said(at) == ["dealer: announce 'no more bets' and press lock-out"]
    at.locks()
    at.does(events.DealPressed)
    assert said(at) == ["dealer: card 1 to seat 1, face down"]
    at.does(events.CardsDealt, to=1)
    assert said(at) == [
        "dealer: card 1 to the dealer's hand, face up, on the area of the dealer's hand"
    ]


def test_a_hold_comes_first_and_names_who_clears_it() -> None:
    at = open_table("pa-639a").shuffles()
    at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    assert said(at)[0].startswith("floorperson: hold 1, shuffler: red light")
