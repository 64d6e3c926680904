"""What frames say, in words: the comment beside the bytes in a device log.

Faces are never in it, covered or not: a log is read by people long before a round is over.
"""

from __future__ import annotations

from collections.abc import Callable

from drivers.wire import handshake, messages
from drivers.wire.devicelog import Direction
from drivers.wire.frame import Garbage, Kind, Packet, Splitter

#: Says what bytes are, as they come and go. It holds what has come of a frame that is not whole.
Describe = Callable[[Direction, bytes], str]

#: So many are said of one chunk; a flood is counted.
MAX_SAID = 4


def frames() -> Describe:
    """For felt's own protocol on a serial line."""
    splitters: dict[Direction, Splitter] = {"in": Splitter(), "out": Splitter()}

    def describe(direction: Direction, data: bytes) -> str:
        found = list(splitters[direction].feed(data))
        said = [
            packet(one) if isinstance(one, Packet) else garbage(one) for one in found[:MAX_SAID]
        ]
        if len(found) > MAX_SAID:
            said.append(f"and {len(found) - MAX_SAID} more")
        return " | ".join(said)

    return describe


def garbage(one: Garbage) -> str:
    return f"garbage, {len(one.data)} bytes"


def packet(one: Packet) -> str:
    said = f"{one.kind.name.lower()} {one.address} s{one.session} #{one.seq}"
    more = _SAID[one.kind](one.payload)
    return f"{said} {more}" if more else said


def message(one: messages.Message | None) -> str:
    if one is None:
        return "unknown"
    said = [messages.name(one)]
    for field in one.fields:
        if field.type != "covered":
            value = getattr(one, field.name)
            said.append(
                f"{field.name}={value!r}" if isinstance(value, str) else f"{field.name}={value}"
            )
    return " ".join(said)


def identity(one: handshake.Identity) -> str:
    """Also what ``Capture.device`` is told."""
    return (
        f"{one.kind} model={one.model!r} serial={one.serial_number!r} "
        f"firmware={one.firmware.hex()} boot={one.boot} protocol={one.protocol}"
    )


def _hello(payload: bytes) -> str:
    hello = handshake.hello_from_bytes(payload)
    return "unknown" if hello is None else f"protocol={hello.protocol}"


def _identity(payload: bytes) -> str:
    if not payload:
        return "asks for a hello"
    read = handshake.identity_from_bytes(payload)
    return "unknown" if read is None else identity(read[0])


def _command(payload: bytes) -> str:
    return f"id={payload[:4].hex()} {message(messages.from_bytes(payload[4:]))}"


def _poll(payload: bytes) -> str:
    return f"has={int.from_bytes(payload[:4], 'big')}"


def _result(payload: bytes) -> str:
    result = handshake.result_from_bytes(payload)
    if result is None:
        return "unknown"
    detail = f" {result.detail!r}" if result.detail else ""
    return f"id={result.command:08x} {result.outcome}{detail}"


def _event(payload: bytes) -> str:
    return message(messages.from_bytes(payload))


def _nothing(payload: bytes) -> str:
    return ""


_SAID: dict[Kind, Callable[[bytes], str]] = {
    Kind.HELLO: _hello,
    Kind.COMMAND: _command,
    Kind.POLL: _poll,
    Kind.ACK: _nothing,
    Kind.IDENTITY: _identity,
    Kind.RESULT: _result,
    Kind.IDLE: _nothing,
    Kind.EVENT: _event,
}
