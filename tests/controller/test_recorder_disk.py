"""A table on a disk that is full, fails, or loses power at any write: it goes on where it was.

The whole way is under test, event to journal to machine to journal. After each mishap the table is
started again in the ordinary way, and whoever got no answer sends its event once more. In the end
the journal must hold what it would hold if nothing had happened: every event once, every decision
once, and so every command to deal or to pay once.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("apsw")

import apsw
import msgspec
from msgspec.structs import replace

from controller import recorder as recording
from controller.journal import journal as journals
from controller.journal import store
from controller.journal.errors import JournalError, Stopped
from controller.journal.journal import Journal
from controller.journal.log import WriteAheadLog
from controller.journal.verifier import verify
from controller.library import Library
from controller.recorder import Decision, Recorder, Taken, decision_of
from controller.table.events import Event
from controller.table.machine import new_table, step
from controller.table.state import Table
from controller.tables import terms_of
from tests.controller.journal.conftest import MEMORY
from tests.controller.journal.disk import (
    FailsAt,
    Files,
    Operation,
    by_chance,
    disk_under_test,
    everything,
    noted,
    nothing,
)
from tests.controller.test_recorder import BOOKS, script, table_file

NAMES = ("J.db", "J.db-wal")
#: Of the moments of a run, the default tests look at every so many.
SAMPLE = 37

Survives = Callable[[Operation], Operation | None]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """In memory where that can be: these tests flush thousands of times."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as made:
        yield Path(made)


@pytest.fixture(autouse=True)
def _everything_happens_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is full after a few commits, and a checkpoint is due every ten events."""
    monkeypatch.setattr(journals, "LOG_FRAMES", 16)
    monkeypatch.setattr(recording, "ENTRIES_A_CHECKPOINT", 21)


class Play:
    """The events of a round with their ids, and what they lead to if nothing goes wrong."""

    def __init__(self, book: str) -> None:
        self.book = book
        self.events = [replace(one, id=f"e{n}") for n, one in enumerate(script(book))]
        terms = terms_of(table_file(book), Library())
        self.tables: list[Table] = [new_table(terms)]
        self.decisions: list[Decision] = []
        for event in self.events:
            done = step(terms, self.tables[-1], event)
            assert not done.refused
            self.tables.append(done.table)
            self.decisions.append(Decision(done.table.phase, done.commands))

    def start(self, folder: Path, kind: type[Recorder] = Recorder) -> Recorder:
        data = table_file(self.book)
        return kind(Journal.at(folder / NAMES[0], data["id"]), data, Library())

    def begun(self, folder: Path) -> None:
        """A journal with nothing in it but the terms."""
        self.start(folder)._journal.close()

    def goes_on(self, folder: Path, acknowledged: int) -> None:
        """Start again, finish the play, and compare it with one that was not disturbed."""
        one = self.start(folder)
        with one._journal:
            kept = [e.body for e in one._journal.entries() if e.kind == "event"]
            assert acknowledged <= len(kept) <= acknowledged + 1
            assert one.table == self.tables[len(kept)]
            assert one.owed == (self.decisions[len(kept) - 1].commands if kept else ())
            # Whoever got no answer asks again; if the event is there, that changes nothing.
            if len(kept) > acknowledged:
                again = one.take(self.events[acknowledged]).step
                assert "was taken already" in again.refused
                assert again.table == self.tables[len(kept)]
            for event in self.events[len(kept) :]:
                assert not one.take(event).step.refused
            assert one.table == self.tables[-1]
            self.is_whole(one)
        report = verify(folder / NAMES[0])
        assert report.sound, report.findings

    def is_whole(self, one: Recorder) -> None:
        """Every event and every decision is there once, in order."""
        entries = [e for e in one._journal.entries() if e.kind in ("event", "decision")]
        assert [e.kind for e in entries] == ["event", "decision"] * (len(entries) // 2)
        taken = [
            (event.body, decision_of(decision))
            for event, decision in zip(entries[::2], entries[1::2], strict=True)
            if not decision_of(decision).refused
        ]
        assert [body for body, _ in taken] == [msgspec.json.encode(e) for e in self.events]
        assert [decision for _, decision in taken] == self.decisions


@cache
def play(book: str) -> Play:
    return Play(book)


# The power is cut.


class Run:
    """A play on a disk that keeps a record, and the moments at which the power could go."""

    def __init__(
        self,
        played: Play,
        folder: Path,
        patching: pytest.MonkeyPatch,
        kind: type[Recorder] = Recorder,
    ) -> None:
        self.played = played
        self.folder = folder
        played.begun(folder)
        self.before = (folder / NAMES[0]).read_bytes()
        with disk_under_test(patching) as disk, patching.context() as patched:
            patched.setattr(WriteAheadLog, "make_ready", noted(disk))
            one = played.start(folder, kind)
            for n, event in enumerate(played.events, 1):
                one.take(event)
                disk.note(Operation("acknowledged", at=n))
            one._journal.close()
            self.operations = list(disk.record)

    def moments(self) -> Iterator[tuple[Files, int]]:
        """Before the first operation and after each: the files, and the events acknowledged."""
        (self.folder / NAMES[0]).write_bytes(self.before)
        files = Files(self.folder, NAMES)
        acknowledged = 0
        yield files, acknowledged
        for operation in self.operations:
            if operation.what == "acknowledged":
                acknowledged = operation.at
            else:
                files.follow(operation)
            yield files, acknowledged

    def check(self, files: Files, acknowledged: int, survives: Survives) -> None:
        for name in NAMES:
            (self.folder / name).unlink(missing_ok=True)
        for name, content in files.left(survives).items():
            (self.folder / name).write_bytes(content)
        self.played.goes_on(self.folder, acknowledged)


@pytest.mark.rule("R31")
def test_the_power_goes_at_some_writes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not flushed is lost, is there, or is there in part and torn."""
    run = Run(play("s10"), folder, monkeypatch)
    fates: list[Survives] = [nothing, everything, by_chance(random.Random(31))]
    for number, (files, acknowledged) in enumerate(run.moments()):
        if number % SAMPLE == 0:
            run.check(files, acknowledged, fates[number // SAMPLE % 3])


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
def test_the_power_goes_at_every_write(
    book: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(play(book), folder, monkeypatch)
    chance = random.Random(32)
    for files, acknowledged in run.moments():
        for survives in (nothing, everything, by_chance(chance)):
            run.check(files, acknowledged, survives)


# The disk is full, or fails.


def fails_and_goes_on(
    played: Play, folder: Path, patching: pytest.MonkeyPatch, fails: FailsAt
) -> bool:
    """Play until the disk fails; then, on a good one, to the end. False if it did not fail."""
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)
    played.begun(folder)
    acknowledged = 0
    with disk_under_test(patching) as disk:
        disk.failing = fails
        try:
            one = played.start(folder)
        except JournalError:
            pass  # on opening: nothing was taken
        else:
            acknowledged = taken_until_it_stops(one, played.events)
            with_trouble = one._journal.stopped is not None
            try:
                one._journal.close()
            except JournalError:
                with_trouble = True
            assert with_trouble == fails.failed
    played.goes_on(folder, acknowledged)
    return fails.failed


def taken_until_it_stops(one: Recorder, events: list[Event]) -> int:
    """The number of events that were acknowledged. After the first failure there are no more."""
    for n, event in enumerate(events):
        try:
            one.take(event)
        except JournalError:
            for later in events[n : n + 2]:
                with pytest.raises(Stopped):
                    one.take(later)
            return n
    return len(events)


ANSWERS = pytest.mark.parametrize("answer", [apsw.FullError, apsw.IOError], ids=["full", "failed"])


@pytest.mark.rule("R31", "R32")
@ANSWERS
def test_the_disk_fails_at_some_writes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, answer: type[apsw.Error]
) -> None:
    for number, nth in enumerate(range(1, 10_000, SAMPLE)):
        fails = FailsAt(nth, answer, once=number % 2 == 0)
        if not fails_and_goes_on(play("s10"), folder, monkeypatch, fails):
            break
    assert number > 5


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("once", [True, False], ids=["once", "for good"])
@ANSWERS
def test_the_disk_fails_at_every_write(
    book: str, folder: Path, monkeypatch: pytest.MonkeyPatch, answer: type[apsw.Error], once: bool
) -> None:
    nth = 1
    while fails_and_goes_on(play(book), folder, monkeypatch, FailsAt(nth, answer, once=once)):
        nth += 1
    assert nth > 200


# These tests can fail.


def test_with_a_weaker_promise_of_sqlite_an_answered_event_is_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With NORMAL, SQLite does not flush the log at a commit."""
    weaker = [setting.replace("= FULL", "= NORMAL") for setting in store._WRITING]
    with monkeypatch.context() as patched:
        patched.setattr(store, "_WRITING", tuple(weaker))
        run = Run(play("s10"), folder, monkeypatch)
    lost = 0
    for number, (files, acknowledged) in enumerate(run.moments()):
        if number % SAMPLE == 0:
            try:
                run.check(files, acknowledged, nothing)
            except AssertionError:
                lost += 1
    assert lost > 3


def test_a_recorder_that_answers_before_it_has_written_is_found_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hasty(Recorder):
        """Writes down what was taken when the next event comes."""

        last: Event | None = None

        def take(self, event: Event) -> Taken:
            before, self.last = self.last, event
            done = step(self.terms, self.table, event)
            if before is not None:
                return super().take(before)
            return Taken(0, done)

    run = Run(play("s10"), folder, monkeypatch, Hasty)
    # Between an answer and the next event it shows, and at no other moment.
    found_out, answered = 0, 0
    for files, acknowledged in run.moments():
        if acknowledged > answered and acknowledged % 10 == 0:
            with pytest.raises(AssertionError):
                run.check(files, acknowledged, everything)
            found_out += 1
        answered = acknowledged
    assert found_out > 3
