"""Journal, decide, journal, act: in this order, one event at a time, nothing after a failure."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.daemon.core import MAX_WAITING, Core, Overrun, Stopped
from controller.journal.errors import JournalError
from controller.journal.journal import Journal
from controller.journal.reader import Reader
from controller.recorder import Recorder, Taken
from controller.table import events
from controller.table.commands import Command
from controller.table.events import Event
from controller.table.people import Person
from controller.tables import read_file, table_part
from tests.controller.rules.rounds import library

TABLE = Path(__file__).parents[3] / "config" / "tables" / "pa-639a.toml"
FLOOR = Person("floor-1", "floorperson")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    data = table_part(read_file(TABLE))
    with Journal.create(tmp_path / "J.db", data["id"]) as made:
        yield made


@pytest.fixture
def recorder(journal: Journal) -> Recorder:
    return Recorder(journal, table_part(read_file(TABLE)), library())


def opened(at: int) -> Event:
    return events.TableOpened(at=at, by=FLOOR)


def received(at: int) -> Event:
    return events.DeckReceived(
        at=at, by=Person("dealer-1", "dealer"), deck="A", colour="red", design="bee"
    )


async def cancelled(task: asyncio.Task[Any], core: Core) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    core.close()


@pytest.mark.rule("R31")
async def test_nobody_acts_before_event_and_decision_are_on_the_disk(
    recorder: Recorder, journal: Journal
) -> None:
    seen: list[list[str]] = []

    def act(commands: tuple[Command, ...]) -> None:
        with Reader.look(journal.path, journal.header.table) as file:
            seen.append([entry.kind for entry in file.entries()][-2:])

    core = Core(recorder, act)
    running = asyncio.create_task(core.run())
    await core.post(opened(1))
    await core.post(received(2))
    assert seen == [["event", "decision"], ["event", "decision"]]
    assert core.taken == 2
    await cancelled(running, core)


async def test_what_follows_on_an_event_comes_before_anything_else(recorder: Recorder) -> None:
    """A wire that can be read is not read between a decision and what devices are told of it."""
    seen: list[str] = []
    loop = asyncio.get_running_loop()

    def told(event: Event, taken: Taken) -> None:
        loop.call_soon(seen.append, "read")

    core = Core(recorder, lambda _: None, told)
    running = asyncio.create_task(core.run())
    await core.post(opened(1), lambda taken: seen.append(taken.step.table.phase))
    await asyncio.sleep(0)
    assert seen == ["opening", "read"]
    await cancelled(running, core)


async def test_the_table_is_the_one_that_was_acted_on(recorder: Recorder) -> None:
    """The journal's thread may be ahead: nothing is decided on a table that nobody was told of."""
    core = Core(recorder, lambda _: None)
    running = asyncio.create_task(core.run())
    future = core.post(opened(1))
    await asyncio.sleep(0)
    # The loop stands still: it must not come to what the thread has done.
    core.close()
    ahead, acted_on = recorder.table.phase, core.table.phase
    assert (ahead, acted_on) == ("opening", "closed")
    await future
    assert core.table is recorder.table
    await cancelled(running, core)


async def test_events_are_taken_in_the_order_in_which_they_were_posted(recorder: Recorder) -> None:
    told: list[tuple[int, str]] = []

    def tell(event: Event, taken: Taken) -> None:
        told.append((event.at, taken.step.refused))

    core = Core(recorder, lambda _: None, tell)
    # Posted before anybody takes them: the second makes sense only after the first.
    waiting = [core.post(opened(1)), core.post(received(2)), core.post(opened(3))]
    running = asyncio.create_task(core.run())
    await asyncio.gather(*waiting)
    assert [at for at, _ in told] == [1, 2, 3]
    assert [bool(refused) for _, refused in told] == [False, False, True]
    await cancelled(running, core)


@pytest.mark.rule("R32")
async def test_a_journal_that_fails_ends_everything(recorder: Recorder, journal: Journal) -> None:
    acted: list[object] = []
    core = Core(recorder, acted.append)
    journal.stop(JournalError(journal.path, "the disk is full", "make room"))
    first, second = core.post(opened(1)), core.post(received(2))
    with pytest.raises(JournalError, match="the disk is full"):
        await core.run()
    for future in (first, second, core.post(opened(3))):
        with pytest.raises(Stopped, match="the disk is full"):
            await future
    assert acted == []
    core.close()


async def test_a_flood_is_refused_and_what_waits_is_not_lost(recorder: Recorder) -> None:
    core = Core(recorder, lambda _: None)
    first = core.post(opened(1))
    for number in range(MAX_WAITING - 1):
        core.post(opened(number))
    with pytest.raises(Overrun):
        await core.post(opened(1))
    assert core.waiting == MAX_WAITING
    running = asyncio.create_task(core.run())
    assert (await first).step.table.phase == "opening"
    await cancelled(running, core)


async def test_a_sign_of_life_goes_the_way_of_events(recorder: Recorder) -> None:
    core = Core(recorder, lambda _: None)
    event, ping = core.post(opened(1)), core.ping()
    await asyncio.sleep(0)
    assert not ping.done()
    running = asyncio.create_task(core.run())
    await ping
    assert event.done()
    await cancelled(running, core)


async def test_being_stopped_in_the_middle_leaves_a_whole_entry(
    recorder: Recorder, journal: Journal
) -> None:
    core = Core(recorder, lambda _: None)
    core.post(opened(1))
    running = asyncio.create_task(core.run())
    await asyncio.sleep(0)
    await cancelled(running, core)
    kinds = [entry.kind for entry in journal.entries()]
    assert kinds in (["terms"], ["terms", "event", "decision"])


async def test_a_press_that_waited_too_long_for_the_journal_is_refused(
    recorder: Recorder, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    core = Core(recorder, lambda _commands: None)
    by = Person("dealer-1", "dealer")
    waits = core.post(events.DealPressed(at=1, by=by))
    clock = loop.time
    monkeypatch.setattr(loop, "time", lambda: clock() + 15)
    running = asyncio.create_task(core.run())
    assert "the deal may have been pressed 15 s ago" in (await waits).step.refused
    monkeypatch.undo()
    # What was pressed just now is refused for what it is.
    refused = (await core.post(events.DealPressed(at=2, by=by))).step.refused
    assert refused
    assert "ago" not in refused
    await cancelled(running, core)
