"""A dealer before the dealer's page, by touch: who knows it by its roles and names alone.

What lies on the table is looked at where it lies, at the bench: the chips that are counted, the
cards that are keyed in, and what the players hold.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator

from playwright.async_api import BrowserContext, Locator, Page
from playwright.async_api import TimeoutError as PageTimeout

from controller.demo.players import promising, strong
from controller.rules.cards import cards
from tests.controller.console.demonstrating import Demonstration, button, until
from tests.controller.console.served import Served
from tests.drivers.wire.plugs import AT_LAST_S

#: What was there when somebody looked, and has gone, is tried for so long.
PRESS_MS = 3000
#: What is held down counts after a second.
HELD_S = 1.2
SEAT = re.compile(r"^Seat (\d+): (.*)")
#: A finger on the tablet beside the shoe.
TOUCH = {"has_touch": True, "viewport": {"width": 1024, "height": 600}}
BETWEEN = ("shuffling", "betting")


class Dealer:
    """Deals by touch, and keeps what was touched: buttons by name, and cards of the keypad."""

    def __init__(self, page: Page, felt: Demonstration | Served) -> None:
        self.page = page
        self._felt = felt
        self.touched: list[str] = []
        self.held: list[str] = []
        #: Cards that were keyed in, hand by hand.
        self.hands: list[list[str]] = []
        self._wagered = 0
        self.prompt = page.get_by_role("region", name="Prompt")
        self.answers = page.get_by_role("group", name="Answers")
        self.receipt = page.get_by_label("Last press")
        self.alike = page.get_by_role("group", name="All seats that are left")

    @property
    def felt(self) -> Demonstration:
        """What is looked at beside the page; only whole rounds need that."""
        assert isinstance(self._felt, Demonstration)
        return self._felt

    @property
    def keyed(self) -> list[str]:
        return [card for hand in self.hands for card in hand]

    # --- Fingers ----------------------------------------------------------------

    async def touch(self, some: Locator) -> bool:
        """Tap it; whether it was still there."""
        with contextlib.suppress(PageTimeout):
            name = await named(some)
            await some.tap(timeout=PRESS_MS)
            self.touched.append(name)
            return True
        return False

    async def hold(self, some: Locator) -> None:
        """A finger that stays where it is until it counts."""
        name = await named(some)
        # Dead buttons are waited for as a tap would.
        await some.tap(trial=True, timeout=PRESS_MS)
        box = await some.bounding_box()
        assert box is not None
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        fingers = await self.page.context.new_cdp_session(self.page)
        await fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
        await asyncio.sleep(HELD_S)
        await fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        await fingers.detach()
        self.touched.append(name)
        self.held.append(name)

    # --- Who is there -----------------------------------------------------------

    async def signs_on(self, person: str = "dealer-1", pin: str = "1111") -> None:
        await button(self.page, person).tap()
        for digit in pin:
            await button(self.page, f"PIN {digit}").tap()
        await button(self.page, "Enter").tap()
        await button(self.page, f"Lock the screen of {person}").wait_for()

    async def phase(self) -> str:
        return await self.page.get_by_role("group", name="Phase").inner_text()

    # --- One thing at a time ----------------------------------------------------

    async def acts(self) -> None:
        """What the page asks for now, if it asks for anything."""
        await self._no_two_are_called_the_same()
        if "Pressed" in await self.receipt.inner_text():
            return  # all of it is done first: several acts are one press
        if await self.prompt.get_by_role("group", name="Cards", exact=True).count():
            await self._keys_in()
        elif await self.prompt.get_by_role("form").count():
            await self._fills_in()
        elif await self.alike.count() and await self._all_alike():
            return
        elif await (some := self.answers.get_by_role("button")).count():
            await self._answers(some)
        else:
            await self._presses_a_large_one()

    async def _no_two_are_called_the_same(self) -> None:
        seen = await self.page.locator("body").aria_snapshot()
        for role in ("button", "region", "form", "tab"):
            names = re.findall(rf'- {role} "((?:[^"\\]|\\.)*)"', seen)
            twice = {name for name in names if names.count(name) > 1}
            assert not twice, f"{role}s of one name: {twice}"

    async def _answers(self, some: Locator) -> None:
        with contextlib.suppress(PageTimeout):
            names = [await named(one) for one in await some.all()]
            found = SEAT.match(names[0])
            if found and await self.phase() == "Decisions":
                seat = int(found.group(1))
                mine = [name for name in names if name.startswith(f"Seat {seat}: ")]
                await self.touch(button(self.answers, mine[await self._wants(seat, len(mine))]))
            else:
                # By its name: what stands there a moment later may be another one.
                await self.touch(button(self.answers, names[0]))

    async def _presses_a_large_one(self) -> None:
        lock_out, deal = button(self.page, "Lock out"), button(self.page, "Deal")
        if await is_live(lock_out):
            await self._players_wager()
            await self.touch(lock_out)
        elif await is_live(deal):
            await self.touch(deal)

    async def _keys_in(self) -> None:
        lying = (await self.felt.bench())["to_key_in"]
        keys = self.prompt.get_by_role("group", name="Cards", exact=True)
        for one in lying[:1]:
            self.hands.append([])
            for card in one["cards"].split():
                key = button(keys, called(card))
                with contextlib.suppress(PageTimeout):
                    if await key.get_attribute("aria-pressed", timeout=PRESS_MS) == "true":
                        continue
                    await key.tap(timeout=PRESS_MS)
                    self.hands[-1].append(card)
            await self._has_gone(keys)

    async def _has_gone(self, keys: Locator) -> None:
        """A hand that is whole goes by itself: the keys are for another one then, or none."""
        with contextlib.suppress(PageTimeout):
            pressed = keys.get_by_role("button", pressed=True)
            await pressed.nth(1).wait_for(state="detached", timeout=PRESS_MS)

    async def _fills_in(self) -> None:
        """A number that is counted, and of what is to be chosen the first."""
        form = self.prompt.get_by_role("form")
        title = await form.get_attribute("aria-label")
        chips = str(await self._chips())
        for field in await form.get_by_role("group").all():
            label = await field.get_attribute("aria-label") or ""
            if "(if there is one)" in await field.inner_text():
                continue
            if await button(field, f"{label}: clear").count():
                for digit in chips:
                    await self.touch(button(field, f"{label}: {digit}"))
            else:
                await self.touch(field.get_by_role("button").first)
        await self.touch(button(form, title or ""))

    async def _chips(self) -> int:
        """Those that lie there, when no more fall."""
        found = [0]

        async def lie_still() -> bool:
            found.append((await self.felt.bench())["chips_to_count"])
            return found[-1] == found[-2] > 0

        await until(lie_still)
        return found[-1]

    # --- Players ----------------------------------------------------------------

    async def _players_wager(self) -> None:
        """A chip into every acceptor, once in a round."""
        seen = await self.felt.picture()
        if self._wagered == seen["round"] + 1:
            return
        self._wagered = seen["round"] + 1
        if not any(one["on"] == "acceptor" for one in seen["wagers"].values()):
            return
        some = [seat["number"] for seat in seen["seats"] if seat["wagers"].get("ante")]
        for seat in some:
            await self.felt.does("chip", seat=seat)

        async def all_are_in() -> bool:
            seats = (await self.felt.picture())["seats"]
            return all(s["wagers"].get("progressive") for s in seats if s["number"] in some)

        await until(all_are_in)

    async def _wants(self, seat: int, choices: int) -> int:
        """Which of the choices: wagers from the lowest, then to check or to fold."""
        bench, seen = await self.felt.bench(), await self.felt.picture()
        mine = next(one for one in bench["seats"] if one["number"] == seat)
        lies = seen["places"].get("community", {}).get("cards", "")
        held = cards(f"{mine['hand']} {lies}".strip())
        if strong(held):
            return choices - 2
        return 0 if promising(held) else choices - 1

    async def _all_alike(self) -> bool:
        """Whether all that are left want the same, and have said so."""
        some = self.alike.get_by_role("button")
        with contextlib.suppress(PageTimeout):
            names = [await named(one) for one in await some.all()]
            if not names or not names[0].startswith("Seats "):
                return False
            seats = [int(n) for n in re.findall(r"\d+", names[0].partition(":")[0])]
            if " to " in names[0]:
                seats = list(range(seats[0], seats[-1] + 1))
            wants = {await self._wants(seat, len(names)) for seat in seats}
            if len(wants) == 1:
                await self.hold(some.nth(wants.pop()))
                return True
        return False

    # --- Rounds -----------------------------------------------------------------

    async def until_over(self, number: int) -> None:
        """On until the cards of this round are in the rack."""

        async def is_over() -> bool:
            seen = await self.felt.picture()
            if seen["round"] > number or (seen["round"] == number and seen["phase"] in BETWEEN):
                return True
            await self.acts()
            return False

        await until(is_over)

    async def plays(self) -> int:
        """A round from its first wager to its last card; its number."""
        number = int((await self.felt.picture())["round"]) + 1
        self.touched.clear()
        self.held.clear()
        self.hands.clear()
        await self.until_over(number)
        return number


async def named(some: Locator) -> str:
    label = await some.get_attribute("aria-label", timeout=PRESS_MS)
    return label or await some.inner_text(timeout=PRESS_MS)


async def is_live(some: Locator) -> bool:
    return await some.get_attribute("aria-disabled") == "false"


RANKS = {
    "A": "Ace", "K": "King", "Q": "Queen", "J": "Jack", "T": "Ten", "9": "Nine", "8": "Eight",
    "7": "Seven", "6": "Six", "5": "Five", "4": "Four", "3": "Three", "2": "Two",
}  # fmt: skip
SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}


def called(card: str) -> str:
    """As the page names it: "Ace of spades"."""
    return f"{RANKS[card[0]]} of {SUITS[card[1]]}"


@contextlib.asynccontextmanager
async def dealing(
    felt: Demonstration, context: BrowserContext, players: bool = True
) -> AsyncIterator[Dealer]:
    """The dealer's place is taken in the middle of the first round; that one is finished here."""
    address = await felt.address()

    async def is_dealt() -> bool:
        seen = await felt.picture()
        return seen["round"] >= 1 and seen["phase"] not in (*BETWEEN, "locked", "dealing")

    await until(is_dealt)
    seen = await felt.picture()
    for seat in seen["seats"] if players else ():
        await felt.does("play", who=f"seat {seat['number']}", by="me")
    await felt.does("play", who="dealer", by="me")
    page = await context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.set_default_timeout(AT_LAST_S * 1000)
    await page.goto(address.replace("/bench/", "/dealer/"))
    dealer = Dealer(page, felt)
    await dealer.signs_on()
    await dealer.until_over(seen["round"])
    yield dealer
    assert wrong == []
