"""What a terminal hears of what was not taken: which, why, and what the account holds."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.table import events
from controller.table.commands import Command, RequestRefused, ShowBalance
from controller.table.machine import Step, step
from tests.controller.table.playing import DEALER, AtTheTable, open_table


def says(at: AtTheTable, number: int, kind: type[Any], *, seat: int = 1, **given: Any) -> Step:
    """A terminal says something, in its seventh boot."""
    if issubclass(kind, events.Act):
        given["by"] = DEALER
    id_ = f"terminal-{seat}:7:{number}"
    event = kind(at=at.now, id=id_, seat=seat, **given)
    before = at.table
    done = step(at.terms, before, event)
    # Twice the same: a journal that is read again says the same words.
    assert step(at.terms, before, event) == done
    if done.refused:
        assert done.table is before
    at.table = done.table
    return done


def refusal(done: Step) -> RequestRefused:
    assert done.refused
    (told,) = done.commands
    assert isinstance(told, RequestRefused)
    assert msgspec.json.decode(msgspec.json.encode(told), type=Command) == told
    return told


@pytest.mark.rule("PA-639a.7(d)(4)")
@pytest.mark.parametrize("book", ["pa-639a", "ma"])
def test_a_player_hears_why_a_wager_was_not_taken(book: str) -> None:
    at = open_table(book).shuffles()
    at.does(events.CashedOut, seat=1, transfer="all but", cents=999_950)
    given: dict[str, Any] = {"wager": "five_card_player", "amount": 100, "tender": "game account"}
    told = refusal(says(at, 4, events.WagerPlaced, **given))
    assert (told.request, told.told, told.named) == ("wager", 4, "five_card_player")
    assert told.reason == "needs an ante at the same seat"
    at.antes(1)
    told = refusal(says(at, 5, events.WagerPlaced, **given))
    assert told.reason == "$1 is more than there is; the account holds $0.50"
    assert (told.told, told.balance) == (5, 50)
    told = refusal(says(at, 6, events.WagerTakenBack, wager="five_card_player"))
    assert (told.request, told.named) == ("wager_removed", "five_card_player")
    at.locks()
    assert refusal(says(at, 7, events.WagerPlaced, **given)).reason == "no more bets"


@pytest.mark.rule("R30")
def test_a_player_hears_why_money_was_not_moved() -> None:
    at = open_table("pa-639a")
    told = refusal(says(at, 1, events.CashedOut, transfer="t-9", cents=1_000_001))
    assert (told.request, told.named, told.balance) == ("cash_out", "t-9", 1_000_000)
    assert told.reason == "$10,000.01 is more than there is; the account holds $10,000"
    told = refusal(says(at, 2, events.BoughtIn, transfer="t-8", cents=0))
    assert (told.request, told.reason) == ("buy_in", "nothing is transferred; an amount above 0")
    told = refusal(says(at, 3, events.BoughtIn, seat=2, transfer="t-8", cents=100))
    assert (told.seat, told.reason) == (2, "nobody sits at seat 2")
    told = refusal(says(at, 4, events.PlayerLeft))
    assert (told.request, told.reason) == ("left", "$10,000 is on the account; cash out first")


def test_a_player_hears_why_a_decision_does_not_count() -> None:
    at = open_table("pa-639a").shuffles().antes(1, 3)
    bet: dict[str, Any] = {"choice": "wager", "amount": 2000}
    told = refusal(says(at, 1, events.PlayerDecided, **bet))
    assert (told.request, told.reason) == ("decision", "there is nothing to decide now")
    at.locks().deals()
    told = refusal(says(at, 1, events.PlayerDecided, seat=3, **bet))
    assert told.reason == "seat 1 is asked first"
    told = refusal(says(at, 2, events.PlayerDecided, choice="wager", amount=500))
    assert told.reason == "$5 is not 2 times the ante of $10; allowed is $20"
    at.does(events.DeviceFaulted, device="shuffler", nature="jam")
    at.does(events.PlayerLeft, seat=3)
    # Only the floor is told what holds the table.
    assert "the table is held" in refusal(says(at, 3, events.PlayerDecided, **bet)).reason


def test_every_refusal_has_an_id_of_its_own() -> None:
    """The table's own count stands still: two of them would be one to the device."""
    at = open_table("pa-639a")
    asked = [says(at, n, events.CashedOut, transfer="t", cents=10**9) for n in (1, 2)]
    taken = says(at, 3, events.BoughtIn, transfer="u", cents=100).commands
    ids = [one.id for done in asked for one in done.commands] + [one.id for one in taken]
    assert len(set(ids)) == 3
    # Told again after a restart, it is the same answer.
    (one,) = says(at, 5, events.CashedOut, transfer="t", cents=10**9).commands
    (same,) = says(at, 5, events.CashedOut, transfer="t", cents=10**9).commands
    assert one.id == same.id


def test_what_was_taken_is_not_refused_to_whoever_says_it_again() -> None:
    at = open_table("pa-639a")
    assert not says(at, 1, events.BoughtIn, transfer="t", cents=100).refused
    again = says(at, 1, events.BoughtIn, transfer="t", cents=100)
    assert "was taken already" in again.refused
    assert again.commands == ()


def test_what_no_terminal_asked_for_is_told_to_none() -> None:
    at = open_table("pa-639a")
    for id_ in (None, "key/dealer-1/5", "act/7", "acceptor-1:7:3", "terminal-3:7:3"):
        event = events.WagerPlaced(at=at.now, id=id_, seat=1, wager="ante", amount=1)
        assert step(at.terms, at.table, event).commands == ()


def test_one_that_came_late_is_told_so_however_felt_hears_of_it() -> None:
    at = open_table("pa-639a").shuffles().antes(1).locks()
    given: dict[str, Any] = {"wager": "five_card_player", "amount": 100, "given_back": True}
    done = says(at, 4, events.WagerCameLate, **given)
    shown, told = done.commands
    assert isinstance(shown, ShowBalance)
    assert isinstance(told, RequestRefused)
    assert (told.request, told.told, told.reason) == ("late_wager", 4, "no more bets")
    # felt ended before anybody knew whether the player has heard of it.
    assert refusal(says(at, 4, events.WagerCameLate, **given)).reason == "no more bets"


def test_one_that_came_too_early_or_is_off_the_offer_is_told_so() -> None:
    at = open_table("pa-639a").shuffles().antes(1)
    given: dict[str, Any] = {"wager": "five_card_player", "amount": 100, "given_back": True}
    told = refusal(says(at, 4, events.WagerCameLate, **given))
    assert told.reason == "it was not open yet: wager again"
    at.does(events.DeviceWentOffline, device="terminal 2")
    done = says(at, 5, events.WagerCameLate, **given)
    [told] = [one for one in done.commands if isinstance(one, RequestRefused)]
    assert told.reason == "not offered in this round: terminal 2 offline"


@pytest.mark.rule("PA-639a.7(a)", "PA-639a.7(d)(2)")
@pytest.mark.parametrize("wager", ["ante", "bonus", "progressive"])
def test_a_terminal_takes_no_wager_that_is_made_elsewhere(wager: str) -> None:
    """It says so, and nobody has seen a chip."""
    at = open_table("pa-639a").shuffles()
    if wager != "ante":
        at.antes(1)
    for tender in ("chips", "plaques", "approved instrument", "game account"):
        amount = 100 if wager == "progressive" else 1000
        done = says(at, 1, events.WagerPlaced, wager=wager, amount=amount, tender=tender)
        assert f"{wager} is not made here" in refusal(done).reason
    at.antes(*(() if at.table.seat(1).wagers else (1,)))
    assert refusal(says(at, 2, events.WagerTakenBack, wager="ante")).named == "ante"
    assert at.table.seat(1).wagers == {"ante": 1000}
    at.locks()
    done = says(at, 3, events.WagerCameLate, wager="progressive", amount=100)
    assert done.refused


def test_an_acceptor_takes_no_wager_that_is_made_elsewhere() -> None:
    at = open_table("pa-639a").shuffles()
    for wager in ("ante", "five_card_player"):
        event = events.WagerPlaced(at=at.now, id="acceptor-1:1:1", seat=1, wager=wager, amount=1000)
        assert "is not made here" in step(at.terms, at.table, event).refused
