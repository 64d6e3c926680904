"""The pages as they look, for docs/screens: python -m tests.docs.screens [NAME...]

A demonstration is played as somebody starts it, stopped where there is something to see, and the
pages are looked at in a real browser.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.async_api import BrowserContext, Page

from tests.controller.console.demonstrating import browser, button, demonstration, until
from tests.controller.console.test_bench_page import ROUND
from tests.docs.palette import small
from tests.scenarios.test_play import table

SCREENS = Path(__file__).resolve().parents[2] / "docs" / "screens"
TABLE = "pa-639a"
SIZE = {"width": 1280, "height": 800}
DEALER = "dealer-1"
PIN = "1111"
#: Before anything is looked at.
ROUNDS = 6
#: What has been drawn has settled by then.
SETTLED_MS = 1500


class Bench:
    """The bench's page, by which the table is brought to where there is something to see."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def has_played(self, rounds: int) -> None:
        """As fast as it goes: meters have climbed, and everybody sits."""
        await button(self.page, "20 times as fast as people").click()

        async def is_there() -> bool:
            found = ROUND.search(await self.page.locator("header").inner_text())
            return found is not None and int(found[1]) >= rounds

        await until(is_there)
        await button(self.page, "2 times as fast as people").click()

    async def plays_until(self, phase: str, wagers: int = 0) -> None:
        """Stopped in a phase, with so many wagers on the table at least."""
        if await button(self.page, "Go on").count():
            await button(self.page, "Go on").click()

        async def is_there() -> bool:
            down = await self.page.locator(".seat > .down > span").count()
            is_so = await self.page.locator("header strong").inner_text() == phase
            return is_so and down >= wagers

        for _ in range(20):
            await until(is_there)
            await button(self.page, "Stop").click()
            await self.page.wait_for_timeout(500)
            if await is_there():
                return
            await button(self.page, "Go on").click()
        raise AssertionError(f"the table was never stopped in {phase}")

    async def bets(self) -> None:
        await self.plays_until("Bets", wagers=4)

    async def decides(self) -> None:
        await self.plays_until("Decisions")

    async def pays(self) -> None:
        await self.plays_until("Settle")

    async def is_held(self) -> None:
        await self.plays_until("Decisions")
        await button(self.page, "Door, power and faults of the shoe").click()
        await button(self.page, "Open the door").click()
        await button(self.page, "Door, power and faults of the shoe").click()


class Shot(NamedTuple):
    """One picture: its name, the page, and what is to be seen on it."""

    name: str
    address: str
    state: Callable[[Bench], Awaitable[None]]
    scheme: Literal["dark", "light"] = "dark"
    #: A button that is pressed first, by how its name begins.
    opened: str = ""
    #: What else is done before it is looked at.
    done: Callable[[Page], Awaitable[None]] | None = None


async def _recalls(page: Page) -> None:
    """The round before this one, where some of its hands are turned over."""
    await page.get_by_role("button", name="Look at table").first.click()
    await page.get_by_role("tab", name="Rounds", exact=True).click()
    await page.get_by_role("button", name="Recall round").nth(1).click()
    head = page.get_by_role("slider", name="Playhead")
    await head.wait_for()
    await head.press("End")
    # To where the settling began, and one back.
    for _ in range(2):
        await head.press("PageDown")
    await head.press("ArrowLeft")


#: In this order: a hold would have to be cleared for what comes after it.
SHOTS = (
    Shot("index", "/", Bench.bets, "light"),
    Shot("sign", "/sign/{table}", Bench.bets),
    Shot("dealer-bets", "/dealer/{table}", Bench.bets),
    Shot("bench", "/bench/{table}", Bench.decides, "light"),
    Shot("dealer-pays", "/dealer/{table}", Bench.pays),
    Shot("recall", "/floor", Bench.pays, done=_recalls),
    Shot("dealer-hold", "/dealer/{table}", Bench.is_held),
    Shot("floor", "/floor", Bench.is_held, opened="Hold at"),
)


async def made(names: list[str], into: Path = SCREENS) -> list[Path]:
    data = table(TABLE)
    done: list[Path] = []
    with tempfile.TemporaryDirectory() as folder:
        async with demonstration(Path(folder), data) as felt, browser() as context:
            bench = Bench(await context.new_page())
            await bench.page.goto(await felt.address())
            await bench.has_played(ROUNDS)
            state: object = None
            for shot in SHOTS:
                if names and shot.name not in names:
                    continue
                if shot.state is not state:
                    await shot.state(bench)
                    state = shot.state
                if (png := await _seen(context, bench.page, shot, data["id"])) is not None:
                    file = into / f"{shot.name}.png"
                    file.write_bytes(small(png))
                    done.append(file)
    return done


async def _seen(context: BrowserContext, bench: Page, shot: Shot, name: str) -> bytes | None:
    page = await context.new_page()
    try:
        await page.set_viewport_size(SIZE)  # type: ignore[arg-type]
        await page.emulate_media(color_scheme=shot.scheme, reduced_motion="reduce")
        origin = bench.url.partition("/bench/")[0]
        answer = await page.goto(origin + shot.address.format(table=name))
        if answer is None or not answer.ok:
            sys.stderr.write(f"{shot.name}: {shot.address} is not served\n")
            return None
        if shot.address.startswith("/dealer/"):
            await _signs_on(page)
        if shot.opened:
            await page.get_by_role("button", name=shot.opened).first.click()
        if shot.done is not None:
            await shot.done(page)
        await page.wait_for_timeout(SETTLED_MS)
        return await page.screenshot()
    finally:
        await page.close()


async def _signs_on(page: Page) -> None:
    """The dealer on duty, if this browser does not know it yet."""
    signed = page.get_by_role("button", name=f"Lock the screen of {DEALER}")
    name = button(page, DEALER)
    await signed.or_(name).first.wait_for()
    if await signed.count():
        return
    await name.click()
    for digit in PIN:
        await button(page, f"PIN {digit}").click()
    await button(page, "Enter").click()
    await signed.wait_for()


if __name__ == "__main__":
    SCREENS.mkdir(exist_ok=True)
    for one in asyncio.run(made(sys.argv[1:])):
        sys.stdout.write(f"{one}: {one.stat().st_size // 1000} kB\n")
