"""A simulated table whose panel and acceptors are off the shelf: a Modbus module, ccTalk acceptors.

The rest of the table, and the people, are those of the demonstration. In real time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.daemon.configuration import Configuration, configured
from controller.demo.show import Show
from controller.demo.table import Options, SimulatedTable
from controller.demo.view import View
from controller.library import Library, shipped
from controller.tables import read_file
from drivers.dialects.modbus import BUTTONS
from drivers.wire.messages import Button
from simulators.acceptor import Acceptor
from simulators.cctalk import Bus, CoinAcceptor
from simulators.device import Device
from simulators.panel import Panel
from simulators.port import PtyPort
from tests.drivers.dialects.module import Module

LIBRARY = Library()
#: A finger stays so long on a button.
FINGER_S = 0.15
#: Other than what it is worth, as an acceptor tells them apart by their position.
COIN = 1


class ModulePanel(Panel):
    """Its buttons are contacts of a module, and it has no voice of its own."""

    module: Module

    def press(self, button: Button) -> None:
        place = BUTTONS.index(button)
        self.module.inputs[place] = True
        asyncio.get_running_loop().call_later(FINGER_S, self._release, place)

    def _release(self, place: int) -> None:
        self.module.inputs[place] = False


class CoinSlot(Acceptor):
    """A coin acceptor at a seat: what it took is in its box, from where the dealer has it."""

    coins: CoinAcceptor

    def insert(self, cents: int, tender: str = "chips") -> None:
        now = asyncio.get_running_loop().time()
        if self.coins.insert(COIN, now) == "taken":
            self.top.pay(self._player, "inventory", cents)
            self.rolled += 1


class ShelfPort(PtyPort):
    """A pty with hardware of another maker at its other end; ``says`` is what that answers."""

    def __init__(
        self, devices: Iterable[Device], says: Callable[[bytes, float], bytes], link: Path
    ) -> None:
        self.says = says
        super().__init__(devices, link=link)

    def kick(self) -> None:
        pass

    def _readable(self) -> None:
        assert self._loop is not None
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._master, 1024)
            self._write(self.says(data, self._loop.time()))


@dataclass
class Shelf:
    """What is on the table of other makers."""

    module: Module = field(default_factory=Module)
    acceptors: list[CoinAcceptor] = field(default_factory=list)
    bus: Bus = field(default_factory=lambda: Bus(()))
    ports: dict[str, ShelfPort] = field(default_factory=dict)


class ShelfTable(SimulatedTable):
    def __init__(self, *given: Any, shelf: Shelf) -> None:
        self.shelf = shelf
        super().__init__(*given)

    def _configured(self, data: dict[str, Any]) -> Configuration:
        super()._configured(data)
        # Hardware off the shelf has no digest of its program.
        data["approved"] = {kind: [] for kind in ("panel", "acceptor")}
        return configured(data, LIBRARY, self.folder / "table.toml")

    def _line(self, name: str, devices: Iterable[Device]) -> None:
        shelf, some = self.shelf, list(devices)
        link = self.folder / f"tty-{name}"
        says: Callable[[bytes, float], bytes]
        if name == "panel":
            (panel,) = some
            panel.__class__ = ModulePanel
            assert isinstance(panel, ModulePanel)
            panel.module = shelf.module
            given: dict[str, Any] = {"speaks": "modbus", "baud": 9600}
            says = shelf.module
        elif name == "acceptors":
            shelf.acceptors = [CoinAcceptor(2 + n) for n in range(len(some))]
            shelf.bus = Bus(shelf.acceptors)
            for device, coins in zip(some, shelf.acceptors, strict=True):
                device.__class__ = CoinSlot
                assert isinstance(device, CoinSlot)
                device.coins = coins
            given = {"speaks": "cctalk", "baud": 9600, "options": {"coins": f"{COIN}:100"}}
            says = shelf.bus.received
        else:
            super()._line(name, some)
            return
        port = ShelfPort(some, says, link)
        self.ports[name] = shelf.ports[name] = port
        names = [one.name for one in some]
        self._wires[name] = {"serial": str(link), "devices": names, **given}


def recorded(folder: Path, *, meanwhile: Callable[[Shelf], Any] | None = None) -> Shelf:
    """A round at such a table, which keeps all of it in the folder; ``meanwhile`` runs beside."""
    data: dict[str, Any] = read_file(shipped("tables") / "pa-639a.toml")
    data["options"]["seats"] = 2
    shelf = Shelf()
    options = Options(seed=1, pause=0.05, broker=False)
    show = Show(data, folder, LIBRARY, options, rounds=1, view=View())
    show.simulated = ShelfTable(data, folder, LIBRARY, options, shelf=shelf)
    if meanwhile is not None:
        show.prepared = lambda service: service.also("meanwhile", lambda: meanwhile(shelf))
    asyncio.run(show.run())
    return shelf
