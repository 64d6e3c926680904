"""Places in the device logs where a replay can begin.

felt runs for weeks, and the logs of its beginning are long gone when somebody wants to know what
happened on Saturday night. So every few minutes, in a moment when nothing is on its way, what felt
knows of each wire is written into that wire's log, with the entry of the journal that it goes with.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from controller.daemon.clock import Clock
from controller.daemon.core import Core
from controller.daemon.supervisor import Supervisor
from controller.journal.journal import Journal
from drivers.memory import Unmemorable
from drivers.wire.capture import Capture

#: From one to the next.
EVERY_S = 300.0
#: Until the next look, if something is on its way.
LOOKS_S = 0.03


@runtime_checkable
class Remembers(Protocol):
    def memory(self) -> dict[str, Any] | None: ...


class Waypoints:
    """``captures`` are the device logs, by wire."""

    def __init__(
        self,
        supervisor: Supervisor,
        core: Core,
        journal: Journal,
        clock: Clock,
        captures: Mapping[str, Capture],
    ) -> None:
        self._supervisor = supervisor
        self._core = core
        self._journal = journal
        self._clock = clock
        self._captures = captures

    async def run(self) -> None:
        wait = EVERY_S
        while True:
            await asyncio.sleep(wait)
            wait = EVERY_S if self.mark() else LOOKS_S

    def mark(self) -> bool:
        """Write one down, if nothing is on its way; whether that was so."""
        if not self._core.is_idle or not self._supervisor.is_settled:
            return False
        found: dict[str, dict[str, Any]] = {}
        for name in self._captures:
            try:
                memory = self._memory(name)
            except Unmemorable:
                continue  # a replay that begins here takes what its devices said from the journal
            if memory is None:
                return False
            found[name] = memory
        entry = self._journal.head.seq
        now = self._clock.running()
        for name, memory in found.items():
            self._captures[name].state(f"entry {entry} {json.dumps(memory)}", now)
        return True

    def _memory(self, name: str) -> dict[str, Any] | None:
        wire = self._supervisor.wire(name)
        if not isinstance(wire, Remembers):
            raise Unmemorable(name)
        own = wire.memory()
        if own is None:
            return None
        devices = {one.name: one.memory() for one in self._supervisor.on_wire(name)}
        return {**own, "devices": devices}
