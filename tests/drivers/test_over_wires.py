"""Every driver against its simulated device, over every wire: all is done and heard once."""

from __future__ import annotations

import pytest

from simulators.wires import WIRES
from tests.drivers.bench import Bench
from tests.drivers.stories import STORIES

SEEDS = range(3)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("device", STORIES)
def test_everything_happens_once_and_in_order(device: str, wire: str) -> None:
    for seed in SEEDS:
        story = STORIES[device]()
        bench = Bench.of((story.driver, story.device), wire=WIRES[wire], seed=seed)
        is_cut = wire == "cut and restored"
        story.play(bench, middle=(lambda b=bench: b.cut(0.4)) if is_cut else lambda: None)  # type: ignore[misc]
        assert bench.arrivals >= (2 if is_cut else 1)
