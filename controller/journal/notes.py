"""Heads of a journal as signed notes, in the form of C2SP's checkpoints. Python's standard library.

    felt/pa-639a-1/1770091506000000000
    48213
    XWUgd34P+YMSHsNBuanVmG9ev3tR3EcA3XxQxbtgTIM=

    - felt/pa-639a-1 hsRT...

(with an em dash before the name). The first line says whose journal it is and when that was begun;
the second how many entries it has; the third is the link of the last of them, in base64. What
stands after the empty line are signatures by Ed25519 over all lines before it.

The form is that of https://c2sp.org/tlog-checkpoint and https://c2sp.org/signed-note, so that a
witness of another hand can hold what it was shown. The hash is the link of a chain and not the root
of a tree: that one head goes on from another is shown by the entries between them.

This file stands alone, like ``verifier.py``: auditors keep both in one folder.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

#: What a signature and a key say of themselves.
ED25519 = 1
HASH_BYTES, KEY_BYTES, SIGNATURE_BYTES, ID_BYTES = 32, 32, 64, 4
#: More than this is no note.
MAX_NOTE_BYTES = 4096
_DASH = "\u2014 "
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")


class BadNote(ValueError):
    """What was given is no head, or no key; in words."""


class Key(NamedTuple):
    """Who signs: a name, and the public half."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        said = self.name.encode() + b"\n" + bytes([ED25519]) + self.public
        return hashlib.sha256(said).digest()[:ID_BYTES]

    def __str__(self) -> str:
        coded = base64.b64encode(bytes([ED25519]) + self.public).decode()
        return f"{self.name}+{self.id.hex()}+{coded}"


class Note(NamedTuple):
    """One head, and who has signed it."""

    origin: str
    size: int
    hash: bytes
    #: Names, and what they have written: the key's id and its signature.
    signatures: tuple[tuple[str, bytes], ...] = ()

    @property
    def body(self) -> str:
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.hash).decode()}\n"

    def __str__(self) -> str:
        signed = "".join(
            f"{_DASH}{name} {base64.b64encode(made).decode()}\n" for name, made in self.signatures
        )
        return f"{self.body}\n{signed}"

    def is_signed_by(self, key: Key) -> bool:
        """At least once, and never wrongly."""
        mine = self.of(key)
        return bool(mine) and all(is_signed(key.public, self.body.encode(), one) for one in mine)

    def of(self, key: Key) -> list[bytes]:
        """What stands there as this key's signatures, right or wrong."""
        return [made[ID_BYTES:] for name, made in self.signatures if _is_of(key, name, made)]


def _is_of(key: Key, name: str, made: bytes) -> bool:
    return name == key.name and made[:ID_BYTES] == key.id


def origin_of(table: str, created: int) -> str:
    """Names one journal: a table that begins a new one begins another log."""
    return f"{name_of(table)}/{created}"


def name_of(table: str) -> str:
    """Under which a table's felt signs. A key's name has no plus and no blank in it."""
    return f"felt/{re.sub(r'[^A-Za-z0-9._-]+', '-', table)}"


def signed_by(key: Key, note: Note, signature: bytes) -> Note:
    return note._replace(signatures=(*note.signatures, (key.name, key.id + signature)))


def key_of(text: str) -> Key:
    """A key as it is written: NAME+ID+BASE64."""
    parts = text.strip().split("+", 2)
    if len(parts) != 3 or not parts[0] or re.search(r"[\s+]", parts[0]):
        raise BadNote(f"{text.strip()[:80]!r} is no key: NAME+ID+BASE64, as felt keys prints it")
    name, id_, coded = parts
    raw = _decoded(coded, "the key")
    if len(raw) != 1 + KEY_BYTES or raw[0] != ED25519:
        raise BadNote(f"the key of {name} is none of Ed25519")
    key = Key(name, raw[1:])
    if key.id.hex() != id_.lower():
        raise BadNote(f"the key of {name} has the id {key.id.hex()}, not {id_[:20]}: mistyped?")
    return key


def note_of(text: str) -> Note:
    """A note as it is written, or ``BadNote``."""
    if len(text) > MAX_NOTE_BYTES:
        raise BadNote("this is too long for a head")
    body, blank, signatures = text.partition("\n\n")
    lines = body.split("\n")
    if not blank or len(lines) < 3 or not lines[0]:
        raise BadNote("this is no head: three lines, an empty one, and signatures")
    if not _SIZE.fullmatch(lines[1]):
        raise BadNote(f"{lines[1][:40]!r} is no number of entries")
    hash_ = _decoded(lines[2], "the hash")
    if len(hash_) != HASH_BYTES:
        raise BadNote(f"the hash has {len(hash_)} bytes, not {HASH_BYTES}")
    if len(lines) > 3:
        raise BadNote("it has lines that felt does not write")
    made = tuple(_signature(line) for line in signatures.splitlines() if line)
    return Note(lines[0], int(lines[1]), hash_, made)


def _signature(line: str) -> tuple[str, bytes]:
    name, blank, coded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not blank or not name:
        raise BadNote(f"{line[:40]!r} is no signature")
    made = _decoded(coded, f"the signature of {name}")
    if len(made) <= ID_BYTES:
        raise BadNote(f"the signature of {name} is too short")
    return name, made


def _decoded(text: str, what: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BadNote(f"{what} is no base64") from None


class Held(NamedTuple):
    """One head that somebody has kept, and where in the file it stands."""

    line: int
    size: int
    hash: bytes
    #: As it was signed; none where only number and link were noted down.
    note: Note | None = None


#: As ``felt verify`` prints it, and as it is noted down: "head 48213 5d65...".
_PLAIN = re.compile(r"(?<![\w-])head\s+(0|[1-9][0-9]{0,18})\s+([0-9a-fA-F]{64})(?![0-9a-fA-F])")


def held_in(text: str) -> Iterator[Held]:
    """All heads in a text: a witness's log, what was noted down, what a service's log has."""
    # In a log of JSON an end of line is written as two characters.
    lines = text.replace("\\n", "\n").replace("\\u2014", "\u2014").split("\n")
    for number, line in enumerate(lines):
        if plain := _PLAIN.search(line):
            yield Held(number + 1, int(plain[1]), bytes.fromhex(plain[2]))
        elif number >= 2 and _is_a_hash(line) and _SIZE.fullmatch(lines[number - 1]):
            yield _noted(lines, number)


def _is_a_hash(line: str) -> bool:
    return (
        len(line) == 44
        and line.endswith("=")
        and re.fullmatch(r"[A-Za-z0-9+/]+=", line) is not None
    )


def _noted(lines: list[str], number: int) -> Held:
    # Whatever a log writes before the first line ends with a quotation mark or a blank.
    origin = re.split(r'["\s]', lines[number - 2])[-1]
    signatures = []
    for line in lines[number + 2 :]:
        if not line.startswith(_DASH):
            break
        signatures.append(line.split('"')[0])
    head = "\n".join([origin, lines[number - 1], lines[number]])
    note = note_of(head + "\n\n" + "".join(f"{one}\n" for one in signatures))
    return Held(number - 1, note.size, note.hash, note)


# --- Ed25519, as RFC 8032 has it ----------------------------------------------
#
# Only to check: nothing here is secret, so it may take its time, and be read beside the RFC.

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)

_Point = tuple[int, int, int, int]


def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether this is the signature of the message by the holder of this key."""
    if len(public) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    key, start = _point(public), _point(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or start is None or scalar >= _L:
        return False
    said = hashlib.sha512(signature[:32] + public + message).digest()
    factor = int.from_bytes(said, "little") % _L
    return _same(_times(scalar, _BASE), _sum(start, _times(factor, key)))


def _x(y: int, sign: int) -> int | None:
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    if square == 0:
        return None if sign else 0
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P:
        return None
    return _P - x if x & 1 != sign else x


def _point(raw: bytes) -> _Point | None:
    whole = int.from_bytes(raw, "little")
    y = whole & ((1 << 255) - 1)
    x = _x(y, whole >> 255)
    return None if x is None else (x, y, 1, x * y % _P)


def _sum(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(scalar: int, point: _Point) -> _Point:
    found: _Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            found = _sum(found, point)
        point = _sum(point, point)
        scalar >>= 1
    return found


def _same(one: _Point, other: _Point) -> bool:
    return (
        (one[0] * other[2] - other[0] * one[2]) % _P
        == 0
        == (one[1] * other[2] - other[1] * one[2]) % _P
    )


_BASE_Y = 4 * pow(5, _P - 2, _P) % _P
_BASE_X = _x(_BASE_Y, 0)
assert _BASE_X is not None
_BASE: _Point = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P)
