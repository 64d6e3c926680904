"""The journal of one table: append-only, chained by hash, durable before anyone is told.

``append`` returns when its entries are on the disk, all of them or none. After an error nothing
more is taken: the table stops, because what is not recorded must not be acted on.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock as ThreadLock
from typing import NamedTuple, Self

from controller.journal import opening, store
from controller.journal.entry import (
    CHECKPOINT,
    Entry,
    Head,
    Header,
    Record,
    Row,
    as_entries,
    chained,
    check_header,
)
from controller.journal.errors import (
    Exists,
    JournalError,
    Missing,
    Stopped,
    from_sqlite,
    from_system,
)
from controller.journal.ledger import Ledger
from controller.journal.lock import Lock
from controller.journal.log import WriteAheadLog
from controller.journal.opening import Prepared, in_felts_words
from controller.journal.reader import BATCH, Reader, identify

#: Pages that the log has room for. When it is full, it goes into the file, which takes as long as
#: some dozens of commits; a longer log would do so less often, and take longer to make ready.
LOG_FRAMES = 1024

#: So many commits may go by before anyone looks how full the log is.
QUICK_COMMITS = 16

_INSERT = "INSERT INTO entries (seq, at, kind, round, body, link) VALUES (?, ?, ?, ?, ?, ?)"


class Recovery(NamedTuple):
    """What opening the journal has found: all that is needed to go on where the table stood."""

    #: The last checkpoint, or else the first entry: what comes from there on has been checked.
    first: int
    head: Head
    #: What people should be told, though it was put right.
    remarks: tuple[str, ...] = ()


class Journal(Reader):
    """A journal that is written. Of each there is one at a time."""

    @classmethod
    def at(cls, path: Path | str, table: str) -> Self:
        """The journal at this place, created if there is none."""
        try:
            return cls.open(path, table)
        except Missing:
            return cls.create(path, table)

    @classmethod
    def create(cls, path: Path | str, table: str, created: int | None = None) -> Self:
        """A new journal. ``created`` is in nanoseconds; by the system's clock if left out."""
        path = Path(path)
        header = Header(table, time.time_ns() if created is None else created)
        check_header(header)
        folder = path.absolute().parent
        if not folder.is_dir():
            raise Missing(folder, "there is no such folder", "make it first")
        with _lock_unless_failing(path) as lock:
            if path.exists():
                raise Exists(path)
            with in_felts_words(path):
                opening.make(path, header)
            return cls(path, table, lock)

    @classmethod
    def open(cls, path: Path | str, table: str) -> Self:
        """The journal at this place, if it is that table's and is as it was written."""
        path = Path(path)
        with in_felts_words(path):
            opening.check_writable(path)
        with _lock_unless_failing(path) as lock:
            return cls(path, table, lock)

    def __init__(self, path: Path, table: str, lock: Lock) -> None:
        """For ``create`` and ``open``, which hold the lock."""
        self._lock = lock
        self._writing_lock = ThreadLock()
        self._stopped: JournalError | None = None
        self._closed = False
        self._quick = QUICK_COMMITS
        #: Is told of every head before anybody else is told of what it covers.
        self.kept: Callable[[Head], None] | None = None
        with contextlib.ExitStack() as opened, in_felts_words(path):
            prepared = opening.prepare(path)
            self._db = store.connect(path, write=True)
            opened.callback(self._db.close)
            self._execute = self._db.cursor().execute
            header = identify(path, self._db, table)
            super().__init__(path, store.connect(path, write=False), header)
            # Not while somebody reads: closed under a thread, a connection takes felt with it.
            opened.callback(super().close)
            self._seq, self._link = super().head
            self.recovery = self._recover(prepared.remarks)
            self._log = WriteAheadLog(path, LOG_FRAMES)
            opened.callback(self._log.close)
            self._make_ready(prepared)
            self._opened = opened.pop_all()

    def _recover(self, remarks: Sequence[str]) -> Recovery:
        """Check the entries since the last checkpoint, and say from where to go on."""
        checkpoint = self.last(CHECKPOINT)
        first = checkpoint.seq if checkpoint else 1
        # Whose journal it is: the chain begins with its header. All between is for the patrol.
        for _ in self.entries(1, min(BATCH, first)):
            pass
        for _ in self.entries(first):
            pass
        found = self._ask(
            "SELECT round FROM entries WHERE round IS NOT NULL ORDER BY seq DESC LIMIT 1"
        )
        #: Entries of no round, or of this one, carry on the stretch that was begun last.
        self._going_on: tuple[int | None, ...] = (None, *(number for (number,) in found))
        return Recovery(first, self.head, tuple(remarks))

    def _make_ready(self, prepared: Prepared) -> None:
        """Bring the log into the file, and make room in it for what is to come."""
        self._log.recovered(prepared.frames)
        self._ledger = Ledger(self._db)
        if prepared.adopted:
            self._ledger.enter(prepared.adopted, self._log)
        self._ledger.follow(self._log)
        # TRUNCATE, so that nothing is left of a commit that was cut short.
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._log.make_ready()

    @property
    def head(self) -> Head:
        """The last entry that is on the disk."""
        return Head(self._seq, self._link)

    @property
    def stopped(self) -> JournalError | None:
        """The error that stopped the journal, if one has."""
        return self._stopped

    def stop(self, because: JournalError) -> None:
        """Take nothing more. If there was a cause before, that one stays."""
        self._stopped = self._stopped or because

    def append(self, records: Sequence[Record]) -> list[Entry]:
        """Write records down, in one transaction. They are on the disk when this returns."""
        with self._writing_lock:
            if self._closed or self._stopped:
                raise self._refusal()
            rows = chained(self._seq, self._link, records)
            try:
                # Almost always there is one record, and it goes on with a round: then that is all.
                if self._quick and len(rows) == 1 and rows[0][3] in self._going_on:
                    self._quick -= 1
                    self._execute(_INSERT, _bound(rows[0]))
                elif rows:
                    self._insert(rows)
                else:
                    return []
            except BaseException as error:
                self._give_up(error)
                raise
            self._seq, _, _, _, _, self._link = rows[-1]
            if self.kept is not None:
                self._keep(Head(self._seq, self._link))
            return as_entries(rows)

    def _keep(self, head: Head) -> None:
        """Nobody is told of what is not kept elsewhere too."""
        try:
            assert self.kept is not None
            self.kept(head)
        except BaseException as error:
            self._give_up(error)
            raise

    def _insert(self, rows: list[Row]) -> None:
        """Any number of entries, of any rounds; and see to the log, if it is time."""
        self._tidy_if_due()
        starts = []
        for seq, _, _, number, _, _ in rows:
            if number not in self._going_on:
                self._going_on = (None, number)
                starts.append((number, seq))
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(_INSERT, map(_bound, rows))
        self._db.executemany("INSERT INTO rounds VALUES (?, ?)", starts)
        self._db.execute("COMMIT")
        self._log.committed()

    def _tidy_if_due(self) -> None:
        self._count()
        if self._log.full:
            self._empty_log()

    def _count(self) -> None:
        """Tell the log of the quick commits since the last time."""
        self._log.committed(QUICK_COMMITS - self._quick)
        self._quick = QUICK_COMMITS

    @property
    def untidy(self) -> bool:
        """Is it time to ``tidy``? If nobody does, the next append will, and takes longer."""
        return self._log.full

    def tidy(self) -> None:
        """Bring what is in the log into the file. Nothing that is recorded depends on it."""
        with self._writing():
            self._empty_log()

    def _empty_log(self) -> None:
        self._count()
        self._ledger.follow(self._log)
        # PASSIVE waits for nobody: what a reader still needs stays in the log until next time.
        self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        self._log.emptied()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """The one who writes."""
        with self._writing_lock:
            if self._closed or self._stopped:
                raise self._refusal()
            try:
                yield
            except BaseException as error:
                self._give_up(error)
                raise

    def _refusal(self) -> JournalError:
        if self._stopped and not self._closed:
            return Stopped(self.path, self._stopped)
        return JournalError(self.path, "is closed", "open it first")

    def _give_up(self, error: BaseException) -> None:
        """Writing has failed, and nobody knows what is on the disk: stop, and say why."""
        cause = JournalError(self.path, f"was interrupted: {error!r}", "start again")
        match error:
            case JournalError():
                cause = error
            case sqlite3.Error():
                cause = from_sqlite(self.path, error)
            case OSError():
                cause = from_system(self.path, error)
        self.stop(cause)
        # Whatever else goes wrong now is of no interest.
        with contextlib.suppress(sqlite3.Error):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        if isinstance(error, sqlite3.Error | OSError):
            raise cause from error

    def close(self) -> None:
        """Bring everything into the file, and let go of it."""
        with self._writing_lock:
            if self._closed:
                return
            self._closed = True
            # Who has been told that the journal has stopped need not be told again.
            told = contextlib.suppress(*[JournalError] if self._stopped else [])
            with self._lock.released_after(), told, in_felts_words(self.path), self._opened:
                if not self._stopped:
                    self._empty_log()


def _bound(row: Row) -> tuple[int, int, str, int | None, bytearray, bytearray]:
    """A row as Python's sqlite3 takes it fastest.

    It asks a bytes object for a method ``__conform__``, and raises and catches an AttributeError,
    every time. A bytearray it takes as it is.
    """
    seq, at, kind, number, body, link = row
    return seq, at, kind, number, bytearray(body), bytearray(link)


@contextlib.contextmanager
def _lock_unless_failing(path: Path) -> Iterator[Lock]:
    """The lock, which outlives this unless there is an error."""
    lock = Lock(path)
    try:
        yield lock
    except BaseException:
        lock.release()
        raise
