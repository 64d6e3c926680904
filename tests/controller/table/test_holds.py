"""Warnings that can't be ignored, and devices out of service: who acts, and in which order."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.table import events
from controller.table.commands import ShowWarning, StartShuffle
from controller.table.people import Person, Role
from controller.table.state import Table
from controller.table.terms import HOUR
from tests.controller.table.playing import (
    BOOKS,
    BOSS,
    DEALER,
    FLOOR,
    METHODS,
    TECH,
    AtTheTable,
    open_table,
)

ALL = pytest.mark.parametrize("book", BOOKS)
PENNSYLVANIA = ("pa-639a", "pa-669a", "pa-682a", "pa-683a")


def of_pa(clause: str) -> list[str]:
    return [f"PA-{book[3:]}.{clause}" for book in PENNSYLVANIA]


def out(at: AtTheTable, device: str, method: str, **given: Any) -> Any:
    wanted = {"by": FLOOR, "device": device, "cards_inside": 0, "how": "removed", "method": method}
    return at.send(events.DeviceTakenOut, **{**wanted, **given})


@ALL
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.rule("R2")
def test_a_warning_stays_until_a_floorperson_has_cleared_it(book: str, method: str) -> None:
    at = open_table(book, method).plays(1, 3)
    at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    at.does(events.ShuffleCompleted, deck="A", count=52)
    (hold,) = at.table.holds
    load: dict[str, Any] = {"deck": "A"}
    assert "red light" in at.refuses(events.DeckLoaded, **load)
    for person in (DEALER, TECH, Person("auditor-1", "auditor")):
        why = at.refuses(events.HoldCleared, hold=hold.number, by=person, reason="it is nothing")
        assert "for a floorperson" in why
    # Not by the device itself, not by time, not by a restart.
    at.does(events.DeviceRecovered, device="shuffler")
    at.now += 3 * HOUR
    at.table = msgspec.json.decode(msgspec.json.encode(at.table), type=Table)
    assert "red light" in at.refuses(events.DeckLoaded, **load)
    raw = {"kind": "hold_cleared", "at": 1, "by": {"id": "f", "role": "floorperson"}, "hold": 1}
    for reason in ({}, {"reason": ""}):
        with pytest.raises(msgspec.ValidationError, match=r"reason|length"):
            msgspec.convert({**raw, **reason}, events.Event)
    at.does(events.HoldCleared, hold=hold.number, by=FLOOR, reason="opened, looked, closed")
    cleared = at.taken[-1]
    assert isinstance(cleared, events.HoldCleared)
    assert (cleared.by, cleared.reason) == (FLOOR, "opened, looked, closed")
    at.does(events.DeckLoaded, **load)


def test_the_same_warning_is_held_once() -> None:
    at = open_table("pa-639a")
    for _ in range(3):
        at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    assert len(at.table.holds) == 1
    at.does(events.DeviceFaulted, device="shuffler", nature="door open")
    assert [hold.number for hold in at.table.holds] == [1, 2]
    assert "no hold 7" in at.refuses(events.HoldCleared, hold=7, by=FLOOR, reason="x")
    assert "nothing is held" in at.refuses(events.DeviceRecovered, device="shoe")


def test_a_hold_that_somebody_has_seen_stands_all_the_same() -> None:
    at = open_table("pa-639a")
    at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    for person in (DEALER, TECH):
        assert "for a floorperson" in at.refuses(events.HoldSeen, hold=1, by=person)
    at.does(events.HoldSeen, hold=1, by=FLOOR)
    (hold,) = at.table.holds
    assert (hold.seen_by, hold.seen_at) == (FLOOR.id, at.now)
    assert f"{FLOOR.id} has seen hold 1" in at.refuses(events.HoldSeen, hold=1, by=BOSS)
    # It is the same hold when it is there again, and whoever has seen it need not be who clears it.
    at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    assert at.table.holds == (hold,)
    assert at.refuses(events.HoldSeen, hold=2, by=FLOOR) == "hold: there is no hold 2"
    at.does(events.HoldCleared, hold=1, by=BOSS, reason="a bulb")
    assert not at.table.holds


@ALL
@pytest.mark.rule("R37")
def test_a_fault_has_its_device_its_nature_and_its_end(book: str) -> None:
    at = open_table(book)
    at.does(events.ShuffleFailed, deck="A", nature="jam")
    at.does(events.DeviceFaulted, device="shoe", nature="door opened")
    at.does(events.DeviceFaulted, device="usb 1-2", nature="unknown serial device")
    times = [event.at for event in at.taken[-3:]]
    assert [(hold.where, hold.cause, hold.since) for hold in at.table.holds] == [
        ("shuffler", "shuffler jam", times[0]),
        ("shoe", "door opened", times[1]),
        ("usb 1-2", "unknown serial device", times[2]),
    ]
    for hold in at.table.holds:
        at.does(events.HoldCleared, hold=hold.number, by=BOSS, reason=f"seen: {hold.cause}")
        done = at.taken[-1]
        assert isinstance(done, events.HoldCleared)
        assert (done.hold, done.by, done.at) == (hold.number, BOSS, at.now)
    assert at.table.holds == ()


# --- Out of service ---------------------------------------------------------


@ALL
@pytest.mark.parametrize("device", ["shuffler", "shoe"])
@pytest.mark.rule(*of_pa("13(g)"), "S10.(m)(7)", "MA.13(g)")
def test_a_device_is_marked_before_another_method_is_used(book: str, device: str) -> None:
    at = open_table(book, "automated shoe")
    at.does(events.DeviceFaulted, device=device, nature="dead")
    other = "automated shoe" if device == "shuffler" else "manual shoe"
    if device == "shuffler":
        # No other way of shuffling before it is declared out.
        assert "out of service first" in at.refuses(events.ShuffledByHand, deck="A")
    assert "floorperson" in out(at, device, other, by=DEALER).refused
    clause = at.terms.ruleset.rulebook.procedures.failed_device.clause
    if book not in PENNSYLVANIA:
        for how in ("covered", "signed"):
            refused = out(at, device, other, how=how).refused
            assert "removed" in refused
            assert clause in refused
    assert at.table.method == "automated shoe"
    how = "signed" if book in PENNSYLVANIA else "removed"
    assert not out(at, device, other, how=how).refused
    said = at.taken[-1]
    assert isinstance(said, events.DeviceTakenOut)
    assert (said.by, said.how, said.at) == (FLOOR, how, at.now)
    assert at.table.method == other
    assert at.table.holds == ()
    if device == "shuffler":
        at.does(events.ShuffledByHand, deck="A")
        assert "no shuffler in service" in at.refuses(events.ShuffleCompleted, deck="A", count=52)
    else:
        at.shuffles().antes(1).locks()
        at.does(events.DealPressed)
        assert not at.table.deal.steps[0].by_shoe


@pytest.mark.parametrize("how", ["covered", "signed", "removed"])
def test_in_pennsylvania_a_cover_or_a_sign_is_enough(how: str) -> None:
    at = open_table("pa-669a")
    assert not out(at, "shuffler", "manual shoe", how=how).refused


@ALL
@pytest.mark.parametrize("device", ["shuffler", "shoe"])
@pytest.mark.rule("R7")
def test_a_device_leaves_only_empty(book: str, device: str) -> None:
    at = open_table(book, "automated shoe")
    raw = {
        "kind": "device_taken_out",
        "at": 1,
        "by": {"id": "f", "role": "floorperson"},
        "device": device,
        "how": "removed",
        "method": "manual shoe",
    }
    with pytest.raises(msgspec.ValidationError, match="cards_inside"):
        msgspec.convert(raw, events.Event)
    assert not out(at, device, "manual shoe", cards_inside=16).refused
    (hold,) = at.table.holds
    assert (hold.where, hold.cause) == (f"inside the {device}", "16 cards were found inside")
    # It is not out, and nothing is dealt, until somebody says where those cards belong.
    assert at.table.method == "automated shoe"
    assert at.table.shuffler_in_service
    assert not out(at, device, "manual shoe").refused
    assert at.table.holds == (hold,)
    if device == "shuffler":
        at.does(events.ShuffledByHand, deck="A")
        at.cuts("A")
    else:
        at.does(events.ShuffleCompleted, deck="A", count=52)
    assert "16 cards" in at.refuses(events.DeckLoaded, deck="A")
    assert "floorperson" in at.refuses(events.HoldCleared, hold=hold.number, reason="ours")
    at.does(events.HoldCleared, hold=hold.number, by=FLOOR, reason="16 of deck A, counted 52")
    at.does(events.DeckLoaded, deck="A")


def test_cards_in_a_shoe_that_leaves_are_shuffled_again() -> None:
    at = open_table("pa-639a").shuffles().antes(1)
    assert "wagers are down" in out(at, "shoe", "hand").refused
    at.does(events.WagerTakenBack, seat=1, wager="ante")
    done = out(at, "shoe", "hand")
    assert not done.refused
    assert (at.phase, at.table.decks[0].shuffled) == ("shuffling", "no")
    assert [c.deck for c in done.commands if isinstance(c, StartShuffle)] == ["A"]
    assert all(seat.acceptor_locked and seat.terminal_locked for seat in at.table.seats)


def test_without_its_shuffler_a_table_plays_with_one_deck() -> None:
    at = open_table("pa-639a", "manual shoe", decks=2)
    assert not out(at, "shuffler", "manual shoe").refused
    at.does(events.ShuffledByHand, deck="A")
    at.does(events.CutMade, deck="A", depth=20)
    why = at.refuses(events.DeckLoaded, deck="A")
    assert "remove deck B first" in why
    assert "PA-639a.3(b)" in why
    at.does(events.DeckRemoved, deck="B", by=FLOOR, reason="no shuffler")
    at.does(events.DeckLoaded, deck="A")
    at.antes(1).locks()
    at.does(events.RoundVoided, by=FLOOR, reason="smoke")
    at.racks()
    # The one deck is dealt again and again.
    assert at.table.deck == "A"


def test_a_device_comes_back_when_nothing_is_held_against_it() -> None:
    at = open_table("pa-639a")
    back: dict[str, Any] = {"device": "shoe", "method": "automated shoe"}
    assert "no shoe is out of service" in at.refuses(events.DeviceReturned, by=FLOOR, **back)
    out(at, "shoe", "manual shoe")
    assert "the shoe is out" in out(at, "shuffler", "automated shoe").refused
    assert "no shoe is in service" in out(at, "shoe", "hand").refused
    at.does(events.DeviceFaulted, device="shoe", nature="door open")
    assert "door open" in at.refuses(events.DeviceReturned, by=FLOOR, **back)
    at.does(events.HoldCleared, hold=1, by=FLOOR, reason="closed")
    assert "floorperson" in at.refuses(events.DeviceReturned, **back)
    at.does(events.DeviceReturned, by=FLOOR, **back)
    assert at.table.method == "automated shoe"
    out(at, "shuffler", "manual shoe")
    assert not at.table.shuffler_in_service
    back = {"device": "shuffler", "method": "automated shoe"}
    commands = at.does(events.DeviceReturned, by=FLOOR, **back)
    assert [c.deck for c in commands if isinstance(c, StartShuffle)] == ["A"]
    at.plays(1, 3)


# --- One role for each act --------------------------------------------------

ROLES: tuple[Role, ...] = ("dealer", "floorperson", "supervisor", "technician", "auditor")
ACTS: list[tuple[Any, dict[str, Any], set[str]]] = [
    (events.DeckReceived, {"deck": "B", "colour": "blue", "design": "bee"}, {"dealer"}),
    (events.DeckRemoved, {"deck": "A", "reason": "bent"}, {"floorperson", "supervisor"}),
    (events.CardsSpread, {"faces": "face down"}, {"dealer"}),
    (events.ShuffleOrdered, {"reason": "bent"}, {"floorperson", "supervisor"}),
    (
        events.DeviceTakenOut,
        {"device": "shoe", "cards_inside": 0, "how": "removed", "method": "hand"},
        {"floorperson", "supervisor"},
    ),
    (events.TableClosed, {}, {"floorperson", "supervisor"}),
]


@pytest.mark.parametrize(("kind", "given", "may"), ACTS)
def test_an_act_is_for_its_own_role(kind: Any, given: dict[str, Any], may: set[str]) -> None:
    at = open_table("pa-669a")
    for role in ROLES:
        done = at.send(kind, by=Person("x", role), **given)
        assert ("is for a" in done.refused) == (role not in may)
        at.table = open_table("pa-669a").table


@ALL
def test_the_warning_lamp_is_lit_from_the_first_hold_to_the_last(book: str) -> None:
    at = open_table(book)
    at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    assert [one.lit for one in at.sent(ShowWarning)] == [True]
    at.does(events.DeviceFaulted, device="shoe", nature="door open")
    assert not at.sent(ShowWarning)
    first, second = at.table.holds
    at.does(events.HoldCleared, by=FLOOR, hold=first.number, reason="seen to")
    assert not at.sent(ShowWarning)
    at.does(events.HoldCleared, by=FLOOR, hold=second.number, reason="closed it")
    assert [one.lit for one in at.sent(ShowWarning)] == [False]
