"""The wires of ``felt drive``, on which somebody at the bench can put in what felt would not say.

A cut cable, bytes that are no frame, and frames of an earlier session: so each line of "Your device
works when" (docs/protocol.md) can be tried by hand.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from controller.daemon.wiring import BrokerWire, SerialWire
from drivers.wire import frame
from drivers.wire.broker_client import Account
from drivers.wire.frame import Kind
from drivers.wire.line import Correspondent, Spoken
from drivers.wire.ports import PortSettings
from drivers.wire.station import Rest, Station
from drivers.wire.topics import Place

#: Frames that can be said again.
MAX_SAID = 256
#: What waits to be put in.
MAX_PUT_IN = 64
MAX_NOISE = 4096


class Meddled:
    """A line as it is, and what somebody puts into it."""

    def __init__(self, line: Spoken) -> None:
        self._line = line
        self.counts = line.counts
        self._put_in: deque[bytes] = deque(maxlen=MAX_PUT_IN)
        #: Requests that were said, by session and as they were.
        self.said: deque[tuple[int, bytes]] = deque(maxlen=MAX_SAID)
        self.is_out = False

    def put_in(self, data: bytes) -> None:
        self._put_in.append(data)

    @property
    def stations(self) -> Sequence[Correspondent]:
        return self._line.stations

    def received(self, data: bytes, now: float) -> Rest | None:
        return None if self.is_out else self._line.received(data, now)

    def to_write(self, now: float) -> list[bytes]:
        frames = self._line.to_write(now)
        if self.is_out:
            return []
        self._remember(frames)
        frames += self._put_in
        self._put_in.clear()
        return frames

    def _remember(self, frames: Sequence[bytes]) -> None:
        for one in frames:
            packet = frame.from_bytes(one[:-1])
            if packet is not None and packet.kind in (Kind.COMMAND, Kind.POLL):
                self.said.append((packet.session, one))

    def wakes_at(self) -> float:
        return 0.0 if self._put_in and not self.is_out else self._line.wakes_at()

    def cut(self, now: float, why: str) -> None:
        self._line.cut(now, why)

    def memory(self) -> dict[str, Any] | None:
        return self._line.memory()

    def recall(self, memory: dict[str, Any]) -> None:
        self._line.recall(memory)


class DriveSerial(SerialWire):
    """A serial port with a meddled line."""

    def __init__(
        self, settings: PortSettings, line: Spoken, on_turn: Callable[[], None], tap: Any
    ) -> None:
        self.meddled = Meddled(line)
        super().__init__(settings, self.meddled, on_turn=on_turn, tap=tap)

    def put_in(self, data: bytes) -> None:
        self.meddled.put_in(data)

    def goes_out(self, *, out: bool) -> None:
        self.meddled.is_out = out

    def earlier(self, session: int) -> list[bytes]:
        return [data for said_in, data in self.meddled.said if said_in != session]


class DriveBroker(BrokerWire):
    """A broker at which one device is."""

    def __init__(
        self,
        account: Account,
        place: tuple[str, str],
        station: Station,
        on_turn: Callable[[], None],
        tap: Any,
    ) -> None:
        """``place`` is the table and the device's name at it."""
        table, name = place
        self._is_out = False
        self._said: deque[tuple[int, bytes]] = deque(maxlen=MAX_SAID)
        super().__init__(account, table, {name: station}, on_turn=on_turn, tap=tap)
        [self._one] = self._devices.values()

    def put_in(self, data: bytes) -> None:
        self._say(self._one.commanded_at, data, self._here().now())

    def goes_out(self, *, out: bool) -> None:
        self._is_out = out

    def earlier(self, session: int) -> list[bytes]:
        return [data for said_in, data in self._said if said_in != session]

    def _say(self, topic: str, payload: bytes, now: float, *, retain: bool = False) -> None:
        if self._is_out:
            return
        if b'"command"' in payload[:24] or b'"poll"' in payload[:24]:
            self._said.append((self._one.station.session, payload))
        super()._say(topic, payload, now, retain=retain)

    def _hear(self, place: Place, payload: bytes, retained: bool, now: float) -> None:
        if not self._is_out:
            super()._hear(place, payload, retained, now)


def noise(count: int) -> bytes:
    return random.Random(count).randbytes(min(count, MAX_NOISE))
