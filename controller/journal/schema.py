"""The tables that the journal is kept in, and the way from each older schema to this one.

An entry is inserted once and never touched again: the triggers refuse everything else, an
insert out of order included, so that neither a mistake in felt nor another program changes
what is recorded without leaving a break in the chain.

What else the file holds can be worked out again from the entries. It is laid out so that SQLite
only ever adds a row behind the last one, or overwrites a row with one of the same size, and
never frees a page: so every byte of the file has a meaning that ``verifier.py`` can check.
``verifier.py`` has its own copy of these texts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial

#: Written into the file's header, so that other programs can tell what it is: "felt".
APPLICATION_ID = 0x66656C74
VERSION = 2
PAGE_BYTES = 4096

#: The record itself, as it has been since schema 0.
RECORD = (
    "CREATE TABLE journal (id INTEGER PRIMARY KEY CHECK (id = 1), format INTEGER NOT NULL,"
    " of_table TEXT NOT NULL, created INTEGER NOT NULL, link BLOB NOT NULL) STRICT",
    "CREATE TRIGGER journal_once BEFORE INSERT ON journal WHEN EXISTS (SELECT 1 FROM journal)"
    " BEGIN SELECT RAISE(ABORT, 'the journal has its header'); END",
    "CREATE TRIGGER journal_update BEFORE UPDATE ON journal"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TRIGGER journal_delete BEFORE DELETE ON journal"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    # The body comes last: where it spills over, the rest of the entry is still in one place.
    "CREATE TABLE entries (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL,"
    " round INTEGER, link BLOB NOT NULL, body BLOB NOT NULL) STRICT",
    # Refuses INSERT OR REPLACE too, which would delete without a trigger's leave.
    "CREATE TRIGGER entries_next BEFORE INSERT ON entries"
    " WHEN NEW.seq IS NOT (SELECT ifnull(max(seq), 0) + 1 FROM entries)"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TRIGGER entries_update BEFORE UPDATE ON entries"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TRIGGER entries_delete BEFORE DELETE ON entries"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
)

#: What can be worked out again.
DERIVED = (
    # Where each stretch of a round begins: it lasts until an entry names another round. An index
    # over all entries would cost a second page a commit; this costs one a round.
    "CREATE TABLE rounds (round INTEGER NOT NULL, first INTEGER NOT NULL,"
    " PRIMARY KEY (round, first)) STRICT, WITHOUT ROWID",
    # Digests of the pages that no row accounts for to the last byte; see ledger.py.
    "CREATE TABLE pages (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, digest BLOB NOT NULL)"
    " STRICT",
)

FILL_ROUNDS = """
INSERT INTO rounds SELECT round, seq FROM (
    SELECT seq, round, lag(round) OVER (ORDER BY seq) AS before FROM entries
    WHERE round IS NOT NULL
) WHERE before IS NOT round ORDER BY round, seq
"""


def _derive(db: sqlite3.Connection) -> None:
    """From schema 0, which had the record and nothing beside it."""
    for statement in DERIVED:
        db.execute(statement)
    db.execute(FILL_ROUNDS)


def _drop_snapshots(db: sqlite3.Connection) -> None:
    """From schema 1, which kept snapshots in slots; now they are entries of the record."""
    db.execute("DROP TABLE IF EXISTS snapshots")
    db.execute("DROP TABLE IF EXISTS pieces")
    # Making the file anew moves all pages, and nobody has digests of them yet.
    db.execute("DELETE FROM pages")


#: What leads from a schema to the next, in one transaction.
MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {0: _derive, 1: _drop_snapshots}
#: Steps that leave free pages, of which nobody could say what should be in them. The file is
#: made anew without them, which no transaction can do; so it stays of the old schema until then,
#: and a step that was cut short is taken again.
_LEAVE_HOLES = frozenset({1})


def create(db: sqlite3.Connection, header: tuple[int, str, int, bytes]) -> None:
    """A new file: all of the schema and the header row, or nothing."""

    def steps() -> None:
        for statement in RECORD:
            db.execute(statement)
        db.execute("INSERT INTO journal VALUES (1, ?, ?, ?, ?)", header)
        _derive(db)

    _in_one(db, steps, VERSION)


def upgrade(db: sqlite3.Connection, version: int) -> None:
    """From an older schema to this one, step by step; each is taken as a whole, or not at all."""
    for step in range(version, VERSION):
        holes = step in _LEAVE_HOLES
        _in_one(db, partial(MIGRATIONS[step], db), step if holes else step + 1)
        if holes:
            db.execute("VACUUM")
            db.execute(f"PRAGMA user_version = {step + 1}")


def _in_one(db: sqlite3.Connection, change: Callable[[], object], version: int) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        change()
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {version}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
