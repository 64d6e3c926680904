"""Whatever goes wrong at a table, its logs replay identically: every fault of the menu, in one go.

Short in the suite; a thousand rounds for each rulebook by ``make slow``.
"""

from __future__ import annotations

import contextlib
import io
import random
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
from controller.technician.replaying import Replayer
from simulators import virtual_time
from simulators.faults import MENU, WIRE, Fault
from tests.controller.table.playing import BOOKS

LIBRARY = Library()
#: What a table can't be played with for long: nothing that it counts or hears is true any more.
_FOR_EVER = ("false-count", "lamp", "clock", "sort-mode", "door")
#: On a wire, all at once and all the time, as small as to let a table go on.
_WIRE = ("lost=0.01", "twice=0.01", "noise=0.01", "slow=0.02")


def everywhere(
    data: dict[str, Any], chance: random.Random, seconds: float
) -> dict[str, list[Fault]]:
    """Every fault that passes, at every device that can have it, each at a moment of its own."""
    seats = data["options"]["seats"]
    wires = ["shuffler", "shoe", "panel", "acceptors"]
    faults: dict[str, list[Fault]] = {f"wire {one}": [] for one in wires}
    for entry in MENU.values():
        for kind in entry.of:
            if kind == WIRE or entry.name in _FOR_EVER:
                continue
            names = [f"{kind} {n}" for n in range(1, seats + 1)]
            for name in names if kind in ("acceptor", "terminal") else [kind]:
                fault = Fault(entry.name, at=chance.uniform(5, seconds), seed=1)
                faults.setdefault(name, []).append(fault)
    for number, one in enumerate(wires):
        faults[f"wire {one}"] += [Fault.said(text, number) for text in _WIRE]
        faults[f"wire {one}"].append(Fault("unplug", at=chance.uniform(5, seconds), seed=1))
    return faults


@pytest.mark.parametrize(
    ("rounds", "seconds"),
    [(4, 90.0), pytest.param(1000, 20_000.0, marks=pytest.mark.slow)],
    ids=["some rounds", "a thousand"],
)
@pytest.mark.parametrize("book", BOOKS)
def test_whatever_goes_wrong_the_logs_replay_identically(
    book: str, rounds: int, seconds: float, tmp_path: Path
) -> None:
    data: dict[str, Any] = read_file(shipped("tables") / f"{book}.toml")
    data["options"]["seats"] = 3
    chance = random.Random(book)
    options = Options(
        seed=1,
        pause=0.25,
        broker=False,
        starts_at=1_767_225_600.0,
        faults=everywhere(data, chance, seconds),
    )
    show = Show(data, tmp_path, LIBRARY, options, rounds=rounds, view=View(io.StringIO()))
    # A table that people can't get going again has a log too.
    with contextlib.suppress(BaseExceptionGroup):
        virtual_time.run(show.run)
    (run,) = logs.read([tmp_path / "state" / "logs"]).runs
    with Reader.look(tmp_path / "state" / "journal.db") as reader:
        before = past.of_journal(reader, LIBRARY, run.after_entry)
        secrets = tmp_path / "secrets"
        outcome = Replayer(run, before, LIBRARY, secrets=secrets, late_s=0).run()
    assert outcome.difference is None, outcome.difference.what
    assert outcome.identical
    assert outcome.from_devices > 30
    struck = sum(fault.struck for each in options.faults.values() for fault in each)
    assert struck > 5
