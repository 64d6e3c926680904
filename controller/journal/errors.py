"""What a person is told when the journal can't be used: the thing, the cause, the next step.

Every error of the journal is a ``JournalError``. None of them is put right by trying again
quietly: whoever catches one stops the table and shows the text.
"""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path


class JournalError(Exception):
    """The journal can't do what was asked."""

    def __init__(self, thing: Path | str, cause: str, remedy: str = "") -> None:
        self.thing = str(thing)
        self.cause = cause
        self.remedy = remedy
        text = f"{thing}: {cause}"
        super().__init__(f"{text}; {remedy}" if remedy else text)


class Missing(JournalError):
    """There is no journal at this place."""

    def __init__(
        self,
        path: Path,
        cause: str = "there is no journal here",
        remedy: str = "name another file, or create one",
    ) -> None:
        super().__init__(path, cause, remedy)


class Exists(JournalError):
    """A journal is created once; nothing is written over."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "is there already, and is not written over", "open it instead")


class NotAJournal(JournalError):
    """The file is something else."""

    def __init__(self, path: Path, cause: str) -> None:
        super().__init__(path, f"is not a journal of felt: {cause}", "name another file")


class OtherTable(JournalError):
    """The file is the journal of another table."""

    def __init__(self, path: Path, its: str, wanted: str) -> None:
        self.its = its
        super().__init__(
            path,
            f"is the journal of table {its!r}, not of {wanted!r}",
            "name the right file or the right table",
        )


class OtherSchema(JournalError):
    """The file was written by a felt with another schema, and this one can't follow."""

    def __init__(self, path: Path, its: int, known: int) -> None:
        self.its = its
        remedy = (
            "use the felt that wrote it, or a newer one"
            if its > known
            else "open it once for writing, which brings it up to date"
        )
        super().__init__(path, f"has schema {its}, and this felt reads schema {known}", remedy)


class ReadOnly(JournalError):
    """The journal can be read and not written."""

    def __init__(self, path: Path, cause: str = "can't be written: it is read-only") -> None:
        super().__init__(path, cause, "put the permissions or the disk right, then start again")


class DiskFull(JournalError):
    """There is no room for the next entry."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path, "the disk is full", "make room, then start again; what is recorded is kept"
        )


class DiskFailed(JournalError):
    """The disk, or the system, refused a read or a write."""

    def __init__(self, path: Path, cause: str) -> None:
        super().__init__(
            path,
            f"the disk failed: {cause}",
            "check the disk, then start again; what was acknowledged is kept",
        )


class InUse(JournalError):
    """Another process writes this journal."""

    def __init__(self, path: Path, holder: int | None = None, cause: str = "") -> None:
        self.holder = holder
        who = f"process {holder}" if holder else "another process"
        super().__init__(
            path, cause or f"is in use by {who}", "a table has one felt: stop the other one first"
        )


class Damaged(JournalError):
    """What is recorded is not what was written."""

    def __init__(self, path: Path, what: str, entry: int | None = None) -> None:
        self.what = what
        self.entry = entry
        place = "is damaged" if entry is None else f"is damaged at entry {entry}"
        super().__init__(
            path, f"{place}: {what}", "stop the table, keep the file, run 'felt verify' on it"
        )


class Stopped(JournalError):
    """The journal takes nothing more, because of an earlier error."""

    def __init__(self, path: Path, because: JournalError) -> None:
        self.because = because
        super().__init__(path, f"has stopped: {because.cause}", because.remedy)


class Unfit(JournalError):
    """A record that can't be an entry. Nothing is written, and the journal goes on."""


def from_sqlite(path: Path, error: sqlite3.Error, entry: int | None = None) -> JournalError:
    """SQLite's error in felt's words."""
    code = getattr(error, "sqlite_errorcode", None)
    match None if code is None else code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return DiskFull(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return ReadOnly(path)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return InUse(path, cause="is being written by another program")
        case sqlite3.SQLITE_CONSTRAINT:
            return Damaged(path, f"another program has written to it ({error})", entry)
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_NOMEM:
            return DiskFailed(path, f"{error} ({getattr(error, 'sqlite_errorname', '')})")
    # SQLITE_CORRUPT and SQLITE_NOTADB, and whatever else a damaged file makes SQLite say.
    return Damaged(path, f"SQLite says: {error}", entry)


def from_system(path: Path, error: OSError) -> JournalError:
    """The system's error in felt's words."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return DiskFull(path)
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return ReadOnly(path, f"can't be written: {error.strerror}")
        case errno.ENOENT | errno.ENOTDIR:
            return Missing(path)
        case errno.EISDIR:
            return NotAJournal(path, "it is a folder")
    return DiskFailed(path, str(error.strerror))
