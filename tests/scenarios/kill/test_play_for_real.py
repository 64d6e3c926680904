"""Rounds on the real stack: the daemon a process, serial lines on ptys, the rest at mosquitto.

In real time, as fast as daemon and devices go. The people act through the control socket.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.kill.live import USUAL
from tests.scenarios.kill.story import Story
from tests.scenarios.test_play import BOOKS

OTHERS = [book for book in BOOKS if book != USUAL]


@pytest.mark.parametrize(
    ("book", "rounds"),
    [(USUAL, 3), *(pytest.param(book, 20, marks=pytest.mark.slow) for book in (USUAL, *OTHERS))],
)
async def test_rounds_are_played_and_add_up(book: str, rounds: int, tmp_path: Path) -> None:
    story = Story(tmp_path, seed=9, book=book)
    told = await story.play_rounds(rounds)
    assert told.totals.rounds >= rounds
    assert told.totals.settled > 0
    assert story.live.daemon.starts == 1
    assert {one.name: list(one.errors) for one in story.live.devices.values() if one.errors} == {}
    # The sign and, where the rulebook has them, the terminals were at the broker all the time.
    at_broker = story.live.configuration.daemon.wires["broker"]
    assert at_broker.mqtt == f"127.0.0.1:{story.live.broker.port}"
    assert "sign" in at_broker.devices
    assert "client connected" in story.live.broker.log.read_text().lower()
