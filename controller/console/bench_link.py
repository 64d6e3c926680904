"""The bench of a simulated table: a socket beside the table's own, where there is one.

A real table has none, and nothing here can be reached then.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from controller.console.side_link import SideLink
from controller.console.socket_client import Connection

SOCKET = "bench.sock"


class BenchLink(SideLink):
    called = "bench"
    missing = "this table has no bench: its devices are real"

    def __init__(self, table_socket: Path) -> None:
        super().__init__(table_socket.with_name(SOCKET))

    async def do(self, what: str, given: dict[str, Any]) -> msgspec.Raw:
        return await self.asked("do", {**given, "do": what})

    async def first(self, connection: Connection) -> msgspec.Raw | None:
        first = await connection.ask("watch_bench")
        if self.state is not None:
            return None
        return await connection.ask("bench") if bytes(first) in (b"null", b"{}") else first
