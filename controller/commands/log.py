"""``felt log``: look at device logs, cut, note, count, redact, compare, and keep as a test."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator

from controller.commands import log_diff, log_show
from controller.commands.columns import columns
from controller.commands.log_show import say, say_damage
from controller.library import Library
from controller.technician import cut, figures, noting, opening, promoting, redacting, sources, span
from controller.technician.choosing import Choice


def run(given: argparse.Namespace) -> int:
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "show": log_show.run,
        "cut": _cut,
        "note": _note,
        "stats": _stats,
        "redact": _redact,
        "diff": log_diff.run,
        "promote": _promote,
    }
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that can't show a character is no reason to end.
        sys.stdout.reconfigure(errors="backslashreplace")
    return actions[given.action](given)


# --- Counting -------------------------------------------------------------------


def _stats(given: argparse.Namespace) -> int:
    choice = Choice.of(given.wire, given.device, None, None)
    with sources.opened(given.logs) as found:
        choice.check(found.runs)
        stretches = list(log_show.stretches(given, found.runs, of_journal=False))
        counted = [(one, figures.of_run(one, choice, stretch)) for one, stretch in stretches]
        if given.json:
            runs = [
                {**log_show.run_data(one), "wires": figures.as_data(all_)} for one, all_ in counted
            ]
            say(json.dumps(runs, indent=2))
        for one, all_ in [] if given.json else counted:
            say(log_show.named(one))
            for text in _counted(all_, with_plots=given.plots):
                say(text)
        say_damage(found.damage)
    return 0


def _counted(all_: list[figures.WireFigures], *, with_plots: bool) -> Iterator[str]:
    if with_plots:
        heights = figures.HEIGHTS if _is_unicode() else figures.PLAIN_HEIGHTS
        yield from figures.told(all_, heights)
        return
    counted = list(figures.rows(all_))
    if counted:
        yield from columns([figures.HEADINGS, *counted], right=range(1, len(figures.HEADINGS)))
    for wire in all_:
        if wrong := figures.wrong_at(wire):
            yield f"  {wire.wire}: {wrong}"


def _is_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


# --- Cutting and keeping --------------------------------------------------------


def _cut(given: argparse.Namespace) -> int:
    words = span.words(given.round, given.from_, given.until)
    paths, library = sources.to_replay(given.logs), Library(*given.folder)
    with opening.opened(paths, given.journal, library) as (all_, others):
        for text in others:
            sys.stderr.write(f"felt log: {text}\n")
        of_run = {one.run.id: one for one in all_}
        runs = opening.chosen([one.run for one in all_], given.run)
        run, stretch = opening.having(runs, *words)[-1]
        found = of_run[run.id]
        start, before = found.beginning(stretch.from_us)
        count = cut.write(given.out, run, before, stretch, table=given.table, start=start)
    say_damage(found.damage)
    say(f"{given.out}: {stretch} of {run.table}, {count} records of {len(run.wires)} wires")
    say(f"felt replay {given.out}")
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
    say(f"{made}: kept as a test, {how}")
    return 0


# --- Changing -------------------------------------------------------------------


def _note(given: argparse.Namespace) -> int:
    for path in noting.note(given.logs, given.text, given.wire, given.device):
        say(f"noted in {path}")
    return 0


def _redact(given: argparse.Namespace) -> int:
    counts: Counter[str] = Counter()
    made = redacting.redact(given.log, given.out, counts)
    left_out = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    for one in made:
        say(str(one))
    say(f"left out: {left_out or 'nothing'}")
    return 0
