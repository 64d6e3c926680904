"""A dialect's line and whatever stands at its other end, in time that a test sets."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TypeVar

from drivers.dialects.polled import PolledLine, PolledStation
from drivers.wire import messages
from drivers.wire.notices import Answered, Heard, Identified, Notice

#: From what felt wrote: what it hears.
Peer = Callable[[bytes, float], bytes]
N = TypeVar("N")

#: A device takes so long to answer.
TURNAROUND = 0.005
#: More turns in one run than any test needs: a line that never rests is found out.
MAX_TURNS = 100_000


class Bench:
    def __init__(
        self, line: PolledLine, peer: Peer, *, accepting: bool = True, chunk: int = 0
    ) -> None:
        self.line = line
        self.peer = peer
        self.accepting = accepting
        self.chunk = chunk
        self.now = 100.0
        self.written: list[bytes] = []
        #: All notices, with the station that gave them.
        self.happened: list[tuple[int, Notice]] = []
        self.acknowledging = True
        self._commands = itertools.count(1)

    @property
    def station(self) -> PolledStation:
        return self.line.stations[0]

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        for _ in range(MAX_TURNS):
            for frame in self.line.to_write(self.now):
                self.written.append(frame)
                self._hear(self.peer(frame, self.now))
            self._collect()
            if self.now >= end:
                return
            self.now = min(max(self.line.wakes_at(), self.now + 0.0005), end)
        raise AssertionError("the line never rests")

    def _hear(self, data: bytes) -> None:
        if data:
            self.now += TURNAROUND
            size = self.chunk or len(data)
            for at in range(0, len(data), size):
                self.line.received(data[at : at + size], self.now)
        self._collect()

    def _collect(self) -> None:
        for station in self.line.stations:
            for notice in station.notices():
                self.happened.append((station.address, notice))
                if isinstance(notice, Identified) and self.accepting:
                    station.accept(self.now)
                if isinstance(notice, Heard) and self.acknowledging:
                    station.acknowledge(notice.boot, notice.seq)

    def send(
        self, message: messages.Command, *, to: int = 1, urgent: bool = False, within: float = 2.0
    ) -> int:
        number = next(self._commands)
        station = next(one for one in self.line.stations if one.address == to)
        station.send(number, message, deadline=self.now + within, urgent=urgent)
        return number

    def told(
        self, message: messages.Command, *, to: int = 1, seconds: float = 1.0
    ) -> tuple[str, str]:
        """Send it, and what became of it within so many seconds."""
        number = self.send(message, to=to)
        self.run(seconds)
        fates = [n for n in self.all_of(Answered) if n.command == number]
        assert len(fates) == 1, self.happened[-5:]
        return fates[0].outcome, fates[0].detail

    def all_of(self, kind: type[N], address: int | None = None) -> list[N]:
        return [
            notice
            for where, notice in self.happened
            if isinstance(notice, kind) and address in (None, where)
        ]

    def heard(self, address: int | None = None) -> list[messages.Event]:
        return [notice.message for notice in self.all_of(Heard, address)]
