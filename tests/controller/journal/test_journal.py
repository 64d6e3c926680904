"""What is written down is there, in order, once, and can't be changed."""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from controller.journal import store
from controller.journal.entry import CHECKPOINT, Entry, Head, Header, Record
from controller.journal.errors import Damaged, JournalError, Stopped, Unfit
from controller.journal.journal import Journal
from controller.journal.patrol import Patrol
from controller.journal.reader import Reader
from tests.controller.journal.conftest import MEMORY
from tests.controller.journal.making import (
    START_NS,
    TABLE,
    as_records,
    flip,
    grow,
    made,
    record,
    records,
    sound,
)


def test_an_append_gives_back_the_entries(path: Path) -> None:
    with Journal.create(path, TABLE, START_NS) as journal:
        assert journal.head == Head(0, Header(TABLE, START_NS).link)
        first = journal.append(records(1, 2))
        assert as_records(first) == records(1, 2)
        assert [entry.seq for entry in first] == [1, 2]
        (third,) = journal.append([record(3)])
        assert journal.head == Head(3, third.link)
        assert list(journal.entries()) == [*first, third]
        assert journal.append([]) == []


def test_entries_come_from_first_to_last(path: Path) -> None:
    with Journal.open(made(path, 200), TABLE) as journal:
        assert [entry.seq for entry in journal.entries(150, 160)] == list(range(150, 161))
        assert [entry.seq for entry in journal.entries(199, 500)] == [199, 200]
        assert list(journal.entries(201)) == []
        assert list(journal.entries(20, 10)) == []


def test_a_slow_reader_sees_what_was_there_when_it_began(path: Path) -> None:
    """And it holds nothing up: the log is emptied and begun anew meanwhile."""
    with Journal.open(made(path, 100), TABLE) as journal:
        reading = journal.entries()
        begun = [next(reading)]
        grow(journal, 300)
        assert as_records([*begun, *reading]) == records(1, 100)
        assert not journal.untidy


def test_a_body_may_be_empty_or_large(path: Path) -> None:
    bodies = [b"", b"\0", bytes(3900), bytes(4100), b"x" * (1 << 20)]
    with Journal.create(path, TABLE) as journal:
        journal.append([Record("note", body, 0) for body in bodies])
    with Journal.open(path, TABLE) as journal:
        assert [entry.body for entry in journal.entries()] == bodies
    sound(path)


def test_a_clock_that_goes_back_is_no_concern_of_the_journal(path: Path) -> None:
    times = [1000, 999, 0, 5000, 5000]
    with Journal.create(path, TABLE) as journal:
        journal.append([Record("event", b"", at) for at in times])
        assert [entry.at for entry in journal.entries()] == times


@pytest.mark.slow
@pytest.mark.rule("R36")
def test_thirty_days_of_rounds_stay_readable(tmp_path: Path) -> None:
    """A round a minute, day and night."""
    with Journal.create(tmp_path / "J.db", TABLE) as journal:
        for first in range(0, 30 * 24 * 60, 60):
            journal.append([Record("event", b"x" * 200, n, first + n // 20) for n in range(1200)])
    sound(tmp_path / "J.db")
    with Journal.open(tmp_path / "J.db", TABLE) as journal:
        for number in range(0, 30 * 24 * 60, 1000):
            assert len(list(journal.round(number))) == 20


def test_an_unfit_record_writes_nothing_and_stops_nothing(path: Path) -> None:
    with Journal.create(path, TABLE) as journal:
        with pytest.raises(Unfit):
            journal.append([record(1), Record("Not a kind", b"", 0)])
        assert journal.head.seq == 0
        assert journal.stopped is None
        journal.append([record(1)])


def test_a_closed_journal_says_so(path: Path) -> None:
    with Journal.open(made(path, 5), TABLE) as journal:
        pass
    journal.close()
    uses: list[Callable[[], object]] = [
        lambda: journal.append([record(6)]),
        lambda: list(journal.entries()),
        journal.rounds,
        journal.tidy,
    ]
    for use in uses:
        with pytest.raises(JournalError, match="is closed"):
            use()


def test_after_a_close_there_is_one_file(path: Path) -> None:
    made(path, 50)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


# Rounds.


@pytest.mark.rule("R33")
def test_the_last_ten_rounds_and_the_unfinished_one_are_recalled_after_a_restart(
    path: Path,
) -> None:
    with Journal.create(path, TABLE) as journal:
        for number in range(1, 13):
            for what in (b"wagers", b"cards", b"payouts"):
                journal.append([Record("event", what + b" %d" % number, number, number)])
        journal.append([Record("event", b"wagers 13", 13, 13)])
    with Journal.open(path, TABLE) as journal:
        assert journal.rounds(11) == [*range(3, 14)]
        assert [entry.body for entry in journal.round(13)] == [b"wagers 13"]
        for number in range(1, 13):
            bodies = [b"wagers %d" % number, b"cards %d" % number, b"payouts %d" % number]
            assert [entry.body for entry in journal.round(number)] == bodies


def test_a_round_has_its_late_entries_too(path: Path) -> None:
    order = [1, 1, None, 1, 2, None, 2, 1, 2, 3, 3, 1]
    with Journal.create(path, TABLE) as journal:
        journal.append([Record("event", b"%d" % n, n, order[n]) for n in range(6)])
    with Journal.open(path, TABLE) as journal:
        journal.append([Record("event", b"%d" % n, n, order[n]) for n in range(6, 12)])
        for number in (1, 2, 3):
            wanted = [n for n, its in enumerate(order) if its == number]
            assert [int(entry.body) for entry in journal.round(number)] == wanted
        assert list(journal.round(4)) == []
        assert journal.rounds() == [1, 2, 3]
        assert journal.rounds(2) == [2, 3]
    sound(path)


def test_a_round_is_found_without_reading_the_others(path: Path) -> None:
    """It reads the round and at most one batch more, not the journal."""
    with Journal.create(path, TABLE) as journal:
        for first in range(0, 6000, 1000):
            journal.append([Record("event", b"", n, n // 10) for n in range(first, first + 1000)])
        asked: list[str] = []
        journal._reading.set_trace_callback(asked.append)
        assert len(list(journal.round(300))) == 10
        journal._reading.set_trace_callback(None)
        assert len(asked) <= 4
        plan = journal._ask("EXPLAIN QUERY PLAN SELECT first FROM rounds WHERE round = 5")
        assert "SEARCH" in plan[0][3]


# Checkpoints, and other entries of a kind.


def test_the_last_entry_of_a_kind_is_found(path: Path) -> None:
    with Journal.open(made(path, 130), TABLE) as journal:
        entries = list(journal.entries())
        for at in (None, 1000, 130, 100, 99, 61, 60, 59, 20, 19):
            upto = [e for e in entries if e.kind == CHECKPOINT and e.seq <= (at or 130)]
            assert journal.last(CHECKPOINT, at) == (upto[-1] if upto else None)
        assert journal.last("event", 1) is None
        assert journal.last("nothing of the kind") is None
        assert journal.entry(77) == entries[76]


def test_a_start_goes_from_the_last_checkpoint(path: Path) -> None:
    with Journal.open(made(path, 19), TABLE) as journal:
        assert journal.recovery == (1, journal.head, ())
        grow(journal, 100)
    with Journal.open(path, TABLE) as journal:
        assert journal.recovery == (100, journal.head, ())


@pytest.mark.rule("R32")
def test_an_entry_that_is_not_as_it_was_written_is_not_given_out(path: Path) -> None:
    at = made(path, 130).read_bytes().index(record(60).body)
    with Reader.look(path) as reader:
        flip(path, at)
        with pytest.raises(Damaged):
            reader.last(CHECKPOINT, 99)
        with pytest.raises(Damaged):
            reader.entry(60)
        assert reader.entry(61).seq == 61
        with pytest.raises(Damaged, match="missing"):
            reader.entry(131)


# Nothing is ever overwritten.


@pytest.mark.rule("R36")
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET body = x'00' WHERE seq = 3",
        "DELETE FROM entries WHERE seq = 10",
        "DELETE FROM entries",
        "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE seq = 3",
        "INSERT INTO entries SELECT 3, at, kind, round, link, body FROM entries WHERE seq = 3",
        "INSERT INTO entries SELECT 99, at, kind, round, link, body FROM entries WHERE seq = 3",
        "UPDATE OR REPLACE entries SET seq = 4 WHERE seq = 3",
        "UPDATE journal SET of_table = 'another'",
        "DELETE FROM journal",
        "REPLACE INTO journal VALUES (1, 1, 'another', 0, x'00')",
        "INSERT INTO entries VALUES (11, 'now', 'note', NULL, x'00', x'00')",
    ],
)
def test_sqlite_itself_refuses_to_change_what_is_recorded(path: Path, change: str) -> None:
    made(path, 10)
    with closing(sqlite3.connect(path)) as db, pytest.raises(sqlite3.IntegrityError):
        db.execute(change)
    assert sound(path).head_seq == 10


@pytest.mark.rule("R36")
@pytest.mark.parametrize(
    ("change", "entry"),
    [
        ("UPDATE entries SET body = x'00' WHERE seq = 12", 12),
        ("UPDATE entries SET at = at + 1 WHERE seq = 12", 12),
        ("UPDATE entries SET kind = 'note' WHERE seq = 12", 12),
        ("UPDATE entries SET round = NULL WHERE seq = 12", 12),
        ("UPDATE entries SET link = zeroblob(32) WHERE seq = 12", 12),
        ("DELETE FROM entries WHERE seq = 12", 12),
        ("DELETE FROM entries WHERE seq = 12; UPDATE entries SET seq = seq - 1 WHERE seq > 12", 12),
        (
            "UPDATE entries SET seq = -12 WHERE seq = 12;"
            "UPDATE entries SET seq = 12 WHERE seq = 13;"
            "UPDATE entries SET seq = 13 WHERE seq = -12",
            12,
        ),
    ],
    ids=["body", "time", "kind", "round", "link", "removed", "closed up", "reordered"],
)
def test_a_change_past_the_triggers_breaks_the_chain_at_that_entry(
    path: Path, change: str, entry: int
) -> None:
    made(path, 25)
    with Journal.open(path, TABLE) as journal:
        journal.append(records(26, 3))
    with closing(sqlite3.connect(path)) as db:
        for name in ("entries_update", "entries_delete"):
            db.execute(f"DROP TRIGGER {name}")
        db.executescript(change)
    with Reader.look(path) as reader, pytest.raises(Damaged) as damaged:
        list(reader.entries())
    assert damaged.value.entry == entry


def test_who_writes_past_felt_stops_it(path: Path) -> None:
    with Journal.open(made(path, 5), TABLE) as journal:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute(
                "INSERT INTO entries SELECT 6, at, kind, round, link, body FROM entries"
                " WHERE seq = 5"
            )
        with pytest.raises(Damaged, match="another program has written"):
            journal.append([record(6)])
        with pytest.raises(Stopped, match="another program has written"):
            journal.append([record(6)])


def test_a_writer_that_holds_the_file_stops_it_after_a_while(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BUSY_S", 0.01)
    with Journal.open(made(path, 5), TABLE) as journal:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(JournalError, match="is being written by another program"):
                journal.append([record(6)])
        with pytest.raises(Stopped):
            journal.append([record(6)])
    assert sound(path).head_seq == 5


def test_an_interruption_stops_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal.open(made(path, 5), TABLE) as journal:

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(journal, "_insert", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.append([record(6)])
        monkeypatch.undo()
        with pytest.raises(Stopped, match="interrupted"):
            journal.append([record(6)])
    with Journal.open(path, TABLE) as journal:
        journal.append([record(6)])


# A journal against a list.

some_records = st.lists(
    st.builds(
        Record,
        st.sampled_from(["event", "decision", "note", CHECKPOINT]),
        st.binary(max_size=40) | st.binary(min_size=3000, max_size=9000),
        st.integers(0, 1 << 62),
        st.none() | st.integers(0, 5),
    ),
    max_size=12,
)


class JournalAsAList(RuleBasedStateMachine):
    """Whatever is done to a journal, it holds what a list would hold."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)
        self.path = Path(self.place.name) / "J.db"
        self.model: list[Record] = []

    @initialize()
    def created(self) -> None:
        self.journal = Journal.at(self.path, TABLE)
        self.patrol = Patrol(self.journal)

    @rule(some=some_records)
    def append(self, some: list[Record]) -> None:
        self.model += some
        assert as_records(self.journal.append(some)) == some

    @rule()
    def reopen(self) -> None:
        self.journal.close()
        self.created()
        assert self.journal.recovery.first == (self.last_checkpoint() or 1)

    def last_checkpoint(self) -> int:
        return max((n for n, one in enumerate(self.model, 1) if one.kind == CHECKPOINT), default=0)

    @rule()
    def tidy(self) -> None:
        self.journal.tidy()

    @rule(first=st.integers(1, 60), count=st.integers(0, 20))
    def recall(self, first: int, count: int) -> None:
        found = list(self.journal.entries(first, first + count - 1))
        assert as_records(found) == self.model[first - 1 : first - 1 + count]

    @rule(number=st.integers(0, 5))
    def recall_round(self, number: int) -> None:
        wanted = [one for one in self.model if one.round == number]
        assert as_records(list(self.journal.round(number))) == wanted

    @rule(count=st.integers(1, 20))
    def watch(self, count: int) -> None:
        self.patrol.step(count)

    @rule()
    def look(self) -> None:
        with Reader.look(self.path, TABLE) as reader:
            assert as_records(list(reader.entries())) == self.model
            assert reader.head == self.journal.head

    @invariant()
    def it_is_as_long_as_the_list(self) -> None:
        if hasattr(self, "journal"):
            assert self.journal.head.seq == len(self.model)
            latest = self.journal.last(CHECKPOINT)
            assert (latest.seq if latest else 0) == self.last_checkpoint()
            rounds = sorted({one.round for one in self.model if one.round is not None})
            assert self.journal.rounds(3) == rounds[-3:]

    def teardown(self) -> None:
        if hasattr(self, "journal"):
            self.look()
            self.journal.close()
            self.look()
            sound(self.path)
        self.place.cleanup()


JournalAsAList.TestCase.settings = settings(
    max_examples=30,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestJournalAsAList = pytest.mark.rule("R36")(JournalAsAList.TestCase)


def test_it_is_not_closed_under_somebody_who_reads(path: Path) -> None:
    """A connection that is closed while a thread is in it ends the whole process."""
    made(path, 20)
    journal = Journal.open(path, TABLE)
    reads, goes_on = threading.Event(), threading.Event()

    def waits() -> int:
        reads.set()
        goes_on.wait()
        return 0

    journal._reading.set_progress_handler(waits, 1)
    found: list[Entry | JournalError | None] = []

    def look() -> None:
        try:
            found.append(journal.last("event"))
        except JournalError as closed:
            # It asks more than once, and who waits to close may come in between.
            found.append(closed)

    reader = threading.Thread(target=look)
    closer = threading.Thread(target=journal.close)
    reader.start()
    reads.wait()
    closer.start()
    # It waits for as long as somebody reads.
    closer.join(0.2)
    assert closer.is_alive()
    goes_on.set()
    reader.join()
    closer.join()
    assert len(found) == 1
    with pytest.raises(JournalError, match="is closed"):
        journal.last("event")
