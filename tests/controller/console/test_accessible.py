"""Every page in every state: nothing that axe calls serious, and controls that a finger hits.

One table stands still wherever the test wants it; what is looked at is what people see there. A
terminal is looked at where it is used: in ``test_page.py`` beside its other tests.
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
from tests.controller.console.looking import badly_made
from tests.controller.console.simulated import Simulated, simulated
from tests.controller.console.test_school_page import NORMAL, begins, school
from tests.drivers.wire.plugs import AT_LAST_S
from tests.scenarios.test_play import table

PINS = {"dealer-1": "1111", "floor-1": "2222"}
TABS = ("Table", "Decks", "Accounts", "Devices", "Rounds")
#: Pages beside the dealer's, and what is there once they are drawn. Another page is another line.
OTHERS = (
    ("/", "list", "Tables"),
    ("/sign/{table}", "heading", ""),
    ("/bench/{table}", "region", "Cards on the table"),
)


class AtATable:
    """A simulated table that stops where it is told to, and pages that look at it."""

    def __init__(self, at: Simulated, context: BrowserContext, tablet: BrowserContext) -> None:
        self.at = at
        self.context = context
        #: The floor's, where nobody is signed on as a dealer.
        self.tablet = tablet
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
        controls, wrong = await badly_made(page)
        assert controls or "sign" in state or "covered" in state, state
        self.wrong += [f"{state}, {one}" for one in wrong]


@contextlib.asynccontextmanager
async def at_a_table(folder: Path, book: str, method: str) -> AsyncIterator[AtATable]:
    async with (
        simulated(folder, table(book, method), rounds=3, pins_of=PINS) as at,
        browser() as chromium,
        # Fingers: what is large enough for them is so for a mouse.
        room(chromium, has_touch=True) as context,
        room(chromium, has_touch=True) as tablet,
    ):
        yield AtATable(at, context, tablet)
        at.service.stop()


async def signs_on(page: Page, person: str = "dealer-1") -> None:
    await page.get_by_role("group", name="Sign on").get_by_role("button", name=person).click()
    for digit in PINS[person]:
        await page.get_by_role("button", name=f"PIN {digit}", exact=True).click()
    await page.get_by_role("button", name="Enter", exact=True).click()
    await expect(page.get_by_role("button", name=f"Lock the screen of {person}")).to_be_visible()


async def drawers_open(at: AtATable, page: Page) -> None:
    for name in ("Irregularities", "More", "Open seat 3"):
        await page.get_by_role("button", name=name, exact=True).first.click()
        await at.is_good(f"dealer, drawer {name}", page)
        await page.keyboard.press("Escape")


async def somebody_plays_two_seats(at: AtATable) -> None:
    """Each with all that can be done there; then the crew has them back."""
    found = await at.opens(f"/bench/{at.at.name}")
    bench = found.page
    for seat in (1, 2):
        await bench.get_by_role("button", name=f"I sit at seat {seat}").click()
        await bench.get_by_role("group", name=f"You at seat {seat}").wait_for()
    await at.is_good("bench, two seats are mine", bench)
    for seat in (1, 2):
        await bench.get_by_role("button", name=f"Give seat {seat} back").click()
        await bench.get_by_role("button", name=f"I sit at seat {seat}").wait_for()
    assert found.wrong == []
    await bench.close()


async def others_look(at: AtATable) -> None:
    for path, role, name in OTHERS:
        other = await at.opens(path.format(table=at.at.name))
        given = {"name": name} if name else {}
        await other.page.get_by_role(role, **given).first.wait_for()  # type: ignore[arg-type]
        await at.is_good(path, other.page)
        assert other.wrong == []
        await other.page.close()


async def the_floor_looks(at: AtATable, page: Page) -> None:
    """At the table in every way there is, and at the round as it lies."""
    await page.get_by_role("button", name=f"Look at table {at.at.name}").click()
    for tab in TABS:
        await page.get_by_role("tab", name=tab, exact=True).click()
        await page.get_by_role("tabpanel", name=tab, exact=True).wait_for()
        await at.is_good(f"floor, {tab}", page)
    await page.get_by_role("button", name="Recall round 1").click()
    await page.get_by_role("button", name="Print").wait_for()
    await at.is_good("floor, recall", page)
    await page.get_by_role("button", name="Sign on", exact=True).click()
    await at.is_good("floor, signs on", page)
    await signs_on(page, "floor-1")


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
        await drawers_open(at, page)
        await somebody_plays_two_seats(at)

        await at.goes_until(lambda now: now.phase == "deciding")
        await phase_is(page, "Decisions")
        await at.is_good("dealer, deciding", page)
        await others_look(at)
        floor = await looked(at.tablet, f"{at.at.address}floor")
        await the_floor_looks(at, floor.page)

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
        waiting = floor.page.get_by_role("region", name="Waiting", exact=True)
        await waiting.get_by_role("button").first.click()
        await floor.page.get_by_role("form").wait_for()
        await at.is_good("floor, hold", floor.page)
        assert dealer.wrong + floor.wrong == []
        at.at.service.stop()
        await page.locator("#cover.whole:not([hidden])").wait_for()
        await at.is_good("dealer, covered", page)
    assert at.wrong == [], "\n".join(at.wrong)
    assert at.looked_at >= 20


async def test_the_school_in_every_state() -> None:
    expect.set_options(timeout=AT_LAST_S * 1000)
    async with (
        school() as address,
        browser() as chromium,
        room(chromium, has_touch=True) as context,
    ):
        found = await looked(context, f"{address}school")
        page = found.page

        async def is_good(state: str) -> None:
            controls, wrong = await badly_made(page)
            assert controls, state
            assert wrong == [], "\n".join([state, *wrong])

        await page.get_by_role("heading", name=NORMAL).wait_for()
        await is_good("the list")
        await begins(page, NORMAL)
        await is_good("a drill")
        await page.get_by_role("button", name="End the drill").click()
        await page.get_by_role("region", name="Every act, in order").wait_for()
        await is_good("a report")
        assert found.wrong == []
