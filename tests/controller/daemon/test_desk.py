"""A whole service with its desk and its wires, on a PC where no device is plugged in."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path
from typing import Any

from controller.daemon import secrets
from controller.daemon.assembly import assembled
from controller.daemon.client import Client
from controller.daemon.configuration import read
from controller.daemon.desk import Desk
from controller.daemon.log import Log
from controller.daemon.service import Service
from controller.library import Library
from controller.recorder import Taken
from controller.table import events
from controller.table.people import Person
from tests.controller.daemon.house import table_file
from tests.drivers.wire.over_mqtt import until


async def test_absent_devices_are_a_state_with_a_reason_and_an_age(tmp_path: Path) -> None:
    file = table_file(tmp_path, service="metrics_port = 0")
    library = Library()
    configuration = read(file, library)
    for name in (*configuration.devices, secrets.FACES):
        secrets.make_key(configuration.secrets, name)
    lines: list[tuple[str, Any]] = []
    log = Log(lambda event, facts: lines.append((event, facts)))
    service = assembled(configuration, library, said=log.said)
    Desk(service, library, log.first_causes)
    ready = asyncio.Event()
    telling = asyncio.create_task(service.run(ready.set))
    await ready.wait()
    absent = asyncio.Event()
    service.listen(
        lambda event, _: absent.set() if isinstance(event, events.DeviceFaulted) else None
    )

    def asked() -> tuple[Any, Any, Any]:
        with Client(configuration.socket) as client:
            return (
                client.ask("status"),
                client.ask("metrics"),
                client.ask("note", {"text": "cable is on its way"}, as_="technician-1"),
            )

    # Nothing is heard of a device that holds cards: after its grace, the table is told.
    await absent.wait()
    status, metrics, note = await asyncio.to_thread(asked)
    devices = {one["device"]: one for one in status["devices"]}
    assert set(devices) == {"shuffler", "shoe", "panel"}
    for one in devices.values():
        assert one["status"] == "absent"
        assert "no-such-port is not there" in one["reason"]
        assert one["next_step"]
        assert one["for_s"] >= 0
        assert one["heard_s"] is None
    assert not status["healthy"]
    assert any("nothing is heard of it" in one for one in status["wrong"])
    assert 'felt_device_status{device="shoe",is="absent"} 1' in metrics["text"]
    assert note == {"wires": ["rack"]}
    service.stop()
    await telling
    logged = "".join(one.read_text() for one in configuration.logs.iterdir())
    assert "technician-1: cable is on its way" in logged


async def served(file: Path) -> tuple[Service, asyncio.Task[None]]:
    """A service with its keys, its wires and its desk, that runs."""
    library = Library()
    configuration = read(file, library)
    for name in (*configuration.devices, secrets.FACES):
        secrets.make_key(configuration.secrets, name)
    log = Log(lambda _event, _facts: None)
    service = assembled(configuration, library, said=log.said)
    Desk(service, library, log.first_causes)
    ready = asyncio.Event()
    running = asyncio.create_task(service.run(ready.set))
    await ready.wait()
    return service, running


async def test_whoever_watches_sees_a_device_come_fail_and_go(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    service, running = await served(file)
    configuration = service.configuration
    felt = (sys.executable, "-m", "controller")
    watch = await asyncio.create_subprocess_exec(
        *felt, "watch", "--table", str(file), stdout=asyncio.subprocess.PIPE
    )
    shuffler = await asyncio.create_subprocess_exec(
        *felt, "simulate", "shuffler", "--bus", "--port", str(tmp_path / "no-such-port"),
        "--key-file", str(configuration.secrets / "shuffler.key"),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert watch.stdout is not None
    assert shuffler.stdin is not None

    async def seen(*words: str) -> str:
        assert watch.stdout is not None
        while line := (await watch.stdout.readline()).decode():
            if all(word in line for word in words):
                return line
        raise AssertionError(f"felt watch ended without {words}")

    try:
        # The other two of the bus do not answer; how that is told is the same for all.
        await seen("shuffler is degraded: no firmware is on its list", "(list the digest")
        shuffler.stdin.write(b'{"fail": "jam"}\n')
        await shuffler.stdin.drain()
        await seen("shuffler is faulted: jam", "(put it right at the device")
        shuffler.terminate()
        await shuffler.wait()
        await seen("shuffler is absent: ", "no-such-port")
    finally:
        for process in (watch, shuffler):
            if process.returncode is None:
                process.terminate()
            await process.wait()
        service.stop()
        await running


async def test_a_broker_that_is_not_there_is_named_and_does_not_keep_the_table_from_running(
    tmp_path: Path,
) -> None:
    with socket.socket() as nobody:
        # Bound, and nobody listens: no other program gets it meanwhile.
        nobody.bind(("127.0.0.1", 0))
        broker = f"127.0.0.1:{nobody.getsockname()[1]}"
        more = f'[wires.floor]\nmqtt = "{broker}"\ndevices = ["sign"]\n'
        service, running = await served(table_file(tmp_path, more=more))
        said = f"nothing listens at {broker}"
        await until(lambda: service.supervisor.health()["sign"].reason == said)
        sign = service.supervisor.health()["sign"]
        assert sign.status == "absent"
        assert broker in sign.next_step
        by = Person("floor-1", "floorperson")
        taken = await service.core.post(events.TableOpened(at=1, by=by))
        assert not taken.step.refused
        service.stop()
        await running


async def test_a_device_of_another_table_is_turned_away_and_holds_this_one(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    service, running = await served(file)
    other = tmp_path / "another-table"
    other.mkdir()
    secrets.make_key(other, "shuffler")
    shuffler = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "simulate", "shuffler", "--bus",
        "--port", str(tmp_path / "no-such-port"), "--key-file", str(other / "shuffler.key"),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    held = asyncio.Event()

    def told(event: events.Event, _: Taken) -> None:
        if isinstance(event, events.DeviceFaulted) and "key" in event.nature:
            held.set()

    service.listen(told)
    try:
        await held.wait()
        (hold,) = [one for one in service.recorder.table.holds if "key" in one.cause]
        assert (hold.where, hold.cause) == ("shuffler", "turned away: it does not have the key")
        health = service.supervisor.health()["shuffler"]
        assert health.status == "faulted"
        assert "the same key" in health.next_step
        # It was never taken for the table's own: it has not been told a thing.
        assert service.supervisor.attachments["shuffler"].station.identity is None
    finally:
        shuffler.terminate()
        await shuffler.wait()
        service.stop()
        await running
