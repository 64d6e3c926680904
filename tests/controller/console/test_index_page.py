"""The first page: the tables that there are, as they come and go, and where to go from here."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

from playwright.async_api import Page, expect

from controller.console.serving import Options
from tests.controller.console.demonstrating import browser
from tests.controller.console.served import console
from tests.controller.daemon.house import House, table_file
from tests.drivers.wire.plugs import AT_LAST_S

expect.set_options(timeout=AT_LAST_S * 1000)

OF_A_TABLE = {"Dealer's page of {}": "/dealer/{}", "Sign of {}": "/sign/{}"}


@contextlib.asynccontextmanager
async def running(folder: Path, name: str) -> AsyncIterator[House]:
    """A table whose socket is where those of a PC's tables are."""
    (folder / "run" / name).mkdir(parents=True, exist_ok=True)
    own = folder / name
    own.mkdir(exist_ok=True)
    file = table_file(own)
    text = file.read_text().replace('id = "test-1"', f'id = "{name}"')
    file.write_text(text.replace(f'"{own}/run"', f'"{folder}/run/{name}"'))
    async with House(file).with_desk().running() as house:
        yield house


async def links(page: Page) -> dict[str, str]:
    """Every link by its name."""
    some = await page.get_by_role("link").all()
    found = [(await one.inner_text(), await one.get_attribute("href") or "") for one in some]
    assert len({name for name, _ in found}) == len(found), found
    return dict(found)


async def test_tables_come_and_go_on_the_first_page(tmp_path: Path) -> None:
    wrong: list[str] = []
    options = Options(port=0, run=tmp_path / "run")
    async with browser() as context, console(options, []) as address:
        page = await context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        await page.goto(address)
        await expect(page.get_by_text("No table runs here.")).to_be_visible()
        tables = page.get_by_role("list", name="Tables").get_by_role("listitem")
        one = tables.filter(has=page.get_by_text("first-1", exact=True)).first
        async with running(tmp_path, "first-1"), running(tmp_path, "second-1"):
            for name in ("first-1", "second-1"):
                await expect(page.get_by_role("link", name=f"Sign of {name}")).to_be_visible()
            await expect(one).to_contain_text("Round 0: Closed")
            found = await links(page)
            expected = {"Floor": "/floor"} | {
                title.format(name): where.format(name)
                for title, where in OF_A_TABLE.items()
                for name in ("first-1", "second-1")
            }
            assert found == expected  # real devices: there is no bench
            for where in sorted(set(found.values()) - {"/floor"}):
                other = await context.new_page()
                answer = await other.goto(f"{address}{where[1:]}")
                assert answer is not None
                assert answer.ok, where
                await other.close()
        # It is said what is the matter, and what to do; the rest of the page stays as it is.
        await expect(one).to_contain_text(re.compile("nobody answers|was closed"))
        await expect(one).to_contain_text("start it")
        assert await links(page) == expected
        async with running(tmp_path, "first-1"):
            await expect(one).to_contain_text("Round 0: Closed")
            await page.get_by_role("link", name="Dealer's page of first-1", exact=True).click()
            await expect(page).to_have_url(f"{address}dealer/first-1")
    assert wrong == []
