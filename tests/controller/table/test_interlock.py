"""A hold stops what it must: nothing is ordered, dealt, decided or paid that it lies on."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller.table import events
from controller.table.commands import (
    ArmShoe,
    AskShoe,
    Dispense,
    EnableDeal,
    SetTimer,
    StartShuffle,
    StopShoe,
    Unlock,
)
from controller.table.dealing import next_step, stub
from controller.table.prompts import prompts
from controller.table.state import Hold, Table
from controller.table.waits import COUNT, CYCLE, STACK, TIMER, overdue
from tests.controller.table.midway import (
    all_void,
    clear_holds,
    deal_out,
    deal_step,
    dealing,
    down,
    goes_on,
    ready,
    show_up_card,
)
from tests.controller.table.playing import BOOKS, BOSS, FLOOR, METHODS, AtTheTable, open_table

EVERY_BOOK = pytest.mark.parametrize("book", BOOKS)
DOOR = "its door is open"


def lying(book: str, **more: Any) -> tuple[AtTheTable, int]:
    """A deal from a shoe that says what lies in its exit and counts what it has inside."""
    at = open_table(book, "automated shoe", **more)
    at.does(events.ShuffleCompleted, deck="A", count=52)
    at.does(events.DeckLoaded, deck="A", cards=52)
    at.shoe = at.random.sample(range(52), 52)
    at.antes(1, 3).locks()
    at.does(events.DealPressed)
    return at, at.terms.ruleset.rulebook.procedures.stack_of.is_


def comes(at: AtTheTable) -> int:
    """The stack that is waited for comes, and lies in the exit."""
    planned = next_step(at.table)
    assert planned is not None
    at.draw(planned.to, planned.cards)
    number = at.table.deal.done + 1
    at.does(events.StackDispensed, number=number, cards=planned.cards, lies=True)
    return number


def stacks_out(at: AtTheTable) -> None:
    while (planned := next_step(at.table)) is not None and planned.by_shoe:
        at.does(events.StackTaken, number=comes(at))


def asked_for(at: AtTheTable, who: str = "dealer") -> list[str]:
    return [one.text for one in prompts(at.terms, at.table) if one.who == who]


def fires(at: AtTheTable, what: str) -> tuple[Any, ...]:
    return at.does(events.TimerFired, timer=f"{TIMER}{what}")


# --- The deal is held -------------------------------------------------------


@EVERY_BOOK
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.rule("R2", "R4")
def test_a_warning_stops_the_deal_where_it_stands(book: str, method: str) -> None:
    at = dealing(book, method)
    deal_step(at)
    at.does(events.DeviceFaulted, device="acceptor 3", nature=DOOR)
    assert at.phase == "dealing"
    planned = next_step(at.table)
    assert planned is not None
    if planned.by_shoe:
        # What is on its way comes, and is taken as it is; nothing is ordered after it.
        deal_step(at)
        assert not at.sent(Dispense)
    else:
        assert DOOR in at.refuses(events.CardsDealt, to=planned.to, cards=planned.cards)
    clear_holds(at)
    deal_out(at)
    at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    for kind in (events.StubRacked, events.StubCounted):
        given = {} if kind is events.StubRacked else {"cards": stub(at.table)}
        assert "red light" in at.refuses(kind, **given)
    clear_holds(at)
    at.stubs().decides().reveals().pays().racks()


@EVERY_BOOK
@pytest.mark.rule("R2")
def test_when_it_is_cleared_the_deal_goes_on_with_the_stack_that_is_due(book: str) -> None:
    at = dealing(book, "automated shoe")
    at.does(events.DeviceFaulted, device="acceptor 3", nature=DOOR)
    at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    deal_step(at)
    assert not at.sent(Dispense)
    at.does(events.HoldCleared, hold=1, by=FLOOR, reason="closed")
    assert not at.sent(Dispense)  # one is left
    at.does(events.HoldCleared, hold=2, by=FLOOR, reason="looked")
    assert [order.number for order in at.sent(Dispense)] == [2]
    # The shoe may have been switched off and on meanwhile.
    assert len(at.sent(ArmShoe)) == 1
    deal_out(at).stubs().decides().reveals().pays().racks()


@EVERY_BOOK
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.rule("R2")
def test_the_lamp_of_the_deal_is_dark_while_the_deal_is_held(book: str, method: str) -> None:
    at = ready(book, method)
    at.does(events.DeviceFaulted, device="acceptor 3", nature=DOOR)
    assert [order.enabled for order in at.sent(EnableDeal)] == [False]
    assert DOOR in at.refuses(events.DealPressed)
    clear_holds(at)
    assert [order.enabled for order in at.sent(EnableDeal)] == [True]
    assert len(at.sent(ArmShoe)) == (method == "automated shoe")
    at.does(events.DealPressed)


def test_the_deal_is_not_enabled_under_a_hold() -> None:
    at = open_table("pa-639a").shuffles().antes(1)
    at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    at.locks()
    assert not [one for one in at.commands if isinstance(one, EnableDeal | ArmShoe)]
    clear_holds(at)
    assert [order.enabled for order in at.sent(EnableDeal)] == [True]
    assert len(at.sent(ArmShoe)) == 1


# --- The shuffler -----------------------------------------------------------


@EVERY_BOOK
@pytest.mark.parametrize("where", ["shuffler", "shoe", "panel", "acceptor 1"])
@pytest.mark.rule("R2", "R3")
def test_no_shuffle_is_started_under_any_hold(book: str, where: str) -> None:
    at = open_table(book, "automated shoe").plays(1, 3)
    at.does(events.DeviceFaulted, device=where, nature="red light")
    for holds in ("A", None, "A"):
        at.does(events.ShufflerReported, mode="shuffle", holds=holds)
        assert not at.sent(StartShuffle)
    at.does(events.HoldCleared, hold=1, by=FLOOR, reason="looked")
    assert [order.deck for order in at.sent(StartShuffle)] == ["A"]


@pytest.mark.rule("R3", "R2")
def test_a_deck_that_waits_in_the_shuffler_is_shuffled_when_the_hold_is_cleared() -> None:
    at = open_table("pa-639a", decks=2).shuffles().antes(1).locks()
    at.does(events.DeviceFaulted, device="acceptor 3", nature=DOOR)
    at.does(events.ShufflerReported, mode="shuffle", holds="B")
    assert not at.sent(StartShuffle)
    clear_holds(at)
    assert [order.deck for order in at.sent(StartShuffle)] == ["B"]


# --- Play is held -----------------------------------------------------------


@EVERY_BOOK
@pytest.mark.rule("R10")
def test_nothing_goes_on_while_a_stack_is_not_answered_for(book: str) -> None:
    at, size = lying(book)
    at.does(events.DispenseUnanswered, number=1)
    at.draw(1, size)
    at.does(events.StackDispensed, number=1, cards=size, lies=True)
    at.does(events.StackTaken, number=1)
    assert not at.sent(Dispense)
    [hold] = at.table.holds
    assert "it came after all" in hold.over
    assert any("it came after all" in text for text in asked_for(at, "floorperson"))
    # A stack that comes without an order is no stack of this deal.
    was = down(at)
    all_void(at, was, at.does(events.StackDispensed, number=2, cards=size, lies=True))


@pytest.mark.rule("R5")
def test_no_payment_is_made_while_play_is_held() -> None:
    at = open_table("ma", "hand").shuffles().antes(1, 3, cover_all=500).locks().deals().decides()
    at.reveals()
    table = at.table
    assert at.phase == "settling"
    at.table = _with_hold(table)
    seat = table.order[0] if table.order else table.due[0].seat
    for kind, given in (
        (events.SeatPaid, {"seat": seat}),
        (events.HandVerified, {"seat": seat, "wager": "ante"}),
        (events.PayoutValidated, {"seat": seat, "wager": "ante", "by": BOSS}),
    ):
        assert "hold 9 blocks it" in at.refuses(kind, **given)


def _with_hold(table: Table) -> Table:
    hold = Hold(9, "the shuffler counted 4 hands where 3 were dealt", "hands", 0, "play", "dealer")
    return replace(table, holds=(hold,))


@pytest.mark.rule("R13")
def test_no_device_is_opened_while_play_is_held() -> None:
    at = open_table("pa-639a").shuffles()
    at.does(events.DeviceWentOffline, device="acceptor 3")
    at.table = _with_hold(at.table)
    at.does(events.DeviceCameOnline, device="acceptor 3")
    assert not at.sent(Unlock)


# --- A cause that is gone ---------------------------------------------------


@pytest.mark.rule("R2", "R37")
def test_a_hold_says_that_its_cause_is_gone_and_waits_all_the_same() -> None:
    at = open_table("pa-639a")
    at.does(events.DeviceFaulted, device="shoe", nature="jam: card 3")
    at.does(events.DeviceFaulted, device="shoe", nature=DOOR)
    at.does(events.ShuffleFailed, deck="A", nature="jam")
    at.does(events.ShufflerReported, mode="sort", holds="A")
    at.does(events.DeviceRecovered, device="shoe", nature=DOOR)
    assert [bool(hold.over) for hold in at.table.holds] == [False, True, False, False]
    at.does(events.DeviceRecovered, device="shoe", nature="jam")
    at.does(events.DeviceRecovered, device="shuffler", nature="jam")
    at.does(events.ShufflerReported, mode="shuffle", holds="A")
    assert all(hold.over for hold in at.table.holds)
    assert not at.sent(StartShuffle)
    assert sum("since then" in text for text in asked_for(at, "floorperson")) == 4
    # And is there again.
    at.does(events.DeviceFaulted, device="shoe", nature=DOOR)
    assert [bool(hold.over) for hold in at.table.holds] == [True, False, True, True]


# --- The stack in the exit --------------------------------------------------


@EVERY_BOOK
@pytest.mark.rule(
    "PA-639a.10(b)", "PA-669a.10(b)", "PA-682a.10(b)", "PA-683a.10(b)", "S10.(i)(3)", "MA.9(d)"
)
def test_a_stack_is_ordered_when_the_one_before_it_was_taken(book: str) -> None:
    at, _ = lying(book)
    assert asked_for(at)[0].startswith("wait for stack 1: ")
    out = 0
    while (planned := next_step(at.table)) is not None and planned.by_shoe:
        number = comes(at)
        # The prompt names the stack that lies there, and nothing is ordered on top of it.
        assert not at.sent(Dispense)
        [text] = asked_for(at)
        assert text.startswith(f"take stack {number} out of the shoe")
        if isinstance(planned.to, int):
            assert text.endswith(f"to seat {planned.to}, face down")
        for kind in (events.StubRacked, events.UpCardShown, events.CardsDealt):
            given: dict[str, Any] = {"card": "2c"} if kind is events.UpCardShown else {}
            given |= {"to": "community", "cards": 3} if kind is events.CardsDealt else {}
            at.refuses(kind, **given)
        assert "does not lie" in at.refuses(events.StackTaken, number=number + 1)
        at.does(events.StackTaken, number=number)
        following = next_step(at.table)
        more = following is not None and following.by_shoe
        assert [order.number for order in at.sent(Dispense)] == ([number + 1] if more else [])
        out = number
    assert out == len([step for step in at.table.deal.steps if step.by_shoe])


def test_of_a_shoe_without_eyes_the_last_stack_is_named_with_the_next() -> None:
    at = dealing("pa-639a", "automated shoe")
    deal_step(at)
    last, following = "stack 1: 5 cards to seat 1", "wait for stack 2: 5 cards to seat 3, face down"
    assert asked_for(at) == [f"{last}; then {following}"]


@EVERY_BOOK
def test_a_refused_stack_voids_nothing_and_waits_for_a_person(book: str) -> None:
    at, size = lying(book)
    at.does(events.StackTaken, number=comes(at))
    commands = at.does(events.DispenseRefused, number=2, reason="its exit is occupied")
    assert [one for one in commands if isinstance(one, AskShoe)]
    assert (at.phase, at.table.void) == ("dealing", "")
    [hold] = at.table.holds
    assert hold.cause == "stack 2 was refused: its exit is occupied"
    at.does(events.ShoeReported, last=1, cards=size, inside=52 - size, round=at.table.round)
    assert not at.sent(Dispense)
    assert "not waited for" in at.refuses(events.DispenseRefused, number=2, reason="again")
    clear_holds(at)
    assert [order.number for order in at.sent(Dispense)] == [2]
    stacks_out(at)
    assert at.table.void == ""


# --- What the shoe has inside -----------------------------------------------


@EVERY_BOOK
@pytest.mark.rule("R5", "R9", "R10")
def test_a_shoe_that_lacks_cards_is_ordered_nothing_more(book: str) -> None:
    at, _ = lying(book)
    at.does(events.DispenseUnanswered, number=1)
    was = down(at)
    # It was restarted with three cards of the stack out, and knows of nothing.
    commands = at.does(events.ShoeReported, last=0, inside=49, round=0)
    all_void(at, was, commands)
    assert [one for one in commands if isinstance(one, StopShoe)]
    assert "49 cards inside where 52 should be" in at.table.void
    goes_on(at)


@EVERY_BOOK
@pytest.mark.rule("R10")
def test_a_shoe_that_has_all_its_cards_is_believed(book: str) -> None:
    at, size = lying(book)
    at.does(events.DispenseUnanswered, number=1)
    at.does(events.ShoeReported, last=0, inside=52, round=0)
    assert at.table.void == ""
    clear_holds(at)
    assert [order.number for order in at.sent(Dispense)] == [1]
    at.does(events.StackTaken, number=comes(at))
    at.does(events.DispenseUnanswered, number=2)
    was = down(at)
    # It says that the stack is out; its cards say otherwise.
    report = {"last": 2, "cards": size, "inside": 52 - size, "round": at.table.round}
    all_void(at, was, at.does(events.ShoeReported, **report))


@pytest.mark.rule("R9", "R10")
def test_a_shoe_that_forgot_the_round_and_does_not_count_is_not_believed() -> None:
    at = dealing("pa-639a", "automated shoe")
    at.does(events.DispenseUnanswered, number=1)
    was = down(at)
    all_void(at, was, at.does(events.ShoeReported, last=0, round=0))


@pytest.mark.rule("R5", "R1")
@pytest.mark.parametrize("locked", [False, True])
def test_cards_that_leave_the_shoe_before_the_deal_hold_it(locked: bool) -> None:
    at = ready("pa-639a", "automated shoe") if locked else open_table("pa-639a").shuffles()
    at.does(events.ShoeReported, last=0, inside=52, round=0)
    assert not at.table.holds
    at.does(events.ShoeReported, last=0, inside=49, round=0)
    [hold] = at.table.holds
    assert hold.cause == "it has 49 cards inside where 52 should be"
    at.refuses(events.DealPressed)


@EVERY_BOOK
@pytest.mark.rule("R5")
def test_a_shoe_that_counts_must_say_what_it_has_left(book: str) -> None:
    at, _ = lying(book)
    stacks_out(at)
    by_hand = next_step(at.table) is not None
    if by_hand:
        deal_out(at)
    show_up_card(at)
    assert "has not said" in at.refuses(events.StubRacked)
    assert any("count the stub" in text for text in asked_for(at))
    # It is asked, unless the dealer has taken the rest out of it: then that is counted.
    at.now += COUNT
    fires(at, "the shoe's count of the stub")
    assert len(at.sent(AskShoe)) == (not by_hand)
    if not by_hand:
        last = at.table.deal.done
        at.does(events.ShoeReported, last=last, inside=stub(at.table), round=at.table.round)
    at.stubs()
    assert at.phase != "dealing"


@pytest.mark.rule("R5")
def test_a_report_that_differs_after_the_last_stack_has_the_stub_counted() -> None:
    at, _ = lying("pa-639a")
    stacks_out(at)
    show_up_card(at)
    has = stub(at.table) - 3
    at.does(events.ShoeReported, last=at.table.deal.done, inside=has, round=at.table.round)
    assert f"it has {has} cards left" in at.table.holds[0].cause
    assert at.table.void == ""
    at.refuses(events.StubRacked)
    at.does(events.StubCounted, cards=has)
    assert at.table.void


# --- Waits ------------------------------------------------------------------


@EVERY_BOOK
@pytest.mark.rule("R10")
def test_a_stack_that_was_taken_on_and_never_comes_is_asked_about(book: str) -> None:
    at, _ = lying(book)
    [timer] = at.sent(SetTimer)
    assert timer.timer == f"{TIMER}stack 1 from the shoe"
    assert timer.at == at.now + STACK
    # Before its time it is set again; after it the shoe is asked, and the round is held.
    [again] = [one for one in fires(at, "stack 1 from the shoe") if isinstance(one, SetTimer)]
    assert again.at == timer.at
    assert not list(overdue(at.terms, at.table, at.now))
    at.now += STACK
    assert list(overdue(at.terms, at.table, at.now))
    fires(at, "stack 1 from the shoe")
    assert len(at.sent(AskShoe)) == 1
    [hold] = at.table.holds
    assert (hold.cause, hold.blocks) == ("stack 1 was not answered", "play")
    fires(at, "stack 1 from the shoe")
    assert not at.sent(AskShoe)


@pytest.mark.rule("R17")
def test_a_lock_that_does_not_come_is_said() -> None:
    at = open_table("pa-639a").shuffles().antes(1)
    at.does(events.LockOutPressed)
    at.now += 60_000
    late = [wait.what for wait, _ in overdue(at.terms, at.table, at.now)]
    assert "the lock of the acceptor of seat 1" in late
    assert "the lock of the terminal of seat 7" in late
    at.does(events.LockConfirmed, seat=1, device="acceptor")
    late = [wait.what for wait, _ in overdue(at.terms, at.table, at.now)]
    assert "the lock of the acceptor of seat 1" not in late


@pytest.mark.rule("R3")
def test_a_cycle_that_does_not_end_is_held() -> None:
    at = open_table("pa-639a")
    at.does(events.ShuffleStarted, deck="A")
    at.now += CYCLE
    fires(at, "the shuffle of deck A")
    [hold] = at.table.holds
    assert "has not ended" in hold.cause
    assert not at.table.waits


@pytest.mark.rule("R38")
def test_waits_go_by_no_clock_that_was_set() -> None:
    at, _ = lying("pa-639a")
    hour = 3_600_000
    at.now += hour
    commands = at.does(events.ClockStepped, milliseconds=hour)
    timers = [one for one in commands if isinstance(one, SetTimer)]
    assert any(one.timer == f"{TIMER}stack 1 from the shoe" for one in timers)
    assert not list(overdue(at.terms, at.table, at.now))
