"""Every driver against its simulated device, over every wire: all is done and heard once."""

from __future__ import annotations

import pytest

from controller.table import commands, events
from simulators.acceptor import Acceptor
from simulators.wires import WIRES
from tests.drivers.bench import Bench, Lane
from tests.drivers.stories import STORIES, of_the_acceptor

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


@pytest.mark.parametrize("wire", WIRES)
def test_seven_acceptors_on_one_bus_lock_and_confirm(wire: str) -> None:
    stories = [of_the_acceptor(seat, seat, polled=True) for seat in range(1, 8)]
    lane = Lane([(one.driver, one.device) for one in stories], WIRES[wire], seed=1)
    bench = Bench(lane)
    bench.connected()
    seats = range(1, 8)
    bench.order(*(commands.Unlock(seat=seat, device="acceptor") for seat in seats))
    bench.run(3)
    bench.order(*(commands.Lock(seat=seat, device="acceptor") for seat in seats))
    if wire == "cut and restored":
        bench.cut(0.4)
    bench.until(lambda: len(bench.heard(events.LockConfirmed)) == 7)
    bench.run(5)
    confirmed = bench.heard(events.LockConfirmed)
    assert sorted(one.seat for one in confirmed if isinstance(one, events.LockConfirmed)) == [
        *seats
    ]
    for one in stories:
        assert isinstance(one.device, Acceptor)
        assert one.device.is_locked
