"""The packets of a terminal over MQTT: as JSON, and as the bytes that proofs and tags are of."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

PROTOCOL = 1
ADDRESS = 1
LONGEST = 4096
KINDS = {
    "hello": 0x01, "command": 0x02, "poll": 0x03, "ack": 0x04,
    "identity": 0x81, "result": 0x82, "idle": 0x83, "event": 0x84,
}  # fmt: skip
OUTCOMES = ("done", "accepted", "refused", "unknown")
TERMINAL = 4

CATALOGUE = Path(__file__).resolve().parent.parent / "catalogue.json"


class Field(NamedTuple):
    type: str
    words: list[str]
    #: What JSON may leave out.
    default: Any


class Kind(NamedTuple):
    name: str
    code: int
    fields: dict[str, Field]
    is_for_terminals: bool


def _read(file: Path) -> dict[str, Kind]:
    found = {}
    for one in json.loads(file.read_text(encoding="utf-8"))["messages"]:
        fields = {
            field["name"]: Field(field["type"], field.get("words", []), field.get("default"))
            for field in one["fields"]
        }
        ours = not one["devices"] or "terminal" in one["devices"]
        found[one["message"]] = Kind(one["message"], one["code"], fields, ours)
    return found


#: All of them, other devices' too: to check the tag of a command one must know its bytes.
MESSAGES = _read(CATALOGUE)
BY_CODE = {one.code: one for one in MESSAGES.values()}
NATURES = MESSAGES["fault"].fields["nature"].words
COMMANDS_BELOW = 0x40
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
#: How many at most, and the bytes of each.
COUNTED = {"u8s": (32, 1), "u32s": (16, 4)}


class NoMessage(ValueError):
    """It is none that a terminal knows, or its values can't be."""


# --- Bytes ------------------------------------------------------------------------


def text(value: Any, most: int = 80) -> bytes:
    coded = value.encode() if isinstance(value, str) else b"?" * (most + 1)
    if len(coded) > most:
        raise NoMessage("a text is too long, or none")
    return bytes((len(coded),)) + coded


def number(value: Any, size: int) -> bytes:
    most = 2**63 - 1 if size == 8 else 256**size - 1
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise NoMessage(f"{value!r} is no number of {size} bytes")
    return value.to_bytes(size, "big")


def _field(value: Any, field: Field) -> bytes:
    if field.words:
        if value not in field.words:
            raise NoMessage(f"{value!r} is none of {field.words}")
        return bytes((field.words.index(value),))
    if field.type in SIZES:
        return number(value, SIZES[field.type])
    if field.type == "flag":
        if not isinstance(value, bool):
            raise NoMessage(f"{value!r} is no flag")
        return bytes((value,))
    if field.type in COUNTED:
        most, size = COUNTED[field.type]
        if not isinstance(value, list) or len(value) > most:
            raise NoMessage(f"{value!r} are no numbers")
        return bytes((len(value),)) + b"".join(number(one, size) for one in value)
    return text(value)


def to_bytes(message: dict[str, Any]) -> bytes:
    kind = MESSAGES.get(str(message.get("message")))
    if kind is None:
        raise NoMessage(f"{message.get('message')!r} is unknown")
    may_lack = {name: one.default for name, one in kind.fields.items() if one.default is not None}
    given = may_lack | {name: value for name, value in message.items() if name != "message"}
    if given.keys() != kind.fields.keys():
        raise NoMessage(f"{kind.name} has other fields")
    return bytes((kind.code,)) + b"".join(
        _field(given[name], field) for name, field in kind.fields.items()
    )


def command(data: bytes) -> dict[str, Any]:
    """A command for a terminal, from its bytes."""
    kind = BY_CODE.get(data[0]) if data else None
    if kind is None or kind.code >= COMMANDS_BELOW or not kind.is_for_terminals:
        raise NoMessage("no command for a terminal")
    message: dict[str, Any] = {"message": kind.name}
    rest = data[1:]
    for name, field in kind.fields.items():
        message[name], rest = _taken(rest, field)
    if to_bytes(message) != data:
        raise NoMessage(f"{kind.name} has values that can't be")
    return message


def _taken(data: bytes, field: Field) -> tuple[Any, bytes]:
    size = SIZES.get(field.type, 1)
    first, rest = int.from_bytes(data[:size], "big"), data[size:]
    if field.words:
        return field.words[min(first, len(field.words) - 1)], rest
    if field.type == "text":
        return rest[:first].decode(errors="replace"), rest[first:]
    if field.type in COUNTED:
        each = COUNTED[field.type][1]
        cut = [rest[at : at + each] for at in range(0, first * each, each)]
        return [int.from_bytes(one, "big") for one in cut], rest[first * each :]
    return bool(first) if field.type == "flag" else first, rest


# --- JSON ---------------------------------------------------------------------------

_HELLO = {"protocol": int, "nonce": str}
_REQUEST = {"seq": int, "tag": str}
_COMMAND = {**_REQUEST, "id": int, "after": int, "deadline_ms": int}
#: Of the packets that felt says: what each must have beside its kind and session.
PROPERTIES: dict[str, dict[str, type]] = {
    "hello": _HELLO,
    "command": _COMMAND,
    "poll": {**_REQUEST, "acknowledged": int},
    "ack": _REQUEST,
}
HEXADECIMAL = {
    "tag": "[0-9a-f]{16}",
    "nonce": "[0-9a-f]{32}",
    "payload": "([0-9a-f]{2}){1,200}",
}


def packet(payload: bytes) -> dict[str, Any] | None:
    """A packet from felt; none if it is not exactly one."""
    try:
        said = json.loads(payload) if len(payload) <= LONGEST else None
    except ValueError:
        return None
    if not isinstance(said, dict) or said.get("kind") not in PROPERTIES:
        return None
    wanted: dict[str, type] = {"kind": str, "session": int, **PROPERTIES[said["kind"]]}
    if said["kind"] == "command":
        wanted |= {"message": dict} if "message" in said else {"payload": str}
    if said.keys() != wanted.keys():
        return None
    return said if all(_can_be(name, value, wanted[name]) for name, value in said.items()) else None


def _can_be(name: str, value: Any, type_: type) -> bool:
    if not isinstance(value, type_) or isinstance(value, bool):
        return False
    if isinstance(value, int):
        return 0 <= value <= (0xFF if name in ("session", "protocol") else 0xFFFF_FFFF)
    shape = HEXADECIMAL.get(name)
    return shape is None or re.fullmatch(shape, value) is not None


# --- Keys ---------------------------------------------------------------------------


def keyed(key: bytes, *parts: bytes) -> bytes:
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


class Session(NamedTuple):
    number: int
    tag_key: bytes

    def tag(self, kind: str, seq: int, payload: bytes, more: bytes = b"") -> str:
        head = bytes((KINDS[kind], ADDRESS, self.number)) + seq.to_bytes(4, "big")
        return keyed(self.tag_key, head, payload, more)[:8].hex()
