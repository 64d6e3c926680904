"""The bench's own socket, beside the control socket of a simulated table: the same lines of JSON.

A table with real devices has none, so nothing that is done here can be done there. Whoever may only
look at the table may only look at its bench.
"""

from __future__ import annotations

import asyncio
from typing import Any

from controller.daemon.access import NotAllowed
from controller.daemon.action import Asked, NoSuch
from controller.daemon.control import Control
from controller.daemon.service import Service
from controller.demo.bench import Bench
from controller.demo.bench_acts import BenchActs
from controller.rules.faults import Refused, listed

SOCKET = "bench.sock"
#: How often somebody who watches is told, at the most.
EVERY_S = 0.1
MAX_WATCHERS = 16


class _Watcher:
    """Whole states: one that came in the meantime takes the place of the one before it."""

    def __init__(self) -> None:
        self._latest: dict[str, Any] | None = None
        self._more = asyncio.Event()

    def put(self, state: dict[str, Any]) -> None:
        self._latest = state
        self._more.set()

    async def next(self) -> dict[str, Any]:
        await self._more.wait()
        self._more.clear()
        assert self._latest is not None
        return self._latest


class BenchActions:
    watched_by = "watch_bench"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._acts = BenchActs(bench)
        self._watchers: set[_Watcher] = set()
        self._last: dict[str, Any] = {}

    async def do(self, name: str, asked: Asked) -> dict[str, Any]:
        match name:
            case "bench" | "watch_bench":
                return self._bench.state()
            case "acts":
                known = self._acts.known.values()
                acts = [{"do": a.name, "does": a.does, "takes": a.schema()} for a in known]
                return {"acts": acts}
            case "do":
                if not asked.caller.may:
                    raise NotAllowed("do", f"{asked.caller.device} may only look at this table")
                return await self._acts.do(asked.given, asked)
        there = listed(("bench", "watch_bench", "acts", "do"))
        raise NoSuch("action", f"there is no {name[:64]!r} at a bench", there)

    def watch(self) -> _Watcher:
        if len(self._watchers) >= MAX_WATCHERS:
            raise Refused("watch_bench", f"{MAX_WATCHERS} watch already", "close one of them")
        watcher = _Watcher()
        self._watchers.add(watcher)
        # What it is answered may be news to all: told once more, nobody is left behind.
        self._last = {}
        return watcher

    def leave(self, watcher: _Watcher) -> None:
        self._watchers.discard(watcher)

    async def run(self) -> None:
        """Look, as long as somebody watches: devices change without a word to anybody."""
        while True:
            await asyncio.sleep(EVERY_S)
            if not self._watchers:
                continue
            state = self._bench.state()
            if state != self._last:
                self._last = state
                for watcher in self._watchers:
                    watcher.put(state)


def serve(bench: Bench, service: Service) -> None:
    """With the service, as long as it runs."""
    actions = BenchActions(bench)
    given = service.configuration.daemon.service
    control = Control(
        service.configuration.socket.with_name(SOCKET),
        actions,
        operators=given.operators,
        group=given.control_group,
        said=service.said,
    )
    service.also("bench socket", control.run)
    service.also("bench", actions.run)
