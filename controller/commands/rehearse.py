"""``felt rehearse``: simulated devices and people at a service, before there are others."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from controller.daemon.client import Unanswered
from controller.daemon.configuration import Configuration, configured, read
from controller.demo.people import People, Stuck, Window
from controller.demo.rehearsal import BEGINS, ID, Stage, Unready, ready, table_file
from controller.library import Library
from controller.rules.faults import Refused
from controller.table.state import Table
from controller.tables import named, read_file

NOT_READY = 1
#: All devices of a table are there within seconds; a PC that is busy may take longer.
READY_S = 120.0


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    if given.out is not None:
        return _made(given.table, given.out, library)
    configuration = read(given.table, library)
    if configuration.terms.id != ID:
        problem = f"{configuration.terms.id} is a table, and its record is no place to rehearse"
        step = f"felt rehearse {given.table} --out rehearsal.toml makes one of its own"
        raise Refused(f"{given.table}: id", problem, step)
    try:
        return asyncio.run(_rehearsed(configuration, given))
    except ExceptionGroup as group:
        # One thing went wrong; which group it was raised in interests nobody.
        raise group.exceptions[0] from None


def _made(file: Path, out: Path, library: Library) -> int:
    """Write the rehearsal's table file, once it is known that both are in order."""
    data = read_file(file)
    with named(file):
        configured(data, library, file)
    if out.exists() and not out.read_text(encoding="utf-8", errors="replace").startswith(BEGINS):
        problem = "is there already, and is no rehearsal's"
        raise Refused(str(out), problem, "a name that is free, such as rehearsal.toml")
    try:
        out.write_text(table_file(data), encoding="utf-8")
    except OSError as error:
        raise Refused(str(out), f"can't be written: {error.strerror}") from None
    read(out, library)
    _say(f"{out}: the table {ID}, with simulated devices. Lay it out: sudo felt install {out}")
    return 0


async def _rehearsed(configuration: Configuration, given: argparse.Namespace) -> int:
    stage = Stage(configuration, given.seed)
    with Window(configuration.socket) as window:
        await _must_answer(window)
        stage_runs = asyncio.create_task(stage.run(), name="simulated devices")
        plays = asyncio.create_task(_played(stage, window, configuration, given))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, plays.cancel)
        try:
            await asyncio.wait({stage_runs, plays}, return_when=asyncio.FIRST_COMPLETED)
            if stage_runs.done():
                stage_runs.result()
            return await plays
        except asyncio.CancelledError:
            _say("the devices are gone")
            return 0
        except (Unready, Stuck) as failed:
            sys.stderr.write(f"felt rehearse: {failed}\n")
            sys.stderr.write("felt status and felt doctor say more\n")
            return NOT_READY
        finally:
            for task in (plays, stage_runs):
                task.cancel()
            await asyncio.wait({plays, stage_runs})


async def _must_answer(window: Window) -> None:
    try:
        await window.ask("table")
    except Unanswered as nobody:
        if not nobody.forbidden:
            raise
        raise Refused("", nobody.problem, "run it as root: sudo felt rehearse ...") from None


async def _played(
    stage: Stage,
    window: Window,
    configuration: Configuration,
    given: argparse.Namespace,
) -> int:
    people = People(window, stage.world, configuration.terms, stage.kick, given.seed)
    table = await people.sees()
    if table.decks:
        stage.stands(table)
    _say(f"{len(stage)} simulated devices: {', '.join(stage.lines) or 'at the broker'}")
    wrong = await ready(window, READY_S)
    _say(f"Ready: all {len(stage)} devices are there, and {wrong or 'all is well'}")
    for _ in range(given.rounds):
        await _one_round(people)
    if given.stay:
        _say("the devices stay until Ctrl-C")
        await asyncio.Event().wait()
    return 0


async def _one_round(people: People) -> None:
    table = await people.sees()
    wanted = table.round + (table.phase in ("closed", "opening", "shuffling", "betting"))
    shown = ""

    def is_over(now: Table) -> bool:
        nonlocal shown
        if now.phase != shown:
            shown = now.phase
            _say(f"  {now.phase}")
        return now.round >= wanted and now.phase in ("shuffling", "betting", "closed")

    await people.play(is_over)
    _say(f"Round {wanted} is over, its cards are racked")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
