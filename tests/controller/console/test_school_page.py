"""A trainee chooses drills on the school's page, deals one well and one badly, and reads why."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import sys
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Locator, Page
from playwright.async_api import TimeoutError as PageTimeout

from tests.controller.console.browser import asked
from tests.controller.console.demonstrating import browser, button, until
from tests.controller.console.test_bench_page import PRESS_MS, Dealer
from tests.drivers.wire.plugs import AT_LAST_S

NORMAL = "A round of Caribbean Stud, Pennsylvania"
LATE = "A wager that comes too late"


@contextlib.asynccontextmanager
async def school() -> AsyncIterator[str]:
    """``felt school`` as somebody starts it; the address of its console."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "school", "--speed", "20", "--port", "0",
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        async with asyncio.timeout(AT_LAST_S):
            line = (await process.stdout.readline()).decode()
        found = re.search(r"(http://\S+/)school", line)
        assert found is not None, line
        yield found.group(1)
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(AT_LAST_S):
            await process.wait()
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await asyncio.sleep(0)


class Trainee(Dealer):
    """Deals from the dealer's page, and sees what lies there in the strip above it."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, page)
        self.strip = page.locator("aside.drill")
        #: What they count, if not what lies there.
        self.miscounts = ""
        #: Nobody decides for a player who has not said anything yet.
        self.decision = ""
        #: What was keyed in already; the page is only not so far.
        self.keyed_in = ""

    async def acts(self) -> None:
        if await self.page.get_by_text("Press Lock out").count():
            # Not before everybody has wagered.
            if await self.strip.get_by_text("have put down what they wager").count():
                await self._clicks("Lock out")
        elif await self.page.get_by_text("Press Deal").count():
            await self._clicks("Deal")
        elif await self.strip.get_by_text("says:").count():
            await self._hears()
            if self.decision != self.keyed_in and await self._clicks(self.decision):
                self.keyed_in = self.decision
        else:
            self.keyed_in = ""
            await super().acts()

    async def _press(self, some: Locator) -> None:
        """By its name: what stands at its place a moment later is another button."""
        with contextlib.suppress(PageTimeout):
            label = await some.get_attribute("aria-label", timeout=PRESS_MS)
            name = label or (await some.inner_text(timeout=PRESS_MS)).strip()
            # The two large buttons are pressed when it is time for them; nobody decides for others.
            decides = re.fullmatch(r"Seat \d: (Fold|Bet .*)", name)
            if name not in ("Deal", "Lock out") and (not decides or name == self.decision):
                await self._clicks(name)

    async def _clicks(self, name: str) -> bool:
        try:
            await button(self.page, name).click(timeout=PRESS_MS)
        except PageTimeout:
            return False
        return True

    async def _hears(self) -> None:
        """What the player says, as the button for it is called."""
        words = await self.strip.get_by_text("says:").first.inner_text()
        found = re.search(r"seat (\d), says: (.*)", words)
        assert found is not None, words
        seat, what = found.groups()
        title = "Fold" if what == "Fold" else f"Bet {what}"
        self.decision = f"Seat {seat}: {title}"

    async def _counts(self) -> None:
        lying = self.strip.get_by_text("Progressive chips before you")
        if not await lying.count():
            return
        chips = self.miscounts or (await lying.inner_text()).rpartition(" ")[2]
        what = "how many progressive chips"
        await self._press(button(self.page, f"{what}: clear"))
        await self._press(button(self.page, f"{what}: {chips}"))
        await self._press(self.page.locator(".asking button.act"))


async def begins(page: Page, drill: str) -> None:
    await button(page, f"Begin: {drill}").click()
    await button(page, "Take the dealer's place").wait_for()


async def verdict(page: Page) -> str:
    some = page.get_by_role("status").get_by_role("heading")
    return (await some.inner_text()).strip() if await some.count() else ""


@pytest.mark.slow
async def test_one_drill_is_passed_and_one_is_failed() -> None:
    async with school() as address, browser() as context:
        page = await context.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        await page.goto(f"{address}school")

        # --- One as it should go.
        await begins(page, NORMAL)
        async with context.expect_page() as opening:
            await button(page, "Take the dealer's place").click()
        dealers = await opening.value
        dealers.on("pageerror", lambda error: wrong.append(str(error)))
        me = Trainee(dealers)
        await button(dealers, "Lock the screen of trainee").wait_for()

        async def passed() -> bool:
            if await verdict(page):
                return True
            await me.acts()
            return False

        await until(passed)
        assert await verdict(page) == "Passed", await page.inner_text("main")
        assert await page.get_by_role("cell", name="You", exact=True).count() > 10
        # The dealer's page says that it is over, and leads back.
        await dealers.get_by_role("link", name="See the report").wait_for()
        told = (await asked(address, "GET", "/api/school")).json["running"]["report"]
        assert told["passed"]
        assert {row["verdict"] for row in told["acts"] if row["mine"]} == {"right"}

        # --- And one in which a chip is counted that came too late.
        await button(page, "All drills").click()
        await begins(page, LATE)
        await button(page, "Take the dealer's place").click()
        # The page that was open has found the new table by itself.
        await button(dealers, "Lock the screen of trainee").wait_for()
        me.miscounts = "3"

        async def is_held() -> bool:
            if await page.get_by_text("Ben has put a chip into his acceptor").count():
                told = (await asked(address, "GET", "/api/tables/school/picture")).json
                if any(hold["where"] == "chips" for hold in told["picture"]["holds"]):
                    return True
                if told["picture"]["phase"] == "dealing":
                    return True
            await me.acts()
            return bool(await verdict(page))

        await until(is_held)
        await button(page, "End the drill").click()
        await until(lambda: has_verdict(page))
        assert await verdict(page) == "Failed"
        reason = await page.get_by_role("status").inner_text()
        assert "The count differed from the lights (PA-639a.10(a)(2))" in reason
        assert wrong == []


async def has_verdict(page: Page) -> bool:
    return bool(await verdict(page))
