"""Every driver against its simulated device on a real port: as it is, and with the cable pulled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drivers.live import on_a_pty
from tests.drivers.stories import STORIES


@pytest.mark.parametrize("device", STORIES)
def test_on_a_port(device: str, tmp_path: Path) -> None:
    story = STORIES[device]()
    with on_a_pty(story.driver, story.device, tmp_path) as bench:
        story.play(bench)
    assert bench.arrivals == 1


@pytest.mark.parametrize("device", STORIES)
def test_on_a_port_that_comes_and_goes(device: str, tmp_path: Path) -> None:
    story = STORIES[device]()
    with on_a_pty(story.driver, story.device, tmp_path) as bench:
        story.play(bench, middle=lambda: bench.cut(0.4))
    assert bench.arrivals >= 2
