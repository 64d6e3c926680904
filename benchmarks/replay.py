"""How fast a device log is read and replayed, and what writing it costs.

The limit is bare reading: the same file line by line, split, and its hexadecimal turned into bytes,
by turns in the same run. The capture is compared with the time that a played round takes by itself.

    python -m benchmarks.replay
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from controller.daemon import assembly
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.journal.reader import Reader
from controller.library import Library, shipped
from controller.tables import read_file
from controller.technician import logs, past
from controller.technician.replaying import Replayer
from drivers.wire import frame
from drivers.wire.capture import Capture
from drivers.wire.devicelog import Bytes, read_records
from simulators import virtual_time

ROUNDS = 4
TURNS = 5
#: Of bare reading's time, at the most, for records and for the messages in them.
MOST_TIMES = 30.0
#: What the device logs may cost of a round's own work.
MOST_SHARE = 0.35


class Silent(Capture):
    """A capture that keeps nothing, to see what one costs."""

    def received(self, data: bytes, now: float, channel: str = "") -> None:
        pass

    def sent(self, data: bytes, now: float, channel: str = "") -> None:
        pass

    def table(self, text: str, now: float) -> None:
        pass


def play(folder: Path) -> float:
    """Play some rounds; the seconds of this process."""
    options = Options(seed=1, pause=0.25, broker=False, starts_at=1_767_225_600.0)
    data = read_file(shipped("tables") / "pa-639a.toml")
    show = Show(data, folder, Library(), options, rounds=ROUNDS, view=View(io.StringIO()))
    began = process_time()
    virtual_time.run(show.run)
    return process_time() - began


def bare(path: Path) -> int:
    count = 0
    with path.open("rb") as file:
        for line in file:
            words = line.split(None, 3)
            if len(words) > 2 and words[1] in (b"in", b"out"):
                count += len(bytes.fromhex(words[2].decode())) > 0
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
    began = perf_counter()
    count = sum(read(path) for path in files)
    return count, perf_counter() - began


def main() -> int:
    failed = False
    with tempfile.TemporaryDirectory(prefix="felt-bench-") as made:
        folder = Path(made)
        with_log = play(folder / "with")
        usual = vars(assembly)["Capture"]
        vars(assembly)["Capture"] = Silent
        try:
            without = play(folder / "without")
        finally:
            vars(assembly)["Capture"] = usual
        files = sorted((folder / "with/state/logs").iterdir())
        times: dict[str, list[float]] = {}
        counts: dict[str, int] = {}
        for _ in range(TURNS):
            for name, read in (("bare", bare), ("records", records), ("messages", messages)):
                counts[name], seconds = timed(read, files)
                times.setdefault(name, []).append(seconds)
        limit = median(times["bare"])
        for name in ("bare", "records", "messages"):
            seconds = median(times[name])
            ratio = seconds / limit
            failed |= ratio > MOST_TIMES
            print(f"{name:>9}: {counts[name] / seconds:>10,.0f}/s, {ratio:.1f} times bare reading")
        failed |= not _replayed(folder / "with/state", limit)
        share = max(with_log - without, 0.0) / with_log
        failed |= share > MOST_SHARE
        print(f"  capture: {share:.0%} of the work of a played round, simulated devices included")
    return 1 if failed else 0


def _replayed(state: Path, limit: float) -> bool:
    library = Library()
    (run,) = logs.read([state / "logs"]).runs
    with Reader.look(state / "journal.db") as reader:
        before = past.of_journal(reader, library, run.after_entry)
        began = perf_counter()
        outcome = Replayer(run, before, library, late_s=0).run()
        seconds = perf_counter() - began
    played = max(one.at_us for one in run.records()) / 1e6
    print(
        f"   replay: {outcome.records / seconds:>10,.0f} records/s, "
        f"{outcome.events / seconds:,.0f} events/s through the whole path, "
        f"{played / seconds:,.0f} times as fast as it was played, "
        f"{seconds / limit:.0f} times bare reading; "
        f"{'identical' if outcome.identical else 'DIFFERENT'}"
    )
    return outcome.identical


if __name__ == "__main__":
    sys.exit(main())
