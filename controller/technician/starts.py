"""Where a replay can begin: at the start of felt, or where it wrote down all that it knew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from controller.technician.logs import Logged, Place, Run, Wire
from drivers.wire.devicelog import Remark

_STATE = b" state "


@dataclass(frozen=True, slots=True)
class Start:
    """A moment at which nothing was on its way."""

    at_us: int
    utc_us: int
    #: The last entry of the journal before it.
    entry: int
    #: What felt knew of each wire.
    wires: dict[str, dict[str, Any]]
    #: Where that stands in its log.
    places: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class Moment:
    """Where such a moment stands in the logs; what felt knew is not read yet."""

    at_us: int
    entry: int
    places: Mapping[str, Place]

    def read(self, run: Run) -> Start | None:
        """None if no log has anything that can be read."""
        wires: dict[str, dict[str, Any]] = {}
        utc_us = self.at_us
        for name, place in self.places.items():
            if (memory := _memory(run.wires[name], place)) is not None:
                wires[name] = memory
                utc_us = self.at_us + place.ahead_us
        places = {name: self.places[name] for name in wires}
        return Start(self.at_us, utc_us, self.entry, wires, places) if wires else None


def moments(run: Run) -> list[Moment]:
    """All of them, by their time."""
    found: dict[tuple[int, int], dict[str, Place]] = {}
    for name, wire in run.wires.items():
        for logged in wire.records(having=_STATE):
            if (entry := entry_of(logged)) is not None:
                place = Place(logged.file, logged.line, logged.utc_us - logged.at_us)
                found.setdefault((logged.at_us, entry), {})[name] = place
    return [Moment(at_us, entry, found[at_us, entry]) for at_us, entry in sorted(found)]


def latest(run: Run, by_us: int | None) -> Start | None:
    """The last one up to this time. Without a time, none if the logs go back to felt's own start.

    Then the first one, if the oldest files were let go: of one wire more than of another, so it is
    the first that all wires have, if there is one.
    """
    if by_us is not None:
        known = [one for one in moments(run) if one.at_us <= by_us]
        return _first(run, reversed(known))
    if any(wire.begins_late for wire in run.wires.values()):
        known = moments(run)
        of_all = [one for one in known if one.places.keys() == run.wires.keys()]
        return _first(run, iter(of_all or known))
    return None


def of_entry(run: Run, entry: int) -> Start | None:
    """The one that goes with this entry of the journal; none for felt's own start."""
    return _first(run, (one for one in moments(run) if one.entry == entry))


def _first(run: Run, those: Iterator[Moment]) -> Start | None:
    return next((start for one in those if (start := one.read(run)) is not None), None)


def _memory(wire: Wire, place: Place) -> dict[str, Any] | None:
    logged = next(wire.records(since=place), None)
    if logged is None or not isinstance(logged.record, Remark):
        return None
    try:
        memory = json.loads(logged.record.text.split(" ", 2)[2])
    except (ValueError, IndexError):
        return None
    return memory if isinstance(memory, dict) else None


def entry_of(logged: Logged) -> int | None:
    """The entry that goes with what felt knew there; none if it is another record."""
    record = logged.record
    if not isinstance(record, Remark) or record.word != "state":
        return None
    word, _, rest = record.text.partition(" ")
    number = rest.partition(" ")[0]
    return int(number) if word == "entry" and number.isdecimal() else None


def beginning(wire: Wire, start: Start | None) -> Iterator[Logged]:
    """A wire's records from there on, with the one that says how felt stood, if it has it."""
    if start is None:
        return wire.records()
    if wire.name not in start.places:
        return (one for one in wire.records() if one.at_us >= start.at_us)
    return wire.records(since=start.places[wire.name])
