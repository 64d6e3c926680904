"""How fast a device log is read and replayed, and what writing it costs.

The limit is bare reading: the same file line by line, split, its times turned into numbers and its
hexadecimal into bytes, by turns in the same run. The capture is timed where the loop calls it, and
compared with all that the loop does in a round. A shift is 500 rounds with seven seats; what fewer
rounds take is multiplied, and that is said. To play a shift takes a quarter of an hour: with a
folder it is kept there, and not played again.

Rates are those of one processor, so that other programs on the machine count little. A shift is
measured by the clock on the wall, as a technician waits for it, with the seconds of a processor
beside it: for a stretch and in one piece.

    python -m benchmarks.replay [--rounds 500] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import functools
import io
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, thread_time
from typing import Any, NamedTuple

import msgspec

from controller.daemon import assembly
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.journal.reader import Reader
from controller.library import Library, shipped
from controller.recorder import Decision
from controller.replay import recorded_terms
from controller.table.events import Event
from controller.table.machine import step
from controller.tables import read_file
from controller.technician import logs, past, stretches
from controller.technician.logs import Damages
from controller.technician.past import Past
from controller.technician.replaying import Replayer
from drivers.wire import frame
from drivers.wire.capture import Capture
from drivers.wire.devicelog import Bytes
from drivers.wire.logreading import read_records
from simulators import virtual_time

#: So many that the log is replayed in stretches, as that of a shift is.
ROUNDS = 60
#: To see what the capture costs.
FEW_ROUNDS = 8
TURNS = 5
#: Of bare reading's time, at the most, for records and for the messages in them.
MOST_TIMES = 10.0
#: What the device logs may cost of a round's own work.
MOST_SHARE = 0.05
SHIFT_ROUNDS = 500
SHIFT_S = 5.0
LEAST_RECORDS, LEAST_EVENTS = 50_000, 10_000


class Timed(Capture):
    """A capture with a watch: how long the loop was in it. Its thread has its own time."""

    seconds = 0.0
    calls = 0

    @classmethod
    def time(cls, name: str, timed: Callable[..., None]) -> None:
        @functools.wraps(timed)
        def watched(self: Capture, *given: Any, **more: Any) -> None:
            began = thread_time()
            timed(self, *given, **more)
            cls.seconds += thread_time() - began
            cls.calls += 1

        setattr(cls, name, watched)

    def nothing(self) -> None:
        """To see what the watch itself takes: to read it is a call of the system."""

    @classmethod
    def taken(cls) -> float:
        """Seconds in the capture, without those of its watch."""
        seconds, calls = cls.seconds, cls.calls
        nothing = cls.__new__(cls)
        for _ in range(WATCHED):
            nothing.nothing()
        return seconds - calls * (cls.seconds - seconds) / WATCHED


WATCHED = 100_000
for _name in ("received", "sent", "quiet", "table", "port", "device", "state", "flush_soon"):
    Timed.time(_name, getattr(Capture, _name))
Timed.time("nothing", Timed.nothing)


class Work(NamedTuple):
    """Seconds of a processor: in the loop, and in the whole process with its threads."""

    loop: float
    process: float


def play(folder: Path, rounds: int) -> Work:
    """Play some rounds at the pace of people."""
    options = Options(seed=1, pause=0.5, broker=False, starts_at=1_767_225_600.0)
    data = read_file(shipped("tables") / "pa-639a.toml")
    show = Show(data, folder, Library(), options, rounds=rounds, view=View(io.StringIO()))
    loop, process = thread_time(), process_time()
    virtual_time.run(show.run)
    return Work(thread_time() - loop, process_time() - process)


def bare(path: Path) -> int:
    count = 0
    with path.open("rb") as file:
        for line in file:
            words = line.split(None, 4)
            if len(words) > 3 and words[2] in (b"in", b"out"):
                at, data = float(words[0]), bytes.fromhex(words[3].decode())
                count += at >= 0 and len(data) > 0
    return count


def records(path: Path) -> int:
    return sum(isinstance(one, Bytes) for one in read_records(path))


def messages(path: Path) -> int:
    splitters = {"in": frame.Splitter(), "out": frame.Splitter()}
    count = 0
    for one in read_records(path):
        if isinstance(one, Bytes):
            count += sum(1 for _ in splitters[one.direction].feed(one.data))
    return count


def timed(read: Callable[[Path], int], files: list[Path]) -> tuple[int, float]:
    began = process_time()
    count = sum(read(path) for path in files)
    return count, process_time() - began


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replay")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="that are played and replayed")
    parser.add_argument("--keep", type=Path, help="a folder for what was played, or that has it")
    given = parser.parse_args()
    rounds = given.rounds
    with tempfile.TemporaryDirectory(prefix="felt-bench-") as made:
        folder = Path(made)
        shift = given.keep or folder / "shift"
        if not (shift / "state").exists():
            play(shift, rounds)
        files = sorted((shift / "state/logs").iterdir())
        held = sum(file.stat().st_size for file in files)
        print(f"      log: {held / rounds / 1000:,.0f} kB a round")
        missed = [*_read(files), *_replayed(shift / "state", rounds), *_captured(folder)]
    for one in missed:
        print(f"missed: {one}")
    return 1 if missed else 0


def _read(files: list[Path]) -> Iterator[str]:
    times: dict[str, list[float]] = {}
    counts: dict[str, int] = {}
    for _ in range(TURNS):
        for name, read in (("bare", bare), ("records", records), ("messages", messages)):
            counts[name], seconds = timed(read, files)
            times.setdefault(name, []).append(seconds)
    limit = median(times["bare"])
    for name in ("bare", "records", "messages"):
        seconds = median(times[name])
        ratio, rate = seconds / limit, counts[name] / seconds
        print(f"{name:>9}: {rate:>10,.0f}/s, {ratio:.1f} times bare reading")
        if ratio > MOST_TIMES:
            yield f"{name} take {ratio:.1f} times bare reading, {MOST_TIMES:.0f} at the most"
        if rate < LEAST_RECORDS:
            yield f"{rate:,.0f} {name}/s, {LEAST_RECORDS:,} at the least"


def _replayed(state: Path, rounds: int) -> Iterator[str]:
    library = Library()
    (run,) = logs.read([state / "logs"]).runs
    with Reader.look(state / "journal.db") as reader:
        before = past.of_journal(reader, library, run.after_entry)
        began, worked = perf_counter(), process_time()
        outcome = Replayer(run, before, library, late_s=0).run()
        seconds, alone_s = perf_counter() - began, process_time() - worked
        alone = _machine(past.of_journal(reader, library, run.after_entry), library)
    if not outcome.identical:
        yield "the replay is DIFFERENT"
    print(
        f"   replay: {outcome.records / alone_s:>10,.0f} records/s, "
        f"{outcome.events / alone_s:,.0f} events/s through wires, drivers and machine"
    )
    print(f"  machine: {alone:>10,.0f} events/s with every decision compared")
    if alone < LEAST_EVENTS:
        yield f"{alone:,.0f} events/s through the machine, {LEAST_EVENTS:,} at the least"
    began, before_s = perf_counter(), _children_s()
    others = stretches.beginnings(run, None, stretches.processors())
    work = stretches.Work(run, state / "journal.db", library, Damages(), None, late_s=0)
    whole = stretches.replay(work, None, others)
    beside = perf_counter() - began
    if whole != outcome:
        yield "the replay in stretches is DIFFERENT"
    shift = beside * SHIFT_ROUNDS / rounds
    measured = "measured" if rounds == SHIFT_ROUNDS else f"from {rounds} rounds"
    print(
        f"  a shift: {shift:.1f} s for {SHIFT_ROUNDS} rounds ({measured}), {SHIFT_S:.0f} wanted, "
        f"in {len(others) + 1} stretches at once; in one piece {seconds / beside:.2f} times that"
    )
    worked_s = (_children_s() - before_s) * SHIFT_ROUNDS / rounds
    print(
        f"           seconds of a processor: {worked_s / (len(others) + 1):.1f} for a stretch, "
        f"{alone_s * SHIFT_ROUNDS / rounds:.1f} in one piece"
    )
    if shift > SHIFT_S:
        yield f"a shift takes {shift:.1f} s, {SHIFT_S:.0f} at the most"


def _children_s() -> float:
    """Seconds of a processor that stretches took that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _machine(before: Past, library: Library) -> float:
    """The events of the journal through the machine alone; events in a second."""
    terms = recorded_terms(before.data, library)
    decoder = msgspec.json.Decoder(Event)
    entries = [one for one in before.entries if one.kind in ("event", "decision")]
    table, count = before.table, 0
    began = process_time()
    for event, decision in zip(entries[::2], entries[1::2], strict=True):
        done = step(terms, table, decoder.decode(event.body))
        made = msgspec.json.encode(Decision(done.table.phase, done.commands, done.refused))
        if made != decision.body:
            raise RuntimeError(f"entry {event.seq}: decided otherwise")
        table, count = done.table, count + 1
    return count / (process_time() - began)


def _captured(folder: Path) -> Iterator[str]:
    usual = vars(assembly)["Capture"]
    vars(assembly)["Capture"] = Timed
    try:
        work = play(folder / "captured", FEW_ROUNDS)
    finally:
        vars(assembly)["Capture"] = usual
    share = Timed.taken() / work.loop
    beside = work.process - work.loop
    print(
        f"  capture: {share:.1%} of the loop's work in a played round, simulated devices included; "
        f"all threads beside the loop, the journal's too, {beside / work.process:.1%} of the whole"
    )
    if share > MOST_SHARE:
        yield f"the capture takes {share:.1%} of the loop's work, {MOST_SHARE:.0%} at the most"


if __name__ == "__main__":
    sys.exit(main())
