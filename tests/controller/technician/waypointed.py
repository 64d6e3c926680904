"""Rounds with many places to begin in between."""

from __future__ import annotations

import io
from pathlib import Path

from controller.daemon import waypoints
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.library import Library, shipped
from controller.tables import read_file
from simulators import virtual_time
from simulators.faults import Fault

LIBRARY = Library()
ROUNDS = 4


def played(folder: Path) -> Path:
    """Some rounds on a line that loses something; the folder of what felt keeps."""
    data = read_file(shipped("tables") / "pa-639a.toml")
    data["options"]["seats"] = 3
    faults = {"wire acceptors": [Fault.said("lost=0.02", 1)]}
    options = Options(seed=2, pause=0.1, broker=False, starts_at=1_767_225_600.0, faults=faults)
    show = Show(data, folder, LIBRARY, options, rounds=ROUNDS, view=View(io.StringIO()))
    before = waypoints.EVERY_S
    waypoints.EVERY_S = 2.0
    try:
        virtual_time.run(show.run)
    finally:
        waypoints.EVERY_S = before
    return folder / "state"
