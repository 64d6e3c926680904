"""What felt sets at devices in a dialect, held against what it had set there.

There is no number on a request by which two would be the same. So one is taken for the order that
sets what it sets: the next one of the record that was not heard yet. What a lamp does by felt's own
clock, as it blinks, is nobody's order; but it may only do what it did around here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from controller.technician.asked import AskedDevice
from controller.technician.script import Ordered, Script
from drivers.dialects.other_end import Request

#: felt may be ahead of the record by so much: what it says is looked for up to there.
AHEAD_US = 10_000_000


class Heard(NamedTuple):
    orders: list[Ordered]
    #: What was not set around here, in words.
    strange: list[str]


class Orders:
    def __init__(self, script: Script) -> None:
        self._of: dict[str, list[Ordered]] = defaultdict(list)
        #: When each was set to what, by device and name.
        self._set: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for step in script.steps:
            if isinstance(step, Ordered):
                self._of[step.device].append(step)
                for name, value in step.sets.items():
                    self._set[step.device, name].append((step.at_us, value))

    def hear(self, device: AskedDevice, request: Request, clock_us: int) -> Heard:
        """What felt sets now; before the device does it."""
        new = {k: v for k, v in request.sets.items() if device.sets.get(k) != v}
        found: list[Ordered] = []
        for order in self._unheard(device.part.name, clock_us + AHEAD_US):
            is_said = order.sets.items() <= request.sets.items()
            if is_said and order.sets.items() & new.items():
                order.is_heard = True
                found.append(order)
            elif found:
                break
        strange = [
            f"{name} to {value}"
            for name, value in new.items()
            if value not in self._around(device.part.name, name, clock_us)
        ]
        return Heard(found, strange)

    def _unheard(self, device: str, until_us: int) -> Iterator[Ordered]:
        for order in self._of[device]:
            if order.at_us > until_us:
                return
            if not order.is_heard and not order.is_own:
                yield order

    def _around(self, device: str, name: str, clock_us: int) -> set[int]:
        """What it was in the record, from some time ago to some time ahead."""
        values = self._set[device, name]
        first = bisect_right(values, (clock_us - AHEAD_US, 0)) - 1
        last = bisect_right(values, (clock_us + AHEAD_US, 0))
        return {value for _, value in values[max(first, 0) : last]}
