"""``felt check``: whether a rulebook, a table file or a drill is sound, before it is needed."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from controller import tables
from controller.library import Library, read_file
from controller.rules.faults import Refused, listed
from controller.table.terms import Terms
from controller.tables import read_table

DAEMON_SECTIONS = frozenset(tables.DAEMON_SECTIONS)
#: Keys that only a drill has: by them a file is known as one.
DRILL_KEYS = ("teaches", "goal", "wanted")


def run(given: argparse.Namespace) -> int:
    if given.explain is not None:
        # Only for this: it reads all models and all rulebooks.
        from controller.commands import explain  # noqa: PLC0415

        return explain.run(given.explain, Library(*given.folder), as_json=given.json)
    if not given.files:
        raise Refused("", "which file?", "felt check FILE, or felt check --explain [KEY]")
    code = 0
    for file in given.files:
        try:
            said = checked(file, Library(*given.folder))
        except Refused as refused:
            sys.stderr.write(f"felt check: {refused}\n")
            code = 2
            continue
        sys.stdout.writelines(f"{file}: {line}\n" for line in said)
    return code


def checked(file: Path, library: Library) -> list[str]:
    """What a sound file holds, in one line; and what of it the operator should know."""
    if _has(file, DRILL_KEYS):
        return [_drill(file, library)]
    if _has(file, ("rulebook",)):
        terms = read_table(file, library)
        book = terms.ruleset.rulebook
        wired, idle = _wired(file, library)
        table = (
            f"table {terms.id}: {book.title}, {book.jurisdiction}, {terms.seats} seats, "
            f"{terms.method}; wagers {listed(terms.ruleset.offered)}{wired}"
        )
        return [table, *idle, *_giving_more_than_they_take(terms)]
    rulebook = read_file(file)
    columns = sum(len(rulebook.columns(table)) for table in rulebook.paytables)
    return [
        f"{rulebook.title}, {rulebook.jurisdiction}: {len(rulebook.wagers)} wagers, "
        f"{columns} paytables, {len(rulebook.choices)} choices"
    ]


def _drill(file: Path, library: Library) -> str:
    # Only for these: what a drill may do is known to the simulators.
    from controller.school import drill  # noqa: PLC0415

    found = drill.read(file, library)
    given, book = found.given, found.terms.ruleset.rulebook
    return (
        f"drill {found.id}: {given.title}; {book.title}, {book.jurisdiction}, "
        f"{found.terms.method}, {len(given.players)} players; {len(given.happens)} things happen, "
        f"{len(given.wanted)} acts are wanted"
    )


def _giving_more_than_they_take(terms: Terms) -> Iterator[str]:
    """The progressives whose increments and fixed prizes are together more than the wager.

    Some texts print such figures. They are played as printed, and the operator is told.
    """
    if not terms.ruleset.meters:
        return
    # Only for these: it counts all hands, with a library that takes a while to load.
    from controller.rules.odds import side  # noqa: PLC0415

    hands = terms.ruleset.rulebook.hands
    for name, meter in terms.ruleset.meters.items():
        table = terms.ruleset.tables[name]
        counts = side.histogram(table.ranking, hands.player)
        prizes = side.progressive(table, counts, terms.wager_on(name)).fixed
        rate = Fraction(sum(r or 0 for r in meter.rate.values()) + (meter.reserve_rate or 0), 100)
        if rate + prizes > 1:
            yield (
                f"{name} gives more than it takes: of each wager {_percent(rate)} to the meter and "
                f"{_percent(prizes)} back in fixed prizes, {_percent(rate + prizes)} in all "
                f"({meter.clause})"
            )


def _percent(part: Fraction) -> str:
    tenths = round(part * 1000)
    return f"{tenths // 10}.{tenths % 10}%" if tenths % 10 else f"{tenths // 10}%"


def _wired(file: Path, library: Library) -> tuple[str, list[str]]:
    """The devices, if the file says how they are wired, and those that have nothing to do.

    Then ``felt run`` could start with it.
    """
    if not DAEMON_SECTIONS & tables.read_file(file).keys():
        return "", []
    # Only for these: a table that is just played by hand needs nothing of the daemon.
    from controller.daemon import configuration, idle_devices  # noqa: PLC0415

    read = configuration.read(file, library)
    return f"; devices {listed(read.devices)}", list(idle_devices.without_work(read))


def _has(file: Path, keys: tuple[str, ...]) -> bool:
    """A table file says which rulebook it plays, a drill what it teaches."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        return any(key in data for key in keys)
    except (OSError, ValueError):
        return False  # whatever is wrong with it is told when it is read
