"""The patrol: what is altered while the table plays is found while the table plays."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.entry import Entry
from controller.journal.errors import Damaged, Stopped
from controller.journal.journal import Journal
from controller.journal.patrol import Checked, Patrol
from controller.journal.reader import Reader
from controller.journal.writer import Writer
from tests.controller.journal.making import TABLE, flip, grow, made, record, sound


def test_it_goes_round_and_round(path: Path) -> None:
    with Journal.open(made(path, 10), TABLE) as journal:
        patrol = Patrol(journal)
        steps = [patrol.step(4) for _ in range(4)]
        assert steps == [(1, 4, 0), (5, 8, 0), (9, 10, 1), (1, 4, 1)]
        grow(journal, 5)
        assert patrol.step(100) == (5, 15, 2)


def test_it_has_nothing_to_do_in_an_empty_journal(path: Path) -> None:
    with Journal.create(path, TABLE) as journal:
        patrol = Patrol(journal)
        assert patrol.step() == (1, 0, 1)
        journal.append([record(1)])
        assert patrol.step() == (1, 1, 2)


@pytest.mark.rule("R32")
@pytest.mark.parametrize("entry", [3, 17, 40])
def test_an_entry_altered_on_the_disk_stops_the_journal_and_is_named(
    path: Path, entry: int
) -> None:
    at = made(path, 40).read_bytes().index(record(entry).body) + 2
    with Journal.open(path, TABLE) as journal:
        patrol = Patrol(journal)
        assert patrol.step(1000).passes == 1
        flip_while_open(path, at)
        with pytest.raises(Damaged, match=f"damaged at entry {entry}") as damaged:
            patrol.step(1000)
        assert damaged.value.entry == entry
        with pytest.raises(Stopped, match=f"has stopped: is damaged at entry {entry}"):
            journal.append([record(41)])
        assert journal.stopped is damaged.value


@pytest.mark.rule("R32")
def test_an_entry_altered_in_the_log_is_found(path: Path) -> None:
    with Journal.open(made(path, 40), TABLE) as journal:
        journal.append([record(41)._replace(body=b"this is the needle")])
        log = path.with_name("J.db-wal")
        flip(log, log.read_bytes().index(b"this is the needle"))
        with pytest.raises(Damaged) as damaged:
            Patrol(journal).step(1000)
        assert damaged.value.entry == 41


@pytest.mark.rule("R32")
def test_pages_that_sqlite_can_not_read_are_damage_too(path: Path) -> None:
    page = made(path, 200).read_bytes().index(record(77).body) // 4096
    with Journal.open(path, TABLE) as journal:
        patrol = Patrol(journal)
        assert patrol.step(48) == (1, 48, 0)
        flip_while_open(path, page * 4096)
        with pytest.raises(Damaged) as damaged:
            patrol.step(48)
        assert damaged.value.entry is not None
        assert 50 < damaged.value.entry <= 77


def test_a_header_that_is_another_one_is_found(path: Path) -> None:
    at = made(path, 5).read_bytes().index(TABLE.encode())
    with Journal.open(path, TABLE) as journal:
        flip_while_open(path, at)
        with pytest.raises(Damaged, match="header"):
            Patrol(journal).step()


# Beside a loop.


def test_it_watches_while_others_write(path: Path) -> None:
    async def main() -> None:
        with Journal.open(made(path, 40), TABLE) as journal:
            patrol = Patrol(journal)
            async with Writer(journal) as writer:
                watching = asyncio.create_task(patrol.watch(pause_s=0, count=7))
                while patrol.passes < 3 or journal.head.seq < 60:
                    await writer.append([record(journal.head.seq + 1)])
                assert not watching.done()
                watching.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await watching
            assert journal.stopped is None

    asyncio.run(main())
    sound(path)


@pytest.mark.rule("R32")
def test_what_it_finds_while_it_watches_stops_the_writer(path: Path) -> None:
    at = made(path, 40).read_bytes().index(record(33).body)

    async def main() -> None:
        with Journal.open(path, TABLE) as journal:
            async with Writer(journal) as writer:
                watching = asyncio.create_task(Patrol(journal).watch(pause_s=0, count=7))
                await writer.append([record(41)])
                flip_while_open(path, at)
                with pytest.raises(Damaged, match="damaged at entry 33"):
                    await watching
                with pytest.raises(Stopped, match="damaged at entry 33"):
                    await writer.append([record(42)])
            assert journal.head.seq == 41

    asyncio.run(main())


def test_cancelled_it_ends_its_step_and_does_not_touch_the_file_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()
    step = Patrol.step

    def held_up(self: Patrol, count: int) -> Checked:
        begun.set()
        assert go_on.wait(300)
        checked = step(self, count)
        ended.set()
        return checked

    monkeypatch.setattr(Patrol, "step", held_up)

    async def main() -> None:
        with Journal.open(made(path, 10), TABLE) as journal:
            watching = asyncio.create_task(Patrol(journal).watch(pause_s=0))
            assert await asyncio.to_thread(begun.wait, 60)
            watching.cancel()
            for _ in range(5):
                await asyncio.sleep(0)
            assert not watching.done()
            go_on.set()
            with pytest.raises(asyncio.CancelledError):
                await watching
            assert ended.is_set()

    asyncio.run(main())


def test_a_step_reads_no_more_than_it_was_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the journal is: so it never keeps the processor for long."""
    read: list[int] = []
    entries = Reader.entries

    def counted(self: Reader, first: int = 1, last: int | None = None) -> Iterator[Entry]:
        for entry in entries(self, first, last):
            read.append(entry.seq)
            yield entry

    with Journal.open(made(path, 300), TABLE) as journal:
        monkeypatch.setattr(Reader, "entries", counted)
        patrol = Patrol(journal)
        patrol.step(10)
        patrol.step(10)
        assert read == [*range(1, 21)]


FLIP = """
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(-1, 1)
    file.write(bytes((byte ^ 1,)))
"""


def flip_while_open(path: Path, at: int) -> None:
    """From another process: closing the file in this one would end SQLite's locks on it."""
    subprocess.run([sys.executable, "-I", "-S", "-c", FLIP, str(path), str(at)], check=True)
