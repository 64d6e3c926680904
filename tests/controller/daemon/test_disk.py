"""Room on the disk and a flush that hangs are said before the table stops, or while it does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.commands.status import lines
from controller.daemon import disk
from controller.daemon.clock import Clock
from controller.daemon.disk import Disk
from controller.daemon.hints import hint
from controller.table import events
from tests.controller.daemon.house import House, table_file
from tests.controller.journal.disk import Operation, disk_under_test

GB, DAY = 1 << 30, 86_400.0
PATIENCE_S = 120.0


async def until(there: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await there():  # noqa: ASYNC110 - over the socket, as everybody asks
            await asyncio.sleep(0.02)


def happening(at: int) -> events.AttemptRefused:
    return events.AttemptRefused(
        at=at, person="somebody", device="panel", attempt="deal", reason="a thing"
    )


class Stays:
    """A core that is at nothing, and a clock that is set by hand."""

    writing_s = 0.0

    def __init__(self) -> None:
        self.now = 0.0
        self.said: list[tuple[str, dict[str, Any]]] = []
        clock = Clock(lambda: self.now)
        self.disk = Disk(
            Path("/somewhere"),
            self,  # type: ignore[arg-type]
            clock,
            lambda what, **facts: self.said.append((what, facts)),
        )

    def finds(self, after_s: float, free: float) -> Disk:
        self.now += after_s
        self.disk.found(round(free), 100 * GB)
        return self.disk


def test_how_long_the_room_lasts_goes_by_what_went_away_in_a_day() -> None:
    at = Stays()
    assert at.disk.free is None
    assert at.finds(0, 50 * GB).lasts_s is None
    assert at.finds(60, 49 * GB).lasts_s is None, "a minute tells nothing"
    for hour in range(1, 13):
        at.finds(3600, 50 * GB - hour * GB / 12)
    assert at.disk.lasts_s is not None
    assert at.disk.lasts_s / DAY == pytest.approx(24.5, rel=0.01)
    assert disk.said(at.disk.free, at.disk.lasts_s) == "49.0 GB free, for about 25 days"
    assert (at.disk.level, list(at.disk.unwell()), at.said) == ("ok", [], [])
    # What went away yesterday is not the rate of today.
    for _ in range(30):
        at.finds(3600, 49 * GB)
    assert at.disk.lasts_s is None


def test_low_water_is_said_before_it_is_full_once_and_with_what_to_do() -> None:
    at = Stays()
    at.finds(0, 50 * GB)
    for hour in range(1, 6):
        at.finds(3600, 50 * GB - hour * GB)
    assert at.disk.level == "low"
    [low] = at.disk.unwell()
    assert low.startswith("there are 45.0 GB free, for about 45 hours at /somewhere")
    assert "make room" in low
    known = hint(low)
    assert known is not None
    assert known.topic == "the service"
    at.finds(3600, 44 * GB)
    assert [what for what, _ in at.said] == ["disk"]
    at.finds(3600, disk.LEAST_BYTES - 1)
    assert at.disk.standing()["level"] == "least"
    assert [what for what, _ in at.said] == ["disk", "disk"]


async def test_status_metrics_and_self_check_say_how_much_is_free(tmp_path: Path) -> None:
    house = House(table_file(tmp_path)).with_desk()
    async with house.running():
        assert house.desk is not None

        async def known() -> bool:
            return (await house.asks("status"))["disk"]["free"] is not None

        await until(known)
        status = await house.asks("status")
        assert status["disk"]["free"] > 0
        assert status["disk"]["folder"] == str(house.configuration.state)
        assert any("GB free" in line for line in lines(status))
        text = (await house.asks("metrics"))["text"]
        assert f"felt_disk_free_bytes {house.service.disk.free}" in text
        house.service.disk.found(disk.LEAST_BYTES // 2, 100 * GB)
        health = await house.asks("health")
        assert any("and then play stops" in one for one in health["wrong"])
        checked = (await house.asks("self_check"))["checked"]
        [found] = [one for one in checked if one["what"] == "disk"]
        assert "GB free" in found["found"]


async def test_a_flush_that_hangs_is_said_while_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk under the journal takes no flush for as long as the test likes."""
    monkeypatch.setattr(disk, "HANGS_S", 0.05)
    monkeypatch.setattr(disk, "LOOK_S", 0.02)
    answers = threading.Event()
    with disk_under_test(monkeypatch) as under:
        house = House(table_file(tmp_path)).with_desk()
        async with house.running():
            await house.service.core.ping()

            def hangs(operation: Operation) -> None:
                if operation.what == "sync":
                    answers.wait()

            under.failing = hangs
            try:
                at = house.service.clock.wall_ms()
                before = house.service.core.seq
                taken = house.service.core.post(happening(at))

                async def is_said() -> bool:
                    wrong = (await house.asks("health"))["wrong"]
                    return any("an entry is not on the disk after" in one for one in wrong)

                await until(is_said)
                status = await house.asks("status")
                assert status["journal"]["writing_s"] > 0
                assert not status["healthy"]
                [why] = [one for one in status["wrong"] if one.startswith("journal: an entry")]
                assert hint(why) is not None
                assert any(why in line for line in lines(status))
                assert any(why == one for one in (await house.asks("picture"))["wrong"])
                text = (await house.asks("metrics"))["text"]
                assert "felt_journal_writing_seconds 0\n" not in text
                assert not taken.done()
                assert house.service.core.seq == before
            finally:
                answers.set()
            assert not (await taken).step.refused

            async def is_over() -> bool:
                return any(
                    "on the disk after" in facts.get("remark", "") for _, facts in house.said
                )

            await until(is_over)
            assert [
                facts["why"] for what, facts in house.said if what == "journal" and "why" in facts
            ]
            wrong = (await house.asks("health"))["wrong"]
            assert not any("an entry is not on the disk" in one for one in wrong)
