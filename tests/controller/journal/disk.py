"""A disk that keeps a record of what is written to it, and that fails when told to.

It stands under SQLite as a VFS of apsw. From the record, the disk can be put back together as a
power cut would have left it: what was flushed is there; of what was not, nothing, all, or any part
in any order. Sectors are written whole or not at all.
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from controller.journal import store
from controller.journal.log import WriteAheadLog

SECTOR = 512
CODES: dict[type[Exception], int] = {
    apsw.FullError: sqlite3.SQLITE_FULL,
    apsw.IOError: sqlite3.SQLITE_IOERR,
}


class Operation(NamedTuple):
    """Something that was done to a file; or, without a file, a note by the test."""

    what: str
    file: str = ""
    at: int = 0
    data: bytes = b""


class Disk(apsw.VFS):
    """A disk under test. One at a time, under its own name."""

    NAME = "felt-under-test"

    def __init__(self) -> None:
        super().__init__(self.NAME, "")
        self.record: list[Operation] = []
        #: Called before anything is done; what it raises is the disk's answer.
        self.failing: Callable[[Operation], None] = lambda _: None

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return File(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.note(Operation("delete", Path(filename).name))
        super().xDelete(filename, syncdir)

    def note(self, operation: Operation) -> None:
        self.failing(operation)
        self.record.append(operation)


class File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        full = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self.disk = disk
        self.name = Path(full).name
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        self.disk.note(Operation("write", self.name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self.disk.note(Operation("sync", self.name))
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self.disk.note(Operation("truncate", self.name, newsize))
        super().xTruncate(newsize)


class Connection:
    """A connection of apsw that looks like one of sqlite3, as far as the journal uses it."""

    def __init__(self, path: Path, *, write: bool) -> None:
        flags = apsw.SQLITE_OPEN_URI
        flags |= apsw.SQLITE_OPEN_READWRITE if write else apsw.SQLITE_OPEN_READONLY
        with translated():
            self.db = apsw.Connection(f"{path.absolute().as_uri()}?vfs={Disk.NAME}", flags=flags)
            for setting in store._WRITING if write else ():
                self.db.execute(setting)

    def execute(self, statement: str, values: Any = ()) -> Rows:
        with translated():
            return Rows(list(self.db.execute(statement, values)))

    def executemany(self, statement: str, rows: Iterable[Any]) -> None:
        with translated():
            list(self.db.executemany(statement, list(rows)))

    def cursor(self) -> Connection:
        return self

    @property
    def in_transaction(self) -> bool:
        return self.db.in_transaction

    def close(self) -> None:
        with translated():
            self.db.close()


class Rows(list[Any]):
    def fetchall(self) -> list[Any]:
        return self

    def fetchone(self) -> Any:
        return self[0] if self else None


@contextmanager
def translated() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        kind = (
            sqlite3.IntegrityError
            if isinstance(error, apsw.ConstraintError)
            else sqlite3.OperationalError
        )
        same = kind(str(error))
        # An error that a test has raised comes back without its code.
        same.sqlite_errorcode = getattr(error, "result", CODES.get(type(error), 1))
        same.sqlite_errorname = type(error).__name__
        raise same from error


@contextmanager
def disk_under_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    """While this holds, journals are opened on the disk under test."""
    disk = Disk()
    try:
        with monkeypatch.context() as patched:
            patched.setattr(store, "connect", Connection)
            yield disk
    finally:
        disk.unregister()


class FailsAt:
    """From its nth write or flush on, the disk gives this answer."""

    def __init__(self, nth: int, answer: type[apsw.Error], *, once: bool) -> None:
        self.left = nth
        self.answer = answer
        self.once = once
        self.failed = False

    def __call__(self, operation: Operation) -> None:
        if operation.what in ("write", "sync", "truncate"):
            self.left -= 1
            if self.left == 0 or (self.left < 0 and not self.once):
                self.failed = True
                raise self.answer("as the test wants it")


def noted(disk: Disk) -> Callable[[WriteAheadLog], None]:
    """Making the log ready, on record like all that SQLite does."""
    really = WriteAheadLog.make_ready

    def make_ready(self: WriteAheadLog) -> None:
        before = os.fstat(self._fd).st_size
        really(self)
        after = os.fstat(self._fd).st_size
        name = Path(f"/proc/self/fd/{self._fd}").readlink().name
        disk.note(Operation("write", name, before, bytes(after - before)))
        disk.note(Operation("sync", name))

    return make_ready


# After the power cut.


class Files:
    """The files of a folder as a power cut at some moment would leave them."""

    def __init__(self, folder: Path, names: Iterable[str]) -> None:
        #: What is on the disk for certain.
        self.flushed: dict[str, bytes] = {
            name: (folder / name).read_bytes() for name in names if (folder / name).exists()
        }
        #: By file, what has been asked of the disk since it was last flushed.
        self.pending: dict[str, list[Operation]] = {}

    def follow(self, operation: Operation) -> None:
        name = operation.file
        if operation.what == "sync":
            content = self.flushed.get(name)
            for pending in self.pending.pop(name, []):
                content = applied(content, pending)
            if content is not None:
                self.flushed[name] = content
        elif name:
            self.pending.setdefault(name, []).append(operation)

    def left(self, survives: Callable[[Operation], Operation | None]) -> dict[str, bytes]:
        """The files, if of what was pending only this much has come to the disk."""
        found = dict(self.flushed)
        for name, operations in self.pending.items():
            content = found.pop(name, None)
            for operation in operations:
                if kept := survives(operation):
                    content = applied(content, kept)
            if content is not None:
                found[name] = content
        return found


def applied(content: bytes | None, operation: Operation) -> bytes | None:
    """A file's content after an operation; none, where there is no file."""
    match operation:
        case Operation("delete"):
            return None
        case Operation("truncate", at=size):
            return (content or b"")[:size].ljust(size, b"\0")
        case Operation("write", at=at, data=data):
            before = (content or b"").ljust(at, b"\0")
            return before[:at] + data + before[at + len(data) :]
    raise ValueError(operation)


def nothing(_: Operation) -> None:
    return None


def everything(operation: Operation) -> Operation:
    return operation


def by_chance(chance: random.Random) -> Callable[[Operation], Operation | None]:
    """Some of it: whole operations, or some sectors of a write."""

    def survives(operation: Operation) -> Operation | None:
        fate = chance.random()
        if fate < 0.35:
            return None
        if fate < 0.65 or operation.what != "write":
            return operation
        end = operation.at + len(operation.data)
        cuts = [at for at in range(operation.at + 1, end) if at % SECTOR == 0]
        if not cuts:
            return operation
        cut = chance.choice(cuts)
        if chance.random() < 0.5:
            return operation._replace(data=operation.data[: cut - operation.at])
        return operation._replace(at=cut, data=operation.data[cut - operation.at :])

    return survives
