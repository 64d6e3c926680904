"""Whose an answer is that comes when felt has given up waiting for it: of who was asked then."""

from __future__ import annotations

import pytest

from controller.technician.hearing_dialects import CcTalk, Modbus
from controller.technician.said import ANSWER, ECHO, GARBAGE, LATE, REQUEST, Said
from drivers.dialects import cctalk_frame, rtu
from drivers.wire.devicelog import Bytes
from tests.drivers.dialects.module import Module

#: Acceptors at their addresses on the bus.
FIRST, SECOND = 2, 3


def inputs_asked() -> bytes:
    return rtu.read_inputs(1, 0, 8).frame


def events_asked(address: int) -> bytes:
    return cctalk_frame.ask(address, cctalk_frame.READ_EVENTS).frame


def events_of(address: int) -> bytes:
    return cctalk_frame.to_bytes(cctalk_frame.HOST, address, cctalk_frame.ACK, bytes(11))


def heard(ear: CcTalk | Modbus, *said: tuple[str, bytes]) -> list[Said]:
    found: list[Said] = []
    for at_us, (way, data) in enumerate(said):
        found += ear.hear(Bytes(at_us, "out" if way == "out" else "in", data))
    return found


def kinds(found: list[Said]) -> list[tuple[str, str]]:
    return [(one.kind, one.device) for one in found]


def a_panel() -> Modbus:
    return Modbus({1: "panel"}, {})


def a_bus() -> CcTalk:
    return CcTalk({1: "acceptor 1", 2: "acceptor 2"}, {})


def test_asked_twice_it_answers_twice() -> None:
    asked = inputs_asked()
    answer = Module()(asked, 0.0)
    found = heard(a_panel(), ("out", asked), ("out", asked), ("in", answer), ("in", answer))
    assert [one.kind for one in found] == [REQUEST, REQUEST, ANSWER, LATE]
    assert len({one.number for one in found}) == 1
    assert found[-1].words == "late answer 1 read_inputs"
    assert not found[-1].plain  # a run in which nobody was late says the same


@pytest.mark.parametrize("size", [1, 3, 100])
def test_both_in_pieces_of_any_size(size: int) -> None:
    asked = inputs_asked()
    both = 2 * Module()(asked, 0.0)
    pieces = [("in", both[n : n + size]) for n in range(0, len(both), size)]
    found = heard(a_panel(), ("out", asked), ("out", asked), *pieces)
    assert [one.kind for one in found] == [REQUEST, REQUEST, ANSWER, LATE]


def test_a_third_answer_to_two_requests_is_nothing() -> None:
    asked = inputs_asked()
    answer = Module()(asked, 0.0)
    found = heard(a_panel(), ("out", asked), ("out", asked), ("in", 3 * answer))
    assert [one.kind for one in found] == [REQUEST, REQUEST, ANSWER, LATE, GARBAGE]
    assert found[-1].length == len(answer)


@pytest.mark.parametrize("size", [1, 4, 100])
def test_on_a_bus_it_is_of_who_was_asked_then(size: int) -> None:
    """The first is slow; meanwhile the second is asked, which has nothing to do with it."""
    line = b"".join(
        (events_asked(FIRST), events_of(FIRST), events_asked(SECOND), events_of(SECOND))
    )
    pieces = [("in", line[n : n + size]) for n in range(0, len(line), size)]
    found = heard(a_bus(), ("out", events_asked(FIRST)), ("out", events_asked(SECOND)), *pieces)
    assert kinds(found[2:]) == [
        (ECHO, "acceptor 1"),
        (LATE, "acceptor 1"),
        (ECHO, "acceptor 2"),
        (ANSWER, "acceptor 2"),
    ]


def test_a_request_is_the_same_once_more_though_another_came_between() -> None:
    asked = events_asked(FIRST), events_asked(SECOND)
    first, other, again = heard(a_bus(), ("out", asked[0]), ("out", asked[1]), ("out", asked[0]))
    assert first.number == again.number != other.number


def test_nobody_waits_for_the_rest_of_a_late_one_when_the_answer_is_there() -> None:
    """The beginning of one, and then noise: the answer behind it is found at once."""
    begun = events_of(FIRST)[:6]
    found = heard(
        a_bus(),
        ("out", events_asked(FIRST)),
        ("out", events_asked(SECOND)),
        ("in", begun + events_of(SECOND)),
    )
    assert kinds(found[2:]) == [(GARBAGE, "acceptor 2"), (ANSWER, "acceptor 2")]
    assert found[2].length == len(begun)


def test_after_the_port_was_lost_nothing_is_owed() -> None:
    ear, asked = a_panel(), inputs_asked()
    answer = Module()(asked, 0.0)
    heard(ear, ("out", asked), ("out", asked))
    ear.cut()
    found = heard(ear, ("out", asked), ("in", answer), ("in", answer))
    assert [one.kind for one in found] == [REQUEST, ANSWER, GARBAGE]
