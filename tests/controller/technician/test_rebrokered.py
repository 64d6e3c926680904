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
from controller.daemon.configuration import configured
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
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
from tests.logs.editing import flipped, unchecked

LIBRARY = Library()
#: Only so that a test ends.
SOON_S = 20.0


def replayed(state: Path, keys: Path | None = None) -> Outcome:
    (run,) = logs.read([state / "logs"]).runs
    with Reader.look(state / "journal.db") as reader:
        before = past.of_journal(reader, LIBRARY, run.after_entry)
        return Replayer(run, before, LIBRARY, secrets=keys).run()


# --- A broker -------------------------------------------------------------------


def at_broker(folder: Path, **faults: str) -> Path:
    """A round with terminals and sign at the broker inside felt, in real time."""
    data: dict[str, Any] = read_file(shipped("tables") / "pa-639a.toml")
    data["options"]["seats"] = 2
    said = {where.replace("_", " "): [Fault.said(what, 1)] for where, what in faults.items()}
    options = Options(seed=1, pause=0.02, broker=True, faults=said)
    asyncio.run(Show(data, folder, LIBRARY, options, rounds=1, view=View()).run())
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


async def recorded_dialects(folder: Path) -> Path:
    """A panel on a module of pymodbus's, and acceptors that speak ccTalk: used, and left."""
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
    master, port = os.openpty()
    tty.setraw(port)
    os.set_blocking(master, False)
    acceptors = [CoinAcceptor(2), CoinAcceptor(3)]
    detach = attach(Bus(acceptors), master)
    with cable() as (felts, modules):
        server = ModbusSerialServer(module(), port=modules, baudrate=9600)
        await server.serve_forever(background=True)
        data["service"] = {one: str(folder / one) for one in ("state", "secrets")}
        data["service"]["runtime"] = str(folder / "run")
        data["wires"] = {
            "panel": {"serial": felts, "speaks": "modbus", "baud": 9600, "devices": ["panel"]},
            "acceptors": {
                "serial": os.ttyname(port),
                "speaks": "cctalk",
                "baud": 9600,
                "devices": ["acceptor 1", "acceptor 2"],
                "options": {"coins": "1:100"},
            },
        }
        configuration = configured(data, LIBRARY, folder / "table.toml")
        service = assembled(configuration, LIBRARY, said=lambda *_, **__: None)
        taken: list[Event] = []
        pressed = asyncio.Event()

        def told(event: Event, _taken: Taken) -> None:
            taken.append(event)
            if isinstance(event, events.LockOutPressed):
                pressed.set()

        service.listen(told)

        async def used() -> None:
            await asyncio.sleep(1.0)
            assert all(one.is_present for one in service.supervisor.attachments.values())
            await server.async_setValues(1, INPUTS, 0, [True])
            async with asyncio.timeout(SOON_S):
                await pressed.wait()
            await server.async_setValues(1, INPUTS, 0, [False])
            # It is locked, so the coin comes back; that is told as well.
            acceptors[1].insert(1, asyncio.get_running_loop().time())
            acceptors[0].restart()
            await asyncio.sleep(1.0)
            service.stop()

        service.also("people", used)
        try:
            await service.run()
        finally:
            detach()
            os.close(master)
            os.close(port)
            await server.shutdown()  # type: ignore[no-untyped-call]
    assert any(isinstance(one, events.LockOutPressed) for one in taken)
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
