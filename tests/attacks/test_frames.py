"""Frames that nobody sealed, by the ten thousand, and devices with a key of their own that flood.

Nothing of them is taken, it is on record once and not for each, and the other devices go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from controller.table import events
from drivers import pace
from tests.attacks.conftest import Tally
from tests.scenarios.rigged import folder
from tests.scenarios.stage import Stage
from tests.scenarios.test_abuse import abused, flood, forge, status, wagers_are_down

FORGED = 20_000
FLOOD_S = 120.0


@pytest.fixture
def stage() -> Iterator[Stage]:
    with folder() as where:
        yield Stage(where)


def test_frames_that_nobody_sealed(stage: Stage, tally: Tally) -> None:
    bad: list[str] = []

    def must(what: str, so: object) -> None:
        bad.extend([] if so else [what])

    async def script() -> None:
        await stage.plays_until(lambda: wagers_are_down(stage))
        entries = stage.service.journal.head.seq
        await forge(stage, "acceptors", "acceptor 1", FORGED)
        [found] = status(stage)["abuse"]
        must("counted", found["count"] == FORGED)
        must("on record", abused(stage))
        must("not one entry each", stage.service.journal.head.seq - entries < 500)
        must("held", [one for one in stage.table.holds if one.where == "acceptor 1"])
        must("here", all(o.is_present for o in stage.service.supervisor.attachments.values()))
        recovered = [one for one, _ in stage.events if isinstance(one, events.DeviceRecovered)]
        must("nothing taken", not recovered)
        await clear(stage)
        await stage.plays_until(lambda: stage.table.phase == "dealing")

    stage.run(script)
    bad += stage.amiss()
    tally("forged frames", FORGED, len(bad))


async def clear(stage: Stage) -> None:
    for hold in stage.table.holds:
        await stage.says(events.HoldCleared, "floorperson", hold=hold.number, reason="looked")


@pytest.mark.parametrize("name", ["acceptor 1", "panel", "shoe"])
def test_devices_with_a_key_that_flood(stage: Stage, tally: Tally, name: str) -> None:
    took: list[int] = []
    bad: list[str] = []

    async def script() -> None:
        await stage.plays_until(lambda: wagers_are_down(stage))
        wire = stage.service.supervisor.wire_of(name)
        device = next(one for one in stage.simulated.devices if one.name == name)
        others = watched(stage, name)
        took.append(await flood(stage, wire, device, FLOOD_S))
        most = pace.AT_ONCE + FLOOD_S * pace.PER_S / 2
        bad.extend([] if took[0] <= most else [f"{took[0]} taken"])
        bad.extend([] if others() else ["others were lost"])
        bad.extend([] if [o for o in abused(stage) if o.what == "flood"] else ["unseen"])
        if name != "panel":
            # Betting is locked all the same, at all seats.
            await stage.presses("lock_out")
            await stage.until(lambda: stage.table.phase == "locked")
            await stage.until(lambda: all(one.acceptor_locked for one in stage.table.seats))

    stage.run(script)
    tally("floods of a device with a key", took[0], len(bad))


def watched(stage: Stage, name: str) -> Callable[[], bool]:
    others = [o for n, o in stage.service.supervisor.attachments.items() if n != name]
    return lambda: all(one.is_present for one in others)
