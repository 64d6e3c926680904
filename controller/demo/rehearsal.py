"""A rehearsal: a table's service, with simulated devices on its ports and at its broker.

A rehearsal is a table of its own, with an id, a record, keys and ports of its own: what is only
played must never stand in the record of a table, nor meet its devices. It plays what that table
will, by the same rulebook, options and people.
"""

from __future__ import annotations

import asyncio
import grp
import os
import random
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from controller.daemon import secrets
from controller.daemon.configuration import Configuration, Device, by_kind
from controller.daemon.wiring import EMBEDDED, broker_of
from controller.demo.people import Window
from controller.demo.standing import furnish
from controller.demo.world import World
from controller.rules.faults import Refused
from controller.table.offers import COVER_ALL_GAME
from controller.table.state import Table
from controller.table.terms import Terms
from controller.tables import in_toml, table_part
from drivers.wire.broker_accounts import as_device
from drivers.wire.broker_client import Account
from drivers.wire.broker_door import HOST
from simulators.acceptor import Acceptor
from simulators.broker import BrokerPort
from simulators.device import Device as Simulated
from simulators.device import firmware_of
from simulators.panel import Panel
from simulators.port import PtyPort
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.sign import Sign
from simulators.tabletop import TableTop
from simulators.terminal import Terminal

ID = "rehearsal"
#: Under these names its ports are, beside those that udev has given.
PORTS = "/dev/felt/rehearsal-{}"
#: Of the brokers inside its felt: not the port that a table's has.
FIRST_BROKER = 1893
#: Only what lies here is simulated: a name that leads elsewhere is left alone.
PTYS = Path("/dev/pts")
#: Who may use a serial port, on Debian.
GROUP = "dialout"
#: How a rehearsal's file begins: no other file is written over.
BEGINS = "# The rehearsal of "
HEADING = f"""\
{BEGINS}{{table}}, made by felt rehearse: the same table with devices that are simulated.
# What is played at it is nobody's money, and stands in a record of its own.
"""


class Unready(Exception):
    """Devices that are not ready after all the time they had."""


# --- Its table file -------------------------------------------------------------


def table_file(data: Mapping[str, Any], ports: str = PORTS) -> str:
    """The same table as a rehearsal: each wire in felt's own protocol, each broker on this PC."""
    wires: dict[str, Any] = {}
    kinds: set[str] = set()
    for name, given in data.get("wires", {}).items():
        devices = list(given.get("devices", ()))
        kinds |= {one.partition(" ")[0] for one in devices}
        number = sum("mqtt" in one for one in wires.values())
        at_broker = {"mqtt": f"{EMBEDDED}:{FIRST_BROKER + number}"}
        there = at_broker if given.get("mqtt") else {"serial": ports.format(name)}
        wires[name] = {**there, "devices": devices}
    service = {
        key: value
        for key, value in data.get("service", {}).items()
        if key not in ("state", "runtime", "secrets", "heads", "approved_program")
    }
    whole = {**table_part(data), "id": ID, "wires": wires}
    whole["approved"] = {kind: [firmware_of(kind).hex()] for kind in sorted(kinds)}
    if service:
        whole["service"] = service
    return HEADING.format(table=data.get("id", "a table")) + in_toml(whole)


# --- Its devices ----------------------------------------------------------------


class Stage:
    """All devices of a table file, simulated, on the ports and at the brokers that it names."""

    def __init__(self, configuration: Configuration, seed: int) -> None:
        self._configuration = configuration
        self._terms: Terms = configuration.terms
        self._seed = seed
        #: Above that of every start before, so that felt takes what they say for news.
        self._boot = int(time.time())
        wires = configuration.daemon.wires
        made = {one.name: one for one in configuration.devices.values()}
        top, chance = TableTop(), random.Random(f"table/{seed}")
        self._devices = {
            name: self._simulated(one, top, polled=self._is_bus(one.wire))
            for name, one in made.items()
        }
        self.world = self._world(top, chance)
        self._ports: dict[str, PtyPort | BrokerPort] = {}
        self.lines: list[str] = []
        for wire, given in wires.items():
            names = [one.name for one in made.values() if one.wire == wire]
            if given.mqtt:
                self._at_broker(broker_of(given), names)
            else:
                self._on_line(given.serial, given.baud, names)

    def _is_bus(self, wire: str) -> bool:
        given = self._configuration.daemon.wires[wire]
        return not given.mqtt and (given.rs485 or len(given.devices) > 1)

    def _simulated(self, one: Device, top: TableTop, *, polled: bool) -> Simulated:
        common: dict[str, Any] = {
            "name": one.name,
            "key": secrets.key(self._configuration.secrets, one.name),
            "seed": self._seed,
            "boot": self._boot,
        }
        on_line = {**common, "address": one.address, "polled": polled}
        if self._configuration.daemon.wires[one.wire].mqtt:
            on_line = common
        seat = one.seat or 1
        match one.kind:
            case "shuffler":
                counts = bool(self._terms.shuffler_counts)
                covers = self._terms.ruleset.offers("cover_all")
                return Shuffler(
                    top, counts=counts, game=COVER_ALL_GAME if covers else "", **on_line
                )
            case "shoe":
                return Shoe(top, reads=True, **on_line)
            case "acceptor":
                return Acceptor(top, seat=seat, **on_line)
            case "terminal":
                return Terminal(seat=seat, **on_line)
            case "sign":
                return Sign(**on_line)
        return Panel(**on_line)

    def _world(self, top: TableTop, chance: random.Random) -> World:
        panel = self._devices["panel"]
        assert isinstance(panel, Panel)
        world = World(top, chance, panel)
        for one in self._devices.values():
            match one:
                case Shuffler():
                    world.shuffler = one
                case Shoe():
                    world.shoe = one
                case Acceptor(seat=seat):
                    world.acceptors[seat] = one
                case Terminal(seat=seat):
                    world.terminals[seat] = one
        return world

    # --- Where they are connected ---------------------------------------------------

    def _on_line(self, path: str, baud: int, names: Iterable[str]) -> None:
        link = Path(path)
        if link.exists() and link.resolve().parent != PTYS:
            step = "felt rehearse --out makes a table file with ports of its own"
            raise Refused(path, "is a port that is there already", step)
        try:
            link.parent.mkdir(parents=True, exist_ok=True)
            devices = [self._devices[name] for name in names]
            port = PtyPort(devices, baud=baud, link=link)
            _as_a_port(link.resolve())
        except OSError as error:
            step = "run it as root: sudo felt rehearse ..."
            raise Refused(path, f"can't be made: {error.strerror}", step) from None
        self.lines.append(path)
        self._ports |= dict.fromkeys(names, port)

    def _at_broker(self, broker: tuple[str, int], names: Iterable[str]) -> None:
        host, number = broker
        where = Account(HOST if host == EMBEDDED else host, number)
        for name in names:
            key = secrets.key(self._configuration.secrets, name)
            account = as_device(where, self._terms.id, name, key)
            self._ports[name] = BrokerPort(account, self._terms.id, self._devices[name])

    def stands(self, table: Table) -> None:
        """As the table has it: cards, chips and lights, from the rehearsal before."""
        furnish(self.world, self._terms, table)

    def kick(self, device: Simulated) -> None:
        self._ports[device.name].kick()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for port in {id(one): one for one in self._ports.values()}.values():
                tasks.create_task(port.run())
                if isinstance(port, BrokerPort):
                    tasks.create_task(_time_passes(port))

    def __len__(self) -> int:
        return len(self._devices)


def _as_a_port(pty: Path) -> None:
    """Whoever may use serial ports may use this one, as udev has it for those that are."""
    with suppress(KeyError, PermissionError):
        os.chown(pty, -1, grp.getgrnam(GROUP).gr_gid)
        pty.chmod(0o660)


async def _time_passes(port: BrokerPort) -> None:
    """At a broker nobody waits for a device's own time: it is woken when something is due."""
    loop = asyncio.get_running_loop()
    while True:
        at = port.device.wakes_at()
        await asyncio.sleep(min(max(at - loop.time(), 0.01), 0.5))
        port.device.advance(loop.time())
        port.kick()


# --- Until they are there -------------------------------------------------------


async def ready(window: Window, within_s: float) -> str:
    """Wait until felt has all devices; what is wrong then. Raises ``Unready`` after so long."""
    loop = asyncio.get_running_loop()
    until = loop.time() + within_s
    while True:
        status = await window.ask("status")
        missing = {one["device"]: one for one in status["devices"] if one["status"] != "ready"}
        if not missing:
            return "; ".join(status["wrong"])
        if loop.time() > until:
            names = ", ".join(by_kind(missing))
            why = next(iter(missing.values()))
            raise Unready(f"not ready: {names}. {why['device']}: {why['reason']}")
        await asyncio.sleep(0.2)
