"""Reading a device log: whatever a power cut, a full disk or an editor has left of it.

Every record that can be read comes out in order, and for each that can't, where it is and what is
wrong with it. A record is read if it fits its check, or has none.
"""

from __future__ import annotations

import gzip
import re
import zlib
from binascii import crc_hqx, unhexlify
from collections.abc import Iterable, Iterator
from io import BufferedReader
from itertools import chain
from operator import itemgetter
from pathlib import Path

from drivers.wire.devicelog import (
    BESIDE,
    FORMAT,
    MAGIC,
    NO_CHECK,
    Bytes,
    Clock,
    Damage,
    Direction,
    Header,
    Polled,
    Quiet,
    Record,
    Remark,
)
from drivers.wire.quietreading import quiet_of

#: How the damage of a section begins that another felt has written.
OTHER_FORMAT = "a log of another format"
#: Longer lines are nobody's: a chunk of bytes is a few thousand characters at most.
MAX_LINE = 64 * 1024
MAX_FACTS = 1000
_FACT = re.compile(r"# ([a-z][a-z ]*): ?(.*)")
_RECORD = re.compile(r"( *([0-9]{1,12})\.([0-9]{6}) )(?:([0-9a-f]{4}) )?(([a-z]+)(?: +(.*))?)")
_BYTES = re.compile(r"(?:@([^ ]+) )?((?:[0-9a-f]{2})+)(?: +; (.*))?")
#: A record as felt writes most of them: in its columns, with nothing that needs an escape. It has
#: limits so that a line that is far too long does not fit.
_USUAL = re.compile(
    rb"( {0,6}[0-9]{1,12}\.[0-9]{6} )([0-9a-f]{4}) "
    rb"(?:((?:in |out)    [^ ]{2,30000})(?:  ; ([^\\]{0,30000}))?"
    rb"|((?:table|quiet)  [^ \\][^\\]{0,30000}))"
)
#: Where the column of the word ends, and what is said begins.
_SAYS = len("table  ")
_IN, _TABLE = b"it"
_QUIET = re.compile(r"[0-9]{1,9} polls in ([0-9]{1,12}): ([0-9x#., e-]+)")
_POLLED = re.compile(
    r"([0-9]{1,3}) ([0-9]{1,9})x #([0-9]{1,10}) -([0-9]{1,12}) -([0-9]{1,12}) ([0-9]{1,12})"
    r" ([0-9.e-]{1,24}) ([0-9.e-]{1,24})"
)
_UTC = re.compile(r"[0-9]{1,19}")
_ESCAPE = re.compile(r"\\(?:\\|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|(.?))")
#: What is read in one go.
_BLOCK = 64 * 1024
#: How the damage of a record begins that does not fit its check.
ALTERED = "not as it was written"
FAR_TOO_LONG = "far too long"
#: Of a file that ends before its time.
CUT_SHORT = "cut short"
ENDS_EARLY = "the compressed file ends too early"


#: How a compressed file begins.
_GZIP = b"\x1f\x8b"
_File = BufferedReader | gzip.GzipFile


#: How a file begins that an editor has saved anew, and what stands there.
_SAVED_ANEW = {
    b"\xef\xbb\xbf": "it begins with a byte order mark (BOM)",
    b"\xff\xfe": "it is UTF-16",
    b"\xfe\xff": "it is UTF-16",
}
_LINE_ENDS = "its lines end as on Windows (CR LF)"
#: What to do with such a log: each byte of a line is in its check.
_COPY_AGAIN = "copy the log again, as bytes"

#: Makes a record in half the time of its own constructor.
_new = tuple.__new__


#: With the number of its line.
Numbered = tuple[int, Record | Damage]


class _Damaged(Exception):
    pass


def read_records(path: Path) -> Iterator[Record | Damage]:
    """All that can be read of a log, in order; it may be compressed, cut short or half written."""
    return map(itemgetter(1), read_numbered(path))


class Tail:
    """The last check of the section that ended last: at a header, and at the end of the file."""

    check: int | None = None


def read_numbered(
    path: Path, having: bytes = b"", since: int = 0, tail: Tail | None = None
) -> Iterator[Numbered]:
    """The same, each with its line; a header with the one after its facts.

    With ``having``, only headers and lines that have it; and only headers before the line
    ``since``. The others are not looked at. ``tail`` says how a section ended.
    """
    return chain.from_iterable(read_handfuls(path, having, since, tail))


def read_handfuls(
    path: Path, having: bytes = b"", since: int = 0, tail: Tail | None = None
) -> Iterator[list[Numbered]]:
    """The same, in lists: to ask for each record on its own takes a good part of the time.

    A header is alone in its list, so that ``tail`` says how the section before it ended.
    """
    try:
        if what := _saved_anew(path):
            yield [(1, Damage(path, 1, f"{OTHER_FORMAT}: {what}; {_COPY_AGAIN}"))]
            return
        with _opened(path) as file:
            # Of what is only looked for, nobody knows what stood before it.
            section = _Section(path, tail or Tail(), checks=not having)
            yield from _handfuls(section, file, having, since)
    except OSError as error:
        yield [(0, Damage(path, 0, f"can't be read: {error.strerror or error}"))]


def read_headers(path: Path) -> Iterator[tuple[int, Header | Damage]]:
    """The headers alone, without a look at the records; and those of another format."""
    for line, record in read_numbered(path, having=MAGIC.encode()):
        if isinstance(record, Header):
            yield line, record
        if isinstance(record, Damage) and (record.line == 0 or _is_other(record)):
            yield line, record


def _is_other(found: Record | Damage) -> bool:
    return isinstance(found, Damage) and found.what.startswith(OTHER_FORMAT)


def _saved_anew(path: Path) -> str:
    """What an editor has put before the text, if one has."""
    with path.open("rb") as file:
        begins = file.read(3)
    return next((what for mark, what in _SAVED_ANEW.items() if begins.startswith(mark)), "")


def _opened(path: Path) -> _File:
    """By what is in it, not by its name: logs are sent around and renamed."""
    with path.open("rb") as file:
        compressed = file.read(len(_GZIP)) == _GZIP
    return gzip.open(path, "rb") if compressed else path.open("rb")


class _Section:
    """What is known of the section that is read: its header, and the check before the next record.

    The check is unknown where something was passed over.
    """

    def __init__(self, path: Path, tail: Tail, *, checks: bool) -> None:
        self._path = path
        self._checks = checks
        #: Of a header that is not over yet.
        self.facts: list[tuple[str, str]] | None = None
        self.before: int | None = None
        self._tail = tail
        #: The last line that was none of the usual.
        self.number = 0

    def handfuls(self, numbered: Iterable[tuple[int, bytes]]) -> Iterator[list[Numbered]]:
        """What these lines are, with as many as can be together."""
        found: list[Numbered] = []
        for number, line in numbered:
            if (record := self._usual(number, line)) is not None:
                found.append((number, record))
                continue
            if found:
                yield found
                found = []
            for one in self.other(number, line):
                yield [(number, one)]
        if found:
            yield found

    def _usual(self, number: int, line: bytes) -> Bytes | Remark | Quiet | Damage | None:
        """A line as felt writes most of them, read at once; none if it needs a closer look.

        It is what ``other`` would make of it, in a third of the time. What the two could see in
        different ways is left to that.
        """
        found = _USUAL.fullmatch(line)
        if found is None or self.facts is not None:
            return None
        time, checked, chunk, beside, remark = found.groups()
        at_us = int(time.replace(b".", b""))
        record: Bytes | Remark | Quiet | None = None
        try:
            if chunk is None:
                record = _remark(at_us, remark)
            elif chunk.islower():  # in capitals it would be hexadecimal too, but is not felt's
                direction = "in" if chunk[0] == _IN else "out"
                comment = beside.decode(errors="replace") if beside else ""
                record = _new(Bytes, (at_us, direction, unhexlify(chunk[_SAYS:]), comment, ""))
        except ValueError:  # no text, or no hexadecimal
            return None
        if record is None:
            return None
        check, before = int(checked, 16), self.before
        if before is not None and crc_hqx(chunk or remark, crc_hqx(time, before)) != check:
            return self.damaged(number, _unlike(before))
        self.before = check if self._checks else None
        return record

    def other(self, number: int, line: bytes) -> Iterator[Record | Damage]:
        """A line of any other kind, and the header that it ends."""
        self.number = number
        if len(line) >= MAX_LINE:
            yield self.damaged(number, FAR_TOO_LONG)
            return
        try:
            text = line.decode()
        except UnicodeDecodeError:
            yield self.damaged(number, "not text")
            return
        if self._is_fact(text, line):
            return
        if self.facts is not None:
            yield self.header()
        if text.startswith(MAGIC):
            self._tail.check = self.before
            if text != f"{MAGIC}{FORMAT}":
                windows = text == f"{MAGIC}{FORMAT}\r"
                what = f"{_LINE_ENDS}; {_COPY_AGAIN}" if windows else repr(text[:80])
                yield self.damaged(number, f"{OTHER_FORMAT}: {what}")
                return
            self.facts = []
            self.before = crc_hqx(line + b"\n", NO_CHECK) if self._checks else None
        elif text and not text.startswith("#"):
            try:
                record, check = _record(text, self.before)
            except _Damaged as damaged:
                yield self.damaged(number, str(damaged))
                return
            self.before = check if self._checks else None
            yield record

    def _is_fact(self, text: str, line: bytes) -> bool:
        if self.facts is None or len(self.facts) >= MAX_FACTS or (fact := _fact(text)) is None:
            return False
        self.facts.append(fact)
        if self.before is not None:
            self.before = crc_hqx(line + b"\n", self.before)
        return True

    def header(self) -> Header:
        facts, self.facts = self.facts or [], None
        return Header(FORMAT, tuple(facts))

    def end(self) -> None:
        """The file is over."""
        self._tail.check = self.before

    def damaged(self, number: int, what: str) -> Damage:
        self.number, self.before = number, None
        return Damage(self._path, number, what)


class _Blocks:
    """A file in pieces of whole lines, each without its last end."""

    def __init__(self, file: _File) -> None:
        self._file = file
        #: What is wrong where it ends.
        self.damage = ""

    def __iter__(self) -> Iterator[bytes]:
        rest = b""
        try:
            while block := self._file.read1(_BLOCK):
                lines, end, rest = (rest + block).rpartition(b"\n")
                # A file without an end of line must not fill the memory.
                rest = rest[:MAX_LINE]
                if end:
                    yield lines
        except (EOFError, gzip.BadGzipFile, zlib.error):
            self.damage = ENDS_EARLY
        else:
            if rest:
                self.damage = FAR_TOO_LONG if len(rest) >= MAX_LINE else CUT_SHORT


def _handfuls(
    section: _Section, file: _File, having: bytes, since: int
) -> Iterator[list[Numbered]]:
    first = 1
    blocks = _Blocks(file)
    for block in blocks:
        following = first + block.count(b"\n") + 1
        # What nobody asked for is not even taken apart.
        if (following >= since and having in block) or _is_always_read(block):
            lines = block.split(b"\n")
            if first < since:
                yield from _before(section, first, lines[: since - first], having, since)
                lines, first = lines[since - first :], since
            numbered: Iterable[tuple[int, bytes]] = enumerate(lines, first)
            if having:
                numbered = [
                    (number, line)
                    for number, line in numbered
                    if having in line or line[:1] == b"#" or len(line) >= MAX_LINE
                ]
            yield from section.handfuls(numbered)
        first = following
    if blocks.damage:
        yield [(first, section.damaged(first, blocks.damage))]
    if section.facts is not None:
        yield [(section.number, section.header())]
    section.end()


def _before(
    section: _Section, first: int, lines: list[bytes], having: bytes, since: int
) -> Iterator[list[Numbered]]:
    """Lines before the first that is wanted: headers, and the last one because of its check."""
    for number, line in enumerate(lines, first):
        last = number == since - 1
        if not _is_always_read(line) and not (last and having in line):
            continue
        if last and line[:1] != b"#":
            if section.facts is not None:
                yield [(number, section.header())]
            section.before = None  # what stood before it was passed over
        for one in section.other(number, line):
            if isinstance(one, Header) or _is_other(one) or len(line) >= MAX_LINE:
                yield [(number, one)]


def _is_always_read(lines: bytes) -> bool:
    """Whatever is looked for: what may be of a header, and what is too long to be a line.

    Of several lines only the first can be: the others were read in one go.
    """
    return (
        lines[:1] == b"#"
        or b"\n#" in lines
        or (len(lines) >= MAX_LINE and b"\n" not in lines[:MAX_LINE])
    )


def _remark(at_us: int, said: bytes) -> Remark | Quiet | None:
    if said[0] == _TABLE:
        return _new(Remark, (at_us, "table", said[_SAYS:].decode()))
    return quiet_of(at_us, said[_SAYS:])


def _unlike(last: int) -> str:
    return f"{ALTERED}, or what stood before it (check {last:04x}) is missing"


def _fact(line: str) -> tuple[str, str] | None:
    found = _FACT.fullmatch(line)
    if found is None:
        return None
    try:
        return found[1], unescaped(found[2])
    except _Damaged:
        return found[1], found[2]


def _record(line: str, before: int | None) -> tuple[Bytes | Remark | Clock | Quiet, int | None]:
    """The record, and its check.

    A note of somebody else has none, and the one before it stands. Where another has none somebody
    has edited it: nobody knows what the next one follows.
    """
    found = _RECORD.fullmatch(line)
    if found is None:
        raise _Damaged("no time and word at its beginning")
    at_us = int(found[2]) * 1_000_000 + int(found[3])
    word, rest = found[6], found[7] or ""
    check = before if word == "note" else None
    if found[4] is not None:
        check = int(found[4], 16)
        said = found[5].partition(BESIDE)[0] if word in ("in", "out") else found[5]
        if before is not None and check != crc_hqx(
            said.encode(), crc_hqx(found[1].encode(), before)
        ):
            raise _Damaged(_unlike(before))
    return _said(at_us, word, rest), check


def _said(at_us: int, word: str, rest: str) -> Bytes | Remark | Clock | Quiet:
    match word:
        case "in" | "out" as direction:
            return _bytes(at_us, direction, rest)
        case "port" | "device" | "table" | "state" | "note" | "gap" if rest:
            return Remark(at_us, word, unescaped(rest))
        case "clock" if _UTC.fullmatch(rest):
            return Clock(at_us, int(rest))
        case "quiet":
            return _quiet(at_us, rest)
        case "clock":
            raise _Damaged("a clock without its time")
        case "port" | "device" | "table" | "state" | "note" | "gap":
            raise _Damaged(f"a {word} that says nothing")
        case _:
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
