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

from controller.commands.columns import columns, folded
from controller.commands.pace import faster_by
from controller.demo.board import Board
from controller.demo.found import found_as
from controller.demo.performer import PEOPLE_S, Stuck
from controller.demo.screens import Screens
from controller.demo.show import Show, say
from controller.demo.table import KINDS, TABLE_FILE, Options
from controller.demo.view import View
from controller.library import Library, shipped
from controller.rules.faults import Refused
from controller.rules.paytables import dollars
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
    if asked := [one for one in given.faults if one.endswith("?")]:
        say("\n".join(_menu(asked[0].removesuffix("?").removesuffix(":"))))
        return 0
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
        is_staged = given.hold if given.hold is not None else view.is_live and not given.faults
        show = Show(
            data,
            folder,
            library,
            options,
            rounds=given.rounds,
            view=view,
            screens=screens,
            answers=speed is not None,
            staged_at=speed if is_staged else None,
        )
        if given.keep is not None or speed is not None:
            # What a table with a control socket checks before it plays.
            show.simulated.write_table_file()
        if school is not None:
            show.prepared = lambda service: service.also("school", school.run)
        configuration = show.simulated.configuration
        with (
            found_as(configuration.terms.id, configuration.runtime)
            if speed is not None
            else contextlib.nullcontext()
        ):
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
    assert show.board is not None
    for line in _by_seat(show.board):
        say(line)
    say("\n".join(folded("", str(show.totals))))
    found = show.differences()
    for one in found:
        sys.stderr.write(f"felt demo: {one}\n")
    say("Everything adds up." if not found else f"{len(found)} things do not add up.")
    return DOES_NOT_ADD_UP if found else 0


def _by_seat(board: Board) -> Iterator[str]:
    """What came of it at each seat that played."""
    if not board.rounds:
        return
    rows: list[tuple[str, ...]] = [("seat", "rounds", "wagered", "returned", "result")]
    for seat in sorted(board.rounds):
        sums = (board.staked[seat], board.returned[seat], board.so_far(seat) or 0)
        rows.append((str(seat), str(board.rounds[seat]), *map(dollars, sums)))
    yield from columns(rows, right=range(5))


def _menu(of: str) -> Iterator[str]:
    """What can go wrong, by device or of one: for ``--faults``."""
    kinds = [kind for kind in (*KINDS, WIRE) if of.partition(" ")[0] in ("", kind)]
    if not kinds:
        raise Refused("--faults", f"there is no {of!r}", f"{', '.join(KINDS)}, or wire NAME")
    yield "What can go wrong: --faults [DEVICE:]FAULT[=NUMBER][@SECOND][%CHANCE] ..."
    for kind in kinds:
        rows = [
            (f"{one.name}{f'={one.usual:g}' if one.number else ''}", one.what, one.number)
            for one in MENU.values()
            if kind in one.of
        ]
        yield ""
        yield f"{_AT.get(kind, kind)}:"
        for name, what, number in rows:
            yield from folded(f"  {name:<16} ", f"{what}{f' ({number})' if number else ''}")
    yield ""
    yield from folded("", "Without a DEVICE it is at the first that can have it. Examples:")
    yield "  --faults shoe:jam@30              cards jam in the shoe after 30 seconds"
    yield "  --faults 'acceptor 3:mute=20@60'  the acceptor of seat 3 is silent for 20 seconds"
    yield "  --faults 'wire acceptors:lost%5'  5 % of what goes along that wire gets lost"


#: How a device or a wire is named, where that is not by its kind alone.
_AT = {"acceptor": "acceptor 1, acceptor 2 ...", "terminal": "terminal 1, terminal 2 ..."}
_AT |= {WIRE: "wire shoe, wire panel, wire acceptors ..."}


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
