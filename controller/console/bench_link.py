"""The bench of a simulated table: a socket beside the table's own, where there is one.

A real table has none, and nothing here can be reached then.
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

SOCKET = "bench.sock"


class BenchLink:
    def __init__(self, table_socket: Path) -> None:
        self.path = table_socket.with_name(SOCKET)
        #: How the simulated hardware stands, as it came; none where there is no bench.
        self.state: msgspec.Raw | None = None
        self.watchers: set[Callable[[], None]] = set()
        self._waiting = 0

    @property
    def is_there(self) -> bool:
        return self.state is not None

    async def run(self) -> None:
        while True:
            if self.path.exists():
                try:
                    async with await Connection.open(self.path) as connection:
                        await self._watch(connection)
                except (Answered, Unanswered):
                    self._is(None)
            await asyncio.sleep(RETRY_S)

    async def do(self, what: str, given: dict[str, Any]) -> msgspec.Raw:
        if not self.is_there:
            raise Answered("bad request", "this table has no bench: its devices are real")
        if self._waiting >= MAX_QUESTIONS:
            raise Answered("busy", "the bench is busy; wait a moment")
        self._waiting += 1
        try:
            async with await Connection.open(self.path) as connection:
                return await connection.ask("do", {**given, "do": what})
        finally:
            self._waiting -= 1

    async def _watch(self, connection: Connection) -> None:
        ended = asyncio.Event()
        connection.changed = self._is
        connection.ended = ended.set
        first = await connection.ask("watch_bench")
        if self.state is None:
            self._is(await connection.ask("bench") if bytes(first) in (b"null", b"{}") else first)
        await ended.wait()
        self._is(None)

    def _is(self, state: msgspec.Raw | None) -> None:
        self.state = None if state is None else msgspec.Raw(bytes(state))
        for told in tuple(self.watchers):
            told()
