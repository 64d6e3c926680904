"""How old an event may be that a device tells: what it kept is not taken for what happens now."""

from __future__ import annotations

import pytest

from drivers.wire.messages import Pressed
from drivers.wire.notices import Heard
from tests.drivers.wire.conversation import Conversation, Wire

#: Longer than an answer takes between two of felt's own polls, and than a lost frame is missed.
AT_ONCE = 2.0


def ready(*, polled: bool = False, wire: Wire | None = None, seed: int = 0) -> Conversation:
    talk = Conversation(wire, polled=polled, seed=seed)
    talk.until(lambda: talk.all_ready)
    talk.run(3.0)
    return talk


def ages(talk: Conversation) -> list[float | None]:
    heard = [one for one in talk.said(Heard) if isinstance(one, Heard)]
    return [None if one.since is None else talk.now - one.since for one in heard]


def press(talk: Conversation) -> None:
    """Somebody presses, and it is heard before anything else is looked at."""
    known = len(talk.heard())
    talk.devices[0].responder.tell(Pressed("deal"))
    talk.until(lambda: len(talk.heard()) > known)


@pytest.mark.parametrize("polled", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_what_happens_now_is_new(polled: bool, seed: int) -> None:
    talk = ready(polled=polled, wire=Wire(loses=0.1), seed=seed)
    for pause in (0.0, 0.3, 1.0, 2.5, 7.0):
        talk.run(pause)
        press(talk)
        age = ages(talk)[-1]
        assert age is not None
        assert age < AT_ONCE + pause * (pause < 1)


@pytest.mark.parametrize("polled", [False, True])
def test_a_cable_that_was_out_ages_what_waited(polled: bool) -> None:
    talk = ready(polled=polled)
    device = talk.devices[0]
    device.mute = True
    talk.run(20)
    device.responder.tell(Pressed("floor_key"))
    talk.run(40)
    device.responder.tell(Pressed("void"))
    device.mute = False
    talk.until(lambda: len(talk.heard()) == 2)
    first, second = ages(talk)
    assert first is not None
    assert second is not None
    # felt can't know how much later the second was: it may be as old as the silence.
    assert 60 <= second <= first < 63
    talk.run(2)
    press(talk)
    assert (ages(talk)[-1] or 99) < AT_ONCE


@pytest.mark.parametrize("polled", [False, True])
def test_nobody_knows_how_old_it_is_what_another_felt_did_not_take(polled: bool) -> None:
    talk = Conversation(polled=polled)
    talk.devices[0].responder.tell(Pressed("deal"))
    talk.devices[0].responder.tell(Pressed("void"))
    talk.run(5)
    assert ages(talk) == [None, None]
    press(talk)
    assert (ages(talk)[-1] or 99) < AT_ONCE


def test_what_waits_behind_an_event_that_is_not_safe_yet_grows_old() -> None:
    talk = ready()
    talk.acknowledges = False
    press(talk)
    talk.devices[0].responder.tell(Pressed("void"))
    talk.run(30)
    assert len(talk.heard()) == 1
    talk.acknowledges = True
    talk.stations[0].acknowledge(1, 1)
    talk.until(lambda: len(talk.heard()) == 2)
    assert (ages(talk)[-1] or 0) >= 30


def test_a_felt_that_stood_still_does_not_take_what_it_finds_for_new() -> None:
    """The system has kept the bytes: each copy was sent in this session, and its tag is right."""
    talk = ready()
    talk.devices[0].responder.tell(Pressed("deal"))
    packet = talk.devices[0].responder.next_packet(talk.now)
    assert packet is not None
    talk.now += 60
    talk.stations[0].received(packet, talk.now)
    [heard] = [one for one in talk.stations[0].notices() if isinstance(one, Heard)]
    assert heard.since is not None
    assert talk.now - heard.since >= 60


def test_what_was_kept_stays_old_through_a_second_greeting() -> None:
    talk = ready()
    device = talk.devices[0]
    device.mute = True
    device.responder.tell(Pressed("deal"))
    device.responder.tell(Pressed("void"))
    talk.run(30)
    talk.acknowledges = False
    device.mute = False
    talk.until(lambda: len(talk.heard()) == 1)
    talk.cut()
    talk.until(lambda: not talk.all_ready)
    talk.until(lambda: talk.all_ready)
    talk.acknowledges = True
    talk.stations[0].acknowledge(1, 1)
    talk.until(lambda: len(talk.heard()) == 2)
    assert all(age is not None and age >= 30 for age in ages(talk))


def test_a_replay_goes_on_with_what_is_known_and_reads_what_earlier_felts_wrote() -> None:
    talk = ready()
    memory = talk.stations[0].memory()
    assert memory is not None
    other = ready()
    other.stations[0].recall(memory)
    assert other.stations[0].memory() == memory
    for name in ("_clear_at", "_telling_at", "_kept"):
        del memory[name]
    other.stations[0].recall(memory)
