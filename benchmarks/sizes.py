"""What a round leaves on the disk: in the journal and in the device logs, at a whole table.

Real rounds through a whole felt with simulated devices, in virtual time: with heads signed, faces
sealed, people who sign on, and draws. Machine alone would be less than half of the truth.

    python -m benchmarks.sizes [--rounds 40] [--seats 7]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from controller.demo.table import Options, SimulatedTable
from controller.journal.reader import Reader
from controller.library import Library, shipped
from controller.tables import read_file
from simulators import virtual_time

#: As docs/journal.md says it, for a table with seven seats, everything included: bytes a round.
#: A measurement beyond a factor of FACTOR from these is a page that lies.
JOURNAL = (22_000, 41_000)
LOGS = (12_000, 77_000)
FACTOR = 1.5
BOOKS = tuple(sorted(file.stem for file in shipped("tables").glob("*.toml")))
MOST = {"pa-669a": 6, "pa-682a": 6, "pa-683a": 6}
#: A person's pace: so that polls and silences are as many as at a table.
PAUSE_S = 1.0


class Sizes(NamedTuple):
    journal: float
    entries: float
    logs: float
    seconds: float


def measured(book: str, rounds: int, seats: int, pause: float = PAUSE_S) -> Sizes:
    """Bytes and entries of a round, without what the first one brings with it."""
    with tempfile.TemporaryDirectory(prefix="felt-sizes-") as folder:
        return _Played(book, seats, Path(folder), pause).run(rounds)


class _Played:
    def __init__(self, book: str, seats: int, folder: Path, pause: float) -> None:
        data: dict[str, Any] = read_file(shipped("tables") / f"{book}.toml")
        # One of the games has six.
        data["options"]["seats"] = min(seats, MOST.get(book, seats))
        options = Options(seed=3, pause=pause, broker=False, starts_at=1_767_225_600.0)
        self._simulated = SimulatedTable(data, folder, Library(), options)
        self._marks: list[tuple[float, int, int, int]] = []

    def run(self, rounds: int) -> Sizes:
        virtual_time.run(lambda: self._play(rounds))
        first, last = self._marks
        seconds, journal, entries, logs = (b - a for a, b in zip(first, last, strict=True))
        return Sizes(journal / rounds, entries / rounds, logs / rounds, seconds / rounds)

    async def _play(self, rounds: int) -> None:
        service = self._simulated.service(lambda _what, **_facts: None)
        performer = self._simulated.performer(service)

        async def script() -> None:
            await performer.plays(1)
            self._mark()
            await performer.plays(rounds)
            await asyncio.sleep(2)
            self._mark()
            service.stop()

        service.also("script", script)
        await service.run()

    def _mark(self) -> None:
        """Where it stands: in pages that rows are in, and not in what the log keeps ready."""
        configuration = self._simulated.configuration
        with Reader.look(configuration.journal) as reader:
            entries = reader.head.seq
            ((pages,),) = reader._ask("PRAGMA page_count")
        logs = sum(file.stat().st_size for file in configuration.logs.iterdir())
        now = asyncio.get_running_loop().time()
        self._marks.append((now, pages * 4096, entries, logs))


def is_true(found: Sizes) -> bool:
    """Whether what the docs say of a table with seven seats holds."""
    return all(
        least / FACTOR <= one <= most * FACTOR
        for one, (least, most) in ((found.journal, JOURNAL), (found.logs, LOGS))
    )


def main() -> int:
    given = argparse.ArgumentParser()
    given.add_argument("--rounds", type=int, default=40)
    given.add_argument("--seats", type=int, default=7)
    given.add_argument("--books", nargs="*", default=list(BOOKS))
    asked = given.parse_args()
    wrong = 0
    for book in asked.books:
        found = measured(book, asked.rounds, asked.seats)
        ok = asked.seats != 7 or is_true(found)
        wrong += not ok
        print(
            f"{book}: {found.journal:,.0f} bytes and {found.entries:.0f} entries a round in the"
            f" journal, {found.logs:,.0f} bytes in the device logs, {found.seconds:.0f} s of play"
            f"{'' if ok else '  NOT AS THE DOCS SAY'}",
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    random.seed(0)
    raise SystemExit(main())
