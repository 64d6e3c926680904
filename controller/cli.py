"""The command ``felt``.

Bad input never shows a traceback: whatever is wrong with what a person gave is a ``Refused``,
told in one line on standard error, with exit code 2 and nothing on standard output.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from controller import __version__, loading  # noqa: F401 - what is loaded is noted from here on
from controller.commands import (
    bench_words,
    console_words,
    demo_words,
    isolated,
    record_words,
    school_words,
    technician_words,
    terminal_words,
    words,
)
from controller.commands.arguments import takes_rulebooks
from controller.rules.faults import Refused

BAD_INPUT = 2


def parser() -> argparse.ArgumentParser:
    felt = argparse.ArgumentParser(
        prog="felt", description="The controller of a casino card table."
    )
    felt.add_argument("--version", action="version", version=f"felt {__version__}")
    commands = felt.add_subparsers(dest="command", metavar="COMMAND")

    settle = commands.add_parser(
        "settle", help="settle a finished round", description="Settle a finished round."
    )
    settle.add_argument("round", metavar="ROUND.json", help="the round; - reads one round a line")
    shown = settle.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print JSON even on a terminal")
    shown.add_argument("--readable", action="store_true", help="print a table even into a file")

    rulebooks = commands.add_parser(
        "rulebooks", help="list the rulebooks, or show one", description="The rulebooks felt knows."
    )
    kinds = rulebooks.add_subparsers(dest="action", metavar="ACTION")
    show = kinds.add_parser("show", help="print games, wagers, paytables and choices of one")
    show.add_argument("id", metavar="ID")
    show.add_argument("--json", action="store_true", help="print JSON")

    check = commands.add_parser(
        "check",
        help="validate a rulebook, a table file or a drill",
        description="Validate rulebooks, table files and drills; or say what the keys of a table "
        "file mean.",
    )
    check.add_argument("files", metavar="FILE", nargs="*", type=Path)
    check.add_argument(
        "--explain",
        metavar="KEY",
        nargs="?",
        const="",
        help="what the keys of a table file mean, or what this one does: wires, ante.least",
    )
    check.add_argument("--json", action="store_true", help="print JSON, with --explain")

    odds = commands.add_parser(
        "odds",
        help="the exact house edge of every wager and paytable",
        description="The exact house edge of every wager and paytable of a rulebook.",
    )
    odds.add_argument("rulebooks", metavar="RULEBOOK", nargs="+", help="an id, or all")
    odds.add_argument("--wager", action="append", metavar="W", help="only this wager (repeatable)")
    odds.add_argument("--side", action="store_true", help="only side wagers: no long enumeration")
    odds.add_argument("--json", action="store_true", help="print JSON")
    odds.add_argument("--fresh", action="store_true", help="work everything out again")

    schema = commands.add_parser(
        "events",
        help="the JSON schema of events and commands",
        description="Print the JSON schema of what can happen at a table and what follows.",
    )
    schema.add_argument("--diagram", action="store_true", help="print the phases as Markdown")

    play, recall = record_words.add(commands)

    install = commands.add_parser(
        "install",
        help="lay a table out on this PC: unit, rules for ports, file and keys",
        description="Lay a table out on this PC, and say what to do next. Nothing is started, and "
        "nothing that a person has changed is overwritten.",
    )
    install.add_argument("table", metavar="TABLE.toml", type=Path)
    install.add_argument(
        "--kiosk", action="store_true", help="this PC's screen shows the dealer's page, and only it"
    )
    install.add_argument("--root", metavar="DIR", type=Path, help="below DIR in place of /")
    install.add_argument(
        "--dry-run", action="store_true", help="only say what would be done; so without root"
    )

    run = commands.add_parser(
        "run",
        help="run a table: its journal, its devices, its machine",
        description="Run a table until it is told to stop. An absent device is waited for.",
    )
    run.add_argument("--config", metavar="TABLE.toml", type=Path, required=True)

    demo = demo_words.add(commands)
    school = school_words.add(commands)
    words.add(commands)
    console_words.add(commands)
    terminal_words.add(commands)
    bench_words.add(commands)
    technician_words.add(commands)

    takes_rulebooks(settle, show, rulebooks, check, odds, play, recall, install, run, demo, school)
    return felt


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Without arguments those of the process."""
    if argv is None:
        isolated.must_be()
    given = parser().parse_args(argv)
    if given.command is None:
        parser().print_help(sys.stderr)
        return BAD_INPUT
    given.folder = getattr(given, "folder", [])
    command = import_module(f"controller.commands.{given.command}")
    try:
        code: int = command.run(given)
        sys.stdout.flush()
        return code
    except Refused as refused:
        sys.stderr.write(f"felt {given.command}: {refused}\n")
        return BAD_INPUT
    except BrokenPipeError:
        # Whoever read us has gone (head, a pager): nothing is wrong, and nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
