"""The register: for each clause, what to break so that a test which carries the clause must fail.

Each file in ``clauses/`` has entries of two kinds.

    [[mutant]]
    clauses = ["PA-{639a,669a}.7(e)"]    # whose tests must notice, each by itself
    file = "controller/rules/wagering.py"
    after = "def may_take_boxes("        # left out where the old text is in the file once
    old = "len(boxes) > most"
    new = "len(boxes) > most + 1"

A star in ``file`` stands for the rulebook of each clause: ``config/rulebooks/*.toml``.

    [[cells]]                            # every cell of a paytable, one at a time
    book = "pa-639a"
    table = "bonus"

A clause may have several mutants; it is proven when each of them is killed by a test of its own.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "clauses"
#: What the register answers for. A record is read back by its own tests, and hands do the rest.
CLASSES = ("enforce", "prompt", "config")

_KEYS = {"clauses", "file", "after", "old", "new", "says"}
_CELL = re.compile(r'"([^"]*)"')


class RegisterError(ValueError):
    """An entry that is malformed, or that no longer fits the file it changes."""


class Mutant(NamedTuple):
    clauses: tuple[str, ...]
    file: str
    old: str
    new: str
    after: str = ""
    #: Where the entry stands, for people.
    where: str = ""

    def __str__(self) -> str:
        first = next((line for line in self.new.splitlines() if line not in self.old), self.new)
        return f"{self.where}: {self.file}: {first.strip()}"

    def applied(self, text: str) -> str:
        """The file's text with the change, if there is exactly one place for it."""
        start = 0
        if self.after:
            if text.count(self.after) != 1:
                raise RegisterError(f"{self}: {text.count(self.after)} places for 'after'")
            start = text.index(self.after)
            found = text.find(self.old, start)
        else:
            if text.count(self.old) != 1:
                raise RegisterError(f"{self}: {text.count(self.old)} places for 'old'")
            found = text.find(self.old)
        if found < 0 or self.old == self.new:
            raise RegisterError(f"{self}: changes nothing")
        return text[:found] + self.new + text[found + len(self.old) :]

    def digest(self, *texts: str) -> str:
        """What names this mutant together with the texts that its verdict rests on."""
        parts = (self.file, self.after, self.old, self.new, *texts)
        return sha256("\0".join(parts).encode()).hexdigest()[:12]


def read_register(folder: Path = FOLDER, root: Path = ROOT) -> list[Mutant]:
    """Every mutant of every file, in order."""
    found: list[Mutant] = []
    for path in sorted(folder.glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        if unknown := set(data) - {"mutant", "cells"}:
            raise RegisterError(f"{path.name}: {', '.join(sorted(unknown))}: no kind of entry")
        for n, entry in enumerate(data.get("mutant", []), 1):
            found += _mutants(f"{path.stem} {n}", entry)
        for entry in data.get("cells", []):
            found += cells(entry["book"], entry["table"], root)
    return found


def _mutants(where: str, entry: dict[str, Any]) -> Iterator[Mutant]:
    """One; or where a star stands for a rulebook, one for each whose clauses are listed."""
    if unknown := set(entry) - _KEYS:
        raise RegisterError(f"{where}: {', '.join(sorted(unknown))}: not known in an entry")
    if lacks := {"clauses", "file", "old", "new"} - set(entry):
        raise RegisterError(f"{where}: lacks {', '.join(sorted(lacks))}")
    clauses: dict[str, list[str]] = defaultdict(list)
    for clause in (clause for one in entry["clauses"] for clause in expanded(one)):
        clauses[entry["file"].replace("*", book_of(clause))].append(clause)
    for file, some in clauses.items():
        yield Mutant(tuple(some), file, entry["old"], entry["new"], entry.get("after", ""), where)


def book_of(clause: str) -> str:
    """The rulebook of a clause, by the id of its file."""
    return clause.partition(".")[0].lower()


def expanded(clause: str) -> Iterator[str]:
    """``PA-{639a,669a}.7(e)`` is two clauses, as in a shell."""
    parts = re.split(r"\{([^}]*)\}", clause)
    choices = [part.split(",") if n % 2 else [part] for n, part in enumerate(parts)]
    for some in product(*choices):
        yield "".join(some)


# --- Cells of a paytable ----------------------------------------------------


def cells(book: str, table: str, root: Path = ROOT) -> Iterator[Mutant]:
    """A mutant for every cell of a printed table, for the clause of its column."""
    file = f"config/rulebooks/{book}.toml"
    text = (root / file).read_text(encoding="utf-8")
    sheets = tomllib.loads(text)["paytables"][table]
    start = 0
    for sheet in sheets:
        start = text.index(f"[[paytables.{table}]]", start) + 1
        at = text.index("rows = [", start)
        for row in sheet["rows"]:
            at = text.index(f'["{row[0]}"', at)
            line = text[at : text.index("]", at) + 1]
            for n, column in enumerate(sheet["columns"], 1):
                clause = sheet["clause"].replace("{column}", column)
                where = f"{book} {table} {column}, {row[0]}"
                yield Mutant((clause,), file, *_changed(text, at, line, n), where)
            at += len(line)


def _changed(text: str, at: int, line: str, n: int) -> tuple[str, str, str]:
    """The line before and after its nth cell is changed, and the text that it comes after."""
    cell = list(_CELL.finditer(line))[n]
    new = line[: cell.start(1)] + otherwise(cell[1]) + line[cell.end(1) :]
    # As much of what stands before it as it takes to be the only place.
    head = at
    while text.count(text[head:at] + line) > 1:
        head = text.rindex("\n", 0, head - 1) + 1
    return text[head:at] + line, text[head:at] + new, ""


def otherwise(cell: str) -> str:
    """Another payout than a cell states, of the same kind where it has a number."""
    number = re.search(r"\d[\d,]*", cell)
    if number is None:
        return "1 to 1"
    value = int(number[0].replace(",", ""))
    other = value - 1 if "%" in cell and value == 100 else value + 1
    return f"{cell[: number.start()]}{other:,}{cell[number.end() :]}"
