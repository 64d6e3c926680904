"""What stands in a device log: one record a line, for eyes, for ``grep`` and for replay.

    log      = { section } ;
    section  = "# felt device log 1" { fact } { record } ;
    fact     = "# " key ": " text ;
    record   = time word rest ;

See docs/device-log.md. The bytes are the truth; the message beside them is a comment. What writes
is strict. What reads takes whatever a power cut, a full disk or an editor has left, and says where
it is damaged.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

FORMAT = 1
_MAGIC = "# felt device log "
#: How the damage of a section begins that another felt has written.
OTHER_FORMAT = "a log of another format"
#: Longer lines are nobody's: a chunk of bytes is a few thousand characters at most.
MAX_LINE = 64 * 1024
MAX_FACTS = 1000

Direction = Literal["in", "out"]
Word = Literal["port", "device", "table", "state", "note", "gap"]

# Whoever writes a time gives it in seconds by a clock that never steps; in a file they are
# microseconds since the section began.


@dataclass(frozen=True, slots=True)
class Header:
    """The start of a section: what a file says before anything else, so that it stands alone."""

    format: int
    facts: tuple[tuple[str, str], ...]

    def fact(self, key: str) -> str:
        """The first fact with that key, or nothing."""
        return next((value for name, value in self.facts if name == key), "")


class Bytes(NamedTuple):
    """What was read or written in one go, as it was."""

    at_us: int
    direction: Direction
    data: bytes
    comment: str = ""
    #: Where there is more than one stream on a wire: a topic.
    channel: str = ""


class Remark(NamedTuple):
    """The port opened or was lost, who a device is, where table and wire are, a note, a gap."""

    at_us: int
    word: Word
    text: str


class Clock(NamedTuple):
    """The table PC's clock was set: what it shows at this moment, in microseconds since 1970."""

    at_us: int
    utc_us: int


class Polled(NamedTuple):
    """One device in a quiet stretch: its polls were answered, and neither side had anything to say.

    Times are microseconds before the end of the stretch.
    """

    address: int
    #: The number of the last poll, and how many there were.
    seq: int
    polls: int
    sent_us: int
    heard_us: int
    #: The longest that one of the answers took.
    slowest_us: int
    #: How felt then stood to the device, in seconds: its patience, and the pause to the next poll.
    answer: float
    pause: float


class Quiet(NamedTuple):
    """Polls and answers that said nothing, counted: what the bytes were follows from the rest."""

    #: When the last answer had come.
    at_us: int
    #: From the first poll to the last answer.
    length_us: int
    devices: tuple[Polled, ...]

    @property
    def polls(self) -> int:
        return sum(one.polls for one in self.devices)


class Damage(NamedTuple):
    """A line that is none. What follows it is still read."""

    file: Path
    line: int
    what: str


Record = Header | Bytes | Remark | Clock | Quiet


# --- Writing ------------------------------------------------------------------


def header_line(header: Header) -> str:
    for key, _ in header.facts:
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is no name for a fact")
    facts = "".join(f"# {key}: {escaped(value)}\n" for key, value in header.facts)
    return f"{_MAGIC}{header.format}\n{facts}"


def bytes_line(
    at_us: int, direction: Direction, data: bytes, comment: str = "", channel: str = ""
) -> str:
    if not data:
        raise ValueError("nothing was read or written")
    stream = f"@{_channel(channel)} " if channel else ""
    beside = f"  ; {escaped(comment)}" if comment else ""
    return f"{_time(at_us)} {direction:6} {stream}{data.hex()}{beside}\n"


def remark_line(at_us: int, word: Word, text: str) -> str:
    if not text:
        raise ValueError(f"a {word} that says nothing")
    return f"{_time(at_us)} {word:6} {escaped(text)}\n"


def clock_line(at_us: int, utc_us: int) -> str:
    return f"{_time(at_us)} clock  {utc_us}\n"


def quiet_line(record: Quiet) -> str:
    said = quiet_text(record)
    return f"{_time(record.at_us)} quiet  {said} = {zlib.crc32(said.encode()):08x}\n"


def quiet_text(record: Quiet) -> str:
    devices = ", ".join(
        f"{one.address} {one.polls}x #{one.seq} -{one.sent_us} -{one.heard_us} {one.slowest_us} "
        f"{one.answer!r} {one.pause!r}"
        for one in record.devices
    )
    return f"{record.polls} polls in {record.length_us}: {devices}"


def line_of(record: Record) -> str:
    match record:
        case Header():
            return header_line(record)
        case Bytes(at_us, direction, data, comment, channel):
            return bytes_line(at_us, direction, data, comment, channel)
        case Remark(at_us, word, text):
            return remark_line(at_us, word, text)
        case Clock(at_us, utc_us):
            return clock_line(at_us, utc_us)
        case Quiet():
            return quiet_line(record)


def _time(at_us: int) -> str:
    if at_us < 0:
        raise ValueError("a record can't be older than its file")
    return f"{at_us // 1_000_000:7}.{at_us % 1_000_000:06}"


def escaped(text: str) -> str:
    """On one line, and nothing in it that a terminal would take for an order."""
    if text.isprintable() and "\\" not in text and not text.startswith(" "):
        return text
    kept = "".join(c if c.isprintable() and c != "\\" else _escape(c) for c in text)
    # The space in front of a text is the format's own.
    return _escape(" ") + kept[1:] if kept.startswith(" ") else kept


def _escape(character: str) -> str:
    number = ord(character)
    if character == "\\":
        return "\\\\"
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _channel(name: str) -> str:
    return escaped(name).replace(" ", _escape(" "))


# --- Reading ------------------------------------------------------------------

_KEY = re.compile(r"[a-z][a-z ]*")
_FACT = re.compile(r"# ([a-z][a-z ]*): ?(.*)")
_RECORD = re.compile(r" *([0-9]{1,12})\.([0-9]{6}) ([a-z]+)(?: +(.*))?")
_BYTES = re.compile(r"(?:@([^ ]+) )?((?:[0-9a-f]{2})+)(?: +; (.*))?")
_USUAL = re.compile(r" *([0-9]{1,12})\.([0-9]{6}) (in|out) +((?:[0-9a-f]{2})+)(?: +; ([^\\]*))?")
_WAYS: dict[str, Direction] = {"in": "in", "out": "out"}
_QUIET = re.compile(r"[0-9]{1,9} polls in ([0-9]{1,12}): ([0-9x#., e-]+)")
_POLLED = re.compile(
    r"([0-9]{1,3}) ([0-9]{1,9})x #([0-9]{1,10}) -([0-9]{1,12}) -([0-9]{1,12}) ([0-9]{1,12})"
    r" ([0-9.e-]{1,24}) ([0-9.e-]{1,24})"
)
_UTC = re.compile(r"[0-9]{1,19}")
_ESCAPE = re.compile(r"\\(?:\\|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|(.?))")


#: How a compressed file begins.
_GZIP = b"\x1f\x8b"
_File = BinaryIO | gzip.GzipFile


class _Damaged(Exception):
    pass


def read_records(path: Path) -> Iterator[Record | Damage]:
    """All that can be read of a log, in order; it may be compressed, cut short or half written."""
    return (record for _, record in read_numbered(path))


def read_numbered(
    path: Path, having: bytes = b"", since: int = 0
) -> Iterator[tuple[int, Record | Damage]]:
    """The same, each with its line; a header with the one after its facts.

    With ``having``, only headers and lines that have it; and only headers before the line
    ``since``. The others are not looked at.
    """
    try:
        with _opened(path) as file:
            yield from _records(path, file, having, since)
    except OSError as error:
        yield 0, Damage(path, 0, f"can't be read: {error.strerror or error}")


def read_headers(path: Path) -> Iterator[tuple[int, Header | Damage]]:
    """The headers alone, without a look at the records; and those of another format."""
    for line, record in read_numbered(path, having=_MAGIC.encode()):
        if isinstance(record, Header) or (
            isinstance(record, Damage) and (record.line == 0 or _is_other(record))
        ):
            yield line, record


def _is_other(damage: Damage) -> bool:
    return damage.what.startswith(OTHER_FORMAT)


def _opened(path: Path) -> _File:
    """By what is in it, not by its name: logs are sent around and renamed."""
    with path.open("rb") as file:
        compressed = file.read(len(_GZIP)) == _GZIP
    return gzip.open(path, "rb") if compressed else path.open("rb")


def _records(
    path: Path, file: _File, having: bytes, since: int
) -> Iterator[tuple[int, Record | Damage]]:
    facts: list[tuple[str, str]] | None = None
    format_ = FORMAT
    number = 0
    for number, line in _lines(path, file, having, since):
        if isinstance(line, Damage):
            yield number, line
            continue
        if facts is None and (usual := _USUAL.fullmatch(line)) is not None:
            # Nearly all lines are such: bytes, with a comment that needs no escape.
            at, micros, direction, data, comment = usual.groups("")
            yield (
                number,
                Bytes(int(at + micros), _WAYS[direction], bytes.fromhex(data), comment),
            )
            continue
        if facts is not None and len(facts) < MAX_FACTS and (fact := _fact(line)):
            facts.append(fact)
            continue
        if facts is not None:
            yield number, Header(format_, tuple(facts))
            facts = None
        if line.startswith(_MAGIC):
            format_ = int(line[len(_MAGIC) :]) if line[len(_MAGIC) :].isdecimal() else 0
            if format_ == FORMAT:
                facts = []
            else:
                yield number, Damage(path, number, f"{OTHER_FORMAT}: {line[:80]!r}")
        elif line and not line.startswith("#"):
            try:
                yield number, _record(line)
            except _Damaged as damaged:
                yield number, Damage(path, number, str(damaged))
    if facts is not None:
        yield number, Header(format_, tuple(facts))


def _lines(
    path: Path, file: _File, having: bytes, since: int
) -> Iterator[tuple[int, str | Damage]]:
    """The lines with their numbers, without their ends."""
    number = 0
    while True:
        try:
            line = file.readline(MAX_LINE)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            yield number + 1, Damage(path, number + 1, "the compressed file ends too early")
            return
        if not line:
            return
        number += 1
        if line[-1] != 10:
            yield number, Damage(path, number, _unended(file, line))
            continue
        if line[0] != 35 and (number < since or having not in line):
            continue
        try:
            yield number, line[:-1].decode()
        except UnicodeDecodeError:
            yield number, Damage(path, number, "not text")


def _unended(file: _File, line: bytes) -> str:
    if len(line) < MAX_LINE:
        return "cut short"
    while line and not line.endswith(b"\n"):
        try:
            line = file.readline(MAX_LINE)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            break
    return "far too long"


def _fact(line: str) -> tuple[str, str] | None:
    found = _FACT.fullmatch(line)
    if found is None:
        return None
    try:
        return found[1], unescaped(found[2])
    except _Damaged:
        return found[1], found[2]


def _record(line: str) -> Bytes | Remark | Clock | Quiet:
    found = _RECORD.fullmatch(line)
    if found is None:
        raise _Damaged("no time and word at its beginning")
    at_us = int(found[1]) * 1_000_000 + int(found[2])
    rest = found[4] or ""
    match found[3]:
        case "in" | "out" as direction:
            return _bytes(at_us, direction, rest)
        case "port" | "device" | "table" | "state" | "note" | "gap" as word if rest:
            return Remark(at_us, word, unescaped(rest))
        case "clock" if _UTC.fullmatch(rest):
            return Clock(at_us, int(rest))
        case "quiet":
            return _quiet(at_us, rest)
        case "clock":
            raise _Damaged("a clock without its time")
        case "port" | "device" | "table" | "state" | "note" | "gap" as word:
            raise _Damaged(f"a {word} that says nothing")
        case word:
            raise _Damaged(f"{word!r} is no kind of record")


def _bytes(at_us: int, direction: Direction, rest: str) -> Bytes:
    found = _BYTES.fullmatch(rest)
    if found is None:
        raise _Damaged("no whole bytes in hexadecimal")
    comment = unescaped(found[3]) if found[3] else ""
    channel = unescaped(found[1]) if found[1] else ""
    return Bytes(at_us, direction, bytes.fromhex(found[2]), comment, channel)


def _quiet(at_us: int, rest: str) -> Quiet:
    said, _, sum_ = rest.rpartition(" = ")
    found = _QUIET.fullmatch(said)
    if found is None:
        raise _Damaged("no quiet stretch")
    if sum_ != f"{zlib.crc32(said.encode()):08x}":
        # It stands for bytes that are not here, so it must be whole.
        raise _Damaged("a quiet stretch that is not as it was written")
    try:
        devices = tuple(map(_polled, found[2].split(", ")))
    except ValueError:
        raise _Damaged("no quiet stretch") from None
    return Quiet(at_us, int(found[1]), devices)


def _polled(text: str) -> Polled:
    found = _POLLED.fullmatch(text)
    if found is None:
        raise ValueError(text)
    address, polls, seq, sent, heard, slowest = map(int, found.groups()[:6])
    return Polled(address, seq, polls, sent, heard, slowest, float(found[7]), float(found[8]))


def unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def character(found: re.Match[str]) -> str:
        if found[1] is not None:
            raise _Damaged(f"{found[0]!r} is no escape")
        if found[0] == "\\\\":
            return "\\"
        number = int(found[0][2:], 16)
        if number > 0x10FFFF:
            raise _Damaged(f"{found[0]!r} is no character")
        return chr(number)

    return _ESCAPE.sub(character, text)
