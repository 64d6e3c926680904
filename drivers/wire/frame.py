"""Frames: packets on a serial line.

    frame  = COBS(kind address session seq payload tag check) 0x00

``kind``, ``address`` and ``session`` are a byte each, ``seq`` four, ``tag`` eight (none in the two
packets of the handshake), ``check`` two; the highest byte first. The check is CRC-16/CCITT-FALSE
over all before it; for "123456789" it is 0x29B1.

What arrives is cut at the zeros. Whatever is not a frame is garbage: it is counted and given to the
capture, and never raises.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from drivers.wire import cobs

_HEAD = struct.Struct(">BBBI")
_CHECK = struct.Struct(">H")
_DEADLINE = struct.Struct(">II")
TAG_BYTES = 8
CHECK_BYTES = _CHECK.size
#: What is left for a payload when a whole frame is a single COBS block.
MAX_PAYLOAD = 200
MAX_BODY = _HEAD.size + MAX_PAYLOAD + TAG_BYTES
#: The longest frame on the line, its zero included.
MAX_FRAME = MAX_BODY + _CHECK.size + 2


#: Kinds from here on are a device's.
FROM_DEVICE = 0x80


class Kind(IntEnum):
    """What a packet is. Each kind has one direction, so an echo is never taken for an answer."""

    # From felt.
    HELLO = 0x01
    COMMAND = 0x02
    POLL = 0x03
    ACK = 0x04
    # From the device.
    IDENTITY = 0x81
    RESULT = 0x82
    IDLE = 0x83
    EVENT = 0x84

    @property
    def from_device(self) -> bool:
        return self >= FROM_DEVICE

    @property
    def tagged(self) -> bool:
        """The handshake has its own proof; everything after it carries a tag."""
        return self not in (Kind.HELLO, Kind.IDENTITY)


KINDS = {int(kind): kind for kind in Kind}
_UNTAGGED = frozenset(int(kind) for kind in Kind if not kind.tagged)
#: Where payload and tag are in a block, and the shortest block that has a tag.
_PAYLOAD = _HEAD.size
_TAG_AT, _TAG_END = -_CHECK.size - TAG_BYTES, -_CHECK.size
_LEAST = _HEAD.size + _CHECK.size
_LEAST_TAGGED = _LEAST + TAG_BYTES


class Deadline(NamedTuple):
    """Up to when a command may be carried out: so long after the device received a request.

    Only for a wire that may hold packets back: a broker. It counts from a request that was answered
    lately, not from the hello: in a session that lasts for days two clocks drift apart by seconds.
    """

    #: The request's number; 0 is the hello.
    after: int
    milliseconds: int


class Packet(NamedTuple):
    kind: Kind
    address: int
    session: int
    seq: int
    payload: bytes = b""
    tag: bytes = b""
    #: Never on a serial line.
    deadline: Deadline | None = None

    @property
    def signed_part(self) -> bytes:
        """What the tag is made over: all that comes before it."""
        kind, address, session, seq, payload, _, deadline = self
        signed = _HEAD.pack(kind, address, session, seq) + payload
        return signed if deadline is None else signed + _DEADLINE.pack(*deadline)


#: Makes a packet of values that are all there, in half the time of its own constructor.
_new = tuple.__new__
_unpack_head = _HEAD.unpack_from


def check(data: bytes) -> int:
    """CRC-16/CCITT-FALSE."""
    return binascii.crc_hqx(data, 0xFFFF)


def to_bytes(packet: Packet) -> bytes:
    body = packet.signed_part + packet.tag
    if len(body) > MAX_BODY:
        raise ValueError(f"a payload of {len(packet.payload)} bytes is too long: {MAX_PAYLOAD}")
    return cobs.encode(body + _CHECK.pack(binascii.crc_hqx(body, 0xFFFF))) + b"\0"


def from_bytes(coded: bytes) -> Packet | None:
    """The packet in a frame, given without its zero; none if it is not one."""
    # COBS would go further than a frame does, but whether this is one must not depend on how the
    # bytes came in: a splitter gives up at this length.
    block = cobs.decode(coded) if len(coded) < MAX_FRAME else None
    # Over a body with its own check behind it this check is zero.
    if block is None or len(block) < _LEAST or binascii.crc_hqx(block, 0xFFFF):
        return None
    number, address, session, seq = _unpack_head(block)
    kind = KINDS.get(number)
    if kind is None:
        return None
    if number in _UNTAGGED:
        return Packet(kind, address, session, seq, block[_PAYLOAD : -_CHECK.size])
    if len(block) < _LEAST_TAGGED:
        return None
    return _new(
        Packet,
        (kind, address, session, seq, block[_PAYLOAD:_TAG_AT], block[_TAG_AT:_TAG_END], None),
    )


@dataclass(frozen=True, slots=True)
class Garbage:
    """Bytes that are no frame."""

    data: bytes


class Splitter:
    """Cuts a stream into frames. Holds no more than one frame's worth of bytes."""

    def __init__(self) -> None:
        self._held = bytearray()
        #: In the middle of something longer than a frame: all of it up to the next zero is garbage.
        self._overlong = False

    @property
    def is_empty(self) -> bool:
        """Nothing of a frame is held that is not whole yet."""
        return not self._held and not self._overlong

    def feed(self, data: bytes) -> Sequence[Packet | Garbage]:
        """What ends in these bytes."""
        if data.find(b"\0") == len(data) - 1 > 0 and not (self._held or self._overlong):
            # One frame, whole: as most come.
            coded = data[:-1]
            return (from_bytes(coded) or Garbage(coded),)
        found: list[Packet | Garbage] = []
        *ended, rest = data.split(b"\0")
        for part in ended:
            if self._overlong:
                self._overlong = False
                if part:
                    found.append(Garbage(part))
                continue
            whole = bytes(self._held) + part
            self._held.clear()
            # Two zeros in a row are a sender that clears the line: nothing is between them.
            if whole:
                found.append(from_bytes(whole) or Garbage(whole))
        if self._overlong:
            if rest:
                found.append(Garbage(rest))
            return found
        self._held += rest
        if len(self._held) >= MAX_FRAME:
            found.append(Garbage(bytes(self._held)))
            self._held.clear()
            self._overlong = True
        return found
