"""The school, where one is kept beside the console: its drills, and the table of the one that runs.

The table is there for as long as a drill is: it is no table of the house, and stands in no list.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from controller.console.bench_link import BenchLink
from controller.console.side_link import SideLink
from controller.console.socket_client import Connection
from controller.console.table_link import Said, TableLink
from controller.daemon.client import SOCKET

#: What the school calls its only table.
TABLE = "school"

What = Literal["begin", "end", "leave"]


class SchoolLink(SideLink):
    called = "school"
    missing = "no school is kept here; felt school keeps one"

    def __init__(self, path: Path, said: Said) -> None:
        """``path`` is the school's own socket; beside it are those of its table."""
        super().__init__(path)
        socket = path.with_name(SOCKET)
        self.table, self.bench = TableLink(socket, said), BenchLink(socket)
        self.table.name = TABLE

    async def do(self, what: What, given: dict[str, Any]) -> msgspec.Raw:
        state = await self.asked(what, given)
        self._is(state)
        return state

    async def first(self, connection: Connection) -> msgspec.Raw | None:
        return await connection.ask("watch")
