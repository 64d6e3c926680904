"""A panel with the right key and another number, at a real felt: held, and accepted by two people.

The panel is a simulated one on a pty, put there, taken away and put there again as one would plug
it in.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.daemon import secrets
from controller.daemon.client import Client
from controller.daemon.service import Service
from controller.table import events
from controller.table.people import Person
from controller.table.state import SerialNumber
from tests.controller import inside
from tests.controller.daemon.house import table_file
from tests.controller.daemon.test_desk import served
from tests.drivers.wire.over_mqtt import until

FLOOR = Person("floor-1", "floorperson")
TECH = Person("technician-1", "technician")


@contextlib.asynccontextmanager
async def panel(folder: Path, number: str, **more: str) -> AsyncIterator[None]:
    words = [word for name, value in more.items() for word in (f"--{name}", value)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "simulate", "panel", "--serial-number", number,
        "--port", str(folder / "panel"), "--key-file", str(folder / "secrets" / "panel.key"),
        *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


def a_table(folder: Path, numbers: str = "") -> Path:
    more = f'[wires.panel]\nserial = "{folder}/panel"\ndevices = ["panel"]\n{numbers}'
    file = table_file(folder, more=more)
    file.write_text(file.read_text().replace('"shoe", "panel"]', '"shoe"]'))
    return file


def with_its_panel_only(folder: Path) -> Path:
    """A table that needs its panel and no other device: so it can be opened."""
    file = a_table(folder)
    text = file.read_text().replace("automated shoe", "manual shoe")
    text = text.replace("shuffler = { counts = true }", "")
    before, _, rest = text.partition("[wires.rack]")
    file.write_text(before + rest[rest.index("[wires.panel]") :])
    return file


def opens(service: Service) -> None:
    with Client(service.configuration.socket) as client:
        client.ask("table_opened", as_="floor-1")


def status_of(service: Service) -> tuple[str, str]:
    health = service.supervisor.health()["panel"]
    return health.status, health.reason


async def is_there(service: Service) -> None:
    await until(lambda: status_of(service) == ("degraded", "no firmware is on its list"))


async def is_held(service: Service, why: str) -> None:
    await until(lambda: status_of(service) == ("faulted", why))
    cause = f"turned away: {why}"
    await until(
        lambda: any(one.cause == cause and not one.over for one in service.core.table.holds)
    )


@pytest.mark.rule("R40")
async def test_a_number_that_the_file_does_not_name_is_held_and_accepted(tmp_path: Path) -> None:
    file = a_table(tmp_path, '[serial_numbers]\npanel = "P-1"\n')
    service, running = await served(file)
    async with panel(tmp_path, "STOLEN-99"):
        await is_held(service, "its serial number is STOLEN-99, not P-1")
        accepts = events.DeviceAccepted(
            at=service.clock.wall_ms(), by=TECH, second=FLOOR, device="panel",
            serial_number="STOLEN-99", reason="the old one is broken",
        )  # fmt: skip
        taken = await service.core.post(accepts)
        assert not taken.step.refused
        await is_there(service)
    service.stop()
    await running
    # It is on record: a felt that starts again expects it, and the one in the file is another.
    service, running = await served(file)
    async with panel(tmp_path, "STOLEN-99"):
        await is_there(service)
    async with panel(tmp_path, "P-1"):
        await is_held(service, "its serial number is P-1, not STOLEN-99")
    service.stop()
    await running
    # Its log says what was expected: a replay comes to the same, and a stranger is not told.
    configuration = service.configuration
    words = (configuration.logs, "--journal", configuration.journal)
    replayed = await asyncio.to_thread(
        inside.felt, "replay", *words, "--secrets", configuration.secrets
    )
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert "identical" in replayed.stdout
    assert inside.felt("log", "redact", configuration.logs, tmp_path / "out").returncode == 0
    said = b"".join(one.read_bytes() for one in (tmp_path / "out").glob("panel.*"))
    assert b'"serial_numbers": {"panel": "xxx"}' in said
    assert b"STOLEN" not in said
    assert b"P-1" not in said


async def test_the_one_that_stood_there_when_the_table_was_opened_belongs_there(
    tmp_path: Path,
) -> None:
    file = with_its_panel_only(tmp_path)
    service, running = await served(file)
    async with panel(tmp_path, "P-1"):
        await is_there(service)
        await asyncio.to_thread(opens, service)
        assert service.core.table.serial_numbers == {"panel": SerialNumber("P-1")}
    async with panel(tmp_path, "STOLEN-99"):
        await is_held(service, "its serial number is STOLEN-99, not P-1")
    # It is taken away: who clears holds may do so now, and the right one is back.
    await until(lambda: not service.core.table.exchanged)
    async with panel(tmp_path, "P-1"):
        await is_there(service)
        assert all(one.over for one in service.core.table.holds if one.where == "panel")
    service.stop()
    await running


async def test_one_that_is_not_there_any_more_after_a_restart_keeps_nobody_waiting(
    tmp_path: Path,
) -> None:
    file = a_table(tmp_path, '[serial_numbers]\npanel = "P-1"\n')
    service, running = await served(file)
    async with panel(tmp_path, "P-2"):
        await is_held(service, "its serial number is P-2, not P-1")
        service.stop()
        await running
    service, running = await served(file)
    assert service.core.table.exchanged
    await until(lambda: not service.core.table.exchanged)
    (hold,) = [one for one in service.core.table.holds if "P-2" in one.cause]
    assert hold.over
    service.stop()
    await running


async def test_a_device_of_another_protocol_is_held_with_what_to_do(tmp_path: Path) -> None:
    service, running = await served(a_table(tmp_path))
    async with panel(tmp_path, "P-1", protocol="2"):
        await is_held(service, "it speaks protocol 2, felt speaks 1")
        assert "update felt" in service.supervisor.health()["panel"].next_step
    async with panel(tmp_path, "P-1", protocol="0"):
        await is_held(service, "it speaks protocol 0, felt speaks 1")
        assert "load firmware into it" in service.supervisor.health()["panel"].next_step
    async with panel(tmp_path, "P-1"):
        await is_there(service)
    service.stop()
    await running


async def test_a_device_with_the_key_of_another_is_named_with_its_address(tmp_path: Path) -> None:
    service, running = await served(a_table(tmp_path))
    folder = service.configuration.secrets
    (folder / "panel.key").unlink()
    (folder / "panel.key").write_bytes((folder / "shoe.key").read_bytes())
    async with panel(tmp_path, "P-1"):
        await is_held(service, "it has the key of shoe, and answers at address 1")
    service.stop()
    await running
    assert secrets.key(folder, "panel")
