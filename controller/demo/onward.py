"""A round that is played on, by simulated people on simulated devices, from where a table stands.

The service is the one that a casino installs. It finds the table in its journal, as after any
restart, and devices that stand as they would then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from controller.daemon.service import Service
from controller.demo import standing
from controller.demo.performer import Performer, Stuck
from controller.demo.table import Options, SimulatedTable
from controller.library import Library
from controller.recalling import LOCKED
from controller.recorder import Taken
from controller.table.commands import Command
from controller.table.events import Event
from controller.table.machine import Step
from controller.table.state import Table
from simulators import virtual_time
from simulators.tabletop import Impossible

#: Seconds between two acts of a person.
PAUSE_S = 0.25

#: Told of each event: how the table stood before it, and what came of it. False: enough.
Told = Callable[[Table, Event, Step], bool]
Ended = Literal["the round is over", "the time is over", "stopped"]


class Onward:
    """``folder`` has the journal already, as ``journal_in`` names it, with the table in it."""

    def __init__(
        self,
        data: Mapping[str, Any],
        folder: Path,
        library: Library,
        table: Table,
        *,
        last: Event | None,
        owed: tuple[Command, ...],
        starts_at: float,
        seed: int = 0,
    ) -> None:
        if table.phase == "closed":
            raise ValueError("nobody plays at a closed table")
        names = _names(table)
        options = Options(
            seed=seed,
            pause=PAUSE_S,
            broker=False,
            starts_at=max(starts_at, table.at / 1000),
            boots=standing.boots(table, names),
        )
        self.simulated = SimulatedTable(data, folder, library, options)
        self._table = table
        terms = self.simulated.configuration.terms
        standing.furnish(self.simulated.world, terms, table, last=last, owed=owed)
        #: The round that is played to its end.
        self.round = round_of(table)
        #: By round, how the table stood last while it was at play, with its settlement.
        self.played: dict[int, Table] = {}
        self._note(table)
        self.table = table
        self.stuck = ""

    def run(self, told: Told, *, rounds: int = 0, seconds: float | None = None) -> Ended:
        """Until that round is over, or round number ``rounds``; or so many seconds are."""
        ended: list[Ended] = []
        try:
            self._run(told, ended, max(rounds, self.round), seconds)
        except* Impossible as errors:
            # Somebody would take what is not there: the record has it elsewhere than thought.
            self.stuck = str(errors.exceptions[0])
        return ended[0] if ended else "stopped"

    def _run(self, told: Told, ended: list[Ended], rounds: int, seconds: float | None) -> None:
        async def play() -> None:
            service = self.simulated.service(lambda *_, **__: None)
            # Whoever sits there plays on; at an empty table somebody sits down.
            seats = [seat.number for seat in self._table.seats if seat.player]
            performer = self.simulated.performer(service, seats)
            enough = asyncio.Event()
            self._listen(service, told, enough)

            async def crew() -> None:
                playing = asyncio.create_task(self._plays(performer, rounds, seconds))
                waiting = asyncio.create_task(enough.wait())
                try:
                    await asyncio.wait((playing, waiting), return_when=asyncio.FIRST_COMPLETED)
                    ended.append("stopped" if enough.is_set() else playing.result())
                finally:
                    playing.cancel()
                    waiting.cancel()
                service.stop()

            service.also("crew", crew)
            await service.run()

        virtual_time.run(play)

    async def _plays(self, performer: Performer, rounds: int, seconds: float | None) -> Ended:
        try:
            async with asyncio.timeout(seconds):
                await performer.plays(rounds)
        except TimeoutError:
            return "the time is over"
        except Stuck as stuck:
            self.stuck = str(stuck)
            return "stopped"
        return "the round is over"

    def _listen(self, service: Service, told: Told, enough: asyncio.Event) -> None:
        def listener(event: Event, taken: Taken) -> None:
            before, self.table = self.table, taken.step.table
            self._note(self.table)
            if not told(before, event, taken.step):
                enough.set()

        service.listen(listener)

    def _note(self, table: Table) -> None:
        if table.phase in LOCKED:
            self.played[table.round] = table

    def amiss(self) -> list[str]:
        """What felt told a device that nobody should tell it."""
        return [
            f"the {device.name} was told what nobody should tell it: {error}"
            for device in self.simulated.devices
            for error in device.errors
        ]


def round_of(table: Table) -> int:
    """The round that is at play, or about to be: it has no number before its lock-out."""
    return table.round + (table.phase not in LOCKED)


def journal_in(folder: Path) -> Path:
    """Where the service of a simulated table keeps its journal."""
    return folder / "state" / "journal.db"


def _names(table: Table) -> list[str]:
    """The devices that said anything, as a configuration calls them."""
    found = []
    for slug in table.heard:
        kind, _, seat = slug.partition("-")
        found.append(f"{kind} {seat}" if seat else kind)
    return found
