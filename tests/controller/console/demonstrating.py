"""``felt demo`` as somebody starts it, a browser before it, and its bench for what hands do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
from playwright.async_api import Browser, BrowserContext, Locator, Page, async_playwright

from controller.console.socket_client import Connection
from controller.tables import in_toml
from tests.drivers.wire.plugs import AT_LAST_S

#: So often somebody looks whether it is as they want it.
LOOKS_S = 0.1


class Demonstration:
    """``felt demo``, and what can be asked of its table and done at its bench."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self.process = process
        self.folder = folder

    async def address(self) -> str:
        """Of the bench: the first that it says."""
        assert self.process.stdout is not None
        async with asyncio.timeout(AT_LAST_S):
            line = (await self.process.stdout.readline()).decode()
        found = re.search(r"http://\S+/bench/\S+", line)
        assert found is not None, line
        return found.group()

    async def ends(self) -> str:
        """Ctrl-C; what it says at its end."""
        assert self.process.stdout is not None
        self.process.send_signal(signal.SIGINT)
        async with asyncio.timeout(AT_LAST_S):
            said = (await self.process.stdout.read()).decode()
            await self.process.wait()
        return said

    async def picture(self) -> dict[str, Any]:
        return await self._asked("control.sock", "picture")

    async def bench(self) -> dict[str, Any]:
        return await self._asked("bench.sock", "bench")

    async def does(self, what: str, **given: Any) -> None:
        """Something that hands do at the bench."""
        await self._asked("bench.sock", "do", {**given, "do": what})

    async def _asked(
        self, socket: str, action: str, given: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        path = self.folder / "run" / socket
        async with asyncio.timeout(AT_LAST_S), await Connection.open(path) as connection:
            found: dict[str, Any] = msgspec.json.decode(bytes(await connection.ask(action, given)))
            return found


@contextlib.asynccontextmanager
async def demonstration(
    folder: Path, data: dict[str, Any], *words: str, speed: str = "20"
) -> AsyncIterator[Demonstration]:
    file = folder / "table.toml"
    file.write_text(in_toml(data), encoding="utf-8")
    kept = folder / "kept"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "demo", "--table", str(file), "--speed", speed,
        "--port", "0", "--rounds", "1000", "--keep", str(kept), *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        yield Demonstration(process, kept)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    found = shutil.which("chromium")
    assert found is not None
    # Root has no sandbox, in a container above all.
    given = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=given)
        try:
            yield browser
        finally:
            await browser.close()


@contextlib.asynccontextmanager
async def browser(**given: Any) -> AsyncIterator[BrowserContext]:
    """Windows of a laptop, or what else is said."""
    async with chromium() as made:
        context = await made.new_context(**{"viewport": {"width": 1440, "height": 900}, **given})
        context.set_default_timeout(AT_LAST_S * 1000)
        yield context


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(AT_LAST_S):
        while not await is_so():  # noqa: ASYNC110 - nobody tells it
            await asyncio.sleep(LOOKS_S)


def button(page: Page | Locator, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)
