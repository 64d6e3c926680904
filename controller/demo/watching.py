"""Whoever watches something that changes without a word to anybody: it is looked at for them.

They are told whole states; one that came in the meantime takes the place of the one before it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from controller.rules.faults import Refused

#: How often somebody who watches is told, at the most.
EVERY_S = 0.1
MAX_WATCHERS = 16


class Watcher:
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


class Watchers:
    def __init__(self, action: str, state: Callable[[], dict[str, Any]]) -> None:
        """``action`` is how one begins to watch."""
        self._action = action
        self._state = state
        self._watchers: set[Watcher] = set()
        self._last: dict[str, Any] = {}

    def watch(self) -> Watcher:
        if len(self._watchers) >= MAX_WATCHERS:
            raise Refused(self._action, f"{MAX_WATCHERS} watch already", "close one of them")
        watcher = Watcher()
        self._watchers.add(watcher)
        # What it is answered may be news to all: told once more, nobody is left behind.
        self._last = {}
        return watcher

    def leave(self, watcher: Watcher) -> None:
        self._watchers.discard(watcher)

    async def run(self) -> None:
        """Look, as long as somebody watches."""
        while True:
            await asyncio.sleep(EVERY_S)
            if not self._watchers:
                continue
            state = self._state()
            if state != self._last:
                self._last = state
                for watcher in self._watchers:
                    watcher.put(state)
