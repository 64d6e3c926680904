"""A table that is played for real while everything goes wrong, and its logs, which must replay."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from controller.demo.crew import Say
from controller.table import events
from controller.table.state import Table
from controller.table.transitions import IN_ROUND
from controller.technician import logs
from tests.controller.daemon.house import felt
from tests.controller.technician.trouble import LiveTrouble
from tests.scenarios.kill.live import LiveTable
from tests.scenarios.kill.people import People, Window

Restart = Literal["stopped", "killed"]
Seen = Callable[[Table], None]
SEATS = 3
#: Where felt is stopped and killed.
PHASES = ("betting", "locked", "dealing", "deciding", "revealing", "settling", "clearing")
#: A round that does not go on for so long, in seconds, is voided by the floorperson.
VOID_S = 10.0


class Crew(People):
    """People who also know what to do where a fault has left something in disorder."""

    #: Something has always gone wrong: they try again soon.
    patience_s = 0.5
    _phase: tuple[int, str] = (0, "")
    _phase_since = 0.0

    async def _act(self, table: Table) -> None:
        world, now = self._live.world, asyncio.get_running_loop().time()
        for place in ("dealer", "community", *(f"seat {seat.number}" for seat in table.seats)):
            # The shoe said so, and the dealer puts it beside the others.
            if table.phase == "dealing" and any(card.face_up for card in world.top.cards(place)):
                world.set_aside(place)
        if (table.round, table.phase) != self._phase:
            self._phase, self._phase_since = (table.round, table.phase), now
        if now - self._phase_since > VOID_S and table.phase in IN_ROUND and not table.holds:
            await self._void(now)
            return
        try:
            await super()._act(table)
        except (IndexError, ValueError):
            # The cards that the dealer looks for are not there.
            await self._void(now)

    async def _void(self, now: float) -> None:
        self._phase_since = now
        await self._say(Say(events.RoundVoided, "floorperson", {"reason": "it is in disorder"}))


class Recording:
    def __init__(self, folder: Path, book: str, *, seed: int, every: float) -> None:
        self.live = LiveTable(folder, seed=seed, book=book, seats=SEATS)
        self.trouble = LiveTrouble(self.live, seed=seed, every=every)
        self._seed = seed
        self._chance = random.Random(f"restarts/{seed}")
        #: How far it came.
        self.table: Table | None = None

    async def play(
        self,
        rounds: int,
        restarts: Sequence[Restart] = (),
        seen: Seen = lambda _: None,
    ) -> None:
        """So many rounds; felt is ``restarts`` in between, in the middle of one."""
        live = self.live
        with Window(live.configuration.socket) as window:
            async with live.running():
                live.daemon.start()
                people = Crew(live, window, seed=self._seed)
                trouble = asyncio.create_task(self.trouble.run())
                try:
                    for number, how in enumerate(restarts, 1):
                        last = rounds * number // (len(restarts) + 1)
                        await people.play(_in_round(last, self._chance.choice(PHASES), seen))
                        await self._restart(how)
                    await people.play(_after(rounds, seen))
                finally:
                    trouble.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await trouble
                self.table = await people.sees()
                assert await live.daemon.stop() == 0, live.daemon.last_words()

    async def _restart(self, how: Restart) -> None:
        daemon = self.live.daemon
        if how == "killed":
            daemon.kill()
        else:
            assert await daemon.stop() == 0, daemon.last_words()
        daemon.start()

    async def replayed(self) -> list[dict[str, Any]]:
        """What ``felt replay`` says of each run, with the keys."""
        configuration = self.live.configuration
        said = []
        for run in logs.read([configuration.logs]).runs:
            done = await felt(
                "replay", configuration.logs, "--run", run.id,
                "--secrets", configuration.secrets, "--json",
            )  # fmt: skip
            assert done.out, done.err
            said.append(json.loads(done.out))
        return said


def _in_round(number: int, phase: str, seen: Seen) -> Callable[[Table], bool]:
    """Where that phase of the round begins, if there is one, or the round after it."""

    def until(table: Table) -> bool:
        seen(table)
        return table.round > number or (table.round, table.phase) == (number, phase)

    return until


def _after(rounds: int, seen: Seen) -> Callable[[Table], bool]:
    def until(table: Table) -> bool:
        seen(table)
        return table.round >= rounds and table.phase in ("shuffling", "betting", "closed")

    return until
