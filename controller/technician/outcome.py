"""What comes of a replay: the same, or where it first did something else."""

from __future__ import annotations

from dataclasses import dataclass, field

from controller.table.events import Event
from controller.table.state import Table
from controller.technician.logs import Logged


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the replay did something else than the record."""

    wire: str
    where: str
    at_us: int
    what: str
    recorded: str
    replayed: str
    #: The records before it.
    before: tuple[Logged, ...]


@dataclass(slots=True)
class Outcome:
    difference: Difference | None = None
    records: int = 0
    #: Frames that felt sent, and that the replay sent too.
    frames: int = 0
    events: int = 0
    #: Of these, what the replayed devices said; the others came from people, timers and draws.
    from_devices: int = 0
    #: What was not replayed, or not checked, and why.
    remarks: list[str] = field(default_factory=list)
    #: The first record that is not as it was written, or can't be read in the middle of a log. What
    #: follows on its wire was not compared; all other wires were.
    damage: Difference | None = None
    #: Wires whose records end before the others do, or have a gap that felt itself wrote down: what
    #: follows on them was not compared.
    gaps: list[str] = field(default_factory=list)

    def then(self, other: Outcome, opening: int) -> Outcome:
        """This one and what comes after it; ``opening``: remarks that it repeats."""
        return Outcome(
            other.difference,
            self.records + other.records,
            self.frames + other.frames,
            self.events + other.events,
            self.from_devices + other.from_devices,
            [*self.remarks, *other.remarks[opening:]],
            self.damage or other.damage,
            [*self.gaps, *other.gaps],
        )

    @property
    def first(self) -> Difference | None:
        """What is not the same. A difference ends the replay, so damage came before it."""
        return self.damage or self.difference

    @property
    def identical(self) -> bool:
        """All of it was compared, and is the same."""
        return self.first is None and not self.gaps


@dataclass(frozen=True, slots=True)
class Parting:
    """How all stood where felt as it is now leaves the record, for whoever goes on from there."""

    #: Before the event with which it does, if it is one.
    table: Table
    event: Event | None
    at_us: int
    utc_us: int


class Differs(Exception):
    def __init__(self, what: str, recorded: str, replayed: str, event: Event | None = None) -> None:
        """``event`` is what felt as it is now takes there, if it takes anything."""
        super().__init__(what)
        self.parts = (what, recorded, replayed)
        self.event = event


class NotWhole(Differs):
    """Log and journal do not belong together: felt as it is now has no part in that."""
