"""A card seen before its time, by rulebook: what goes back, and who confirms it."""

from __future__ import annotations

from typing import Any

import pytest

from controller.rules.cards import names
from controller.table import events
from controller.table.commands import Lock, ReturnWager, SetLamp, ShowWarning, StartShuffle
from controller.table.dealing import next_step
from controller.table.prompts import prompts
from controller.table.settling import to_be_shown
from tests.controller.table.midway import (
    all_void,
    back,
    deal_out,
    deal_step,
    dealing,
    down,
    every_method,
    exposes,
    goes_on,
)
from tests.controller.table.playing import BOOKS, BOSS, DEALER, FLOOR, METHODS, TECH, open_table
from tests.controller.table.test_round import SIDE

ALL_BACK = {
    "pa-639a": "PA-639a.13(d)",
    "s10": "S10.(m)(1)",
    "ma": "MA.13(a)",
    "pa-669a": "PA-669a.13(d)",
}
SIDE_LIVES = {"pa-682a": "PA-682a.13(d)", "pa-683a": "PA-683a.13(d)"}
HIDDEN = {"pa-669a": "community", "pa-683a": "community"}


@every_method({"pa-682a": "", "pa-683a": ""})
@pytest.mark.parametrize("void", [True, False])
def test_about_an_all_six_card_that_was_seen_a_floorperson_decides(
    book: str, method: str, void: bool
) -> None:
    at = deal_out(dealing(book, method)).stubs()
    was = down(at)
    at.does(events.CardExposed, where="extra")
    assert down(at) == was  # no clause takes or returns anything
    (asked, *_) = prompts(at.terms, at.table)
    assert (asked.who, asked.answer) == ("floorperson", "exposure_decided")
    assert "decide whether the round goes on or is void" in asked.text
    assert "hold" in at.refuses(events.Decided, seat=1, choice="fold")
    assert "reported already" in at.refuses(events.CardExposed, where="extra")
    decided: dict[str, Any] = {"reason": "looked at it", "void": void}
    assert "floorperson" in at.refuses(events.ExposureDecided, **decided)
    commands = at.does(events.ExposureDecided, **decided, by=FLOOR)
    if void:
        all_void(at, was, commands)
        goes_on(at)
        return
    assert down(at) == was
    at.decides().reveals().pays().racks()


def test_without_all_six_no_such_card_can_be_seen() -> None:
    at = open_table("pa-683a", "manual shoe").shuffles().antes(1).locks().deals()
    assert "no card of the extra lies face down" in at.refuses(events.CardExposed, where="extra")


@every_method(ALL_BACK)
@pytest.mark.parametrize("acted", [0, 1, 2])
def test_an_exposed_card_voids_all_before_everyone_has_acted(
    book: str, method: str, acted: int
) -> None:
    at = deal_out(dealing(book, method)).stubs()
    times = 1 if book == "pa-669a" else 2
    for seat in (1, 3)[:acted]:
        at.does(events.Decided, seat=seat, choice="wager", amount=times * 1000)
    was = down(at)
    assert set(SIDE[book]) < {kind for _, kind in was}
    at.refuses(events.CardExposed, where="extra")
    at.refuses(events.CardExposed, where=other(book))
    commands = exposes(at, HIDDEN.get(book, "dealer"))
    all_void(at, was, commands)
    goes_on(at)


def other(book: str) -> str:
    return "dealer" if book in HIDDEN else "community"


@pytest.mark.parametrize("book", ["pa-639a", "s10", "ma"])
@pytest.mark.parametrize("method", METHODS)
def test_once_all_have_acted_hole_cards_may_be_seen(book: str, method: str) -> None:
    at = deal_out(dealing(book, method)).stubs().decides()
    at.refuses(events.CardExposed, where="dealer")
    at.reveals().pays()


@every_method(ALL_BACK)
def test_a_hole_card_that_shows_in_the_deal_voids_all(book: str, method: str) -> None:
    at = dealing(book, method)
    where = HIDDEN.get(book, "dealer")
    at.refuses(events.CardExposed, where=where)  # none is out
    hidden = 2 if where == "dealer" and method != "automated shoe" else 1
    while at.table.deal.placed.get(where, 0) < hidden:
        at.refuses(events.CardExposed, where=where)  # only the up-card lies there
        deal_step(at)
    was = down(at)
    commands = exposes(at, where)
    all_void(at, was, commands)


@pytest.mark.rule("PA-669a.13(d)")
@pytest.mark.parametrize("method", METHODS)
def test_a_later_street_shown_early_voids_all(method: str) -> None:
    at = deal_out(dealing("pa-669a", method)).stubs()
    for seat in (1, 3, 6):
        at.does(events.Decided, seat=seat, choice="check")
    at.does(events.Revealed, where="community", cards=names(at.faces["community"][:1]))
    was = down(at)
    commands = exposes(at, "community")
    all_void(at, was, commands)


@every_method(SIDE_LIVES)
@pytest.mark.parametrize("when", ["dealing", "deciding", "acted"])
def test_ante_and_raises_go_back_and_side_wagers_are_settled(
    book: str, method: str, when: str
) -> None:
    at = dealing(book, method)
    where = HIDDEN.get(book, "dealer")
    if when == "dealing":
        while not at.table.deal.placed.get(where):
            at.refuses(events.CardExposed, where=where)
            deal_step(at)
    else:
        deal_out(at).stubs()
    if when == "acted":
        at.does(events.Decided, seat=1, choice="wager", amount=1000)
        at.does(events.Decided, seat=3, choice="fold")
    was = down(at)
    commands = at.does(events.CardExposed, where=where)
    side = set(SIDE[book])
    main = {key: cents for key, cents in was.items() if key[1] not in side}
    assert len(main) == (4 if when == "acted" else 3)
    assert back(commands) == sorted(main.items())
    at.refuses(events.CardExposed, where=where)
    if when == "dealing":
        assert at.phase == "dealing"  # side wagers are settled on the cards
        deal_out(at).stubs()
    assert at.phase == "revealing"
    at.refuses(events.Decided, seat=6, choice="fold")
    assert sum(to_be_shown(at.terms, at.table).values()) > 0  # the rest is revealed
    at.reveals()
    assert {(due.seat, due.wager) for due in at.table.due} == {
        (seat, kind) for seat in (1, 3, 6) for kind in side
    }
    at.pays()
    assert not [c for c in at.last if isinstance(c, ReturnWager)]
    goes_on(at)


@pytest.mark.parametrize("book", list(SIDE_LIVES))
@pytest.mark.parametrize("when", ["dealing", "deciding"])
def test_without_side_wagers_there_is_nothing_to_settle(book: str, when: str) -> None:
    at = deal_out(dealing(book, "manual shoe", side=False))
    if when == "deciding":
        at.stubs()
    was = down(at)
    commands = exposes(at, HIDDEN.get(book, "dealer"))
    all_void(at, was, commands)
    goes_on(at)


@pytest.mark.parametrize("book", list(SIDE_LIVES))
def test_side_wagers_that_live_alone_still_go_back_with_a_void_round(book: str) -> None:
    at = deal_out(dealing(book, "manual shoe")).stubs()
    was = down(at)
    commands = [*at.does(events.CardExposed, where=HIDDEN.get(book, "dealer"))]
    commands += at.does(events.RoundVoided, reason="a card is damaged", by=FLOOR)
    all_void(at, was, commands)


# --- Who confirms it --------------------------------------------------------

CONFIRMED = pytest.mark.parametrize(
    "book",
    [
        pytest.param("s10", marks=pytest.mark.rule("S10.(m)(1)")),
        pytest.param("ma", marks=pytest.mark.rule("MA.13(a)")),
    ],
)
CLAUSE = {"s10": "S10.(m)(1)", "ma": "MA.13(a)"}


@CONFIRMED
@pytest.mark.parametrize("method", METHODS)
def test_a_floorperson_confirms_that_the_round_is_void(book: str, method: str) -> None:
    at = deal_out(dealing(book, method)).stubs()
    was = down(at)
    at.does(events.CardExposed, where="dealer")
    assert [type(command) for command in at.last] == [ShowWarning]
    (hold,) = at.table.holds
    assert (hold.where, hold.blocks, hold.clears) == ("exposed card", "play", "floorperson")
    prompt = prompts(at.terms, at.table)[0]
    assert (prompt.who, prompt.clause) == ("floorperson", CLAUSE[book])
    assert "confirm that the round is void" in prompt.text
    # Nothing is void and nothing goes on before that.
    assert (at.phase, down(at)) == ("deciding", was)
    assert "exposed early" in at.refuses(events.Decided, seat=1, choice="wager", amount=2000)
    assert "reported already" in at.refuses(events.CardExposed, where="dealer")
    clear: dict[str, Any] = {"hold": hold.number, "reason": "never mind"}
    assert "must be decided" in at.refuses(events.HoldCleared, by=FLOOR, **clear)
    for person in (DEALER, TECH):
        why = at.refuses(events.ExposureDecided, by=person, reason="I saw it")
        assert "is for a floorperson" in why
    all_void(at, was, at.does(events.ExposureDecided, by=FLOOR, reason="the king was seen"))
    assert at.table.holds == ()
    goes_on(at)


@CONFIRMED
def test_or_finds_that_no_card_was_seen(book: str) -> None:
    at = deal_out(dealing(book, "manual shoe")).stubs()
    was = down(at)
    at.does(events.CardExposed, where="dealer")
    at.does(events.ExposureDecided, by=BOSS, void=False, reason="surveillance: it stayed down")
    assert (at.phase, down(at), at.table.holds) == ("deciding", was, ())
    at.decides().reveals().pays().racks()


@CONFIRMED
def test_no_card_is_dealt_before_it_is_decided(book: str) -> None:
    at = dealing(book, "hand")
    while at.table.deal.placed.get("dealer", 0) < 2:
        deal_step(at)
    at.does(events.CardExposed, where="dealer")
    planned = next_step(at.table)
    assert planned is not None
    refused = at.refuses(events.CardsDealt, to=planned.to, cards=planned.cards)
    assert "exposed early" in refused
    was = down(at)
    all_void(at, was, at.does(events.ExposureDecided, by=FLOOR, reason="seen"))


@CONFIRMED
def test_a_round_that_is_voided_otherwise_leaves_nothing_to_decide(book: str) -> None:
    at = deal_out(dealing(book, "hand")).stubs()
    at.does(events.CardExposed, where="dealer")
    at.does(events.RoundVoided, by=FLOOR, reason="a card fell to the floor")
    assert at.table.holds == ()
    at.refuses(events.ExposureDecided, by=FLOOR, reason="seen")
    goes_on(at)


@pytest.mark.parametrize("book", BOOKS)
def test_nothing_is_decided_that_nobody_reported(book: str) -> None:
    at = deal_out(dealing(book, "hand")).stubs()
    assert "no exposed card" in at.refuses(events.ExposureDecided, by=FLOOR, reason="?")


# --- Before "no more bets" --------------------------------------------------


@pytest.mark.parametrize(
    "book",
    [
        pytest.param(book, marks=[pytest.mark.rule(CLAUSE[book])] if book in CLAUSE else [])
        for book in BOOKS
    ],
)
@pytest.mark.parametrize("wagered", [False, True])
def test_before_no_more_bets_wagers_go_back_and_the_deck_is_shuffled(
    book: str, wagered: bool
) -> None:
    at = open_table(book).shuffles()
    balances = [seat.balance for seat in at.table.seats]
    if wagered:
        at.antes(1, 3, **SIDE[book])
    was = down(at)
    commands = at.does(events.CardExposed, where=HIDDEN.get(book, "dealer"))
    assert back(commands) == sorted(was.items())
    assert (at.phase, down(at), at.table.holds) == ("shuffling", {}, ())
    assert [seat.balance for seat in at.table.seats] == balances
    assert all(seat.acceptor_locked and seat.terminal_locked for seat in at.table.seats)
    if at.terms.acceptors:
        assert [c.lamp for c in commands if isinstance(c, SetLamp)] == ["off"] * at.terms.seats
        assert [c for c in commands if isinstance(c, Lock)]
    assert [c.deck for c in commands if isinstance(c, StartShuffle)] == ["A"]
    assert "not shuffled" in str(at.send(events.DeckLoaded, deck="A").refused or at.table.holds)
    for hold in at.table.holds:
        at.does(events.HoldCleared, hold=hold.number, by=FLOOR, reason="cards are out of it")
    at.plays(1, 3)
