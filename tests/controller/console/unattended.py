"""Simulated tables that play in this process, with the socket that a console asks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from controller.daemon import pins
from controller.daemon.desk import Desk
from controller.daemon.service import Service
from controller.demo.screens import demonstration_pins
from controller.demo.table import Options, SimulatedTable
from controller.library import Library
from controller.recorder import Taken
from controller.rules.cards import cards
from controller.table import events
from controller.table.events import Event
from controller.table.state import Table
from simulators.faults import Fault
from simulators.tabletop import SHOE
from tests.drivers.wire.plugs import AT_LAST_S
from tests.scenarios.rigged import SEED, table_file

#: Seconds between two acts of the simulated people.
PAUSE_S = 0.02
LOOKS_S = 0.02
ROYAL_FLUSH = "As Ks Qs Js Ts"


class Simulated:
    """A table of two seats that its people play, until the floor is left to who is at a page."""

    def __init__(self, folder: Path, book: str) -> None:
        folder.mkdir()
        library = Library()
        options = Options(seed=SEED, pause=PAUSE_S, broker=False)
        self._simulated = SimulatedTable(table_file(book), folder, library, options)
        self.service: Service = self._simulated.service(lambda _what, **_facts: None)
        self.terms = self.service.recorder.terms
        self.pins = demonstration_pins(self.terms)
        for person, pin in self.pins.items():
            pins.keep(self.service.configuration.secrets, person, pin)
        Desk(self.service, library)
        self.performer = self._simulated.performer(self.service)
        #: The round from which on somebody gets this hand, the first who has the progressive down.
        self._hand, self._round = "", 0
        self.taken: list[tuple[Event, Taken]] = []
        self.service.listen(self._told)

    @property
    def socket(self) -> Path:
        return self.service.configuration.socket

    @property
    def table(self) -> Table:
        return self.service.core.table

    async def plays(self) -> None:
        await self.performer.plays(1000)

    async def leaves_the_floor(self) -> None:
        """Open, with its decks verified, in betting: from now on the floor is at the page."""
        await self.until(lambda table: table.phase == "betting")
        self.performer.cast.play("floor", "me")

    async def until(self, is_so: Callable[[Table], object]) -> Table:
        async with asyncio.timeout(AT_LAST_S):
            while not is_so(self.table):  # noqa: ASYNC110 - also of what no event tells
                await asyncio.sleep(LOOKS_S)
        return self.table

    def said(self, kind: type[Event]) -> list[Any]:
        """What the table took of a kind."""
        return [
            one for one, taken in self.taken if isinstance(one, kind) and not taken.step.refused
        ]

    def strikes(self, device: str, fault: str) -> None:
        """A fault of the menu, now."""
        [one] = [one for one in self._simulated.devices if one.name == device]
        one.faults.switch_on(Fault(fault, seed=SEED))
        self._simulated.stirred(one)

    def deals(self, hand: str, in_round: int) -> None:
        self._hand, self._round = hand, in_round

    def _told(self, event: Event, taken: Taken) -> None:
        self.taken.append((event, taken))
        table = taken.step.table
        was_locked = isinstance(event, events.LockOutPressed) and not taken.step.refused
        if was_locked and self._hand and table.round >= self._round:
            seats = [seat.number for seat in table.in_round()]
            lucky = next((n for n in seats if "progressive" in table.seat(n).wagers), None)
            if lucky is None:
                return  # a busy PC has missed an acceptor for too long; there is a next round
            assert table.deck is not None
            # Five cards for each seat, in their order.
            first = 5 * seats.index(lucky)
            top = self.performer.world.top
            top.exchange(table.deck, SHOE, first, cards(self._hand))
            self._hand = ""


@contextlib.asynccontextmanager
async def playing(*some: Simulated) -> AsyncIterator[None]:
    """Each with its daemon and its crew."""
    running = []
    for one in some:
        one.service.also("crew", one.plays)
        running.append(asyncio.create_task(one.service.run(), name=f"table {one.terms.id}"))
    try:
        yield
    finally:
        for one in some:
            one.service.stop()
        await asyncio.gather(*running)
