"""What is expected of each fault in each phase: read from ``outcomes.toml``, and compared.

An expectation has parts: what comes in this round, in the next one, and "soon" in either.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulators.faults import MENU, WIRE
from tests.scenarios.rigged import PHASES, Case
from tests.scenarios.watching import NOTHING, WORDS

FILE = Path(__file__).with_name("outcomes.toml")
LINES = ("panel", "shuffler", "shoe", "acceptors", "sign", "terminals")
NEXT, SOON = "next round", "soon"


@dataclass(frozen=True, slots=True)
class Expected:
    text: str
    now: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    soon: frozenset[str] = frozenset()
    #: Words that may be missing.
    spare: frozenset[str] = frozenset()

    @classmethod
    def read(cls, text: str) -> Expected:
        parts: dict[str, set[str]] = {"": set(), NEXT: set(), SOON: set()}
        spare: set[str] = set()
        for part in text.split("; "):
            head = next((one for one in (NEXT, SOON) if part.startswith(f"{one}: ")), "")
            for word in part.removeprefix(f"{head}: ").split(", "):
                bare = word.strip("()")
                if bare.partition(":")[0] not in WORDS:
                    raise ValueError(f"{bare!r} is none of the words")
                if bare != NOTHING:
                    parts[head].add(bare)
                    spare |= {bare} if word != bare else set()
        now, later, soon = (frozenset(parts[head]) for head in ("", NEXT, SOON))
        return cls(text, now, later, soon, frozenset(spare))

    def differs(self, now: Collection[str], later: Collection[str]) -> str:
        """How what was seen differs, in words; nothing if it does not."""
        found = []
        for seen, allowed in ((now, self.now), (later, self.later)):
            found += [f"not expected: {word}" for word in seen if word not in allowed | self.soon]
            found += [
                f"missing: {word}" for word in sorted(allowed - self.spare) if word not in seen
            ]
        at_all = {*now, *later}
        found += [f"missing: {word}" for word in sorted(self.soon - self.spare - at_all)]
        return "; ".join(found)


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    at: tuple[str, ...]
    by: tuple[str, ...]
    why: str
    #: As they stand in the file: a phase, or one to another.
    spans: dict[str, str]
    #: The tables that it is about; this book's own if it names none.
    tables: tuple[str, ...] = ()

    def by_phase(self) -> dict[str, Expected]:
        found: dict[str, Expected] = {}
        for span, text in self.spans.items():
            for phase in phases(span):
                if phase in found:
                    raise ValueError(f"{self.name} has {phase} twice")
                found[phase] = Expected.read(text)
        if set(found) != set(PHASES):
            raise ValueError(f"{self.name} has no {set(PHASES) - set(found)}")
        return found


def phases(span: str) -> tuple[str, ...]:
    first, _, last = span.partition(" to ")
    start, end = PHASES.index(first), PHASES.index(last or first)
    return PHASES[start : end + 1]


def _row(data: dict[str, Any]) -> Row:
    spans = {key: text for key, text in data.items() if isinstance(text, str)}
    name, why = spans.pop("name"), spans.pop("why")
    return Row(
        name, tuple(data["at"]), tuple(data["by"]), why, spans, tuple(data.get("tables", ()))
    )


def rows(part: str = "fault") -> list[Row]:
    return [_row(data) for data in tomllib.loads(FILE.read_text(encoding="utf-8"))[part]]


def expected() -> dict[tuple[str, str, str], Expected]:
    """By fault, place and phase."""
    found: dict[tuple[str, str, str], Expected] = {}
    for row in rows():
        for where in row.at:
            for phase, one in row.by_phase().items():
                if (row.name, where, phase) in found:
                    raise ValueError(f"{row.name} at {where} is there twice")
                found[row.name, where, phase] = one
    return found


def expected_at(case: Case) -> Expected:
    """At another table: what its own rulebook says, or else the same."""
    for row in rows("elsewhere"):
        if case.table in row.tables and case.fault == row.name and case.where in row.at:
            return row.by_phase()[case.phase]
    return expected()[case.fault, case.where, case.phase]


def places(fault: str) -> Iterator[str]:
    """Where a fault of the menu can be, at a table without devices of a vendor's own kind."""
    for of in MENU[fault].of:
        if of == "other":
            continue
        yield from (f"wire {line}" for line in LINES) if of == WIRE else (of,)
