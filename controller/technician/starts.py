"""Where a replay can begin: at the start of felt, or where it wrote down all that it knew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any

from controller.technician.logs import Logged, Run, Wire
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


def latest(run: Run, by_us: int | None) -> Start | None:
    """The last one up to this time. Without a time, none if the logs go back to felt's own start.

    Then the first one, if the oldest files were let go.
    """
    if by_us is None and not any(wire.begins_late for wire in run.wires.values()):
        return None
    found: Start | None = None
    for at_us, entry in _moments(run):
        if by_us is not None and at_us > by_us:
            break
        if (start := _at(run, at_us, entry)) is not None:
            found = start
            if by_us is None:
                break
    return found


def of_entry(run: Run, entry: int) -> Start | None:
    """The one that goes with this entry of the journal; none for felt's own start."""
    for at_us, number in _moments(run):
        if number == entry:
            return _at(run, at_us, entry)
    return None


def _moments(run: Run) -> Iterator[tuple[int, int]]:
    """When there was one, and the entry that it goes with, by the first wire that has them."""
    for wire in run.wires.values():
        found = False
        for logged in wire.records(having=_STATE):
            if (entry := _entry(logged)) is not None:
                found = True
                yield logged.at_us, entry
        if found:
            return


def _at(run: Run, at_us: int, entry: int) -> Start | None:
    wires: dict[str, dict[str, Any]] = {}
    utc_us = at_us
    for name, wire in run.wires.items():
        if (found := _state_of(wire, at_us, entry)) is not None:
            utc_us, wires[name] = found
    return Start(at_us, utc_us, entry, wires) if wires else None


def _state_of(wire: Wire, at_us: int, entry: int) -> tuple[int, dict[str, Any]] | None:
    for logged in wire.records(having=_STATE):
        if logged.at_us == at_us and _entry(logged) == entry:
            assert isinstance(logged.record, Remark)
            try:
                memory = json.loads(logged.record.text.split(" ", 2)[2])
            except (ValueError, IndexError):
                return None
            return (logged.utc_us, memory) if isinstance(memory, dict) else None
    return None


def _entry(logged: Logged) -> int | None:
    record = logged.record
    if not isinstance(record, Remark) or record.word != "state":
        return None
    word, _, rest = record.text.partition(" ")
    number = rest.partition(" ")[0]
    return int(number) if word == "entry" and number.isdecimal() else None


def beginning(wire: Wire, start: Start | None) -> Iterator[Logged]:
    """A wire's records from there on, with the one that says how felt stood, if it has it."""
    records = wire.records()
    if start is None:
        return records
    if wire.name not in start.wires:
        return (one for one in records if one.at_us >= start.at_us)
    return dropwhile(lambda one: one.at_us != start.at_us or _entry(one) != start.entry, records)
