"""One thing that was said on a wire: whole, by whom, and what of it two runs have in common."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.wire import describe, handshake, messages
from drivers.wire.frame import Garbage, Kind, Packet

GARBAGE = "garbage"
#: At a broker: whether a device is there, as it says itself or the broker for it.
STATE = "presence"
#: In a dialect; an answer is late if felt had given up waiting for it.
REQUEST, ANSWER, ECHO, LATE = "request", "answer", "echo", "late"

_KINDS = {kind: kind.name.lower() for kind in Kind}
#: They keep the conversation going, as often as time has it.
_OF_TIME = frozenset({Kind.HELLO, Kind.POLL, Kind.IDLE, Kind.ACK})


@dataclass(frozen=True, slots=True)
class Said:
    """A frame, a publish or a request, as a whole; or bytes that are nothing."""

    #: Nothing where nobody can tell.
    device: str
    kind: str
    #: Which message or request it is, or what became of one; nothing if the kind says it all.
    name: str = ""
    #: An answer has that of what it answers.
    number: tuple[int, int] = (0, 0)
    packet: Packet | None = None
    #: What it says, if it is no packet.
    text: str = ""
    #: How long it is, in bytes, if it is garbage.
    length: int = 0
    #: What two runs of the same play have in common of it; nothing if that is nothing.
    in_common: str = ""

    @property
    def words(self) -> str:
        return describe.packet(self.packet) if self.packet is not None else self.text

    @property
    def plain(self) -> str:
        """What is said of the play: without numbers, sessions, nonces, tags and ids."""
        packet = self.packet
        return self.in_common if packet is None else _plain(packet, self.kind)

    @property
    def asks(self) -> bool:
        """It waits for an answer."""
        packet = self.packet
        if packet is None:
            return self.kind == REQUEST
        return packet.kind in (Kind.HELLO, Kind.COMMAND, Kind.POLL)

    @property
    def answers(self) -> bool:
        packet = self.packet
        if packet is None:
            return self.kind == ANSWER
        return packet.kind in (Kind.IDENTITY, Kind.RESULT, Kind.IDLE)

    @property
    def asked_for(self) -> str:
        """By what the times of its answers are put together."""
        return self.name or self.kind


def of_packet(device: str, packet: Packet) -> Said:
    kind = packet.kind
    # A hello and the identity that follows it have the number 0 in a session.
    number = (packet.session, packet.seq)
    match kind:
        case Kind.COMMAND:
            name = _message(packet.payload[4:5])
        case Kind.EVENT:
            name = _message(packet.payload[:1])
        case Kind.RESULT:
            result = handshake.result_from_bytes(packet.payload)
            name = result.outcome if result is not None else "unknown"
        case _:
            name = ""
    return Said(device, _KINDS[kind], name, number, packet)


def garbage(device: str, data: bytes) -> Said:
    return Said(device, GARBAGE, text=describe.garbage(Garbage(data)), length=len(data))


def _message(code: bytes) -> str:
    """The name of a message, by its code alone."""
    kind = messages.CATALOGUE.get(code[0]) if code else None
    return "unknown" if kind is None else messages.name(kind)


def _plain(packet: Packet, kind: str) -> str:
    match packet.kind:
        case one if one in _OF_TIME:
            return ""
        case Kind.COMMAND:
            return f"{kind} {describe.message(messages.from_bytes(packet.payload[4:]))}"
        case Kind.EVENT:
            return f"{kind} {describe.message(messages.from_bytes(packet.payload))}"
        case Kind.RESULT:
            result = handshake.result_from_bytes(packet.payload)
            outcome = f"{result.outcome} {result.detail}" if result is not None else "unknown"
            return f"{kind} {outcome}".rstrip()
    # Who a device is stands in the headers, and is compared there.
    return kind if packet.payload else ""
