"""The disk is full, or fails: people are told, nothing more is taken, what was recorded is kept."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("apsw")

import apsw

from controller.journal.errors import DiskFailed, DiskFull, JournalError, Stopped
from controller.journal.journal import Journal
from tests.controller.journal.disk import FailsAt, Operation, disk_under_test
from tests.controller.journal.making import (
    TABLE,
    as_records,
    grow,
    made,
    record,
    records,
    sound,
)

WORDS = {apsw.FullError: "the disk is full", apsw.IOError: "the disk failed"}
COUNT = 9
APPENDS = 40


def failures(path: Path, patching: pytest.MonkeyPatch, fails: FailsAt) -> tuple[int, list[str]]:
    """Append until the disk fails; the last entry that was acknowledged, and what people see."""
    acknowledged = COUNT
    told = []
    with disk_under_test(patching) as disk:
        disk.failing = fails
        try:
            with Journal.open(path, TABLE) as journal:
                acknowledged = append_until_it_stops(journal)
                if journal.stopped:
                    told.append(str(journal.stopped))
                    check_stopped(journal, acknowledged)
        except JournalError as error:
            told.append(str(error))  # on opening or closing
    return acknowledged, told


def append_until_it_stops(journal: Journal) -> int:
    """Append some at a time; the last entry that was acknowledged."""
    acknowledged = journal.head.seq
    with contextlib.suppress(DiskFull, DiskFailed):
        for number in range(APPENDS):
            seq = acknowledged + 1
            acknowledged = journal.append(records(seq, 1 + number % 3))[-1].seq
    return acknowledged


def check_stopped(journal: Journal, acknowledged: int) -> None:
    assert journal.stopped is not None
    assert journal.head.seq == acknowledged
    for _ in range(2):
        with pytest.raises(Stopped) as stopped:
            journal.append([record(acknowledged + 1)])
        assert stopped.value.cause.endswith(journal.stopped.cause)
    with pytest.raises(Stopped):
        journal.tidy()


@pytest.mark.rule("R31", "R32")
@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("once", [True, False], ids=["once", "for good"])
@pytest.mark.parametrize("answer", WORDS)
def test_a_disk_that_fails_at_any_write_loses_nothing(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: type[apsw.Error],
    once: bool,
    every: int,
) -> None:
    made(path, COUNT)
    before = path.read_bytes()
    ends = 0
    for nth in range(1, 1000, every):
        path.write_bytes(before)
        fails = FailsAt(nth, answer, once=once)
        acknowledged, told = failures(path, monkeypatch, fails)
        if not fails.failed:
            break
        ends += 1
        assert not told or any(WORDS[answer] in line for line in told), told
        with Journal.open(path, TABLE) as journal:
            # What failed was not acknowledged; it may be there as a whole, or not.
            assert journal.head.seq >= acknowledged
            assert journal.head.seq <= acknowledged + 3
            assert as_records(list(journal.entries())) == records(1, journal.head.seq)
            journal.append([record(journal.head.seq + 1)])
        sound(path)
    else:
        raise AssertionError("the disk never got to the end")
    assert ends > 100 // every


def test_on_a_full_disk_what_is_in_the_log_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has its room already; it is the file that can't grow."""
    made(path, COUNT)
    with disk_under_test(monkeypatch) as disk:

        def full(operation: Operation) -> None:
            if operation.what == "write" and operation.file == path.name:
                raise apsw.FullError("no room")

        with Journal.open(path, TABLE) as journal:
            disk.failing = full
            with pytest.raises(DiskFull):
                grow(journal, 1000)
            acknowledged = journal.head.seq
        assert acknowledged > COUNT + 10
    with Journal.open(path, TABLE) as journal:
        assert as_records(list(journal.entries())) == records(1, acknowledged)
    sound(path)


def test_a_disk_that_fails_while_a_journal_is_created_leaves_none(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", failing)
        with pytest.raises(DiskFailed):
            Journal.create(path, TABLE)
    assert not path.exists()
    made(path, 3)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.fixture
def little_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk with little room, where we may mount one."""
    place = tmp_path / "little"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=700k", "felt-test", str(place)]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip("we may not mount a disk here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_really_full(little_disk: Path) -> None:
    path = little_disk / "J.db"
    with Journal.create(path, TABLE) as journal:
        with pytest.raises(DiskFull, match="the disk is full; make room, then start again"):
            grow(journal, 10_000)
        acknowledged = journal.head.seq
        with pytest.raises(Stopped):
            journal.append([record(acknowledged + 1)])
        assert acknowledged > 100
    (little_disk / "filling").write_bytes(bytes(free(little_disk)))
    with pytest.raises(DiskFull):
        Journal.open(path, TABLE)  # there is no room to make the log ready either
    (little_disk / "filling").unlink()
    subprocess.run(["mount", "-o", "remount,size=4m", str(little_disk)], check=True)
    with Journal.open(path, TABLE) as journal:
        assert journal.head.seq >= acknowledged
        assert as_records(list(journal.entries())) == records(1, journal.head.seq)
        grow(journal, 10)
    sound(path)


def free(folder: Path) -> int:
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize
