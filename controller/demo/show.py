"""Runs a simulated table: so many rounds at some pace, and at the end the sums."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from controller.daemon.desk import Desk
from controller.daemon.service import Service
from controller.demo.bench import Bench
from controller.demo.bench_socket import serve
from controller.demo.board import Board
from controller.demo.screens import Screens
from controller.demo.stage import Stage
from controller.demo.table import Options, SimulatedTable
from controller.demo.totals import Totals, differences
from controller.demo.view import Picture, View
from controller.library import Library
from controller.recorder import Taken
from controller.table.events import Event
from controller.table.state import Table

#: How often the view looks, in seconds of a person's time.
LOOKS_S = 0.1
#: So long people wait for devices; one that never comes is the table's matter.
READY_S = 5.0


class Show:
    def __init__(
        self,
        data: Mapping[str, Any],
        folder: Path,
        library: Library,
        options: Options,
        *,
        rounds: int,
        view: View,
        screens: Screens | None = None,
        answers: bool = False,
        staged_at: float | None = None,
    ) -> None:
        """``answers``: it has a control socket. ``staged_at``: at this pace, a hold is staged."""
        self._library = library
        self.simulated = SimulatedTable(data, folder, library, options)
        self._rounds = rounds
        self._view = view
        self._screens = screens
        self._answers = answers or screens is not None
        self._staged_at = staged_at
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.totals: Totals | None = None
        self.table: Table | None = None
        self.bench: Bench | None = None
        self.board: Board | None = None
        #: Gets the service before it runs.
        self.prepared: Callable[[Service], None] = lambda _: None

    async def run(self) -> None:
        """Play, until the rounds are over or somebody stops it."""
        service = self.simulated.service(self._said)
        self.totals = totals = Totals(service.recorder.terms, service.recorder.table)
        service.listen(totals.told)
        performer = self.simulated.performer(service)
        self.bench = bench = Bench(self.simulated, service, performer)
        if self.simulated.options.bench:
            serve(bench, service)
        terms = service.recorder.terms
        self.board = board = Board(terms, service.recorder.table, notes=self._view.is_live)
        service.listen(board.told)
        if self._staged_at is not None:
            stage = Stage(self.simulated.world, performer, board, speed=self._staged_at)
            service.listen(stage.told)

        def look(_event: Event, _taken: Taken) -> None:
            health = service.supervisor.health()
            self._view.show(Picture(terms, service.recorder.table, health, board))

        service.listen(look)

        async def play() -> None:
            if self.simulated.at_broker:
                await _all_are_there(service)
            await performer.plays(self._rounds)
            service.stop()

        if self._answers:
            # Pages and commands reach a table through its control socket, here as anywhere.
            Desk(service, self._library)
        if self._screens is not None:
            self._screens.prepare(service)
            bench.pins = self._screens.pins
        service.also("crew", play)
        self.prepared(service)
        with _stopped_by_signals(service.stop):
            try:
                await service.run()
            finally:
                self._view.end()
        self.table = service.recorder.table

    def differences(self) -> list[str]:
        """What does not add up; to be asked when it is over."""
        assert self.totals is not None
        assert self.table is not None
        found = differences(
            self.totals,
            self.table,
            self.simulated.world,
            self.simulated.configuration.journal,
            self._library,
        )
        strict = [
            f"the {device.name} was told what nobody should tell it: {error}"
            for device in self.simulated.devices
            for error in device.errors
        ]
        return [*found, *strict]

    def _said(self, what: str, /, **facts: Any) -> None:
        self.said = [*self.said, (what, facts)][-1000:]


async def _all_are_there(service: Service) -> None:
    """Nobody opens a table before its devices are there: those at a broker take a moment."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(READY_S):
            some = service.supervisor.attachments.values()
            while not all(one.is_present for one in some):  # noqa: ASYNC110 - nobody tells it
                await asyncio.sleep(LOOKS_S)


class _stopped_by_signals:  # noqa: N801 - reads as what it does
    """Ctrl-C ends the show in order."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop)

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
