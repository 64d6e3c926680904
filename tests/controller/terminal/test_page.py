"""The terminal's page in a real browser, at a real table: what a player touches and is told."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.async_api import Locator, Page, WebSocketRoute, expect

from tests.controller.console.demonstrating import browser
from tests.controller.console.looking import badly_made
from tests.controller.terminal.seat import AtTheTable, Tablet, at_a_table
from tests.drivers.wire.mosquitto import Mosquitto
from tests.drivers.wire.plugs import AT_LAST_S

PLAYERS = "Five Card Hand Bonus Wager on the player's hand"
DEALERS = "Five Card Hand Bonus Wager on the dealer's hand"

expect.set_options(timeout=AT_LAST_S * 1000)


def button(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("button", name=name, exact=isinstance(name, str))


def asked(page: Page, what: str) -> Locator:
    return page.get_by_role("listitem").filter(has_text=what)


class Withheld:
    """The network between the tablet and its terminal, which may hold back how things stand."""

    def __init__(self) -> None:
        self._held: list[str | bytes] | None = None
        self._page: WebSocketRoute | None = None

    async def lies_at(self, page: Page) -> None:
        await page.route_web_socket(re.compile("/live$"), self._routed)

    def _routed(self, route: WebSocketRoute) -> None:
        self._page = route
        server = route.connect_to_server()
        server.on_message(self._came)

    def _came(self, frame: str | bytes) -> None:
        assert self._page is not None
        if self._held is not None and json.loads(frame)["kind"] == "picture":
            self._held.append(frame)
        else:
            self._page.send(frame)

    def hold(self) -> None:
        self._held = []

    def let_go(self) -> None:
        held, self._held = self._held or [], None
        assert self._page is not None
        for frame in held:
            self._page.send(frame)


async def is_good(page: Page) -> None:
    """Nothing that axe calls serious, and every control is named, large enough and in sight."""
    controls, wrong = await badly_made(page)
    assert controls
    assert wrong == [], "\n".join(wrong)


async def brings_money(page: Page) -> None:
    await button(page, "Money in or out").click()
    await button(page, "Add $25").click()
    await button(page, "Add $1").click()
    await expect(page.get_by_label("Sum")).to_have_text("$26")
    await is_good(page)
    await button(page, "Bring $26").click()
    await expect(page.get_by_label("Balance")).to_have_text("$26")
    await expect(asked(page, "$26 brought")).to_contain_text("taken")


async def wagers(at: AtTheTable, page: Page) -> None:
    mine = page.get_by_role("group", name=PLAYERS)
    await expect(mine).to_contain_text("First comes the wager on the layout.")
    await expect(button(page, f"Wager $1: {PLAYERS}")).to_be_disabled()
    await at.antes()
    await button(page, f"Wager $1: {PLAYERS}").click()
    await expect(mine).to_contain_text("$1 is down")
    await expect(page.get_by_label("Balance")).to_have_text("$25")
    assert at.seat.wagers["five_card_player"] == 100
    await is_good(page)


async def is_late(at: AtTheTable, page: Page, network: Withheld) -> None:
    """The table has locked, the page has not heard so yet, and a finger comes down."""
    status = page.locator(".standing")
    await expect(status).to_contain_text("Open")
    await expect(button(page, f"Wager $1: {DEALERS}")).to_be_enabled()
    network.hold()
    await at.is_ready()
    await at.until(lambda: at.table.phase != "betting" and at.seat.terminal_locked)
    await button(page, f"Wager $1: {DEALERS}").click()
    await at.until(lambda: at.table.late)
    network.let_go()
    said = page.get_by_role("alert").filter(has_text="Not taken")
    await expect(said).to_contain_text(f"$1 on {DEALERS}")
    await expect(said).to_contain_text("no more bets")
    await expect(status).to_contain_text("Locked: no more bets")
    await expect(button(page, f"Wager $1: {DEALERS}")).to_be_disabled()
    await expect(page.get_by_label("Balance")).to_have_text("$25")
    assert "five_card_dealer" not in at.seat.wagers
    await is_good(page)
    await button(page, "Close").click()
    await expect(said).to_be_hidden()


async def decides(at: AtTheTable, page: Page) -> None:
    await expect(page.locator(".standing")).to_contain_text("Your decision")
    await is_good(page)
    await button(page, re.compile(r"^Bet Wager \$20$")).click()
    await at.until(lambda: at.seat.chosen == 2000 or "bet" in at.seat.wagers)
    await expect(asked(page, "Decision")).to_contain_text("taken")
    await at.until(lambda: at.seat.wagers.get("bet") == 2000)


async def is_cut_off_and_comes_back(tablet: Tablet, page: Page) -> None:
    """The terminal's power is cut: the page says so, hides all, and comes back by itself."""
    port = tablet.address.rstrip("/").rpartition(":")[2]
    await tablet.kill()
    await expect(page.get_by_role("heading", name="The table is not heard")).to_be_visible()
    await expect(page.locator("#cover.whole")).to_be_visible()
    assert await page.locator("main").evaluate("page => page.inert")
    tablet.listens_at(f"127.0.0.1:{port}")
    await tablet.start()
    await expect(page.locator("#cover")).to_be_hidden()
    await expect(page.get_by_label("Balance")).to_be_visible()


async def test_a_player_at_the_page(tmp_path: Path, broker: Mosquitto) -> None:
    async def meanwhile(at: AtTheTable) -> None:
        async with at.tablet() as tablet, browser() as context:
            page = await context.new_page()
            wrong: list[str] = []
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("console", lambda said: wrong.extend([said.text] * (said.type == "error")))
            network = Withheld()
            await network.lies_at(page)
            await page.set_viewport_size({"width": 390, "height": 844})
            await page.goto(tablet.address)
            await expect(page.get_by_role("heading", name="Seat 1", level=1)).to_be_visible()
            await brings_money(page)
            await wagers(at, page)
            await is_late(at, page, network)
            await decides(at, page)
            assert wrong == []
            await is_cut_off_and_comes_back(tablet, page)

    show = await at_a_table(tmp_path, broker, meanwhile)
    assert show.table is not None
    assert not show.table.holds
