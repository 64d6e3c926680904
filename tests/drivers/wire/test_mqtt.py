"""Devices at a broker: who they are, what they are told, what they say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.wire import messages
from drivers.wire.station import Answered
from tests.drivers.wire.mosquitto import Mosquitto
from tests.drivers.wire.over_mqtt import Device, Felt, running, until, wagers


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    if broker.is_running:
        broker.stop()


async def test_a_device_is_greeted_told_and_heard(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end):
        await felt.meets()
        assert felt.station.identity is not None
        assert felt.station.identity.model == "A-100"
        number = felt.tell(messages.SetLamp("invite"))
        answer = await felt.answer_to(number)
        assert answer == Answered(number, messages.SetLamp("invite"), "done")
        assert device.done == [messages.SetLamp("invite")]
        device.tell(*wagers(range(50)))
        await until(lambda: device.responder.unacknowledged == 0)
    assert felt.events() == wagers(range(50))
    assert felt.repeated == 0
    assert felt.strange() == []
