"""Wires that are not felt's own serial line replay too: brokers, Modbus and ccTalk."""

from __future__ import annotations

import asyncio
import os
import shutil
import tty
from pathlib import Path
from typing import Any

import pytest
from pymodbus.server import ModbusSerialServer

from controller.daemon import secrets
from controller.daemon.assembly import assembled
from controller.daemon.configuration import Configuration, configured
from controller.daemon.service import Service
from controller.demo.table import Options, SimulatedTable
from controller.journal.reader import Reader
from controller.library import Library, shipped
from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.tables import read_file
from controller.technician import logs, past
from controller.technician.outcome import Outcome
from controller.technician.replaying import Replayer
from drivers.wire import topics
from simulators.cctalk import Bus, CoinAcceptor, attach
from simulators.faults import Fault
from tests.drivers.dialects.cable import cable
from tests.drivers.dialects.test_modbus_wire import INPUTS, module
from tests.drivers.wire.plugs import until
from tests.logs.editing import flipped, unchecked

LIBRARY = Library()
SEATS = 2


def replayed(state: Path, keys: Path | None = None) -> Outcome:
    (run,) = logs.read([state / "logs"]).runs
    with Reader.look(state / "journal.db") as reader:
        before = past.of_journal(reader, LIBRARY, run.after_entry)
        return Replayer(run, before, LIBRARY, secrets=keys).run()


# --- A broker -------------------------------------------------------------------


async def marked(service: Service) -> None:
    """A place to begin is written, as soon as nothing is on its way."""
    await until(service.waypoints.mark)


def at_broker(folder: Path, **faults: str) -> Path:
    """A round with terminals and sign at the broker inside felt, in real time.

    There are places to begin before it and after it.
    """
    data: dict[str, Any] = read_file(shipped("tables") / "pa-639a.toml")
    data["options"]["seats"] = SEATS
    said = {where.replace("_", " "): [Fault.said(what, 1)] for where, what in faults.items()}
    options = Options(seed=1, pause=0.02, broker=True, faults=said)
    simulated = SimulatedTable(data, folder, LIBRARY, options)

    async def run() -> None:
        service = simulated.service(lambda *_, **__: None)
        performer = simulated.performer(service)

        async def play() -> None:
            devices = service.supervisor.attachments.items()
            others = [one for name, one in devices if name not in said]
            await until(lambda: all(one.is_present for one in others))
            if not said:
                await marked(service)
            await performer.plays(1)
            await marked(service)
            await marked(service)
            service.stop()

        service.also("crew", play)
        await service.run()

    asyncio.run(run())
    return folder / "state"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round in which nothing went wrong; not to be changed."""
    return at_broker(tmp_path_factory.mktemp("plain"))


def test_a_broker_replays_with_and_without_keys(plain: Path) -> None:
    _replays(plain)


@pytest.mark.parametrize("fault", ["mute=6", "mute=6@1"], ids=["from the start", "in the middle"])
def test_a_broker_with_a_device_that_falls_silent_replays(tmp_path: Path, fault: str) -> None:
    _replays(at_broker(tmp_path, terminal_1=fault))


def _replays(state: Path) -> None:
    with_keys = replayed(state, state.parent / "secrets")
    assert with_keys.difference is None
    assert with_keys.remarks == []
    without = replayed(state)
    assert without.difference is None
    assert without.remarks == ["tags not checked: no keys were given"]
    assert without.frames == with_keys.frames
    # All that devices said came out of the bytes, and nothing of it from the journal.
    with Reader.look(state / "journal.db") as reader:
        said = sum(b'"id":"terminal-' in one.body for one in reader.entries(1))
    assert said
    assert with_keys.from_devices >= said


@pytest.mark.parametrize(
    ("old", "new", "direction"),
    [
        (b'"message":"unlock"', b'"message":"lock"', "out"),
        (b'"cents":50000', b'"cents":60000', "in"),
        (b'"seq":2,', b'"seq":7,', "out"),
    ],
)
def test_a_publish_that_is_another_one_is_found(
    tmp_path: Path, plain: Path, old: bytes, new: bytes, direction: str
) -> None:
    state = tmp_path / "state"
    shutil.copytree(plain, state)
    file = state / "logs" / "broker.000001.log"
    lines = unchecked(file.read_text()).split("\n")
    place = next(n for n, line in enumerate(lines) if f" {direction} " in line
                 and old.hex() in line)  # fmt: skip
    lines[place] = lines[place].replace(old.hex(), new.hex(), 1)
    file.write_text("\n".join(lines))
    outcome = replayed(state)
    assert outcome.difference is not None
    if direction == "out":
        assert outcome.difference.where == f"{file}:{place + 1}"
        assert topics.ROOT in outcome.difference.recorded
    else:
        assert outcome.difference.what == "a device's event is another one"


# --- Devices off the shelf ------------------------------------------------------


def off_the_shelf(folder: Path, panel: str, acceptors: str) -> Configuration:
    """A table whose devices speak dialects, on these ports."""
    data: dict[str, Any] = read_file(shipped("tables") / "pa-639a.toml")
    data["method"] = "manual shoe"
    data["options"] |= {"seats": 2, "five_card": False}
    data["options"].pop("magic_card", None)
    data["options"].pop("magic_card_every", None)
    del data["devices"]
    for name in ("state", "run", "secrets"):
        (folder / name).mkdir(parents=True)
    for name in (secrets.FACES, "panel", "acceptor 1", "acceptor 2"):
        secrets.make_key(folder / "secrets", name)
    data["service"] = {one: str(folder / one) for one in ("state", "secrets")}
    data["service"]["runtime"] = str(folder / "run")
    data["wires"] = {
        "panel": {"serial": panel, "speaks": "modbus", "baud": 9600, "devices": ["panel"]},
        "acceptors": {
            "serial": acceptors,
            "speaks": "cctalk",
            "baud": 9600,
            "devices": ["acceptor 1", "acceptor 2"],
            "options": {"coins": "1:100"},
        },
    }
    return configured(data, LIBRARY, folder / "table.toml")


async def recorded_dialects(folder: Path) -> Path:
    """A panel on a module of pymodbus's, and acceptors that speak ccTalk: used, and left."""
    master, port = os.openpty()
    tty.setraw(port)
    os.set_blocking(master, False)
    acceptors = [CoinAcceptor(2), CoinAcceptor(3)]
    detach = attach(Bus(acceptors), master)
    with cable() as (felts, modules):
        server = ModbusSerialServer(module(), port=modules, baudrate=9600)
        await server.serve_forever(background=True)
        configuration = off_the_shelf(folder, felts, os.ttyname(port))
        service = assembled(configuration, LIBRARY, said=lambda *_, **__: None)
        taken: list[Event] = []
        devices = service.supervisor.attachments

        def told(event: Event, _taken: Taken) -> None:
            taken.append(event)

        def boot_of(device: str) -> int:
            identity = devices[device].station.identity
            return identity.boot if identity is not None else 0

        service.listen(told)

        async def used() -> None:
            await until(lambda: all(one.is_present for one in devices.values()))
            await marked(service)
            await server.async_setValues(1, INPUTS, 0, [True])
            await until(lambda: any(isinstance(one, events.LockOutPressed) for one in taken))
            await server.async_setValues(1, INPUTS, 0, [False])
            await marked(service)
            # It is locked, so the coin comes back; that is told as well.
            acceptors[1].insert(1, asyncio.get_running_loop().time())
            await until(lambda: any(isinstance(one, events.WagerCameLate) for one in taken))
            before = boot_of("acceptor 1")
            acceptors[0].restart()
            await until(lambda: boot_of("acceptor 1") != before)
            await until(lambda: devices["acceptor 1"].is_present)
            await marked(service)
            service.stop()

        service.also("people", used)
        try:
            await service.run()
        finally:
            detach()
            os.close(master)
            os.close(port)
            await server.shutdown()  # type: ignore[no-untyped-call]
    return folder / "state"


async def test_modbus_and_cctalk_replay(tmp_path: Path) -> None:
    state = await recorded_dialects(tmp_path)
    outcome = await asyncio.to_thread(replayed, state)
    assert outcome.difference is None
    assert outcome.remarks == ["tags not checked: no keys were given"]
    assert outcome.from_devices
    # A request that was another one is found at its record.
    for wire in ("panel", "acceptors"):
        file = state / "logs" / f"{wire}.000001.log"
        whole = file.read_text()
        lines = unchecked(whole).split("\n")
        place = [n for n, line in enumerate(lines) if " out " in line][7]
        lines[place] = flipped(lines[place], place=0, bits=1)
        file.write_text("\n".join(lines))
        found = (await asyncio.to_thread(replayed, state)).difference
        assert found is not None
        assert found.where == f"{file}:{place + 1}"
        file.write_text(whole)
