"""Every figure of every rulebook, changed by one: does a case at the table notice?

The cases of the printed tables run in this process, those of the same wager and column first, so
that a figure takes a fraction of a second. What they miss is given to the whole suite of the rules.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from controller.library import Library, shipped
from controller.rules.faults import Refused
from tests.controller.rules.settlement.cases import Case, all_cases

ROOT = Path(__file__).resolve().parents[2]
#: The tests that a figure is given to when no case noticed it.
SUITE = ("test_ruleset.py", "test_wagering.py", "test_roundfile.py", "settlement")
#: Whole numbers, as the files write them: 5, 1,000 or 10_000. Not those in names and clauses.
_FIGURE = re.compile(r"(?<![\w.(\[$-])\$?(\d+(?:[,_]\d+)*)(?=%| to | for |\"|,|\s|\]|\}|$)")
#: Sections whose figures nothing reads yet, are only compared with, or stand in words.
_LATER = ("[procedures", "[published", "[says", "[[says")
#: Lines that are words.
_WORDS = ("id ", "title ", "jurisdiction ", "source ", "says ", "clause ", "[")


class Figure(NamedTuple):
    rulebook: str
    line: int
    start: int
    end: int
    text: str

    def __str__(self) -> str:
        return f"{self.rulebook}.toml:{self.line + 1}: {self.text}"


def figures(rulebook: str) -> Iterator[Figure]:
    """Where the figures of a rulebook stand."""
    section = ""
    for n, line in enumerate(_lines(rulebook)):
        section = line if line.startswith("[") else section
        code = line.split("#")[0]
        if section.startswith(_LATER) or code.startswith(_WORDS):
            continue
        code = re.sub(r'"[^"]*(?:PA-|MA\.|S10)[^"]*"', lambda m: "x" * len(m[0]), code)
        for found in _FIGURE.finditer(code):
            yield Figure(rulebook, n, found.start(1), found.end(1), found[1])


def _lines(rulebook: str) -> list[str]:
    file = shipped("rulebooks") / f"{rulebook}.toml"
    return file.read_text(encoding="utf-8").splitlines()


def mutated(figure: Figure) -> str:
    """The rulebook with this figure one higher."""
    lines = _lines(figure.rulebook)
    line = lines[figure.line]
    higher = f"{int(re.sub('[,_]', '', figure.text)) + 1}"
    lines[figure.line] = line[: figure.start] + higher + line[figure.end :]
    return "\n".join(lines) + "\n"


def noticed_by(figure: Figure, cases: list[Case]) -> str | None:
    """The first that notices, or None."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{figure.rulebook}.toml").write_text(mutated(figure), encoding="utf-8")
        books = Library(Path(folder))
        try:
            books.rulebook(figure.rulebook)
        except Refused as refused:
            return f"refused: {refused.problem}"
        for case in cases:
            try:
                case.play(books)
            except Exception:  # however it shows, it was noticed
                return case.name
        return _suite(folder)


def _suite(folder: str) -> str | None:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *(f"tests/controller/rules/{part}" for part in SUITE)],
        cwd=ROOT,
        env={**os.environ, "FELT_MUTATED_RULEBOOKS": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    return failed[0] if failed else None


def survivors(rulebooks: list[str]) -> Iterator[tuple[Figure, bool]]:
    """Each figure, and whether it survived."""
    every = list(all_cases())
    for rulebook in rulebooks:
        cases = [case for case in every if case.rulebook == rulebook]
        hint = ""
        for figure in figures(rulebook):
            by = noticed_by(figure, sorted(cases, key=lambda case: case.name != hint))
            hint = by or ""
            yield figure, by is None
