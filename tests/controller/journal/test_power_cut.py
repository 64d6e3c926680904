"""The power is cut at every write: what was acknowledged is there, and nothing is half there.

A run of a journal is recorded on a disk that notes every write and flush. Then the disk is put
together as it could have been left at each moment, and the journal is opened on it in the
ordinary way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("apsw")

from controller.journal import store, verifier
from controller.journal.errors import JournalError
from controller.journal.journal import Journal
from controller.journal.log import WriteAheadLog
from tests.controller.journal.disk import (
    Disk,
    Files,
    Operation,
    by_chance,
    disk_under_test,
    everything,
    noted,
    nothing,
)
from tests.controller.journal.making import TABLE, as_records, made, record, records, sound

NAMES = ("J.db", "J.db-wal")
#: How many records the commits have, one after the other.
COMMITS = (1, 1, 3, 1, 1, 20, 1, 1, 1, 1, 5, 1)

Survives = Callable[[Operation], Operation | None]
#: A moment: the files, and the last entries that were acknowledged and asked for.
Moment = tuple[Files, int, int]


class Run:
    """A journal that is opened, appended to and closed on a disk under test."""

    def __init__(
        self, path: Path, patching: pytest.MonkeyPatch, *, count: int, longest: int
    ) -> None:
        self.count = count
        self.longest = longest
        self.before = made(path, count, longest).read_bytes()
        self.folder = path.parent
        with disk_under_test(patching) as disk, patching.context() as patched:
            patched.setattr(WriteAheadLog, "make_ready", noted(disk))
            self._play(path, disk)
            self.operations = list(disk.record)
        sound(path)
        self.after = path.read_bytes()
        path.unlink()

    def _play(self, path: Path, disk: Disk) -> None:
        with Journal.open(path, TABLE) as journal:
            for count in COMMITS:
                seq = journal.head.seq + 1
                last = seq + count - 1
                disk.note(Operation("asked", at=last))
                journal.append(records(seq, count, self.longest))
                disk.note(Operation("acknowledged", at=last))

    def moments(self) -> Iterator[Moment]:
        """Every moment of the run, before the first operation and after each."""
        (self.folder / NAMES[0]).write_bytes(self.before)
        files = Files(self.folder, NAMES)
        asked = acknowledged = self.count
        yield files, acknowledged, asked
        for operation in self.operations:
            if operation.what == "asked":
                asked = operation.at
            elif operation.what == "acknowledged":
                acknowledged = operation.at
            else:
                files.follow(operation)
            yield files, acknowledged, asked

    def check(self, moment: Moment, survives: Survives) -> None:
        """Open the journal as it was left; it must go on from there."""
        files, acknowledged, asked = moment
        path = self.folder / NAMES[0]
        for name in NAMES:
            (self.folder / name).unlink(missing_ok=True)
        for name, content in files.left(survives).items():
            (self.folder / name).write_bytes(content)
        with Journal.open(path, TABLE) as journal:
            head = journal.head.seq
            # One commit at most was under way, and it is there as a whole or not at all.
            assert head in {acknowledged, asked}
            assert as_records(list(journal.entries())) == records(1, head, self.longest)
            journal.append([record(head + 1, self.longest)])
        assert sound(path).head_seq == head + 1


@pytest.fixture
def run(path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return Run(path, monkeypatch, count=9, longest=300)


@pytest.mark.rule("R31")
def test_what_was_flushed_is_enough(run: Run) -> None:
    """Of what was not flushed, nothing is left. That changes only with a flush."""
    for moment, operation in zip(run.moments(), [Operation("start"), *run.operations], strict=True):
        if operation.what not in ("write", "asked"):
            run.check(moment, nothing)


@pytest.mark.rule("R31")
def test_what_was_not_flushed_may_be_there_in_part(run: Run) -> None:
    """At every write: some of the writes, in any order, some of them torn."""
    for seed, moment in enumerate(run.moments()):
        run.check(moment, by_chance(random.Random(seed)))


@pytest.mark.rule("R31")
def test_a_killed_process_leaves_everything_it_wrote(run: Run) -> None:
    for number, moment in enumerate(run.moments()):
        if number % 5 == 0:
            run.check(moment, everything)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "longest", "images"), [(9, 300, 6), (9, 9000, 3), (300, 3000, 1)]
)
def test_many_more_power_cuts(
    path: Path, monkeypatch: pytest.MonkeyPatch, count: int, longest: int, images: int
) -> None:
    run = Run(path, monkeypatch, count=count, longest=longest)
    for seed, moment in enumerate(run.moments()):
        run.check(moment, nothing)
        run.check(moment, everything)
        for more in range(images):
            run.check(moment, by_chance(random.Random(seed * 10 + more)))


@pytest.mark.slow
def test_the_power_goes_while_a_tree_is_rearranged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(path, monkeypatch, count=935, longest=6000)
    assert inner_pages(run.after) > inner_pages(run.before) + 1
    for seed, moment in enumerate(run.moments()):
        run.check(moment, by_chance(random.Random(seed)))


def inner_pages(data: bytes) -> int:
    return sum(data[at] == verifier.INTERIOR for at in range(0, len(data), 4096))


def test_with_a_weaker_promise_of_sqlite_these_tests_fail(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They can: with NORMAL, SQLite does not flush the log at a commit."""
    weaker = [setting.replace("= FULL", "= NORMAL") for setting in store._WRITING]
    with monkeypatch.context() as patched:
        patched.setattr(store, "_WRITING", tuple(weaker))
        run = Run(path, monkeypatch, count=9, longest=300)
    lost = 0
    for moment, operation in zip(run.moments(), [Operation("start"), *run.operations], strict=True):
        if operation.what == "acknowledged":
            try:
                run.check(moment, nothing)
            except (AssertionError, JournalError):
                lost += 1
    assert lost > len(COMMITS) // 2


def test_a_log_of_zeros_of_any_size_is_no_hindrance(path: Path) -> None:
    """The power went while the log was made ready."""
    made(path, 9)
    for size in (0, 1, 31, 32, 33, 4096, 4152, 100_000):
        path.with_name(NAMES[1]).write_bytes(bytes(size))
        assert sound(path).log == verifier.Log()
        with Journal.open(path, TABLE) as journal:
            assert journal.head.seq == 9
            assert journal.recovery.remarks == ()
