"""``felt log show``: records in words, all wires together; through a pager, or as they come."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from controller.rules.faults import Refused
from controller.technician import choosing, cut, flights, logs, sources, span, telling
from controller.technician.choosing import Choice, Chosen
from controller.technician.following import Follower
from controller.technician.logs import Damages, Run

#: How often `--follow` looks, in seconds.
LOOKS_S = 0.2

Out = Callable[[str], None]


def run(given: argparse.Namespace) -> int:
    choice = Choice.of(given.wire, given.device, given.message, given.only)
    if given.follow:
        return _follow(given, choice)
    of_journal = len(given.logs) == 1 and flights.is_journal(given.logs[0])
    with sources.opened(given.logs, given.round if of_journal else None) as found:
        if not of_journal:
            choice.check(found.runs)
        wanted = list(stretches(given, found.runs, of_journal=of_journal))
        with _pager() as out:
            for one, stretch in wanted:
                if given.json:
                    for chosen in choosing.chosen(one, choice):
                        if stretch.has(chosen.logged.at_us):
                            out(_as_json(chosen, one))
                    continue
                if heading := flights.told(one) or (named(one) if len(wanted) > 1 else ""):
                    out(heading)
                for chosen in choosing.chosen(one, choice):
                    if stretch.has(chosen.logged.at_us):
                        out(_line(chosen, given))
        say_damage(found.damage)
    return 0


def named(one: Run) -> str:
    """Which start of felt it is."""
    return f"{one.table}, started {telling.started(one)} (run {one.id or 'unknown'})"


def run_data(one: Run) -> dict[str, Any]:
    """The same for programs."""
    return {"table": one.table, "run": one.id, "started": telling.started(one)}


def stretches(
    given: argparse.Namespace, runs: list[Run], *, of_journal: bool
) -> Iterator[tuple[Run, span.Span]]:
    """Of each start of felt what is asked for; those that have nothing of it are left out."""
    refused: Refused | None = None
    found = False
    for one in runs:
        try:
            number = None if of_journal else given.round
            stretch = span.asked_for(one, number, given.from_, given.until)
        except Refused as error:
            refused = error
            continue
        found = True
        yield one, stretch
    if not found and refused is not None:
        raise refused


def _line(chosen: Chosen, given: argparse.Namespace) -> str:
    logged, words = chosen
    return telling.line(logged, colours=has_colours(given), raw=given.bytes, words=words)


def _as_json(chosen: Chosen, run: Run | None = None) -> str:
    data = telling.as_data(chosen.logged, words=chosen.words)
    return json.dumps({"run": run.id, **data} if run is not None else data)


def has_colours(given: argparse.Namespace) -> bool:
    if given.colours == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return bool(given.colours == "always")


def say_damage(damage: Damages) -> None:
    sys.stdout.flush()
    for one in damage.said():
        sys.stderr.write(f"felt log: {one}\n")


# --- As it is written -----------------------------------------------------------


def _follow(given: argparse.Namespace, choice: Choice) -> int:
    """Until interrupted."""
    for flag, value in (("--from", given.from_), ("--until", given.until)):
        if value is not None:
            raise Refused(flag, "with --follow it goes on from now", "leave one of them out")
    _check_followed(given.logs, choice)
    follower = Follower(given.logs, choice, given.round)
    told = 0
    try:
        for one in follower.before(max(given.lines, 0)):
            sys.stdout.write(_followed(one, given) + "\n")
        while True:
            for one in follower.new(time.monotonic()):
                sys.stdout.write(_followed(one, given) + "\n")
            said = follower.damage.said()
            for text in said[told:]:
                sys.stderr.write(f"felt log: {text}\n")
            told = len(said)
            sys.stdout.flush()
            time.sleep(LOOKS_S)
    except KeyboardInterrupt:
        return 0
    finally:
        follower.close()


def _followed(one: Chosen, given: argparse.Namespace) -> str:
    return _as_json(one) if given.json else _line(one, given)


def _check_followed(paths: list[Path], choice: Choice) -> None:
    for path in paths:
        if cut.is_cut(path) or flights.is_journal(path):
            step = "name the folder of the logs"
            raise Refused(str(path), "nothing more is written into it", step)
    try:
        files = [one for one in sources.files(paths) if one.suffix == ".log"]
    except Refused:
        if all(path.is_dir() for path in paths):
            return  # felt has not begun to write
        raise
    if files:
        choice.check(logs.read(files).runs)


# --- Through a pager ------------------------------------------------------------


@contextlib.contextmanager
def _pager() -> Iterator[Out]:
    """Line after line to standard output, through a pager where somebody looks."""
    command = shlex.split(os.environ.get("PAGER", "less")) if sys.stdout.isatty() else []
    if not command or shutil.which(command[0]) is None:
        yield say
        return
    environment = {**os.environ, "LESS": os.environ.get("LESS", "FRX")}
    before = signal.getsignal(signal.SIGINT)
    try:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, text=True, errors="backslashreplace", env=environment
        ) as pager:
            assert pager.stdin is not None
            stdin = pager.stdin
            # What is typed is for the pager, as long as there is one.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            try:
                yield lambda text: (stdin.write(text + "\n"), None)[1]
                stdin.close()
            except BrokenPipeError:
                # It was left before the end.
                with contextlib.suppress(BrokenPipeError):
                    stdin.close()
    finally:
        signal.signal(signal.SIGINT, before)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
