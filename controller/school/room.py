"""The room of the school: one table at a time, laid out anew for the drill that is chosen.

It is the same address for all of them, so a page that is open finds the next drill by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from controller.daemon.access import NotAllowed
from controller.daemon.action import Asked, NoSuch
from controller.daemon.control import Control
from controller.demo.crew import asked
from controller.demo.watching import Watcher, Watchers
from controller.library import Library
from controller.rules.faults import Refused, listed
from controller.school import lying
from controller.school.drill import TABLE, TRAINEE, Drill
from controller.school.running import Running

SOCKET = "school.sock"
#: Signed on with one click: the PIN of somebody who is trained is no secret.
PIN = "0000"
#: What a table said last is kept for so many drills.
FOLDERS_KEPT = 2


class Room:
    """``folder`` gets everything that its tables leave behind."""

    def __init__(
        self,
        folder: Path,
        library: Library,
        drills: Mapping[str, Drill],
        *,
        speed: float = 1.0,
        said: Callable[..., None] = lambda *_, **__: None,
    ) -> None:
        self.folder = folder
        self.runtime = folder / TABLE
        self.runtime.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._library = library
        self._drills = dict(drills)
        self._speed = speed
        self._said = said
        self.running: Running | None = None
        self._tasks: list[asyncio.Task[Any]] = []
        self._begun = 0
        self._changing = asyncio.Lock()
        self.watchers = Watchers("watch", self.state)
        self.control = Control(
            self.runtime / SOCKET, _Actions(self), operators={}, group="", said=said
        )

    async def run(self) -> None:
        """Until cancelled, which ends the drill that runs."""
        serving = asyncio.create_task(self.control.run(), name="school socket")
        watching = asyncio.create_task(self.watchers.run(), name="school watchers")
        try:
            await asyncio.gather(serving, watching)
        finally:
            for task in (serving, watching):
                task.cancel()
            await asyncio.gather(serving, watching, return_exceptions=True)
            await self._away()

    # --- What is done here --------------------------------------------------------

    async def begin(self, name: str) -> None:
        """A drill from its beginning, in place of the one that runs."""
        if name not in self._drills:
            raise Refused("drill", f"there is no drill {name!r}", listed(self._drills))
        async with self._changing:
            await self._away()
            self._begun += 1
            where = self.folder / f"drill-{self._begun}"
            old = self.folder / f"drill-{self._begun - FOLDERS_KEPT}"
            await asyncio.to_thread(shutil.rmtree, old, ignore_errors=True)
            self.running = running = Running(
                self._drills[name], where, self._library,
                runtime=self.runtime, speed=self._speed, pin=PIN,
            )  # fmt: skip
            self._tasks = [
                asyncio.create_task(running.run(), name="school table"),
                asyncio.create_task(running.reported(), name="school report"),
            ]
            for task in self._tasks:
                task.add_done_callback(self._ended)

    async def end(self) -> None:
        """The trainee has enough of it; the report says so."""
        if self.running is None or self.running.stage not in ("setting", "running"):
            raise Refused("", "no drill runs", "begin one")
        self.running.end()

    async def leave(self) -> None:
        """Back to the list: the table goes."""
        async with self._changing:
            await self._away()

    async def _away(self) -> None:
        running, self.running = self.running, None
        tasks, self._tasks = self._tasks, []
        if running is None:
            return
        running.close()
        with contextlib.suppress(asyncio.TimeoutError):
            async with asyncio.timeout(10.0):
                await asyncio.gather(*tasks, return_exceptions=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        """What goes wrong with one drill is said, and is no reason to end the school."""
        if task.cancelled() or (error := task.exception()) is None:
            return
        if isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        self._said("drill failed", why=f"{type(error).__name__}: {error}")
        if self.running is not None:
            self.running.fails(f"the table could not go on: {error}")

    # --- How it stands ------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        running = self.running
        return {
            "table": TABLE,
            "drills": [one.shown() for one in self._drills.values()],
            "running": None if running is None else _shown(running),
            "trainee": {"person": TRAINEE, "role": "dealer", "pin": PIN},
        }


def _shown(running: Running) -> dict[str, Any]:
    given = running.drill.given
    return {
        **running.drill.shown(),
        "goal": given.goal,
        "stage": running.stage,
        "wrong": running.wrong,
        "seen": running.seen,
        "lies": _lies(running),
        "report": running.report,
    }


def _lies(running: Running) -> dict[str, Any]:
    """What lies before the dealer to be read and counted, as anybody at the table would see it."""
    if running.stage != "running" or running.is_dark:
        return {"cards": [], "chips": 0, "is_due": False, "said": []}
    performer, table = running.performer, running.table
    offers = running.service.on_offer.at(table).offers
    return {
        "cards": [one._asdict() for one in lying.to_read(performer.world, table, offers)],
        "chips": performer.world.chips() if table.phase == "locked" else 0,
        "is_due": running.is_due and table.phase == "betting",
        "said": list(_said(running)),
    }


def _said(running: Running) -> Iterator[dict[str, Any]]:
    """What the players who are asked have told the dealer."""
    table, terms = running.table, running.drill.terms
    if table.phase != "deciding":
        return
    for seat in asked(terms, table):
        says = running.performer.crew.says(table, seat) if seat.player else None
        if says is not None:
            choice, cents = says
            yield {"seat": seat.number, "player": seat.player, "choice": choice, "cents": cents}


# --- The socket -------------------------------------------------------------------


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    pass


class Begin(msgspec.Struct, forbid_unknown_fields=True):
    drill: Annotated[str, Meta(min_length=1, max_length=64)]


class _Actions:
    """Lines of JSON, as at a table's own socket."""

    watched_by = "watch"

    def __init__(self, room: Room) -> None:
        self._room = room

    async def do(self, name: str, given: Asked) -> dict[str, Any]:
        match name:
            case "school" | "watch":
                return self._room.state()
            case "begin" | "end" | "leave":
                if not given.caller.may:
                    raise NotAllowed(name, f"{given.caller.device} may only look")
                await self._does(name, given.given)
                return self._room.state()
        there = listed(("school", "watch", "begin", "end", "leave"))
        raise NoSuch("action", f"there is no {name[:64]!r} at a school", there)

    async def _does(self, name: str, given: dict[str, Any]) -> None:
        try:
            if name == "begin":
                await self._room.begin(msgspec.convert(given, Begin).drill)
                return
            msgspec.convert(given, Nothing)
        except msgspec.ValidationError as error:
            raise NoSuch(name, f"is given something else than it takes: {error}") from None
        await (self._room.end() if name == "end" else self._room.leave())

    def watch(self) -> Watcher:
        return self._room.watchers.watch()

    def leave(self, watcher: Watcher) -> None:
        self._room.watchers.leave(watcher)
