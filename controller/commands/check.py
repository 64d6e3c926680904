"""``felt check``: whether a rulebook or a table file is sound, before a table depends on it."""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

from controller.library import Library, read_file
from controller.rules.faults import Refused, listed
from controller.tables import read_table


def run(given: argparse.Namespace) -> int:
    code = 0
    for file in given.files:
        try:
            said = checked(file, Library(*given.folder))
        except Refused as refused:
            sys.stderr.write(f"felt check: {refused}\n")
            code = 2
            continue
        sys.stdout.write(f"{file}: {said}\n")
    return code


def checked(file: Path, library: Library) -> str:
    """What a sound file holds, in one line."""
    if _names_a_rulebook(file):
        terms = read_table(file, library)
        book = terms.ruleset.rulebook
        return (
            f"table {terms.id}: {book.title}, {book.jurisdiction}, {terms.seats} seats, "
            f"{terms.method}; wagers {listed(terms.ruleset.offered)}"
        )
    rulebook = read_file(file)
    columns = sum(len(rulebook.columns(table)) for table in rulebook.paytables)
    return (
        f"{rulebook.title}, {rulebook.jurisdiction}: {len(rulebook.wagers)} wagers, "
        f"{columns} paytables, {len(rulebook.choices)} choices"
    )


def _names_a_rulebook(file: Path) -> bool:
    """A table file says which rulebook it plays; a rulebook says what it is."""
    try:
        return "rulebook" in tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # whatever is wrong with it is told when it is read
