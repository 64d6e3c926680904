"""The shoe's driver: stacks, what it did when an answer was lost, and faces that nobody sees."""

from __future__ import annotations

import pytest

from controller.table import commands, events
from drivers.contract import Settings
from drivers.device import BadSettings
from drivers.shoe import Shoe
from drivers.wire import messages
from tests.drivers.people import DANA, driver, moment


def armed() -> Shoe:
    shoe = driver(Shoe)
    shoe.told(commands.ArmShoe(round=7, stacks=(5, 5)))
    return shoe


def test_what_it_is_told() -> None:
    shoe = driver(Shoe)
    [told] = shoe.told(commands.ArmShoe(round=7, stacks=(5, 5)))
    assert told.message == messages.Arm(7, (5, 5))
    [told] = shoe.told(commands.Dispense(round=7, number=1, cards=5, to=3))
    assert told.message == messages.Dispense(7, 1, 5)
    [told] = shoe.told(commands.AskShoe())
    assert told.message == messages.Report()
    [told] = shoe.told(commands.StopShoe())
    assert told.message == messages.Stop()
    assert told.urgent
    assert not shoe.told(commands.StartShuffle(deck="A"))


def test_a_stack_is_told_with_its_number_and_cards() -> None:
    shoe = armed()
    assert shoe.heard(messages.Loaded("A", 52), moment()) == [
        events.DeckLoaded(at=1000, deck="A", cards=52)
    ]
    assert shoe.heard(messages.Dispensed(7, 1, 5), moment()) == [
        events.StackDispensed(at=1000, number=1, cards=5, lies=True)
    ]
    assert shoe.heard(messages.Taken(1), moment()) == [events.StackTaken(at=1000, number=1)]
    assert shoe.heard(messages.Stub(42), moment()) == [events.StubReported(at=1000, cards=42)]
    for silent in (messages.Taken(0), messages.Empty(), messages.WentSafe()):
        assert not shoe.heard(silent, moment())


def test_a_shoe_that_does_not_see_its_exit_waits_for_nothing_there() -> None:
    shoe = Shoe(Settings("shoe", options={"tells_taken": False}), lambda _: "")
    assert shoe.heard(messages.Dispensed(7, 1, 5), moment()) == [
        events.StackDispensed(at=1000, number=1, cards=5)
    ]
    assert not shoe.heard(messages.Taken(1), moment())
    with pytest.raises(BadSettings, match="tells_taken"):
        Shoe(Settings("shoe", options={"tells_taken": "no"}), lambda _: "")


def test_a_shoe_that_does_not_count_says_nothing_about_numbers() -> None:
    shoe = armed()
    assert shoe.heard(messages.Loaded("A", messages.NOT_COUNTED), moment()) == [
        events.DeckLoaded(at=1000, deck="A")
    ]
    assert not shoe.heard(messages.Stub(messages.NOT_COUNTED), moment())


def test_faces_are_sealed_as_soon_as_they_are_uncovered() -> None:
    given: list[bytes] = []

    def seal(faces: bytes) -> str:
        given.append(faces)
        return "closed"

    shoe = Shoe(Settings("shoe"), seal)
    message = messages.Dispensed(7, 1, 3, b"\x99\x98\x97")
    [event] = shoe.heard(message, moment(), lambda: b"\x01\x02\x03")
    assert event == events.StackDispensed(at=1000, number=1, cards=3, sealed="closed", lies=True)
    assert given == [b"\x01\x02\x03"]
    assert b"\x01\x02\x03" not in repr(vars(shoe)).encode()


def test_a_stack_of_another_round_is_a_fault() -> None:
    shoe = armed()
    shoe.told(commands.Dispense(round=8, number=1, cards=5, to=3))
    [event] = shoe.heard(messages.Dispensed(7, 2, 5), moment())
    assert isinstance(event, events.DeviceFaulted)
    assert event.nature == "stack 2 of round 7 came in round 8"


def test_a_dispense_without_a_clear_answer_is_asked_about() -> None:
    shoe = armed()
    order = messages.Dispense(7, 1, 5)
    assert shoe.unclear(order, moment()) == (events.DispenseUnanswered(at=1000, number=1),)
    assert shoe.heard(messages.ShoeState(7, 1, 5, 47, 0), moment()) == [
        events.ShoeReported(at=1000, last=1, cards=5, round=7, inside=47)
    ]
    # A stack on its way is neither done nor not done: nothing lets it be ordered again.
    assert not shoe.heard(messages.ShoeState(7, 1, 5, 47, 2), moment())
    # What it did in another round is nothing in this one.
    assert shoe.heard(messages.ShoeState(6, 4, 5, 32, 0), moment()) == [
        events.ShoeReported(at=1000, last=0, round=6, inside=32)
    ]
    # One that does not count says nothing about its cards.
    assert shoe.heard(messages.ShoeState(7, 1, 5, messages.NOT_COUNTED, 0), moment()) == [
        events.ShoeReported(at=1000, last=1, cards=5, round=7)
    ]


def test_only_the_answer_to_the_last_question_counts() -> None:
    shoe = armed()
    for _ in range(2):
        shoe.told(commands.AskShoe())
    # Said before the second stack was ordered: it must not be taken for "not done".
    assert not shoe.heard(messages.ShoeState(7, 1, 5, 47, 0), moment())
    assert shoe.heard(messages.ShoeState(7, 2, 5, 42, 0), moment()) == [
        events.ShoeReported(at=1000, last=2, cards=5, round=7, inside=42)
    ]


def test_a_shoe_that_does_not_say_what_it_did_is_at_fault() -> None:
    shoe = armed()
    assert shoe.unclear(messages.Report(), moment()) == ()
    shoe.told(commands.AskShoe())
    [event] = shoe.unclear(messages.Report(), moment())
    assert isinstance(event, events.DeviceFaulted)
    assert shoe.unclear(messages.Report(), moment()) == ()


def test_a_stack_that_is_refused_is_told_with_the_reason() -> None:
    order = messages.Dispense(7, 1, 5)
    [event] = armed().answered(order, "refused", "its exit is occupied", moment())
    assert event == events.DispenseRefused(at=1000, number=1, reason="its exit is occupied")
    [event] = armed().answered(order, "refused", "", moment())
    assert isinstance(event, events.DispenseRefused)
    # One that does not know how to is no shoe.
    [event] = armed().answered(order, "unknown", "", moment())
    assert isinstance(event, events.DeviceFaulted)
    [event] = armed().answered(messages.Arm(7, (5,)), "refused", "empty", moment())
    assert isinstance(event, events.DeviceFaulted)


def test_a_card_that_lies_face_up_came_to_somebody() -> None:
    shoe = armed()
    shoe.told(commands.Dispense(round=7, number=1, cards=5, to=3))
    shoe.told(commands.Dispense(round=7, number=2, cards=5, to="last stack"))
    places = [shoe.heard(messages.FaceUpCard(number), moment())[0] for number in (0, 1, 2)]
    assert places == [
        events.FaceUpCardFound(at=1000, by=DANA, where=where) for where in (None, 3, "dealer")
    ]
    [event] = shoe.heard(messages.FaceUpCard(9), moment())
    assert isinstance(event, events.DeviceFaulted)


def test_a_jam_and_an_open_door_are_faults() -> None:
    shoe = armed()
    for said, nature in (
        (messages.Fault("jam"), "jam"),
        (messages.Door(True), "its door is open"),
    ):
        assert shoe.heard(said, moment()) == [
            events.DeviceFaulted(at=1000, device="shoe", nature=nature)
        ]
