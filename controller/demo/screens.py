"""The pages of a demonstration: a console in a process of its own, and PINs for the people.

It ends with the demonstration, also when that is killed: its standard input ends then.
"""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

from controller.daemon import pins
from controller.daemon.service import Service
from controller.demo.child import child
from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.table.people import Person
from controller.table.terms import Terms

#: Ports after the wanted one that may be taken instead.
SPARE_PORTS = 50
#: What it says fits a small window.
WIDE = 80
#: A console that has ended is started again after so long.
AGAIN_S = 1.0


def demonstration_pins(terms: Terms) -> dict[str, str]:
    """Easy to remember, one for each: 1111 for the first, 2222 for the second."""
    return {
        person: str(number % 10) * 4 if number < 10 else f"{number:04}"
        for number, person in enumerate(terms.people, 1)
    }


class Screens:
    def __init__(
        self, port: int, told: Callable[[list[str]], None], school: Path | None = None
    ) -> None:
        """``told`` gets the lines for whoever watches, once there is an address."""
        self._school = school
        self._port = port
        self._told = told
        self._table = ""
        self.pins: dict[str, str] = {}
        self.address = ""

    def prepare(self, service: Service) -> None:
        """Before the service runs: its people get PINs, and stay on duty for the simulated ones."""
        terms, folder = service.recorder.terms, service.configuration.secrets
        self._table = terms.id
        self.pins = demonstration_pins(terms)
        for person, pin in self.pins.items():
            pins.keep(folder, person, pin)
        service.listen(lambda event, taken: self._stay(service, event, taken))
        service.also("console", lambda: self.serve(service.configuration.socket))

    def _stay(self, service: Service, event: Event, taken: Taken) -> None:
        """Whoever signs off at a page leaves the table to the simulated person of that name."""
        if isinstance(event, events.SignedOff) and not taken.step.refused:
            person = next(
                (
                    one
                    for one, roles in service.recorder.terms.people.items()
                    if event.role in roles
                ),
                event.by.id,
            )
            again = events.SignedOn(at=event.at, by=Person(person, event.role))
            service.core.post(again)

    async def serve(self, socket: Path | None) -> None:
        """Until cancelled; without a table where there is only a school."""
        while True:
            await self._once(socket)
            await asyncio.sleep(AGAIN_S)

    async def _once(self, socket: Path | None) -> None:
        words = ["console"]
        words += [] if socket is None else ["--socket", str(socket)]
        words += [] if self._school is None else ["--school", str(self._school)]
        words += ["--listen", f"127.0.0.1:{self._port}", "--spare-ports", str(SPARE_PORTS)]
        async with child(*words) as console:
            if address := await console.address():
                self._reached(address)
            why = await console.ended()
            self._told([f"The console has ended ({why}); it is started again."])

    def _reached(self, address: str) -> None:
        self.address = address
        # The same one after a restart, so that pages find it again.
        self._port = int(address.rstrip("/").rpartition(":")[2])
        self._told(list(self._lines()))

    def _lines(self) -> Iterator[str]:
        if not self._table:
            yield f"Open {self.address}school in a browser: choose a drill, and deal it."
            return
        bench = f"{self.address}bench/{self._table}"
        yield f"Open {bench} in a browser: take any place."
        drills = f"   drills: {self.address}school" if self._school is not None else ""
        yield f"All pages: {self.address}{drills}"
        if self.pins:
            people = ", ".join(f"{person} {pin}" for person, pin in self.pins.items())
            yield from textwrap.wrap(f"PINs: {people}", WIDE, subsequent_indent="      ")
