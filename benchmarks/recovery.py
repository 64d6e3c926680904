"""How long a table takes to come back from a long journal, and what a long journal costs.

The rounds are real: played by the machine, event by event, with all of their entries. Only the
commits are not: so many flushes would take hours, so some thousands of entries share one. The
last rounds are recorded as at a table, one commit an entry, and then the process dies, so that
recovery has a log to go through. Everything after that is measured in processes of their own,
beside the same with a journal of a hundred rounds, with the file out of the system's memory.

    python -m benchmarks.recovery [--rounds 1000000] [--keep J.db]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.shifts import day_by_day, shift, table_file
from controller.journal.entry import Entry, Record, as_entries, chained
from controller.journal.journal import Journal
from controller.journal.lock import Lock
from controller.journal.reader import Reader
from controller.library import Library
from controller.recalling import recalled
from controller.recorder import Recorder
from controller.replay import Replay

BOOK = "pa-639a"
PLAYERS = 2
#: The draws come every 40 and every 50 rounds, so a shift can follow a shift after 200.
ROUNDS_A_SHIFT = 200
ROUNDS = 20_000
FEW = 100
#: Entries that share a commit, and events at the end that share none.
BULK, SINGLY = 20_000, 200
LOOKS = 40
#: Required, in seconds: to come back, and to see the table at any entry.
RECOVERY, LOOK = 2.0, 0.5


class InBulk(Journal):
    """A journal whose commits wait for one another. Not for a table: it acknowledges too early."""

    def __init__(self, path: Path, table: str, lock: Lock) -> None:
        super().__init__(path, table, lock)
        self._waiting: list[Record] = []
        self._durable = self.head

    def append(self, records: Sequence[Record]) -> list[Entry]:
        rows = chained(self._seq, self._link, records)
        self._seq, self._link = rows[-1][0], rows[-1][5]
        self._waiting += records
        if len(self._waiting) >= BULK:
            self.flush()
        return as_entries(rows)

    def flush(self) -> None:
        self._seq, self._link = self._durable
        super().append(self._waiting)
        self._waiting.clear()
        self._durable = self.head


def resident() -> int:
    """Bytes of memory that this process has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def rounds_of(path: Path, rounds: int) -> None:
    """In a process of its own: play, say now and then how it goes, and die without closing."""
    data = table_file(BOOK)
    library = Library()
    shifts = [shift(BOOK, ROUNDS_A_SHIFT, PLAYERS, seed) for seed in (1, 2, 3)]
    events = day_by_day(shifts)
    with InBulk.create(path, data["id"]) as journal:
        bulk = Recorder(journal, data, library)
        every = max(1, rounds // 10)
        said = 0
        while bulk.table.round < rounds:
            taken = bulk.take(next(events))
            assert not taken.step.refused, taken.step.refused
            if bulk.table.round >= said + every:
                said = bulk.table.round
                told = {"rounds": said, "resident": resident(), "bytes": path.stat().st_size}
                print(json.dumps(told), flush=True)
        journal.flush()
    one = Recorder(Journal.open(path, data["id"]), data, library)
    for event in islice(events, SINGLY):
        assert not one.take(event).step.refused
    os._exit(0)


def recovery_of(path: Path) -> None:
    """In a process of its own: open the journal after the crash, up to a table that can go on."""
    data = table_file(BOOK)
    library = Library()
    library.rulebook(BOOK)
    before = resident()
    start = perf_counter()
    journal = Journal.open(path, data["id"])
    opened = perf_counter()
    table = Recorder(journal, data, library).table
    took = perf_counter() - start
    told = {"seconds": took, "opening": opened - start, "round": table.round}
    print(json.dumps({**told, "resident": resident(), "added": resident() - before}))
    journal.close()


def looks_at(path: Path) -> None:
    """In a process of its own: a round in the middle, and the table at entries anywhere."""
    library = Library()
    library.rulebook(BOOK)
    chance = random.Random(1)
    with Reader.look(path) as reader:
        (newest,) = reader.rounds(1)
        middle = newest // 2
        start = perf_counter()
        (found,) = recalled(reader, middle, middle, library)
        recall = perf_counter() - start
        assert found["finished"]
        replay = Replay(reader, library)
        times = []
        for _ in range(LOOKS):
            seq = chance.randrange(1, reader.head.seq)
            start = perf_counter()
            replay.at(seq)
            times.append(perf_counter() - start)
        told = {"recall": recall, "median": median(times), "longest": max(times)}
        print(json.dumps({**told, "entries": reader.head.seq, "resident": resident()}))


PARTS: dict[str, Callable[..., None]] = {"look": looks_at, "recover": recovery_of}


def part(name: str, path: Path, rounds: int = 0) -> list[dict[str, Any]]:
    """Run a part by itself; what it said, line by line."""
    command = [sys.executable, "-m", "benchmarks.recovery", "--part", name, "--keep", str(path)]
    done = subprocess.run(
        [*command, "--rounds", str(rounds)], check=True, stdout=subprocess.PIPE, text=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def out_of_memory(path: Path) -> None:
    """Nothing of the file stays in the system's memory, as after a power cut."""
    os.sync()
    for file in (path, path.with_name(f"{path.name}-wal")):
        if file.exists():
            fd = os.open(file, os.O_RDONLY)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)


def measured(path: Path, rounds: int) -> dict[str, Any]:
    start = perf_counter()
    grown = part("play", path, rounds)
    made = perf_counter() - start
    out_of_memory(path)
    (recovered,) = part("recover", path)
    out_of_memory(path)
    (looked,) = part("look", path)
    return {"grown": grown, "made": made, "recovered": recovered, "looked": looked}


def report(few: dict[str, Any], many: dict[str, Any], rounds: int, size: int) -> int:
    entries = many["looked"]["entries"]
    print(f"{rounds:,} rounds of {BOOK}, {PLAYERS} players, {entries:,} entries")
    print(f"  {size / rounds:,.0f} bytes a round, {size / 2**30:.2f} GiB; {many['made']:.0f} s")
    # From the middle on: what is made ready once is ready by then.
    first, last = many["grown"][len(many["grown"]) // 2], many["grown"][-1]
    grew = (last["resident"] - first["resident"]) / (last["rounds"] - first["rounds"])
    along = ", ".join(f"{one['resident'] / 2**20:.0f}" for one in many["grown"])
    print(f"memory along the way, MiB: {along} ({grew:.1f} bytes a round)")
    took, peer = many["recovered"]["seconds"], few["recovered"]["seconds"]
    print(f"recovery after a crash, file not in memory: {took:.2f} s, of which opening")
    print(f"  {many['recovered']['opening']:.2f} s; {many['recovered']['added'] / 2**20:.0f} MiB")
    print(f"  of the limit of {RECOVERY:.0f} s: {took / RECOVERY:.2f} (required < 1)")
    print(f"  of the same with {FEW} rounds: {took / peer:.1f}")
    looked = many["looked"]
    print(f"the round in the middle: {looked['recall']:.2f} s")
    print(f"the table at any entry: median {looked['median'] * 1000:.0f} ms,", end=" ")
    print(f"longest {looked['longest'] * 1000:.0f} ms")
    print(f"  of the limit of {LOOK} s: {looked['longest'] / LOOK:.2f} (required < 1)")
    print(
        f"  median, of the same with {FEW} rounds: {looked['median'] / few['looked']['median']:.1f}"
    )
    return 0 if took < RECOVERY and max(looked["longest"], looked["recall"]) < LOOK else 1


def main(given: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recovery")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--keep", type=Path, help="leave the journal there")
    parser.add_argument("--part", choices=["play", *PARTS], help=argparse.SUPPRESS)
    asked = parser.parse_args(given)
    if asked.part == "play":
        rounds_of(asked.keep, asked.rounds)
    elif asked.part:
        PARTS[asked.part](asked.keep)
        return 0
    # Beside the checkout: a folder for temporary files may be in memory.
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as made:
        folder = Path(made)
        few = measured(folder / "few.db", FEW)
        path = asked.keep or folder / "many.db"
        many = measured(path, asked.rounds)
        return report(few, many, asked.rounds, path.stat().st_size)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
