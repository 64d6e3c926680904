"""The school's room through its socket, one table that is laid out anew for each drill."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.console.socket_client import Connection
from controller.daemon.client import Answered, Unanswered
from controller.library import Library
from controller.school.room import PIN, SOCKET, Room
from tests.controller.school.classroom import drills
from tests.drivers.wire.plugs import AT_LAST_S

NORMAL, MISDEAL = "caribbean-stud-pennsylvania", "a-misdeal"


@contextlib.asynccontextmanager
async def room(folder: Path) -> AsyncIterator[Room]:
    made = Room(folder, Library(), drills(), speed=20)
    running = asyncio.create_task(made.run())
    try:
        async with asyncio.timeout(AT_LAST_S):
            while not await _is_open(made):  # noqa: ASYNC110 - nobody tells it
                await asyncio.sleep(0.05)
        yield made
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _is_open(at: Room) -> bool:
    with contextlib.suppress(Unanswered):
        async with await Connection.open(at.runtime / SOCKET):
            return True
    return False


async def asks(at: Room, action: str, **given: Any) -> Any:
    async with await Connection.open(at.runtime / SOCKET) as connection:
        return msgspec.json.decode(await connection.ask(action, given))


async def until(at: Room, is_so: Callable[[Any], object]) -> Any:
    """The first state in which the drill is so, as somebody who watches is told."""
    states: asyncio.Queue[bytes] = asyncio.Queue()
    async with asyncio.timeout(AT_LAST_S), await Connection.open(at.runtime / SOCKET) as watching:
        watching.changed = lambda raw: states.put_nowait(bytes(raw))
        states.put_nowait(bytes(await watching.ask("watch")))
        while True:
            state = msgspec.json.decode(await states.get())
            if is_so(state["running"]):
                return state


async def test_a_drill_after_another_at_the_same_table(tmp_path: Path) -> None:
    async with room(tmp_path) as at:
        idle = await asks(at, "school")
        assert idle["running"] is None
        assert [one["id"] for one in idle["drills"]] == list(drills())
        assert idle["trainee"] == {"person": "trainee", "role": "dealer", "pin": PIN}

        assert (await asks(at, "begin", drill=NORMAL))["running"]["id"] == NORMAL
        goes = await until(at, lambda one: one["stage"] == "running" and one["lies"]["is_due"])
        assert goes["running"]["report"] is None
        async with await Connection.open(at.runtime / "control.sock") as table:
            await table.ask("sign_on", as_="trainee:dealer", pin=PIN)
            status = msgspec.json.decode(await table.ask("status"))
            assert (status["table"], status["phase"]) == ("school", "betting")
            # Whoever is trained deals, and is nobody else.
            with pytest.raises(Answered, match=r"floor-1 has no PIN|must give a PIN"):
                await table.ask("round_voided", {"reason": "x"}, as_="floor-1:floorperson")

        # Another one is begun in its middle: the table is that one's now.
        await asks(at, "begin", drill=MISDEAL)
        other = await until(at, lambda one: one["id"] == MISDEAL and one["stage"] == "running")
        assert other["running"]["jurisdiction"] == "Section 10"

        await asks(at, "end")
        over = await until(at, lambda one: one["report"] is not None)
        assert over["running"]["report"]["ended"] == "the trainee has ended it"
        with pytest.raises(Answered, match="no drill runs"):
            await asks(at, "end")
        assert (await asks(at, "leave"))["running"] is None
        assert not (at.runtime / "control.sock").exists()


async def test_what_is_no_request_is_refused_in_words(tmp_path: Path) -> None:
    async with room(tmp_path) as at:
        for action, given, told in (
            ("begin", {"drill": "nothing"}, "there is no drill 'nothing'; caribbean-stud"),
            ("begin", {}, "begin: is given something else than it takes"),
            ("begin", {"drill": NORMAL, "x": 1}, "something else than it takes"),
            ("leave", {"x": 1}, "something else than it takes"),
            ("dance", {}, "there is no 'dance' at a school"),
        ):
            with pytest.raises(Answered, match=told):
                await asks(at, action, **given)
        assert (await asks(at, "school"))["running"] is None


async def test_a_scene_that_can_not_be_set_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.school.running.SETTING_S", -1.0)
    async with room(tmp_path) as at:
        await asks(at, "begin", drill=NORMAL)
        state = await until(at, lambda one: one["stage"] == "failed")
        assert state["running"]["wrong"].startswith("the scene is not set: the table is")
        # And the room is there for another one.
        monkeypatch.undo()
        await asks(at, "begin", drill=NORMAL)
        await until(at, lambda one: one["stage"] == "running")
