"""Presses that a device, a wire or the system hands over late, at many moments: none may act."""

from __future__ import annotations

import random
from typing import get_args

from controller.table import events
from controller.table.machine import step
from drivers.wire.messages import Button
from tests.attacks.conftest import Tally
from tests.controller.table.playing import AtTheTable, open_table
from tests.drivers.test_kept_presses import another_felt, at_a_panel

FAMILY = "presses kept over an outage"
TRIES = 60


def at_the_deal() -> AtTheTable:
    return open_table("pa-639a").shuffles().antes(1, 3).locks()


def betting() -> AtTheTable:
    return open_table("pa-639a").shuffles().antes(1, 3)


def test_no_press_of_an_outage_acts(tally: Tally) -> None:
    by_chance = random.Random(14)
    bad = 0
    for n in range(TRIES):
        device, bench = at_a_panel()
        bench.run(by_chance.uniform(0, 5))
        bench.lanes[0].cut(bench.now)
        bench.run(by_chance.uniform(0, 30))
        for button in by_chance.sample(get_args(Button), 4):
            device.press(button)
            bench.run(by_chance.uniform(0, 12))
        if n % 2:
            bench = another_felt(device, bench)
        else:
            bench.run(6)
            bench.lanes[0].restore(bench.now)
        bench.run(10)
        for event in bench.events:
            if isinstance(event, events.LockOutPressed | events.DealPressed | events.RoundVoided):
                for at in (at_the_deal(), betting()):
                    bad += not step(at.terms, at.table, event).refused
    tally(FAMILY, TRIES, bad)
