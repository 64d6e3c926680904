"""``felt school``: drills for a trainee dealer on a simulated table, until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from controller.commands.pace import faster_by
from controller.demo.screens import Screens
from controller.demo.show import say
from controller.library import Library
from controller.rules.faults import Refused
from controller.school.drill import Drill, shelf
from controller.school.room import SOCKET, Room


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    drills = shelf(library, given.drills)
    if given.list:
        for drill in drills.values():
            say(f"{drill.id}\n  {drill.given.title}\n  {drill.given.teaches}")
        return 0
    with _folder(given.keep) as folder:
        asyncio.run(_kept(folder, library, drills, faster_by(given.speed, 100), given.port))
    return 0


async def _kept(
    folder: Path, library: Library, drills: dict[str, Drill], speed: float, port: int
) -> None:
    room = Room(folder, library, drills, speed=speed, said=_said)
    screens = Screens(port, _told, school=room.runtime / SOCKET)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    work = [
        asyncio.create_task(room.run(), name="school"),
        asyncio.create_task(screens.serve(None), name="school console"),
        asyncio.create_task(stop.wait(), name="school stop"),
    ]
    try:
        await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in work:
            task.cancel()
        ended = await asyncio.gather(*work, return_exceptions=True)
    for one in ended:
        if isinstance(one, Exception):
            raise one


def _told(lines: list[str]) -> None:
    for line in lines:
        say(line)


def _said(what: str, **facts: object) -> None:
    if what == "drill failed":
        sys.stderr.write(f"felt school: {facts.get('why')}\n")


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(str(keep), f"can't be made: {error.strerror}") from None
        if any(keep.iterdir()):
            raise Refused(f"--keep {keep}", "there is something in it already", "a new folder")
        yield keep
        return
    made = Path(tempfile.mkdtemp(prefix="felt-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
