"""A station that is told what another one knew goes on as that one does."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from drivers.wire.broker_client import Account
from drivers.wire.frame import Kind
from drivers.wire.handshake import PROTOCOL, Identity
from drivers.wire.keys import NONCE_BYTES
from drivers.wire.mqtt import MAX_DROPPED, MAX_UNASKED, MqttWire, station
from drivers.wire.notices import Identified
from drivers.wire.responder import Responder
from drivers.wire.station import Station

KEY = bytes(range(32))
IDENTITY = Identity(PROTOCOL, "terminal", "T-1", "7", bytes(32), 3, "", bytes(16))


def nonces() -> Callable[[], bytes]:
    """The same ones each time, each of them once."""
    numbers = count(1)
    return lambda: next(numbers).to_bytes(NONCE_BYTES, "big")


def written(memory: dict[str, Any] | None) -> dict[str, Any]:
    """As it stands in a log."""
    assert memory is not None
    read: dict[str, Any] = json.loads(json.dumps(memory))
    return read


def another(one: Station) -> Station:
    made = station(KEY, nonces())
    made.recall(written(one.memory()))
    return made


def wire() -> MqttWire:
    stations = {"terminal 1": station(KEY, nonces())}
    return MqttWire(Account("nowhere"), "T12", stations, on_turn=lambda: None)


def test_a_greeting_that_is_on_its_way_still_is() -> None:
    one = station(KEY, nonces())
    hello = one.next_packet(10.0)
    assert hello is not None
    assert hello.kind is Kind.HELLO
    recalled = another(one)
    # Something says that the device is there: what is on its way may still be answered.
    for each in (one, recalled):
        each.greet(10.1)
    assert recalled.wakes_at() == one.wakes_at() > 10.1
    device = Responder(IDENTITY, KEY, lambda command: ("done", ""), nonces())
    answer = device.received(hello, 10.15)
    assert answer is not None
    for each in (one, recalled):
        each.received(answer, 10.2)
        (identified,) = each.notices()
        assert isinstance(identified, Identified)
        each.accept(10.2)
    assert recalled.memory() == one.memory()


def test_a_device_that_is_not_listened_to_is_not_until_its_time_is_over() -> None:
    one, other = wire(), wire()
    (device,) = one._devices.values()
    device.born = (3, 1)
    for _ in range(MAX_UNASKED + MAX_DROPPED):
        device.says(5.0)
    pause = device.mute(5.0)
    (recalled,) = other._devices.values()
    recalled.recall(written(device.memory()))
    assert recalled.muted_until == device.muted_until == 5.0 + pause
    assert recalled.born == (3, 1)
    assert not recalled.says(5.0)
    assert recalled.says(6.0)
    assert recalled.mute(7.0) == device.mute(7.0) == 2 * pause


@pytest.mark.parametrize("missing", ["station", "born", "allowance"])
def test_what_is_no_memory_is_refused(missing: str) -> None:
    made = wire()
    (device,) = made._devices.values()
    memory = written(device.memory())
    del memory[missing]
    with pytest.raises(ValueError, match=missing):
        made._recall({"devices": {"terminal-1": memory}})
    with pytest.raises(ValueError, match="other devices"):
        made._recall({"devices": {}})
