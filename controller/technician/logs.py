"""Device logs as they are found: many files, of several wires and several starts of felt.

Files are put together by what they say of themselves and not by their names: logs are copied and
renamed. Only their headers are read at first, and records when somebody wants them, one after the
other: a log may be longer than the memory. Nothing that is damaged stops anybody: what can be read
is, and the rest is named with its file and line.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

from controller.rules.faults import Refused
from drivers.wire.devicelog import Bytes, Clock, Damage, Header, Quiet, Record, Remark
from drivers.wire.logreading import OTHER_FORMAT, Tail, read_handfuls, read_headers

#: Records that say nothing of the log itself.
_HAPPENS = (Bytes, Remark, Quiet)
#: Makes a record in half the time of its own constructor.
_new = tuple.__new__
#: Of damage: when there is more, the rest is counted.
MAX_DAMAGE = 100


#: Sections of the table file of which a header has what concerns the devices of its wire.
BESIDE = ("approved", "serial_numbers")


class Logged(NamedTuple):
    """One record, with where it stands and when it was."""

    #: Microseconds by the clock that never steps: the same for all wires of a run.
    at_us: int
    #: Microseconds since 1970, by the clock of the table PC.
    utc_us: int
    wire: str
    #: Damage, where a record can't be read: at the time of the one before it.
    record: Bytes | Remark | Clock | Quiet | Damage
    file: Path
    line: int


class Place(NamedTuple):
    """Where a record stands."""

    file: Path
    line: int
    #: How far the clock on the wall was ahead there of the one that never steps.
    ahead_us: int


class Part(NamedTuple):
    """One section of a file."""

    file: Path
    #: Which of the file's sections it is, from 0.
    section: int
    #: When it began, and how far the clock on the wall was ahead of the one that never steps.
    start_us: int
    ahead_us: int
    #: The last check of the part before it; nothing in the first.
    after: str = ""


@dataclass(slots=True)
class Wire:
    """What one wire's log has of one start of felt."""

    name: str
    header: Header
    #: By when they began.
    parts: list[Part] = field(default_factory=list)
    #: The first part is missing: the oldest files were let go.
    begins_late: bool = False
    #: Is told of what can't be read.
    damaged: Damages | None = None
    #: The headers of the parts: a copy has the same.
    _headers: dict[Header, Part] = field(default_factory=dict)

    def add(self, part: Part, header: Header) -> Part | None:
        """Another part; the one that is there already, if it is a copy of that."""
        if (same := self._headers.setdefault(header, part)) is not part:
            return same
        self.parts.append(part)
        return None

    @property
    def given(self) -> dict[str, Any]:
        """What the table file said of it."""
        try:
            found = json.loads(self.header.fact("wire") or "{}")
        except ValueError:
            found = None
        return found if isinstance(found, dict) else {}

    @property
    def first_us(self) -> tuple[int, int]:
        """When it begins, by the clock that never steps and since 1970."""
        part = self.parts[0]
        return part.start_us, part.start_us + part.ahead_us

    def records(self, having: bytes = b"", since: Place | None = None) -> Iterator[Logged]:
        """Read them now, one after the other; ``having`` is in the lines that are wanted.

        Only those ``since`` a place, with the one that stands there.
        """
        return chain.from_iterable(self._handfuls(having, since))

    def _handfuls(self, having: bytes, since: Place | None) -> Iterator[list[Logged]]:
        check: int | None = None
        for file, parts in groupby(self.parts, key=lambda one: one.file):
            if since is None or since.file == file:
                here = {part.section: part for part in parts}
                reading = _Reading(self.name, file, here, self.damaged, check)
                yield from reading.handfuls(having, since)
                check, since = reading.check, None


class _Reading:
    """One file of a wire, while it is read."""

    __slots__ = (
        "_ahead_us",
        "_damages",
        "_file",
        "_last_us",
        "_name",
        "_outside",
        "_part",
        "_parts",
        "_section",
        "_start_us",
        "_tail",
        "check",
    )

    def __init__(
        self,
        name: str,
        file: Path,
        parts: dict[int, Part],
        damages: Damages | None,
        check: int | None,
    ) -> None:
        self._name = name
        self._file = file
        #: By their sections.
        self._parts = parts
        self._damages = damages
        #: The last one of the part before; in the end, of the last part here.
        self.check = check
        self._tail = Tail()
        self._section = -1
        self._part: Part | None = None
        self._outside = True
        self._start_us = self._ahead_us = self._last_us = 0

    def handfuls(self, having: bytes, since: Place | None) -> Iterator[list[Logged]]:
        """The records, many at once; but damage is told no sooner than somebody gets there."""
        name, file = self._name, self._file
        first = since.line if since is not None else 0
        for handful in read_handfuls(file, having, first, self._tail):
            found: list[Logged] = []
            for line, record in handful:
                if since is not None and line >= since.line:
                    # The clock may have been set in what was passed over.
                    self._ahead_us, since = since.ahead_us, None
                if (
                    isinstance(record, _HAPPENS)
                    and record.at_us >= self._last_us
                    and self._part is not None
                ):
                    # Nearly all are such.
                    self._last_us = record.at_us
                    at_us = self._start_us + record.at_us
                    utc_us = at_us + self._ahead_us
                    found.append(_new(Logged, (at_us, utc_us, name, record, file, line)))
                else:
                    if found:
                        yield found
                    found = self._other(line, record, is_whole=not having)
            if found:
                yield found
        if self._part is not None:
            self.check = self._tail.check

    def _other(self, line: int, record: Record | Damage, *, is_whole: bool) -> list[Logged]:
        """A header, damage, a clock that was set, a record that is older than the one before it."""
        if isinstance(record, Header):
            return self._begun(line)
        if isinstance(record, Damage):
            self._damaged(record)
            if record.what.startswith(OTHER_FORMAT):
                # What follows is not of the section before.
                self._part, self._outside = None, True
        elif self._part is not None:
            if record.at_us < self._last_us and is_whole:
                what = "its time is before that of the record above"
                self._damaged(Damage(self._file, line, what))
            self._last_us = record.at_us
            if isinstance(record, Clock):
                self._ahead_us = record.utc_us - self._start_us - record.at_us
        elif self._outside:
            self._damaged(Damage(self._file, line, "a record before any header"))
        return [self._logged(record, line)] if self._part is not None else []

    def _begun(self, line: int) -> list[Logged]:
        """A section: what is missing, if it does not begin where the one before it ended."""
        self._section += 1
        if self._part is not None:
            self.check = self._tail.check
        self._part, self._outside = self._parts.get(self._section), False
        if (part := self._part) is None:
            return []
        self._start_us, self._ahead_us, self._last_us = part.start_us, part.ahead_us, 0
        if self.check is None or not part.after or part.after == f"{self.check:04x}":
            return []
        said = f"ends with {self.check:04x}, not {part.after}"
        what = Damage(part.file, line, f"the log before this part is not whole: it {said}")
        self._damaged(what)
        return [self._logged(what, line)]

    def _logged(self, record: Bytes | Remark | Clock | Quiet | Damage, line: int) -> Logged:
        at_us = self._start_us + self._last_us
        return Logged(at_us, at_us + self._ahead_us, self._name, record, self._file, line)

    def _damaged(self, what: Damage) -> None:
        if self._damages is not None:
            self._damages.add(what)


@dataclass(slots=True)
class Run:
    """All wires of one start of felt at one table."""

    table: str
    id: str
    #: The last entry of the journal before it.
    after_entry: int
    wires: dict[str, Wire] = field(default_factory=dict)

    @property
    def named(self) -> set[str]:
        """The wires that the table had, as their logs say."""
        said = (wire.header.fact("wires").split() for wire in self.wires.values())
        return {name for names in said for name in names}

    def records(self) -> Iterator[Logged]:
        """Of all wires, in their order in time."""
        # Stable: what happened at one moment on one wire stays in its order.
        each = [wire.records() for wire in self.wires.values()]
        return heapq.merge(*each, key=lambda one: one.at_us)


@dataclass(slots=True)
class Damages:
    """What could not be read. Each line counts once, however often a log is gone through."""

    first: dict[tuple[Path, int], Damage] = field(default_factory=dict)
    #: Beyond what is kept.
    more: int = 0
    _furthest: dict[Path, int] = field(default_factory=dict)

    def add(self, found: Damage) -> None:
        if (found.file, found.line) in self.first:
            return
        if len(self.first) < MAX_DAMAGE:
            self.first[found.file, found.line] = found
        elif found.line > self._furthest.get(found.file, -1):
            self._furthest[found.file] = found.line
            self.more += 1

    def said(self) -> list[str]:
        """A line each."""
        found = [f"{one.file}:{one.line}: skipped: {one.what}" for one in self.first.values()]
        return [*found, f"and {self.more} more"] if self.more else found


@dataclass(slots=True)
class Logs:
    runs: list[Run] = field(default_factory=list)
    #: Grows while records are read.
    damage: Damages = field(default_factory=Damages)


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
    """What the files have, by run and by wire."""
    logs = Logs()
    runs: dict[tuple[str, str], Run] = {}
    for path in files_of(paths):
        section = -1
        for line, header in read_headers(path):
            if isinstance(header, Damage):
                logs.damage.add(header)
                continue
            section += 1
            start_us, ahead_us, problem = _times(header)
            if problem:
                logs.damage.add(Damage(path, line, problem))
            wire = _wire(runs, header)
            wire.damaged = logs.damage
            part = Part(path, section, start_us, ahead_us, header.fact("after"))
            if (again := wire.add(part, header)) is not None:
                what = f"the same stretch of {wire.name} as in {again.file}"
                logs.damage.add(Damage(part.file, line, what))
        if section < 0:
            logs.damage.add(Damage(path, 1, "no header of a device log is in it"))
    for run in runs.values():
        for wire in run.wires.values():
            wire.parts.sort(key=lambda one: one.start_us)
    logs.runs = sorted(runs.values(), key=_first_utc)
    return logs


def _first_utc(run: Run) -> int:
    return min((wire.first_us[1] for wire in run.wires.values()), default=0)


def apart(said: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a header has of the table file: the wire's own section, and what other sections say."""
    wire, beside = dict(said), dict[str, Any]()
    for section in BESIDE:
        if isinstance(known := wire.pop(section, None), dict):
            beside[section] = known
    return wire, beside


def _wire(runs: dict[tuple[str, str], Run], header: Header) -> Wire:
    id_, _, after = header.fact("run").partition(" after entry ")
    key = (header.fact("table"), id_)
    run = runs.get(key)
    if run is None:
        run = runs[key] = Run(*key, int(after) if after.isdecimal() else 0)
    name = header.fact("line") or "?"
    first = header.fact("part") in ("", "1")
    wire = run.wires.get(name)
    if wire is None:
        wire = run.wires[name] = Wire(name, header, begins_late=not first)
    wire.begins_late &= not first
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
