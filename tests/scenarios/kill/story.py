"""One run: a table is played while it is struck, and afterwards everything must add up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from controller.daemon import views
from controller.table.state import Table
from tests.controller.daemon.house import felt
from tests.scenarios.kill import record
from tests.scenarios.kill.killer import Killer, Strike
from tests.scenarios.kill.live import USUAL, LiveTable
from tests.scenarios.kill.people import People, Window, table_of
from tests.scenarios.kill.record import Told
from tests.scenarios.kill.standing import stand_as_ordered


class Story:
    def __init__(self, folder: Path, seed: int, book: str = USUAL, *, apart: bool = False) -> None:
        self.live = LiveTable(folder, seed=seed, book=book, apart=apart)
        self.killer = Killer(self.live)
        self.killer.watch_devices()
        self._seed = seed

    async def play_rounds(self, rounds: int) -> Told:
        """Nobody strikes."""
        live = self.live
        with Window(live.configuration.socket) as window:
            async with live.running():
                live.daemon.start()
                people = People(live, window, seed=self._seed)
                await people.play(lambda table: table.round >= rounds)
                table = await ended(live, people)
        return await added_up(live, table)

    async def play(self, some: Sequence[Strike]) -> Told:
        live = self.live
        with Window(live.configuration.socket) as window:
            async with live.running():
                live.daemon.start()
                people = People(live, window, seed=self._seed, moment=self.killer.moment)
                striking = asyncio.create_task(self.killer.strike_all(some, people))
                try:
                    await people.play(lambda _: striking.done())
                finally:
                    striking.cancel()
                    await asyncio.wait([striking])
                striking.result()
                table = await ended(live, people)
        return await added_up(live, table)


async def ended(live: LiveTable, people: People) -> Table:
    """To the next round's wagers; every device stands as the table has it, and felt stops."""
    await people.play(lambda table: table.phase == "betting")
    table = await stand_as_ordered(live, people)
    assert await live.daemon.stop() == 0, live.daemon.last_words()
    return table


async def added_up(live: LiveTable, last: Table) -> Told:
    """The journal is whole, replays to the table that was seen last, and everything adds up."""
    verified = await felt("verify", live.configuration.journal)
    assert verified.code == 0, verified.err
    told = Told(live.configuration.journal, live.library, live.configuration.terms, last.taken)
    found = record.wrong(live, told)
    assert not found, found
    # Up to where it was seen: a device may have told of something more before felt stopped.
    assert told.then is not None, (told.table.taken, last.taken)
    assert table_of(views.whole(told.then)) == last
    return told
