"""Many tasks, one thread that writes, and commits that are shared."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from controller.journal.entry import Entry, Record
from controller.journal.errors import DiskFull, JournalError, Stopped, Unfit
from controller.journal.journal import Journal
from controller.journal.writer import Writer
from tests.controller.journal.making import TABLE, as_records, made, record, records, sound


class Gate:
    """Holds the journal's commits back until it is opened, and counts them."""

    def __init__(self, journal: Journal, patching: pytest.MonkeyPatch) -> None:
        self.commits: list[int] = []
        self.open = threading.Event()
        self.begun = threading.Event()
        self.error: BaseException | None = None
        really = journal.append

        def append(records: Sequence[Record]) -> list[Entry]:
            self.begun.set()
            assert self.open.wait(300)
            if self.error:
                raise self.error
            self.commits.append(len(records))
            return really(records)

        patching.setattr(journal, "append", append)


def played(
    path: Path,
    patching: pytest.MonkeyPatch,
    scene: Callable[[Journal, Writer, Gate], Coroutine[Any, Any, None]],
    max_waiting: int = 1024,
) -> None:
    """A scene with a journal of three entries, its writer, and a gate before the disk."""

    async def main() -> None:
        with Journal.open(made(path, 3), TABLE) as journal:
            gate = Gate(journal, patching)
            async with Writer(journal, max_waiting) as writer:
                await scene(journal, writer, gate)
                gate.open.set()

    asyncio.run(main())
    sound(path)


async def begun(gate: Gate) -> None:
    """Until the thread stands before the gate."""
    assert await asyncio.to_thread(gate.begun.wait, 60)


async def soon() -> None:
    """Until all that could go on has gone on."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_an_append_returns_when_it_is_durable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(journal: Journal, writer: Writer, gate: Gate) -> None:
        asked = asyncio.create_task(writer.append([record(4)]))
        await begun(gate)
        assert not asked.done()
        assert journal.head.seq == 3
        gate.open.set()
        (entry,) = await asked
        assert entry == next(journal.entries(4))
        assert journal.head.seq == 4

    played(path, monkeypatch, scene)


def test_all_who_wait_share_one_commit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(journal: Journal, writer: Writer, gate: Gate) -> None:
        asked = [asyncio.create_task(writer.append([record(4)]))]
        await begun(gate)
        asked += [asyncio.create_task(writer.append(records(5 + 2 * n, 2))) for n in range(64)]
        await soon()
        gate.open.set()
        answers = await asyncio.gather(*asked)
        assert gate.commits == [1, 128]
        # Each has its own entries, in the order in which they were asked for.
        assert [entry for answer in answers for entry in answer] == list(journal.entries(4))
        assert as_records(answers[7]) == records(17, 2)

    played(path, monkeypatch, scene)


def test_tasks_that_run_in_one_turn_share_the_first_commit_already(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(_: Journal, writer: Writer, gate: Gate) -> None:
        gate.open.set()
        await asyncio.gather(*(writer.append([record(4 + n)]) for n in range(20)))
        assert gate.commits == [20]

    played(path, monkeypatch, scene)


def test_only_so_many_may_wait(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(_: Journal, writer: Writer, gate: Gate) -> None:
        asked = [asyncio.create_task(writer.append([record(4 + n)])) for n in range(10)]
        await begun(gate)
        await soon()
        assert len(writer._queue) == 0
        gate.open.set()
        answers = await asyncio.gather(*asked)
        assert [answer[0].seq for answer in answers] == list(range(4, 14))
        assert max(gate.commits) <= 3

    played(path, monkeypatch, scene, max_waiting=3)


def test_who_is_cancelled_while_waiting_has_asked_for_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(journal: Journal, writer: Writer, gate: Gate) -> None:
        first = asyncio.create_task(writer.append([record(4)]))
        await begun(gate)
        withdrawn = asyncio.create_task(writer.append([Record("note", b"withdrawn", 0)]))
        last = asyncio.create_task(writer.append([record(5)]))
        await soon()
        withdrawn.cancel()
        await soon()
        assert withdrawn.cancelled()
        gate.open.set()
        await asyncio.gather(first, last)
        assert as_records(list(journal.entries(4))) == records(4, 2)

    played(path, monkeypatch, scene, max_waiting=3)


def test_who_is_cancelled_while_the_disk_works_is_recorded_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(journal: Journal, writer: Writer, gate: Gate) -> None:
        asked = asyncio.create_task(writer.append([record(4)]))
        await begun(gate)
        asked.cancel()
        await soon()
        assert asked.cancelled()
        gate.open.set()
        await writer.append([record(5)])
        assert as_records(list(journal.entries(4))) == records(4, 2)

    played(path, monkeypatch, scene, max_waiting=1)


def test_cancelling_frees_the_room_it_took(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(journal: Journal, writer: Writer, gate: Gate) -> None:
        first = asyncio.create_task(writer.append([record(4)]))
        await begun(gate)
        for _ in range(10):
            waiting = asyncio.create_task(writer.append([record(5)]))
            await soon()
            waiting.cancel()
            await soon()
        gate.open.set()
        await first
        await asyncio.gather(*(writer.append([record(5 + n)]) for n in range(4)))
        assert journal.head.seq == 8

    played(path, monkeypatch, scene, max_waiting=2)


def test_an_error_reaches_all_who_waited_and_all_who_come(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(journal: Journal, writer: Writer, gate: Gate) -> None:
        gate.error = DiskFull(path)
        asked = [asyncio.create_task(writer.append([record(4 + n)])) for n in range(5)]
        await begun(gate)
        journal.stop(gate.error)
        gate.open.set()
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert answers == [gate.error] * 5
        gate.error = None
        with pytest.raises(Stopped, match="the disk is full"):
            await writer.append([record(4)])
        assert journal.head.seq == 3

    played(path, monkeypatch, scene)


def test_an_unfit_record_is_nobody_elses_concern(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(journal: Journal, writer: Writer, gate: Gate) -> None:
        gate.open.set()
        good, bad, more = await asyncio.gather(
            writer.append([record(4)]),
            writer.append([record(5), Record("NO", b"", 0)]),
            writer.append([record(5)]),
            return_exceptions=True,
        )
        assert isinstance(bad, Unfit)
        assert not isinstance(good, BaseException)
        assert not isinstance(more, BaseException)
        assert [good, more] == [[entry] for entry in journal.entries(4)]
        assert as_records(list(journal.entries(4))) == records(4, 2)

    played(path, monkeypatch, scene)


def test_nothing_to_append_is_a_sign_of_life(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(journal: Journal, writer: Writer, gate: Gate) -> None:
        asked = asyncio.create_task(writer.append([]))
        await begun(gate)
        assert not asked.done()
        gate.open.set()
        assert await asked == []

    played(path, monkeypatch, scene)


def test_at_the_end_what_was_asked_for_is_still_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        with Journal.open(made(path, 3), TABLE) as journal:
            async with Writer(journal) as writer:
                asked = [asyncio.create_task(writer.append([record(4 + n)])) for n in range(9)]
                await asyncio.sleep(0)
            assert [len(await one) for one in asked] == [1] * 9
            with pytest.raises(JournalError, match="no longer written to"):
                await writer.append([record(13)])
            assert journal.head.seq == 12

    asyncio.run(main())


def test_cancelled_at_the_end_it_still_waits_for_the_thread(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        with Journal.open(made(path, 3), TABLE) as journal:
            gate = Gate(journal, monkeypatch)

            async def write() -> None:
                async with Writer(journal) as writer:
                    kept.append(asyncio.create_task(writer.append([record(4)])))
                    await asyncio.sleep(0)

            kept: list[asyncio.Task[list[Entry]]] = []
            writing = asyncio.create_task(write())
            await begun(gate)
            writing.cancel()
            await soon()
            assert not writing.done()
            gate.open.set()
            with pytest.raises(asyncio.CancelledError):
                await writing
            assert len(await kept[0]) == 1
            assert journal.head.seq == 4

    asyncio.run(main())


def test_the_thread_tidies_between_commits(path: Path) -> None:
    async def main() -> None:
        with Journal.open(made(path, 3), TABLE) as journal:
            async with Writer(journal) as writer:
                for n in range(100):
                    await writer.append([record(4 + n)])
                    assert journal._log.frames < 40

    asyncio.run(main())
    assert sound(path).head_seq == 103
