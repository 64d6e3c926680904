"""The clauses of six regulations and the requirements, as docs/conformance/*.csv lists them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

COLUMNS = ("id", "class", "actor", "behaviour", "evidence")

#: What felt does about a clause. Nothing can sense a physical one, so no test carries it.
CLASSES = {
    "enforce": "the table cannot go on otherwise",
    "prompt": "a person is told what to do, and confirms it",
    "config": "a setting; one that the clause forbids is refused",
    "record": "written down, and found again",
    "physical": "done by hand where no device can see it: out of scope",
}

#: The order of the lists wherever they appear together; one not named here comes last.
ORDER = ("pa-639a", "s10", "ma", "pa-669a", "pa-682a", "pa-683a", "requirements")


class ListError(ValueError):
    """A list of clauses that is missing or malformed."""


class Clause(NamedTuple):
    id: str
    kind: str
    actor: str
    behaviour: str
    evidence: str


Lists = dict[str, list[Clause]]


def read_lists(folder: Path) -> Lists:
    """Every list in ``folder`` by name, in order, with no clause twice."""
    paths = sorted(folder.glob("*.csv"), key=_place)
    if not paths:
        raise ListError(f"{folder}: no list of clauses (*.csv) here")
    lists: Lists = {}
    seen: dict[str, Path] = {}
    for path in paths:
        lists[path.stem] = _read(path)
        for clause in lists[path.stem]:
            if clause.id in seen:
                raise ListError(f"{path}: {clause.id} is already in {seen[clause.id].name}")
            seen[clause.id] = path
    return lists


def _place(path: Path) -> tuple[int, str]:
    return (ORDER.index(path.stem) if path.stem in ORDER else len(ORDER), path.stem)


def _read(path: Path) -> list[Clause]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        if tuple(next(rows, ())) != COLUMNS:
            raise ListError(f"{path}: the first line is not {','.join(COLUMNS)}")
        clauses = []
        for row in rows:
            where = f"{path}:{rows.line_num}"
            if len(row) != len(COLUMNS) or not all(field.strip() for field in row):
                raise ListError(f"{where}: not {len(COLUMNS)} fields with something in each")
            clause = Clause(*row)
            if clause.kind not in CLASSES:
                raise ListError(f"{where}: {clause.kind!r} is not one of {', '.join(CLASSES)}")
            clauses.append(clause)
    return clauses
