"""The devices' end of a serial line: one device alone, or several on a bus. No I/O."""

from __future__ import annotations

from collections.abc import Iterable

from drivers.wire import frame
from drivers.wire.frame import Garbage, Packet, Splitter
from simulators.device import Device


class DeviceEnd:
    def __init__(self, devices: Iterable[Device]) -> None:
        self.devices = tuple(devices)
        #: When each has something to do next, as it was last asked.
        self._wakes_at = [0.0] * len(self.devices)
        self._splitter = Splitter()
        #: Bytes that were no frame.
        self.garbage = 0

    def advance(self, now: float) -> None:
        for number, device in enumerate(self.devices):
            if self._is_due(number, now):
                device.advance(now)
            else:
                # Its clock goes on: what somebody does at it begins by that.
                device.now = max(device.now, now)

    def received(self, data: bytes, now: float) -> list[bytes]:
        """Bytes from felt; the frames that go back at once."""
        answers: list[Packet | None] = []
        for found in self._splitter.feed(data):
            if isinstance(found, Garbage):
                self.garbage += len(found.data)
                continue
            for device in self.devices:
                if device.address == found.address:
                    answers.append(device.received(found, now))
                    device.is_stirred = True
        return [frame.to_bytes(packet) for packet in answers if packet is not None]

    def to_write(self, now: float) -> list[bytes]:
        """What the devices say unasked."""
        packets = []
        for number, device in enumerate(self.devices):
            if self._is_due(number, now):
                packets.append(device.next_packet(now))
                self._ask(number)
        return [frame.to_bytes(packet) for packet in packets if packet is not None]

    def wakes_at(self) -> float:
        for number, device in enumerate(self.devices):
            if device.is_stirred or not device.is_on_its_own:
                self._ask(number)
        return min(self._wakes_at)

    def _ask(self, number: int) -> None:
        self._wakes_at[number] = self.devices[number].wakes_at()
        self.devices[number].is_stirred = False

    def _is_due(self, number: int, now: float) -> bool:
        """Whether it has something to do: on a bus, where one is spoken to, the others sleep."""
        device = self.devices[number]
        return self._wakes_at[number] <= now or device.is_stirred or not device.is_on_its_own

    def cut(self) -> None:
        """The cable was pulled: half a frame is worth nothing."""
        self._splitter = Splitter()
