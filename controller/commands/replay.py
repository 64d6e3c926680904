"""``felt replay``: recorded bytes through the software as it is now; identical, or where not.

To step back is to replay, so it begins at once: what plays to a felt that runs, or goes on with
simulated devices, is loaded only when it is asked for.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from controller.commands.pace import speed_of
from controller.library import Library
from controller.rules.faults import Refused
from controller.table.events import Event
from controller.table.machine import Step
from controller.table.state import Table
from controller.technician import (
    continuing,
    cut,
    logs,
    opening,
    sources,
    span,
    stretches,
    telling,
    unjudged,
)
from controller.technician.lateness import LATE_S
from controller.technician.logs import Logged, Run
from controller.technician.opening import Source
from controller.technician.outcome import Difference, Outcome, Parting
from controller.technician.replaying import Replayer
from controller.technician.starts import Start

DIFFERENT = 1
#: Nothing differs, and nobody can say that all is the same: there is no journal, or a gap.
NOT_DECIDED = 3


TakenTold = Callable[[Table, Event, Step], None]


class _Enough(Exception):
    """The end of the stretch, or of a person's patience."""


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    if given.continue_with_simulator or given.keep is not None:
        from controller.commands import replay_onward  # noqa: PLC0415

        replay_onward.check(given)
    if not _has_journal(given):
        return _without_journal(given)
    with opening.opened(sources.to_replay(given.logs), given.journal, library) as (found, others):
        for one in others:
            sys.stderr.write(f"felt replay: {one}\n")
        of_run = {one.run.id: one for one in found}
        runs = opening.chosen([one.run for one in found], given.run)
        if given.into is not None:
            from controller.commands import replay_into  # noqa: PLC0415

            source = of_run[runs[-1].id]
            _, before = source.beginning(None)
            return replay_into.run(given, source.run, before, source.damage)
        if given.continue_with_simulator or given.step or given.break_on:
            # Who looks at one thing at a time wants one start of felt: the last, or the one named.
            runs = runs if given.from_ or given.until else runs[-1:]
        wanted = opening.having(runs, given.from_, given.until)
        said = [
            _replayed(given, of_run[run.id], stretch, library, is_only=len(wanted) == 1)
            for run, stretch in wanted
        ]
    for text in found[0].damage.said():
        sys.stderr.write(f"felt replay: {text}\n")
    if given.json:
        sys.stdout.write(json.dumps(_together(said)) + "\n")
    elif len(said) > 1:
        same = sum(one["identical"] is True for one in said)
        sys.stdout.write(f"{same} of {len(said)} starts of felt are identical.\n")
    return _exit_code(said)


def _replayed(
    given: argparse.Namespace,
    found: Source,
    stretch: span.Span,
    library: Library,
    *,
    is_only: bool,
) -> dict[str, Any]:
    """One start of felt; what came of it is told, and given back for programs."""
    if not is_only and not given.json:
        began = min(wire.first_us[1] for wire in found.run.wires.values())
        at = datetime.fromtimestamp(began / 1e6, UTC)
        sys.stdout.write(f"felt as it was started at {at:%Y-%m-%d %H:%M:%S} UTC\n")
    start, before = found.beginning(stretch.from_us)
    watch = _Watch(given, stretch)
    since = continuing.Since(before.table) if given.continue_with_simulator else None
    began_s = time.perf_counter()
    # Who looks on, or goes on from there, wants one thing after the other.
    in_turn = watch.is_needed or since is not None
    outcome = None if in_turn else _side_by_side(given, found, library, start)
    parting: Parting | None = None
    if outcome is None:
        replayer = Replayer(
            found.run,
            before,
            library,
            secrets=given.secrets,
            watch=watch.watch if watch.is_needed else None,
            taken=_all_told(watch.taken if given.step else None, since.took if since else None),
            late_s=0.0 if given.exact else LATE_S,
            start=start,
        )
        with suppress(_Enough):
            replayer.run()
        outcome, parting = replayer.outcome, replayer.parting
    seconds = time.perf_counter() - began_s
    goes_on = since is not None and outcome.difference is not None
    said: dict[str, Any] = {"run": found.run.id, **facts(outcome)}
    if not given.json:
        _tell(outcome, seconds, is_all=not goes_on)
    if since is not None and outcome.difference is not None:
        from controller.commands import replay_onward  # noqa: PLC0415

        given_on = replay_onward.Given(
            terms=before.data,
            since=since,
            parting=parting,
            until_us=stretch.until_us,
            goes_on=watch.goes_on,
        )
        said["continued"] = replay_onward.run(given, given_on)
    return said


def _together(said: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """For programs: one start as it is; of several the verdict, and each of them."""
    if len(said) == 1:
        return said[0]
    verdicts = [one["identical"] for one in said]
    whole = False if False in verdicts else None if None in verdicts else True
    return {"identical": whole, "runs": list(said)}


def _exit_code(said: Sequence[dict[str, Any]]) -> int:
    match _together(said)["identical"]:
        case True:
            return 0
        case None:
            return NOT_DECIDED
        case _:
            return DIFFERENT


def _side_by_side(
    given: argparse.Namespace, found: Source, library: Library, start: Start | None
) -> Outcome | None:
    """A long log in stretches; none if it is short, or must be replayed in one piece."""
    jobs = given.jobs or stretches.processors()
    if found.journal is None or jobs < 2:
        return None
    others = stretches.beginnings(found.run, start, jobs)
    if not others:
        return None
    late_s = 0.0 if given.exact else LATE_S
    work = stretches.Work(
        found.run, found.journal, library, found.damage, secrets=given.secrets, late_s=late_s
    )
    return stretches.replay(work, start, others)


def _all_told(*told: TakenTold | None) -> TakenTold | None:
    some = [one for one in told if one is not None]
    if not some:
        return None

    def tell(before: Table, event: Event, done: Step) -> None:
        for one in some:
            one(before, event, done)

    return tell


def _has_journal(given: argparse.Namespace) -> bool:
    first: Path = given.logs[0]
    is_cut = len(given.logs) == 1 and cut.is_cut(first)
    # One that is named and is not there is a mistake, and not a journal that nobody has.
    is_beside = opening.beside(first).exists()
    return is_cut or given.journal is not None or not first.exists() or is_beside


def _without_journal(given: argparse.Namespace) -> int:
    """The wires alone, and plainly no more."""
    if given.into is not None:
        step = "name it with --journal, or use a cut"
        raise Refused("--into", "needs the journal, which says what was played", step)
    if given.continue_with_simulator:
        step = "name it with --journal, or use a cut"
        problem = "needs the journal: it says how the table stood"
        raise Refused("--continue-with-simulator", problem, step)
    read = logs.read(sources.to_replay(given.logs))
    runs = opening.chosen(read.runs, given.run)
    codes = []
    for found, stretch in opening.having(runs, given.from_, given.until):
        if len(runs) > 1 and not given.json:
            sys.stdout.write(f"{found.table}, start {found.id}\n")
        codes.append(_unjudged(given, found, stretch))
    for one in read.damage.said():
        sys.stderr.write(f"felt replay: {one}\n")
    return DIFFERENT if DIFFERENT in codes else NOT_DECIDED


def _unjudged(given: argparse.Namespace, found: Run, stretch: span.Span) -> int:
    watch = _Watch(given, stretch)
    late_s = 0.0 if given.exact else LATE_S
    replay = unjudged.Unjudged(
        found,
        secrets_=given.secrets,
        watch=watch.watch if watch.is_needed else None,
        late_s=late_s,
    )
    with suppress(_Enough):
        replay.run()
    seen = replay.seen
    if given.json:
        sys.stdout.write(json.dumps(_seen(seen)) + "\n")
    else:
        lines = (
            telling.difference(seen.difference, colours=sys.stdout.isatty())
            if seen.difference
            else unjudged.told(seen)
        )
        for text in (*seen.remarks, *lines):
            sys.stdout.write(f"{text}\n")
    return DIFFERENT if seen.difference else NOT_DECIDED


def _seen(seen: unjudged.Seen) -> dict[str, object]:
    return {
        # Nobody can know without the journal.
        "identical": False if seen.difference else None,
        "records": seen.records,
        "frames": seen.frames,
        "commands": seen.commands,
        "events": dict(seen.events),
        "remarks": seen.remarks,
        **_differs(seen.difference),
    }


class _Watch:
    def __init__(self, given: argparse.Namespace, stretch: span.Span) -> None:
        self._given = given
        self._span = stretch
        self._speed = speed_of(given.speed or "max")
        self._began: tuple[float, int] | None = None
        self._colours = sys.stdout.isatty()
        self._ask: Callable[[], str] = sys.stdin.readline
        #: The stretch has begun.
        self._in_it = False
        #: Nobody looks, and it goes to the end.
        self.is_needed = bool(
            given.step or given.break_on or given.show or self._speed or stretch.until_us
        )

    def watch(self, logged: Logged) -> None:
        given = self._given
        if self._span.until_us is not None and logged.at_us > self._span.until_us:
            raise _Enough
        if not self._span.has(logged.at_us):
            return
        if self._speed:
            self._wait(logged)
        said = telling.line(logged, colours=self._colours)
        stops = given.break_on and given.break_on in said
        if (stops or given.step or given.show or self._speed) and not given.json:
            sys.stdout.write(said + "\n")
            sys.stdout.flush()
        self._in_it = True
        if stops:
            self._pause()

    def taken(self, before: Table, event: Event, done: Step) -> None:
        """``--step``: one event at a time, with the bytes that led to it above it."""
        if not self._in_it:
            return
        for text in telling.event(before, event, done):
            sys.stdout.write(text + "\n")
        sys.stdout.flush()
        self._pause()

    def goes_on(self) -> bool:
        """After an event that is no record's: with ``--step``, as long as somebody wants more."""
        return not self._given.step or self._ask().strip() not in ("q", "quit")

    def _pause(self) -> None:
        if self._ask().strip() in ("q", "quit"):
            raise _Enough

    def _wait(self, logged: Logged) -> None:
        now = time.monotonic()
        if self._began is None:
            self._began = (now, logged.at_us)
        due = self._began[0] + (logged.at_us - self._began[1]) / 1e6 / self._speed
        time.sleep(max(due - now, 0.0))


def facts(outcome: Outcome) -> dict[str, object]:
    """The outcome, for programs and for golden files."""
    return {
        # Where a part could not be compared, nobody can know.
        "identical": None if outcome.gaps and outcome.first is None else outcome.identical,
        "records": outcome.records,
        "frames": outcome.frames,
        "events": outcome.events,
        "from_devices": outcome.from_devices,
        "remarks": [*outcome.remarks, *outcome.gaps],
        **_differs(outcome.first),
    }


def _differs(found: Difference | None) -> dict[str, object]:
    if found is None:
        return {}
    said = {
        "wire": found.wire,
        "where": found.where,
        "at_us": found.at_us,
        "what": found.what,
        "recorded": found.recorded,
        "replayed": found.replayed,
    }
    return {"difference": said}


def _tell(outcome: Outcome, seconds: float, *, is_all: bool) -> None:
    out = sys.stdout
    for remark in outcome.remarks:
        out.write(f"{remark}\n")
    if outcome.identical:
        rate = outcome.records / seconds if seconds else 0
        out.write(
            f"identical: {outcome.records} records, {outcome.frames} frames sent, "
            f"{outcome.events} events and decisions, {outcome.from_devices} of them from devices "
            f"({rate:,.0f} records/s)\n"
        )
        return
    for one in (outcome.damage, outcome.difference):
        if one is not None:
            for text in telling.difference(one, colours=out.isatty()):
                out.write(text + "\n")
    if outcome.difference is not None and is_all:
        out.write("The replay ends here: what follows was answered to something else.\n")
    for gap in outcome.gaps:
        out.write(f"not compared any further: {gap}\n")
    if outcome.difference is None:
        out.write("All that could be compared is identical.\n")
