"""Drivers against their simulated devices at a real broker: as it is, and killed in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.wire.broker_client import Account
from tests.drivers.live import at_a_broker
from tests.drivers.stories import STORIES
from tests.drivers.wire.mosquitto import Mosquitto

#: Those that are usually at a broker, and the one with the most to lose.
AT_A_BROKER = ("terminal", "sign", "shoe that reads")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    if broker.is_running:
        broker.kill()


@pytest.mark.parametrize("cut", [False, True], ids=["plain", "broker killed and started"])
@pytest.mark.parametrize("device", AT_A_BROKER)
def test_at_a_broker(device: str, cut: bool, broker: Mosquitto) -> None:
    story = STORIES[device]()
    account = Account(broker.host, broker.port)
    with at_a_broker(story.driver, story.device, account, broker.kill, broker.start) as bench:
        story.play(bench, middle=(lambda: bench.cut(0.2)) if cut else lambda: None, settle=1.0)
    assert bench.arrivals >= (2 if cut else 1)
