"""Signed heads, said where others keep them: in the service's log, and retained at the brokers.

At the end of each round, and otherwise once a minute if anything was recorded. Who holds them, on
another machine, can show at any time what the journal had at that moment.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from typing import Protocol, runtime_checkable

from controller.daemon.heads import SAID_EVERY_S, Heads
from controller.recorder import Taken
from controller.table.events import Event


@runtime_checkable
class Announces(Protocol):
    """A wire that can say something of felt's own to whoever listens."""

    def announce(self, what: str, payload: bytes) -> None: ...


class Announcer:
    """``wires`` are asked for each time; ``said`` is the log."""

    def __init__(
        self, heads: Heads, wires: Callable[[], Iterable[object]], said: Callable[..., None]
    ) -> None:
        self._heads = heads
        self._wires = wires
        self._said = said
        self._due = asyncio.Event()
        self._round: int | None = None
        self._last = -1

    def told(self, event: Event, taken: Taken) -> None:
        """Of every event: a round that is over is said at once."""
        number = taken.step.table.round
        if number != self._round:
            self._round = number
            self._due.set()

    async def run(self) -> None:
        """As work of the service."""
        try:
            while True:
                self._say()
                self._due.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SAID_EVERY_S):
                        await self._due.wait()
        finally:
            self._say()

    def _say(self) -> None:
        if self._heads.is_disputing:
            return  # What is kept elsewhere is evidence, as long as it is not on record.
        note = self._heads.note()
        if note is None or note.size == self._last:
            return
        self._last = note.size
        self._said("head", note=str(note))
        for wire in self._wires():
            if isinstance(wire, Announces):
                wire.announce("head", str(note).encode())
