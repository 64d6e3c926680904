"""Wires as they come: plain, in single bytes, losing, doubling, noisy, late, and cut.

A wire has one direction. What is put in comes out at its time, in its order, as far as it comes
out at all; the same seed loses the same writes.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable
from math import inf

from simulators.faults import WIRE, Fault, Faults

#: Writes that are on their way; a cable holds no more.
MAX_ON_THEIR_WAY = 4096


class Wire:
    def __init__(self, *faults: Fault, seed: int = 0) -> None:
        self.faults = Faults(WIRE, faults)
        self.is_cut = False
        self._random = random.Random(f"wire/{seed}")
        self._on_their_way: deque[tuple[float, bytes]] = deque()
        self._last_due = 0.0
        self._restored_at = inf

    def put(self, data: bytes, now: float) -> None:
        """Somebody writes; a frame a time, if it is felt."""
        self._look(now)
        if self.is_cut or self._share("lost", now):
            return
        for _ in range(2 if self._share("twice", now) else 1):
            self._send(self._noisy(data, now), now)

    def take(self, now: float) -> list[bytes]:
        """What has arrived by now, read by read."""
        self._look(now)
        arrived = []
        while self._on_their_way and self._on_their_way[0][0] <= now:
            arrived.append(self._on_their_way.popleft()[1])
        if self.faults.strikes("merged", now) and arrived:
            return [b"".join(arrived)]
        return arrived

    def wakes_at(self, now: float) -> float:
        due = self._on_their_way[0][0] if self._on_their_way else inf
        return min(due, self._restored_at, self.faults.wakes_at(now))

    def cut(self) -> None:
        """The cable is out: what was on its way is lost."""
        self.is_cut = True
        self._on_their_way.clear()

    def restore(self) -> None:
        self.is_cut = False
        self._restored_at = inf

    def _look(self, now: float) -> None:
        if fault := self.faults.strikes("unplug", now):
            self.cut()
            self._restored_at = now + fault.number
        if now >= self._restored_at:
            self.restore()

    def _send(self, data: bytes, now: float) -> None:
        due = max(now + self._delay(now), self._last_due)
        self._last_due = due
        pieces: Iterable[bytes] = (data,)
        if self.faults.strikes("split", now):
            pieces = (data[n : n + 1] for n in range(len(data)))
        for piece in pieces:
            if len(self._on_their_way) < MAX_ON_THEIR_WAY:
                self._on_their_way.append((due, piece))

    def _delay(self, now: float) -> float:
        slow = self.faults.strikes("slow", now)
        merged = self.faults.strikes("merged", now)
        late = self._random.uniform(0, slow.number) if slow else 0.0
        # Writes wait for the next beat, and so for each other.
        return late + ((merged.number - now % merged.number) if merged else 0.0)

    def _noisy(self, data: bytes, now: float) -> bytes:
        if not self._share("noise", now):
            return data
        changed = bytearray(data)
        changed[self._random.randrange(len(changed))] ^= 1 << self._random.randrange(8)
        return bytes(changed)

    def _share(self, name: str, now: float) -> bool:
        fault = self.faults.strikes(name, now)
        return fault is not None and self._random.random() < fault.number


#: The wires that every driver is tried over, each made from a seed. The last one is cut and
#: restored by whoever has it.
WIRES: dict[str, Callable[[int], Wire]] = {
    "plain": lambda seed: Wire(seed=seed),
    "one byte at a time": lambda seed: Wire(Fault("split"), seed=seed),
    "20% loss": lambda seed: Wire(Fault("lost", 0.2), seed=seed),
    "duplicates": lambda seed: Wire(Fault("twice", 0.3), seed=seed),
    "delays": lambda seed: Wire(Fault("slow", 0.15), Fault("merged", 0.02), seed=seed),
    "cut and restored": lambda seed: Wire(seed=seed),
}
