"""The bench's own socket, beside the control socket of a simulated table: the same lines of JSON.

A table with real devices has none, so nothing that is done here can be done there. Whoever may only
look at the table may only look at its bench.
"""

from __future__ import annotations

from typing import Any

from controller.daemon.access import NotAllowed
from controller.daemon.action import Asked, NoSuch
from controller.daemon.control import Control
from controller.daemon.service import Service
from controller.demo.bench import Bench
from controller.demo.bench_acts import BenchActs
from controller.demo.watching import Watcher, Watchers
from controller.rules.faults import listed

SOCKET = "bench.sock"


class BenchActions:
    watched_by = "watch_bench"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._acts = BenchActs(bench)
        self._watchers = Watchers("watch_bench", bench.state)

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

    def watch(self) -> Watcher:
        return self._watchers.watch()

    def leave(self, watcher: Watcher) -> None:
        self._watchers.leave(watcher)

    async def run(self) -> None:
        await self._watchers.run()


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
