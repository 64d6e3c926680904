"""A whole service with its desk and its wires, on a PC where no device is plugged in."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from controller.daemon import secrets
from controller.daemon.assembly import assembled
from controller.daemon.client import Client
from controller.daemon.configuration import read
from controller.daemon.desk import Desk
from controller.daemon.log import Log
from controller.library import Library
from controller.table import events
from tests.controller.daemon.house import table_file


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


async def test_whoever_watches_sees_a_device_come_fail_and_go(tmp_path: Path) -> None:
    file = table_file(tmp_path)
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
