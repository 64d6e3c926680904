"""Journals to test with, whose every record follows from its number."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

from controller.journal.entry import CHECKPOINT, Entry, Record
from controller.journal.journal import Journal
from controller.journal.verifier import Report, verify

ROOT = Path(__file__).resolve().parents[3]
TABLE = "stud-7"
START_NS = 1_790_000_000_000_000_000
ENTRIES_A_ROUND = 6
SIDES = ("", "-wal", "-shm", "-lock")


def record(seq: int, longest: int = 300) -> Record:
    """What entry ``seq`` is made from: events and decisions by turns, notes outside any round.

    The 20th is a checkpoint, and so is every 40th after it.
    """
    chance = random.Random(seq)
    body = chance.randbytes(chance.randrange(longest))
    at = START_NS + seq * 1_000_000
    if seq % 40 == 20:
        return Record(CHECKPOINT, body, at, seq // ENTRIES_A_ROUND)
    if chance.random() < 0.1:
        return Record("note", body, at)
    return Record("decision" if seq % 2 else "event", body, at, seq // ENTRIES_A_ROUND)


def records(first: int, count: int, longest: int = 300) -> list[Record]:
    return [record(seq, longest) for seq in range(first, first + count)]


def grow(journal: Journal, count: int, longest: int = 300) -> None:
    """Add so many entries, in commits of different sizes."""
    end = journal.head.seq + count
    while (left := end - journal.head.seq) > 0:
        seq = journal.head.seq + 1
        journal.append(records(seq, min(left, 1 + seq % 4), longest))


def made(path: Path, count: int, longest: int = 300) -> Path:
    """A journal with so many entries, closed."""
    with Journal.create(path, TABLE, START_NS) as journal:
        grow(journal, count, longest)
    return path


def as_records(entries: Sequence[Entry]) -> list[Record]:
    return [Record(entry.kind, entry.body, entry.at, entry.round) for entry in entries]


def copied(path: Path, folder: Path) -> Path:
    """The journal as it lies on the disk now, as after a crash."""
    folder.mkdir(exist_ok=True)
    for side in SIDES[:2]:
        source = path.with_name(path.name + side)
        if source.exists():
            shutil.copy(source, folder / source.name)
    return folder / path.name


def flip(path: Path, at: int, mask: int = 0xFF) -> None:
    """Change one byte of a file."""
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes((byte ^ mask,)))


def sound(path: Path) -> Report:
    """The report on a journal in which nothing is wrong."""
    report = verify(path)
    assert report.sound, "\n".join(map(str, report.findings))
    return report
