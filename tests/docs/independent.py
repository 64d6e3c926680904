"""Frames, proofs, tags and messages, written from docs/protocol.md alone.

Nothing of felt is imported here, nor by ``independent_device``: whatever these two need must stand
on the page.
"""

from __future__ import annotations

import hmac
from typing import Any, NamedTuple

HELLO, COMMAND, POLL, ACK = 0x01, 0x02, 0x03, 0x04
IDENTITY, RESULT, IDLE, EVENT = 0x81, 0x82, 0x83, 0x84
NAMES = {
    HELLO: "HELLO",
    COMMAND: "COMMAND",
    POLL: "POLL",
    ACK: "ACK",
    IDENTITY: "IDENTITY",
    RESULT: "RESULT",
    IDLE: "IDLE",
    EVENT: "EVENT",
}
OUTCOMES = ("done", "accepted", "refused", "unknown")
LONGEST_FRAME = 219


class Block(NamedTuple):
    """What is in a frame, but for its check."""

    kind: int
    address: int
    session: int
    seq: int
    payload: bytes
    tag: bytes = b""

    @property
    def before_tag(self) -> bytes:
        head = bytes((self.kind, self.address, self.session)) + self.seq.to_bytes(4, "big")
        return head + self.payload


def crc(data: bytes) -> int:
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def stuff(block: bytes) -> bytes:
    stuffed = b""
    piece = b""
    for byte in block:
        if byte:
            piece += bytes((byte,))
        else:
            stuffed += bytes((len(piece) + 1,)) + piece
            piece = b""
    return stuffed + bytes((len(piece) + 1,)) + piece


def unstuff(stuffed: bytes) -> bytes | None:
    block = b""
    at = 0
    while at < len(stuffed):
        if at:
            block += b"\0"
        count = stuffed[at]
        piece = stuffed[at + 1 : at + count]
        if count == 0 or len(piece) != count - 1:
            return None
        block += piece
        at += count
    return block if stuffed else None


def frame(block: Block) -> bytes:
    body = block.before_tag + block.tag
    return stuff(body + crc(body).to_bytes(2, "big")) + b"\0"


def unframe(stuffed: bytes) -> Block | None:
    """The block of a frame that is given without its zero."""
    whole = unstuff(stuffed)
    if whole is None or len(whole) < 9 or crc(whole[:-2]) != int.from_bytes(whole[-2:], "big"):
        return None
    kind, body = whole[0], whole[7:-2]
    tag_length = 0 if kind in (HELLO, IDENTITY) else 8
    if kind not in NAMES or len(body) < tag_length:
        return None
    cut = len(body) - tag_length
    seq = int.from_bytes(whole[3:7], "big")
    return Block(kind, whole[1], whole[2], seq, body[:cut], body[cut:])


# --- Keys ---------------------------------------------------------------------


def hmac_sha256(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, "sha256").digest()


def proof(key: bytes, felt_nonce: bytes, identity: bytes) -> bytes:
    return hmac_sha256(key, b"felt identity" + felt_nonce + identity)[:16]


class Keys(NamedTuple):
    tag: bytes
    faces: bytes

    @classmethod
    def of(cls, key: bytes, felt_nonce: bytes, device_nonce: bytes) -> Keys:
        nonces = felt_nonce + device_nonce
        return cls(hmac_sha256(key, b"felt tag" + nonces), hmac_sha256(key, b"felt faces" + nonces))

    def tag_of(self, block: Block, more: bytes = b"") -> bytes:
        """``more`` is a command's deadline, over MQTT."""
        return hmac_sha256(self.tag, block.before_tag + more)[:8]

    def signed(self, block: Block) -> Block:
        return block._replace(tag=self.tag_of(block))

    def covered(self, faces: bytes, event: int) -> bytes:
        stream = hmac_sha256(self.faces, event.to_bytes(4, "big"))
        return bytes(face ^ stream[place] for place, face in enumerate(faces))


# --- Fields -------------------------------------------------------------------


class Field(NamedTuple):
    name: str
    type: str
    #: The words of a word, by their numbers.
    words: dict[int, str]


SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
COUNTED = {"text": (80, 1), "u8s": (32, 1), "u32s": (16, 4), "covered": (32, 1)}
FIXED = {"bytes16": 16, "bytes32": 32}


def read(data: bytes, fields: list[Field]) -> dict[str, Any]:
    """The fields' values. Raises ValueError if the data is not just these."""
    values: dict[str, Any] = {}
    for field in fields:
        values[field.name], data = _read_one(data, field)
    if data:
        raise ValueError(f"{len(data)} bytes too many")
    return values


def _read_one(data: bytes, field: Field) -> tuple[Any, bytes]:
    if field.type in SIZES:
        taken, rest = _take(data, SIZES[field.type])
        return int.from_bytes(taken, "big"), rest
    if field.type in FIXED:
        return _take(data, FIXED[field.type])
    first, rest = _take(data, 1)
    if field.type == "flag":
        return {0: False, 1: True}[first[0]], rest
    if field.type == "word":
        return field.words[first[0]], rest
    return _read_counted(first[0], rest, field)


def _read_counted(count: int, data: bytes, field: Field) -> tuple[Any, bytes]:
    most, each = COUNTED[field.type]
    if count > most:
        raise ValueError(f"{field.name} has {count} of at most {most}")
    taken, rest = _take(data, count * each)
    if field.type == "text":
        return taken.decode("utf-8"), rest
    if field.type == "covered":
        return taken, rest
    numbers = [taken[at : at + each] for at in range(0, len(taken), each)]
    return [int.from_bytes(number, "big") for number in numbers], rest


def _take(data: bytes, count: int) -> tuple[bytes, bytes]:
    if len(data) < count:
        raise ValueError(f"{count - len(data)} bytes are missing")
    return data[:count], data[count:]


def write(values: dict[str, Any], fields: list[Field]) -> bytes:
    return b"".join(_write_one(values[field.name], field) for field in fields)


def _write_one(value: Any, field: Field) -> bytes:
    if field.type in SIZES:
        return int(value).to_bytes(SIZES[field.type], "big")
    if field.type in FIXED:
        return bytes(value)
    if field.type == "flag":
        return bytes((bool(value),))
    if field.type == "word":
        return bytes(number for number, word in field.words.items() if word == value)
    each = COUNTED[field.type][1]
    match value:
        case str():
            data = value.encode("utf-8")
        case bytes():
            data = value
        case _:
            data = b"".join(number.to_bytes(each, "big") for number in value)
    return bytes((len(data) // each,)) + data
