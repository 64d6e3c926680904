"""What a finger on the dealer's page does: once, late, held down, too soon, and on two screens."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Page, WebSocketRoute, expect

from controller.table import events
from tests.controller.console.dealing import TOUCH, Dealer, called
from tests.controller.console.demonstrating import browser, button, until
from tests.controller.console.served import TABLE, Served, served
from tests.drivers.wire.plugs import AT_LAST_S

#: A control that has changed its meaning is dead for so long.
DEAD_MS = 400
FRAME_MS = 40
expect.set_options(timeout=AT_LAST_S * 1000)


class Screen:
    """A dealer's page of a table that is in this process, and somebody signed on at it."""

    def __init__(self, page: Page, at: Served) -> None:
        self.page = page
        self.at = at
        self.dealer = Dealer(page, at)
        self.prompt = self.dealer.prompt
        self.answers = self.dealer.answers
        self.table = page.get_by_role("region", name="Table", exact=True)
        self.receipt = page.get_by_label("Last press")
        #: What comes of pictures is kept from it while this is so.
        self.sees_nothing = False
        self.hears_nothing = False

    @classmethod
    async def of(cls, at: Served, context: BrowserContext) -> Screen:
        page = await context.new_page()
        found = cls(page, at)
        await page.route_web_socket(re.compile("/live$"), found._wire)
        await page.goto(f"{at.address}dealer/{TABLE}")
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        # In the same browser it is the same person.
        if len(context.pages) == 1:
            await found.dealer.signs_on()
        return found

    def _wire(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def comes(message: str | bytes) -> None:
            is_picture = json.loads(message)["kind"] == "picture"
            if not self.hears_nothing and not (self.sees_nothing and is_picture):
                route.send(message)

        server.on_message(comes)


def recorded(at: Served, kind: type[Any]) -> list[Any]:
    return list(at.house.recorded(kind))


async def both_wager(at: Served) -> None:
    seen = await at.at.until("betting")
    for one in [offer for offer in seen["offers"] if "Seat a player at seat" in offer["title"]]:
        sits = await at.at.find(one["title"])
        await at.at.takes(sits, fields={"player": f"Ann {sits.seat}"})
    for seat in (1, 2):
        await at.at.takes(await at.at.find(f"Ante of seat {seat}"), fields={"amount": 1500})


async def drawn(some: Screen) -> str:
    return await some.table.aria_snapshot()


# --- Wagers -------------------------------------------------------------------


async def test_antes_are_repeated_and_late_presses_refused(tmp_path: Path) -> None:
    async with served(tmp_path, has_pins=False) as at, browser(**TOUCH) as context:
        await both_wager(at)
        await at.at.until("clearing")
        await at.at.until("betting")
        one, two = await Screen.of(at, context), await Screen.of(at, context)

        # Both screens show the same, whoever was there first.
        async def are_alike() -> bool:
            return await drawn(one) == await drawn(two)

        await until(are_alike)
        await expect(button(one.answers, "Repeat the last wagers of all seats")).to_be_visible()
        before = len(recorded(at, events.WagerPlaced))
        repeat = "Repeat the last wagers of seat 1: Ante $15"
        await button(one.page, repeat).tap()
        await expect(one.receipt).to_contain_text("Confirmed")
        await expect(one.receipt).to_contain_text(repeat)
        seq = (await at.at.looks())["seq"]
        await expect(one.receipt).to_contain_text(f"entry {seq}")
        [placed] = recorded(at, events.WagerPlaced)[before:]
        assert (placed.seat, placed.wager, placed.amount) == (1, "ante", 1500)
        await until(are_alike)
        assert "$15" in await drawn(two)

        # Somebody else was quicker: what is pressed then is not done a second time.
        two.sees_nothing = True
        repeat = "Repeat the last wagers of seat 2: Ante $15"
        await button(one.page, repeat).tap()
        await expect(one.receipt).to_contain_text(repeat)
        await expect(one.receipt).to_contain_text("Confirmed")
        await button(two.page, repeat).tap()
        await expect(two.receipt).to_contain_text("Refused")
        await expect(two.receipt).to_have_role("alert")
        await expect(two.receipt).to_contain_text("is not offered now")
        assert len(recorded(at, events.WagerPlaced)) == before + 2
        [refused] = recorded(at, events.AttemptRefused)
        assert (refused.person, refused.attempt) == ("dealer-1", "take")

        # Lock-out counts as the finger comes down, and is not waited for.
        box = await button(one.page, "Lock out").bounding_box()
        assert box is not None
        assert (box["width"], box["height"]) == (120, 120)
        finger = await context.new_cdp_session(one.page)
        at_it = {"x": box["x"] + 60, "y": box["y"] + 60}
        await finger.send(
            "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at_it]}
        )
        await until(lambda: is_recorded(at, events.LockOutPressed))
        await finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        assert len(recorded(at, events.LockOutPressed)) == 2
        assert await button(one.page, "Lock out").bounding_box() == box


async def is_recorded(at: Served, kind: type[Any], count: int = 2) -> bool:
    return len(recorded(at, kind)) >= count


# --- Cards --------------------------------------------------------------------


async def test_a_hand_is_keyed_in_by_as_many_touches_as_it_has_cards(tmp_path: Path) -> None:
    async with served(tmp_path, has_pins=False) as at, browser(**TOUCH) as context:
        seen = await at.at.until("revealing")
        screen = await Screen.of(at, context)
        keys = screen.prompt.get_by_role("group", name="Cards", exact=True)
        up = seen["up_card"]
        await expect(button(keys, called(up))).to_have_attribute("aria-pressed", "true")
        others = [one for one in ("2c", "3d", "4h", "6s", "7c", "8d") if one != up]
        dealers, spare = others[:4], others[4]
        await button(keys, called(spare)).tap()
        await button(keys, called(spare)).tap()  # it was another: taken back
        for card in dealers:
            await button(keys, called(card)).tap()
        await until(lambda: is_recorded(at, events.Revealed, 1))
        [revealed] = recorded(at, events.Revealed)
        assert set(revealed.cards.split()) == {up, *dealers}

        # What the dealer has, no player can have.
        await expect(screen.prompt).to_contain_text("eat ")
        for card in (up, *dealers):
            await expect(button(keys, called(card))).to_have_attribute("aria-disabled", "true")
        assert await keys.get_by_role("button").count() == 52
        hand = [f"{rank}{suit}" for rank in "9TJQK" for suit in "sc" if f"{rank}{suit}" != up][:5]
        for card in hand:
            await button(keys, called(card)).tap()
        await until(lambda: is_recorded(at, events.HandTurned, 1))
        [turned] = recorded(at, events.HandTurned)
        assert turned.cards.split() == hand


# --- What should not happen ---------------------------------------------------


async def test_an_irregularity_says_what_will_follow_and_is_held_down(tmp_path: Path) -> None:
    async with served(tmp_path, has_pins=False) as at, browser(**TOUCH) as context:
        await at.at.until("deciding")
        screen = await Screen.of(at, context)
        await button(screen.page, "Irregularities").tap()
        drawer = screen.page.get_by_role("region", name="Irregularities")
        offered = [
            one
            for one in (await at.at.looks())["offers"]
            if one["group"] == "irregular" and one["who"] == "dealer"
        ]
        shown = await drawer.inner_text()
        assert offered
        for one in offered:
            assert one["title"] in shown
            assert one["follows"]
            assert shown.index(one["follows"], shown.index(one["title"]))
        # What asks for something is opened by a touch, and held down where it is sent.
        words = "The dealer has another number of cards than 5"
        await button(drawer, words).tap()
        form = screen.prompt.get_by_role("form", name=words)
        await button(form, "4").tap()
        await button(form, words).tap()
        await button(form, words).focus()
        await screen.page.keyboard.press("Enter")
        await expect(form).to_be_visible()
        await button(screen.page, "Back to the prompt").tap()
        exposed = button(drawer, "A hole card of the dealer was exposed")
        await exposed.tap()
        assert not recorded(at, events.CardExposed)
        assert not recorded(at, events.MisdealReported)
        assert not (await at.at.looks())["void"]
        await screen.dealer.hold(exposed)
        await until(lambda: is_recorded(at, events.CardExposed, 1))
        await expect(screen.page.get_by_role("group", name="Phase")).to_contain_text("Round void")
        assert len(recorded(at, events.CardExposed)) == 1


# --- Time ---------------------------------------------------------------------


async def test_what_changes_under_a_finger_is_dead_and_silence_is_told(tmp_path: Path) -> None:
    async with served(tmp_path, has_pins=False) as at, browser(**TOUCH) as context:
        await both_wager(at)
        await at.at.until("deciding")
        page = await context.new_page()
        await page.clock.install()
        await page.close()
        screen = await Screen.of(at, context)
        first = button(screen.answers, "Seat 1: Fold")
        await expect(first).to_have_attribute("aria-disabled", "false")
        await screen.page.clock.pause_at(await screen.page.evaluate("Date.now() / 1000 + 1"))
        aimed_at = await first.element_handle()
        await first.focus()
        await first.dispatch_event("click")
        await until(lambda: is_recorded(at, events.Decided, 1))
        second = button(screen.answers, "Seat 2: Fold")

        async def has_come() -> bool:
            await screen.page.clock.run_for(FRAME_MS)
            return bool(await second.count())

        await until(has_come)
        # What was aimed at the first button does not meet the second, whatever its name is by then;
        # and the keyboard's focus is on what has taken its place.
        assert not await aimed_at.evaluate("(it) => it.isConnected")
        await expect(second).to_be_focused()
        # The other seat's button lies where the finger is: it is no answer of that seat.
        await second.dispatch_event("click")
        await expect(second).to_have_attribute("aria-disabled", "true")
        await screen.page.clock.run_for(DEAD_MS - 2 * FRAME_MS)
        await second.dispatch_event("click")
        await expect(second).to_have_attribute("aria-disabled", "true")
        await screen.page.clock.run_for(3 * FRAME_MS)
        await expect(second).to_have_attribute("aria-disabled", "false")
        assert len(recorded(at, events.Decided)) == 1
        await second.dispatch_event("click")
        await until(lambda: is_recorded(at, events.Decided, 2))

        async def is_answered() -> bool:
            await screen.page.clock.run_for(FRAME_MS)
            return not await second.count()

        # That was heard a frame ago by the page's clock, however long it took on this machine.
        await until(is_answered)

        # Nothing is heard: words after two seconds, nothing else after five, and touches are lost.
        cover = screen.page.get_by_role("alert").filter(has_text="The table is not heard")
        screen.hears_nothing = True
        await screen.page.clock.run_for(1500)
        await expect(cover).to_have_count(0)
        await screen.page.clock.run_for(1000)
        await expect(cover).to_have_class("cover")
        await expect(cover).to_contain_text("The table was last heard 2 s ago")
        await expect(screen.page.locator("main")).to_have_attribute("inert", "")
        await screen.page.clock.run_for(3000)
        await expect(cover).to_have_class("cover whole")
        screen.hears_nothing = False

        async def is_heard() -> bool:
            await screen.page.clock.run_for(FRAME_MS)
            return not await cover.count()

        await until(is_heard)
        await expect(screen.page.get_by_role("group", name="Phase")).to_contain_text("Reveal")
