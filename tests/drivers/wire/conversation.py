"""Both ends of the conversation with a wire between them, in a time of its own.

The wire does what wires do: it loses, repeats, delays, garbles, deals out single bytes and is cut.
Nothing waits: time goes on to the next thing that is due, and a conversation in which nothing is
due any more, or that comes to no end, is an error.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from math import inf

from drivers.wire import frame, messages
from drivers.wire.frame import Packet, Splitter
from drivers.wire.handshake import PROTOCOL, Identity, Outcome
from drivers.wire.line import Line
from drivers.wire.notices import (
    Answered,
    Heard,
    Identified,
    Lost,
    Notice,
    NotSent,
    Refused,
    Strange,
    Unclear,
)
from drivers.wire.responder import Responder
from drivers.wire.station import Station, Timing

KEY = bytes(range(32))
#: More steps than any conversation here needs.
MAX_STEPS = 200_000


@dataclass(frozen=True)
class Wire:
    """What becomes of a frame, in each direction."""

    loses: float = 0.0
    repeats: float = 0.0
    #: A byte of it is another one.
    garbles: float = 0.0
    delay: tuple[float, float] = (0.001, 0.001)
    one_byte_at_a_time: bool = False
    #: How much later a repeated frame comes: more than a delay, and it overtakes nobody else's.
    straggles: float = 0.0


class Device:
    """A device that does what it is told, at once, and remembers what it did."""

    def __init__(self, address: int, random_: random.Random, *, polled: bool) -> None:
        self.address = address
        self.polled = polled
        self.done: list[messages.Command] = []
        self.mute = False
        self.boot = 0
        self.answer: Callable[[messages.Command], tuple[Outcome, str]] = lambda command: (
            "done",
            "",
        )
        self._random = random_
        self.protocol = PROTOCOL
        self.key = KEY
        self.restart()

    def restart(self) -> None:
        """The power was off: all that it kept is forgotten, but for the number of its starts."""
        self.boot += 1
        self.splitter = Splitter()
        self.responder = Responder(
            Identity(
                self.protocol, "acceptor", "A-100", "4711", bytes(32), self.boot, "", bytes(16)
            ),
            self.key,
            self._do,
            lambda: self._random.randbytes(16),
            address=self.address,
            polled=self.polled,
        )

    def _do(self, command: messages.Command) -> tuple[Outcome, str]:
        self.done.append(command)
        return self.answer(command)


class Conversation:
    def __init__(
        self,
        wire: Wire | None = None,
        *,
        devices: int = 1,
        polled: bool = False,
        seed: int = 0,
        timing: Timing | None = None,
        accepts: bool = True,
    ) -> None:
        self.wire = wire or Wire()
        self.now = 0.0
        self.random = random.Random(seed)
        self.timing = timing or Timing(poll=0.05 if polled else 1.0)
        self.devices = [
            Device(address, self.random, polled=polled) for address in range(1, devices + 1)
        ]
        self.stations = [
            Station(
                device.address,
                KEY,
                lambda: self.random.randbytes(16),
                timing=self.timing,
                polled=polled,
            )
            for device in self.devices
        ]
        self.line = Line(self.stations)
        self.accepts = accepts
        #: Events are acknowledged as soon as they are heard; or not, for a felt that is slow.
        self.acknowledges = True
        self.notices: list[tuple[int, Notice]] = []
        #: Every frame that felt put on the line, and when.
        self.spoken: list[tuple[float, Packet]] = []
        self._numbers = count()
        self._to_devices: list[tuple[float, int, bytes]] = []
        self._to_felt: list[tuple[float, int, bytes]] = []
        self._ids = count(1)
        self._last = {"out": 0.0, "in": 0.0}

    # --- What felt does -------------------------------------------------------

    def send(
        self, message: messages.Command, *, to: int = 1, within: float = 1e6, urgent: bool = False
    ) -> int:
        number = next(self._ids)
        self.stations[to - 1].send(number, message, deadline=self.now + within, urgent=urgent)
        return number

    def cut(self, why: str = "cut") -> None:
        """The cable is pulled and plugged in again."""
        self.lose_all_on_its_way()
        for device in self.devices:
            device.splitter = Splitter()
        self.line.cut(self.now, why)

    def lose_all_on_its_way(self) -> None:
        self._to_devices.clear()
        self._to_felt.clear()

    # --- What has come of it --------------------------------------------------

    def said(self, kind: type[Notice], address: int | None = None) -> Iterator[Notice]:
        for whose, notice in self.notices:
            if isinstance(notice, kind) and address in (None, whose):
                yield notice

    def heard(self, address: int = 1) -> list[messages.Event]:
        return [n.message for n in self.said(Heard, address) if isinstance(n, Heard)]

    def answered(self, address: int = 1) -> list[int]:
        return [n.command for n in self.said(Answered, address) if isinstance(n, Answered)]

    def strange(self) -> list[str]:
        return [n.what for n in self.said(Strange) if isinstance(n, Strange)]

    def losses(self) -> list[str]:
        return [n.why for n in self.said(Lost) if isinstance(n, Lost)]

    def unclear(self) -> list[int]:
        return [n.command for n in self.said(Unclear) if isinstance(n, Unclear)]

    def not_sent(self) -> list[int]:
        return [n.command for n in self.said(NotSent) if isinstance(n, NotSent)]

    def refusals(self) -> list[str]:
        return [n.why for n in self.said(Refused) if isinstance(n, Refused)]

    @property
    def all_ready(self) -> bool:
        return all(station.stage == "ready" for station in self.stations)

    # --- Time -----------------------------------------------------------------

    def until(self, there: Callable[[], bool]) -> None:
        for _ in range(MAX_STEPS):
            if there():
                return
            self.step()
        raise AssertionError(f"nothing came of it by {self.now}: {self.notices[-5:]}")

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        for _ in range(MAX_STEPS):
            if self.next_at() > end:
                self.now = end
                return
            self.step()
        raise AssertionError(f"it never rests, at {self.now}")

    def next_at(self) -> float:
        return min(
            self.line.wakes_at(),
            *(device.responder.wakes_at() for device in self.devices if not device.mute),
            self._to_devices[0][0] if self._to_devices else inf,
            self._to_felt[0][0] if self._to_felt else inf,
        )

    def step(self) -> None:
        at = self.next_at()
        assert at < inf, "nothing is due, ever"
        self.now = max(self.now, at)
        for chunk in self._due(self._to_devices):
            self._at_the_devices(chunk)
        for device in self.devices:
            if not device.mute and (packet := device.responder.next_packet(self.now)):
                self._carry(frame.to_bytes(packet), self._to_felt, "in")
        for chunk in self._due(self._to_felt):
            self.line.received(chunk, self.now)
        self._collect()
        for written in self.line.to_write(self.now):
            packet = frame.from_bytes(written[:-1])
            assert packet is not None
            self.spoken.append((self.now, packet))
            self._carry(written, self._to_devices, "out")
        self._collect()

    def _collect(self) -> None:
        for station in self.stations:
            for notice in station.notices():
                self.notices.append((station.address, notice))
                match notice:
                    case Identified() if self.accepts:
                        station.accept(self.now)
                    case Heard(_, seq, boot) if self.acknowledges:
                        station.acknowledge(boot, seq)

    def _at_the_devices(self, chunk: bytes) -> None:
        for device in self.devices:
            for packet in device.splitter.feed(chunk):
                if isinstance(packet, Packet) and not device.mute:
                    answer = device.responder.received(packet, self.now)
                    if answer is not None:
                        self._carry(frame.to_bytes(answer), self._to_felt, "in")

    def _due(self, pipe: list[tuple[float, int, bytes]]) -> Iterator[bytes]:
        while pipe and pipe[0][0] <= self.now:
            yield heapq.heappop(pipe)[2]

    def _carry(self, data: bytes, pipe: list[tuple[float, int, bytes]], way: str) -> None:
        wire = self.wire
        if self.random.random() >= wire.loses:
            self._put(self._garbled(data), pipe, way, self.random.uniform(*wire.delay))
        if self.random.random() < wire.repeats:
            self._put(data, pipe, way, self.random.uniform(*wire.delay) + wire.straggles)

    def _garbled(self, data: bytes) -> bytes:
        if self.random.random() >= self.wire.garbles:
            return data
        at = self.random.randrange(len(data))
        return data[:at] + bytes((data[at] ^ self.random.randrange(1, 256),)) + data[at + 1 :]

    def _put(
        self, data: bytes, pipe: list[tuple[float, int, bytes]], way: str, delay: float
    ) -> None:
        at = self.now + delay
        if not self.wire.straggles:
            # A wire has no places to overtake.
            at = self._last[way] = max(at, self._last[way])
        chunks = [data]
        if self.wire.one_byte_at_a_time:
            chunks = [bytes((byte,)) for byte in data]
        for chunk in chunks:
            heapq.heappush(pipe, (at, next(self._numbers), chunk))
