"""The wire between a bench and a device, as it can be misused: any bytes, whenever one wants.

felt's own station never says anything wrong, so it can't try what a device makes of that. Here
bytes go out as they are given, and what comes back is told with its time.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

from controller.certify.verdict import Wire
from drivers.wire import envelope, frame, topics
from drivers.wire.broker_client import Account
from drivers.wire.envelope import ADDRESS
from drivers.wire.frame import Garbage, Kind, Packet, Splitter
from drivers.wire.line import Correspondent, Counts
from drivers.wire.participant import Participant
from drivers.wire.ports import PortSettings
from drivers.wire.serial import SerialPort
from drivers.wire.station import Rest
from drivers.wire.topics import FELT, HEARD, PLACE, Place, Presence

Hear = Callable[[Packet | Garbage, float], None]

#: Pieces of bytes that wait to go out; no check says more at once.
MAX_OUT = 512


class Medium(ABC):
    """One device, on the wire that it is on. ``on_heard`` is called with whatever it says."""

    wire: Wire
    address: int
    #: How long a byte takes; none where that is not ours to know.
    byte_s: float = 0.0
    #: A retained state of the device was published; only at a broker.
    on_presence: Callable[[Presence, float], None]

    def __init__(self) -> None:
        self.on_heard: Hear = lambda packet, now: None
        self.on_raw: Callable[[bytes, float], None] = lambda data, now: None
        self.on_presence = lambda presence, now: None

    @abstractmethod
    def say_bytes(self, data: bytes) -> None:
        """These bytes, as they are; at a broker, to the device's own topic."""

    @abstractmethod
    def trouble(self) -> tuple[str, str] | None:
        """What is in the way of saying anything, and the next step; none while it is open."""

    @abstractmethod
    async def run(self) -> None:
        """Until it is cancelled."""

    @abstractmethod
    def __str__(self) -> str: ...

    def say(self, packet: Packet) -> None:
        self.say_bytes(self.coded(packet))

    def coded(self, packet: Packet) -> bytes:
        return frame.to_bytes(packet)


class Raw:
    """As a line of a serial port: what is said goes out, and what is heard is told."""

    def __init__(self, told: Callable[[bytes, float], None]) -> None:
        self.counts = Counts()
        self._told = told
        self._out: deque[bytes] = deque(maxlen=MAX_OUT)

    def say(self, data: bytes) -> None:
        self._out.append(data)

    @property
    def stations(self) -> Sequence[Correspondent]:
        return ()

    def received(self, data: bytes, now: float) -> Rest | None:
        self.counts.bytes_in += len(data)
        self._told(data, now)
        return None

    def to_write(self, now: float) -> list[bytes]:
        out = list(self._out)
        self._out.clear()
        return out

    def wakes_at(self) -> float:
        return 0.0 if self._out else inf

    def cut(self, now: float, why: str) -> None:
        return

    def memory(self) -> dict[str, Any] | None:
        return None

    def recall(self, memory: dict[str, Any]) -> None:
        raise ValueError("a bench remembers nothing")


class Framed(Medium):
    """Frames on a serial line, whatever carries their bytes."""

    def __init__(self, address: int, *, polled: bool, byte_s: float) -> None:
        super().__init__()
        self.address = address
        self.wire = "bus" if polled else "line"
        self.byte_s = byte_s
        self._splitter = Splitter()

    def took(self, data: bytes, now: float) -> None:
        self.on_raw(data, now)
        for found in self._splitter.feed(data):
            self.on_heard(found, now)


class SerialMedium(Framed):
    def __init__(self, settings: PortSettings, address: int, *, polled: bool) -> None:
        super().__init__(address, polled=polled, byte_s=settings.byte_s)
        self._settings = settings
        self._raw = Raw(self.took)
        self._port = SerialPort(settings, self._raw, on_turn=lambda: None)

    def __str__(self) -> str:
        return str(self._settings)

    def say_bytes(self, data: bytes) -> None:
        self._raw.say(data)
        self._port.kick()

    def trouble(self) -> tuple[str, str] | None:
        state = self._port.state
        if state.status == "open":
            return None
        if state.trouble is None:
            return f"{self._settings.path} is not open yet", "wait a moment"
        return state.trouble.reason, state.trouble.next_step

    async def run(self) -> None:
        await self._port.run()


class BrokerMedium(Medium):
    """A device at a broker, by its name at a table."""

    def __init__(self, account: Account, table: str, device: str) -> None:
        super().__init__()
        self.address = ADDRESS
        self.wire = "mqtt"
        self._account = account
        self._hand = _Hand(account, table, topics.slug(device), self)

    def __str__(self) -> str:
        return f"{self._account}, {self._hand.commanded_at}"

    def coded(self, packet: Packet) -> bytes:
        return envelope.to_json(packet)

    def say_bytes(self, data: bytes) -> None:
        self._hand.publish(data, retain=False)

    def say_retained(self, data: bytes) -> None:
        """At the device's own topic, for whoever subscribes later."""
        self._hand.publish(data, retain=True)

    def trouble(self) -> tuple[str, str] | None:
        state = self._hand.state
        if state.status == "open":
            return None
        if state.trouble is None:
            return f"{self._account} was not reached yet", "wait a moment"
        return state.trouble.reason, state.trouble.next_step

    async def run(self) -> None:
        await self._hand.run()

    def took(self, place: Place, payload: bytes, retained: bool, now: float) -> None:
        if place.what == "state":
            presence = topics.presence_from_json(payload)
            if presence is not None:
                self.on_presence(presence, now)
            return
        if retained:
            return
        packet = envelope.from_json(payload)
        if packet is None or not packet.kind.from_device or PLACE[packet.kind] != place.what:
            self.on_heard(Garbage(payload), now)
        else:
            self.on_heard(packet, now)


class _Hand(Participant):
    """felt's place at the broker, for as long as nobody else is felt there."""

    def __init__(self, account: Account, table: str, slug: str, medium: BrokerMedium) -> None:
        boot = int.from_bytes(os.urandom(4), "big")
        super().__init__(account, table, FELT, boot, fresh=True)
        self._slug = slug
        self._medium = medium
        self.commanded_at = str(Place(self.table, slug, PLACE[Kind.COMMAND]))

    def publish(self, data: bytes, *, retain: bool) -> None:
        if self._running is not None:
            self._say(self.commanded_at, data, self._here().now(), retain=retain)

    def _listens_to(self) -> Iterable[str]:
        return [str(Place(self.table, self._slug, what)) for what in HEARD]

    def _hear(self, place: Place, payload: bytes, retained: bool, now: float) -> None:
        if place.device == self._slug:
            self._medium.took(place, payload, retained, now)

    def _speak(self, now: float) -> bool:
        return False

    def _wakes_at(self) -> float:
        return inf

    def _arrive(self, now: float) -> None:
        return

    def _depart(self, now: float, why: str) -> None:
        return
