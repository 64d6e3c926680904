"""Reading a journal: entries in order, the entries of a round, the last entry of a kind.

Every entry that is given out has been checked against the chain. Long reads come in batches with
nothing held open between them, so that a slow reader never keeps the writer from tidying its log.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeVar

from controller.journal import store
from controller.journal.entry import (
    FORMAT,
    MAX_INTEGER,
    Entry,
    Head,
    Header,
    Record,
    as_entries,
    chained,
    link,
)
from controller.journal.errors import (
    Damaged,
    JournalError,
    Missing,
    NotAJournal,
    OtherSchema,
    OtherTable,
    from_sqlite,
)
from controller.journal.schema import APPLICATION_ID, VERSION

T = TypeVar("T")

#: Makes a record in half the time of its own constructor.
_new = tuple.__new__

#: With bodies of the largest size, a batch is some tens of megabytes.
BATCH = 64

_BATCH = (
    "SELECT seq, at, kind, round, body, link FROM entries WHERE seq BETWEEN ? AND ? ORDER BY seq"
)
_NEWEST = "SELECT seq FROM entries WHERE seq <= ? AND kind = ? ORDER BY seq DESC LIMIT 1"


class Reader:
    """A journal that is read. It may be written by another process, or another thread."""

    def __init__(self, path: Path, db: sqlite3.Connection, header: Header) -> None:
        self.path = path
        self.header = header
        self._reading = db
        #: Threads share the connection, one statement at a time.
        self._read_lock = Lock()

    @classmethod
    def look(cls, path: Path | str, table: str | None = None) -> Reader:
        """Open for reading only. Nothing in the file, or beside it, is changed."""
        path = Path(path)
        if not path.exists():
            raise Missing(path)
        db = _connected(path)
        try:
            return Reader(path, db, identify(path, db, table))
        except BaseException:
            db.close()
            raise

    def close(self) -> None:
        with self._read_lock:
            self._reading.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def head(self) -> Head:
        """The last entry's number and link; before the first, 0 and the header's link."""
        found = self._ask("SELECT seq, link FROM entries ORDER BY seq DESC LIMIT 1")
        return Head(*found[0]) if found else Head(0, self.header.link)

    def entries(self, first: int = 1, last: int | None = None) -> Iterator[Entry]:
        """Entries from ``first`` to ``last``, or to the head as it is now, checked and in order."""
        end = self.head.seq
        if last is not None:
            end = min(end, last)
        before = self._link_before(first) if first <= end else b""
        while first <= end:
            batch = self._batch(first, min(end, first + BATCH - 1))
            if _follow(batch, first, before):
                yield from batch
                before, first = batch[-1].link, batch[-1].seq + 1
                continue
            for entry in batch:
                if entry.seq != first:
                    raise Damaged(self.path, "it is missing", first)
                if not _follows(entry, before):
                    raise Damaged(self.path, "it is not as it was written", first)
                before = entry.link
                first += 1
                yield entry
            if not batch:
                raise Damaged(self.path, "it is missing", first)

    def entry(self, seq: int) -> Entry:
        """One entry, checked."""
        for entry in self.entries(seq, seq):
            return entry
        raise Damaged(self.path, "it is missing", seq)

    def round(self, number: int) -> Iterator[Entry]:
        """All entries of a round, those that came after the next one had begun included."""
        starts = self._ask("SELECT first FROM rounds WHERE round = ? ORDER BY first", (number,))
        for (first,) in starts:
            for entry in self.entries(first):
                if entry.round == number:
                    yield entry
                elif entry.round is not None:
                    break
                elif entry.seq == first:
                    raise Damaged(self.path, f"it is not of round {number}", first)

    def rounds(self, last: int = 10) -> list[int]:
        """The numbers of the last rounds, an unfinished one included; the newest comes last."""
        found = self._ask("SELECT DISTINCT round FROM rounds ORDER BY round DESC LIMIT ?", (last,))
        return [number for (number,) in reversed(found)]

    def round_at(self, seq: int) -> int | None:
        """Which round it was when this entry had been decided; nothing before the first."""
        # A decision follows its event, and says what became of the round.
        found = self._ask(
            "SELECT round FROM entries WHERE seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT 1",
            (seq, seq + 1),
        )
        return next((number for (number,) in found), None)

    def begins(self, number: int) -> int | None:
        """The first entry of a round, or nothing where there is no such round."""
        ((first,),) = self._ask("SELECT min(first) FROM rounds WHERE round = ?", (number,))
        return first if first is None else int(first)

    def last(self, kind: str, at: int | None = None) -> Entry | None:
        """The newest entry of a kind, up to entry ``at`` if given.

        Kinds have no index: this looks back from there, and is for what is never far away.
        """
        upto = MAX_INTEGER if at is None else at
        for (seq,) in self._ask(_NEWEST, (upto, kind)):
            return self.entry(seq)
        return None

    def _link_before(self, seq: int) -> bytes:
        if seq == 1:
            return self.header.link
        found = self._ask("SELECT link FROM entries WHERE seq = ?", (seq - 1,))
        if not found:
            raise Damaged(self.path, "it is missing", seq - 1)
        before: bytes = found[0][0]
        return before

    def _batch(self, first: int, last: int) -> list[Entry]:
        try:
            return as_entries(self._ask(_BATCH, (first, last)))
        except Damaged:
            if first == last:
                raise
        # Somewhere in the batch SQLite can't read on: find out at which entry.
        for seq in range(first, last + 1):
            try:
                self._ask(_BATCH, (seq, seq))
            except Damaged as damaged:
                raise Damaged(self.path, damaged.what, seq) from None
        raise Damaged(self.path, "it can't be read in order", first)

    def _ask(self, question: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._read_lock:
            return self._guarded(lambda: self._reading.execute(question, values).fetchall())

    def _guarded(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except sqlite3.ProgrammingError:
            raise JournalError(self.path, "is closed", "open it first") from None
        except sqlite3.Error as error:
            raise from_sqlite(self.path, error) from error


def _follow(batch: Sequence[Entry], first: int, before: bytes) -> bool:
    """Whether they are the entries from ``first`` on, all of them as they were written."""
    records = [_new(Record, (kind, body, at, round_)) for _, at, kind, round_, body, _ in batch]
    try:
        return bool(batch) and chained(first - 1, before, records) == batch
    except (JournalError, struct.error, TypeError, AttributeError, ValueError):
        return False  # which of them it is, is found one by one


def _follows(entry: Entry, before: bytes) -> bool:
    seq, at, kind, round_, body, its = entry
    try:
        return link(before, Record(kind, body, at, round_), seq) == its
    except (struct.error, TypeError, AttributeError, ValueError):
        return False  # an altered file can give any value in any column


def _connected(path: Path) -> sqlite3.Connection:
    try:
        return store.connect(path, write=False)
    except sqlite3.Error as error:
        raise from_sqlite(path, error) from error


def identify(path: Path, db: sqlite3.Connection, table: str | None) -> Header:
    """Whose journal this is, if it is one that this felt reads."""
    try:
        (mark,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if mark != APPLICATION_ID:
            raise NotAJournal(path, "it is the database of something else")
        if version != VERSION:
            raise OtherSchema(path, version, VERSION)
        rows = db.execute("SELECT of_table, created, format, link FROM journal").fetchall()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
            raise NotAJournal(path, "it is no database") from None
        raise from_sqlite(path, error) from error
    if len(rows) != 1:
        raise Damaged(path, f"there are {len(rows)} headers")
    *values, its_link = rows[0]
    header = Header(*values)
    if header.format != FORMAT or header.link != its_link:
        raise Damaged(path, "the header is not as it was written")
    if table is not None and header.table != table:
        raise OtherTable(path, header.table, table)
    return header
