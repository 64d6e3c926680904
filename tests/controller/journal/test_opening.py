"""A journal is opened if it is the right one and as it was written; otherwise it is left alone."""

from __future__ import annotations

import fcntl
import functools
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from controller.journal import schema, verifier
from controller.journal.entry import Header, chained
from controller.journal.errors import (
    Damaged,
    DiskFailed,
    DiskFull,
    Exists,
    InUse,
    JournalError,
    Missing,
    NotAJournal,
    OtherSchema,
    OtherTable,
    ReadOnly,
)
from controller.journal.journal import Journal
from controller.journal.lock import Lock
from controller.journal.reader import Reader
from tests.controller.journal.making import (
    ROOT,
    START_NS,
    TABLE,
    as_records,
    copied,
    flip,
    grow,
    made,
    record,
    records,
    sound,
)


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def refusal(path: Path, table: str = TABLE) -> JournalError:
    """The error on opening a journal, which must leave every file as it was."""
    before = files(path.parent)
    with pytest.raises(JournalError) as refused:
        Journal.open(path, table)
    assert files(path.parent) == before
    return refused.value


# The right one?


def test_at_creates_and_then_opens(path: Path) -> None:
    with Journal.at(path, TABLE) as journal:
        journal.append([record(1)])
        created = journal.header.created
    with Journal.at(path, TABLE) as journal:
        assert journal.header == Header(TABLE, created)
        assert as_records(list(journal.entries())) == records(1, 1)


def test_the_journal_of_another_table(path: Path) -> None:
    error = refusal(made(path, 3), "stud-8")
    assert isinstance(error, OtherTable)
    assert str(error) == (
        f"{path}: is the journal of table 'stud-7', not of 'stud-8';"
        " name the right file or the right table"
    )


def test_a_newer_schema(path: Path) -> None:
    made(path, 3)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    error = refusal(path)
    assert isinstance(error, OtherSchema)
    assert str(error).endswith("use the felt that wrote it, or a newer one")
    with pytest.raises(OtherSchema):
        Reader.look(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\0", bytes(5000)])
def test_not_a_journal(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert isinstance(refusal(path), NotAJournal)
    with pytest.raises(NotAJournal):
        Reader.look(path)


def test_the_database_of_something_else(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE recipes (cake TEXT)")
    error = refusal(path)
    assert isinstance(error, NotAJournal)
    assert "the database of something else" in str(error)
    with pytest.raises(NotAJournal):
        Reader.look(path)
    with pytest.raises(verifier.Unreadable, match="the database of something else"):
        verifier.verify(path)


def test_nothing_there(path: Path) -> None:
    assert isinstance(refusal(path), Missing)
    with pytest.raises(Missing):
        Reader.look(path)
    with pytest.raises(Missing, match="there is no such folder; make it first"):
        Journal.at(path / "deeper" / "J.db", TABLE)


def test_a_disk_that_can_not_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(path, 3)

    def failing(*_: object) -> bytes:
        raise OSError(5, os.strerror(5))

    with monkeypatch.context() as patched:
        patched.setattr(os, "pread", failing)
        with pytest.raises(DiskFailed, match="Input/output error"):
            Journal.open(path, TABLE)
        with pytest.raises(verifier.Unreadable, match="Input/output error"):
            verifier.verify(path)
    sound(path)


def test_a_folder(path: Path) -> None:
    path.mkdir()
    assert isinstance(refusal(path), NotAJournal)


def test_creating_does_not_write_over(path: Path) -> None:
    path.write_bytes(b"precious")
    with pytest.raises(Exists):
        Journal.create(path, TABLE)
    assert path.read_bytes() == b"precious"


def test_what_an_unfinished_creation_left_behind_is_no_hindrance(path: Path) -> None:
    for side in ("", "-wal", "-shm"):
        path.with_name(f"{path.name}-new{side}").write_bytes(b"half of it")
    made(path, 3)
    assert list(files(path.parent)) == [path.name]


# May it be written?


def test_a_file_that_is_marked_read_only(path: Path) -> None:
    made(path, 3).chmod(0o444)
    error = refusal(path)
    assert isinstance(error, ReadOnly)
    assert "put the permissions or the disk right" in str(error)
    with Reader.look(path) as reader:
        assert reader.head.seq == 3
    sound(path)


def test_a_read_only_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(path, 3)
    really = os.open

    def read_only(name: str, flags: int, mode: int = 0o777) -> int:
        if flags & (os.O_RDWR | os.O_CREAT):
            raise OSError(30, os.strerror(30))
        return really(name, flags, mode)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", read_only)
        with pytest.raises(ReadOnly):
            Journal.open(path, TABLE)
    sound(path)


@pytest.mark.parametrize(
    ("number", "error"),
    [(5, DiskFailed), (28, DiskFull), (30, ReadOnly)],
    ids=["bad", "full", "ro"],
)
@pytest.mark.parametrize("where", ["os.pwrite", "os.fsync"])
def test_a_disk_that_fails_while_the_journal_is_made_ready(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    number: int,
    error: type[JournalError],
) -> None:
    made(path, 3)

    def failing(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(where, failing)
        with pytest.raises(error):
            Journal.open(path, TABLE)
    assert sound(path).head_seq == 3
    assert list(files(path.parent)) == [path.name]


# One writer.


def test_a_second_one_in_the_same_process(path: Path) -> None:
    with Journal.open(made(path, 3), TABLE) as journal:
        with pytest.raises(InUse, match=f"in use by process {os.getpid()}") as refused:
            Journal.open(path, TABLE)
        assert refused.value.holder == os.getpid()
        with pytest.raises(InUse):
            Journal.create(path, TABLE)
        journal.append([record(4)])
    with Journal.open(path, TABLE) as journal:
        assert journal.head.seq == 4


HOLD = """
import sys
from controller.journal.journal import Journal
journal = Journal.open(sys.argv[1], sys.argv[2])
print("open", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_who_has_it(path: Path) -> None:
    made(path, 3)
    command = [sys.executable, "-c", HOLD, str(path), TABLE]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(InUse, match=f"in use by process {holder.pid}"):
            Journal.open(path, TABLE)
        with Reader.look(path, TABLE) as reader:
            assert reader.head.seq == 3
        holder.kill()
    # However it ended, its lock has ended with it.
    with Journal.open(path, TABLE) as journal:
        assert journal.head.seq == 3


def test_a_lock_on_a_file_that_is_gone_counts_for_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its holder removes the file and lets go of it, after the next one has opened it."""
    really = fcntl.flock
    lock = path.with_name(f"{path.name}-lock")
    calls: list[int] = []

    def flock(fd: int, how: int) -> None:
        if not calls:
            lock.unlink()
        calls.append(fd)
        really(fd, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    held = Lock(path)
    assert len(calls) == 2
    with pytest.raises(InUse):
        Lock(path)
    held.release()
    assert not lock.exists()


# As it was written?


@pytest.mark.rule("R32")
@pytest.mark.parametrize("entry", [20, 22, 30, 40])
def test_an_entry_since_the_last_checkpoint_that_was_altered_is_named_at_the_start(
    path: Path, entry: int
) -> None:
    made(path, 40)
    body = record(entry).body
    assert len(body) > 8
    at = path.read_bytes().index(body)
    flip(path, at + 3)
    error = refusal_of_damage(path)
    assert error.entry == entry
    assert str(error).startswith(f"{path}: is damaged at entry {entry}: ")
    assert str(error).endswith("stop the table, keep the file, run 'felt verify' on it")


def refusal_of_damage(path: Path) -> Damaged:
    data = path.read_bytes()
    with pytest.raises(Damaged) as refused:
        Journal.open(path, TABLE)
    assert path.read_bytes() == data
    return refused.value


@pytest.mark.rule("R32")
def test_a_page_that_holds_the_tree_together_is_checked_at_the_start(path: Path) -> None:
    made(path, 60, longest=3000)
    data = path.read_bytes()
    inner = [at for at in range(0, len(data), 4096) if data[at] == 5]
    assert inner
    flip(path, inner[0] + 13)  # where it has the place of a reference
    refusal_of_damage(path)


@pytest.mark.rule("R32")
def test_a_file_that_was_cut_off_is_refused(path: Path) -> None:
    made(path, 40)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 4096)
    refusal_of_damage(path)


def test_a_header_that_was_altered_is_refused(path: Path) -> None:
    made(path, 4)
    data = path.read_bytes()
    path.write_bytes(data.replace(TABLE.encode(), b"stud-8"))
    with pytest.raises(Damaged, match="the header is not as it was written"):
        Journal.open(path, TABLE)
    with pytest.raises(Damaged, match="the header is not as it was written"):
        Reader.look(path)


# After a crash.


def test_every_byte_of_the_first_two_pages_is_looked_at(path: Path) -> None:
    """What verify finds in them, a start finds: whose journal it is stands there."""
    made(path, 3)
    data = path.read_bytes()
    # Only that another version of SQLite wrote last is no damage; a start remarks on it.
    version = range(96, 100)
    for at in set(range(0, 2 * verifier.PAGE, 97)).difference(version):
        flipped = bytearray(data)
        flipped[at] ^= 0x40
        path.write_bytes(flipped)
        try:
            Journal.open(path, TABLE).close()
            raise AssertionError(at)
        except JournalError:
            pass
        assert path.read_bytes() == flipped
    path.write_bytes(data)
    Journal.open(path, TABLE).close()


def test_what_was_in_the_log_only_is_there(path: Path, folder: Path) -> None:
    with Journal.create(path, TABLE) as journal:
        grow(journal, 10)
        crashed = copied(path, folder / "crashed")
    with Journal.open(crashed, TABLE) as journal:
        assert as_records(list(journal.entries())) == records(1, 10)
        assert journal.recovery.remarks == ()
        grow(journal, 5)
    assert sound(crashed).head_seq == 15


def test_another_program_may_have_emptied_the_log_after_a_crash(path: Path, folder: Path) -> None:
    """A technician who looks into the file with SQLite's own tool does that without knowing."""
    with Journal.create(path, TABLE) as journal:
        grow(journal, 40, longest=3000)
        crashed = copied(path, folder / "crashed")
        assert verifier.verify(crashed).log.frames
    with closing(sqlite3.connect(crashed)) as db:
        assert db.execute("SELECT count(*) FROM entries").fetchone() == (40,)
    assert not crashed.with_name("J.db-wal").exists()
    # Pages have gone into the file that the ledger does not know; nothing else is wrong.
    assert {found.kind for found in verifier.verify(crashed).findings} == {"ledger"}
    with Journal.open(crashed, TABLE) as journal:
        assert "another program has written" in journal.recovery.remarks[0]
        assert as_records(list(journal.entries())) == records(1, 40, longest=3000)
    sound(crashed)


# From an older schema.


def old_journal(path: Path, count: int) -> Path:
    """A journal of schema 0: the record, and neither an index nor a ledger."""
    header = Header(TABLE, START_NS)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA page_size = 4096")
        db.execute("PRAGMA auto_vacuum = NONE")
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("BEGIN")
        db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        for statement in schema.RECORD:
            db.execute(statement)
        db.execute("INSERT INTO journal VALUES (1, 1, ?, ?, ?)", (TABLE, START_NS, header.link))
        for seq, at, kind, number, body, link in chained(
            0, header.link, records(1, count, longest=3000)
        ):
            row = (seq, at, kind, number, link, body)
            db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", row)
        db.execute("COMMIT")
    return path


@pytest.mark.parametrize("count", [0, 1, 30, 1500])
def test_a_journal_of_schema_0_is_brought_up_to_date(path: Path, count: int) -> None:
    old_journal(path, count)
    with pytest.raises(OtherSchema, match="open it once for writing"):
        Reader.look(path)
    with Journal.open(path, TABLE) as journal:
        assert journal.recovery.remarks == ("brought from schema 0 to 2",)
        assert as_records(list(journal.entries())) == records(1, count, longest=3000)
        newest = max((one.round or 0 for one in records(1, count)), default=0)
        wanted = [one for one in records(1, count, longest=3000) if one.round == newest]
        assert as_records(list(journal.round(newest))) == wanted
        grow(journal, 20)
    with Journal.open(path, TABLE) as journal:
        assert journal.recovery.remarks == ()
    assert sound(path).head_seq == count + 20


#: What schema 1 had besides the record.
SCHEMA_1 = (
    "CREATE TABLE rounds (round INTEGER NOT NULL, first INTEGER NOT NULL,"
    " PRIMARY KEY (round, first)) STRICT, WITHOUT ROWID",
    "CREATE TABLE snapshots (slot INTEGER PRIMARY KEY, bound BLOB NOT NULL) STRICT",
    "CREATE TABLE pieces (id INTEGER PRIMARY KEY, piece BLOB NOT NULL) STRICT",
    "CREATE TABLE pages (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, digest BLOB NOT NULL)"
    " STRICT",
    "INSERT INTO snapshots VALUES (0, randomblob(80)), (1, randomblob(80)), (2, zeroblob(80))",
    "INSERT INTO pieces WITH RECURSIVE n (id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n"
    " WHERE id < 60) SELECT id, randomblob(1000) FROM n",
    "INSERT INTO pages VALUES (1, 1, randomblob(32)), (2, 5, randomblob(32))",
    "PRAGMA user_version = 1",
)


def journal_of_schema_1(path: Path, count: int) -> Path:
    """With snapshots in slots, a ledger, and an index of rounds."""
    old_journal(path, count)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in SCHEMA_1:
            db.execute(statement)
        db.execute(schema.FILL_ROUNDS)
    return path


@pytest.mark.parametrize("count", [0, 1, 30, 1500])
def test_a_journal_of_schema_1_is_brought_up_to_date(path: Path, count: int) -> None:
    journal_of_schema_1(path, count)
    with Journal.open(path, TABLE) as journal:
        assert journal.recovery.remarks == ("brought from schema 1 to 2",)
        assert as_records(list(journal.entries())) == records(1, count, longest=3000)
        grow(journal, 20)
    assert sound(path).head_seq == count + 20


def test_an_upgrade_that_was_cut_short_is_taken_up_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the old tables were dropped, and before the file was made anew."""
    journal_of_schema_1(path, 30)

    class CutShort(sqlite3.Connection):
        def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
            if sql == "VACUUM":
                raise sqlite3.OperationalError("the power went")
            return super().execute(sql, *given)

    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=CutShort))
        with pytest.raises(JournalError, match="the power went"):
            Journal.open(path, TABLE)
    with Journal.open(path, TABLE) as journal:
        assert journal.recovery.remarks == ("brought from schema 1 to 2",)
        assert as_records(list(journal.entries())) == records(1, 30, longest=3000)
    sound(path)


def test_an_upgrade_that_fails_leaves_the_old_journal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_journal(path, 30)

    def failing(db: sqlite3.Connection) -> None:
        db.execute(schema.DERIVED[0])
        raise sqlite3.OperationalError("out of paper")

    monkeypatch.setitem(schema.MIGRATIONS, 0, failing)
    with pytest.raises(JournalError, match="out of paper"):
        Journal.open(path, TABLE)
    monkeypatch.undo()
    with Journal.open(path, TABLE) as journal:
        assert journal.head.seq == 30
    sound(path)


def test_a_damaged_old_journal_is_not_called_sound(path: Path) -> None:
    old_journal(path, 30)
    data = path.read_bytes()
    flip(path, data.index(record(12, longest=3000).body[:100]) + 5)
    with pytest.raises(Damaged) as refused:
        Journal.open(path, TABLE)
    assert refused.value.entry == 12
