"""Verifies the journal of a felt table. One file, nothing but Python's standard library.

    python verifier.py J.db

It reads the file byte by byte, by its own reading of SQLite's file format, and changes nothing.
It checks

- the chain: every entry follows from the one before, from the header to the head;
- the numbering, and the index of rounds;
- every other byte of the file: what SQLite leaves unused is zero, rows are encoded as SQLite
  encodes them, and pages that SQLite rearranges have their digest on a ledger in the file;
- the log beside the file (J.db-wal), if it is there: entries in it are as good as any.

Printed are the findings, each with its entry or its page, and the head: the last entry's number
and link. The chain shows what was altered, not what was cut off or made anew as a whole: for that,
compare the head with one that was noted down elsewhere.

Exit code 0: sound. 1: damaged. 2: can't be read, or is not a journal.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import datetime
import fcntl
import hashlib
import os
import sqlite3
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

APPLICATION_ID = 0x66656C74
SCHEMA = 2
FORMAT = 1
PAGE = 4096
#: SQLite leaves the page at one gibibyte alone, because its locks are on bytes there.
NEVER_USED = (1 << 30) // PAGE + 1
#: The kind of an entry that holds a signed head: what it says is docs/journal.md's business.
NOTE = "head"
MAX_PAYLOAD = (1 << 20) + 4096
MAX_DEPTH = 20
MAX_FINDINGS = 100

#: What the file's own table of contents must say: the kind, name, table and text of each.
# fmt: off
CONTENTS = {
    ("table", "journal", "journal"): "CREATE TABLE journal (id INTEGER PRIMARY KEY CHECK (id = 1), format INTEGER NOT NULL, of_table TEXT NOT NULL, created INTEGER NOT NULL, link BLOB NOT NULL) STRICT",  # noqa: E501
    ("trigger", "journal_once", "journal"): "CREATE TRIGGER journal_once BEFORE INSERT ON journal WHEN EXISTS (SELECT 1 FROM journal) BEGIN SELECT RAISE(ABORT, 'the journal has its header'); END",  # noqa: E501
    ("trigger", "journal_update", "journal"): "CREATE TRIGGER journal_update BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",  # noqa: E501
    ("trigger", "journal_delete", "journal"): "CREATE TRIGGER journal_delete BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",  # noqa: E501
    ("table", "entries", "entries"): "CREATE TABLE entries (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, round INTEGER, link BLOB NOT NULL, body BLOB NOT NULL) STRICT",  # noqa: E501
    ("trigger", "entries_next", "entries"): "CREATE TRIGGER entries_next BEFORE INSERT ON entries WHEN NEW.seq IS NOT (SELECT ifnull(max(seq), 0) + 1 FROM entries) BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",  # noqa: E501
    ("trigger", "entries_update", "entries"): "CREATE TRIGGER entries_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",  # noqa: E501
    ("trigger", "entries_delete", "entries"): "CREATE TRIGGER entries_delete BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",  # noqa: E501
    ("table", "rounds", "rounds"): "CREATE TABLE rounds (round INTEGER NOT NULL, first INTEGER NOT NULL, PRIMARY KEY (round, first)) STRICT, WITHOUT ROWID",  # noqa: E501
    ("table", "pages", "pages"): "CREATE TABLE pages (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, digest BLOB NOT NULL) STRICT",  # noqa: E501
}

#: What the first hundred bytes must say, as far as it is the same in every journal.
HEADER = (
    (0, b"SQLite format 3\0", "the mark of an SQLite file"),
    (16, b"\x10\x00", "the page size"),
    (18, b"\x02\x02", "the log's format"),
    (20, b"\x00\x40\x20\x20", "the layout of pages"),
    (32, bytes(8), "the list of free pages"),
    (44, b"\0\0\0\x04", "the schema's format"),
    (48, bytes(8), "settings that felt leaves alone"),
    (56, b"\0\0\0\x01", "the text encoding"),
    (60, SCHEMA.to_bytes(4, "big"), "the number of felt's schema"),
    (64, bytes(4), "a setting that felt leaves alone"),
    (68, APPLICATION_ID.to_bytes(4, "big"), "felt's mark"),
    (72, bytes(20), "bytes kept for the future"),
)
# fmt: on
#: Each is numbered when it is made; an older schema had a few more.
MOST_CONTENTS = 32
#: And what differs between files, but not by much.
COUNTED = (
    (40, 255, "the number of changes to the schema"),
    (96, 3_999_999, "the version of SQLite that wrote last"),
)


class Unreadable(Exception):
    """There is no journal here that could be verified."""


class Finding(NamedTuple):
    """Something that is not as it was written."""

    where: str
    what: str
    #: "log" for the log, "ledger" where a page differs from its digest, else "record".
    kind: str = "record"
    entry: int | None = None
    page: int | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclasses.dataclass
class Log:
    """The frames of the log that count, and what is wrong with the rest."""

    #: Frames up to the last commit.
    frames: int = 0
    #: Where in the log the newest content of each page begins.
    pages: dict[int, int] = dataclasses.field(default_factory=dict)
    #: How many pages the file has after the last commit.
    size: int = 0
    #: Sound frames after the last commit: somebody was writing when the end came.
    unfinished: int = 0
    trouble: str = ""
    #: The trouble can't come from a write that was cut short: more was written after it.
    proven: bool = False


@dataclasses.dataclass
class Report:
    """What was found out about a journal."""

    path: Path
    table: str = ""
    created: int = 0
    #: The last entry: who has noted this pair down elsewhere can compare.
    head_seq: int = 0
    head_link: bytes = b""
    rounds: int = 0
    #: The last signed head that stands in it, by its entry.
    last_note: tuple[int, bytes] | None = None
    #: The links of the entries that were asked for, as far as it has them.
    links: dict[int, bytes] = dataclasses.field(default_factory=dict)
    pages: int = 0
    log: Log = dataclasses.field(default_factory=Log)
    #: The first hundred of each kind, and how many there are.
    findings: list[Finding] = dataclasses.field(default_factory=list)
    counts: dict[str, int] = dataclasses.field(default_factory=dict)
    #: Of the pages that differ from the ledger, the digest that they have.
    digests: dict[int, bytes] = dataclasses.field(default_factory=dict)
    remarks: list[str] = dataclasses.field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not self.findings

    def find(self, finding: Finding) -> None:
        count = self.counts[finding.kind] = self.counts.get(finding.kind, 0) + 1
        if count <= MAX_FINDINGS:
            self.findings.append(finding)


def verify(
    path: Path | str, *, locked: bool = False, wanted: frozenset[int] = frozenset()
) -> Report:
    """All checks. Raises ``Unreadable`` if there is nothing to check.

    ``locked`` says that the caller has the journal's lock, and no connection to its file; of the
    entries that are ``wanted`` the report has the links.
    """
    with _opened(Path(path), locked=locked) as image:
        check = _Check(image, wanted)
        if check.contents():
            check.ledger()
            check.record()
            check.leftover_pages()
        if check.report.sound and image.log.frames == 0 and not image.held:
            _second_opinion(check.report)
        return check.report


def survey(path: Path | str, *, locked: bool = False) -> Report:
    """The quick checks that go before opening: header, log, whose it is, and what has a digest."""
    with _opened(Path(path), locked=locked) as image:
        check = _Check(image)
        if check.contents():
            check.ledger()
            check.header_row()
            check.ledger_pages()
        return check.report


def peek(path: Path | str, *, locked: bool = False) -> tuple[bytes, Log]:
    """The first page and the log, whatever kind of file it is."""
    with _opened(Path(path), locked=locked) as image:
        return image.page(1), image.log


# The log: SQLite's write-ahead log, whose frames lie over the pages of the file.

FRAME_HEADER = struct.Struct(">IIIIII")
FRAME = FRAME_HEADER.size + PAGE
LOG_HEADER = struct.Struct(">IIIIIIII")
LOG_MAGIC = 0x377F0682
LOG_FORMAT = 3007000


Read = Callable[[int, int], bytes]


def read_log(read: Read, size: int) -> Log:
    """The log, up to its end or the first frame that is not as it was written.

    SQLite takes a frame that fails its checksum for the end, and forgets what comes after it.
    That is right after a power cut, where the last commit was cut short before anyone was told
    of it, and wrong for a byte that was altered later.
    """
    log = Log()
    head = read(0, LOG_HEADER.size)
    if len(head) < LOG_HEADER.size:
        return log
    magic, form, page, _, *salts, one, two = LOG_HEADER.unpack(head)
    big = magic == LOG_MAGIC | 1
    sums = _checksum(head[:24], (0, 0), big=big)
    if (magic | 1, form, page, sums) != (LOG_MAGIC | 1, LOG_FORMAT, PAGE, (one, two)):
        _broken_header(log, read, ((one, two), sums))
        return log
    frames = (size - LOG_HEADER.size) // FRAME
    sums = (one, two)
    for number in range(frames):
        at = LOG_HEADER.size + number * FRAME
        frame = read(at, FRAME)
        its, commit, *its_salts, one, two = FRAME_HEADER.unpack_from(frame)
        if its_salts == salts:
            new = _frame_sums(frame, sums, big=big)
            if new == (one, two):
                sums = new
                log.pages[its] = at + FRAME_HEADER.size
                log.unfinished += 1
                if commit:
                    log.frames, log.size, log.unfinished = number + 1, commit, 0
                continue
        _broken_frame(log, read, range(number, frames), sums, big=big)
        break
    if log.unfinished:
        _forget_unfinished(log, read)
    return log


def _frame_sums(frame: bytes, before: tuple[int, int], *, big: bool) -> tuple[int, int]:
    head = _checksum(frame[:8], before, big=big)
    return _checksum(frame[FRAME_HEADER.size :], head, big=big)


def _checksum(data: bytes, sums: tuple[int, int], *, big: bool) -> tuple[int, int]:
    """SQLite's running checksum over a log."""
    one, two = sums
    words = struct.unpack(f"{'>' if big else '<'}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


def _broken_header(log: Log, read: Read, seeds: tuple[tuple[int, int], ...]) -> None:
    """A log without a sound header, which SQLite would ignore as a whole."""
    frame = read(LOG_HEADER.size, FRAME)
    if not any(read(0, LOG_HEADER.size)) and not any(frame[: FRAME_HEADER.size]):
        return  # made ready, and never used
    log.trouble = "the log's header is not as it was written"
    if len(frame) == FRAME:
        stored = FRAME_HEADER.unpack_from(frame)[4:]
        # The header is on the disk before the first frame is written, so a frame that follows
        # from it, or from what it was, shows that the header was sound once.
        log.proven = any(
            _frame_sums(frame, seed, big=big) == stored for seed in seeds for big in (False, True)
        )
        log.proven |= not any(read(0, LOG_HEADER.size))


def _broken_frame(log: Log, read: Read, frames: range, sums: tuple[int, int], *, big: bool) -> None:
    """Is this the end of the log, or damage? And if so, can it be a write cut short?

    A commit is on the disk before the next one is written. So a sound frame behind a later
    commit shows that everything before that commit had been written well.
    """
    salts = struct.unpack(">II", read(16, 8))
    name = f"frame {frames[0] + 1} of the log"
    frame = read(LOG_HEADER.size + frames[0] * FRAME, FRAME)
    _, commit, *its_salts, one, two = FRAME_HEADER.unpack_from(frame)
    would_be = _frame_sums(frame, sums, big=big)
    committed = False
    if tuple(its_salts) == salts:
        log.trouble = f"{name} fails its checksum"
        committed = commit != 0
    elif would_be == (one, two):
        log.trouble = f"{name} has another log's mark"
        log.proven = True
        return
    seeds = {(one, two), would_be}
    for later in frames[1:]:
        at = LOG_HEADER.size + later * FRAME
        _, commit, *its_salts, one, two = FRAME_HEADER.unpack_from(read(at, FRAME_HEADER.size))
        if tuple(its_salts) == salts:
            whole = read(at, FRAME)
            if any(_frame_sums(whole, seed, big=big) == (one, two) for seed in seeds):
                log.trouble = log.trouble or f"{name} is gone"
                if committed:
                    log.proven = True
                    return
                committed = commit != 0
        seeds = {(one, two)}


def _forget_unfinished(log: Log, read: Read) -> None:
    """Frames after the last commit don't count, nor do they hide what they would replace."""
    log.pages.clear()
    for number in range(log.frames):
        at = LOG_HEADER.size + number * FRAME
        page = int.from_bytes(read(at, 4), "big")
        log.pages[page] = at + FRAME_HEADER.size


# The file with the log over it.


class _Image:
    """The pages as SQLite would show them."""

    def __init__(self, path: Path, main: int, wal: int | None, shm: int | None) -> None:
        self.path = path
        self.held = shm is not None
        self._main = main
        self._read_wal: Read = lambda _, __: b""
        self.bytes = os.fstat(main).st_size
        self.log = Log()
        if wal is not None and shm is not None:
            copy = self._copy_of_log(wal, shm)
            self._read_wal = lambda at, count: copy[at : at + count]
            self.log = read_log(self._read_wal, len(copy))
        elif wal is not None:
            self._read_wal = lambda at, count: os.pread(wal, count, at)
            self.log = read_log(self._read_wal, os.fstat(wal).st_size)

    def _copy_of_log(self, wal: int, shm: int) -> bytes:
        """The log of a journal that is being written: as far as SQLite says it goes.

        A read transaction keeps the file as it is. But once all of the log is in the file, it may
        be begun anew: so a copy is kept, and taken again if that has happened meanwhile.
        """
        for _ in range(10):
            shared = os.pread(shm, 48, 0)
            (frames,) = struct.unpack_from("=I", shared, 16)
            copy = os.pread(wal, LOG_HEADER.size + frames * FRAME, 0)
            if shared[32:40] != copy[16:24]:
                return b""  # begun anew in memory, and nothing written since
            if os.pread(wal, LOG_HEADER.size, 0) == copy[: LOG_HEADER.size]:
                return copy
        raise Unreadable(f"{self.path}: is written too fast to be read; try again")

    def page(self, number: int) -> bytes:
        """A page's bytes; short, where the file ends too early."""
        at = self.log.pages.get(number)
        if at is not None:
            return self._read_wal(at, PAGE)
        return os.pread(self._main, PAGE, (number - 1) * PAGE)

    def expect(self, numbers: Iterable[int]) -> None:
        """These pages come next: the disk may look for all of them at once."""
        # Not every system has this, and none needs it.
        if advise := getattr(os, "posix_fadvise", None):
            for number in numbers:
                advise(self._main, (number - 1) * PAGE, PAGE, os.POSIX_FADV_WILLNEED)

    def in_log(self, number: int) -> bool:
        return number in self.log.pages


@contextlib.contextmanager
def _opened(path: Path, *, locked: bool) -> Iterator[_Image]:
    with contextlib.ExitStack() as stack:

        def opened(name: str) -> int:
            fd = os.open(name, os.O_RDONLY)
            stack.callback(os.close, fd)
            return fd

        try:
            held = not locked and _held(path)
            main = opened(str(path))
            wal = shm = None
            with contextlib.suppress(FileNotFoundError):
                wal = opened(f"{path}-wal")
            if os.fstat(main).st_size < 512:
                raise Unreadable(f"{path}: is not a journal of felt: it is too short")
            if held:
                # To be closed after SQLite's connection: closing a file, however it was opened,
                # ends all locks that the process has on it.
                shm = opened(f"{path}-shm")
                stack.enter_context(_kept_still(path))
            yield _Image(path, main, wal, shm)
        except OSError as error:
            raise Unreadable(f"{path}: can't be read: {error.strerror}") from error


def _held(path: Path) -> bool:
    """Is a felt writing this journal now?"""
    try:
        lock = os.open(f"{path}-lock", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        if os.pread(lock, 20, 0).strip() == str(os.getpid()).encode():
            # Closing our file would take away the locks that this process has on it.
            raise Unreadable(
                f"{path}: is open in this very process; verify it from another, or close it first"
            ) from None
        return True
    finally:
        os.close(lock)
    return False


@contextlib.contextmanager
def _kept_still(path: Path) -> Iterator[None]:
    """While this holds, nothing that we see of a journal in use is written over."""
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        ) as db:
            db.execute("BEGIN")
            db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            yield
    except sqlite3.Error as error:
        raise Unreadable(f"{path}: is in use, and can't be read beside: {error}") from None


# SQLite's encodings.


class Fault(NamedTuple):
    """A place where rows should be and can't be read; or, between rows, something should not be."""

    page: int
    at: int
    what: str
    between: bool = False


class _Bad(Exception):
    """Bytes that SQLite would not have written."""

    def __init__(self, at: int | None, what: str) -> None:
        super().__init__(what)
        #: The byte of the page; none where the fault lies with whatever led to the page.
        self.at = at
        self.what = what

    def fault(self, page: int, parent: int) -> Fault:
        return Fault(parent if self.at is None else page, self.at or 0, self.what)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    part = data[at : at + 8]
    if part and part[0] < 0x80:
        return part[0], at + 1
    value = 0
    for used, byte in enumerate(part, 1):
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            if part[0] == 0x80:
                raise _Bad(at, "a number is longer than it need be")
            return value, at + used
    # All of ours are shorter than nine bytes.
    raise _Bad(at, "a number has no end")


Value = int | str | bytes | None

#: Bytes of a column by its kind; from 12 on, a blob or a text, and the kind says how long.
_SIZES = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0}
#: A number that would fit into this many bytes is not written in more.
_SHORTER = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 6}


def _values(payload: bytes) -> list[Value]:
    """The columns of a row, if they are written in the one way in which SQLite writes them."""
    end, at = _varint(payload, 0)
    if end > len(payload):
        raise _Bad(0, "a row's header runs over its end")
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if at != end:
        raise _Bad(0, "a row's header runs over its end")
    values: list[Value] = []
    for kind in kinds:
        stop = at + ((kind - 12) >> 1 if kind >= 12 else _SIZES.get(kind, MAX_PAYLOAD))
        if stop > len(payload):
            raise _Bad(at, "a column runs over the end of its row")
        values.append(_value(kind, payload[at:stop]))
        at = stop
    if at != len(payload):
        raise _Bad(at, "a row goes on after its last column")
    return values


def _value(kind: int, part: bytes) -> Value:
    if kind >= 12:
        if kind % 2 == 0:
            return part
        try:
            return part.decode()
        except UnicodeDecodeError:
            raise _Bad(0, "a text is not UTF-8") from None
    if kind == 0:
        return None
    if kind >= 8:
        return kind - 8
    value = int.from_bytes(part, "big", signed=True)
    shorter = _SHORTER[kind]
    fits = -(1 << 8 * shorter - 1) <= value < 1 << 8 * shorter - 1 if shorter else value in (0, 1)
    if fits:
        raise _Bad(0, "a number is longer than it need be")
    return value


# The trees.

LEAF, INTERIOR, INDEX_LEAF, INDEX_INTERIOR = 13, 5, 10, 2
#: A row of a table up to this size is in its page as a whole.
LOCAL = PAGE - 35
MIN_LOCAL = (PAGE - 12) * 32 // 255 - 23
INDEX_LOCAL = (PAGE - 12) * 64 // 255 - 23


#: What a page has been found to be.
_USED, _ON_LEDGER = 1, 2


class Row(NamedTuple):
    """A row as it stands in a page: its columns are still to be read."""

    key: int
    payload: bytes
    page: int
    at: int


class _Check:
    """One journal under examination."""

    def __init__(self, image: _Image, wanted: frozenset[int] = frozenset()) -> None:
        self.image = image
        self._wanted = wanted
        self.report = Report(image.path, log=image.log)
        self.roots: dict[str, int] = {}
        self.pages = 0
        self._seen = bytearray()
        #: Once known: the digest that each page should have, and where the ledger says so.
        self._digests: dict[int, tuple[bytes, Row]] | None = None
        #: Pages that were read before the ledger was.
        self._waiting: list[tuple[int, str, bytes]] = []

    def _find(
        self, page: int, at: int, what: str, entry: int | None = None, kind: str = "record"
    ) -> None:
        where = f"page {page}, byte {at} (byte {(page - 1) * PAGE + at} of the file)"
        if self.image.in_log(page):
            where = f"page {page}, byte {at} (in the log)"
        if entry is not None:
            where = f"entry {entry}, {where}"
        self.report.find(Finding(where, what, kind, entry, page))

    def _find_fault(self, fault: Fault, entry: int | None = None) -> None:
        self._find(fault.page, fault.at, fault.what, entry)

    # What the file is.

    def contents(self) -> bool:
        """The header and the table of contents; false if there is no going on."""
        self._check_log()
        first = self.image.page(1)
        ours = self._contents(first)
        mark = first[:16] == HEADER[0][1]
        if not ours and first[68:72] != APPLICATION_ID.to_bytes(4, "big"):
            what = "it is the database of something else" if mark else "it is no database"
            raise Unreadable(f"{self.image.path}: is not a journal of felt: {what}")
        schema = int.from_bytes(first[60:64], "big")
        if not ours and mark and schema != SCHEMA:
            raise Unreadable(
                f"{self.image.path}: has schema {schema}, and this verifier knows {SCHEMA};"
                f" {'use a newer one' if schema > SCHEMA else 'open it with felt first'}"
            )
        self._check_header(first)
        if not ours and self.report.sound:
            self._find(1, 100, "the table of contents is not as felt creates it")
        return ours

    def _check_log(self) -> None:
        log = self.image.log
        if log.trouble:
            what = log.trouble
            if not log.proven:
                what += (
                    "; it was altered, or it was being written when the power went and nobody was"
                    " told of it: open the journal with felt, then compare the head"
                )
            self.report.find(Finding(f"{self.image.path.name}-wal", what, "log"))
        if log.unfinished:
            self.report.remarks.append(
                f"{log.unfinished} frames at the end of the log belong to a commit that was not"
                " finished, and don't count"
            )

    def _check_header(self, first: bytes) -> None:
        for at, wanted, what in HEADER:
            if first[at : at + len(wanted)] != wanted:
                self._find(1, at, f"{what} is not as felt writes it")
        for at, most, what in COUNTED:
            if not 0 < int.from_bytes(first[at : at + 4], "big") <= most:
                self._find(1, at, f"{what} can't be")
        changes, valid_for = first[24:28], first[92:96]
        if changes != valid_for:
            self._find(1, 24, "the two counters of changes differ")
        said = int.from_bytes(first[28:32], "big")
        if self.image.log.frames:
            if said != self.image.log.size:
                self._find(1, 28, "the log and the header differ about the size of the file")
        elif said * PAGE != self.image.bytes:
            self._find(1, 28, f"the file has {self.image.bytes} bytes, not {said} pages")

    def _contents(self, first: bytes) -> bool:
        self.pages = self.report.pages = max(1, (self.image.bytes + PAGE - 1) // PAGE)
        said = int.from_bytes(first[28:32], "big")
        if self.image.log.frames:
            self.pages = self.report.pages = self.image.log.size
        elif said and said * PAGE == self.image.bytes:
            self.pages = self.report.pages = said
        self._seen = bytearray(self.pages + 1)
        left = dict(CONTENTS)
        faults: list[Fault] = []
        for row in self._table("the table of contents", 1):
            if isinstance(row, Fault):
                faults.append(row)
                continue
            try:
                kind, name, table, root, text = (
                    one.hex() if isinstance(one, bytes) else one for one in _values(row.payload)
                )
                if left.pop((str(kind), str(name), str(table)), None) != text:
                    raise _Bad(0, f"{kind} {name} is not as felt creates it")
                if row.key > MOST_CONTENTS:
                    raise _Bad(0, f"{kind} {name} has a number that can't be")
                if kind == "table" and isinstance(root, int):
                    self.roots[str(name)] = root
                elif root != 0:
                    raise _Bad(0, f"{kind} {name} has a page, and needs none")
            except (_Bad, ValueError) as bad:
                what = bad.what if isinstance(bad, _Bad) else "a row has too many columns"
                faults.append(Fault(row.page, row.at, what))
        tables = {name for kind, name, _ in CONTENTS if kind == "table"}
        # As long as most of it is felt's, what is not is damage.
        if len(left) > len(CONTENTS) // 2:
            return False
        for fault in faults:
            self._find_fault(fault)
        for kind, name, _ in left:
            self._find(1, 0, f"the table of contents lacks the {kind} {name}")
        return tables <= self.roots.keys()

    # The ledger.

    def ledger(self) -> None:
        """Read which digests the pages should have, and check those already seen."""
        digests: dict[int, tuple[bytes, Row]] = {}
        expected = 1
        for row in self._table("the ledger of pages", self.roots["pages"]):
            if isinstance(row, Fault):
                self._find_fault(row)
                continue
            match self._columns(row, "the ledger of pages"):
                case [None, int(page), bytes(digest)] if (
                    row.key == expected
                    and 1 <= page <= self.pages
                    and page not in digests
                    and len(digest) == 32
                ):
                    digests[page] = digest, row
                case [*_]:
                    self._find(row.page, row.at, "a row of the ledger of pages makes no sense")
            expected = row.key + 1
        self._digests = digests
        for page, tree, data in self._waiting:
            self._check_digest(page, tree, data)
        self._waiting.clear()

    def ledger_pages(self) -> None:
        """Compare every page on the ledger, without walking the trees."""
        left = [page for page in self._digests or {} if not self._seen[page]]
        # They lie scattered over the file. One after the other, after a power cut, this took most
        # of the start of a table with a million rounds.
        self.image.expect(left)
        for page in left:
            self._check_digest(page, "a tree", self.image.page(page))

    def _check_digest(self, page: int, tree: str, data: bytes) -> None:
        self._seen[page] = _ON_LEDGER
        if self._digests is None:
            self._waiting.append((page, tree, data))
            return
        if self.image.in_log(page):
            return  # the log has checksums of its own, and the ledger follows when it is emptied
        digest = hashlib.sha256(data).digest()
        said = self._digests.get(page)
        if said is None:
            what = f"this page of {tree} is not on the ledger"
        elif said[0] != digest:
            row = said[1]
            what = (
                f"this page of {tree} differs from its digest on the ledger"
                f" (page {row.page}, byte {row.at})"
            )
        else:
            return
        self.report.digests[page] = digest
        self._find(page, 0, what, kind="ledger")

    # The record.

    def record(self) -> None:
        """The header row, the entries, and what is derived from them."""
        before = self.header_row()
        found = len(self.report.findings)
        spans = self._entries(before)
        whole = len(self.report.findings) == found
        self._rounds(spans if whole else None)

    def header_row(self) -> bytes | None:
        rows = list(self._table("the header", self.roots["journal"]))
        link: bytes | None = None
        for row in rows:
            if isinstance(row, Fault):
                self._find_fault(row)
                continue
            match self._columns(row, "the header"):
                case [None, int(form), str(table), int(created), bytes() as its]:
                    link = its
                    self.report.table, self.report.created = table, created
                    if row.key != 1 or form != FORMAT or created < 0:
                        self._find(row.page, row.at, "the header makes no sense")
                    elif header_link(form, created, table) != its:
                        self._find(row.page, row.at, "the header is not as it was written")
                case [*_]:
                    self._find(row.page, row.at, "the header makes no sense")
        if len(rows) != 1:
            self._find(self.roots["journal"], 0, f"there are {len(rows)} headers")
        self.report.head_link = link or b""
        if 0 in self._wanted and link:
            self.report.links[0] = link
        return link

    def _entries(self, before: bytes | None) -> _Sum:
        """The chain. Gives the sum of the stretches of rounds.

        After a finding it goes on with the next entry that can be read. An entry is right if it
        follows from the link before it as it stands there, or as it should stand there: so an
        altered link is blamed on its own entry and not on the next.
        """
        spans = _Sum()
        befores = {before} if before else set()
        expected = 1
        lost = False
        current: int | None = None
        for row in self._table("the entries", self.roots["entries"]):
            if isinstance(row, Fault):
                self._find_fault(row, entry=None if row.between else expected)
                lost |= not row.between
                continue
            if row.key != expected:
                if not lost:
                    self._find(row.page, row.at, f"here is entry {row.key}", entry=expected)
                befores = set()
            lost = False
            expected = row.key + 1
            match self._columns(row, "the entries", entry=row.key):
                case [None, int(at), str(kind), None | int() as round_, bytes(link), bytes(body)]:
                    pass
                case None:
                    befores = set()
                    continue
                case _:
                    self._find(row.page, row.at, "this is no entry", entry=row.key)
                    befores = set()
                    continue
            rights = {entry_link(one, row.key, at, kind, round_, body) for one in befores}
            if befores and link not in rights:
                self._find(row.page, row.at, "it is not as it was written", entry=row.key)
            befores = {link} if link in rights else {link, *rights}
            if round_ is not None and round_ != current:
                current = round_
                spans.add(round_, row.key)
            if kind == NOTE:
                self._note(row, body)
            if row.key in self._wanted:
                self.report.links[row.key] = link
            self.report.head_seq, self.report.head_link = row.key, link
        self.report.rounds = spans.rounds
        return spans

    def _note(self, row: Row, body: bytes) -> None:
        """A signed head says what the entry before it was: who chains anew can't sign that."""
        said = body.split(b"\n")
        report = self.report
        report.last_note = row.key, body
        known = [b"%d" % report.head_seq, base64.b64encode(report.head_link)]
        if report.head_seq == row.key - 1 and said[1:3] != known:
            what = "the head that was signed here is not that of the entries before it"
            self._find(row.page, row.at, what, entry=row.key)

    def _rounds(self, wanted: _Sum | None) -> None:
        spans = _Sum()
        last = (-1, -1)
        for row in self._index("the index of rounds", self.roots["rounds"]):
            if isinstance(row, Fault):
                self._find_fault(row)
                continue
            match self._columns(row, "the index of rounds"):
                case [int(round_), int(first)] if (round_, first) > last:
                    last = round_, first
                    spans.add(round_, first)
                case [*_]:
                    self._find(row.page, row.at, "a row of the index of rounds makes no sense")
        self.report.rounds = spans.rounds
        if wanted is not None and wanted.total != spans.total:
            self._find(self.roots["rounds"], 0, "the index of rounds does not fit the entries")

    def _columns(self, row: Row, tree: str, entry: int | None = None) -> list[Value] | None:
        """A row's columns; where they can't be read, a finding and nothing."""
        try:
            return _values(row.payload)
        except _Bad as bad:
            self._find(row.page, row.at, f"{bad.what}, in {tree}", entry=entry)
            return None

    def leftover_pages(self) -> None:
        """Every page belongs to something. After other findings, that is hard to say."""
        if self.report.findings:
            return
        for page in range(1, self.pages + 1):
            if page == NEVER_USED:
                if any(self.image.page(page)):
                    self._find(page, 0, "SQLite never uses this page, and it is not empty")
            elif not self._seen[page]:
                self._find(page, 0, "this page belongs to nothing")
        for page, (_, row) in (self._digests or {}).items():
            if self._seen[page] != _ON_LEDGER:
                self._find(row.page, row.at, f"the ledger has page {page}, which is not for it")

    # Walking the trees.

    def _take(self, number: int) -> bytes:
        """A page that is used for the first time."""
        if not 1 <= number <= self.pages:
            raise _Bad(None, f"refers to page {number}, which is not there")
        if self._seen[number]:
            raise _Bad(None, f"refers to page {number}, which is used elsewhere")
        self._seen[number] = _USED
        data = self.image.page(number)
        if len(data) != PAGE:
            raise _Bad(None, f"the file ends within page {number}")
        return data

    def _table(self, tree: str, root: int) -> Iterator[Row | Fault]:
        """The rows of a table in the order of their keys."""
        depth_of_leaves = None
        stack = [(root, root, -1, (1 << 63) - 1, 0)]
        while stack:
            number, parent, low, high, depth = stack.pop()
            try:
                data = self._take(number)
                start = 100 if number == 1 else 0
                if data[start] == INTERIOR:
                    self._check_digest(number, tree, data)
                    if depth == MAX_DEPTH:
                        raise _Bad(0, "the tree is too deep")
                    children = list(_children(data, start, low, high))
                    stack += [
                        (child, number, below, above, depth + 1)
                        for child, below, above in reversed(children)
                    ]
                    continue
                if data[start] != LEAF:
                    raise _Bad(start, f"this is no page of {tree}")
                if depth_of_leaves not in (None, depth):
                    raise _Bad(start, f"{tree} is lopsided")
                depth_of_leaves = depth
                if number == 1:
                    self._check_digest(number, tree, data)
            except _Bad as bad:
                yield bad.fault(number, parent)
                continue
            yield from self._leaf(number, data, start, low, high)

    def _leaf(
        self, number: int, data: bytes, start: int, low: int, high: int
    ) -> Iterator[Row | Fault]:
        """The rows of one page; all of its other bytes must be zero."""
        free, count, content, fragments = struct.unpack_from(">HHHB", data, start + 1)
        if free or fragments:
            yield Fault(number, start + 1, "the page has holes, and nothing is ever removed", True)
        end = start + 8 + 2 * count
        if end > PAGE or not end <= content <= PAGE:
            yield Fault(number, start + 3, "the page's own header makes no sense")
            return
        if gap := data[end:content].lstrip(b"\0"):
            yield Fault(number, content - len(gap), "an unused byte is not zero", True)
        spaces = []
        for at in struct.unpack_from(f">{count}H", data, start + 8):
            try:
                key, payload, stop = self._cell(data, at)
                if not low < key <= high:
                    raise _Bad(at, "a row is out of order")
            except _Bad as bad:
                yield Fault(number, at if at < PAGE else start + 8, bad.what)
                continue
            spaces.append((at, stop))
            low = key
            yield Row(key, payload, number, at)
        at = content
        if len(spaces) == count:
            for begin, stop in sorted(spaces):
                if begin != at:
                    yield Fault(number, min(begin, at), "rows overlap, or leave a hole", True)
                    return
                at = stop
            if at != PAGE:
                yield Fault(number, at, "rows overlap, or leave a hole", True)

    def _cell(self, data: bytes, at: int) -> tuple[int, bytes, int]:
        """A row's key and content, its overflow pages included, and where it ends in the page."""
        size, key_at = _varint(data, at)
        key, begin = _varint(data, key_at)
        if size > MAX_PAYLOAD:
            raise _Bad(at, "a row is larger than felt writes any")
        local = size
        if size > LOCAL:
            local = MIN_LOCAL + (size - MIN_LOCAL) % (PAGE - 4)
            local = local if local <= LOCAL else MIN_LOCAL
        end = begin + local + (0 if local == size else 4)
        if end > PAGE:
            raise _Bad(at, "a row runs over the end of its page")
        if local == size:
            return key, data[begin:end], end
        parts = [data[begin : end - 4]]
        left = size - local
        link = data[end - 4 : end]
        while left:
            page = self._take(int.from_bytes(link, "big"))
            link = page[:4]
            parts.append(page[4 : 4 + left])
            if any(page[4 + left :]):
                raise _Bad(at, "an unused byte behind its end is not zero")
            left -= len(parts[-1])
        if any(link):
            raise _Bad(at, "it goes on after its end")
        return key, b"".join(parts), end

    def _index(self, tree: str, root: int) -> Iterator[Row | Fault]:
        """The rows of an index in their order. All of its pages are on the ledger."""
        stack: list[tuple[int, int, int] | Row] = [(root, root, 0)]
        while stack:
            item = stack.pop()
            if isinstance(item, Row):
                yield item
                continue
            number, parent, depth = item
            try:
                data = self._take(number)
                self._check_digest(number, tree, data)
                if data[0] not in (INDEX_LEAF, INDEX_INTERIOR) or depth == MAX_DEPTH:
                    raise _Bad(0, f"this is no page of {tree}")
                stack += reversed(list(_index_cells(number, data, depth)))
            except _Bad as bad:
                yield bad.fault(number, parent)


def _children(data: bytes, start: int, low: int, high: int) -> Iterator[tuple[int, int, int]]:
    """The pages below a page, each with the keys it may have: above the first, up to the second."""
    count, last = struct.unpack_from(">xxxHxxxI", data, start)
    if start + 12 + 2 * count > PAGE:
        raise _Bad(start + 3, "the page's own header makes no sense")
    for at in struct.unpack_from(f">{count}H", data, start + 12):
        if at + 5 > PAGE:
            raise _Bad(start + 12, "a reference runs over the end of its page")
        key, _ = _varint(data, at + 4)
        if not low < key <= high:
            raise _Bad(at, "the references of a page are out of order")
        yield int.from_bytes(data[at : at + 4], "big"), low, key
        low = key
    yield last, low, high


def _index_cells(number: int, data: bytes, depth: int) -> Iterator[tuple[int, int, int] | Row]:
    """The rows of an index's page, and the pages between them."""
    inner = data[0] == INDEX_INTERIOR
    count, last = struct.unpack_from(">xxxHxxxI", data)
    head = 12 if inner else 8
    if head + 2 * count > PAGE:
        raise _Bad(3, "the page's own header makes no sense")
    for at in struct.unpack_from(f">{count}H", data, head):
        begin = at
        if inner:
            begin = at + 4
            yield int.from_bytes(data[at:begin], "big"), number, depth + 1
        size, begin = _varint(data, begin)
        if size > INDEX_LOCAL or begin + size > PAGE:
            raise _Bad(at, "a row runs over the end of its page")
        yield Row(0, data[begin : begin + size], number, at)
    if inner:
        yield last, number, depth + 1


class _Sum:
    """A sum over stretches of rounds that does not depend on their order."""

    def __init__(self) -> None:
        self.total = 0
        self.rounds = 0
        self._last = -1

    def add(self, round_: int, first: int) -> None:
        digest = hashlib.sha256(b"%d %d" % (round_, first)).digest()
        self.total += int.from_bytes(digest, "big")
        # Exact only where rounds come in order, as they do in the index.
        self.rounds += round_ != self._last
        self._last = round_


# The chain, as docs/journal.md says it.


def header_link(form: int, created: int, table: str) -> bytes:
    name = table.encode()
    fixed = struct.pack(">IQH", form, created, len(name))
    return hashlib.sha256(b"felt journal" + fixed + name).digest()


def entry_link(  # noqa: PLR0917
    before: bytes, seq: int, at: int, kind: str, round_: int | None, body: bytes
) -> bytes:
    name = kind.encode()
    numbers = (seq, at, round_ is not None, round_ or 0, len(name))
    # What does not fit was not written by felt, and follows from nothing.
    if min(numbers) < 0 or len(name) > 255:
        return b""
    return hashlib.sha256(before + struct.pack(">QQBQB", *numbers) + name + body).digest()


# The command.


def _second_opinion(report: Report) -> None:
    """SQLite's own check, on the file as it lies there."""
    try:
        with contextlib.closing(
            sqlite3.connect(f"{report.path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        ) as db:
            answers = db.execute("PRAGMA integrity_check(5)").fetchall()
    except sqlite3.Error as error:
        if sqlite3.sqlite_version_info < (3, 37):
            report.remarks.append(
                f"SQLite {sqlite3.sqlite_version} is too old to check the file in its own way"
            )
            return
        answers = [(str(error),)]
    for (answer,) in answers:
        if answer != "ok":
            report.find(Finding(report.path.name, f"SQLite says: {answer}"))


def lines(report: Report) -> Iterator[str]:
    """The report as a person reads it."""
    if report.table:
        seconds, rest = divmod(report.created, 10**9)
        with contextlib.suppress(OverflowError, ValueError, OSError):
            made = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
            yield (
                f"{report.path}: journal of table {report.table!r},"
                f" created {made:%Y-%m-%dT%H:%M:%S}.{rest:09}Z"
            )
    yield (
        f"entries {report.head_seq}, rounds {report.rounds}, pages {report.pages},"
        f" frames in the log {report.log.frames}"
    )
    yield f"head {report.head_seq} {report.head_link.hex() or '-'}"
    yield from (f"remark: {remark}" for remark in report.remarks)
    yield from (f"DAMAGED {finding}" for finding in report.findings)
    if more := sum(report.counts.values()) - len(report.findings):
        yield f"DAMAGED and {more} more places"
    yield "sound" if report.sound else "damaged: stop the table, keep the file as it is"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write("usage: python verifier.py J.db\n")
        return 2
    try:
        report = verify(arguments[0])
    except Unreadable as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write("\n".join(lines(report)) + "\n")
    return 0 if report.sound else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
