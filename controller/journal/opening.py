"""What comes before the first statement: making a journal's file, and looking at one.

A file is looked at byte by byte before SQLite sees it, because SQLite, on opening, may already
write: what is not ours, or is damaged, stays as it was found.

Only whoever holds the lock may do this. Closing a file takes away the locks that the same process
has on it through SQLite.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from controller.journal import schema, store, verifier
from controller.journal.entry import Header
from controller.journal.errors import (
    Damaged,
    Missing,
    NotAJournal,
    OtherSchema,
    ReadOnly,
    from_sqlite,
    from_system,
)
from controller.journal.ledger import Ledger
from controller.journal.log import WriteAheadLog


class Prepared(NamedTuple):
    """A file that may be opened."""

    #: Frames of the log that count.
    frames: int
    #: Digests for pages that another program has rearranged.
    adopted: dict[int, bytes]
    remarks: tuple[str, ...]


@contextlib.contextmanager
def in_felts_words(path: Path) -> Iterator[None]:
    """Errors of SQLite and of the system as errors of the journal."""
    try:
        yield
    except sqlite3.Error as error:
        raise from_sqlite(path, error) from error
    except OSError as error:
        raise from_system(path, error) from error


def make(path: Path, header: Header) -> None:
    """A new journal, in a file of another name until it is complete."""
    unfinished = path.with_name(f"{path.name}-new")
    for ending in ("", "-wal", "-shm", "-journal"):
        unfinished.with_name(unfinished.name + ending).unlink(missing_ok=True)
    with contextlib.closing(store.make(unfinished)) as db:
        schema.create(db, (header.format, header.table, header.created, header.link))
        with contextlib.closing(WriteAheadLog(unfinished, 0)) as log:
            log.committed()
            Ledger(db).follow(log)
    unfinished.rename(path)
    folder = os.open(path.absolute().parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def check_writable(path: Path) -> None:
    """Refuse a file that is not there or marked read-only, whoever we are."""
    if not path.exists():
        raise Missing(path)
    if path.is_dir():
        raise NotAJournal(path, "it is a folder")
    if not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK):
        raise ReadOnly(path)


def prepare(path: Path) -> Prepared:
    """Look at a file, bring an older schema up to date, and say what is left to do."""
    try:
        first, log = verifier.peek(path, locked=True)
    except verifier.Unreadable as error:
        if isinstance(error.__cause__, OSError):
            raise from_system(path, error.__cause__) from None
        raise NotAJournal(path, "it is too short") from None
    if first[:16] != b"SQLite format 3\0":
        raise NotAJournal(path, "it is no database")
    if first[68:72] != schema.APPLICATION_ID.to_bytes(4, "big"):
        raise NotAJournal(path, "it is the database of something else")
    version = int.from_bytes(first[60:64], "big")
    if version > schema.VERSION:
        raise OtherSchema(path, version, schema.VERSION)
    remarks = []
    if log.trouble:
        if log.proven:
            raise Damaged(path, f"{log.trouble}, and more was recorded after it")
        remarks.append(
            f"the last commit in the log was cut short, and nobody was told of it ({log.trouble})"
        )
    if version < schema.VERSION:
        with contextlib.closing(store.connect(path, write=True)) as db:
            schema.upgrade(db, version)
        remarks.append(f"brought from schema {version} to {schema.VERSION}")
    report = verifier.survey(path, locked=True)
    if report.digests:
        # The ledger does not know some page. Before it is told, all the rest must be sound.
        report = verifier.verify(path, locked=True)
        if version == schema.VERSION:
            remarks.append(
                f"another program has written {len(report.digests)} of the pages that felt keeps"
                " digests of; all entries are sound"
            )
    for found in report.findings:
        if found.kind == "record":
            raise Damaged(path, str(found), found.entry)
    return Prepared(report.log.frames, report.digests, tuple(remarks))
