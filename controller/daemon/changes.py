"""Whoever watches the table is told of every event, and of every device that comes, goes or fails.

The table is never kept waiting for it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import msgspec

from controller.recorder import Taken
from controller.rules.faults import Refused
from controller.table.events import Event
from controller.table.prompts import prompts
from controller.table.terms import Terms

#: Changes that wait for one watcher; who does not keep up is told how many it missed.
MAX_WAITING = 256
MAX_WATCHERS = 96


class Watcher:
    def __init__(self) -> None:
        self._waiting: deque[msgspec.Raw] = deque()
        self._more = asyncio.Event()
        self._missed = 0

    def put(self, change: msgspec.Raw) -> None:
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft()
            self._missed += 1
        self._waiting.append(change)
        self._more.set()

    async def next(self) -> msgspec.Raw | dict[str, Any]:
        """The next change; ``missed`` says how many before it are gone."""
        while not self._waiting:
            self._more.clear()
            await self._more.wait()
        change = self._waiting.popleft()
        if not self._missed:
            return change
        missed, self._missed = self._missed, 0
        return {**msgspec.json.decode(change), "missed": missed}


class Changes:
    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._watchers: set[Watcher] = set()

    def told(self, event: Event, taken: Taken) -> None:
        if not self._watchers:
            return
        self._put(changed(self._terms, event, taken))

    def device_is(self, at: int, device: str, status: str, reason: str, next_step: str) -> None:
        """How a device stands is no event: most of it concerns nobody who plays."""
        standing = {"device": device, "status": status, "reason": reason, "next_step": next_step}
        self._put({"at": at, **standing})

    def watch(self) -> Watcher:
        if len(self._watchers) >= MAX_WATCHERS:
            raise Refused("watch", f"{MAX_WATCHERS} watch already", "close one of them")
        watcher = Watcher()
        self._watchers.add(watcher)
        return watcher

    def leave(self, watcher: Watcher) -> None:
        self._watchers.discard(watcher)

    def _put(self, change: dict[str, Any]) -> None:
        # Written out once, however many watch.
        said = msgspec.Raw(msgspec.json.encode(change)) if self._watchers else msgspec.Raw()
        for watcher in self._watchers:
            watcher.put(said)


def changed(terms: Terms, event: Event, taken: Taken) -> dict[str, Any]:
    table = taken.step.table
    return {
        "seq": taken.seq,
        "at": event.at,
        "event": str(type(event).__struct_config__.tag),
        "refused": taken.step.refused or None,
        "phase": table.phase,
        "round": table.round,
        "holds": msgspec.to_builtins(table.holds),
        "prompts": [one._asdict() for one in prompts(terms, table)],
    }
