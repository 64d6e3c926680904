"""How a conversation begins: felt says hello, the device says who it is and proves it.

    felt    HELLO     protocol, felt's nonce
    device  IDENTITY  who it is, its nonce, proof

The payloads that are not messages of the catalogue are here: the two of the handshake, and what
goes around a message once the conversation runs.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from drivers.wire import fields, keys
from drivers.wire.fields import U8, U32, Bytes16, Bytes32, Text, Written

PROTOCOL = 1

Short = Annotated[str, fields.text_of(24, least=1), Written("text")]
Capabilities = Annotated[str, fields.text_of(48), Written("text")]
DeviceKind = Literal["shuffler", "shoe", "panel", "acceptor", "terminal", "sign", "other"]
Outcome = Literal["done", "accepted", "refused", "unknown"]


class Hello(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    protocol: U8
    nonce: Bytes16


class Identity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a device says of itself. All of it is under the proof."""

    protocol: U8
    kind: DeviceKind
    model: Short
    serial_number: Short
    #: SHA-256 of the program that runs in it.
    firmware: Bytes32
    #: How often it has started, ever: it goes up by one at every start.
    boot: U32
    #: Words for what it can do, with spaces between them: "counts", "reads"; "kept:57" from a
    #: device that has kept events up to that number from before this conversation; and "kind:badge"
    #: from one of another kind, which says what it is.
    capabilities: Capabilities
    nonce: Bytes16


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of a command: done, accepted (an event will tell), refused or unknown."""

    command: U32
    outcome: Outcome
    detail: Text = ""


_KEPT = "kept:"
_KIND = "kind:"
#: A word for a kind of device, as a pattern.
KIND = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"

_HELLO = fields.fields_of(Hello)
_IDENTITY = fields.fields_of(Identity)
_RESULT = fields.fields_of(Result)


def hello_to_bytes(hello: Hello) -> bytes:
    return fields.write(hello, _HELLO)


def hello_from_bytes(data: bytes) -> Hello | None:
    values = fields.read(data, _HELLO)
    return None if values is None else Hello(**values)


def hello_of_any(data: bytes) -> Hello | None:
    """A hello of whatever protocol: of another one only its number is read, for the answer."""
    if data and data[0] != PROTOCOL:
        return Hello(data[0], bytes(keys.NONCE_BYTES))
    return hello_from_bytes(data)


def identity_to_bytes(identity: Identity, key: bytes, ours: bytes) -> bytes:
    """With the proof at its end; ``ours`` is felt's nonce."""
    body = fields.write(identity, _IDENTITY)
    return body + keys.proof(key, ours, body)


def identity_from_bytes(data: bytes) -> tuple[Identity, bytes, bytes] | None:
    """The identity, the bytes that it was written in, and the proof, still to be checked."""
    body, proof = data[: -keys.PROOF_BYTES], data[-keys.PROOF_BYTES :]
    values = fields.read(body, _IDENTITY)
    return None if values is None else (Identity(**values), body, proof)


def with_kept(capabilities: str, last: int) -> str:
    """What a device can do, and the number of the last event that it has kept."""
    return f"{capabilities} {_KEPT}{last}".strip()


def kind_of(identity: Identity) -> str:
    """What it is; of a kind that felt does not know, in its own word, or "other" without one."""
    words = (one.removeprefix(_KIND) for one in identity.capabilities.split() if _KIND in one)
    return next(words, "other") if identity.kind == "other" else identity.kind


def kept(identity: Identity) -> int:
    """Up to which number events are from before the hello; 0 if none are, or it doesn't say."""
    for word in identity.capabilities.split():
        number = word.removeprefix(_KEPT)
        if number != word and number.isdecimal() and number.isascii():
            return int(number)
    return 0


def result_to_bytes(result: Result) -> bytes:
    return fields.write(result, _RESULT)


def result_from_bytes(data: bytes) -> Result | None:
    values = fields.read(data, _RESULT)
    return None if values is None else Result(**values)
