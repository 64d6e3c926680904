"""Somebody who goes through a recalled round in a browser: what rule 14 of the pages promises."""

from __future__ import annotations

from functools import partial
from typing import Any

from playwright.async_api import Locator, Page, expect

from controller.journal.reader import Reader
from controller.library import Library
from controller.recalling import recalled
from tests.controller.console.demonstrating import button, until
from tests.controller.console.looking import TOUCH
from tests.controller.console.unattended import Simulated

#: From now on every move of a playhead on this page is counted.
_COUNTED = """async () => {
    const { Timeline } = await import("/static/js/timeline.js");
    const { seek } = Timeline.prototype;
    window.sought = 0;
    Timeline.prototype.seek = function (...given) {
        window.sought += 1;
        return seek.apply(this, given);
    };
}"""
#: Whether it plays when it is touched next.
_NOTED = """() => {
    const touched = () => {
        const press = document.querySelector('[data-place="timeline play"]');
        window.played = press.innerText.includes("Pause");
    };
    document.addEventListener("pointerdown", touched, { capture: true, once: true });
}"""
#: Where the playhead was drawn and at which entry, over some pictures.
_SEEN = """(pictures) => new Promise((done) => {
    const found = [];
    const next = () => {
        const head = document.querySelector(".playhead");
        found.push([head.style.left, head.ariaValueNow]);
        if (found.length < pictures) requestAnimationFrame(next);
        else done(found);
    };
    requestAnimationFrame(next);
})"""


class Line:
    def __init__(self, page: Page, round_: dict[str, Any]) -> None:
        self.page = page
        self.round = round_
        self.head = page.locator(".playhead")
        self.strip = page.locator(".strip")
        self.entry = page.get_by_role("region", name="This entry", exact=True)

    async def is_at(self, index: int) -> None:
        await expect(self.head).to_have_attribute("aria-valuenow", str(index + 1))
        await expect(self.entry).to_contain_text(f"Entry {self.round['events'][index]['seq']}")

    async def index(self) -> int:
        return int(await self.head.get_attribute("aria-valuenow") or 0) - 1

    async def keys(self, *some: str) -> None:
        await self.head.focus()
        for key in some:
            await self.page.keyboard.press(key)

    async def across(self, share: float) -> tuple[float, float]:
        box = await self.strip.bounding_box()
        assert box is not None
        return box["x"] + share * box["width"], box["y"] + box["height"] / 2

    async def is_in_view(self) -> None:
        head, strip = await self.head.bounding_box(), await self.strip.bounding_box()
        assert head is not None
        assert strip is not None
        middle = head["x"] + head["width"] / 2
        assert strip["x"] - 1 <= middle <= strip["x"] + strip["width"] + 1
        await expect(self.head).not_to_contain_class("away")


async def goes_through(page: Page, at: Simulated) -> None:
    """The first round of a table, which has just been recalled on this page."""
    with Reader.look(at.service.configuration.journal) as reader:
        (round_,) = recalled(reader, 1, 1, Library(), laid=True)
    line = Line(page, round_)
    last = len(round_["events"]) - 1

    # It works before the first click, and whoever aims at it hits it.
    await line.is_at(0)
    await expect(page.get_by_role("slider", name="Playhead", exact=True)).to_be_focused()
    await page.evaluate(_COUNTED)
    await page.keyboard.press("ArrowRight")
    await line.is_at(1)
    box = await line.head.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= TOUCH
    await _moves_by_keys_and_buttons(line, last)
    await _is_dragged(line)
    await _stays_in_the_view(line, last)
    await _is_drawn_as_it_lay(line)
    assert await page.evaluate("window.sought") > 20


async def _moves_by_keys_and_buttons(line: Line, last: int) -> None:
    page = line.page
    await line.keys("End")
    await line.is_at(last)
    await expect(button(page, "Next entry")).to_have_attribute("aria-disabled", "true")
    await button(page, "Previous entry").click()
    await line.is_at(last - 1)
    await line.keys("Home", "PageUp")
    phases = [one["lay"].get("phase") for one in line.round["events"]]
    second = next(n for n, phase in enumerate(phases) if phase and n)
    await line.is_at(second)
    await button(page, "Previous phase").click()
    await line.is_at(0)


async def _is_dragged(line: Line) -> None:
    """By a mouse and by a finger: each pauses play, and the entry is the one below it."""
    page = line.page
    for drag in (_by_mouse, _by_finger):
        # Where it came to its end before it was touched, nothing was shown: once more.
        played = False
        while not played:
            await line.keys("Home")
            await expect(button(page, "Play")).to_have_attribute("aria-disabled", "false")
            await button(page, "Play").click()
            await expect(button(page, "Pause")).to_be_visible()
            await line.strip.scroll_into_view_if_needed()
            await page.evaluate(_NOTED)
            await drag(line)
            played = await page.evaluate("window.played")
        await expect(button(page, "Play")).to_be_visible()
        where = await line.index()
        assert where > 0
        assert len({tuple(one) for one in await page.evaluate(_SEEN, 5)}) == 1
        await line.is_at(where)
    # It does not glide where nothing should move: it is where an entry is, or it is elsewhere.
    await page.emulate_media(reduced_motion="reduce")
    await line.keys("Home")
    await expect(button(page, "Play")).to_have_attribute("aria-disabled", "false")
    await button(page, "Play").click()
    seen = {tuple(one) for one in await page.evaluate(_SEEN, 30)}
    assert len({left for left, _ in seen}) <= len({index for _, index in seen})
    await page.emulate_media(reduced_motion="no-preference")
    await line.keys("Home")


async def _by_mouse(line: Line) -> None:
    mouse = line.page.mouse
    box = await line.head.bounding_box()
    assert box is not None
    await mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await mouse.down()
    await mouse.move(*await line.across(0.5))
    await mouse.move(*await line.across(0.6))
    await mouse.up()


async def _by_finger(line: Line) -> None:
    wire = await line.page.context.new_cdp_session(line.page)

    async def touch(kind: str, *at: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in at]
        await wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    await touch("touchStart", await line.across(0.3))
    await touch("touchMove", await line.across(0.5))
    await touch("touchMove", await line.across(0.7))
    await touch("touchEnd")
    await wire.detach()


async def _says_its_kind(line: Line) -> bool:
    """Asked again: the playhead may be looked at a moment before it has moved."""
    kind: str = line.round["events"][await line.index()]["kind"]
    return await line.strip.locator(".said").text_content() == kind.replace("_", " ")


async def _stays_in_the_view(line: Line, last: int) -> None:
    page = line.page
    for _ in range(3):
        await button(page, "Zoom in").click()
    for key in ("End", "Home", "PageUp", *["ArrowRight"] * 5):
        await line.keys(key)
        await line.is_in_view()
    # To a single frame, whichever it is.
    await button(page, "One entry").click()
    for key in ("Home", "ArrowRight", "End"):
        await line.keys(key)
        await line.is_in_view()
        await until(partial(_says_its_kind, line))
    await expect(button(page, "Zoom in")).to_have_attribute("aria-disabled", "true")
    # It leaves when somebody asks, and comes back when they do, or when it is moved.
    back = button(page, "To the playhead")
    for asked in (True, False):
        await button(page, "Zoom out").click()
        await expect(back).to_have_attribute("aria-disabled", "true")
        for _ in range(3):
            await button(page, "Earlier part").click()
        await expect(back).to_have_attribute("aria-disabled", "false")
        await line.is_at(last)
        await (back.click() if asked else line.keys("ArrowLeft", "End"))
        await line.is_in_view()
    await button(page, "Whole round").click()
    await expect(button(page, "Whole round")).to_have_attribute("aria-disabled", "true")


async def _is_drawn_as_it_lay(line: Line) -> None:
    """A hand is seen from the entry on that turned it over; marks are told by words too."""
    told = line.round["events"]
    turned = next(n for n, one in enumerate(told) if one["kind"] == "hand_turned")
    seat = line.page.get_by_role("region", name="As it lay after this entry").get_by_role(
        "group", name=f"Seat {told[turned]['seat']}", exact=True
    )
    await line.keys("Home", *["ArrowRight"] * (turned - 1))
    await line.is_at(turned - 1)
    cards = seat.first.locator(".card:not(.down)")
    await expect(cards).to_have_count(0)
    await line.keys("ArrowRight")
    await line.is_at(turned)
    await expect(cards).to_have_count(len(told[turned]["cards"].split()))
    await expect(line.entry).to_contain_text("hand turned")
    await expect(line.entry).to_contain_text(told[turned]["clauses"][0])
    marks: Locator = line.page.get_by_role("list", name="What the marks are")
    people = sum(bool(one.get("by") or one.get("keyed_by")) for one in told)
    await expect(marks).to_contain_text(f"by a person: {people}")
    refused = sum("refused" in one for one in told)
    await expect(marks).to_contain_text(f"refused: {refused}")
