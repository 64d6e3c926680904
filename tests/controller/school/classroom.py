"""A drill from its beginning to its report, in virtual time, by a trainee who deals it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Coroutine
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from controller.library import Library
from controller.school.drill import Drill, shelf
from controller.school.running import Running
from simulators import virtual_time
from tests.controller.school.trainee import Otherwise, Trainee

STARTS_AT = 1_767_225_600.0
#: Nobody cuts the power of this one.
IN_MEMORY = Path("/dev/shm")


class Held(NamedTuple):
    report: dict[str, Any]
    trainee: Trainee
    running: Running

    @property
    def mine(self) -> list[dict[str, Any]]:
        return [row for row in self.report["acts"] if row["mine"]]


@cache
def drills() -> dict[str, Drill]:
    return shelf(Library())


#: Who is there beside the trainee, and does something to the drill.
Beside = Callable[[Running, Trainee], Coroutine[Any, Any, None]]


async def nobody(running: Running, trainee: Trainee) -> None:
    return


def held(drill: Drill | str, otherwise: Otherwise | None = None, beside: Beside = nobody) -> Held:
    """Played until it has ended."""
    one = drills()[drill] if isinstance(drill, str) else drill
    found: list[Held] = []

    async def lesson() -> None:
        running = Running(one, Path(folder), Library(), starts_at=STARTS_AT)
        trainee = Trainee(running, otherwise)

        async def deals() -> None:
            others = asyncio.create_task(beside(running, trainee))
            try:
                await trainee.plays()
                await others
                report = await running.reported()
            finally:
                others.cancel()
                running.close()
            found.append(Held(report, trainee, running))

        async with asyncio.TaskGroup() as group:
            group.create_task(running.run())
            group.create_task(deals())

    where = IN_MEMORY if IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="felt-", dir=where) as folder:
        virtual_time.run(lesson)
    return found[0]
