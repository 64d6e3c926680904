"""A command that was held back on its way is refused by the device once its time is over."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from drivers.wire import messages
from drivers.wire.frame import Deadline, Kind, Packet
from drivers.wire.handshake import PROTOCOL, Identity, Outcome
from drivers.wire.notices import Answered
from drivers.wire.responder import MAX_RECEIVED, TOO_LATE, Responder
from drivers.wire.station import Station

KEY = bytes(range(32))
IDENTITY = Identity(PROTOCOL, "acceptor", "A-100", "4711", bytes(32), 1, "", bytes(16))


def nonces() -> Iterator[bytes]:
    return (number.to_bytes(16, "big") for number in count(1))


class Pair:
    """A station and a device with nothing between them: the test carries the packets."""

    def __init__(self, *, deadlines: bool = True) -> None:
        ours, theirs = nonces(), nonces()
        self.done: list[messages.Command] = []
        self.station = Station(1, KEY, lambda: next(ours), deadlines=deadlines)
        self.device = Responder(IDENTITY, KEY, self._do, lambda: next(theirs))

    def _do(self, command: messages.Command) -> tuple[Outcome, str]:
        self.done.append(command)
        return "done", ""

    def greet(self, now: float) -> None:
        self.exchange(now)
        self.station.accept(now)
        self.station.notices()

    def exchange(self, now: float, received: float | None = None) -> Packet:
        """One request and its answer. The device receives it when it is said, or at once."""
        request = self.station.next_packet(now)
        assert request is not None
        arrives = now if received is None else received
        answer = self.device.received(request, arrives)
        assert answer is not None
        self.station.received(answer, arrives)
        return request

    def command(self, number: int, now: float, within: float) -> Packet:
        self.station.send(number, messages.Lock(), deadline=now + within)
        packet = self.station.next_packet(now)
        assert packet is not None
        return packet


@pytest.fixture
def pair() -> Pair:
    pair = Pair()
    pair.greet(100.0)
    return pair


def test_a_deadline_counts_from_the_last_answered_request(pair: Pair) -> None:
    first = pair.command(7, now=100.5, within=2.0)
    assert first.deadline == Deadline(after=0, milliseconds=2500)
    answer = pair.device.received(first, 100.6)
    assert answer is not None
    pair.station.received(answer, 100.7)
    second = pair.command(8, now=101.0, within=2.0)
    assert second.deadline == Deadline(after=1, milliseconds=2500)


def test_a_command_in_time_is_done_and_a_late_one_refused(pair: Pair) -> None:
    packet = pair.command(7, now=101.0, within=2.0)
    late = pair.device.received(packet, 103.1)
    assert late is not None
    assert pair.done == []
    pair.station.received(late, 103.1)
    assert pair.station.notices() == [Answered(7, messages.Lock(), "refused", TOO_LATE)]
    pair.station.send(7, messages.Lock(), deadline=110.0)
    pair.exchange(103.2)
    assert pair.done == [messages.Lock()], "what was only late may be wanted again"


def test_two_clocks_that_drift_apart_for_days_do_not_matter(pair: Pair) -> None:
    """A poll a second; the device's clock is a ten-thousandth fast, 17 s after two days."""
    now, fast = 100.0, 1.0001
    for _ in range(3):
        now += 57_600
        pair.exchange(now, received=100 + (now - 100) * fast)
    packet = pair.command(7, now=now + 0.5, within=2.0)
    pair.device.received(packet, 100 + (now + 2.4 - 100) * fast)
    assert pair.done == [messages.Lock()]


def test_a_late_one_behind_another_late_one_is_refused_too(pair: Pair) -> None:
    """Both were stuck in a broker. That the first has just arrived does not renew the second."""
    first = pair.command(7, now=101.0, within=0.2)
    second = pair.command(8, now=101.5, within=0.5)
    assert second.deadline is not None
    assert second.deadline.after == 0
    pair.device.received(first, 111.0)
    pair.device.received(second, 111.0)
    assert pair.done == []


def test_a_reference_that_the_device_no_longer_has_is_refused(pair: Pair) -> None:
    packet = pair.command(7, now=101.0, within=60.0)
    for number in range(MAX_RECEIVED):
        poll = Packet(Kind.POLL, 1, packet.session, packet.seq + number + 1, bytes(4))
        keys = pair.device._keys
        assert keys is not None
        pair.device.received(poll._replace(tag=keys.sign(poll)), 101.0)
    late = packet._replace(seq=packet.seq + MAX_RECEIVED + 1, tag=b"")
    assert pair.device._keys is not None
    pair.device.received(late._replace(tag=pair.device._keys.sign(late)), 101.0)
    assert pair.done == []


def test_nobody_in_between_can_put_a_deadline_off(pair: Pair) -> None:
    packet = pair.command(7, now=101.0, within=2.0)
    assert pair.device.received(packet._replace(deadline=Deadline(0, 99_000)), 103.5) is None
    assert pair.device.received(packet._replace(deadline=None), 103.5) is None
    assert pair.done == []


def test_a_serial_line_has_none() -> None:
    pair = Pair(deadlines=False)
    pair.greet(100.0)
    assert pair.command(7, now=101.0, within=2.0).deadline is None
