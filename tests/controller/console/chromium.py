"""A real browser before the console, and what its pages have said and asked for meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    WebSocket,
    async_playwright,
)

from tests.drivers.wire.plugs import AT_LAST_S

SIZE = {"width": 1280, "height": 800}
#: So often somebody looks whether it is as they want it.
LOOKS_S = 0.05


@contextlib.asynccontextmanager
async def browser(*given: str) -> AsyncIterator[Browser]:
    found = shutil.which("chromium")
    assert found is not None
    # Root has no sandbox, in a container above all.
    more = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=found, args=[*more, *given])
        try:
            yield chromium
        finally:
            await chromium.close()


@contextlib.asynccontextmanager
async def room(chromium: Browser, **more: Any) -> AsyncIterator[BrowserContext]:
    """A browser of its own: no cookie is shared with another."""
    context = await chromium.new_context(**{"viewport": SIZE, **more})
    context.set_default_timeout(AT_LAST_S * 1000)
    try:
        yield context
    finally:
        await context.close()


class Looked:
    """A page, and everything that it said on its console, asked for and heard live."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.wrong: list[str] = []
        self.asked: list[str] = []
        self.loads = 0
        self.live: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", self._said)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("framenavigated", self._navigated)
        page.on("websocket", self._connected)

    def _said(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.wrong.append(said.text)

    def _navigated(self, frame: Any) -> None:
        self.loads += frame == self.page.main_frame

    def _connected(self, socket: WebSocket) -> None:
        self.asked.append(socket.url)
        socket.on("framereceived", lambda frame: self.live.append(json.loads(frame)))
        socket.on("framesent", lambda frame: self.sent.append(json.loads(frame)))

    @property
    def seq(self) -> int:
        """The entry of the last picture that it was given."""
        pictures = (one["picture"] for one in reversed(self.live) if one["kind"] == "picture")
        return int(next(pictures, {"seq": 0})["seq"])


async def looked(context: BrowserContext, address: str) -> Looked:
    found = Looked(await context.new_page())
    await found.page.goto(address)
    return found


async def until(is_so: Callable[[], Awaitable[bool]] | Callable[[], bool]) -> None:
    async with asyncio.timeout(AT_LAST_S):
        while True:
            found = is_so()
            if found if isinstance(found, bool) else await found:
                return
            await asyncio.sleep(LOOKS_S)
