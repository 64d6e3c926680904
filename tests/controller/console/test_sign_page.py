"""The jackpot sign in a browser: every level climbs to the truth, and what was won is on it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.async_api import Page, WebSocket, expect

from controller.console.serving import Options
from controller.table import events
from tests.controller.console.demonstrating import browser, until
from tests.controller.console.served import console
from tests.controller.daemon.house import House, table_file
from tests.controller.table.playing import BOSS, FLOOR, OFFER, OTHER_BOSS, AtTheTable
from tests.controller.table.rigged import NO_HAND, ROYAL, played, verified
from tests.drivers.wire.plugs import AT_LAST_S

# What is awaited comes as fast as the machine can; what does not come is waited for in vain.
expect.set_options(timeout=AT_LAST_S * 1000)

SIZES = [(390, 844), (1024, 600), (1280, 800), (1920, 1080), (3840, 1080)]
#: What the link holds when the table joins it: $12,345.67, in hundredths of a cent.
HELD = 123_456_700

#: Notes at every frame what an amount shows, what it says that it is, and where it ends.
WATCH = """() => {
    window.seen = [];
    const look = () => {
        const amount = document.querySelector(".amount");
        const width = Math.round(amount.firstElementChild.getBoundingClientRect().right);
        window.seen.push([amount.textContent.trim(), amount.ariaLabel, width]);
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
#: What does not lie whole on the screen, and whether the page can be moved.
OUTSIDE = """() => {
    const outside = [...document.querySelectorAll("h1, h2, .amount, .win, .notice, .win *, .notice *")]
        .map((one) => [one.className || one.tagName, one.getBoundingClientRect()])
        .filter(([, at]) => at.left < -1 || at.top < -1 || at.right > innerWidth + 1 || at.bottom > innerHeight + 1)
        .map(([name]) => String(name));
    const root = document.documentElement;
    return [...outside, ...(root.scrollWidth > innerWidth || root.scrollHeight > innerHeight ? ["it moves"] : [])];
}"""  # noqa: E501


class Hung(NamedTuple):
    """A table at which events are told, and the sign that hangs over it."""

    house: House
    at: AtTheTable
    told: list[events.Event]

    async def tells(self) -> None:
        """What has been done at the table in the meantime."""
        for event in self.at.taken[len(self.told) :]:
            taken = await self.house.takes(event)
            assert not taken.step.refused, taken.step.refused
            self.told.append(event)

    async def cents(self, meter: str = "progressive", level: str = "main") -> int:
        found: int = (await self.house.asks("picture"))["meters"][meter][level]
        return found


def file_of(folder: Path, book: str, options: dict[str, Any]) -> Path:
    """A table without any device but those at the seats, none of which is there."""
    folder.mkdir(exist_ok=True)
    file = table_file(folder)
    text = file.read_text().replace("automated shoe", "manual shoe")
    text = text.replace('id = "test-1"', f'id = "{book}-1"')
    text = text.replace('rulebook = "pa-639a"', f'rulebook = "{book}"')
    given = "\n".join(f"{name} = {toml(value)}" for name, value in options.items())
    before, _, rest = text.partition("[devices]")
    service = rest[rest.index("[service]") :]
    text = f"{before}[options]\nseats = 2\n{given}\n\n{service}"
    text = text.replace('["shuffler", "shoe", "panel"]', '["panel"]')
    for kind in ("acceptor", "terminal"):
        port, devices = f"{folder}/no-{kind}s", f'["{kind} 1", "{kind} 2"]'
        text += f'\n[wires.{kind}s]\nserial = "{port}"\ndevices = {devices}\n'
    file.write_text(text)
    return file


def toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


@contextlib.asynccontextmanager
async def hung(folder: Path, book: str, options: dict[str, Any]) -> AsyncIterator[Hung]:
    async with House(file_of(folder, book, options)).with_desk().running() as house:
        at = AtTheTable(house.service.recorder.terms)
        # Each of its events is a second after the last, and none is from what is still to come.
        at.now = house.service.clock.wall_ms() - 300_000
        yield Hung(house, at, [])


async def opened(page: Page, address: str, table: str) -> list[str]:
    """The sign of a table; every byte that it is told."""
    frames: list[str] = []

    def hears(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(str(frame)))

    page.on("websocket", hears)
    await page.goto(f"{address}sign/{table}")
    return frames


@pytest.mark.rule("R23")
async def test_it_climbs_to_the_truth_and_shows_what_was_won(tmp_path: Path) -> None:
    wrong: list[str] = []
    async with hung(tmp_path / "s10", "s10", OFFER["s10"]) as sign, browser() as context:
        options = Options(sockets=(sign.house.configuration.socket,), port=0)
        async with console(options, []) as address:
            page = await context.new_page()
            page.on("pageerror", lambda error: wrong.append(str(error)))
            frames = await opened(page, address, "s10-1")
            await climbs(page, sign)
            await is_won(page, sign)
            await is_out_of_order(page, sign)
            assert frames
            for text in ("dealer-1", '"offers"', '"prompts"', '"people"', '"seats"', str(tmp_path)):
                assert text not in "".join(frames), text
    assert wrong == []


async def climbs(page: Page, sign: Hung) -> None:
    """Two people correct the meter, and then a wager adds to it."""
    level = page.get_by_role("region", name="Progressive payout", exact=True)
    amount = level.get_by_role("img", name="$10,000", exact=True)
    await expect(amount).to_have_text("$10,000.00")
    await page.evaluate(WATCH)
    sign.at.opens().sits(1, 2).shuffles()
    sign.at.does(
        events.MeterCorrected, meter="progressive", level="main", cents=1_612_345,
        by=BOSS, second=OTHER_BOSS, reason="carried over from the old table",
    )  # fmt: skip
    await sign.tells()
    await expect(page.locator(".amount")).to_have_text("$16,123.45")
    played(sign.at, {1: ROYAL, "dealer": NO_HAND}, side={"progressive": 100})
    await sign.tells()
    assert await sign.cents() == 1_612_345 + 70
    await expect(page.locator(".amount")).to_have_text("$16,124.15")
    seen: list[tuple[str, str, int]] = await page.evaluate("() => window.seen")
    way = [cents_of(text) for text, _, _ in seen]
    assert way == sorted(way)
    assert all(cents_of(text) <= cents_of(said) for text, said, _ in seen)
    assert len(set(way)) > 5  # it climbs, and does not jump
    assert len({right for _, _, right in seen}) == 1  # nor does it grow and shrink


async def is_won(page: Page, sign: Hung) -> None:
    """The whole of it: told with table and seat, and with what it starts again from."""
    wins = page.get_by_role("status", name="Wins")
    assert await wins.inner_text() == ""
    verified(sign.at)
    sign.at.does(events.SeatPaid, seat=1)
    await sign.tells()
    for words in ("WIN", "$16,124.15", "Table s10-1, seat 1"):
        await expect(wins).to_contain_text(words)
    await expect(wins).to_contain_text("Progressive payout starts again from $10,000")
    await fits(page, {"win", "amount"})
    # It stays until its documents are done, also on a sign that comes later.
    await page.reload()
    await expect(wins).to_contain_text("Table s10-1, seat 1")
    sign.at.does(events.HandPayDocumented, seat=1, by=FLOOR)
    await sign.tells()
    await expect(wins).to_have_text("")
    await expect(page.locator(".amount")).to_have_text("$10,000.00")


async def is_out_of_order(page: Page, sign: Hung) -> None:
    """Without a device that is gone nobody may wager on it; where that holds play, it is said."""
    notices = page.get_by_role("alert", name="Notices")
    sign.at.racks().shuffles().does(events.DeviceWentOffline, device="panel")
    await sign.tells()
    await expect(notices).to_contain_text("Out of order")
    await expect(notices).to_contain_text("nobody can wager on: Progressive payout")
    held = (await sign.house.asks("picture"))["holds"]
    assert ("Play is held" in await notices.inner_text()) == bool(held)
    await fits(page, {"notice", "amount"})


def cents_of(said: str) -> int:
    """As it is shown, or as it is said: then without cents where there are none."""
    dollars, _, cents = said.partition(".")
    return int(dollars.replace("$", "").replace(",", "")) * 100 + int(cents or 0)


async def fits(page: Page, what: set[str]) -> None:
    """On any screen, from a telephone to a strip over several tables."""
    before = page.viewport_size
    assert before is not None
    for name in what:
        await expect(page.locator(f".{name}").first).to_be_visible()
    for width, height in SIZES:
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate(OUTSIDE) == [], (width, height)
    await page.set_viewport_size(before)


@pytest.mark.rule("R26")
async def test_it_says_when_it_does_not_know(tmp_path: Path) -> None:
    options = {**OFFER["pa-639a"], "linked": True, "adjacent_boxes": 1}
    path = tmp_path / "table" / "run" / "control.sock"
    async with browser() as context, console(Options(sockets=(path,), port=0), []) as address:
        page = await context.new_page()
        notices = page.get_by_role("alert", name="Notices")
        async with hung(tmp_path / "table", "pa-639a", options) as sign:
            await until(lambda: is_there(page, f"{address}sign/pa-639a-1"))
            frames = await opened(page, address, "pa-639a-1")
            # Every meter by the name that the rulebook has for what is won from it.
            for title in ("Progressive Payout", "Five Card Hand Bonus"):
                await expect(page.get_by_role("region", name=title, exact=True)).to_be_visible()
            await expect(notices).to_contain_text("Link down")
            await fits(page, {"notice", "amount"})
            sign.at.opens().sits(1)
            linked = {"paytable": "D", "wager": 100, "decks": 1, "levels": {"main": HELD}}
            sign.at.now = sign.house.service.clock.wall_ms()
            sign.at.does(events.LinkJoined, **linked)
            await sign.tells()
            await expect(page.locator(".amount").first).to_have_text("$12,345.67")
            async with heard_of(sign):
                await expect(notices).to_have_text("")
            await expect(notices).to_contain_text("Link is slow")  # nobody has said more since
        # The table is heard no more: everything is covered, and the room learns nothing of this PC.
        cover = page.locator("#cover")
        await expect(cover).to_contain_text("Link down")
        await expect(cover).to_have_class("cover whole")
        assert '"lost"' in "".join(frames)
        assert str(tmp_path) not in "".join(frames) + await page.content()
        async with hung(tmp_path / "table", "pa-639a", options):
            await expect(cover).to_be_hidden()
            await expect(page.locator(".amount").first).to_have_text("$12,345.67")


@contextlib.asynccontextmanager
async def heard_of(sign: Hung) -> AsyncIterator[None]:
    """The link goes on saying how it stands, for as long as somebody looks."""

    async def says() -> None:
        while True:
            await asyncio.sleep(1)
            sign.at.now = sign.house.service.clock.wall_ms()
            sign.at.does(events.LinkUpdated, levels={"main": HELD}, applied=0)
            await sign.tells()

    saying = asyncio.create_task(says())
    try:
        yield
    finally:
        saying.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await saying


async def is_there(page: Page, address: str) -> bool:
    answer = await page.goto(address)
    return answer is not None and answer.ok


async def test_the_way_up_is_never_longer_than_the_truth(tmp_path: Path) -> None:
    """The climbing itself, in the browser that it runs in, at every pace of its pictures."""
    async with browser() as context, console(Options(port=0, run=tmp_path), []) as address:
        page = await context.new_page()
        await page.goto(address)
        found: list[list[int]] = await page.evaluate(CLIMB)
        assert len(found) > 10
        for way in found:
            *seen, truth = way
            assert seen == sorted(seen)
            assert seen[-1] == truth
            assert max(seen) == truth
        assert await page.evaluate(FALLS) == [[500, 500], [120, 120], [120, 7_000]]


CLIMB = """async () => {
    const { Climbing } = await import("/static/js/climbing.js");
    const found = [];
    for (const truth of [1001, 1002, 1070, 5000, 1234567, 2 ** 40]) {
        for (const between of [1, 16, 100, 999, 60000, Infinity]) {
            const climbing = new Climbing();
            climbing.told("a", 1000);
            climbing.told("a", truth);
            const way = [climbing.shown("a")];
            while (climbing.pass(between)) way.push(climbing.shown("a"));
            found.push([...way, climbing.shown("a"), truth]);
        }
    }
    return found;
}"""
FALLS = """async () => {
    const { Climbing } = await import("/static/js/climbing.js");
    const climbing = new Climbing();
    const found = [];
    for (const cents of [500, 120, 7000]) {
        climbing.told("a", cents);
        found.push([climbing.shown("a"), cents]);
        climbing.pass(0);
    }
    return found;
}"""
