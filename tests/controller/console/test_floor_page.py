"""The floor's page in a browser: awards, holds, two tables, credentials, rounds recalled."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from playwright.async_api import Locator, Page, expect

from controller.console.serving import Options
from controller.rules.paytables import dollars
from controller.table import events
from controller.table.people import Person
from tests.controller.console.demonstrating import browser, button
from tests.controller.console.served import console
from tests.controller.console.timeline import goes_through
from tests.controller.console.unattended import ROYAL_FLUSH, Simulated, playing
from tests.controller.daemon.house import wrong_pin
from tests.drivers.wire.plugs import AT_LAST_S

AT_LAST_MS = AT_LAST_S * 1000


class Floor:
    """Somebody with a tablet, who finds everything by what it is called."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.wrong: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))

    def waiting(self, words: str = "") -> Locator:
        queue = self.page.get_by_role("region", name="Waiting", exact=True)
        return queue.get_by_role("button").filter(has_text=words)

    async def signs_on(self, at: Simulated, person: str) -> None:
        await button(self.page, "Sign on").first.click()
        await self._proves(at, person)

    async def _proves(self, at: Simulated, person: str) -> None:
        who = self.page.get_by_role("group", name="Who", exact=True)
        await who.get_by_role("button", name=person).click()
        for digit in at.pins[person]:
            await button(self.page, f"PIN {digit}").click()
        await button(self.page, "Enter").click()
        await button(self.page, f"Lock the screen of {person}").wait_for()

    async def signs_on_for(self, at: Simulated, what: str, person: str) -> None:
        """Where something is for somebody else."""
        await self.page.get_by_role("button", name=f"Sign on for: {what}").click()
        await self._proves(at, person)

    async def gives_the_reason(self, form: str, why: str) -> None:
        asked = self.page.get_by_role("form", name=form)
        await asked.get_by_role("textbox").fill(why)
        await asked.get_by_role("button", name=form).click()

    async def holds_down(self, what: str) -> None:
        """Until it counts."""
        await expect(button(self.page, what)).to_have_attribute("aria-disabled", "false")
        await button(self.page, what).hover()
        await self.page.mouse.down()
        await expect(self.receipt).to_contain_text(what, timeout=AT_LAST_MS)
        await self.page.mouse.up()

    @property
    def detail(self) -> Locator:
        return self.page.get_by_role("article")

    @property
    def receipt(self) -> Locator:
        return self.page.locator(".receipt")


@contextlib.asynccontextmanager
async def floor_of(*tables: Simulated) -> AsyncIterator[Floor]:
    options = Options(sockets=tuple(one.socket for one in tables), port=0)
    async with playing(*tables), console(options, []) as address, browser() as context:
        expect.set_options(timeout=AT_LAST_MS)
        page = await context.new_page()
        await page.set_viewport_size({"width": 1280, "height": 800})
        floor = Floor(page)
        await page.goto(f"{address}floor")
        await page.get_by_role("heading", name="Waiting", exact=True).wait_for()
        yield floor
        assert floor.wrong == []


async def test_an_award_is_refused_then_validated_and_documented(tmp_path: Path) -> None:
    at = Simulated(tmp_path / "one", "pa-639a")
    at.deals(ROYAL_FLUSH, in_round=1)
    async with floor_of(at) as floor:
        await at.leaves_the_floor()
        await floor.signs_on(at, "floor-1")

        await floor.waiting("progressive").click()
        awards = [due for due in at.table.due if due.validate]
        (line,) = [due for due in awards if due.wager == "progressive"]
        seat = line.seat
        lies = floor.detail.get_by_role("region", name=f"What lies at seat {seat}")
        for card in ("Ace", "King", "Queen", "Jack", "Ten"):
            await expect(lies.get_by_role("img", name=f"{card} of spades")).to_be_visible()
        await expect(lies).to_contain_text("light as read back: accepted")
        row = lies.get_by_role("row", name="Progressive")
        await expect(row).to_contain_text(line.clause)
        await expect(row).to_contain_text("verified by dealer-1")
        meter = lies.get_by_role("list", name="Meters")
        await expect(meter).to_contain_text("$")
        entry = next(taken.seq for one, taken in at.taken if isinstance(one, events.HandVerified)
                     and one.wager == "progressive")  # fmt: skip
        await expect(floor.detail.locator(".facts").first).to_contain_text(str(entry))

        title = f"Refuse the Progressive Payout of seat {seat}: {dollars(line.returns)}"
        await floor.page.get_by_role("button", name=f"Fill in: {title}").click()
        await floor.gives_the_reason(title, "the chip lies beside the slot")
        await at.until(lambda _: at.said(events.PayoutRefused))
        (refused,) = at.said(events.PayoutRefused)
        assert (refused.by, refused.reason) == (
            Person("floor-1", "floorperson"), "the chip lies beside the slot",
        )  # fmt: skip
        assert not at.said(events.PayoutValidated)

        # The dealer verifies it once more, and it waits again.
        await at.until(lambda _: _verified(at, line.wager) == 2)
        called = at.terms.ruleset.called
        for due in awards:
            await floor.waiting(due.wager).click()
            await floor.holds_down(
                f"Validate the {called(due.wager)} of seat {seat}: {dollars(due.returns)}"
            )
        await at.until(lambda _: len(at.said(events.PayoutValidated)) == len(awards))

        await floor.waiting("Documents").first.click()
        done = floor.detail.get_by_role("button", name="The documents of seat")
        await expect(done).to_have_attribute("aria-disabled", "false")
        await done.click()
        await at.until(lambda _: at.said(events.HandPayDocumented))
        await expect(floor.detail).to_contain_text("It does not wait any more.")

        await at.until(lambda table: table.round > 1 or table.phase in ("shuffling", "betting"))
        await _recalls(floor, at, seat, line.clause)


def _verified(at: Simulated, wager: str) -> int:
    return sum(one.wager == wager for one in at.said(events.HandVerified))


async def _recalls(floor: Floor, at: Simulated, seat: int, clause: str) -> None:
    """The round as it lay, with what was refused in it, and on paper nothing else."""
    page = floor.page
    await button(page, f"Look at table {at.terms.id}").click()
    await page.get_by_role("tab", name="Rounds").click()
    await button(page, "Recall round 1").click()
    round_ = page.get_by_role("article", name=f"Round 1 at {at.terms.id}")
    await goes_through(page, at)
    lay = round_.get_by_role("region", name="As it lay", exact=True).get_by_role(
        "group", name=f"Seat {seat}"
    )
    await expect(lay.first).to_contain_text("royal flush")
    await expect(lay.get_by_role("img", name="Ace of spades")).to_be_visible()
    lines = round_.get_by_role("region", name="Settlement").first
    await expect(lines.get_by_role("row", name="Progressive")).to_contain_text(clause)
    await expect(lines.get_by_role("row", name="Progressive")).to_contain_text("documents: floor-1")
    entries = round_.get_by_role("region", name="Entries of the journal").first
    await expect(entries).to_contain_text("the chip lies beside the slot")
    await page.emulate_media(media="print")
    await expect(round_).to_be_visible()
    for name in ("Waiting", "Tables"):
        await expect(page.get_by_role("region", name=name, exact=True)).to_be_hidden()
    await expect(button(page, "Print")).to_be_hidden()
    await expect(page.get_by_role("slider")).to_be_hidden()
    await page.emulate_media(media="screen")


async def test_two_tables_on_one_page_a_jam_is_cleared_and_a_credential_unlocked(
    tmp_path: Path,
) -> None:
    one, two = Simulated(tmp_path / "one", "pa-639a"), Simulated(tmp_path / "two", "s10")
    async with floor_of(one, two) as floor:
        page = floor.page
        for at in (one, two):
            await button(page, f"Look at table {at.terms.id}").wait_for()
            await at.leaves_the_floor()

        two.strikes("shuffler", "jam")
        await floor.waiting("shuffler jam").click()
        title = f"Hold at {two.terms.id}"
        hold = page.get_by_role("article", name=title)
        await expect(hold).to_contain_text("no card is dealt")
        await expect(hold.get_by_role("region", name="Device: shuffler")).to_be_visible()
        await expect(hold.locator(".step").first).to_contain_text("What to do:")
        number = two.table.holds[0].number
        clear = f"Clear hold {number}: shuffler"
        # Nobody is signed on: it says for whom it is.
        await floor.signs_on_for(two, clear, "floor-1")
        await hold.get_by_role("button", name=f"I have seen hold {number}").click()
        await expect(floor.waiting("shuffler jam")).to_contain_text("seen by floor-1")
        assert [one.seen_by for one in two.table.holds] == ["floor-1"]

        # Three wrong PINs of a dealer at the other table; it waits below what is older.
        await one.until(lambda _: not one.table.credentials)
        for _ in range(3):
            at_ms = one.service.clock.wall_ms()
            wrong = wrong_pin(at_ms, "dealer-2", "page 192.0.2.7")
            await one.service.core.post(wrong)
        await expect(floor.waiting("dealer-2")).to_be_visible()
        await expect(floor.waiting().first).to_contain_text("shuffler jam")
        await expect(floor.waiting()).to_have_count(2)

        await floor.gives_the_reason(clear, "card freed, 52 counted")
        await two.until(lambda table: not table.holds)
        assert [said.reason for said in two.said(events.HoldCleared)][
            -1
        ] == "card freed, 52 counted"
        await expect(hold).to_contain_text("It does not wait any more.")

        # The same sign-on serves the other table; but it is a supervisor's to unlock.
        await floor.waiting("dealer-2").click()
        await expect(page.get_by_role("region", name="Credential of dealer-2")).to_contain_text(
            "page 192.0.2.7"
        )
        unlock = "Unlock the credential of dealer-2"
        await floor.signs_on_for(one, unlock, "supervisor-1")
        # The table plays on while somebody types, and takes away nothing of it.
        form = page.get_by_role("form", name=unlock)
        why = "a slip of the finger, seen on camera"
        await form.get_by_role("textbox").fill(why)
        await one.until(lambda table: table.phase == "deciding")
        await one.until(lambda table: table.phase == "clearing")
        await one.until(lambda table: table.phase == "betting")
        await expect(form.get_by_role("textbox")).to_have_value(why)
        await button(form, unlock).click()
        await one.until(lambda table: not table.credentials)
        await expect(floor.waiting()).to_have_count(0)
        assert two.service.duty.acting("supervisor").id == "supervisor-1"
