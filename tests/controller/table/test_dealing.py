"""From the lock to the first decision: loading, no more bets, the up-card, the shoe's answers."""

from __future__ import annotations

import pytest

from controller.rules.cards import name
from controller.table import events
from controller.table.commands import (
    ArmShoe,
    AskShoe,
    Dispense,
    EnableDeal,
    Lock,
    ShowWarning,
    StopShoe,
)
from controller.table.dealing import next_step, stub
from controller.table.waits import STACK, TIMER
from tests.controller.table.midway import (
    LAST,
    all_void,
    cases,
    clear_holds,
    deal_out,
    deal_step,
    dealing,
    down,
    goes_on,
    not_loaded,
    ready,
)
from tests.controller.table.playing import (
    BOOKS,
    DEALER,
    FLOOR,
    METHODS,
    AtTheTable,
    open_table,
)
from tests.controller.table.test_round import SIDE

# --- Loading ----------------------------------------------------------------


@cases(
    {
        ("pa-639a", "manual shoe"): "PA-639a.8(a)",
        ("pa-639a", "hand"): "",
        ("pa-639a", "automated shoe"): "PA-639a.10(a)(1)",
        ("s10", "manual shoe"): "S10.(g)(1)",
        ("s10", "hand"): "S10.(h)(2)(ii)",
        ("s10", "automated shoe"): "S10.(i)(2)(i)",
        ("ma", "manual shoe"): "MA.7(a)",
        ("ma", "hand"): "MA.8(c)(2)",
        ("ma", "automated shoe"): "MA.9(c)(1)",
        ("pa-669a", "manual shoe"): "PA-669a.8(a)",
        ("pa-669a", "automated shoe"): "PA-669a.10(a)(1)",
        ("pa-682a", "manual shoe"): "PA-682a.8(a)",
        ("pa-682a", "automated shoe"): "PA-682a.10(a)(1)",
        ("pa-683a", "manual shoe"): "PA-683a.8(a)",
        ("pa-683a", "automated shoe"): "PA-683a.10(a)(1)",
    }
)
def test_no_deck_is_loaded_before_it_is_shuffled_and_cut(book: str, method: str) -> None:
    at = open_table(book, method)
    not_loaded(at, "A")
    clear_holds(at)
    at.plays(1, 3)
    not_loaded(at, "A")  # and again after a round
    if method != "hand":
        by_hand = open_table(book, method, shuffler_counts=None)
        by_hand.does(events.ShuffledByHand, deck="A")
        not_loaded(by_hand, "A")


# --- No more bets -----------------------------------------------------------

WITH_CHIPS = {
    ("pa-639a", "manual shoe"): "PA-639a.8(b)",
    ("pa-639a", "hand"): "PA-639a.9(a)(3)",
    ("pa-639a", "automated shoe"): "PA-639a.10(a)(2)",
    ("s10", "manual shoe"): "S10.(g)(2)",
    ("s10", "hand"): "S10.(h)(2)(iii)",
    ("s10", "automated shoe"): "S10.(i)(2)(ii)",
    ("ma", "manual shoe"): "MA.7(c)",
    ("ma", "hand"): "MA.8(c)(3)",
    ("ma", "automated shoe"): "MA.9(c)(2)",
    ("pa-669a", "manual shoe"): "PA-669a.8(b)",
    ("pa-669a", "hand"): "PA-669a.9(a)(3)",
    ("pa-669a", "automated shoe"): "PA-669a.10(a)(2)",
}


@cases(WITH_CHIPS)
def test_the_deal_waits_for_the_lock_and_the_chips(book: str, method: str) -> None:
    at = open_table(book, method).shuffles().antes(1, 3, LAST[book], **SIDE[book])
    at.refuses(events.DealPressed)
    at.does(events.LockOutPressed)
    assert at.table.at == at.now  # when the button was pressed
    everywhere = list(range(1, at.terms.seats + 1))
    assert [one.seat for one in at.sent(Lock) if one.device == "acceptor"] == everywhere
    for seat in everywhere:
        assert f"the acceptor of seat {seat}" in at.refuses(events.DealPressed)
        at.does(events.LockConfirmed, seat=seat, device="acceptor")
        if at.terms.terminals:
            at.refuses(events.DealPressed)
            at.does(events.LockConfirmed, seat=seat, device="terminal")
    assert "the count of the progressive chips" in at.refuses(events.DealPressed)
    at.send(events.ChipsCounted, chips=2)  # three were accepted
    assert not at.table.deal_enabled
    at.refuses(events.DealPressed)
    for hold in at.table.holds:
        at.does(events.HoldCleared, hold=hold.number, reason="counted again", by=FLOOR)
    coupons = int(book in ("s10", "ma"))  # one of them may have been made with a coupon
    at.does(events.ChipsCounted, chips=3 - coupons, coupons=coupons)
    assert EnableDeal in [type(command) for command in at.last]
    was = at.table.seats
    at.send(events.WagerPlaced, seat=1, wager="progressive", amount=100)
    assert at.table.seats == was  # too late: neither wager nor light
    assert not [one for one in at.commands if isinstance(one, Dispense)]
    at.does(events.DealPressed)
    assert len(at.sent(Dispense)) == (method == "automated shoe")


@cases(
    {
        ("pa-682a", "manual shoe"): "PA-682a.8(b)",
        ("pa-682a", "hand"): "PA-682a.9(a)(3)",
        ("pa-682a", "automated shoe"): "PA-682a.10(a)(2)",
        ("pa-683a", "manual shoe"): "PA-683a.8(b)",
        ("pa-683a", "hand"): "PA-683a.9(a)(3)",
        ("pa-683a", "automated shoe"): "PA-683a.10(a)(2)",
    }
)
def test_no_card_before_no_more_bets(book: str, method: str) -> None:
    at = open_table(book, method).shuffles().antes(1, 3, **SIDE[book])
    at.refuses(events.DealPressed)
    at.refuses(events.CardsDealt, to=1, cards=1)
    at.refuses(events.LockOutPressed, by=FLOOR)
    at.does(events.LockOutPressed)
    was = at.table.seats
    at.send(events.WagerPlaced, seat=LAST[book], wager="ante", amount=1000)
    assert at.table.seats == was
    assert not [one for one in at.commands if isinstance(one, Dispense)]
    at.does(events.DealPressed)
    assert at.phase == "dealing"


# --- The up-card ------------------------------------------------------------


@pytest.mark.parametrize("method", ["manual shoe", "hand"])
@pytest.mark.parametrize("book", ["pa-639a", "s10", "ma"])
def test_one_by_one_the_dealers_first_card_is_up(book: str, method: str) -> None:
    at = dealing(book, method)
    for to in (1, 3, 7):
        assert "not there yet" in at.refuses(events.UpCardShown, card="Ah")
        at.does(events.CardsDealt, to=to)
    at.does(events.CardsDealt, to="dealer")
    assert "face up" in at.refuses(events.CardsDealt, to=1)  # which card is it?
    at.refuses(events.UpCardShown, card="Ah", by=FLOOR)
    at.refuses(events.UpCardShown, card="1h")
    at.does(events.UpCardShown, card="Ah")
    assert name(at.table.up_card or 0) == "Ah"
    at.refuses(events.UpCardShown, card="Kh")
    for place in (1, 3, 7, "dealer"):
        at.does(events.CardsDealt, to=place)
    assert at.table.deal.placed["dealer"] == 2
    assert at.table.faces == {}  # one is known, one is hidden
    at.refuses(events.Revealed, where="dealer", cards="Kh")


@cases(
    {
        ("pa-639a", "automated shoe"): "PA-639a.10(b)",
        ("s10", "automated shoe"): "",
        ("ma", "automated shoe"): "",
    }
)
def test_of_a_stack_the_bottom_card_is_turned(book: str, method: str) -> None:
    for stub_first in (True, False):
        at = dealing(book, method)
        for number in range(1, 5):
            assert "not there yet" in at.refuses(events.UpCardShown, card="Ah")
            at.does(events.StackDispensed, number=number, cards=5)
        if stub_first:
            at.does(events.StubRacked)
            assert at.phase == "dealing"
            at.refuses(events.Decided, seat=1, choice="fold")
        at.does(events.UpCardShown, card="Ah")
        at.refuses(events.UpCardShown, card="Kh")
        if not stub_first:
            at.refuses(events.Decided, seat=1, choice="fold")
            at.does(events.StubRacked)
        assert at.phase == "deciding"
        assert at.table.up_card is not None
        # It is one of the dealer's five when they are turned over.
        for seat in (1, 3, 7):
            at.does(events.Decided, seat=seat, choice="wager", amount=2000)
        at.refuses(events.Revealed, where="dealer", cards="Kh 2c 3c 4c 5c")
        at.does(events.Revealed, where="dealer", cards="Ah 2c 3c 4c 5c")


@pytest.mark.parametrize("book", ["pa-669a", "pa-682a", "pa-683a"])
def test_other_games_turn_no_card(book: str) -> None:
    at = dealing(book, "manual shoe")
    deal_out(at)
    assert "no dealer card" in at.refuses(events.UpCardShown, card="Ah")


# --- The shoe's answers -----------------------------------------------------


def stacks(book: str) -> tuple[AtTheTable, int]:
    at = dealing(book, "automated shoe")
    return at, at.terms.ruleset.rulebook.procedures.stack_of.is_


@pytest.mark.rule("R11")
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("third", [1, 2, 4])
def test_a_repeated_or_skipped_stack_is_a_fault(book: str, third: int) -> None:
    at, size = stacks(book)
    for number in (1, 2):
        at.does(events.StackDispensed, number=number, cards=size)
    was = down(at)
    commands = at.does(events.StackDispensed, number=third, cards=size)
    all_void(at, was, commands)
    assert StopShoe in [type(command) for command in commands]
    [hold] = at.table.holds
    assert hold.where == "shoe"
    assert f"stack {third} came where 3 was ordered" in hold.cause
    at.refuses(events.HoldCleared, hold=hold.number, reason="never mind", by=DEALER)
    goes_on(at)


@pytest.mark.rule("R11")
@pytest.mark.parametrize("book", BOOKS)
def test_stacks_in_their_order_pass(book: str) -> None:
    at, _ = stacks(book)
    while (planned := next_step(at.table)) is not None and planned.by_shoe:
        deal_step(at)
    assert at.table.holds == ()
    assert at.table.void == ""


@pytest.mark.rule("R11")
@pytest.mark.parametrize("book", BOOKS)
def test_a_stack_that_nobody_ordered_is_a_fault(book: str) -> None:
    before = ready(book, "automated shoe")
    was = down(before)
    commands = before.does(events.StackDispensed, number=1, cards=5)
    all_void(before, was, commands)
    assert "without an order" in before.table.holds[0].cause
    goes_on(before)
    after = deal_out(dealing(book, "automated shoe"))
    was = down(after)
    commands = after.does(events.StackDispensed, number=9, cards=5)
    all_void(after, was, commands)
    assert "without an order" in after.table.holds[0].cause


@pytest.mark.parametrize("method", ["manual shoe", "hand"])
def test_without_an_automated_shoe_no_stack_comes(method: str) -> None:
    at = dealing("pa-639a", method)
    at.refuses(events.StackDispensed, number=1, cards=5)
    at.refuses(events.DispenseUnanswered, number=1)


@pytest.mark.rule("R10")
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("did_it", [True, False])
def test_a_dispense_that_is_not_answered_is_asked_about(book: str, did_it: bool) -> None:
    at, size = stacks(book)
    at.does(events.StackDispensed, number=1, cards=size)
    at.refuses(events.DispenseUnanswered, number=1)
    at.refuses(events.DispenseUnanswered, number=3)
    commands = at.does(events.DispenseUnanswered, number=2)
    assert [type(command) for command in commands] == [AskShoe, ShowWarning]  # and no dispense
    at.refuses(events.DispenseUnanswered, number=2)
    assert at.table.seat(3).dealt == 0
    [hold] = at.table.holds
    assert (hold.cause, hold.blocks, hold.over) == ("stack 2 was not answered", "play", "")
    assert "has not said" in at.refuses(events.HoldCleared, hold=1, by=FLOOR, reason="in a hurry")
    if did_it:
        at.does(events.ShoeReported, last=2, cards=size)
        assert at.table.seat(3).dealt == size
        # Its own answer was late, not lost: the stack is not counted twice.
        at.does(events.StackDispensed, number=2, cards=size)
        assert at.table.seat(3).dealt == size
    else:
        at.does(events.ShoeReported, last=1, cards=size)
        assert at.table.seat(3).dealt == 0
    # The hold says that it has its answer. It stays until a floorperson has looked, and nothing
    # goes on meanwhile.
    [hold] = at.table.holds
    assert ("is out" if did_it else "nothing of stack 2") in hold.over
    assert not at.sent(Dispense)
    clear_holds(at)
    assert [order.number for order in at.sent(Dispense)] == [3 if did_it else 2]
    deal_out(at)
    at.stubs().faces.clear()
    assert at.phase == "deciding"
    assert (
        stub(at.table)
        == 52
        - sum(s.dealt for s in at.table.seats)
        - sum(at.table.deal.placed.values())
        - at.table.deal.set_aside
    )


@pytest.mark.rule("R10")
@pytest.mark.parametrize("book", BOOKS)
def test_each_stack_is_ordered_once_whatever_is_lost(book: str) -> None:
    """Answers to every stack are lost; by the shoe's own word each came out once."""
    at, _ = stacks(book)
    out: list[int] = []
    while (planned := next_step(at.table)) is not None and planned.by_shoe:
        [order] = at.sent(Dispense)
        out.append(order.number)  # the shoe does it, its answer is lost
        told = at.does(events.DispenseUnanswered, number=order.number)
        assert [c for c in told if not isinstance(c, ShowWarning)] == at.sent(AskShoe)
        assert len(at.sent(AskShoe)) == 1
        at.does(events.ShoeReported, last=order.number, cards=planned.cards)
        clear_holds(at)
    assert out == list(range(1, len(out) + 1))
    assert at.table.void == ""


@pytest.mark.rule("R10", "R31")
@pytest.mark.parametrize("did_it", [True, False])
def test_after_a_restart_of_felt_the_shoes_own_word_is_enough(did_it: bool) -> None:
    """Nothing speaks against a shoe that says which round it is in and counts what it has."""
    at, size = stacks("pa-639a")
    at.does(events.StackDispensed, number=1, cards=size)
    commands = at.does(events.DispenseUnanswered, number=2, restarted=True)
    assert not at.table.holds
    assert list(commands) == at.sent(AskShoe)
    at.refuses(events.DispenseUnanswered, number=2, restarted=True)
    last, inside = (2, 52 - 2 * size) if did_it else (1, 52 - size)
    said = {"last": last, "cards": size, "round": at.table.round, "inside": inside}
    at.does(events.ShoeReported, **said)
    assert not at.table.holds
    assert [order.number for order in at.sent(Dispense)] == [3 if did_it else 2]


@pytest.mark.rule("R10", "R31")
@pytest.mark.parametrize(
    "unsaid", [{"inside": None}, {"round": None}, {"inside": None, "round": None}]
)
@pytest.mark.parametrize("did_it", [True, False])
def test_after_a_restart_of_felt_a_doubtful_word_calls_the_floor(
    did_it: bool, unsaid: dict[str, None]
) -> None:
    at, size = stacks("pa-639a")
    at.does(events.StackDispensed, number=1, cards=size)
    at.does(events.DispenseUnanswered, number=2, restarted=True)
    last, inside = (2, 52 - 2 * size) if did_it else (1, 52 - size)
    said = {"last": last, "cards": size, "round": at.table.round, "inside": inside}
    at.does(events.ShoeReported, **{**said, **unsaid})
    [hold] = at.table.holds
    assert (hold.cause, hold.blocks) == ("stack 2 was not answered", "play")
    assert ("is out" if did_it else "nothing of stack 2") in hold.over
    assert not at.sent(Dispense)
    clear_holds(at)
    assert [order.number for order in at.sent(Dispense)] == [3 if did_it else 2]


@pytest.mark.rule("R10", "R31")
def test_after_a_restart_of_felt_cards_that_are_missing_void_the_round() -> None:
    at, size = stacks("pa-639a")
    at.does(events.StackDispensed, number=1, cards=size)
    at.does(events.DispenseUnanswered, number=2, restarted=True)
    was = down(at)
    said = {"last": 1, "cards": size, "round": at.table.round, "inside": 52 - size - 2}
    commands = at.does(events.ShoeReported, **said)
    all_void(at, was, commands)


@pytest.mark.rule("R10", "R31")
def test_a_shoe_that_says_nothing_after_a_restart_of_felt_calls_the_floor() -> None:
    """It is asked, and its time for the stack runs out all the same."""
    at, size = stacks("pa-639a")
    at.does(events.StackDispensed, number=1, cards=size)
    at.does(events.DispenseUnanswered, number=2, restarted=True)
    timer = f"{TIMER}stack 2 from the shoe"
    at.does(events.TimerFired, at=at.table.at + STACK, timer=timer)
    [hold] = at.table.holds
    assert hold.cause == "stack 2 was not answered"
    assert at.sent(AskShoe)
    at.does(events.StackDispensed, number=2, cards=size)
    assert "came after all" in at.table.holds[0].over


@pytest.mark.rule("R10")
def test_a_late_answer_settles_it_without_the_report() -> None:
    at, size = stacks("pa-639a")
    at.does(events.DispenseUnanswered, number=1)
    at.does(events.StackDispensed, number=1, cards=size)
    assert "came after all" in at.table.holds[0].over
    at.does(events.ShoeReported, last=1, cards=size)  # the answer to the question, too late
    assert at.last == ()
    clear_holds(at)
    assert [order.number for order in at.sent(Dispense)] == [2]
    at.does(events.StackDispensed, number=2, cards=size)
    assert at.table.seat(3).dealt == size


@pytest.mark.rule("R10", "R11")
@pytest.mark.parametrize("last", [0, 3, 9])
def test_a_report_that_fits_nothing_voids_the_round(last: int) -> None:
    at, size = stacks("pa-639a")
    at.does(events.StackDispensed, number=1, cards=size)
    at.does(events.DispenseUnanswered, number=2)
    was = down(at)
    commands = at.does(events.ShoeReported, last=last, cards=size)
    all_void(at, was, commands)
    assert any(f"the shoe says {last} stacks" in hold.cause for hold in at.table.holds)
    goes_on(at)


@pytest.mark.rule("R10", "R9")
def test_a_shoe_that_stays_mute_voids_the_round() -> None:
    at, size = stacks("pa-639a")
    at.does(events.StackDispensed, number=1, cards=size)
    at.does(events.DispenseUnanswered, number=2)
    was = down(at)
    commands = at.does(events.DeviceFaulted, device="shoe", nature="no answer")
    all_void(at, was, commands)
    assert [c for c in commands if isinstance(c, Dispense)] == []
    at.refuses(events.ShoeReported, last=2, cards=size)
    goes_on(at)


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", METHODS)
def test_fifty_two_cards_are_accounted_for_at_every_step(book: str, method: str) -> None:
    at = dealing(book, method)
    out = 0
    while next_step(at.table) is not None:
        out += deal_step(at)[1]
        assert stub(at.table) == 52 - out == len(at.shoe)


# --- What the shoe may give out ---------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("book", BOOKS)
def test_the_shoe_is_armed_for_exactly_the_stacks_of_the_round(book: str, method: str) -> None:
    at = open_table(book, method).shuffles().antes(1, 3)
    assert not [c for c in at.commands if isinstance(c, ArmShoe)]
    armed = [c for c in at.locks().commands if isinstance(c, ArmShoe)]
    at.deals()
    ordered = [c for c in at.commands if isinstance(c, Dispense)]
    if method != "automated shoe":
        assert not armed
        assert not ordered
        return
    (order,) = armed
    assert order.round == at.table.round
    assert order.stacks == tuple(one.cards for one in ordered)
    assert [(one.round, one.number) for one in ordered] == [
        (order.round, number) for number in range(1, len(order.stacks) + 1)
    ]


@pytest.mark.parametrize("book", BOOKS)
def test_a_card_that_takes_the_place_of_another_is_armed_for_too(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3).locks()
    at.does(events.DealPressed)
    deal_step(at)
    at.does(events.FaceUpCardFound, where=1)
    deal_step(at)
    (arm,), (order,) = at.sent(ArmShoe), at.sent(Dispense)
    assert order.cards == 1
    assert order.to == 1
    assert arm.round == order.round
    assert arm.stacks[order.number - 1] == 1
    assert at.last.index(arm) < at.last.index(order)


@pytest.mark.parametrize("book", ["pa-682a", "pa-683a", "pa-669a"])
@pytest.mark.parametrize("method", ["manual shoe", "hand"])
def test_cards_are_as_many_as_are_due_unless_somebody_says_so(book: str, method: str) -> None:
    at = dealing(book, method)
    for planned in at.table.deal.steps:
        assert next_step(at.table) == planned
        at.does(events.CardsDealt, to=planned.to)
    hands = at.terms.ruleset.rulebook.hands
    assert at.table.void == ""
    assert at.table.deal.placed.get("extra", 0) == hands.extra
    assert at.table.deal.placed.get("community", 0) == hands.community
