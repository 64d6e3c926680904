"""The devices' end of a serial line: one device alone, or several on a bus. No I/O."""

from __future__ import annotations

from collections.abc import Iterable

from drivers.wire import frame
from drivers.wire.frame import Garbage, Packet, Splitter
from simulators.device import Device


class DeviceEnd:
    def __init__(self, devices: Iterable[Device]) -> None:
        self.devices = tuple(devices)
        self._splitter = Splitter()
        #: Bytes that were no frame.
        self.garbage = 0

    def received(self, data: bytes, now: float) -> list[bytes]:
        """Bytes from felt; the frames that go back at once."""
        answers: list[Packet | None] = []
        for found in self._splitter.feed(data):
            if isinstance(found, Garbage):
                self.garbage += len(found.data)
                continue
            meant = (device for device in self.devices if device.address == found.address)
            answers += [device.received(found, now) for device in meant]
        return [frame.to_bytes(packet) for packet in answers if packet is not None]

    def to_write(self, now: float) -> list[bytes]:
        """What the devices say unasked."""
        packets = (device.next_packet(now) for device in self.devices)
        return [frame.to_bytes(packet) for packet in packets if packet is not None]

    def wakes_at(self) -> float:
        return min(device.wakes_at() for device in self.devices)

    def cut(self) -> None:
        """The cable was pulled: half a frame is worth nothing."""
        self._splitter = Splitter()
