"""A badge at the table's reader: the dealer's page asks its person for the PIN, and for no name."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page, expect

from controller.daemon import badges
from controller.table import events
from controller.table.people import Person
from tests.controller.console.chromium import browser, looked, room
from tests.controller.console.served import PINS, TABLE, Served, served
from tests.drivers.wire.plugs import AT_LAST_S

LONG = AT_LAST_S * 1000


async def holds_badge(at: Served, person: str, role: str = "dealer") -> None:
    taken = await at.house.takes(
        events.BadgeRead(
            at=at.house.service.clock.wall_ms(),
            device="badge",
            badge="3fa9c1d2",
            who=Person(person, role),  # type: ignore[arg-type]
        )
    )
    assert not taken.step.refused


async def test_a_reader_that_is_a_keyboard_types_a_number(tmp_path: Path) -> None:
    (tmp_path / "secrets").mkdir(mode=0o700)
    badges.give(tmp_path / "secrets", "dealer-2", "0004711")
    async with served(tmp_path) as at, browser() as chromium, room(chromium) as context:
        page = (await looked(context, f"{at.address}dealer/{TABLE}")).page
        who = page.get_by_role("group", name="Sign on")
        await expect(who.get_by_role("button", name="dealer-1")).to_be_visible(timeout=LONG)
        await types(page, "0009999")
        await expect(who.get_by_role("alert")).to_contain_text("nobody's badge", timeout=LONG)
        [refused] = at.house.recorded(events.BadgeRefused)
        assert refused.device.startswith("page 127.0.0.1")
        await types(page, "0004711")
        chosen = who.get_by_role("button", name="dealer-2")
        await expect(chosen).to_have_attribute("aria-pressed", "true", timeout=LONG)
        # What the reader has typed is no PIN of anybody's.
        assert not at.house.recorded(events.CredentialRefused)


async def types(page: Page, number: str) -> None:
    """At the pace of a reader, however busy the machine is."""
    keys = [*number, "Enter"]
    await page.evaluate(
        "keys => keys.forEach((key) => document.body.dispatchEvent("
        "new KeyboardEvent('keydown', { key, bubbles: true })))",
        keys,
    )


async def test_whose_badge_was_read_gives_the_pin_and_is_signed_on(tmp_path: Path) -> None:
    async with served(tmp_path) as at, browser() as chromium, room(chromium) as context:
        page = (await looked(context, f"{at.address}dealer/{TABLE}")).page
        who = page.get_by_role("group", name="Sign on")
        await expect(who.get_by_role("button", name="dealer-1")).to_be_visible(timeout=LONG)
        for person in ("dealer-1", "dealer-2"):
            # The second one takes the place of the first, who is signed on there.
            await holds_badge(at, "floor-1", "floorperson")
            await holds_badge(at, person)
            chosen = who.get_by_role("button", name=person)
            await expect(chosen).to_have_attribute("aria-pressed", "true", timeout=LONG)
            for digit in PINS[person]:
                await page.get_by_role("button", name=f"PIN {digit}", exact=True).click()
            await page.get_by_role("button", name="Enter", exact=True).click()
            lock = page.get_by_role("button", name=f"Lock the screen of {person}")
            await expect(lock).to_be_visible(timeout=LONG)
        assert at.house.service.duty.acting("dealer").id == "dealer-2"
        assert at.house.service.core.table.badge is None
