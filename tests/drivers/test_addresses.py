"""A device at a wrong address: what felt says names where it looks, and where somebody answers."""

from __future__ import annotations

from controller.daemon.hints import hint
from drivers.acceptor import Acceptor
from drivers.attachment import Attachment, TurnedAway
from drivers.contract import Moment
from drivers.wire import frame
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import PROTOCOL, Identity
from drivers.wire.keys import proven
from drivers.wire.line import Line
from drivers.wire.mqtt import station
from drivers.wire.responder import Responder
from drivers.wire.station import Station
from tests.drivers.people import DANA, FRAN, driver

KEYS = {f"acceptor {seat}": bytes([seat]) * 32 for seat in (2, 3)}
IDENTITY = Identity(PROTOCOL, "acceptor", "A-1", "4711", bytes(32), 7, "", bytes(16))


def whose(nonce: bytes, written: bytes, proof: bytes) -> str:
    return next((name for name, key in KEYS.items() if proven(key, nonce, written, proof)), "")


def acceptor(seat: int, **more: bool) -> tuple[Line, Attachment]:
    name = f"acceptor {seat}"
    place = Station(seat, KEYS[name], lambda: bytes(16), whose=whose)
    return Line([place]), Attachment(driver(Acceptor, seat=seat), place)


def device(address: int, key: bytes) -> Responder:
    return Responder(IDENTITY, key, lambda _: ("done", ""), lambda: bytes(16), address=address)


def moment(id_: str) -> Moment:
    return Moment(1, id_, DANA, FRAN)


def goes_on(line: Line, attachment: Attachment, there: Responder, now: float) -> list[object]:
    """felt speaks, and what the device says to that comes back."""
    for said in line.to_write(now):
        packet = frame.from_bytes(said[:-1])
        assert packet is not None
        if answer := there.received(packet, now):
            line.received(frame.to_bytes(answer), now)
    return list(attachment.turn(now, moment))


def test_one_that_is_silent_is_named_with_the_address_at_which_felt_looks() -> None:
    line, attachment = acceptor(3)
    assert goes_on(line, attachment, device(1, KEYS["acceptor 3"]), 0.0) == []
    health = attachment.health(1.0)
    assert (health.status, health.reason) == ("connecting", "it does not answer at address 3")
    assert "address" in health.next_step


def test_one_that_speaks_at_another_address_is_named_with_it() -> None:
    line, attachment = acceptor(3)
    # It has just been switched on, and asks for a hello.
    line.received(frame.to_bytes(Packet(Kind.IDENTITY, 1, 0, 0)), 0.0)
    said = attachment.health(0.0).reason
    assert said == "it does not answer at address 3; a device answers at address 1"
    known = hint(said)
    assert known is not None
    assert "the number of its seat" in known.action
    # Another cable is another line: who spoke there is not here.
    line.cut(1.0, "the cable is out")
    assert attachment.health(1.0).reason == "it does not answer at address 3"
    # felt's own words, which come back as an echo, are nobody's.
    line, attachment = acceptor(3)
    line.received(frame.to_bytes(Packet(Kind.HELLO, 1, 0, 0, bytes(17))), 0.0)
    assert attachment.health(0.0).reason == "it does not answer at address 3"


def test_it_is_forgotten_when_the_right_one_is_there() -> None:
    line, attachment = acceptor(3)
    line.received(frame.to_bytes(Packet(Kind.IDENTITY, 1, 0, 0)), 0.0)
    goes_on(line, attachment, device(3, KEYS["acceptor 3"]), 0.0)
    assert attachment.is_present
    line.cut(1.0, "the cable is out")
    assert attachment.health(1.0).reason == "it does not answer at address 3"


def test_one_with_the_key_of_another_is_named() -> None:
    line, attachment = acceptor(3)
    (turned,) = goes_on(line, attachment, device(3, KEYS["acceptor 2"]), 0.0)
    assert isinstance(turned, TurnedAway)
    assert turned.why == "it has the key of acceptor 2, and answers at address 3"
    assert "it is acceptor 2" in turned.next_step


def test_a_key_that_nobody_has_is_no_ones() -> None:
    line, attachment = acceptor(3)
    (turned,) = goes_on(line, attachment, device(3, bytes(32)), 0.0)
    assert isinstance(turned, TurnedAway)
    assert turned.why == "it does not have the key"


def test_at_a_broker_there_are_no_addresses() -> None:
    there = station(KEYS["acceptor 3"], whose=whose)
    attachment = Attachment(driver(Acceptor, seat=3), there)
    assert attachment.health(0.0).reason == "it does not answer"
