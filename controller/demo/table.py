"""A whole simulated table: devices on ptys and at a broker, keys, configuration, and the daemon.

The daemon is the one that a casino installs, and knows nothing of this. The devices are the other
ends of its wires. The same seed plays the same table.
"""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.daemon import secrets
from controller.daemon.assembly import assembled
from controller.daemon.clock import Clock
from controller.daemon.configuration import Configuration, configured
from controller.daemon.service import Service
from controller.daemon.wiring import EMBEDDED, SerialWire
from controller.demo.cast import Cast
from controller.demo.crew import Crew
from controller.demo.performer import Performer
from controller.demo.players import Player
from controller.demo.world import World
from controller.library import Library
from controller.table.offers import COVER_ALL_GAME
from controller.table.terms import Terms
from controller.tables import in_toml, table_part, terms_of
from controller.terminal import firmware
from drivers.wire.broker_accounts import as_device
from drivers.wire.broker_client import Account
from drivers.wire.broker_door import HOST
from drivers.wire.keys import KEY_BYTES, NONCE_BYTES
from simulators.acceptor import Acceptor
from simulators.broker import BrokerPort
from simulators.device import Device, firmware_of
from simulators.faults import Fault
from simulators.panel import Panel
from simulators.port import PtyPort
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.sign import Sign
from simulators.tabletop import TableTop
from simulators.terminal import Terminal
from simulators.virtual_time import VirtualTimeLoop

TABLE_FILE = "table.toml"
HEADING = "# The table of a felt demo. Its devices are gone when that is over.\n"
KINDS = ("shuffler", "shoe", "panel", "sign", "acceptor", "terminal")


@dataclass(slots=True)
class Options:
    seed: int = 0
    #: Seconds between two acts of a person.
    pause: float = 0.3
    #: Whether the shoe reads faces.
    reads: bool = True
    #: Terminals and sign at a broker; otherwise on lines like the rest.
    broker: bool = True
    #: A broker that runs already, for these; otherwise felt has one inside.
    broker_at: Account | None = None
    #: Whether people may reach in by a socket, and take a place; nobody could in virtual time.
    bench: bool = False
    #: What goes wrong, by device or "wire NAME".
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    #: When the wall clock starts, in seconds; now if nothing is said.
    starts_at: float | None = None
    #: How often a device has been switched on, if this is not its first time.
    boots: dict[str, int] = field(default_factory=dict)
    #: Where its sockets are, if not in its own folder.
    runtime: Path | None = None


class AtBroker:
    """A simulated device's place at the broker, which another device may have for a while."""

    def __init__(self, port: BrokerPort) -> None:
        self._port = port
        self._plugged = asyncio.Event()
        self._pulled = asyncio.Event()
        self._gone = asyncio.Event()
        self._plugged.set()

    @property
    def device(self) -> Device:
        return self._port.device

    @property
    def is_plugged_in(self) -> bool:
        return self._plugged.is_set()

    def plug_in(self) -> None:
        self._pulled.clear()
        self._plugged.set()

    async def unplug(self) -> None:
        """Until it has left the broker."""
        if not self._plugged.is_set():
            return
        self._plugged.clear()
        self._gone.clear()
        self._pulled.set()
        await self._gone.wait()

    async def run(self) -> None:
        while True:
            await self._plugged.wait()
            running = asyncio.create_task(self._port.run(), name=f"port of {self.device.name}")
            pulling = asyncio.create_task(self._pulled.wait(), name="pulled")
            try:
                await asyncio.wait({running, pulling}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                running.cancel()
                pulling.cancel()
                ended, _ = await asyncio.gather(running, pulling, return_exceptions=True)
            if isinstance(ended, Exception):
                raise ended
            self._gone.set()


class SimulatedTable:
    """``folder`` gets everything: keys, journal, logs, and the table file if somebody wants it."""

    def __init__(
        self, data: Mapping[str, Any], folder: Path, library: Library, options: Options
    ) -> None:
        self.options = options
        # Whoever looks at the table later may do so from elsewhere.
        self.folder = folder = folder.absolute()
        self._library = library
        self._chance = random.Random(f"table/{options.seed}")
        self._terms: Terms = terms_of(table_part(data), library)
        self._secrets = folder / "secrets"
        self._secrets.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._key(secrets.FACES)
        if options.starts_at is None:
            # A story told again must not find the head of its last telling.
            secrets.make_key(self._secrets, secrets.HEADS)
        #: How often the daemon was made.
        self._starts = 0
        self.ports: dict[str, PtyPort] = {}
        self._wires: dict[str, dict[str, Any]] = {}
        self.at_broker: list[Device] = []
        self.world = self._furnished()
        self.configuration = self._configured(table_part(data))
        self.broker_ports = {
            device.name: BrokerPort(self._account_of(device.name), self._terms.id, device)
            for device in self.at_broker
        }
        self.places = {name: AtBroker(port) for name, port in self.broker_ports.items()}

    # --- Furniture --------------------------------------------------------------

    def _furnished(self) -> World:
        top, terms = TableTop(), self._terms
        seats = range(1, terms.seats + 1)
        panel = Panel(**self._common("panel"))
        self._line("panel", [panel])
        world = World(top, self._chance, panel)
        if terms.has_shuffler:
            counts = bool(terms.shuffler_counts)
            game = COVER_ALL_GAME if terms.ruleset.offers("cover_all") else ""
            world.shuffler = Shuffler(top, counts=counts, game=game, **self._common("shuffler"))
            self._line("shuffler", [world.shuffler])
        if terms.method == "automated shoe":
            world.shoe = Shoe(top, reads=self.options.reads, **self._common("shoe"))
            self._line("shoe", [world.shoe])
        if terms.acceptors:
            for seat in seats:
                common = self._common(f"acceptor {seat}", address=seat, polled=True)
                world.acceptors[seat] = Acceptor(top, seat=seat, **common)
            self._line("acceptors", world.acceptors.values())
        sign = Sign(**self._common("sign"))
        if terms.terminals:
            on_bus = {} if self.options.broker else {"polled": True}
            for seat in seats:
                address = {} if self.options.broker else {"address": seat}
                common = self._common(f"terminal {seat}", **on_bus, **address)
                world.terminals[seat] = Terminal(seat=seat, **common)
        if self.options.broker:
            self.at_broker = [*world.terminals.values(), sign]
        else:
            self._line("sign", [sign])
            if world.terminals:
                self._line("terminals", world.terminals.values())
        return world

    def _common(self, name: str, **more: Any) -> dict[str, Any]:
        faults = self.options.faults.get(name, ())
        return {
            "name": name,
            "key": self._key(name),
            "seed": self.options.seed,
            "faults": faults,
            "boot": self.options.boots.get(name, 1),
            **more,
        }

    def _line(self, name: str, devices: Iterable[Device]) -> None:
        some = list(devices)
        link = self.folder / f"tty-{name}"
        port = PtyPort(some, link=link)
        for fault in self.options.faults.get(f"wire {name}", ()):
            port.outward.faults.switch_on(fault)
        self.ports[name] = port
        self._wires[name] = {"serial": port.path, "devices": [one.name for one in some]}

    def _key(self, name: str) -> bytes:
        """From the seed, so that two runs are the same; a real key never is."""
        key = self._chance.randbytes(KEY_BYTES)
        file = self._secrets / f"{secrets.slug(name)}.key"
        file.write_text(key.hex(), encoding="ascii")
        return key

    def _account_of(self, name: str) -> Account:
        return as_device(self.broker, self._terms.id, name, secrets.key(self._secrets, name))

    # --- The daemon -------------------------------------------------------------

    def _configured(self, data: dict[str, Any]) -> Configuration:
        if self.at_broker:
            self.broker = self.options.broker_at or Account(HOST, free_port())
            names = [device.name for device in self.at_broker]
            inside = f"{EMBEDDED}:{self.broker.port}"
            mqtt = str(self.broker) if self.options.broker_at else inside
            self._wires["broker"] = {"mqtt": mqtt, "devices": names}
        data["service"] = {
            "state": str(self.folder / "state"),
            "runtime": str(self.options.runtime or self.folder / "run"),
            "secrets": str(self._secrets),
        }
        data["wires"] = self._wires
        data["approved"] = {kind: [firmware_of(kind).hex()] for kind in KINDS}
        if self.at_broker and self._terms.terminals:
            # A seat may have a tablet in place of the simulated terminal.
            data["approved"]["terminal"].append(firmware.digest().hex())
        return configured(data, self._library, self.folder / TABLE_FILE)

    def write_table_file(self) -> None:
        """Leave a table file beside the rest: the other commands know a table by that."""
        file = self.configuration.file
        whole = {
            **self.configuration.data,
            **self.configuration.daemon.model_dump(exclude_defaults=True),
        }
        file.write_text(f"{HEADING}{in_toml(whole)}", encoding="utf-8")

    def service(self, said: Callable[..., None]) -> Service:
        """The daemon of this table, on the loop that runs; the devices run with it."""
        loop = asyncio.get_running_loop()
        starts_at, began = self.options.starts_at, loop.time()
        if not self._starts:
            # Seconds of a fault count from the start, and a loop in real time is older than that.
            for fault in (one for some in self.options.faults.values() for one in some):
                fault.at += began
        clock = (
            Clock(loop.time)
            if starts_at is None
            else Clock(loop.time, lambda: starts_at + loop.time() - began)
        )
        # Another start draws anew: with the nonces of the last one, what a device says would have
        # the names of what it said then.
        seed = f"{self.options.seed}/{self._starts}" if self._starts else f"{self.options.seed}"
        self._starts += 1
        # One for each purpose: how often a device is greeted must not change what is drawn.
        draws, seals, nonces = (random.Random(f"{what}/{seed}") for what in ("d", "s", "n"))
        service = assembled(
            self.configuration,
            self._library,
            said=said,
            clock=clock,
            below=draws.randrange,
            random=seals.randbytes,
            make_nonce=lambda: nonces.randbytes(NONCE_BYTES),
            jitter=lambda least, most: least,
        )
        for name, place in self.places.items():
            service.also(f"simulated {name}", place.run)
        for name, port in self.ports.items():
            service.also(f"simulated {name}", port.run)
            if isinstance(loop, VirtualTimeLoop):
                loop.on_their_way.append(_on_their_way(service, name, port))
        return service

    def performer(
        self,
        service: Service,
        seats: Iterable[int] = (),
        players: Mapping[int, Player] | None = None,
        cast: Cast | None = None,
    ) -> Performer:
        """People at these seats, or at all of them; all played by the crew, until somebody is."""
        seed = self.options.seed
        seats = list(seats) or range(1, self._terms.seats + 1)
        players = dict(players or {}) or {
            seat: Player(seat, random.Random(f"player {seat}/{seed}")) for seat in seats
        }
        cast = cast or Cast(range(1, self._terms.seats + 1))
        crew = Crew(self._terms, players, self.world, cast)
        return Performer(
            service, crew, self.world, self.stirred, pause=self.options.pause, cast=cast
        )

    def port_of(self, device: Device) -> PtyPort | BrokerPort:
        """Where a device is connected."""
        if device.name in self.broker_ports:
            return self.broker_ports[device.name]
        return next(port for port in self.ports.values() if device in port.end.devices)

    def stirred(self, device: Device) -> None:
        """A device has something to say that nobody on its wire knows of yet."""
        self.port_of(device).kick()

    @property
    def devices(self) -> list[Device]:
        on_lines = [device for port in self.ports.values() for device in port.end.devices]
        return [*on_lines, *self.at_broker]


def _on_their_way(service: Service, name: str, port: PtyPort) -> Callable[[], int]:
    """Bytes between felt's end of a pty and ours."""
    ours = service.supervisor.wire(name)
    assert isinstance(ours, SerialWire)

    def count() -> int:
        inward = ours.bytes_written - port.bytes_read
        outward = port.bytes_written - ours.bytes_read
        return (inward if inward > 0 else 0) + (outward if outward > 0 else 0)

    return count


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind((HOST, 0))
        port: int = asked.getsockname()[1]
        return port
