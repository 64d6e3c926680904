"""Every page in every state: nothing that axe calls serious, and controls that a finger hits.

One table stands still wherever the test wants it; what is looked at is what people see there.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from playwright.async_api import BrowserContext, Page, expect

from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.table.state import Table
from tests.controller.console.chromium import Looked, browser, looked, room
from tests.controller.console.looking import SIZES, badly_laid, grave_findings
from tests.controller.console.simulated import Simulated, simulated
from tests.drivers.wire.plugs import AT_LAST_S
from tests.scenarios.test_play import table

PIN = "1111"
#: Pages beside the dealer's, and what is there once they are drawn. Another page is another line.
OTHERS = (
    ("/", "list", "Tables"),
    ("/sign/{table}", "heading", ""),
    ("/bench/{table}", "region", "Cards on the table"),
)


class AtATable:
    """A simulated table that stops where it is told to, and pages that look at it."""

    def __init__(self, at: Simulated, context: BrowserContext) -> None:
        self.at = at
        self.context = context
        self.wrong: list[str] = []
        self.looked_at = 0
        self._is_there: Callable[[Table], bool] = lambda _: False
        self._arrived = asyncio.Event()
        at.service.listen(self._told)

    def _told(self, _event: Event, taken: Taken) -> None:
        if self._is_there(taken.step.table):
            assert self.at.show.bench is not None
            self.at.show.bench.performer.goes.clear()
            self._arrived.set()

    async def goes_until(self, is_there: Callable[[Table], bool]) -> None:
        assert self.at.show.bench is not None
        self._arrived.clear()
        self._is_there = is_there
        self.at.show.bench.performer.goes.set()
        async with asyncio.timeout(AT_LAST_S):
            await self._arrived.wait()

    async def opens(self, path: str) -> Looked:
        return await looked(self.context, f"{self.at.address}{path.lstrip('/')}")

    async def is_good(self, state: str, page: Page) -> None:
        """In every size, in the light and in the dark."""
        self.looked_at += 1
        for theme in ("dark", "light"):
            await page.emulate_media(color_scheme=theme)
            # In the light it is the same page, and other colours.
            rules = () if theme == "dark" else ("color-contrast",)
            self.wrong += [f"{state}, {theme}: {one}" for one in await grave_findings(page, *rules)]
        before = page.viewport_size
        assert before is not None
        for width, height in SIZES:
            await page.set_viewport_size({"width": width, "height": height})
            controls, wrong = await badly_laid(page)
            assert controls or "sign" in state or "covered" in state, state
            self.wrong += [f"{state}, {width}x{height}: {one}" for one in wrong]
        await page.set_viewport_size(before)


@contextlib.asynccontextmanager
async def at_a_table(folder: Path, book: str, method: str) -> AsyncIterator[AtATable]:
    pins = {"dealer-1": PIN, "floor-1": "2222"}
    async with (
        simulated(folder, table(book, method), rounds=3, pins_of=pins) as at,
        browser() as chromium,
        # Fingers: what is large enough for them is so for a mouse.
        room(chromium, has_touch=True) as context,
    ):
        yield AtATable(at, context)
        at.service.stop()


async def signs_on(page: Page) -> None:
    await page.get_by_role("button", name="dealer-1").click()
    for digit in PIN:
        await page.get_by_role("button", name=f"PIN {digit}", exact=True).click()
    await page.get_by_role("button", name="Enter", exact=True).click()
    await expect(page.get_by_role("button", name="Lock the screen of dealer-1")).to_be_visible()


async def phase_is(page: Page, phase: str) -> None:
    await expect(page.locator(".phase")).to_contain_text(phase)


async def test_every_page_in_every_state(tmp_path: Path) -> None:
    expect.set_options(timeout=AT_LAST_S * 1000)
    async with at_a_table(tmp_path, "pa-639a", "manual shoe") as at:
        await at.goes_until(lambda now: now.phase == "betting" and bool(now.seats[2].wagers))
        dealer = await at.opens(f"/dealer/{at.at.name}")
        page = dealer.page
        await phase_is(page, "Bets")
        await at.is_good("dealer, signed off", page)
        await signs_on(page)
        await at.is_good("dealer, betting", page)
        for name in ("Irregularities", "More"):
            await page.get_by_role("button", name=name, exact=True).first.click()
            await at.is_good(f"dealer, drawer {name}", page)
            await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Open seat 3").click()
        await at.is_good("dealer, drawer of a seat", page)
        await page.keyboard.press("Escape")

        await at.goes_until(lambda now: now.phase == "deciding")
        await phase_is(page, "Decisions")
        await at.is_good("dealer, deciding", page)
        for path, role, name in OTHERS:
            other = await at.opens(path.format(table=at.at.name))
            given = {"name": name} if name else {}
            await other.page.get_by_role(role, **given).first.wait_for()  # type: ignore[arg-type]
            await at.is_good(path, other.page)
            assert other.wrong == []
            await other.page.close()

        await at.goes_until(lambda now: now.phase == "revealing")
        await page.get_by_role("group", name="Cards", exact=True).wait_for()
        await at.is_good("dealer, keypad", page)
        await at.goes_until(lambda now: now.phase == "settling" and any(o.returns for o in now.due))
        await phase_is(page, "Settle")
        await at.is_good("dealer, paying", page)

        for device in ("acceptor 1", "panel"):
            fault = events.DeviceFaulted(at=1, device=device, nature="it is jammed")
            await at.at.service.core.post(fault)
        await page.get_by_role("alert", name="Hold").wait_for()
        await at.is_good("dealer, hold", page)
        await page.get_by_role("button", name="and 1 more").click()
        await at.is_good("dealer, drawer of holds", page)
        assert dealer.wrong == []
        at.at.service.stop()
        await page.locator("#cover.whole:not([hidden])").wait_for()
        await at.is_good("dealer, covered", page)
    assert at.wrong == [], "\n".join(at.wrong)
    assert at.looked_at >= 12
