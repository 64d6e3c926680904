"""Everything that can go wrong at a table, again and again for as long as it is played.

The whole menu of faults, at every device and on every wire in both directions; and at a live table
what no menu has: cables that are pulled, devices without power, and a broker that is killed or
hangs. All of it comes in turn, over and over. What goes away by itself, or is put right by the
people at the table, stays until it does; what would stay for ever is put right after a moment, as a
technician does it.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from math import inf
from typing import Any

from controller.demo.table import SimulatedTable
from simulators.device import Device
from simulators.faults import MENU, Fault, Faults
from simulators.port import PtyPort
from tests.scenarios.kill.live import LiveTable

#: On every wire all the time, as small as to let a table go on.
ALWAYS = {"lost": 0.005, "twice": 0.01, "noise": 0.005, "slow": 0.02}
#: What a fault's number is between, where the usual one would only keep people waiting: from too
#: short to be noticed to longer than felt waits for a device.
BETWEEN = {"mute": (0.2, 3.5), "unplug": (0.1, 3.5), "late-wager": (0.1, 1.0)}
#: So long, in seconds, stays what would stay for ever.
STAYS = (0.3, 2.0)
#: How long a cable is out, or the broker away.
AWAY = (0.0, 0.0, 0.1, 0.1, 0.5, 1.0, 3.0)

Mishap = tuple[str, Callable[[], None]]


class Trouble:
    """``every``: about so many seconds from one thing to the next."""

    def __init__(self, simulated: SimulatedTable, *, seed: int, every: float) -> None:
        self.simulated = simulated
        self._every = every
        self._chance = random.Random(f"trouble/{seed}")
        self._number = 0
        #: Every fault that was ever switched on, and those that are on now.
        self._faults: list[Fault] = []
        self._on: dict[tuple[int, str], Fault] = {}
        self._places: list[Faults] = []
        self._work: set[asyncio.Task[None]] = set()
        #: What happened that is on no menu.
        self._befell: Counter[str] = Counter()
        self._mishaps = list(self._all())

    def _all(self) -> Iterator[Mishap]:
        for device in self.simulated.devices:
            yield from self._menu(device.faults)
        for port in self.simulated.ports.values():
            for wire in (port.inward, port.outward):
                for name, number in ALWAYS.items():
                    self._switch_on(wire.faults, name, number)
                yield from self._menu(wire.faults)

    @property
    def struck(self) -> Counter[str]:
        """How often each thing has gone wrong so far."""
        found = Counter(self._befell)
        for fault in self._faults:
            found[fault.name] += fault.struck
        return found

    @property
    def possible(self) -> set[str]:
        """All that can go wrong at this table."""
        return {name for name, _ in self._mishaps}

    async def run(self) -> None:
        """Until cancelled; then all is in order again."""
        try:
            while True:
                self._chance.shuffle(self._mishaps)
                for _, happens in self._mishaps:
                    await asyncio.sleep(self._chance.uniform(0, 2 * self._every))
                    happens()
        finally:
            await self._end()

    async def _end(self) -> None:
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        for faults in self._places:
            for name in MENU:
                faults.switch_off(name)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    # --- The menu -----------------------------------------------------------------

    def _menu(self, faults: Faults) -> Iterator[Mishap]:
        self._places.append(faults)
        for name, entry in MENU.items():
            if faults.of in entry.of:
                yield name, partial(self._goes_wrong, faults, name)

    def _goes_wrong(self, faults: Faults, name: str) -> None:
        number: float | None = None
        if name in BETWEEN:
            least, most = BETWEEN[name]
            # Most are short: a long one stops the table, and nothing else happens then.
            number = least + (most - least) * self._chance.random() ** 3
        elif name == "wrong-stack":
            number = self._chance.choice((-1, 1))
        if MENU[name].times == inf:
            self._begin(self._for_a_while(faults, name))
        elif not self._waits(faults, name):
            self._switch_on(faults, name, number)

    def _waits(self, faults: Faults, name: str) -> bool:
        """It is on, and has had no occasion to strike."""
        last = self._on.get((id(faults), name))
        return faults.is_on(name) and last is not None and last.left > 0

    async def _for_a_while(self, faults: Faults, name: str) -> None:
        self._switch_on(faults, name)
        await asyncio.sleep(self._chance.uniform(*STAYS))
        faults.switch_off(name)
        if name in ALWAYS and faults.of == "wire":
            self._switch_on(faults, name, ALWAYS[name])

    def _switch_on(self, faults: Faults, name: str, number: float | None = None) -> None:
        self._number += 1
        fault = Fault(name, number, seed=self._number)
        self._faults.append(fault)
        self._on[id(faults), name] = fault
        faults.switch_off(name)
        faults.switch_on(fault)


class LiveTrouble(Trouble):
    """And what is on no menu."""

    def __init__(self, live: LiveTable, *, seed: int, every: float) -> None:
        self._live = live
        self._broker_is_struck = False
        super().__init__(live.simulated, seed=seed, every=every)

    def _all(self) -> Iterator[Mishap]:
        yield from super()._all()
        for device in self._live.devices.values():
            yield "power cut", partial(self._power_cut, device)
        for port in self.simulated.ports.values():
            yield "pulled", partial(self._pull, port)
        for how in ("broker killed", "broker hangs") if self.simulated.at_broker else ():
            yield how, partial(self._strike, how)

    async def _end(self) -> None:
        await super()._end()
        for port in self.simulated.ports.values():
            port.plug_in()

    def _power_cut(self, device: Device) -> None:
        self._befell["power cut"] += 1
        self._begin(self._live.restart(device))

    def _pull(self, port: PtyPort) -> None:
        self._befell["pulled"] += 1
        self._begin(self._pulled(port))

    async def _pulled(self, port: PtyPort) -> None:
        port.unplug()
        await asyncio.sleep(self._chance.choice(AWAY))
        port.plug_in()

    def _strike(self, how: str) -> None:
        if not self._broker_is_struck:
            self._broker_is_struck = True
            self._befell[how] += 1
            self._begin(self._broker_away(hangs=how == "broker hangs"))

    async def _broker_away(self, *, hangs: bool) -> None:
        broker = self._live.broker
        if hangs:
            broker.hang()
        else:
            broker.kill()
        try:
            await asyncio.sleep(self._chance.choice(AWAY))
        finally:
            if hangs:
                broker.go_on()
            else:
                broker.start()
            self._broker_is_struck = False
