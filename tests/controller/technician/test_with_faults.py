"""Whatever goes wrong at a table, its logs replay identically: the whole menu, again and again.

In virtual time, and so to the microsecond. Short in the suite; a thousand rounds for each rulebook
by ``make slow``. On the real stack: ``test_recorded_for_real``.
"""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.journal.reader import Reader
from controller.library import Library, shipped
from controller.tables import read_file
from controller.technician import logs, past
from controller.technician.outcome import Outcome
from controller.technician.replaying import Replayer
from controller.technician.unjudged import Seen, Unjudged
from simulators import virtual_time
from tests.controller.table.playing import BOOKS
from tests.controller.technician.trouble import Trouble

LIBRARY = Library()
#: A table that people can't get going again has a log too. Then they go on at another one, so often
#: at the most for each round.
TABLES = 1.0


class Played:
    """One table, for so many rounds or until nothing goes any more."""

    def __init__(self, book: str, folder: Path, rounds: int, seed: int, every: float) -> None:
        data: dict[str, Any] = read_file(shipped("tables") / f"{book}.toml")
        data["options"]["seats"] = 3
        options = Options(seed=seed, pause=0.25, broker=False, starts_at=1_767_225_600.0)
        show = Show(data, folder, LIBRARY, options, rounds=rounds, view=View(io.StringIO()))
        self.folder = folder
        self.trouble = Trouble(show.simulated, seed=seed, every=every)
        show.prepared = lambda service: service.also("trouble", self.trouble.run)
        with contextlib.suppress(BaseExceptionGroup):
            virtual_time.run(show.run)
        self.rounds = show.totals.rounds if show.totals is not None else 0

    def replayed_without_journal(self) -> Seen:
        (run,) = logs.read([self.folder / "state" / "logs"]).runs
        return Unjudged(run, secrets_=self.folder / "secrets", late_s=0).run()

    def replayed(self) -> Outcome:
        (run,) = logs.read([self.folder / "state" / "logs"]).runs
        with Reader.look(self.folder / "state" / "journal.db") as reader:
            before = past.of_journal(reader, LIBRARY, run.after_entry)
            return Replayer(run, before, LIBRARY, secrets=self.folder / "secrets", late_s=0).run()


@pytest.mark.parametrize(
    ("rounds", "every"),
    [(4, 2.0), pytest.param(1000, 5.0, marks=pytest.mark.slow)],
    ids=["some rounds", "a thousand"],
)
@pytest.mark.parametrize("book", BOOKS)
def test_whatever_goes_wrong_the_logs_replay_identically(
    book: str, rounds: int, every: float, tmp_path: Path
) -> None:
    left, struck, possible = rounds, Counter[str](), set[str]()
    for seed in range(1, round(rounds * TABLES) + 1):
        played = Played(book, tmp_path / str(seed), left, seed, every)
        outcome = played.replayed()
        assert outcome.difference is None, (seed, outcome.difference.what)
        assert outcome.identical
        assert outcome.from_devices > 5
        alone = played.replayed_without_journal()
        assert alone.difference is None, (seed, alone.difference.what)
        struck += played.trouble.struck
        possible = played.trouble.possible
        left -= played.rounds
        if left <= 0:
            break
    assert left <= 0
    assert sum(struck[name] for name in possible) > 5
    if rounds >= 1000:
        assert {name for name in possible if not struck[name]} == set()
