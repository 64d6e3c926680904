"""Somebody new opens the bench, takes the dealer's place with one click, deals, and leaves."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page
from playwright.async_api import TimeoutError as PageTimeout

from tests.controller.console.demonstrating import browser, button, demonstration, until
from tests.scenarios.test_play import table

#: Of what somebody new should see at once on a laptop, what is not whole on the screen.
BELOW = """() => [".dealers", ".lying", ".seats", ".wires", ".places"].filter((name) => {
    const at = document.querySelector(name).getBoundingClientRect();
    return at.top < 0 || at.bottom > innerHeight || at.right > innerWidth;
})"""
#: What was there when somebody looked, and has gone, is tried for so long.
PRESS_MS = 2000
ROUND = re.compile(r"Round (\d+)")


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
        chips = self.page.get_by_role("group", name="how many progressive chips")
        await self._press(button(chips, "how many progressive chips: clear"))
        for digit in (await lying.inner_text()).rpartition(" ")[2]:
            await self._press(button(chips, f"how many progressive chips: {digit}"))
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
    ("book", "method"),
    [("pa-639a", "automated shoe"), pytest.param("s10", "manual shoe", marks=pytest.mark.slow)],
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
