"""A line of its own at a bench, on which a silent device is looked for at other addresses.

At a table nobody does this: a hello ends whatever session a device has, and on a bus it takes time
from the others. At a bench there is one device, and its address may be what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from math import inf

from drivers.wire import frame, handshake
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import PROTOCOL, Hello
from drivers.wire.line import Line
from drivers.wire.station import Station

#: Seconds of silence after which it is looked for, and between one address and the next.
BEGINS_S, EVERY_S = 2.0, 0.3
#: As many as there may be devices on a wire.
HIGHEST = 32
#: Any but 0: it is not the session of anybody.
_SESSION = 255


class SearchingLine(Line):
    def __init__(self, station: Station, nonce: Callable[[], bytes]) -> None:
        super().__init__([station])
        self._station = station
        self._nonce = nonce
        self._others = cycle(n for n in range(1, HIGHEST + 1) if n != station.address)
        self._looks_at: float | None = None

    def to_write(self, now: float) -> list[bytes]:
        frames = super().to_write(now)
        if not self._is_missed:
            self._looks_at = None
        elif self._looks_at is None:
            self._looks_at = now + BEGINS_S
        elif now >= self._looks_at and not frames:
            self._looks_at = now + EVERY_S
            payload = handshake.hello_to_bytes(Hello(PROTOCOL, self._nonce()))
            packet = Packet(Kind.HELLO, next(self._others), _SESSION, 0, payload)
            frames = [frame.to_bytes(packet)]
        return frames

    def wakes_at(self) -> float:
        looks_at = inf if self._looks_at is None or not self._is_missed else self._looks_at
        return min(super().wakes_at(), looks_at)

    @property
    def _is_missed(self) -> bool:
        """Nobody answers, there or elsewhere."""
        return self._station.stage == "silent" and self._station.elsewhere is None
