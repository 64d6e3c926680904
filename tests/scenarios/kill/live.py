"""A table of real processes: the daemon and the broker as children, the devices here, on ptys.

The devices are those of a demonstration, only faster. The names of their ports stay the same
whatever happens, as udev's do.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

from controller.daemon.configuration import Configuration, read
from controller.daemon.secrets import slug
from controller.demo.table import Options, SimulatedTable
from controller.library import Library, shipped
from controller.tables import in_toml, read_file
from drivers.wire.messages import Command, Dispense
from simulators.acceptor import Acceptor
from simulators.broker import BrokerPort
from simulators.device import Answer, Device
from simulators.terminal import Terminal
from tests.drivers.wire.mosquitto import Mosquitto
from tests.scenarios.kill import simulators
from tests.scenarios.kill.processes import Daemon
from tests.scenarios.kill.simulators import Simulator

USUAL, SEATS = "pa-639a", 3
#: So that a round takes a second or two.
CYCLE_S, DISPENSE_S = 0.15, 0.06


class LiveTable:
    """``apart``: the devices that hold neither cards nor chips are processes of their own.

    Terminals and sign are ``at_broker``, or on lines like the rest. ``seats`` as the table file
    says, if nobody says otherwise.
    """

    def __init__(
        self,
        folder: Path,
        *,
        seed: int = 0,
        book: str = USUAL,
        seats: int | None = None,
        apart: bool = False,
        at_broker: bool = True,
    ) -> None:
        self.library = Library()
        data = read_file(shipped("tables") / f"{book}.toml")
        if book == USUAL:
            # Draws in every round: they are one thing more that a crash may come between.
            data["options"] |= {"seats": SEATS, "magic_card_every": 1, "lucky_every": 1}
        if seats is not None:
            data["options"]["seats"] = seats
        #: What a progressive wager is made with, in cents.
        self.chip: int = data["options"].get("progressive_wager", 100)
        options = Options(seed=seed, broker=at_broker)
        self.simulated = SimulatedTable(data, folder, self.library, options)
        self.world = self.simulated.world
        self.broker = Mosquitto(folder)
        file = self._written(data, folder / "table.toml")
        self.configuration: Configuration = read(file, self.library)
        self.daemon = Daemon(file, folder / "daemon.log")
        #: What must never happen, and did.
        self.wrong: list[str] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._at_broker: dict[str, BrokerPort] = {}
        self._hurry()
        self.simulators = {one.mirror.name: one for one in self._apart()} if apart else {}

    def _apart(self) -> Iterator[Simulator]:
        folder, secrets = self.simulated.folder, self.configuration.secrets
        broker = f"127.0.0.1:{self.broker.port}"
        for device in self.simulated.at_broker:
            key = secrets / f"{slug(device.name)}.key"
            log = folder / f"{slug(device.name)}.err"
            yield simulators.at_broker(device, key, broker, self.configuration.terms.id, log)
        # Its port is the process's now, under the same name.
        port = self.simulated.ports.pop("panel")
        port.unplug()
        key = secrets / "panel.key"
        yield simulators.on_port(self.world.panel, key, Path(port.path), folder / "panel.err")

    def _written(self, data: Mapping[str, Any], file: Path) -> Path:
        made = self.simulated.configuration.daemon.model_dump(exclude_defaults=True)
        if self.simulated.at_broker:
            made["wires"]["broker"]["mqtt"] = f"127.0.0.1:{self.broker.port}"
        whole = {**data, **made}
        file.write_text(in_toml(whole))
        return file

    def _hurry(self) -> None:
        if self.world.shuffler is not None:
            self.world.shuffler.cycle_s = CYCLE_S
        if self.world.shoe is not None:
            self.world.shoe.dispense_s = DISPENSE_S
            # Every stack that ever left it, to be held against the journal.
            self.world.shoe.given = deque()
            self.world.shoe.on_told = self._shoe_told

    def _shoe_told(self, command: Command, answer: Answer) -> None:
        """A card may leave the shoe only when nothing at any seat takes a wager any more."""
        if not isinstance(command, Dispense) or answer[0] == "refused":
            return
        for one in self.simulators.values():
            one.hear()
        self.wrong += [
            f"stack {command.number} of round {command.round} while the {one.name} was open"
            for one in self.at_seats
            if not one.is_locked
        ]

    # --- Running ----------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[LiveTable]:
        """Broker and devices; the daemon is whoever's who tests it."""
        if self.simulated.at_broker:
            self.broker.start()
        try:
            for name, port in self.simulated.ports.items():
                self._tasks[name] = asyncio.create_task(port.run(), name=f"simulated {name}")
            for device in self.simulated.at_broker:
                if device.name not in self.simulators:
                    self._connect(device)
            for one in self.simulators.values():
                await one.start()
            yield self
        finally:
            self.daemon.end()
            for one in self.simulators.values():
                one.end()
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
            if self.broker.is_running:
                self.broker.kill()

    def _connect(self, device: Device) -> None:
        account, table = self.broker.account(), self.configuration.terms.id
        self._at_broker[device.name] = port = BrokerPort(account, table, device)
        self._tasks[device.name] = asyncio.create_task(port.run(), name=f"simulated {device.name}")

    def kick(self, device: Device) -> None:
        """Somebody did something at a device."""
        if device.name in self._at_broker:
            self._at_broker[device.name].kick()
            return
        for port in self.simulated.ports.values():
            if device in port.end.devices:
                port.kick()

    async def restart(self, device: Device) -> None:
        """The power of one device is cut for a moment."""
        if device.name not in self._at_broker:
            device.restart()
            self.kick(device)
            return
        task = self._tasks.pop(device.name)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        device.restart()
        self._connect(device)

    @property
    def at_seats(self) -> list[Acceptor | Terminal]:
        """All that takes wagers."""
        return [*self.world.acceptors.values(), *self.world.terminals.values()]

    @property
    def devices(self) -> dict[str, Device]:
        """Those that are here, and not processes of their own."""
        all_ = {one.name: one for one in self.simulated.devices}
        return {name: one for name, one in all_.items() if name not in self.simulators}
