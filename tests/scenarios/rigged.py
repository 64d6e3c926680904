"""A table that is played until a phase, has one fault there, and is played on.

Few seats: what a fault comes to does not depend on how many sit there, and each costs time. The
journal lies in memory where there is such a place, because nobody cuts the power here.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.demo.performer import Stuck
from controller.demo.table import Options, SimulatedTable
from controller.demo.totals import Totals, differences
from controller.library import Library, shipped
from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.table.state import Table
from controller.tables import read_file
from simulators import virtual_time
from simulators.device import Device
from simulators.faults import Fault
from simulators.port import PtyPort
from tests.scenarios.invariants import Invariants
from tests.scenarios.watching import Watcher

PHASES = (
    "shuffling", "betting", "locked", "dealing", "deciding", "revealing", "settling", "clearing",
)  # fmt: skip
SEATS = 2
ROUNDS = 2
#: With this one both seats play, and only the first takes the progressive, in both rounds.
SEED = 2
PAUSE_S = 0.25
STARTS_AT = 1_767_225_600.0
IN_MEMORY = Path("/dev/shm")
#: The seat at whose devices faults are.
SEAT = 1
#: The seat that has no progressive down in these rounds, and whose player is late with one.
LATE_SEAT = 2


@dataclass(frozen=True, slots=True)
class Case:
    fault: str
    #: A device, or "wire" and the name of a line.
    where: str
    phase: str
    table: str = "pa-639a"
    method: str = ""

    def __str__(self) -> str:
        more = f"-{self.table}" + (f"-{self.method}" if self.method else "")
        return f"{self.fault}-{self.where}-{self.phase}{more}".replace(" ", "_")


@dataclass(frozen=True, slots=True)
class Played:
    #: The words of this round and of the next.
    now: tuple[str, ...]
    later: tuple[str, ...]
    #: What was held and by which role it was cleared, and for what it was held.
    cleared: tuple[tuple[str, str], ...]
    causes: tuple[str, ...]
    #: What must never be, and was.
    wrong: tuple[str, ...]


def has_come(case: Case, event: Event, table: Table) -> bool:
    """The moment in a phase at which there is most to go wrong."""
    phase = case.phase
    match phase:
        case "betting" if case.fault == "late-wager":
            # The one who is late has an ante down.
            return isinstance(event, events.WagerPlaced) and event.seat == LATE_SEAT
        case "shuffling":
            cycle = isinstance(event, events.ShuffleStarted | events.ShuffledByHand)
            return table.phase == phase and cycle
        case "betting":
            return table.phase == phase and isinstance(event, events.WagerPlaced)
        case "dealing":
            return table.phase == phase and table.deal.done > 0
    return table.phase == phase


@contextmanager
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="felt-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def table_file(table: str, method: str = "", seats: int = SEATS) -> dict[str, Any]:
    data = read_file(shipped("tables") / f"{table}.toml")
    data["options"]["seats"] = seats
    if method:
        data["method"] = method
    return data


class Rigged:
    def __init__(self, case: Case, where: Path, seed: int = SEED) -> None:
        self._case = case
        self._library = Library()
        options = Options(seed=seed, pause=PAUSE_S, broker=False, starts_at=STARTS_AT)
        data = table_file(case.table, case.method)
        self.simulated = SimulatedTable(data, where, self._library, options)
        self._seed = seed
        self._has_struck = False

    def run(self) -> Played:
        self.wrong: list[str] = []
        try:
            virtual_time.run(self._play)
        except* Stuck as errors:
            self.watcher.found.append("stuck")
            self.wrong.append(str(errors.exceptions[0]))
        else:
            self.wrong += self._amiss()
        watcher = self.watcher
        return Played(
            tuple(watcher.now),
            tuple(watcher.later),
            tuple(watcher.cleared),
            tuple(watcher.causes),
            tuple(self.wrong),
        )

    async def _play(self) -> None:
        service = self.simulated.service(self._said)
        table, terms = service.recorder.table, service.recorder.terms
        self.totals, self.watcher = Totals(terms, table), Watcher(table)
        self.invariants = Invariants(terms, table, self.simulated.world)
        performer = self.simulated.performer(service)
        for listener in (self.totals.told, self.invariants.told, self.watcher.told, self._told):
            service.listen(listener)

        async def play() -> None:
            await performer.plays(ROUNDS)
            service.stop()

        service.also("crew", play)
        await service.run()
        self.table = service.recorder.table

    def _amiss(self) -> Iterator[str]:
        simulated = self.simulated
        journal = simulated.configuration.journal
        yield from differences(self.totals, self.table, simulated.world, journal, self._library)
        yield from self.invariants.at_the_end()
        if not self._has_struck:
            yield f"the table was never {self._case.phase}"
        for device in simulated.devices:
            yield from (f"{device.name} was told {error}" for error in device.errors)

    # --- The fault --------------------------------------------------------------

    def _told(self, event: Event, taken: Taken) -> None:
        if self._has_struck or taken.step.refused:
            return
        if has_come(self._case, event, taken.step.table):
            self._has_struck = True
            self.watcher.struck(taken.step.table)
            self._strike()

    def _said(self, what: str, **facts: Any) -> None:
        self.watcher.said({device.name for device in self._devices()}, what, facts)

    @property
    def _line(self) -> PtyPort:
        case, ports = self._case, self.simulated.ports
        if case.where.startswith("wire "):
            return ports[case.where.removeprefix("wire ")]
        return next(
            port for port in ports.values() for one in port.end.devices if one.name == self._name
        )

    @property
    def _name(self) -> str:
        """Of one device, or of the one at the first seat."""
        at_seats = self._case.where in ("acceptor", "terminal")
        return f"{self._case.where} {SEAT}" if at_seats else self._case.where

    def _devices(self) -> tuple[Device, ...]:
        every = self._line.end.devices
        if self._case.where.startswith("wire "):
            return every
        return tuple(one for one in every if one.name == self._name)

    def _strike(self) -> None:
        name, line = self._case.fault, self._line
        if self._case.where.startswith("wire "):
            line.outward.faults.switch_on(Fault(name, seed=self._seed))
            if name == "unplug":
                # A cable that is out carries nothing either way.
                line.inward.faults.switch_on(Fault(name, seed=self._seed))
        else:
            [device] = self._devices()
            device.faults.switch_on(Fault(name, seed=self._seed))
            if name == "false-count":
                # It says 52 whatever there is: so that it matters, one is missing.
                device.faults.switch_on(Fault("wrong-count"))
            if name == "late-wager":
                self._chip()
        line.kick()

    def _chip(self) -> None:
        """A chip at this very moment, at the seat that has none down in this round."""
        world = self.simulated.world
        other = world.acceptors[LATE_SEAT]
        other.faults.switch_on(Fault("late-wager", seed=self._seed))
        world.top.fund(f"player {other.seat}", 100)
        other.insert(100)


def played(case: Case) -> Played:
    with folder() as where:
        return Rigged(case, where).run()
