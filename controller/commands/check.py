"""``felt check``: whether a rulebook or a table file is sound, before a table depends on it."""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

from controller import tables
from controller.library import Library, read_file
from controller.rules.faults import Refused, listed
from controller.tables import read_table

DAEMON_SECTIONS = frozenset(tables.DAEMON_SECTIONS)


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
        wired = _wired(file, library)
        return (
            f"table {terms.id}: {book.title}, {book.jurisdiction}, {terms.seats} seats, "
            f"{terms.method}; wagers {listed(terms.ruleset.offered)}{wired}"
        )
    rulebook = read_file(file)
    columns = sum(len(rulebook.columns(table)) for table in rulebook.paytables)
    return (
        f"{rulebook.title}, {rulebook.jurisdiction}: {len(rulebook.wagers)} wagers, "
        f"{columns} paytables, {len(rulebook.choices)} choices"
    )


def _wired(file: Path, library: Library) -> str:
    """The devices, if the file says how they are wired: then ``felt run`` could start with it."""
    if not DAEMON_SECTIONS & tables.read_file(file).keys():
        return ""
    # Only for these: a table that is just played by hand needs nothing of the daemon.
    from controller.daemon import configuration  # noqa: PLC0415

    devices = configuration.read(file, library).devices
    return f"; devices {listed(devices)}"


def _names_a_rulebook(file: Path) -> bool:
    """A table file says which rulebook it plays; a rulebook says what it is."""
    try:
        return "rulebook" in tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # whatever is wrong with it is told when it is read
