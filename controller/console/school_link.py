"""The school, where one is kept beside the console: its drills, and the table of the one that runs.

The table is there for as long as a drill is: it is no table of the house, and stands in no list.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from controller.console.bench_link import BenchLink
from controller.console.socket_client import Connection
from controller.console.table_link import MAX_QUESTIONS, RETRY_S, Said, TableLink
from controller.daemon.client import SOCKET, Answered, Unanswered

#: What the school calls its only table.
TABLE = "school"

What = Literal["begin", "end", "leave"]


class SchoolLink:
    def __init__(self, path: Path, said: Said) -> None:
        """``path`` is the school's own socket; beside it are those of its table."""
        self.path = path
        socket = path.with_name(SOCKET)
        self.table, self.bench = TableLink(socket, said), BenchLink(socket)
        self.table.name = TABLE
        #: How it stands, as it came; none while nobody keeps it.
        self.state: msgspec.Raw | None = None
        self.watchers: set[Callable[[], None]] = set()
        self._waiting = 0

    @property
    def is_there(self) -> bool:
        return self.state is not None

    async def run(self) -> None:
        """For ever: one that is not there may come."""
        while True:
            try:
                async with await Connection.open(self.path) as connection:
                    await self._watch(connection)
            except (Answered, Unanswered):
                self._is(None)
            await asyncio.sleep(RETRY_S)

    async def do(self, what: What, given: dict[str, Any]) -> msgspec.Raw:
        if not self.is_there:
            raise Answered("bad request", "no school is kept here; felt school keeps one")
        if self._waiting >= MAX_QUESTIONS:
            raise Answered("busy", "the school is busy; wait a moment")
        self._waiting += 1
        try:
            async with await Connection.open(self.path) as connection:
                state = await connection.ask(what, given)
        finally:
            self._waiting -= 1
        self._is(state)
        return state

    async def _watch(self, connection: Connection) -> None:
        ended = asyncio.Event()
        connection.changed = self._is
        connection.ended = ended.set
        self._is(await connection.ask("watch"))
        await ended.wait()
        self._is(None)

    def _is(self, state: msgspec.Raw | None) -> None:
        self.state = None if state is None else msgspec.Raw(bytes(state))
        for told in tuple(self.watchers):
            told()
