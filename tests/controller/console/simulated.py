"""A whole simulated table that a crew plays in real time, with a desk, a bench and a console.

Its shoe reads faces, and its motors are quick. Everything is in this process, so a test may hold
what left the console against what the table knew.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from controller.console.serving import Options as ConsoleOptions
from controller.daemon import pins
from controller.daemon.client import SOCKET
from controller.daemon.desk import Desk
from controller.daemon.service import Service
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.library import Library
from simulators import shoe, shuffler
from tests.controller.console.served import console
from tests.drivers.wire.plugs import AT_LAST_S


class Simulated:
    def __init__(self, show: Show, service: Service, playing: asyncio.Task[None]) -> None:
        self.show = show
        self.service = service
        self.playing = playing
        self.address = ""
        #: What the console has said to its log.
        self.said: list[tuple[str, dict[str, Any]]] = []

    @property
    def name(self) -> str:
        return self.service.recorder.terms.id

    async def is_over(self) -> None:
        """All rounds were played."""
        async with asyncio.timeout(AT_LAST_S):
            await self.playing


@contextlib.asynccontextmanager
async def simulated(
    folder: Path,
    data: dict[str, Any],
    *,
    rounds: int,
    pins_of: Mapping[str, str] | None = None,
    pause: float = 0.02,
    seed: int = 1,
) -> AsyncIterator[Simulated]:
    """It plays from now on, and its console serves it."""
    options = Options(seed=seed, pause=pause, broker=False, bench=True)
    view = View(io.StringIO())
    show = Show(data, folder, Library(), options, rounds=rounds, view=view)
    show.simulated.write_table_file()
    for person, pin in (pins_of or {}).items():
        pins.keep(show.simulated.configuration.secrets, person, pin)
    made: asyncio.Future[Service] = asyncio.get_running_loop().create_future()

    def prepared(service: Service) -> None:
        Desk(service, Library())
        made.set_result(service)

    show.prepared = prepared
    quick, before = (0.2, 0.02), (shuffler.Shuffler.cycle_s, shoe.Shoe.dispense_s)
    shuffler.Shuffler.cycle_s, shoe.Shoe.dispense_s = quick
    playing = asyncio.create_task(show.run(), name="simulated table")
    try:
        while not (made.done() or playing.done()):  # noqa: ASYNC110 - the next turn is soon enough
            await asyncio.sleep(0)
        if playing.done():
            playing.result()
        at = Simulated(show, made.result(), playing)
        socket = show.simulated.configuration.socket
        assert socket.name == SOCKET
        async with console(ConsoleOptions(sockets=(socket,), port=0), at.said) as address:
            at.address = address
            yield at
    finally:
        shuffler.Shuffler.cycle_s, shoe.Shoe.dispense_s = before
        if made.done() and not playing.done():
            made.result().stop()
        await asyncio.gather(playing, return_exceptions=True)
