"""``felt demo``: a whole table without hardware, played by simulated people."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from controller.commands.pace import faster_by
from controller.demo.performer import PEOPLE_S, Stuck
from controller.demo.screens import Screens
from controller.demo.show import Show, say
from controller.demo.table import TABLE_FILE, Options
from controller.demo.view import View
from controller.library import Library, shipped
from controller.rules.faults import Refused
from controller.school.drill import shelf
from controller.school.room import SOCKET, Room
from controller.tables import named, read_file, read_table
from simulators import virtual_time
from simulators.faults import MENU, WIRE, Fault, NoFault

DOES_NOT_ADD_UP = 1
USUAL_TABLE = "pa-639a"
#: As fast as it goes: in virtual time nobody waits for it.
PAUSE_IN_VIRTUAL_TIME_S = 0.25
#: When the clock of a table in virtual time starts: the same always, so that two runs are.
STARTS_AT = 1_767_225_600.0


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    table = given.table or shipped("tables") / f"{USUAL_TABLE}.toml"
    read_table(table, library)  # says what is wrong with the file, if anything is
    # In virtual time it goes as fast as it can.
    speed = None if given.speed == "max" else faster_by(given.speed, 1000, ", or max")
    options = Options(
        seed=given.seed,
        pause=PEOPLE_S / speed if speed else PAUSE_IN_VIRTUAL_TIME_S,
        broker=speed is not None,
        bench=speed is not None,
        reads=not given.no_faces,
        faults=_faults(given.faults, given.seed),
        starts_at=None if speed else STARTS_AT,
    )
    with _folder(given.keep) as folder, named(table):
        data = read_file(table)
        view = View(sys.stdout)
        # In virtual time nobody could follow.
        has_screens = speed is not None and not given.no_console
        school = _school(folder, library, speed) if has_screens else None
        at = None if school is None else school.runtime / SOCKET
        screens = Screens(given.port, view.head, at) if has_screens else None
        show = Show(data, folder, library, options, rounds=given.rounds, view=view, screens=screens)
        if given.keep is not None or has_screens:
            # What a table with a control socket checks before it plays.
            show.simulated.write_table_file()
        if school is not None:
            show.prepared = lambda service: service.also("school", school.run)
        stuck = _played(show, in_virtual_time=speed is None)
        return DOES_NOT_ADD_UP if stuck else _told(show)


def _school(folder: Path, library: Library, speed: float | None) -> Room:
    """Kept beside the table: a drill is a table of its own."""
    return Room(folder / "school", library, shelf(library), speed=min(speed or 1.0, 5.0))


def _played(show: Show, *, in_virtual_time: bool) -> bool:
    """Play; whether the table got stuck."""
    stuck = False
    try:
        if in_virtual_time:
            virtual_time.run(show.run)
        else:
            asyncio.run(show.run())
    except* Stuck as errors:
        sys.stderr.write(f"felt demo: {errors.exceptions[0]}\n")
        stuck = True
    return stuck


def _told(show: Show) -> int:
    say(str(show.totals))
    found = show.differences()
    for one in found:
        sys.stderr.write(f"felt demo: {one}\n")
    say("Everything adds up." if not found else f"{len(found)} things do not add up.")
    return DOES_NOT_ADD_UP if found else 0


def _faults(given: list[str], seed: int) -> dict[str, list[Fault]]:
    """From ``DEVICE:FAULT`` each: "shoe:jam@30", "wire acceptors:lost=0.1"."""
    faults: dict[str, list[Fault]] = {}
    for text in given:
        where, colon, what = text.partition(":")
        try:
            fault = Fault.said(what if colon else text, seed)
        except NoFault as error:
            raise Refused("--faults", str(error)) from None
        places = [where] if colon else _usual_places(fault)
        for place in places:
            faults.setdefault(place, []).append(Fault.said(what if colon else text, seed))
    return faults


def _usual_places(fault: Fault) -> list[str]:
    """Where a fault strikes that nobody gave a place: at the first device that can have it."""
    first = MENU[fault.name].of[0]
    if first == WIRE:
        return ["wire shoe"]
    return [f"{first} 1" if first in ("acceptor", "terminal") else first]


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(str(keep), f"can't be made: {error.strerror}") from None
        if (keep / TABLE_FILE).exists():
            # Devices begin anew and a table does not, so the two would not agree.
            problem = f"there is a {TABLE_FILE} in it already"
            raise Refused(f"--keep {keep}", problem, "name a folder that is new")
        yield keep
        return
    made = Path(tempfile.mkdtemp(prefix="felt-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
