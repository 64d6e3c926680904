"""Commands are done once and events heard once, in order, whatever the wire does in between."""

from __future__ import annotations

import pytest

from drivers.wire import messages
from drivers.wire.messages import ShowBalance, Wager
from drivers.wire.notices import Heard
from tests.drivers.wire.conversation import Conversation, Wire

WIRES = {
    "plain": Wire(),
    "one byte at a time": Wire(one_byte_at_a_time=True),
    "lossy": Wire(loses=0.2),
    "very lossy": Wire(loses=0.4),
    "duplicating": Wire(repeats=0.5),
    "overtaking": Wire(repeats=0.3, delay=(0.001, 0.02), straggles=0.06),
    "delayed": Wire(delay=(0.05, 0.3)),
    "garbling": Wire(garbles=0.2),
    "all of it": Wire(
        loses=0.15, repeats=0.2, garbles=0.1, delay=(0.001, 0.1), one_byte_at_a_time=True
    ),
}
PLACES = {
    "alone": {"devices": 1, "polled": False},
    "alone and polled": {"devices": 1, "polled": True},
    "a bus of seven": {"devices": 7, "polled": True},
}
EACH = 20


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("wire", WIRES)
def test_everything_once_and_in_order(wire: str, place: str, seed: int) -> None:
    talk = Conversation(WIRES[wire], seed=seed, **PLACES[place])  # type: ignore[arg-type]
    everything_once_and_in_order(talk)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("place", PLACES)
def test_cuts_lose_and_repeat_nothing(place: str, seed: int) -> None:
    talk = Conversation(Wire(loses=0.1), seed=seed, **PLACES[place])  # type: ignore[arg-type]
    everything_once_and_in_order(talk, cuts=True)


def everything_once_and_in_order(talk: Conversation, *, cuts: bool = False) -> None:
    numbers: dict[int, list[int]] = {}
    for device in talk.devices:
        numbers[device.address] = [
            talk.send(ShowBalance(cents), to=device.address) for cents in range(EACH)
        ]
        for cents in range(EACH):
            device.responder.tell(Wager("progressive", cents))

    def all_done() -> bool:
        if cuts and talk.random.random() < 0.02:
            talk.cut()
        return all(
            len(device.done) >= EACH
            and len(talk.answered(device.address)) >= EACH
            and len(talk.heard(device.address)) >= EACH
            for device in talk.devices
        )

    talk.until(all_done)
    # Whatever is still on its way must not be done again either.
    talk.run(5.0)
    for device in talk.devices:
        assert device.done == [ShowBalance(cents) for cents in range(EACH)]
        assert talk.heard(device.address) == [Wager("progressive", n) for n in range(EACH)]
        assert talk.answered(device.address) == numbers[device.address]
    assert all(notice.missed == 0 for notice in talk.said(Heard) if isinstance(notice, Heard))


@pytest.mark.parametrize("polled", [False, True])
def test_a_felt_that_is_slow_to_write_down_hears_the_next_event_later(polled: bool) -> None:
    talk = Conversation(polled=polled)
    talk.acknowledges = False
    for cents in range(3):
        talk.devices[0].responder.tell(Wager("ante", cents))
    talk.run(10)
    assert talk.heard() == [Wager("ante", 0)]
    assert talk.devices[0].responder.unacknowledged == 3
    (heard,) = talk.said(Heard)
    assert isinstance(heard, Heard)
    talk.acknowledges = True
    talk.stations[0].acknowledge(heard.boot, heard.seq)
    talk.until(lambda: talk.devices[0].responder.unacknowledged == 0)
    assert talk.heard() == [Wager("ante", cents) for cents in range(3)]


def test_an_event_that_was_lost_for_want_of_room_is_missed() -> None:
    talk = Conversation()
    talk.until(lambda: talk.all_ready)
    device = talk.devices[0].responder
    for cents in range(70):
        device.tell(Wager("ante", cents))
    assert device.dropped == 6
    talk.until(lambda: device.unacknowledged == 0)
    device.tell(messages.Door(True))
    talk.until(lambda: device.unacknowledged == 0)
    last = [notice for notice in talk.said(Heard) if isinstance(notice, Heard)][-1]
    assert (last.message, last.missed) == (messages.Door(True), 6)


def test_faces_arrive_covered_and_only_the_session_uncovers_them() -> None:
    talk = Conversation()
    faces = bytes((51, 0, 7, 12, 33))
    talk.devices[0].responder.tell(messages.Dispensed(1, 1, 5, faces))
    talk.until(lambda: bool(talk.heard()))
    (heard,) = talk.said(Heard)
    assert isinstance(heard, Heard)
    assert isinstance(heard.message, messages.Dispensed)
    assert heard.message.faces != faces
    assert heard.faces is not None
    assert heard.faces() == faces
    assert faces.hex() not in repr(heard)
