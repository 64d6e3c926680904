"""Device logs as they are found: many files, of several wires and several starts of felt.

Files are put together by what they say of themselves and not by their names: logs are copied and
renamed. Nothing that is damaged stops anybody: what can be read is, and the rest is named with its
file and line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from controller.rules.faults import Refused
from drivers.wire.devicelog import OTHER_FORMAT, Bytes, Clock, Damage, Header, Remark, read_numbered

#: More than a busy day of one table.
MAX_RECORDS = 20_000_000
#: Of damage: when there is more, the rest is counted.
MAX_DAMAGE = 100


class Logged(NamedTuple):
    """One record, with where it stands and when it was."""

    #: Microseconds by the clock that never steps: the same for all wires of a run.
    at_us: int
    #: Microseconds since 1970, by the clock of the table PC.
    utc_us: int
    wire: str
    record: Bytes | Remark | Clock
    file: Path
    line: int


@dataclass(slots=True)
class Wire:
    """What one wire's log has of one start of felt."""

    name: str
    header: Header
    records: list[Logged] = field(default_factory=list)
    #: The first part is missing: the oldest files were let go.
    begins_late: bool = False

    @property
    def given(self) -> dict[str, Any]:
        """What the table file said of it."""
        try:
            found = json.loads(self.header.fact("wire") or "{}")
        except ValueError:
            found = None
        return found if isinstance(found, dict) else {}


@dataclass(slots=True)
class Run:
    """All wires of one start of felt at one table."""

    table: str
    id: str
    #: The last entry of the journal before it.
    after_entry: int
    wires: dict[str, Wire] = field(default_factory=dict)

    def records(self) -> Iterator[Logged]:
        """Of all wires, in their order in time."""
        together = [one for wire in self.wires.values() for one in wire.records]
        # Stable: what happened at one moment on one wire stays in its order.
        return iter(sorted(together, key=lambda one: one.at_us))


@dataclass(slots=True)
class Logs:
    runs: list[Run] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    #: Damage beyond what is kept.
    more_damage: int = 0

    def damaged(self, found: Damage) -> None:
        if len(self.damage) < MAX_DAMAGE:
            self.damage.append(found)
        else:
            self.more_damage += 1

    def said(self) -> list[str]:
        """What could not be read, a line each."""
        found = [f"{one.file}:{one.line}: skipped: {one.what}" for one in self.damage]
        return [*found, f"and {self.more_damage} more"] if self.more_damage else found


def files_of(paths: Iterable[Path]) -> list[Path]:
    """The files, and those in folders by their names; ``Refused`` if there is none."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(one for one in path.iterdir() if _is_log(one))
        elif path.exists():
            found.append(path)
        else:
            raise Refused(str(path), "is not there", "name device logs, or the folder they are in")
    if not found:
        raise Refused("logs", "none were found", "name device logs, or the folder they are in")
    return found


def _is_log(path: Path) -> bool:
    return path.name.endswith((".log", ".log.gz"))


def read(paths: Iterable[Path]) -> Logs:
    """All that the files have, by run and by wire."""
    logs = Logs()
    runs: dict[tuple[str, str], Run] = {}
    left = MAX_RECORDS
    for path in files_of(paths):
        wire: Wire | None = None
        start_us = ahead_us = last_us = 0
        for line, record in read_numbered(path):
            if isinstance(record, Damage):
                logs.damaged(record)
                if record.what.startswith(OTHER_FORMAT):
                    wire = None  # what follows is not of the section before
            elif isinstance(record, Header):
                start_us, ahead_us, problem = _times(record)
                if problem:
                    logs.damaged(Damage(path, line, problem))
                wire = _wire(runs, record)
                last_us = 0
            elif wire is None:
                logs.damaged(Damage(path, line, "a record before any header"))
            else:
                if record.at_us < last_us:
                    logs.damaged(Damage(path, line, "its time is before that of the record above"))
                last_us = record.at_us
                at_us = start_us + record.at_us
                if isinstance(record, Clock):
                    ahead_us = record.utc_us - at_us
                left -= 1
                if left < 0:
                    raise Refused(str(path), f"has too much: {MAX_RECORDS} records", "name fewer")
                wire.records.append(Logged(at_us, at_us + ahead_us, wire.name, record, path, line))
    logs.runs = sorted(runs.values(), key=_first_utc)
    return logs


def _first_utc(run: Run) -> int:
    return min((w.records[0].utc_us for w in run.wires.values() if w.records), default=0)


def _wire(runs: dict[tuple[str, str], Run], header: Header) -> Wire:
    id_, _, after = header.fact("run").partition(" after entry ")
    key = (header.fact("table"), id_)
    run = runs.get(key)
    if run is None:
        run = runs[key] = Run(*key, int(after) if after.isdecimal() else 0)
    name = header.fact("line") or "?"
    wire = run.wires.get(name)
    if wire is None:
        late = header.fact("part") not in ("", "1")
        wire = run.wires[name] = Wire(name, header, begins_late=late)
    return wire


def _times(header: Header) -> tuple[int, int, str]:
    """When a section began, by the running clock, and how far the one on the wall is ahead."""
    seconds, dot, micros = header.fact("monotonic").partition(".")
    if not dot or not (seconds + micros).isdecimal() or len(micros) != 6:
        return 0, 0, f"the header has no usable monotonic: {header.fact('monotonic')[:40]!r}"
    start_us = int(seconds) * 1_000_000 + int(micros)
    try:
        utc = datetime.fromisoformat(header.fact("utc"))
        return start_us, round(utc.timestamp() * 1e6) - start_us, ""
    except ValueError:
        return start_us, 0, f"the header has no usable utc: {header.fact('utc')[:40]!r}"
