"""The manual page felt(1), out of the help that the command itself has."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

_WIDTH = 72


def page(felt: argparse.ArgumentParser, version: str, epoch: int) -> str:
    """In roff, as ``man`` reads it."""
    date = datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%d")
    lines = [
        f'.TH FELT 1 "{date}" "felt {version}" "User Commands"',
        ".SH NAME",
        r"felt \- controller of a casino card table",
        ".SH SYNOPSIS",
        ".B felt",
        r"\fICOMMAND\fR \.\.\.",
        ".SH DESCRIPTION",
        _text(felt.description or ""),
        ".SH COMMANDS",
        *(line for name, one in _commands(felt) for line in _command(name, one)),
        ".SH EXIT STATUS",
        "0: done. 1: something is not well, or not sound. 2: what was given is refused, with the",
        "reason on standard error. 3: the table is stopped, because its journal can't be written.",
        ".SH FILES",
        *_entry("/etc/felt/tables/TABLE.toml", "a table"),
        *_entry("/etc/felt/rulebooks/", "rulebooks of your own"),
        *_entry("/etc/felt/secrets/TABLE/", "its keys, passwords and PINs; for root alone"),
        *_entry("/var/lib/felt/TABLE/", "its journal and the logs of its devices"),
        *_entry("/etc/udev/rules.d/71-felt-ports.rules", "names for ports"),
        ".SH SEE ALSO",
        "/usr/share/doc/felt/install.md, operating.md, wiring.md",
    ]
    return "\n".join(lines) + "\n"


def _commands(felt: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in felt._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from sorted(action.choices.items())


def _command(name: str, one: argparse.ArgumentParser) -> Iterator[str]:
    # As wide on every machine, whatever terminal it is built on.
    one.formatter_class = partial(argparse.HelpFormatter, width=_WIDTH)
    yield f".SS {_text(name)}"
    yield ".nf"
    yield _text(one.format_usage().removeprefix("usage: ").rstrip())
    yield ".fi"
    yield ".PP"
    yield _text(one.description or "")
    for action in one._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner, parser in sorted(action.choices.items()):
                yield from _command(f"{name} {inner}", parser)
        elif action.help and action.help != argparse.SUPPRESS and action.dest != "help":
            shown = ", ".join(action.option_strings) or str(action.metavar or action.dest)
            yield from _entry(shown, action.help)


def _entry(what: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield f".B {_text(what)}"
    yield _text(text)


def _text(plain: str) -> str:
    r"""Safe from roff: a line never begins with a dot, and a hyphen stays one to search for."""
    safe = plain.replace("\\", r"\e").replace("-", r"\-").replace("%%", "%")
    return "\n".join(rf"\&{line}" if line[:1] in ".'" else line for line in safe.splitlines())
