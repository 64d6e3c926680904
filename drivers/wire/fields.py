"""How the fields of a message are written: a few plain types, the highest byte first.

A message class states its fields as annotations; the codec is made from these once. Reading never
raises: what is not a message of that class is none.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

MAX_TEXT_BYTES = 80
MAX_LIST = 32
MAX_LONGS = 16


def text_of(most: int, least: int | None = None) -> Meta:
    """How long a text may be. What counts are its bytes, which a schema for JSON can only say."""
    said = f"At most {most} bytes of UTF-8."
    return Meta(min_length=least, max_length=most, extra_json_schema={"description": said})


class Written(NamedTuple):
    """How a type is written, by the name that docs/protocol.md uses."""

    name: str


U8 = Annotated[int, Meta(ge=0, le=0xFF), Written("u8")]
U16 = Annotated[int, Meta(ge=0, le=0xFFFF), Written("u16")]
U32 = Annotated[int, Meta(ge=0, le=0xFFFF_FFFF), Written("u32")]
#: Money, in cents.
U64 = Annotated[int, Meta(ge=0, le=2**63 - 1), Written("u64")]
Flag = Annotated[bool, Written("flag")]
#: A length, then so many bytes of UTF-8.
Text = Annotated[str, text_of(MAX_TEXT_BYTES), Written("text")]
#: A length, then so many numbers of a byte.
U8s = Annotated[tuple[U8, ...], Meta(max_length=MAX_LIST), Written("u8s")]
#: A length, then so many numbers of four bytes.
U32s = Annotated[tuple[U32, ...], Meta(max_length=MAX_LONGS), Written("u32s")]
#: Faces under the session's cover: a length, then a byte for each card.
Covered = Annotated[bytes, Meta(max_length=MAX_LIST), Written("covered")]
Bytes16 = Annotated[bytes, Meta(min_length=16, max_length=16), Written("bytes16")]
Bytes32 = Annotated[bytes, Meta(min_length=32, max_length=32), Written("bytes32")]

Write = Callable[[Any], bytes]
#: From the data and where the field begins: its value and where it ends. May raise _Short.
Read = Callable[[bytes, int], tuple[Any, int]]


class _Short(Exception):
    """There is less than the field needs, or what is there can't be its value."""


class Field(NamedTuple):
    name: str
    #: u8, u16, u32, u64, flag, text, u8s, u32s, covered, bytes16, bytes32 or word.
    type: str
    write: Write
    read: Read
    #: The words that a word can be, in the order of their numbers from 0.
    words: tuple[str, ...] = ()


def fields_of(message: type[msgspec.Struct]) -> tuple[Field, ...]:
    """The fields of a message class, in the order in which they are written."""
    hints = get_type_hints(message, include_extras=True)
    return tuple(_field(name, hints[name]) for name in message.__struct_fields__)


def write(message: msgspec.Struct, fields: tuple[Field, ...]) -> bytes:
    """Raises ValueError if a value is none that its field can have."""
    written = []
    for field in fields:
        value = getattr(message, field.name)
        try:
            written.append(field.write(value))
        except (struct.error, KeyError, TypeError, ValueError):
            shown = "" if field.type == "covered" else f": {value!r}"
            raise ValueError(f"{field.name} can't be written as {field.type}{shown}") from None
    return b"".join(written)


def read(data: bytes, fields: tuple[Field, ...]) -> dict[str, Any] | None:
    """The fields' values by name; none if the data is too short, too long or not of these types."""
    values: dict[str, Any] = {}
    at = 0
    try:
        for field in fields:
            values[field.name], at = field.read(data, at)
    except _Short:
        return None
    return values if at == len(data) else None


def _field(name: str, hint: Any) -> Field:
    if get_origin(hint) is Literal:
        words = get_args(hint)
        return Field(name, "word", _word_writer(words), _word_reader(words), words)
    extras = get_args(hint)[1:]
    limits = next((extra for extra in extras if isinstance(extra, Meta)), Meta())
    for extra in extras:
        if isinstance(extra, Written):
            write_it, read_it = _CODECS[extra.name]
            if extra.name == "text":
                write_it, read_it = _text_writer(limits), _text_reader(limits)
            elif extra.name not in _BOUNDED_BY_THEIR_FORM:
                read_it = _within(limits, read_it)
            return Field(name, extra.name, write_it, read_it)
    raise TypeError(f"{name} has no written form")


#: What is written this way can't be anything that the field may not be.
_BOUNDED_BY_THEIR_FORM = (
    "u8",
    "u16",
    "u32",
    "flag",
    "u8s",
    "u32s",
    "covered",
    "bytes16",
    "bytes32",
)


def _within(limits: Meta, read_it: Read) -> Read:
    """What is written may say more than the field allows: a device is not trusted to keep to it."""
    least, most = limits.ge, limits.le

    def read_within(data: bytes, at: int) -> tuple[Any, int]:
        value, end = read_it(data, at)
        if least is not None and most is not None and not least <= value <= most:
            raise _Short
        return value, end

    return read_within


def _number(format_: str) -> tuple[Write, Read]:
    packed = struct.Struct(format_)

    def read_number(data: bytes, at: int) -> tuple[Any, int]:
        end = at + packed.size
        if end > len(data):
            raise _Short
        return packed.unpack_from(data, at)[0], end

    return packed.pack, read_number


def _fixed(size: int) -> tuple[Write, Read]:
    def read_fixed(data: bytes, at: int) -> tuple[Any, int]:
        return _taken(data, at, size), at + size

    return bytes, read_fixed


def _taken(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise _Short
    return data[at : at + size]


def _counted(data: bytes, at: int, most: int, each: int = 1) -> tuple[bytes, int]:
    (count,) = _taken(data, at, 1)
    if count > most:
        raise _Short
    end = at + 1 + count * each
    return _taken(data, at + 1, count * each), end


def _text_writer(limits: Meta) -> Write:
    longest = min(limits.max_length or MAX_TEXT_BYTES, MAX_TEXT_BYTES)

    def write_text(value: str) -> bytes:
        # Cut at a character, not in one: what is too long is still worth its beginning.
        coded = value.encode(errors="replace")[:longest].decode(errors="ignore").encode()
        return bytes((len(coded),)) + coded

    return write_text


def _text_reader(limits: Meta) -> Read:
    shortest = limits.min_length or 0
    longest = min(limits.max_length or MAX_TEXT_BYTES, MAX_TEXT_BYTES)

    def read_text(data: bytes, at: int) -> tuple[Any, int]:
        coded, end = _counted(data, at, longest)
        if len(coded) < shortest:
            raise _Short
        try:
            return coded.decode(), end
        except UnicodeDecodeError:
            raise _Short from None

    return read_text


def _write_bytes(value: bytes) -> bytes:
    return bytes((len(value),)) + bytes(value)


def _read_numbers(data: bytes, at: int) -> tuple[Any, int]:
    coded, end = _counted(data, at, MAX_LIST)
    return tuple(coded), end


def _write_longs(value: tuple[int, ...]) -> bytes:
    return bytes((len(value),)) + struct.pack(f">{len(value)}I", *value)


def _read_longs(data: bytes, at: int) -> tuple[Any, int]:
    coded, end = _counted(data, at, MAX_LONGS, 4)
    return struct.unpack(f">{len(coded) // 4}I", coded), end


def _write_flag(value: bool) -> bytes:
    return b"\1" if value else b"\0"


def _read_flag(data: bytes, at: int) -> tuple[Any, int]:
    (value,) = _taken(data, at, 1)
    if value > 1:
        raise _Short
    return bool(value), at + 1


def _word_writer(words: tuple[str, ...]) -> Write:
    numbers = {word: bytes((number,)) for number, word in enumerate(words)}
    return numbers.__getitem__


def _word_reader(words: tuple[str, ...]) -> Read:
    def read_word(data: bytes, at: int) -> tuple[Any, int]:
        (number,) = _taken(data, at, 1)
        if number >= len(words):
            raise _Short
        return words[number], at + 1

    return read_word


_CODECS: dict[str, tuple[Write, Read]] = {
    "u8": _number(">B"),
    "u16": _number(">H"),
    "u32": _number(">I"),
    "u64": _number(">Q"),
    "flag": (_write_flag, _read_flag),
    "text": (_text_writer(Meta()), _text_reader(Meta())),
    "u8s": (_write_bytes, _read_numbers),
    "u32s": (_write_longs, _read_longs),
    "covered": (
        _write_bytes,
        lambda data, at: _counted(data, at, MAX_LIST),
    ),
    "bytes16": _fixed(16),
    "bytes32": _fixed(32),
}
