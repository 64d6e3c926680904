"""The console that runs: the pages of tables, and the links to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from controller.console.app import application
from controller.console.assets import Assets
from controller.console.house import House
from controller.console.serving import Served
from controller.daemon.client import RUN


class Console(Served):
    async def run(self, stop: asyncio.Event, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until ``stop``."""
        options = self._options
        house = House(
            options.sockets,
            Assets(options.pages),
            self._said,
            idle_s=options.idle_s,
            run=options.run or RUN,
            school=options.school,
        )
        # Who is told the address asks for a table by its name, which only the table knows.
        await self.serve(application(house, self.own), house.run, stop, ready, house.tried)
