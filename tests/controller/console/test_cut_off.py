"""Pages that hear nothing say so, take no touch, and come back by themselves with the whole truth.

Time is the page's own and goes on only when the test says so: on a busy PC a second is as long as
it pleases, and what a page owes is owed by its own clock.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Locator, expect

from controller.console.assets import PAGES
from controller.console.serving import Options
from controller.daemon import pins
from controller.table import events
from tests.controller.console.chromium import Looked, browser, looked, room, until
from tests.controller.console.network import Console, Network, Table, felt_and_console, free_port
from tests.controller.console.served import PINS, TABLE, console, served, table
from tests.controller.daemon.test_taking import by_people_alone, opened
from tests.drivers.wire.plugs import AT_LAST_S

expect.set_options(timeout=AT_LAST_S * 1000)

#: Until a page says so, and until it shows nothing else; it looks five times a second.
SAYS_SO, HIDES, LOOKS = 2000, 5000, 200
FACES = (f"dealer/{TABLE}", f"sign/{TABLE}", "")


class Room:
    """One page of every face, and a clock that stands still unless the test lets time go by."""

    def __init__(self, context: BrowserContext, console: Console) -> None:
        self.context = context
        self.console = console
        self.pages: list[Looked] = []

    async def opens(self) -> Room:
        await self.context.clock.install(time=0)
        await self.context.clock.pause_at(1)
        for face in FACES:
            self.pages.append(await looked(self.context, f"{self.console.address}{face}"))
        return self

    async def passes(self, milliseconds: int) -> None:
        await self.context.clock.run_for(milliseconds)

    async def slowly(self, is_so: Callable[[], Awaitable[bool]]) -> None:
        """Until it is so. Less time goes by than really does, or pages would hear too little."""

        async def now_it_is() -> bool:
            await self.passes(40)
            return await is_so()

        await until(now_it_is)

    async def sees_all_of(self, table: Table) -> None:
        """Every page has all that the table has recorded, and is not covered."""
        entry = await table.seq()

        async def is_so() -> bool:
            seen = [one.seq == entry and await cover(one).is_hidden() for one in self.pages]
            return all(seen)

        await self.slowly(is_so)
        assert [one.loads for one in self.pages] == [1] * len(FACES)

    async def hears_nobody(self) -> None:
        """Two seconds, and each page says so; five, and it shows nothing else."""
        await self.passes(SAYS_SO + LOOKS)
        for page in self.pages:
            await expect(cover(page)).to_contain_text("The table is not heard")
            assert await cover(page).get_attribute("class") == "cover"
            await swallows(page)
        await self.passes(HIDES - SAYS_SO)
        for page in self.pages:
            assert await cover(page).get_attribute("class") == "cover whole"
            await swallows(page)
        # Who loads itself anew now has an error of the browser's, for good.
        assert [one.loads for one in self.pages] == [1] * len(FACES)


@contextlib.asynccontextmanager
async def felt(folder: Path) -> AsyncIterator[tuple[Table, Console, Network, Room]]:
    """A table that was opened and whose people have PINs, and all of its pages."""
    async with opened(folder):
        pass
    for person, pin in PINS.items():
        pins.keep(folder / "secrets", person, pin)
    async with (
        felt_and_console(by_people_alone(folder)) as (table, console, network),
        browser() as chromium,
        room(chromium) as context,
    ):
        at = await Room(context, console).opens()
        await at.sees_all_of(table)
        yield table, console, network, at


def cover(page: Looked) -> Locator:
    return page.page.get_by_role("alert", include_hidden=True).and_(page.page.locator("#cover"))


async def swallows(page: Looked) -> None:
    """Whatever is pressed or typed now comes to nothing."""
    said = len(page.sent)
    at = page.page.viewport_size
    assert at is not None
    for x in range(80, at["width"], 370):
        for y in range(60, at["height"], 170):
            inside = "([x, y]) => document.elementFromPoint(x, y).closest('#cover') !== null"
            assert await page.page.evaluate(inside, [x, y])
            await page.page.mouse.click(x, y)
    for key in ("1", "1", "1", "1", "Enter", "Tab", "Enter", "Tab", "Space"):
        await page.page.keyboard.press(key)
    assert [one for one in page.sent[said:] if one["kind"] not in ("look", "here")] == []


async def test_pages_come_back_by_themselves_with_the_whole_truth(tmp_path: Path) -> None:
    async with felt(tmp_path) as (daemon, server, network, at):
        await the_network_is_cut(daemon, network, at)
        await the_console_is_killed(daemon, server, at)
        await the_table_is_killed(daemon, at)


async def the_network_is_cut(table: Table, network: Network, at: Room) -> None:
    network.is_cut = True
    await at.hears_nobody()
    # What was on its way is lost, and the connections of then stay silent for ever.
    network.is_cut = False
    deck = {"deck": "A", "colour": "red", "design": "bee"}
    await table.asks("deck_received", deck, as_="dealer-1", pin=PINS["dealer-1"])
    await at.sees_all_of(table)


async def the_console_is_killed(table: Table, console: Console, at: Room) -> None:
    await console.kill()
    await at.hears_nobody()
    await console.start()
    await at.sees_all_of(table)


async def the_table_is_killed(table: Table, at: Room) -> None:
    dealer, sign, first = at.pages
    # Half signed on already: what is typed on a covered page would be the rest of it.
    await dealer.page.get_by_role("button", name="dealer-1").click()
    for _ in range(4):
        await dealer.page.keyboard.press("1")
    table.kill()

    async def is_whole() -> bool:
        some = [one.page.locator("#cover.whole:not([hidden])") for one in (dealer, sign)]
        return all([await one.count() for one in some])

    # The console is heard, and says for how long the table was not, by its own clock.
    await at.slowly(is_whole)
    for page in (dealer, sign):
        await expect(cover(page)).to_contain_text("The table is not heard")
        await swallows(page)
    # What is to be done about it is for who stands at the table, and for nobody else in the room.
    await expect(cover(dealer)).to_contain_text("start it")
    await expect(cover(sign)).not_to_contain_text("start it")
    # Where there may be other tables, this one alone is gone.
    assert await cover(first).is_hidden()
    await expect(first.page.get_by_role("list", name="Tables")).to_contain_text("start it")
    table.start()
    await at.sees_all_of(table)


# --- Other pages than those that are open -----------------------------------------


async def test_a_page_loads_itself_anew_when_there_is_another_and_only_then(tmp_path: Path) -> None:
    others = tmp_path / "pages"
    shutil.copytree(PAGES, others)
    async with table(tmp_path) as at, browser() as chromium, room(chromium) as context:
        port = free_port()
        same = Options(sockets=(at.house.configuration.socket,), port=port)
        async with console(same, []) as address:
            page = await looked(context, f"{address}dealer/{TABLE}")
            await until(lambda: page.seq > 0)
        async with console(same, []):
            await until(lambda: len(hellos(page)) == 2 and page.live[-1]["kind"] == "alive")
        assert page.loads == 1
        (others / "js" / "dealer.js").write_text(
            (others / "js" / "dealer.js").read_text().replace("felt", "felt ") + "\n// Newer.\n"
        )
        async with console(replace(same, pages=others), []):
            await until(lambda: page.loads == 2)
            await expect(page.page.get_by_role("button", name="Sign on").first).to_be_visible()
            await until(lambda: page.live[-1]["kind"] == "alive")
        assert page.loads == 2


def hellos(page: Looked) -> list[dict[str, Any]]:
    return [one for one in page.live if one["kind"] == "hello"]


# --- Two browsers ------------------------------------------------------------------


async def test_two_see_the_same_and_a_press_of_one_is_stale_for_the_other(tmp_path: Path) -> None:
    async with served(tmp_path) as at, browser() as chromium:
        await at.at.takes(await at.at.find("Receive a deck"), pin=PINS["dealer-1"])
        async with room(chromium) as one, room(chromium) as another:
            await another.clock.install()
            address = f"{at.address}dealer/{TABLE}"
            first, second = await looked(one, address), await looked(another, address)
            for page in (first, second):
                await signs_on(page)
                await expect(prompted(page)).to_have_attribute("aria-disabled", "false")
            assert await prompt(first).inner_text() == await prompt(second).inner_text()
            # From here on nothing new is drawn for the second one: as fast as a finger can be.
            await another.clock.pause_at(await second.page.evaluate("Date.now() / 1000 + 0.1"))
            before = await prompt(second).inner_text()
            await prompted(first).click()
            await expect(prompt(first)).not_to_have_text(before)
            await until(lambda: second.seq == first.seq)
            assert await prompt(second).inner_text() == before
            await prompted(second).click()
            await until(lambda: bool(answers(second)) and not answers(second)[-1]["ok"])
            assert answers(second)[-1]["code"] == "stale"
            await another.clock.run_for(100)
            refused = second.page.get_by_role("alert").filter(has_text="Refused")
            await expect(refused).to_be_visible()
            await expect(prompt(second)).to_have_text(await prompt(first).inner_text())
        (tried,) = at.house.recorded(events.AttemptRefused)
        assert (tried.person, tried.attempt) == ("dealer-1", "take")
        assert len(at.house.recorded(events.DeckInspected)) == 1


def answers(page: Looked) -> list[dict[str, Any]]:
    return [one for one in page.live if one["kind"] == "answer"]


def prompt(page: Looked) -> Locator:
    return page.page.get_by_role("region", name="Prompt").get_by_role("paragraph").first


def prompted(page: Looked) -> Locator:
    return page.page.get_by_role("button", name="Deck A: sort and inspect")


async def signs_on(page: Looked) -> None:
    await page.page.get_by_role("button", name="dealer-1").click()
    for digit in PINS["dealer-1"]:
        await page.page.get_by_role("button", name=f"PIN {digit}", exact=True).click()
    await page.page.get_by_role("button", name="Enter", exact=True).click()
    await expect(
        page.page.get_by_role("button", name="Lock the screen of dealer-1")
    ).to_be_visible()
