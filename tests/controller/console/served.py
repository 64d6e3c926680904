"""A real table, and a real console before it: in a process of its own, or in this one."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from controller.console.running import Console
from controller.console.serving import Options
from controller.daemon import pins
from tests.controller.console.browser import Answer, Live, asked, live
from tests.controller.daemon.house import House
from tests.controller.daemon.test_taking import Taker, opened

TABLE = "test-1"
#: Of the people in the house that use them.
PINS = {
    "dealer-1": "1111",
    "dealer-2": "2222",
    "floor-1": "3333",
    "supervisor-1": "4444",
    "supervisor-2": "5555",
    "technician-1": "6666",
}


class Served:
    """The console, the table that it serves, and what the console has said."""

    def __init__(self, address: str, at: Taker) -> None:
        self.address = address
        self.at = at
        self.said: list[tuple[str, dict[str, Any]]] = []

    @property
    def house(self) -> House:
        return self.at.house

    async def asked(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        return await asked(self.address, method, path, body, **more)

    @contextlib.asynccontextmanager
    async def page(self, face: str = "dealer", cookie: str = "") -> AsyncIterator[Live]:
        """A page that has seen the table once."""
        async with live(self.address, cookie) as page:
            await page.says("look", face=face, tables=[TABLE])
            await page.hears("picture")
            yield page

    def refusals(self) -> list[str]:
        return [facts["why"] for event, facts in self.said if event == "request refused"]


@contextlib.asynccontextmanager
async def table(folder: Path, *, has_pins: bool = True) -> AsyncIterator[Taker]:
    """A table that was opened, whose people prove who they are."""
    (folder / "secrets").mkdir(mode=0o700, parents=True, exist_ok=True)
    if has_pins:
        for person, pin in PINS.items():
            pins.keep(folder / "secrets", person, pin)
    async with opened(folder) as at:
        yield at


@contextlib.asynccontextmanager
async def served(
    folder: Path, *, has_pins: bool = True, idle_s: Mapping[str, float] | None = None
) -> AsyncIterator[Served]:
    async with table(folder, has_pins=has_pins) as at:
        said: list[tuple[str, dict[str, Any]]] = []
        options = Options(
            sockets=(at.house.configuration.socket,), port=0, idle_s=dict(idle_s or {})
        )
        async with console(options, said) as address:
            found = Served(address, at)
            found.said = said
            yield found


@contextlib.asynccontextmanager
async def console(options: Options, said: list[tuple[str, dict[str, Any]]]) -> AsyncIterator[str]:
    """In this process, on a socket of its own; its address."""
    made = Console(options, lambda event, **facts: said.append((event, facts)))
    stop, ready = asyncio.Event(), asyncio.Event()
    try:
        running = asyncio.create_task(made.run(stop, ready.set), name="console")
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        try:
            yield made.address
        finally:
            stop.set()
            await running
    finally:
        made.close()


@contextlib.asynccontextmanager
async def process(*words: str | Path) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """``felt console``, as somebody starts it; its address."""
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "console", "--listen", "127.0.0.1:0",
        "--until-stdin-ends", *map(str, words),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert started.stdin is not None
    assert started.stdout is not None
    try:
        yield (await started.stdout.readline()).decode().strip(), started
    finally:
        started.stdin.close()
        await started.wait()
        # The transport is closed by what comes after the process has ended.
        await asyncio.sleep(0)
