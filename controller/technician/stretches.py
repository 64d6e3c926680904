"""A long log in stretches, side by side on all processors.

felt wrote down from time to time all that it knew, so a replay can begin there. It can end there as
well: when all stands as it does for the one that begins there, the two are one replay. Where it
does not, because the software has changed or something was altered, the first goes on over the
seam, and what the second one saw counts for nothing.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from controller.journal.reader import Reader
from controller.library import Library
from controller.replay import Replay
from controller.technician import past, starts
from controller.technician.logs import Damages, Run
from controller.technician.outcome import Outcome
from controller.technician.replaying import Replayer, Seam
from controller.technician.rewired import replayable
from controller.technician.starts import Start

#: Of felt's own places to begin there must be so many in a stretch, or it is not worth a process.
LEAST_MOMENTS = 3


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be replayed."""

    run: Run
    journal: Path
    library: Library
    damage: Damages
    secrets: Path | None
    late_s: float


@dataclass(frozen=True, slots=True)
class _Part:
    outcome: Outcome
    #: The stretch that goes on where this one ended; none at the end of the log.
    next: int | None
    damage: Damages
    #: Remarks from before anything was replayed: each stretch has them.
    opening: int


def processors() -> int:
    return len(os.sched_getaffinity(0))


def beginnings(run: Run, start: Start | None, jobs: int) -> list[Start]:
    """Where the stretches after the first begin, evenly by what happened; none if it is short."""
    wires = {name for name, wire in run.wires.items() if replayable(wire)}
    after = start.at_us if start is not None else 0
    usable = [
        one for one in starts.moments(run) if one.at_us > after and one.places.keys() >= wires
    ]
    jobs = min(jobs, len(usable) // LEAST_MOMENTS)
    if jobs < 2:
        return []
    first = start.entry if start is not None else run.after_entry
    last = usable[-1].entry
    wanted = [first + (last - first) * place / jobs for place in range(1, jobs)]
    nearest = [min(usable, key=lambda one: abs(one.entry - entry)) for entry in wanted]
    chosen = {one.at_us: one for one in nearest}
    read = [one.read(run) for one in chosen.values()]
    return [one for one in read if one is not None and one.wires.keys() == wires]


def replay(work: Work, start: Start | None, others: Sequence[Start]) -> Outcome | None:
    """All stretches as one; none if one of them can't be replayed by itself."""
    begins = [start, *others]
    context = multiprocessing.get_context("fork")
    pipes = []
    for place in range(len(begins)):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_replay, args=(work, begins, place, theirs))
        process.start()
        theirs.close()
        pipes.append((ours, process))
    parts: list[_Part | None] = []
    for ours, process in pipes:
        try:
            parts.append(ours.recv())
        except EOFError:
            parts.append(None)  # it was killed
        process.join()
    return _joined(work, parts)


def _joined(work: Work, parts: Sequence[_Part | None]) -> Outcome | None:
    whole: Outcome | None = None
    place: int | None = 0
    while place is not None:
        part = parts[place]
        if part is None:
            return None
        for found in part.damage.first.values():
            work.damage.add(found)
        whole = part.outcome if whole is None else whole.then(part.outcome, part.opening)
        place = part.next
    return whole


def _replay(work: Work, begins: Sequence[Start | None], place: int, answer: Connection) -> None:
    """In a process of its own."""
    try:
        part = _part(work, begins, place)
    except Exception:
        part = None
    answer.send(part)
    answer.close()


def _part(work: Work, begins: Sequence[Start | None], place: int) -> _Part:
    start = begins[place]
    with Reader.look(work.journal, work.run.table) as reader:
        recorded = Replay(reader, work.library)

        def seam(one: Start) -> Seam:
            return Seam(one, lambda: recorded.at(one.entry).table)

        seams = [seam(one) for one in begins[place + 1 :] if one is not None]
        after = start.entry if start is not None else work.run.after_entry
        replayer = Replayer(
            work.run,
            past.of_journal(reader, work.library, after),
            work.library,
            secrets=work.secrets,
            late_s=work.late_s,
            start=start,
            seams=seams,
        )
        opening = len(replayer.outcome.remarks) + (start is not None)
        outcome = replayer.run()
    if start is not None:
        # The records that say how felt stood were the last ones of the stretch before.
        outcome.records -= len(start.wires)
    joined = None if replayer.joined is None else begins.index(replayer.joined.start)
    return _Part(outcome, joined, work.damage, opening)
