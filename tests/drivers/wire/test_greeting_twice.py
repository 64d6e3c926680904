"""A hello that a broker delivers twice does not end the session that it began."""

from __future__ import annotations

from drivers.wire import messages
from drivers.wire.frame import Kind
from drivers.wire.handshake import PROTOCOL, Identity, Outcome
from drivers.wire.notices import Answered, Strange
from drivers.wire.responder import Responder
from drivers.wire.station import Station

KEY = bytes(range(32))
IDENTITY = Identity(PROTOCOL, "acceptor", "A-100", "4711", bytes(32), 1, "", bytes(16))


def _done(_: messages.Command) -> tuple[Outcome, str]:
    return "done", ""


def test_the_session_goes_on() -> None:
    nonces = iter(bytes([n]) * 16 for n in range(9))
    station = Station(1, KEY, lambda: next(nonces))
    device = Responder(IDENTITY, KEY, _done, lambda: next(nonces))
    hello = station.next_packet(0.0)
    assert hello is not None
    assert hello.kind is Kind.HELLO
    answer = device.received(hello, 0.0)
    assert answer is not None
    station.received(answer, 0.0)
    station.accept(0.0)
    station.notices()

    again = device.received(hello, 0.1)
    assert again == answer
    station.received(again, 0.1)
    assert station.notices() == [Strange("out of turn")]

    station.send(7, messages.Lock(), deadline=9.0)
    command = station.next_packet(0.2)
    assert command is not None
    result = device.received(command, 0.2)
    assert result is not None
    station.received(result, 0.2)
    assert station.notices() == [Answered(7, messages.Lock(), "done", "")]
