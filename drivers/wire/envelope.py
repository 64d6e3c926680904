"""Packets over MQTT: one JSON object a publish.

The same eight kinds as on a serial line, with the same numbers, and messages spelled out:

    {"kind": "hello", "session": 3, "protocol": 1, "nonce": "<32 hex digits>"}
    {"kind": "command", "session": 3, "seq": 4, "id": 77, "after": 3, "deadline_ms": 1950,
     "message": {"message": "set_lamp", "lamp": "invite"}, "tag": "<16 hex digits>"}
    {"kind": "poll", "session": 3, "seq": 5, "acknowledged": 12, "tag": "..."}
    {"kind": "ack", "session": 3, "seq": 12, "tag": "..."}

    {"kind": "identity", "session": 3, "identity": {"protocol": 1, "kind": "acceptor", ...}}
    {"kind": "result", "session": 3, "seq": 4, "id": 77, "outcome": "done", "tag": "..."}
    {"kind": "idle", "session": 3, "seq": 5, "tag": "..."}
    {"kind": "event", "session": 3, "seq": 13, "message": {"message": "door", "open": true}, ...}

An identity without ``identity`` is a device that has restarted and wants to be greeted. A result
may have a ``detail``. A message that is not in the catalogue travels as ``payload`` in its place.

Proof and tag are made over the bytes that a serial line would carry (see docs/protocol.md), with
address 1, so there is one definition of both. In a command's tag ``after`` and ``deadline_ms``
follow the message, four bytes each. Bytes are written in hex, but for covered faces: in messages
they are base64.

Reading never raises: what is not a packet is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, Union

import msgspec
from msgspec import Meta

from drivers.wire import fields, frame, handshake, messages
from drivers.wire.fields import U8, U32, Text
from drivers.wire.frame import Deadline, Kind, Packet
from drivers.wire.handshake import (
    PROTOCOL,
    Capabilities,
    DeviceKind,
    Hello,
    Identity,
    Outcome,
    Result,
    Short,
)

#: Every device has a topic of its own, so an address says nothing. It still is under the tag.
ADDRESS = 1
#: Longer than any packet; the longest holds a message with several texts of 80 bytes, escaped.
MAX_JSON = 4096


T = TypeVar("T")
_IDENTITY = fields.fields_of(Identity)

Hex8 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{16}\Z")]
Hex16 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
Hex32 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Hex = Annotated[str, Meta(pattern=r"\A([0-9a-f]{2})*\Z", max_length=2 * frame.MAX_PAYLOAD)]

if TYPE_CHECKING:
    _AnyCommand = messages.Command
    _AnyEvent = messages.Event
else:
    _AnyCommand, _AnyEvent = (
        Union[tuple(kind for kind in messages.CATALOGUE.values() if issubclass(kind, base))]  # noqa: UP007
        for base in (messages.Command, messages.Event)
    )


class _Envelope(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind"
):
    of: ClassVar[Kind]
    session: U8

    # Each kind has its own of these two. A struct of msgspec can't be abstract, so they say it so.
    @classmethod
    def around(cls, packet: Packet) -> _Envelope:
        raise NotImplementedError

    def packet(self) -> Packet:
        """What is in it. Raises ValueError if that can't be."""
        raise NotImplementedError


class _Tagged(_Envelope, frozen=True, kw_only=True):
    seq: U32
    tag: Hex8

    def packet(self) -> Packet:
        tag = bytes.fromhex(self.tag)
        return Packet(self.of, ADDRESS, self.session, self.seq, self.written(), tag)

    def written(self) -> bytes:
        return b""


# --- From felt ----------------------------------------------------------------


class _Hello(_Envelope, frozen=True, tag="hello"):
    of = Kind.HELLO
    protocol: U8
    nonce: Hex16

    @classmethod
    def around(cls, packet: Packet) -> _Hello:
        hello = _own(handshake.hello_from_bytes(packet.payload))
        return cls(packet.session, hello.protocol, hello.nonce.hex())

    def packet(self) -> Packet:
        payload = handshake.hello_to_bytes(Hello(self.protocol, bytes.fromhex(self.nonce)))
        return Packet(self.of, ADDRESS, self.session, 0, payload)


class _Command(_Tagged, frozen=True, tag="command", kw_only=True):
    of = Kind.COMMAND
    id: U32
    after: U32
    deadline_ms: U32
    message: _AnyCommand | None = None
    payload: Hex = ""

    @classmethod
    def around(cls, packet: Packet) -> _Command:
        after, deadline_ms = _own(packet.deadline)
        message = messages.from_bytes(packet.payload[4:])
        known = message if isinstance(message, messages.Command) else None
        return cls(
            packet.session,
            seq=packet.seq,
            id=int.from_bytes(packet.payload[:4], "big"),
            after=after,
            deadline_ms=deadline_ms,
            message=known,
            payload="" if known else packet.payload[4:].hex(),
            tag=packet.tag.hex(),
        )

    def packet(self) -> Packet:
        deadline = Deadline(self.after, self.deadline_ms)
        return super().packet()._replace(deadline=deadline)

    def written(self) -> bytes:
        return self.id.to_bytes(4, "big") + _written(self.message, self.payload)


class _Poll(_Tagged, frozen=True, tag="poll", kw_only=True):
    of = Kind.POLL
    acknowledged: U32

    @classmethod
    def around(cls, packet: Packet) -> _Poll:
        acknowledged = int.from_bytes(packet.payload, "big")
        tag = packet.tag.hex()
        return cls(packet.session, seq=packet.seq, acknowledged=acknowledged, tag=tag)

    def written(self) -> bytes:
        return self.acknowledged.to_bytes(4, "big")


class _Ack(_Tagged, frozen=True, tag="ack", kw_only=True):
    of = Kind.ACK

    @classmethod
    def around(cls, packet: Packet) -> _Ack:
        return cls(packet.session, seq=packet.seq, tag=packet.tag.hex())


# --- From the device ----------------------------------------------------------


class _Proven(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An identity with its proof."""

    protocol: U8
    kind: DeviceKind
    model: Short
    serial_number: Short
    firmware: Hex32
    boot: U32
    capabilities: Capabilities
    nonce: Hex16
    proof: Hex16


class _Identity(_Envelope, frozen=True, tag="identity"):
    of = Kind.IDENTITY
    identity: _Proven | None = None

    @classmethod
    def around(cls, packet: Packet) -> _Identity:
        if not packet.payload:
            return cls(packet.session)
        identity, _, proof = _own(handshake.identity_from_bytes(packet.payload))
        said = msgspec.structs.asdict(identity)
        said["firmware"] = identity.firmware.hex()
        said["nonce"] = identity.nonce.hex()
        return cls(packet.session, _Proven(**said, proof=proof.hex()))

    def packet(self) -> Packet:
        payload = b""
        if self.identity is not None:
            said = msgspec.structs.asdict(self.identity)
            proof = bytes.fromhex(said.pop("proof"))
            said["firmware"] = bytes.fromhex(self.identity.firmware)
            said["nonce"] = bytes.fromhex(self.identity.nonce)
            identity = Identity(**said)
            written = fields.write(identity, _IDENTITY)
            read = handshake.identity_from_bytes(written + proof)
            payload = _whole(identity, written, read and read[0]) + proof
        return Packet(self.of, ADDRESS, self.session, 0, payload)


class _Result(_Tagged, frozen=True, tag="result", kw_only=True):
    of = Kind.RESULT
    id: U32
    outcome: Outcome
    detail: Text = ""

    @classmethod
    def around(cls, packet: Packet) -> _Result:
        result = _own(handshake.result_from_bytes(packet.payload))
        return cls(
            packet.session,
            seq=packet.seq,
            id=result.command,
            outcome=result.outcome,
            detail=result.detail,
            tag=packet.tag.hex(),
        )

    def written(self) -> bytes:
        result = Result(self.id, self.outcome, self.detail)
        written = handshake.result_to_bytes(result)
        return _whole(result, written, handshake.result_from_bytes(written))


class _Idle(_Tagged, frozen=True, tag="idle", kw_only=True):
    of = Kind.IDLE

    @classmethod
    def around(cls, packet: Packet) -> _Idle:
        return cls(packet.session, seq=packet.seq, tag=packet.tag.hex())


class _Event(_Tagged, frozen=True, tag="event", kw_only=True):
    of = Kind.EVENT
    message: _AnyEvent | None = None
    payload: Hex = ""

    @classmethod
    def around(cls, packet: Packet) -> _Event:
        message = messages.from_bytes(packet.payload)
        known = message if isinstance(message, messages.Event) else None
        return cls(
            packet.session,
            seq=packet.seq,
            message=known,
            payload="" if known else packet.payload.hex(),
            tag=packet.tag.hex(),
        )

    def written(self) -> bytes:
        return _written(self.message, self.payload)


def _own(part: T | None) -> T:
    if part is None:
        raise ValueError("this is no packet that felt or a device makes")
    return part


def _written(message: messages.Message | None, unknown: str) -> bytes:
    if (message is None) != bool(unknown):
        raise ValueError("a message or a payload, and not both")
    if message is None:
        return bytes.fromhex(unknown)
    written = messages.to_bytes(message)
    return _whole(message, written, messages.from_bytes(written))


def _whole(said: object, written: bytes, read: object) -> bytes:
    """What is too long is cut as it is written. Nobody signed that: it is not what was said."""
    if said != read:
        raise ValueError("a text has more bytes than it may have")
    return written


_ENVELOPES: dict[Kind, type[_Envelope]] = {
    kind.of: kind for kind in (_Hello, _Command, _Poll, _Ack, _Identity, _Result, _Idle, _Event)
}
_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[_Envelope] = msgspec.json.Decoder(
    Union[tuple(_ENVELOPES.values())]  # noqa: UP007
)


class _Unread(msgspec.Struct, frozen=True, tag_field="kind", tag="event"):
    """An event around something that is not in the catalogue."""

    session: U8
    seq: U32
    tag: Hex8
    message: dict[str, Any]


_UNREAD = msgspec.json.Decoder(_Unread)


def is_unreadable_event(data: bytes) -> bool:
    """Whether this, which is no packet, would be an event if its message were in the catalogue.

    Its tag is made over bytes that only who knows the message can write, so it can't be checked.
    """
    if len(data) > MAX_JSON:
        return False
    try:
        _UNREAD.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return True


class _Numbered(msgspec.Struct, frozen=True):
    protocol: U8


class _GreetedOtherwise(msgspec.Struct, frozen=True, tag_field="kind", tag="hello"):
    """A hello of a felt that speaks another protocol: what else is in it, nobody here knows."""

    session: U8
    protocol: U8


class _IdentifiedOtherwise(msgspec.Struct, frozen=True, tag_field="kind", tag="identity"):
    """The same of a device."""

    session: U8
    identity: _Numbered


_OTHERWISE: msgspec.json.Decoder[_GreetedOtherwise | _IdentifiedOtherwise] = msgspec.json.Decoder(
    _GreetedOtherwise | _IdentifiedOtherwise
)


def _of_another_protocol(data: bytes) -> Packet | None:
    """A greeting of another protocol, with its number for all its payload; none if it is not one.

    Of every protocol this much can be read, so that either side can say what it met.
    """
    try:
        said = _OTHERWISE.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    greets = isinstance(said, _GreetedOtherwise)
    protocol = said.protocol if isinstance(said, _GreetedOtherwise) else said.identity.protocol
    if protocol == PROTOCOL:
        return None
    kind = Kind.HELLO if greets else Kind.IDENTITY
    return Packet(kind, ADDRESS, said.session, 0, bytes((protocol,)))


def to_json(packet: Packet) -> bytes:
    """The packet as it is published. Raises ValueError if nobody makes such a packet."""
    if packet.kind in (Kind.HELLO, Kind.IDENTITY) and len(packet.payload) == 1:
        number = _Numbered(packet.payload[0])
        if packet.kind is Kind.HELLO:
            return _ENCODER.encode(_GreetedOtherwise(packet.session, number.protocol))
        return _ENCODER.encode(_IdentifiedOtherwise(packet.session, number))
    return _ENCODER.encode(_ENVELOPES[packet.kind].around(packet))


def from_json(data: bytes) -> Packet | None:
    """The packet that was published, or none if this is not one."""
    if len(data) > MAX_JSON:
        return None
    try:
        return _DECODER.decode(data).packet()
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _of_another_protocol(data)
