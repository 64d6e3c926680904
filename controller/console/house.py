"""Everything that the console knows: tables with their benches, sessions, limits, pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from controller import __version__
from controller.console.assets import Assets
from controller.console.bench_link import BenchLink
from controller.console.limits import REQUESTS, SIGN_ONS, Limit
from controller.console.school_link import SchoolLink
from controller.console.sessions import Sessions
from controller.console.table_link import Said, TableLink
from controller.daemon.client import RUN, SOCKET, Answered

#: Tables that were not named are looked for so often.
LOOK_FOR_TABLES_S = 2.0
MAX_TABLES = 64


class House:
    """``sockets`` of its tables; with none, all tables that run on this PC, also those to come."""

    def __init__(
        self,
        sockets: Iterable[Path],
        assets: Assets,
        said: Said,
        *,
        idle_s: Mapping[str, float] | None = None,
        run: Path = RUN,
        school: Path | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.said = said
        self.assets = assets
        self.sessions = Sessions(loop.time, said, idle_s or {})
        self.requests = Limit(REQUESTS, loop.time)
        self.sign_ons = Limit(SIGN_ONS, loop.time)
        self.pages = 0
        self._run = run
        self._links: dict[Path, tuple[TableLink, BenchLink]] = {}
        self.school = None if school is None else SchoolLink(school, said)
        self._finds_tables = school is None
        for path in sockets:
            self._finds_tables = False
            self._add(path)

    # --- Tables -----------------------------------------------------------------

    def links(self) -> list[TableLink]:
        return [link for link, _ in self._links.values()]

    def link(self, name: str) -> TableLink:
        for link, _ in self._links.values():
            if link.name == name:
                return link
        if self.school is not None and name == self.school.table.name:
            return self.school.table
        raise Answered("bad request", f"there is no table {name!r} here")

    def bench(self, name: str) -> BenchLink:
        for link, bench in self._links.values():
            if link.name == name:
                return bench
        if self.school is not None and name == self.school.table.name:
            return self.school.bench
        raise Answered("bad request", f"there is no table {name!r} here")

    def chosen(self, names: Iterable[str]) -> list[TableLink]:
        """The tables of these names; of none, all."""
        wanted = set(names)
        found = [one for one in self.links() if not wanted or one.name in wanted]
        if self.school is not None and self.school.table.name in wanted:
            found.append(self.school.table)
        return found

    def listed(self) -> list[dict[str, Any]]:
        return [
            {"table": link.name, "title": link.title, "bench": bench.is_there}
            for link, bench in self._links.values()
        ]

    def version(self) -> dict[str, str]:
        return {"version": __version__, "build": self.assets.digest}

    def _add(self, path: Path) -> tuple[TableLink, BenchLink] | None:
        if path in self._links or len(self._links) >= MAX_TABLES:
            return None
        self._links[path] = (TableLink(path, self.said), BenchLink(path))
        return self._links[path]

    # --- Work -------------------------------------------------------------------

    async def tried(self) -> None:
        """Until each table that was named has told its name, or is not there."""
        for link in self.links():
            await link.tried.wait()

    async def run(self) -> None:
        """Until cancelled: links to tables, and what ends by itself."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.sessions.run(), name="console sessions")
            for link, bench in self._links.values():
                self._begin(group, link, bench)
            if self.school is not None:
                group.create_task(self.school.run(), name="console school")
                self._begin(group, self.school.table, self.school.bench)
            while self._finds_tables:
                for path in sorted(self._run.glob(f"*/{SOCKET}")):
                    if (added := self._add(path)) is not None:
                        self._begin(group, *added)
                await asyncio.sleep(LOOK_FOR_TABLES_S)

    @staticmethod
    def _begin(group: asyncio.TaskGroup, link: TableLink, bench: BenchLink) -> None:
        group.create_task(link.run(), name=f"console table {link.path}")
        group.create_task(bench.run(), name=f"console bench {bench.path}")
