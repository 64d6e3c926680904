"""Ends of a daemon that are no accident: it is told to stop, it is refused, its disk is full."""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.daemon.client import Unanswered
from tests.controller.daemon.house import felt
from tests.scenarios.kill.live import LiveTable
from tests.scenarios.kill.people import People, Window
from tests.scenarios.kill.standing import stand_as_ordered
from tests.scenarios.kill.story import added_up, ended

STOPPED = 3
#: Less than the journal lays aside for itself when it is opened.
ROOM = 400 << 10
#: What it says goes into a file as well, and has room enough in this.
FULL = 64 << 10


@contextlib.asynccontextmanager
async def at_a_table(folder: Path) -> AsyncIterator[tuple[LiveTable, People]]:
    live = LiveTable(folder, seed=5)
    with Window(live.configuration.socket) as window:
        async with live.running():
            yield live, People(live, window, seed=5)


@pytest.mark.rule("R31")
async def test_told_to_stop_in_the_middle_of_a_round_it_goes_on_after_the_next_start(
    tmp_path: Path,
) -> None:
    async with at_a_table(tmp_path) as (live, people):
        live.daemon.start()
        for phase in ("locked", "dealing", "settling"):
            before = await people.play(lambda table, now=phase: table.phase == now)  # type: ignore[misc]
            assert await live.daemon.stop() == 0, live.daemon.last_words()
            # Left alone, everything that takes wagers is locked.
            assert all(one.is_locked for one in live.at_seats)
            live.daemon.start()
            after = await stand_as_ordered(live, people)
            assert (after.round, after.phase) == (before.round, phase)
        table = await ended(live, people)
    told = await added_up(live, table)
    assert not told.void


async def test_a_table_has_one_daemon(tmp_path: Path) -> None:
    async with at_a_table(tmp_path) as (live, people):
        live.daemon.start()
        before = await people.play(lambda table: table.phase == "opening")
        second = await felt("run", "--config", tmp_path / "table.toml")
        assert second.code == STOPPED
        assert second.err.count("\n") == 1
        assert f"is in use by process {live.daemon.pid}" in second.err
        # The first one has not noticed: same journal, same socket.
        after = await people.sees()
        assert after.taken >= before.taken
        assert await live.daemon.stop() == 0


@pytest.mark.rule("R31", "R32")
async def test_without_room_for_the_journal_the_table_stops_and_loses_nothing(
    tmp_path: Path,
) -> None:
    """In the middle of a round nothing can be written any more: nothing is acted on either."""
    async with at_a_table(tmp_path) as (live, people):
        live.daemon.start()
        await people.play(lambda table: table.phase == "deciding")
        playing = asyncio.create_task(people.play(lambda _: False))
        _no_room_for(live.daemon.pid)
        assert await live.daemon.ended() == STOPPED
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError, AssertionError, Unanswered):
            await playing
        assert "felt run: the table is stopped: " in live.daemon.last_words()
        assert "Traceback" not in live.daemon.log.read_text()
        live.daemon.start()
        table = await ended(live, people)
    await added_up(live, table)


async def test_without_room_for_the_journal_no_table_is_started(tmp_path: Path) -> None:
    async with at_a_table(tmp_path) as (live, people):
        live.daemon.start(largest_file=ROOM)
        assert await live.daemon.ended() == STOPPED
        assert "felt run: the table is not started: " in live.daemon.last_words()
        assert "File too large" in live.daemon.last_words()
        live.daemon.start()
        await people.play(lambda table: table.phase == "betting")


def _no_room_for(pid: int) -> None:
    """The process can't write further into a file than this: the journal is there already."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (FULL, hard))
