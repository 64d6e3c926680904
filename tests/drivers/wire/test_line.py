"""Several devices on one line: one speaks at a time, and none holds up the others."""

from __future__ import annotations

import copy
import random
from collections import Counter
from itertools import pairwise

import pytest

from drivers.wire import frame, messages
from drivers.wire.frame import Kind, Packet
from drivers.wire.line import Line
from drivers.wire.messages import Lock, SetLamp, ShowBalance, Wager
from drivers.wire.station import MAX_TRIES, Rest, Station, Timing
from tests.drivers.wire.conversation import KEY, Conversation, Wire

SEVEN = 7
BYTE_S = 10 / 115200


def bus(**options: object) -> Conversation:
    timing = Timing.for_line(BYTE_S, bus=True, poll=0.05)
    talk = Conversation(devices=SEVEN, polled=True, timing=timing, **options)  # type: ignore[arg-type]
    talk.until(lambda: talk.all_ready)
    return talk


def station(address: int, *, polled: bool = True) -> Station:
    return Station(address, KEY, lambda: bytes(16), polled=polled)


@pytest.mark.parametrize(
    "stations", [[], [station(1), station(1)], [station(1, polled=False), station(2, polled=False)]]
)
def test_a_line_that_can_not_work_is_not_made(stations: list[Station]) -> None:
    with pytest.raises(ValueError, match=r"a line needs|on a bus"):
        Line(stations)


def test_one_request_at_a_time() -> None:
    """Whoever is spoken to has the line until it answered, or until no answer can come."""
    talk = bus()
    for address in range(1, SEVEN + 1):
        for cents in range(10):
            talk.send(ShowBalance(cents), to=address)
    talk.spoken.clear()
    talk.run(1.0)
    # Every answer takes two delays of the wire, and nothing is said in between.
    times = [at for at, _ in talk.spoken]
    assert len(times) > 70
    assert min(b - a for a, b in pairwise(times)) >= 0.002 - 1e-9


def test_notices_that_nobody_has_collected_do_not_free_the_line() -> None:
    stations = [station(1), station(2)]
    line = Line(stations)
    for one in stations:
        # Something to collect: the line is not asked to wait for that.
        one.send(1, ShowBalance(-1), deadline=9.0)
    assert len(line.to_write(0.0)) == 1
    assert line.to_write(0.001) == []
    assert line.wakes_at() == stations[0].timing.answer


def test_urgent_goes_before_commands_and_polls_of_all_the_others() -> None:
    talk = bus()
    for address in range(1, SEVEN + 1):
        talk.send(ShowBalance(1), to=address)
        talk.send(SetLamp("off"), to=address)
    talk.step()
    talk.spoken.clear()
    for address in range(1, SEVEN + 1):
        talk.send(Lock(), to=address, urgent=True)
    talk.run(0.5)
    commands = [packet for _, packet in talk.spoken if packet.kind is Kind.COMMAND]
    assert {packet.address for packet in commands[:SEVEN]} == set(range(1, SEVEN + 1))
    for device in talk.devices:
        assert Lock() in device.done[:2]


@pytest.mark.parametrize("mute", [1, 3, 6])
def test_mute_ones_hold_up_nobody(mute: int) -> None:
    talk = bus()
    for device in talk.devices[:mute]:
        device.mute = True
    # Long enough that they are lost, and asked again who they are.
    talk.run(30.0)
    worst = 0.0
    for _ in range(50):
        talk.run(talk.random.uniform(0.0, 0.5))
        began = talk.now
        numbers = {
            device.address: talk.send(Lock(), to=device.address, urgent=True, within=3.0)
            for device in talk.devices[mute:]
        }
        talk.until(
            lambda numbers=numbers: all(  # type: ignore[misc]
                number in talk.answered(address) for address, number in numbers.items()
            )
        )
        worst = max(worst, talk.now - began)
    # A hello that is on the line when the button is pressed, and then the locks.
    assert worst <= talk.timing.answer + SEVEN * 0.003


def test_ones_that_fall_silent_in_the_middle_of_a_lock_out_hold_up_nobody() -> None:
    talk = bus()
    talk.run(2.0)
    for device in talk.devices[:3]:
        device.mute = True
    began = talk.now
    for device in talk.devices:
        talk.send(Lock(), to=device.address, urgent=True)
    present = [device.address for device in talk.devices[3:]]
    talk.until(lambda: all(talk.answered(address) for address in present))
    # Each of the mute gets its first try before, and no second one while others wait.
    assert talk.now - began <= 3 * talk.timing.answer_least * 1.5 + SEVEN * 0.003


def test_who_is_asked_for_the_last_time_holds_the_line_no_longer_than_the_first() -> None:
    talk = bus()
    talk.run(2.0)
    talk.devices[0].mute = True
    talk.send(Lock(), to=1)
    tries = len(talk.spoken)

    def tried() -> int:
        said = talk.spoken[tries:]
        return sum(packet.kind is Kind.COMMAND and packet.address == 1 for _, packet in said)

    talk.until(lambda: tried() == MAX_TRIES)
    began = talk.now
    number = talk.send(Lock(), to=2, urgent=True)
    talk.until(lambda: number in talk.answered(2))
    assert talk.now - began <= talk.timing.answer_least * 1.5 + 0.003


def test_all_get_their_turn() -> None:
    talk = bus()
    for device in talk.devices:
        for cents in range(60):
            device.responder.tell(Wager("ante", cents))
    talk.until(lambda: any(len(talk.heard(d.address)) == 60 for d in talk.devices))
    assert min(len(talk.heard(device.address)) for device in talk.devices) >= 55


def test_packets_for_nobody_and_our_own_echo_are_counted() -> None:
    talk = bus()
    before = talk.line.counts.frames_in
    talk.line.received(frame.to_bytes(Packet(Kind.IDLE, 99, 1, 1, b"", bytes(8))), talk.now)
    talk.line.received(frame.to_bytes(Packet(Kind.POLL, 1, 1, 1, b"", bytes(8))), talk.now)
    assert talk.line.counts.astray == 2
    assert talk.line.counts.frames_in == before
    talk.line.received(b"noise\0", talk.now)
    assert talk.line.counts.garbage == 5


@pytest.mark.parametrize("seed", range(3))
def test_noise_on_the_line_is_got_over(seed: int) -> None:
    talk = bus(seed=seed)
    noise = random.Random(seed)
    for _ in range(200):
        talk.line.received(noise.randbytes(noise.randrange(1, 400)), talk.now)
        talk.run(0.01)
    talk.line.received(b"\0", talk.now)
    for device in talk.devices:
        talk.send(Lock(), to=device.address)
    talk.until(lambda: all(talk.answered(device.address) for device in talk.devices))


def test_half_a_frame_before_a_cut_is_forgotten() -> None:
    talk = Conversation()
    talk.until(lambda: talk.all_ready)
    talk.line.received(b"\x05half", talk.now)
    talk.cut()
    talk.until(lambda: talk.all_ready)
    assert talk.line.counts.garbage == 0
    assert talk.losses() == ["cut"]


def test_a_bus_gets_over_a_wire_that_loses_half() -> None:
    talk = Conversation(Wire(loses=0.5), devices=SEVEN, polled=True)
    for device in talk.devices:
        talk.send(Lock(), to=device.address, urgent=True)
    talk.until(lambda: all(talk.answered(device.address) for device in talk.devices))
    assert all(device.done == [Lock()] for device in talk.devices)


@pytest.mark.parametrize("devices", [1, 3])
def test_polls_that_say_nothing_can_be_left_out_by_whoever_knows_the_last(devices: int) -> None:
    """One line is polled for a while, its twin is told where that ended: both go on alike."""
    talk = Conversation(devices=devices, polled=True)
    talk.until(lambda: talk.all_ready)
    talk.run(0.3)
    talk.until(lambda: talk.line._free_at() == 0.0)
    twin = copy.deepcopy(talk.line)
    last: dict[int, Rest] = {}
    polls: Counter[int] = Counter()
    received = talk.line.received

    def noted(data: bytes, now: float) -> Rest | None:
        rest = received(data, now)
        assert rest is not None
        last[rest.address] = rest
        polls[rest.address] += 1
        return rest

    talk.line.received = noted  # type: ignore[method-assign]
    talk.run(6.0)
    talk.until(lambda: talk.line._free_at() == 0.0)
    assert min(polls.values()) > 5
    assert twin.resting([(rest, polls[address]) for address, rest in last.items()])
    for _ in range(3 * devices):
        at = talk.line.wakes_at()
        assert at == twin.wakes_at()
        assert talk.line.to_write(at) == twin.to_write(at) != []
        talk.now = at + 0.1


def test_polls_that_were_not_sent_are_not_left_out() -> None:
    talk = Conversation(polled=True)
    talk.until(lambda: talk.all_ready)
    talk.until(lambda: talk.line._free_at() == 0.0)
    rest = talk.stations[0].rest()
    assert not talk.line.resting([(rest._replace(seq=rest.seq + 3), 2)])
    assert not talk.line.resting([(rest._replace(address=9, seq=rest.seq + 2), 2)])
    assert talk.line.resting([(rest._replace(seq=rest.seq + 2), 2)])


def test_an_answer_is_quiet_only_if_nothing_follows_from_it() -> None:
    talk = Conversation(polled=True)
    talk.until(lambda: talk.all_ready)
    answers: list[Rest | None] = []
    received = talk.line.received

    def noted(data: bytes, now: float) -> Rest | None:
        answers.append(received(data, now))
        return answers[-1]

    talk.line.received = noted  # type: ignore[method-assign]
    talk.run(1.0)
    assert answers[0] is None, "the first poll of a session says something: what felt has"
    assert all(answers[1:])
    answers.clear()
    talk.devices[0].responder.tell(messages.Door(True))
    talk.until(lambda: bool(talk.heard()))
    assert answers[-1] is None, "an event"
    talk.run(0.01)
    assert answers[-1] is None, "it was acknowledged with this poll"
    answers.clear()
    talk.send(messages.Lock())
    talk.until(lambda: bool(talk.answered()))
    assert answers[-1] is None, "the answer to a command"
