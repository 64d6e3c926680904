"""How the journal's file is opened: the settings that its promises rest on."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from controller.journal.schema import PAGE_BYTES

#: Nobody else writes: whoever waits this long waits for a program that should not be there.
BUSY_S = 5.0

_WRITING = (
    # With anything less than FULL, a power cut loses commits that were acknowledged.
    "PRAGMA synchronous = FULL",
    # The journal says itself when the log goes into the file: see Journal.tidy.
    "PRAGMA wal_autocheckpoint = 0",
    # The log keeps its size, so that a commit overwrites and does not make the file grow.
    "PRAGMA journal_size_limit = -1",
    # What is no longer used is zero, so that the verifier can tell a flipped byte from a leftover.
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA mmap_size = 0",
)


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """A connection to a file that is there; one that can't write leaves no trace on it."""
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={'rw' if write else 'ro'}",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        # The writer's thread and the loop's both come here; a lock lets in one at a time.
        check_same_thread=False,
    )
    try:
        # A file from elsewhere can't make SQLite call what it should not.
        db.execute("PRAGMA trusted_schema = OFF")
        for setting in _WRITING if write else ():
            db.execute(setting).fetchall()
    except BaseException:
        db.close()
        raise
    return db


def make(path: Path) -> sqlite3.Connection:
    """A connection to a new file, laid out as felt wants it."""
    path.touch(mode=0o644, exist_ok=False)
    db = connect(path, write=True)
    try:
        for setting in (
            f"PRAGMA page_size = {PAGE_BYTES}",
            "PRAGMA encoding = 'UTF-8'",
            "PRAGMA auto_vacuum = NONE",
            "PRAGMA journal_mode = WAL",
        ):
            db.execute(setting).fetchall()
    except BaseException:
        db.close()
        raise
    return db
