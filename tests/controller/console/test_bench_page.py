"""Somebody new opens the bench, takes the dealer's place with one click, deals, and leaves."""

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

import pytest
from playwright.async_api import BrowserContext, Locator, Page, async_playwright
from playwright.async_api import TimeoutError as PageTimeout

from controller.tables import in_toml
from tests.drivers.wire.plugs import AT_LAST_S
from tests.scenarios.test_play import table

#: Of what somebody new should see at once on a laptop, what is not whole on the screen.
BELOW = """() => [".dealers", ".lying", ".seats", ".wires", ".places"].filter((name) => {
    const at = document.querySelector(name).getBoundingClientRect();
    return at.top < 0 || at.bottom > innerHeight || at.right > innerWidth;
})"""
#: So often somebody looks at the page whether it is as they want it.
LOOKS_S = 0.1
#: What was there when somebody looked, and has gone, is tried for so long.
PRESS_MS = 2000
ROUND = re.compile(r"Round (\d+)")


class Demonstration:
    """``felt demo`` as somebody starts it, and the lines that it has written."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[str] = []

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


@contextlib.asynccontextmanager
async def demonstration(folder: Path, data: dict[str, Any]) -> AsyncIterator[Demonstration]:
    file = folder / "table.toml"
    file.write_text(in_toml(data), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "demo", "--table", str(file), "--speed", "20",
        "--port", "0", "--rounds", "1000",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        yield Demonstration(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def browser() -> AsyncIterator[BrowserContext]:
    found = shutil.which("chromium")
    assert found is not None
    # Root has no sandbox, in a container above all.
    given = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=found, args=given)
        context = await chromium.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(AT_LAST_S * 1000)
        try:
            yield context
        finally:
            await chromium.close()


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(AT_LAST_S):
        while not await is_so():  # noqa: ASYNC110 - nobody tells it
            await asyncio.sleep(LOOKS_S)


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


class Dealer:
    """Deals from the dealer's page with the mouse, and looks at the bench for what lies there."""

    def __init__(self, bench: Page, page: Page) -> None:
        self.bench = bench
        self.page = page
        self.pressed: list[str] = []

    async def round(self) -> int:
        found = ROUND.search(await self.bench.locator("header").inner_text())
        assert found is not None
        return int(found.group(1))

    async def phase(self) -> str:
        return await self.bench.locator("header strong").inner_text()

    async def acts(self) -> None:
        """One thing that the page asks for now, if it asks for any."""
        work = self.page.locator(".work")
        if await work.locator(".digits").count():
            await self._counts()
        elif await work.locator(".keypad").count():
            await self._keys_in()
        else:
            some = self.page.locator(".large button.act, .choices button:not([aria-disabled=true])")
            if await some.count():
                await self._press(some.first)

    async def _counts(self) -> None:
        """The chips that lie there."""
        lying = self.bench.get_by_text("Chips in front of the dealer")
        if not await lying.count():
            return
        field = self.page.locator(".field").first
        await self._press(field.get_by_role("button", name="Clear"))
        for digit in (await lying.inner_text()).rpartition(" ")[2]:
            await self._press(field.get_by_role("button", name=f"Number {digit}"))
        await self._press(self.page.locator(".asking button.act"))

    async def _keys_in(self) -> None:
        """The cards that are turned over now."""
        lying = self.bench.locator(".mine .card")
        for name in await lying.evaluate_all("some => some.map((one) => one.ariaLabel)"):
            key = self.page.locator(".key[aria-pressed=false]")
            await self._press(key.and_(button(self.page, name)))

    async def _press(self, some: Locator) -> None:
        # It may be gone by now: then there is something else to be done.
        with contextlib.suppress(PageTimeout):
            label = await some.get_attribute("aria-label", timeout=PRESS_MS)
            label = label or await some.inner_text(timeout=PRESS_MS)
            await some.click(timeout=PRESS_MS)
            self.pressed.append(label)


@pytest.mark.parametrize(
    ("book", "method"), [("pa-639a", "automated shoe"), ("s10", "manual shoe")]
)
async def test_a_newcomer_deals_a_round_and_leaves(book: str, method: str, tmp_path: Path) -> None:
    data = table(book, method)
    data["options"]["seats"] = 2
    async with demonstration(tmp_path, data) as felt, browser() as context:
        bench = await context.new_page()
        wrong: list[str] = []
        bench.on("pageerror", lambda error: wrong.append(str(error)))
        await bench.goto(await felt.address())
        await until(lambda: has(bench, "Bets"))
        await bench.set_viewport_size({"width": 1280, "height": 800})
        assert await bench.evaluate(BELOW) == []

        async with context.expect_page() as opening:
            await button(bench, "I deal").click()
        page = await opening.value
        page.on("pageerror", lambda error: wrong.append(str(error)))
        dealer = Dealer(bench, page)
        await button(page, "Lock the screen of dealer-1").wait_for()
        first = await dealer.round() + (await dealer.phase() in ("Shuffle", "Bets"))

        async def is_over() -> bool:
            if await dealer.round() > first:
                return True
            if await dealer.round() == first and await dealer.phase() in ("Shuffle", "Bets"):
                return True
            await dealer.acts()
            return False

        await until(is_over)
        # Whatever was left of the round when the place was taken, its cards are the last of it.
        assert any("rack" in one.lower() for one in dealer.pressed), dealer.pressed

        await button(bench, "Give the dealer's place back").click()
        await button(page, "Sign on").first.wait_for()

        async def goes_on() -> bool:
            return await dealer.round() > first + 1

        await until(goes_on)
        assert wrong == []
        assert "Everything adds up." in await felt.ends()


async def has(page: Page, phase: str) -> bool:
    some = page.locator("header strong")
    return bool(await some.count()) and await some.inner_text() == phase
