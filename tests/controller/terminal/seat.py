"""A real table with a real broker, and a tablet at one of its seats: ``felt terminal``, as somebody
starts it. The crew plays the rest; whoever sits at the tablet plays seat 1.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from controller.daemon.service import Service
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.library import Library
from controller.table.state import Seat, Table
from tests.controller.console.browser import Live, live
from tests.controller.demo.somebody import Somebody
from tests.controller.demo.test_bench import small
from tests.drivers.wire.mosquitto import Mosquitto
from tests.drivers.wire.plugs import AT_LAST_S

SEAT = 1
PAUSE_S = 0.02
LOOKS_S = 0.02


class Tablet:
    """``felt terminal`` in a process of its own."""

    def __init__(self, words: list[str], log: Path) -> None:
        self._words = words
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self.address = ""

    def listens_at(self, address: str) -> None:
        """From its next start."""
        self._words[self._words.index("--listen") + 1] = address

    async def start(self) -> str:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "controller", "terminal", "--until-stdin-ends", *self._words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )  # fmt: skip
        assert self._process.stdout is not None
        async with asyncio.timeout(AT_LAST_S):
            self.address = (await self._process.stdout.readline()).decode().strip()
        return self.address

    async def kill(self) -> None:
        """Its power is cut."""
        assert self._process is not None
        self._process.kill()
        await self._ended()

    async def stop(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            await self._ended()

    async def _ended(self) -> None:
        assert self._process is not None
        async with asyncio.timeout(AT_LAST_S):
            await self._process.wait()
        self._process = None
        # The transport is closed by what comes after the process has ended.
        await asyncio.sleep(0)

    def said(self) -> str:
        return self._log.read_text(errors="replace")

    def page(self) -> contextlib.AbstractAsyncContextManager[Live]:
        return live(self.address, "none=1")


class AtTheTable:
    """Whoever sits at seat 1."""

    def __init__(self, show: Show, me: Somebody, folder: Path) -> None:
        self.show = show
        self.me = me
        self.folder = folder
        self.key = folder / "secrets" / f"terminal-{SEAT}.key"
        self.memory = folder / "tablet.memory"

    @property
    def table(self) -> Table:
        return self.me.bench.table

    @property
    def seat(self) -> Seat:
        return self.table.seat(SEAT)

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(AT_LAST_S):
            while not is_so():  # noqa: ASYNC110 - nobody tells it
                await asyncio.sleep(LOOKS_S)

    @contextlib.asynccontextmanager
    async def tablet(self, **more: str) -> AsyncIterator[Tablet]:
        """In place of the simulated terminal, which is unplugged first."""
        simulated = self.show.simulated
        words = ["--table-id", simulated.configuration.terms.id, "--seat", str(SEAT)]
        words += ["--broker", str(simulated.broker), "--memory", str(self.memory)]
        words += ["--listen", "127.0.0.1:0", "--key", more.pop("key", str(self.key))]
        for name, value in more.items():
            words += [f"--{name.replace('_', '-')}", value]
        await simulated.places[f"terminal {SEAT}"].unplug()
        tablet = Tablet(words, self.folder / "tablet.log")
        await tablet.start()
        try:
            yield tablet
        finally:
            await tablet.stop()

    async def antes(self, cents: int = 1000) -> None:
        """Its chips are on the layout, and the crew waits for the rest."""
        await self.until(lambda: self.table.phase == "betting")
        await self.me.does("wager", seat=SEAT, wager="ante", amount=cents)

    async def is_ready(self) -> None:
        """No more of its wagers: the dealer goes on."""
        await self.me.does("ready", seat=SEAT)


async def at_a_table(
    folder: Path, broker: Mosquitto, meanwhile: Callable[[AtTheTable], Awaitable[None]]
) -> Show:
    """Real time, the daemon in this process, mosquitto in its own."""
    options = Options(seed=3, pause=PAUSE_S, broker=True, broker_at=broker.account())
    data: dict[str, Any] = small()
    show = Show(data, folder, Library(), options, rounds=1000, view=View(io.StringIO()))
    show.simulated.write_table_file()
    if show.simulated.world.shuffler is not None:
        show.simulated.world.shuffler.cycle_s = 0.1

    def prepared(service: Service) -> None:
        me = Somebody(show, service)
        me_at = AtTheTable(show, me, folder)

        async def run() -> None:
            await me.does("play", who=f"seat {SEAT}", by="me")
            try:
                await meanwhile(me_at)
            finally:
                service.stop()

        service.also("somebody", run)

    show.prepared = prepared
    await show.run()
    return show
