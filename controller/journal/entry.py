"""One entry of the journal, and how it is chained to the one before.

An entry's link is a SHA-256 over, one after the other:

    the link before     32 bytes
    seq                  8 bytes, big-endian
    at                   8 bytes, big-endian
    round there?         1 byte, 0 or 1
    round                8 bytes, big-endian, 0 where there is none
    length of kind       1 byte
    kind                 ASCII
    body                 the rest

Everything before the body says how long it is, so no two entries have the same encoding.
The first entry is chained to the header, whose link is a SHA-256 over:

    "felt journal"      12 bytes
    format               4 bytes, big-endian
    created              8 bytes, big-endian
    length of table      2 bytes, big-endian
    table                UTF-8

The journal does not know what a body means. It holds bytes, and gives the same bytes back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from struct import Struct
from struct import error as struct_error
from typing import NamedTuple

from controller.journal.errors import Unfit

#: Of the chain, not of the tables it is kept in: it changes only if the encoding above does.
FORMAT = 1
#: A body beyond this is a mistake: a whole round's cards and wagers take some kilobytes.
MAX_BODY_BYTES = 1 << 20
MAX_RECORDS_A_COMMIT = 65536
#: One of the two kinds that the journal knows. Such an entry's body says how the table stands, so
#: that nobody has to look at what came before it: a start checks the entries since the last one.
CHECKPOINT = "checkpoint"
#: Such an entry's body is the head before it, signed: see ``notes``.
HEAD = "head"
MAX_TABLE_BYTES = 64
#: What an SQLite integer holds.
MAX_INTEGER = (1 << 63) - 1

_KIND = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_HEADER = Struct(">IQH")
_pack = Struct(">32sQQBQ").pack
_new = tuple.__new__


class Record(NamedTuple):
    """What somebody wants written down."""

    kind: str
    body: bytes
    #: Nanoseconds since 1970 in UTC, by the clock of whoever asks; never read by the journal.
    at: int
    round: int | None = None


class Entry(NamedTuple):
    """What is written down."""

    seq: int
    at: int
    kind: str
    round: int | None
    body: bytes
    link: bytes


class Head(NamedTuple):
    """The last entry's number and link: who knows them knows the whole journal."""

    seq: int
    link: bytes


class Header(NamedTuple):
    """Whose journal it is, and the link that the first entry is chained to."""

    table: str
    created: int
    format: int = FORMAT

    @property
    def link(self) -> bytes:
        name = self.table.encode()
        fixed = _HEADER.pack(self.format, self.created, len(name))
        return sha256(b"felt journal" + fixed + name).digest()


#: An entry before it has a name: SQLite takes a plain tuple faster.
Row = tuple[int, int, str, int | None, bytes, bytes]


def link(before: bytes, record: Record, seq: int) -> bytes:
    """The link of a record as entry ``seq``, from the link before it and all that it holds."""
    return chained(seq - 1, before, [record])[0][5]


def chained(seq: int, before: bytes, records: Sequence[Record]) -> list[Row]:
    """The records as the entries that follow entry ``seq``; refused if they can't be entries.

    The table waits for this at every event, right after the processor has slept: so there is as
    little here as can be, and what is unfit is found by what goes wrong with it.
    """
    if len(records) > MAX_RECORDS_A_COMMIT:
        raise Unfit(f"{len(records)} records", "are too many for one commit", "65536 at most")
    rows = []
    try:
        for kind, body, at, round_ in records:
            seq += 1
            if round_ is None:
                fixed = _pack(before, seq, at, 0, 0)
            elif round_ <= MAX_INTEGER and round_.__class__ is int:
                fixed = _pack(before, seq, at, 1, round_)
            else:
                raise _why_unfit(Record(kind, body, at, round_))
            if at > MAX_INTEGER or at.__class__ is not int:
                raise _why_unfit(Record(kind, body, at, round_))
            if body.__class__ is not bytes or len(body) > MAX_BODY_BYTES:
                raise _why_unfit(Record(kind, body, at, round_))
            before = sha256(fixed + (_NAMES.get(kind) or _name(kind)) + body).digest()
            rows.append((seq, at, kind, round_, body, before))
    except (struct_error, TypeError):
        raise _why_unfit(Record(kind, body, at, round_)) from None
    return rows


def as_entries(rows: Iterable[Row]) -> list[Entry]:
    return [_new(Entry, row) for row in rows]


#: The kinds that have been used, as they go into a link: there is a handful.
_NAMES: dict[str, bytes] = {}
_MAX_NAMES = 64


def _name(kind: str) -> bytes:
    """A kind with its length before it."""
    if type(kind) is not str or not _KIND.fullmatch(kind):
        raise Unfit("record", f"{kind!r} is no kind", "small letters, digits, - and _, at most 32")
    name = bytes((len(kind),)) + kind.encode("ascii")
    if len(_NAMES) < _MAX_NAMES:
        _NAMES[kind] = name
    return name


def _why_unfit(record: Record) -> Unfit:
    _, body, at, round_ = record
    if type(body) is not bytes:
        return Unfit("record", f"its body is {type(body).__name__}", "give bytes")
    if len(body) > MAX_BODY_BYTES:
        return Unfit("record", f"its body has {len(body)} bytes", f"at most {MAX_BODY_BYTES}")
    if type(at) is not int or not 0 <= at <= MAX_INTEGER:
        return Unfit("record", f"its time is {at!r}", "give nanoseconds since 1970")
    return Unfit("record", f"its round is {round_!r}", "give a number from 0, or none")


def check_header(header: Header) -> None:
    """Refuse a name or a time that a header can't hold."""
    if not 1 <= len(header.table.encode()) <= MAX_TABLE_BYTES:
        raise Unfit(
            "table", f"{header.table!r} is no name", f"1 to {MAX_TABLE_BYTES} bytes in UTF-8"
        )
    if type(header.created) is not int or not 0 <= header.created <= MAX_INTEGER:
        raise Unfit("created", f"is {header.created!r}", "give nanoseconds since 1970")
