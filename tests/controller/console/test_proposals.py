"""Acts for two on two screens: asked for at one, agreed to at the other, and taken once."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

from controller.table import events
from controller.table.people import Person
from tests.controller.console.browser import Live
from tests.controller.console.served import PINS, TABLE, served

TECHNICIAN, SUPERVISOR = ("technician-1", "technician"), ("supervisor-1", "supervisor")


async def proposes(page: Live, second: tuple[str, str], why: str = "a new motor") -> dict[str, Any]:
    """Enter maintenance, with somebody who is elsewhere."""
    page_seen = await page.picture(lambda p: p["offers"])
    (offer,) = [one for one in page_seen["offers"] if one["title"] == "Enter maintenance"]
    return await page.asks(
        "propose", table=TABLE, offer=offer["id"], round=page_seen["round"],
        seq=page_seen["seq"], second={"id": second[0], "role": second[1]},
        fields={"reason": why}, press=str(uuid.uuid4()),
    )  # fmt: skip


async def proposals(page: Live, many: int) -> list[dict[str, Any]]:
    """What the page is told of, once it is so many."""
    told = await page.hears("proposals", lambda one: len(one["proposals"]) == many)
    found: list[dict[str, Any]] = told["proposals"]
    return found


async def test_the_second_agrees_at_their_own_screen(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page("floor") as one, at.page("floor") as two:
        assert (await one.signs_on(*TECHNICIAN, PINS["technician-1"]))["ok"]
        assert (await two.signs_on(*SUPERVISOR, PINS["supervisor-1"]))["ok"]
        assert (await proposes(one, SUPERVISOR))["ok"]
        (mine,) = await proposals(one, 1)
        (asked,) = await proposals(two, 1)
        assert (mine["mine"], asked["mine"]) == (True, False)
        assert asked["first"] == {"id": "technician-1", "role": "technician"}
        assert asked["fields"] == {"reason": "a new motor"}
        assert not at.house.recorded(events.MaintenanceEntered)

        # The first can't agree for the second, and a wrong PIN is counted as everywhere.
        for page, pin in ((one, PINS["supervisor-1"]), (two, "0000"), (two, None)):
            done = await page.asks("agree", proposal=asked["id"], pin=pin)
            assert not done["ok"]
        assert [wrong.person for wrong in at.house.recorded(events.CredentialRefused)] == [
            "supervisor-1"
        ]
        assert not at.house.recorded(events.MaintenanceEntered)

        done = await two.asks("agree", proposal=asked["id"], pin=PINS["supervisor-1"])
        assert done["ok"], done
        (entered,) = at.house.recorded(events.MaintenanceEntered)
        assert (entered.by, entered.second) == (
            Person("technician-1", "technician"), Person("supervisor-1", "supervisor"),
        )  # fmt: skip
        assert entered.reason == "a new motor"
        await proposals(one, 0)
        again = await two.asks("agree", proposal=asked["id"], pin=PINS["supervisor-1"])
        assert (again["ok"], again["code"]) == (False, "stale")


async def test_nobody_else_sees_it_and_either_of_the_two_may_end_it(tmp_path: Path) -> None:
    async with (
        served(tmp_path) as at,
        at.page("floor") as one,
        at.page("floor") as two,
        at.page("floor") as other,
    ):
        await one.signs_on(*TECHNICIAN, PINS["technician-1"])
        await two.signs_on(*SUPERVISOR, PINS["supervisor-1"])
        await other.signs_on("floor-1", "floorperson", PINS["floor-1"])
        refused = await proposes(other, ("floor-1", "floorperson"))
        assert "two different people" in refused["error"]
        await proposes(one, SUPERVISOR)
        (asked,) = await proposals(two, 1)
        done = await other.asks("withdraw", proposal=asked["id"])
        assert (done["ok"], done["code"]) == (False, "not allowed")
        assert (await two.asks("withdraw", proposal=asked["id"]))["ok"]
        await proposals(one, 0)

        # What was asked for goes with who has asked for it.
        await proposes(one, SUPERVISOR)
        (asked,) = await proposals(two, 1)
        await one.says("sign_off", lock=True)
        await proposals(two, 0)
        done = await two.asks("agree", proposal=asked["id"], pin=PINS["supervisor-1"])
        assert (done["ok"], done["code"]) == (False, "stale")
        assert not at.house.recorded(events.MaintenanceEntered)
        assert not [frame for frame in other.frames if '"proposals":[{' in frame]
