"""A bench in virtual time: a simulated device on a wire without a port, and somebody at it."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterable
from typing import Any

from controller.certify import running
from controller.certify.bench import Bench, Given
from controller.certify.everything import CHECKS
from controller.certify.medium import Framed, Medium
from controller.certify.talk import Talk
from controller.certify.verdict import Check, NotForIt, Result
from drivers.wire import envelope, topics
from drivers.wire.frame import Garbage, Packet
from drivers.wire.keys import BENCH_KEY
from drivers.wire.topics import Presence
from simulators.device import Device, firmware_of
from simulators.doing import CantDo, do
from simulators.end import DeviceEnd
from simulators.virtual_time import VirtualTimeLoop

#: From one end of the wire to the other, beside the time of the bytes.
ON_ITS_WAY_S = 0.0002
BYTE_S = 10 / 115_200


class _Woken:
    """A device that is woken when it has something to do."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def wake_at(self, at: float, turn: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
        if at < float("inf"):
            self._timer = loop.call_at(max(at, loop.time() + 0.0001), turn)


class Cable(Framed):
    """A serial line, as far as its bytes go."""

    def __init__(self, device: Device, *, polled: bool = False) -> None:
        super().__init__(device.address, polled=polled, byte_s=BYTE_S)
        self.device = device
        self.end = DeviceEnd([device])
        # One that is to be found out may have its own.
        if (splitter := getattr(device, "splitter", None)) is not None:
            self.end._splitter = splitter()
        self._free_at = [0.0, 0.0]
        self._woken = _Woken()

    def __str__(self) -> str:
        return "a cable"

    def trouble(self) -> tuple[str, str] | None:
        return None

    async def run(self) -> None:
        self.turn()
        await asyncio.get_running_loop().create_future()

    def say_bytes(self, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        loop.call_at(self._there_at(0, len(data)), self._arrives, data)

    def _there_at(self, way: int, length: int) -> float:
        """One byte after the other: what was said before is there before."""
        now = asyncio.get_running_loop().time()
        self._free_at[way] = max(self._free_at[way], now) + length * BYTE_S
        return self._free_at[way] + ON_ITS_WAY_S

    def _arrives(self, data: bytes) -> None:
        self._send(self.end.received(data, asyncio.get_running_loop().time()))
        self.turn()

    def turn(self) -> None:
        now = asyncio.get_running_loop().time()
        self.end.advance(now)
        self._send(self.end.to_write(now))
        self._woken.wake_at(self.end.wakes_at(), self.turn)

    def _send(self, frames: Iterable[bytes]) -> None:
        loop = asyncio.get_running_loop()
        for one in frames:
            at = self._there_at(1, len(one))
            loop.call_at(at, self._came, one)

    def _came(self, data: bytes) -> None:
        self.took(data, asyncio.get_running_loop().time())


class Broker(Medium):
    """JSON, as far as it goes through a broker."""

    def __init__(self, device: Device) -> None:
        super().__init__()
        self.wire = "mqtt"
        self.address = envelope.ADDRESS
        self.device = device
        self._woken = _Woken()

    def __str__(self) -> str:
        return "a broker"

    def coded(self, packet: Any) -> bytes:
        return envelope.to_json(packet)

    def trouble(self) -> tuple[str, str] | None:
        return None

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        says: Any = getattr(self.device, "presence", "ready")
        self.on_presence(Presence(says, self.device.boot, 1), loop.time())
        self.turn()
        await loop.create_future()

    def say_bytes(self, data: bytes) -> None:
        asyncio.get_running_loop().call_later(ON_ITS_WAY_S, self._arrives, data)

    def _arrives(self, data: bytes) -> None:
        packet = envelope.from_json(data)
        if packet is None and getattr(self.device, "is_lenient", False):
            packet = _without_more(data)
        if packet is not None:
            answer = self.device.received(packet, asyncio.get_running_loop().time())
            if answer is not None:
                self._send(answer)
        self.turn()

    def turn(self) -> None:
        now = asyncio.get_running_loop().time()
        if (packet := self.device.next_packet(now)) is not None:
            self._send(packet)
        self._woken.wake_at(self.device.wakes_at(), self.turn)

    def _send(self, packet: Any) -> None:
        loop = asyncio.get_running_loop()
        data = envelope.to_json(packet)
        topic = topics.PLACE[packet.kind]
        loop.call_later(ON_ITS_WAY_S, self._delivered, data, topic)

    def _delivered(self, data: bytes, topic: str) -> None:
        packet = envelope.from_json(data)
        now = asyncio.get_running_loop().time()
        self.on_heard(packet if packet is not None else Garbage(data), now)


def _without_more(data: bytes) -> Packet | None:
    try:
        said = json.loads(data)
    except ValueError:
        return None
    if not isinstance(said, dict):
        return None
    said.pop("more", None)
    return envelope.from_json(json.dumps(said).encode())


class AtIt:
    """Somebody at a simulated device."""

    def __init__(self, medium: Cable | Broker) -> None:
        self._medium = medium

    async def begin(self) -> None:
        return

    async def end(self) -> None:
        return

    async def do(self, act: dict[str, Any], words: str) -> None:
        device = self._medium.device
        device.advance(asyncio.get_running_loop().time())
        try:
            if "own_event" in act and hasattr(device, "own_event"):
                device.own_event()
            else:
                do(device, act)
        except CantDo as why:
            raise NotForIt(str(why)) from None
        if "restart" in act:
            boot = device.boot
            self._medium.on_presence(Presence("ready", boot, 1), 0.0)
        self._medium.turn()


def certified(
    device: Device,
    *,
    wire: str = "line",
    only: Iterable[str] = (),
    key: bytes = BENCH_KEY,
) -> tuple[list[Result], Bench]:
    """Every check with it, or only these."""
    medium: Cable | Broker
    medium = Broker(device) if wire == "mqtt" else Cable(device, polled=wire == "bus")
    chosen: list[Check] = [one for one in CHECKS if not only or one.id in only]
    nonces = itertools.count(1)
    given = Given(device.kind, firmware=firmware_of(device.kind))

    async def run() -> tuple[list[Result], Bench]:
        talk = Talk(medium, key, lambda: next(nonces).to_bytes(16, "big"), 0x1000)
        bench = Bench(talk, AtIt(medium), given)
        working = asyncio.create_task(medium.run())
        try:
            await running.meet(bench)
            return await running.run(bench, chosen, lambda result: None), bench
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(run())
