"""The process is killed: the next one goes on where it was, from what had been acknowledged."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.journal.journal import Journal
from controller.journal.verifier import verify
from tests.controller.journal.making import ROOT, TABLE, as_records, made, records, sound

COUNT = 5


@contextmanager
def writing(path: Path, *given: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that writes the journal, until it is killed at the end."""
    command = [sys.executable, "-m", "tests.controller.journal.child", str(path), *given]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as child:
        try:
            yield child
        finally:
            child.kill()


def acknowledged(child: subprocess.Popen[bytes], count: int) -> int:
    """Wait for so many answers; the number in the last one."""
    assert child.stdout is not None
    return int([child.stdout.readline() for _ in range(count)][-1])


def the_rest(child: subprocess.Popen[bytes]) -> int:
    """What it had still said when it was killed."""
    assert child.stdout is not None
    lines = [line for line in child.stdout.read().splitlines(keepends=True) if line.endswith(b"\n")]
    return int(lines[-1]) if lines else 0


def check(path: Path, last: int) -> None:
    """All that was acknowledged is there, and at most the commit that was under way."""
    # Before anybody mends anything: a commit that was cut short is no damage to what is recorded.
    report = verify(path)
    assert not [found for found in report.findings if found.kind != "log"]
    assert not report.log.proven
    with Journal.open(path, TABLE) as journal:
        assert last <= journal.head.seq <= last + 3
        assert as_records(list(journal.entries())) == records(1, journal.head.seq)
    sound(path)


@pytest.mark.rule("R31")
def test_killed_after_each_answer(path: Path) -> None:
    made(path, COUNT)
    for count in range(1, 13):
        with writing(path) as child:
            last = acknowledged(child, count)
            child.kill()
            last = the_rest(child) or last
        check(path, last)


@pytest.mark.rule("R31")
def test_killed_at_any_instant(path: Path) -> None:
    made(path, COUNT)
    chance = random.Random(31)
    for _ in range(12):
        with writing(path) as child:
            last = acknowledged(child, 1)
            time.sleep(chance.random() / 20)
            child.kill()
            last = the_rest(child) or last
        check(path, last)


@pytest.mark.slow
def test_killed_many_times(path: Path) -> None:
    made(path, COUNT)
    chance = random.Random(32)
    for _ in range(100):
        with writing(path) as child:
            last = acknowledged(child, 1)
            time.sleep(chance.random() / 50)
            child.kill()
            last = the_rest(child) or last
        check(path, last)


def test_a_journal_that_is_being_written_can_be_verified(path: Path) -> None:
    """Without stopping the table, and without mistaking what is being written for damage."""
    made(path, COUNT)
    with writing(path, "0.001") as child:
        acknowledged(child, 1)
        heads = [sound(path).head_seq for _ in range(25)]
    assert heads == sorted(heads)
    assert heads[-1] > heads[0]
