"""Real terminals in a simulated table: the simulated one of a seat is unplugged, and a tablet has
its place at the broker, its name and its key.

Each is ``felt terminal`` in a process of its own, as it would stand at a seat, and ends with the
demonstration.
"""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass

from controller.daemon import secrets
from controller.demo.child import child
from controller.demo.table import AtBroker, SimulatedTable
from controller.rules.faults import Refused


@dataclass(slots=True)
class Tablet:
    seat: int
    #: Where its page is; "" until it is served.
    address: str = ""
    #: Why it has ended by itself, if it has.
    ended: str = ""


class Tablets:
    def __init__(self, simulated: SimulatedTable) -> None:
        self._simulated = simulated
        self._wanted: dict[int, Tablet] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._count = itertools.count(1)

    def at(self, seat: int) -> Tablet | None:
        return self._wanted.get(seat)

    def has(self, seat: int) -> bool:
        """Whether the terminal of a seat is a tablet now."""
        tablet = self._wanted.get(seat)
        return tablet is not None and not tablet.ended

    def hand_out(self, seat: int) -> None:
        """In place of the simulated terminal, which is unplugged."""
        if not self._simulated.at_broker:
            raise Refused("seat", "there is no broker in this demonstration", "run it at a pace")
        if self.has(seat):
            return
        self._wanted[seat] = tablet = Tablet(seat)
        task = asyncio.create_task(self._serve(tablet), name=f"tablet of seat {seat}")
        self._tasks[seat] = task

    def take_back(self, seat: int) -> None:
        """The simulated terminal is plugged in again."""
        if seat in self._wanted:
            del self._wanted[seat]
            self._tasks.pop(seat).cancel()

    async def run(self) -> None:
        """As long as the demonstration: then all of them end."""
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            tasks = list(self._tasks.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, tablet: Tablet) -> None:
        place = self._simulated.places[f"terminal {tablet.seat}"]
        try:
            await self._once(tablet, place)
        finally:
            if not place.is_plugged_in:
                # With its power cut: felt has heard another device of this name meanwhile.
                place.device.restart()
                place.plug_in()

    async def _once(self, tablet: Tablet, place: AtBroker) -> None:
        simulated, name = self._simulated, place.device.name
        folder = simulated.folder / "secrets"
        # Each has a memory of its own: it is another device each time.
        memory = simulated.folder / f"tablet-{next(self._count)}.memory"
        words = ["terminal", "--table-id", simulated.configuration.terms.id]
        words += ["--seat", str(tablet.seat), "--device", name, "--broker", str(simulated.broker)]
        words += ["--key", str(folder / f"{secrets.slug(name)}.key"), "--memory", str(memory)]
        # With the number of the one whose place it takes: two people would have to accept another.
        words += ["--serial-number", place.device.serial_number, "--listen", "127.0.0.1:0"]
        async with child(*words) as terminal:
            if address := await terminal.address():
                # Not before: a terminal that is missed for long takes its wagers off the offer.
                await place.unplug()
            tablet.address = address
            why = await terminal.ended()
            tablet.address, tablet.ended = "", why
