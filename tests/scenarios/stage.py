"""A simulated table for a scenario with a script: the crew plays where it is let, felt may restart.

Time is virtual, and goes on from one run of the daemon to the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from controller.daemon.service import Service
from controller.demo.performer import Performer, people_of
from controller.demo.table import Options, SimulatedTable
from controller.demo.totals import Totals, differences
from controller.library import Library
from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.table.people import Role
from controller.table.state import Table
from simulators import virtual_time
from tests.scenarios.invariants import Invariants
from tests.scenarios.rigged import PAUSE_S, SEED, STARTS_AT, table_file

#: Between two looks at what somebody waits for.
LOOK_S = 0.05
#: And so long at the most.
PATIENCE_S = 120.0


class Killed(Exception):
    """The daemon is no more."""


class Stage:
    service: Service
    performer: Performer

    def __init__(self, folder: Path, table: str = "pa-639a") -> None:
        self._library = Library()
        options = Options(seed=SEED, pause=PAUSE_S, broker=False, starts_at=STARTS_AT)
        self.simulated = SimulatedTable(table_file(table), folder, self._library, options)
        self.world = self.simulated.world
        self.events: list[tuple[Event, Taken]] = []
        self._totals: Totals | None = None
        self._invariants: Invariants | None = None
        self._passed = 0.0

    @property
    def table(self) -> Table:
        return self.service.recorder.table

    def run(self, script: Callable[[], Awaitable[None]]) -> None:
        """The daemon from its start to its stop, and a script beside it."""
        for port in self.simulated.ports.values():
            port.plug_in()
            port.bytes_read = port.bytes_written = 0
        self.simulated.options.starts_at = STARTS_AT + self._passed
        virtual_time.run(lambda: self._run(script), self._passed)

    def killed(self, script: Callable[[], Awaitable[None]]) -> None:
        """The same, and where the script ends the daemon ends too, in the middle of everything.

        Nothing that waits is sent or written any more, and no device is told that felt goes.
        """

        async def until_killed() -> None:
            await script()
            raise Killed

        was_killed = False
        try:
            self.run(until_killed)
        except* Killed:
            was_killed = True
        assert was_killed

    async def _run(self, script: Callable[[], Awaitable[None]]) -> None:
        self.service = service = self.simulated.service(lambda _what, **_facts: None)
        self.performer = self.simulated.performer(service)
        if self._totals is None:
            self._totals = Totals(service.recorder.terms, self.table)
            self._invariants = Invariants(service.recorder.terms, self.table, self.world)
        assert self._invariants is not None
        for listener in (self._totals.told, self._invariants.told, self._told):
            service.listen(listener)

        async def play() -> None:
            await script()
            service.stop()

        service.also("script", play)
        try:
            await service.run()
        finally:
            self._passed = asyncio.get_running_loop().time()

    def _told(self, event: Event, taken: Taken) -> None:
        self.events.append((event, taken))

    def is_away(self, seconds: float) -> None:
        """Time passes without the daemon."""
        self._passed += seconds

    # --- For scripts ------------------------------------------------------------

    async def plays_until(self, there: Callable[[], object]) -> None:
        """The crew plays up to a moment, and then keeps its hands still."""
        playing = asyncio.create_task(self.performer.plays(1000))
        try:
            await self.until(there)
        finally:
            playing.cancel()
            with suppress(asyncio.CancelledError):
                await playing

    async def until(self, there: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not there():  # noqa: ASYNC110 - also of what no event tells
                await asyncio.sleep(LOOK_S)

    async def says(self, kind: type[events.Happening], role: Role, **facts: Any) -> str:
        """Somebody tells the table something; why it is refused, if it is."""
        by = people_of(self.service.recorder.terms)[role]
        event = kind(at=self.service.clock.wall_ms(), by=by, **facts)  # type: ignore[call-arg]
        return (await self.service.core.post(event)).step.refused  # type: ignore[arg-type]

    async def presses(self, button: Any) -> None:
        self.world.panel.press(button)
        self.simulated.ports["panel"].kick()
        await asyncio.sleep(LOOK_S)

    def refusals(self, kind: type[events.Happening]) -> list[str]:
        return [
            taken.step.refused
            for event, taken in self.events
            if isinstance(event, kind) and taken.step.refused
        ]

    def amiss(self) -> list[str]:
        """What does not add up, once it is over."""
        assert self._totals is not None
        assert self._invariants is not None
        journal = self.simulated.configuration.journal
        found = differences(self._totals, self.table, self.world, journal, self._library)
        errors = [f"{one.name}: {error}" for one in self.simulated.devices for error in one.errors]
        return [*found, *self._invariants.at_the_end(), *errors]
