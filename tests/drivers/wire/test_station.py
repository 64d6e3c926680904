"""felt's end alone: who is told what, when a command is given up, and what a loss means."""

from __future__ import annotations

from itertools import pairwise

import pytest

from drivers.wire import handshake, messages
from drivers.wire.commanded import MAX_WAITING
from drivers.wire.frame import MAX_FRAME, Kind
from drivers.wire.handshake import Outcome, Result
from drivers.wire.messages import Dispense, Door, Lock, Report, SetLamp, ShowBalance, Wager
from drivers.wire.notices import Answered, Heard, Identified, NotSent, Strange, Unclear
from drivers.wire.station import MAX_STRANGE, MAX_TRIES, Timing
from tests.drivers.wire.conversation import Conversation, Wire


def ready(**options: object) -> Conversation:
    talk = Conversation(**options)  # type: ignore[arg-type]
    talk.until(lambda: talk.all_ready)
    return talk


def restart_in_mid_command(message: messages.Command, *, after_doing: bool) -> Conversation:
    """The command reaches the device, whose answer is lost with its power."""
    talk = ready()
    device = talk.devices[0]

    def lose_power(command: messages.Command) -> tuple[Outcome, str]:
        device.answer = lambda command: ("done", "")
        talk.wire = Wire(loses=1.0)
        return "done", ""

    if after_doing:
        device.answer = lose_power
    else:
        talk.wire = Wire(loses=1.0)
    talk.send(message)
    talk.run(0.02)
    talk.wire = Wire()
    device.restart()
    talk.run(10)
    return talk


def test_a_dispense_is_never_repeated_after_a_restart() -> None:
    talk = restart_in_mid_command(Dispense(1, 1, 5), after_doing=True)
    assert talk.devices[0].done == [Dispense(1, 1, 5)]
    assert talk.unclear() == [1]
    assert talk.answered() == []


def test_nor_if_nobody_knows_whether_it_arrived() -> None:
    talk = restart_in_mid_command(Dispense(1, 1, 5), after_doing=False)
    assert talk.devices[0].done == []
    assert talk.unclear() == [1]


@pytest.mark.parametrize("after_doing", [True, False])
def test_a_lock_is_repeated_after_a_restart(after_doing: bool) -> None:
    talk = restart_in_mid_command(Lock(), after_doing=after_doing)
    assert talk.devices[0].done == [Lock()] * (1 + after_doing)
    assert talk.answered() == [1]
    assert talk.unclear() == []


def test_what_was_not_sent_yet_goes_to_the_device_after_its_restart() -> None:
    talk = ready()
    talk.devices[0].mute = True
    talk.send(Report())
    talk.run(0.001)
    talk.send(Dispense(1, 1, 5))
    talk.run(30)
    talk.devices[0].restart()
    talk.devices[0].mute = False
    talk.run(10)
    assert talk.devices[0].done == [Report(), Dispense(1, 1, 5)]
    assert talk.answered() == [1, 2]


def test_the_same_boot_after_a_cut_is_told_again_and_does_it_once() -> None:
    talk = ready()
    talk.wire = Wire(loses=0.0)
    talk.send(Dispense(1, 1, 5))
    talk.step()
    talk.step()
    assert talk.devices[0].done == [Dispense(1, 1, 5)]
    talk.cut()
    talk.until(lambda: talk.answered() == [1])
    assert talk.devices[0].done == [Dispense(1, 1, 5)]
    assert len([p for _, p in talk.spoken if p.kind is Kind.COMMAND]) == 2


def test_a_restart_is_said_and_events_count_from_one_again() -> None:
    talk = ready()
    device = talk.devices[0]
    device.responder.tell(Wager("ante", 100))
    talk.until(lambda: device.responder.unacknowledged == 0)
    device.restart()
    device.responder.tell(Wager("ante", 200))
    talk.run(5)
    assert talk.heard() == [Wager("ante", 100), Wager("ante", 200)]
    identified = [n for n in talk.said(Identified) if isinstance(n, Identified)]
    assert [n.restarted for n in identified] == [False, True]
    assert [(n.boot, n.seq, n.missed) for n in talk.said(Heard) if isinstance(n, Heard)] == [
        (1, 1, 0),
        (2, 1, 0),
    ]
    assert talk.losses() == ["it has restarted"]


def test_a_lost_acknowledgement_is_given_again() -> None:
    talk = ready()
    device = talk.devices[0].responder
    device.tell(Door(True))
    talk.until(lambda: bool(talk.heard()))
    talk.lose_all_on_its_way()
    talk.run(0.1)
    assert device.unacknowledged == 1
    talk.until(lambda: device.unacknowledged == 0)
    assert talk.heard() == [Door(True)]


def test_a_mute_device_is_lost_after_so_many_tries_and_comes_back() -> None:
    talk = ready()
    talk.devices[0].mute = True
    talk.send(Lock())
    talk.until(lambda: bool(talk.losses()))
    assert talk.losses() == [f"no answer to {MAX_TRIES} tries"]
    tries = [packet for _, packet in talk.spoken if packet.kind is Kind.COMMAND]
    assert len(tries) == MAX_TRIES
    assert len(set(tries)) == 1
    assert talk.stations[0].retries == MAX_TRIES - 1
    talk.run(60)
    hellos = [at for at, packet in talk.spoken if packet.kind is Kind.HELLO]
    waits = [b - a for a, b in pairwise(hellos[1:])]
    assert max(waits) <= talk.timing.hello_most + 0.001
    assert len(hellos) < 20
    talk.devices[0].mute = False
    talk.until(lambda: talk.answered() == [1])


def test_silence_is_noticed_without_a_command() -> None:
    talk = ready()
    talk.devices[0].mute = True
    before = talk.now
    talk.until(lambda: bool(talk.losses()))
    assert talk.now - before < talk.timing.poll + MAX_TRIES * talk.timing.answer_most


# --- Deadlines and queues -----------------------------------------------------


def test_a_command_that_was_never_sent_in_time_is_not_sent() -> None:
    talk = Conversation()
    talk.devices[0].mute = True
    talk.send(Dispense(1, 1, 5), within=2.0)
    talk.run(2.1)
    assert talk.not_sent() == [1]
    talk.devices[0].mute = False
    talk.run(20)
    assert talk.devices[0].done == []


def test_a_command_that_was_sent_and_not_answered_in_time_is_unclear() -> None:
    talk = ready()
    talk.devices[0].mute = True
    talk.send(Dispense(1, 1, 5), within=0.5)
    talk.run(20)
    assert talk.unclear() == [1]
    talk.devices[0].mute = False
    talk.run(20)
    assert talk.devices[0].done == []


def test_a_command_is_not_said_again_after_its_deadline() -> None:
    talk = ready()
    talk.devices[0].mute = True
    talk.send(Dispense(1, 1, 5), within=0.3)
    talk.run(20)
    last = max(at for at, packet in talk.spoken if packet.kind is Kind.COMMAND)
    first = min(at for at, packet in talk.spoken if packet.kind is Kind.COMMAND)
    assert last < first + 0.3


def test_an_answer_after_the_deadline_changes_nothing() -> None:
    talk = ready()
    talk.wire = Wire(delay=(0.4, 0.4))
    talk.send(Lock(), within=0.1)
    talk.run(3)
    assert talk.unclear() == [1]
    assert talk.answered() == []
    assert "out of turn" in talk.strange()
    talk.send(Report())
    talk.run(5)
    assert talk.answered() == [2]


def test_too_many_commands_are_said_to_be_too_many() -> None:
    talk = Conversation()
    numbers = [talk.send(ShowBalance(n)) for n in range(MAX_WAITING + 3)]
    talk.run(0.5)
    assert talk.not_sent() == numbers[MAX_WAITING:]
    assert talk.answered() == numbers[:MAX_WAITING]
    (first, *_) = [n for n in talk.said(NotSent) if isinstance(n, NotSent)]
    assert first.why == "64 commands wait already"


def test_a_command_that_can_not_be_written_is_not_sent_and_harms_nobody() -> None:
    talk = ready()
    talk.send(ShowBalance(-1))
    talk.send(Lock())
    talk.run(1)
    assert talk.not_sent() == [1]
    assert talk.answered() == [2]


def test_urgent_goes_before_what_waits() -> None:
    talk = ready()
    for cents in range(5):
        talk.send(ShowBalance(cents))
    talk.step()
    talk.send(Lock(), urgent=True)
    talk.send(SetLamp("off"), urgent=True)
    talk.run(1)
    done = talk.devices[0].done
    assert done[0] == ShowBalance(0)
    assert done[1:3] == [Lock(), SetLamp("off")]
    assert done[3:] == [ShowBalance(cents) for cents in range(1, 5)]


@pytest.mark.parametrize("outcome", ["done", "accepted", "refused", "unknown"])
def test_what_became_of_a_command_is_said(outcome: Outcome) -> None:
    talk = ready()
    talk.devices[0].answer = lambda command: (outcome, "because")
    talk.send(Lock())
    talk.run(1)
    (answer,) = talk.said(Answered)
    assert answer == Answered(1, Lock(), outcome, "because")


# --- Devices that misbehave ---------------------------------------------------


def test_an_event_before_the_device_was_accepted_waits_for_it() -> None:
    talk = Conversation(accepts=False)
    talk.devices[0].responder.tell(Door(True))
    talk.run(3)
    assert talk.heard() == []
    talk.stations[0].accept(talk.now)
    talk.run(0.01)
    assert talk.heard() == [Door(True)]


def test_no_event_is_heard_of_a_device_that_was_refused() -> None:
    talk = Conversation(accepts=False)
    talk.devices[0].responder.tell(Door(True))
    talk.run(0.5)
    talk.stations[0].refuse(talk.now)
    talk.run(4)
    assert talk.heard() == []
    assert talk.stations[0].stage == "refused"
    talk.run(2)
    assert len(list(talk.said(Identified))) == 2


def test_to_accept_a_device_that_has_gone_meanwhile_does_nothing() -> None:
    talk = Conversation(accepts=False)
    talk.run(0.1)
    talk.cut()
    talk.stations[0].accept(talk.now)
    talk.send(Lock())
    stages = [talk.stations[0].stage]
    talk.run(0.1)
    stages.append(talk.stations[0].stage)
    assert stages == ["silent", "identified"]
    assert talk.answered() == []


def test_a_flood_of_events_is_one_event_and_a_remark() -> None:
    talk = ready()
    talk.acknowledges = False
    device = talk.devices[0].responder
    for _ in range(64):
        device.tell(Door(True))
    written = messages.to_bytes(Door(True))
    for packet in [device._signed(Kind.EVENT, seq, written) for seq in range(1, 65)]:
        talk.stations[0].received(packet, talk.now)
    talk.run(0.01)
    assert talk.heard() == [Door(True)]
    assert talk.strange() == ["out of turn"] * MAX_STRANGE


def test_an_answer_to_something_else_is_counted_and_the_request_goes_on() -> None:
    talk = ready()
    station, device = talk.stations[0], talk.devices[0].responder
    talk.send(Lock())
    command = station.next_packet(talk.now)
    assert command is not None
    assert command.kind is Kind.COMMAND
    station.received(device._signed(Kind.IDLE, command.seq), talk.now)
    talk.run(3)
    assert talk.strange() == ["out of turn"]
    assert talk.answered() == [1]
    poll = None
    while poll is None or poll.kind is not Kind.POLL:
        talk.now += 0.1
        poll = station.next_packet(talk.now)
    result = handshake.result_to_bytes(Result(1, "done"))
    station.received(device._signed(Kind.RESULT, poll.seq, result), talk.now)
    talk.run(3)
    assert talk.strange() == ["out of turn"] * 2
    assert talk.all_ready


def test_strange_things_are_not_hoarded() -> None:
    talk = ready()
    station = talk.stations[0]
    packet = talk.devices[0].responder._signed(Kind.RESULT, 99)
    for _ in range(10_000):
        station.received(packet, talk.now)
    assert station.notices() == [Strange("out of turn")] * MAX_STRANGE


def test_a_message_that_nobody_knows_is_acknowledged_and_left_behind() -> None:
    talk = ready()
    device = talk.devices[0].responder
    talk.line.received(b"", talk.now)
    talk.stations[0].received(device._signed(Kind.EVENT, 1, b"\xfe\x01"), talk.now)
    talk.run(0.01)
    assert talk.strange() == ["unknown message"]
    assert [packet.kind for _, packet in talk.spoken][-1] is Kind.ACK


def test_the_answer_time_follows_the_device() -> None:
    talk = ready()
    for _ in range(20):
        talk.send(Report())
    talk.run(5)
    talk.devices[0].mute = True
    before = len(talk.spoken)
    talk.send(Lock())
    talk.run(talk.timing.answer_least * 1.1)
    assert len(talk.spoken) == before + 2


@pytest.mark.parametrize("baud", [300, 1200, 9600, 115200, 1_000_000])
@pytest.mark.parametrize("bus", [True, False])
def test_the_time_for_an_answer_is_enough_for_the_longest_at_any_rate(bus: bool, baud: int) -> None:
    byte_s = 10 / baud
    timing = Timing.for_line(byte_s, bus=bus)
    assert timing.answer > 2 * MAX_FRAME * byte_s
    assert timing.answer_least <= timing.answer <= max(timing.answer_most, timing.answer)
    if bus and baud == 115200:
        assert timing.answer < 0.1


def test_unclear_says_why() -> None:
    talk = ready()
    talk.devices[0].mute = True
    talk.send(Lock(), within=0.1)
    talk.run(5)
    (unclear,) = talk.said(Unclear)
    assert unclear == Unclear(1, Lock(), "the device did not answer in time")
