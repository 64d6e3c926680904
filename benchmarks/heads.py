"""What it costs to keep a journal's head apart: start, one event, verify, beside none of it.

Two journals of the same rounds, one with signed heads and a head file and one without, are made in
this run and measured by turns. Each is held against the limit: a tenth more at most.

    python -m benchmarks.heads [--rounds 1000000]
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.recovery import BOOK, PLAYERS, ROUNDS_A_SHIFT, InBulk
from benchmarks.shifts import day_by_day, shift, table_file
from controller.daemon.heads import Signer
from controller.journal.entry import HEAD
from controller.journal.headfile import HeadFile, file_key
from controller.journal.journal import Journal
from controller.journal.verifier import verify
from controller.library import Library
from controller.recorder import ENTRIES_A_CHECKPOINT, Recorder
from controller.table.events import Event

ROUNDS = 4_000
SEED = bytes(range(32))
TURNS, EVENTS = 9, 60
LIMIT = 1.1


class Kept:
    """A journal on the disk, with its head kept apart or not."""

    def __init__(self, path: Path, *, heads: bool) -> None:
        self.path = path
        self.heads = heads
        self.rounds = 0
        self.file = HeadFile(path.with_suffix(".head"), file_key(SEED)) if heads else None

    def recorder(self, journal: Journal) -> Recorder:
        """As a start goes on: with what the daemon does at one."""
        if self.file is None:
            return Recorder(journal, table_file(BOOK), Library())
        self.file.read()
        journal.last(HEAD)
        self.file.begin(journal.header)
        journal.kept = self.file.keep
        signer = Signer(SEED, journal.header)
        return Recorder(journal, table_file(BOOK), Library(), signer.note)

    def made(self, rounds: int) -> list[Event]:
        """Play them; the events that would come next."""
        shifts = [shift(BOOK, ROUNDS_A_SHIFT, PLAYERS, seed) for seed in (1, 2, 3)]
        coming = day_by_day(shifts)
        with InBulk.create(self.path, table_file(BOOK)["id"]) as journal:
            bulk = self.recorder(journal)
            # Up to the same place after a checkpoint: a start goes through what is after that.
            while bulk.table.round < rounds or not 2000 <= since_checkpoint(journal) < 2004:
                assert not bulk.take(next(coming)).step.refused
            journal.flush()
            self.rounds = bulk.table.round
        if self.file is not None:
            self.file.close()
        return list(islice(coming, TURNS * EVENTS))

    def started(self) -> float:
        begun = perf_counter()
        with Journal.open(self.path, table_file(BOOK)["id"]) as journal:
            self.recorder(journal)
            return perf_counter() - begun

    def verified(self) -> float:
        begun = perf_counter()
        report = verify(self.path)
        assert report.sound, report.findings
        assert (report.last_note is not None) is self.heads
        return perf_counter() - begun


def since_checkpoint(journal: Journal) -> int:
    return journal.head.seq % ENTRIES_A_CHECKPOINT


def by_turns(one: Callable[[], float], other: Callable[[], float]) -> tuple[float, float]:
    """The same, again and again, each first as often: what else the machine does hits both."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(TURNS):
        for place in (0, 1) if turn % 2 else (1, 0):
            gc.collect()
            times[place].append((one, other)[place]())
    return median(times[0]), median(times[1])


def taking(kept: Kept, journal: Journal, coming: list[Event]) -> Callable[[], float]:
    recorder = kept.recorder(journal)
    left = iter(coming)

    def some() -> float:
        begun = perf_counter()
        for event in islice(left, EVENTS):
            assert not recorder.take(event).step.refused
        return (perf_counter() - begun) / EVENTS

    return some


def report(what: str, with_: float, without: float, unit: str, scale: float) -> bool:
    ratio = with_ / without
    print(f"{what}: {with_ * scale:.1f} {unit} with heads, {without * scale:.1f} without;", end=" ")
    print(f"ratio {ratio:.2f} (required at most {LIMIT})")
    return ratio <= LIMIT


def main(given: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.heads")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds: int = parser.parse_args(given).rounds
    # Beside the checkout: a folder for temporary files may be in memory.
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        heads = Kept(Path(folder) / "with.db", heads=True)
        plain = Kept(Path(folder) / "without.db", heads=False)
        coming = [kept.made(rounds) for kept in (heads, plain)]
        sizes: list[Any] = [kept.path.stat().st_size / kept.rounds for kept in (heads, plain)]
        print(f"{rounds:,} rounds of {BOOK}, {sizes[0]:,.0f} bytes a round with heads,", end=" ")
        print(f"{sizes[1]:,.0f} without: {sizes[0] / sizes[1]:.3f}")
        good = report("start to ready", *by_turns(heads.started, plain.started), "ms", 1e3)
        good &= report("verify", *by_turns(heads.verified, plain.verified), "s", 1)
        id_ = table_file(BOOK)["id"]
        with Journal.open(heads.path, id_) as one, Journal.open(plain.path, id_) as other:
            some = taking(heads, one, coming[0]), taking(plain, other, coming[1])
            good &= report("an event and its decision", *by_turns(*some), "us", 1e6)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
