"""What stands in a device log: one record a line, for eyes, for ``grep`` and for replay.

    log      = { section } ;
    section  = "# felt device log 1" { fact } { record } ;
    fact     = "# " key ": " text ;
    record   = time check word rest ;

See docs/device-log.md. The bytes are the truth; the message beside them is a comment. The check is
over the record and the check before it, so that one that was altered, and one that is missing, are
found where they are. What writes is strict; what reads (``logreading``) takes what is left.
"""

from __future__ import annotations

import re
import zlib
from binascii import crc_hqx
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

FORMAT = 1
_KEY = re.compile(r"[a-z][a-z ]*")
MAGIC = "# felt device log "

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
    return f"{MAGIC}{header.format}\n{facts}"


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


#: What a check begins with: CRC-16/CCITT-FALSE, as in a frame.
NO_CHECK = 0xFFFF
_TIME_TAIL = len(".000000 ")
BESIDE = "  ; "


class Checks:
    """Puts its check into each line of a section: over the line, and over the check before it."""

    def __init__(self) -> None:
        self.last = NO_CHECK

    def line(self, text: str) -> str:
        """A line as it was made, or a header, with which it begins anew."""
        if text.startswith(MAGIC):
            self.last = crc_hqx(text.encode(), NO_CHECK)
            return text
        at = text.index(".") + _TIME_TAIL
        end = text.find(BESIDE, at) if text.startswith(("in ", "out "), at) else -1
        time, said = text[:at], text[at : end if end >= 0 else -1]
        self.last = crc_hqx(said.encode(), crc_hqx(time.encode(), self.last))
        return f"{time}{self.last:04x} {text[at:]}"


def lines_of(records: Iterable[Record]) -> Iterator[str]:
    """A log: every record that follows a header has its check."""
    checks = Checks()
    return (checks.line(line_of(record)) for record in records)


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
