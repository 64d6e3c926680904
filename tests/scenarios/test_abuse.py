"""Somebody writes on a wire, or a device never stops: it is said, counted and held.

A whole felt on simulated devices, in virtual time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from controller.daemon import views
from controller.daemon.abuse import MANY
from controller.table import events
from drivers import pace
from drivers.wire import frame, messages
from drivers.wire.frame import TAG_BYTES, Kind, Packet
from drivers.wire.station import Station
from simulators.device import Device
from tests.scenarios.rigged import folder
from tests.scenarios.stage import Stage


@pytest.fixture
def stage() -> Iterator[Stage]:
    with folder() as where:
        yield Stage(where)


def forged(stage: Stage, device: str, number: int) -> bytes:
    """An event in the name of a device, in the session that it is in, with a seal of nobody's."""
    station = stage.service.supervisor.attachments[device].station
    assert isinstance(station, Station)
    said = messages.to_bytes(messages.FaultCleared("jam"))
    seal = number.to_bytes(TAG_BYTES, "big")
    return frame.to_bytes(Packet(Kind.EVENT, station.address, station._session, number, said, seal))


async def forge(stage: Stage, wire: str, device: str, count: int) -> None:
    port = stage.simulated.ports[wire]
    for number in range(1, count + 1):
        port.outward.put(forged(stage, device, number), asyncio.get_running_loop().time())
        if number % 50 == 0:
            port.kick()
            await asyncio.sleep(0.3)
    port.kick()
    await asyncio.sleep(2.0)


def abused(stage: Stage) -> list[events.WireAbused]:
    return [one for one, _ in stage.events if isinstance(one, events.WireAbused)]


def status(stage: Stage) -> dict[str, Any]:
    return views.status(stage.service, None, {})


def test_forged_frames_are_counted_said_and_held(stage: Stage) -> None:
    async def script() -> None:
        await stage.plays_until(lambda: stage.table.phase == "dealing")
        taken = stage.table.taken
        await forge(stage, "acceptors", "acceptor 2", 400)
        first, *more = abused(stage)
        assert (first.device, first.wire, first.what) == ("acceptor 2", "acceptors", "forged")
        assert not more
        assert stage.table.taken < taken + 50
        [found] = status(stage)["abuse"]
        assert (found["device"], found["wire"], found["count"]) == ("acceptor 2", "acceptors", 400)
        [said] = [one for one in status(stage)["wrong"] if one.startswith("acceptor 2 on wire")]
        assert "400 times" in said
        assert "look for a box" in said
        assert 'felt_wire_abused_total{device="acceptor 2",what="forged"} 400' in metrics(stage)
        [hold] = stage.table.holds
        assert (hold.where, hold.blocks, hold.clears) == ("acceptor 2", "deal", "floorperson")
        # The count at the end comes on record as well, and there it ends.
        await asyncio.sleep(200)
        assert [one.count for one in abused(stage)][-1] == 400
        assert len(abused(stage)) == 2
        assert stage.service.supervisor.attachments["acceptor 2"].is_present
        # Nothing is void by it, and a floorperson lets the deal go on.
        assert not stage.table.void
        assert not await stage.says(
            events.HoldCleared, "floorperson", hold=hold.number, reason="looked"
        )
        await stage.plays_until(lambda: stage.table.phase == "shuffling")
        await asyncio.sleep(600)
        assert not status(stage)["abuse"]

    stage.run(script)
    assert stage.amiss() == []


def metrics(stage: Stage) -> str:
    from controller.daemon.metrics import Metrics  # noqa: PLC0415

    return Metrics(stage.service, stage.service.clock).text()


def test_a_few_left_over_frames_hold_nothing(stage: Stage) -> None:
    async def script() -> None:
        await stage.plays_until(lambda: stage.table.phase == "dealing")
        await forge(stage, "acceptors", "acceptor 1", MANY - 1)
        assert not abused(stage)
        assert not stage.table.holds
        assert status(stage)["wrong"] == []
        [found] = status(stage)["abuse"]
        assert (found["count"], found["is_much"]) == (MANY - 1, False)

    stage.run(script)


def wagers_are_down(stage: Stage) -> bool:
    return stage.table.phase == "betting" and any(seat.wagers for seat in stage.table.seats)


async def flood(stage: Stage, wire: str, device: Device, seconds: float) -> int:
    """The device tells as fast as it is acknowledged, for so long. How much the table took."""
    before = told_of(stage, device)
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end:
        while len(device.responder._events) < 4:
            device.tell(messages.FaultCleared("jam"))
        stage.simulated.ports[wire].kick()
        await asyncio.sleep(0.01)
    return told_of(stage, device) - before


def told_of(stage: Stage, device: Device) -> int:
    """How many events of the device came to the table, taken or refused."""
    events_ = (one for one, _ in stage.events if isinstance(one, events.DeviceRecovered))
    return sum(one.device == device.name for one in events_)


@pytest.mark.parametrize(("wire", "name"), [("acceptors", "acceptor 2"), ("panel", "panel")])
def test_a_device_that_floods_is_muted_and_all_others_go_on(
    stage: Stage, wire: str, name: str
) -> None:
    async def script() -> None:
        await stage.plays_until(lambda: wagers_are_down(stage))
        device = next(one for one in stage.simulated.devices if one.name == name)
        taken = await flood(stage, wire, device, 60.0)
        assert pace.AT_ONCE < taken <= pace.AT_ONCE + 60 * pace.PER_S / 2
        attachment = stage.service.supervisor.attachments[name]
        assert attachment.is_present
        assert attachment.pace.muted_until is not None
        assert attachment.health(stage.service.clock.running()).status == "faulted"
        assert [one.what for one in abused(stage)][:1] == ["flood"]
        [hold] = [one for one in stage.table.holds if one.where == name]
        assert hold.blocks == "deal"
        # Its commands and those of all others go on: the lock-out is theirs at once.
        if name != "panel":
            await stage.presses("lock_out")
            await stage.until(lambda: stage.table.phase == "locked")
            await stage.until(lambda: all(one.acceptor_locked for one in stage.table.seats))
            assert attachment.pace.muted_until is not None
        # It stops, and by itself it is listened to again.
        await asyncio.sleep(pace.LONGEST_PAUSE_S + 1)
        assert attachment.pace.muted_until is None
        await stage.until(lambda: not device.responder._events)

    stage.run(script)
