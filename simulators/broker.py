"""A simulated device at a broker: the same device as on a pty, and the same faults."""

from __future__ import annotations

from drivers.wire import envelope
from drivers.wire.broker_client import Account
from drivers.wire.mqtt_device import MqttDevice
from drivers.wire.topics import Place
from simulators.device import Device


class BrokerPort(MqttDevice):
    def __init__(self, account: Account, table: str, device: Device) -> None:
        super().__init__(account, table, device.name, device.responder)
        self.device = device

    def _speak(self, now: float) -> bool:
        packet = self.device.next_packet(now)
        if packet is not None:
            self._answer(packet, now)
        return packet is not None

    def _wakes_at(self) -> float:
        return self.device.wakes_at()

    def _hear(self, place: Place, payload: bytes, retained: bool, now: float) -> None:
        packet = envelope.from_json(payload)
        if packet is None or retained or str(place) != self._topic("cmd"):
            return
        answer = self.device.received(packet, now)
        if answer is not None:
            self._answer(answer, now)
