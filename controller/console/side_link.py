"""A socket beside the tables' own, at which simulated things are worked: a bench, a school.

What it has is kept as it came, and whoever watches is told. One that is not there may come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from controller.console.socket_client import Connection
from controller.console.table_link import MAX_QUESTIONS, RETRY_S
from controller.daemon.client import Answered, Unanswered


class SideLink:
    #: What it is, as a person is told who comes while it is busy; and if it is not there.
    called: str
    missing: str

    def __init__(self, path: Path) -> None:
        self.path = path
        #: How it stands, as it came; none while nobody keeps it.
        self.state: msgspec.Raw | None = None
        self.watchers: set[Callable[[], None]] = set()
        self._waiting = 0

    @property
    def is_there(self) -> bool:
        return self.state is not None

    async def run(self) -> None:
        """For ever."""
        while True:
            if self.path.exists():
                try:
                    async with await Connection.open(self.path) as connection:
                        await self._watch(connection)
                except (Answered, Unanswered):
                    self._is(None)
            await asyncio.sleep(RETRY_S)

    async def first(self, connection: Connection) -> msgspec.Raw | None:
        """Begin to watch; how it stands, unless that was told meanwhile."""
        raise NotImplementedError

    async def asked(self, what: str, given: dict[str, Any]) -> msgspec.Raw:
        """One question, on a connection of its own."""
        if not self.is_there:
            raise Answered("bad request", self.missing)
        if self._waiting >= MAX_QUESTIONS:
            raise Answered("busy", f"the {self.called} is busy; wait a moment")
        self._waiting += 1
        try:
            async with await Connection.open(self.path) as connection:
                return await connection.ask(what, given)
        finally:
            self._waiting -= 1

    async def _watch(self, connection: Connection) -> None:
        ended = asyncio.Event()
        connection.changed = self._is
        connection.ended = ended.set
        if (state := await self.first(connection)) is not None:
            self._is(state)
        await ended.wait()
        self._is(None)

    def _is(self, state: msgspec.Raw | None) -> None:
        self.state = None if state is None else msgspec.Raw(bytes(state))
        for told in tuple(self.watchers):
            told()
