"""``felt log``: look at device logs, cut, note, count, redact, compare, and keep as a test."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path

from controller.library import Library
from controller.rules.faults import Refused
from controller.technician import (
    cut,
    figures,
    flights,
    logs,
    opening,
    promoting,
    redacting,
    span,
    telling,
)
from controller.technician.logs import Logged, Run, Wire
from drivers.wire import devicelog
from drivers.wire.devicelog import Bytes, Header

DIFFERENT = 1
#: How often `--follow` looks, in seconds.
LOOKS_S = 0.2


def run(given: argparse.Namespace) -> int:
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "show": _show,
        "cut": _cut,
        "note": _note,
        "stats": _stats,
        "redact": _redact,
        "diff": _diff,
        "promote": _promote,
    }
    return actions[given.action](given)


# --- Looking --------------------------------------------------------------------


def _show(given: argparse.Namespace) -> int:
    if given.follow:
        return _follow(given)
    of_journal = len(given.logs) == 1 and flights.is_journal(given.logs[0])
    with _read(given.logs, given.round if of_journal else None) as runs:
        stretches = [
            span.of_round(one, given.round)
            if given.round is not None and not of_journal
            else span.of_words(one, given.from_, given.until)
            for one in runs
        ]
        with _pager() as out:
            for one, stretch in zip(runs, stretches, strict=True):
                if heading := flights.told(one):
                    out(heading)
                for logged in one.records():
                    if stretch.has(logged.at_us) and _is_wanted(logged, given):
                        out(telling.line(logged, colours=sys.stdout.isatty(), raw=given.bytes))
    return 0


def _is_wanted(logged: Logged, given: argparse.Namespace) -> bool:
    record = logged.record
    comment = record.comment if isinstance(record, Bytes) else ""
    if given.wire and logged.wire not in given.wire:
        return False
    if given.only and (not isinstance(record, Bytes) or record.direction != given.only):
        return False
    return not given.message or any(f" {name}" in f" {comment} " for name in given.message)


def _follow(given: argparse.Namespace) -> int:
    """As `tail -f`: what is new in the newest file of each wire, until interrupted."""
    seen: dict[Path, int] = {path: path.stat().st_size for path in _files(given.logs)}
    while True:
        for path in _files(given.logs):
            begin = seen.get(path, 0)
            with path.open("rb") as file:
                file.seek(begin)
                new = file.read()
            whole = new[: new.rfind(b"\n") + 1]
            seen[path] = begin + len(whole)
            for text in whole.decode(errors="replace").splitlines():
                sys.stdout.write(f"{path.name.partition('.')[0]:<10} {text}\n")
        sys.stdout.flush()
        time.sleep(LOOKS_S)


def _files(paths: list[Path]) -> list[Path]:
    return [path for path in logs.files_of(paths) if path.suffix == ".log"]


@contextlib.contextmanager
def _pager() -> Iterator[Callable[[str], None]]:
    """Line after line to standard output, through a pager where somebody looks."""
    program = shutil.which(os.environ.get("PAGER", "less")) if sys.stdout.isatty() else None
    if program is None:
        yield _said
        return
    environment = {**os.environ, "LESS": os.environ.get("LESS", "FRX")}
    with subprocess.Popen([program], stdin=subprocess.PIPE, text=True, env=environment) as pager:
        assert pager.stdin is not None
        stdin = pager.stdin
        with contextlib.suppress(BrokenPipeError):
            yield lambda text: (stdin.write(text + "\n"), None)[1]


def _said(text: str) -> None:
    sys.stdout.write(text + "\n")


@contextlib.contextmanager
def _read(paths: list[Path], number: int | None = None) -> Iterator[list[Run]]:
    """The runs in logs, a cut, or a journal's flights; of these, those of a round.

    What could not be read is said at the end, when that is known.
    """
    with contextlib.ExitStack() as held:
        if len(paths) == 1 and cut.is_cut(paths[0]):
            found = cut.read(paths[0])
            runs, damage = [found.run], found.damage
        elif len(paths) == 1 and flights.is_journal(paths[0]):
            kept = held.enter_context(flights.opened(paths[0], number))
            runs, damage = kept.runs, kept.damage
        else:
            read = logs.read(paths)
            runs, damage = read.runs, read.damage
        try:
            yield runs
        finally:
            _say_damage(damage)


def _say_damage(damage: logs.Damages) -> None:
    for one in damage.said():
        sys.stderr.write(f"felt log: {one}\n")


def _stats(given: argparse.Namespace) -> int:
    with _read(given.logs) as runs:
        for one in runs:
            _said(f"{one.table}, started {one.id or 'at an unknown time'}")
            for text in figures.told(figures.of_run(one)):
                _said(text)
    return 0


# --- Cutting and keeping --------------------------------------------------------


def _cut(given: argparse.Namespace) -> int:
    words = (f"round:{given.round}",) * 2 if given.round is not None else (given.from_, given.until)
    with opening.opened(given.logs, given.journal, Library(*given.folder)) as (all_, others):
        for text in others:
            sys.stderr.write(f"felt log: {text}\n")
        of_run = {one.run.id: one for one in all_}
        runs = opening.chosen([one.run for one in all_], given.run)
        run, stretch = opening.having(runs, *words)[-1]
        found = of_run[run.id]
        start, before = found.beginning(stretch.from_us)
        count = cut.write(given.out, run, before, stretch, table=given.table, start=start)
    for one in found.damage.said():
        sys.stderr.write(f"felt log: {one}\n")
    _said(f"{given.out}: {stretch} of {run.table}, {count} records of {len(run.wires)} wires")
    _said(f"felt replay {given.out}")
    return 0


def _promote(given: argparse.Namespace) -> int:
    made = promoting.promote(
        given.cut,
        given.case,
        given.because,
        given.into,
        Library(*given.folder),
        differs=given.differs,
    )
    how = "it differs as it should" if given.differs else "replayed and identical"
    _said(f"{made}: kept as a test, {how}")
    return 0


# --- Changing -------------------------------------------------------------------


def _note(given: argparse.Namespace) -> int:
    """Write a note into the newest file of each wire that is named."""
    files: dict[str, Path] = {}
    for path in _files(given.logs):
        files[path.name.partition(".")[0]] = path
    if not files:
        raise Refused("logs", "no log is being written there", "name the folder of the logs")
    for path in files.values():
        start, last = 0.0, 0
        for record in devicelog.read_records(path):
            if isinstance(record, Header):
                start, last = _seconds(record.fact("monotonic")), 0
            elif not isinstance(record, devicelog.Damage):
                last = record.at_us
        # By the clock of the log, if this is the PC that wrote it and it has not started since.
        at_us = max(round((time.monotonic() - start) * 1e6), last)
        try:
            with path.open("ab") as file:
                file.write(devicelog.remark_line(at_us, "note", given.text).encode())
        except OSError as error:
            raise Refused(str(path), f"can't be written: {error.strerror}") from None
        except ValueError as error:
            raise Refused("--text", str(error), "say what was done") from None
        _said(f"noted in {path}")
    return 0


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _redact(given: argparse.Namespace) -> int:
    counts: Counter[str] = Counter()
    if not given.log.exists():
        raise Refused(str(given.log), "is not there", "name a device log")
    try:
        with given.out.open("x", encoding="utf-8") as file:
            file.writelines(redacting.redacted(given.log, counts))
    except OSError as error:
        raise Refused(str(given.out), f"can't be written: {error.strerror}") from None
    _said(f"{given.out}: left out are " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    return 0


def _diff(given: argparse.Namespace) -> int:
    """The first record in which two logs differ, and how their times do up to there."""
    with _read([given.first]) as left, _read([given.second]) as right:
        one, other = opening.one_run(left, None), opening.one_run(right, None)
        for name in sorted(one.wires.keys() | other.wires.keys()):
            if name not in one.wires or name not in other.wires:
                _said(f"{name}: only in {given.first if name in one.wires else given.second}")
                return DIFFERENT
            if not _same(name, one.wires[name], other.wires[name]):
                return DIFFERENT
    return 0


def _same(name: str, left: Wire, right: Wire) -> bool:
    drift = number = 0
    for number, (a, b) in enumerate(zip_longest(left.records(), right.records()), 1):
        if a is None or b is None:
            more = "second" if a is None else "first"
            _said(f"{name}: {number - 1} records the same, the {more} log has more")
            return False
        if _without_time(a) != _without_time(b):
            _said(f"{name}: record {number} differs")
            _said(f"  {a.file}:{a.line}: {telling.line(a, raw=True)}")
            _said(f"  {b.file}:{b.line}: {telling.line(b, raw=True)}")
            return False
        drift = max(drift, abs((a.at_us - left.first_us[0]) - (b.at_us - right.first_us[0])))
    _said(f"{name}: {number} records the same, times differ by up to {drift / 1000:.3f} ms")
    return True


def _without_time(logged: Logged) -> object:
    record = logged.record
    if isinstance(record, devicelog.Quiet):
        # How many polls fit between two messages is a matter of time.
        return "quiet", sorted(one.address for one in record.devices)
    return record if isinstance(record, devicelog.Damage) else record[1:]
