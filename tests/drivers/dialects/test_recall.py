"""A line in a dialect that is told what another one knew goes on as that one does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from drivers.contract import Settings
from drivers.dialects.cctalk import acceptor_line
from drivers.dialects.modbus import panel_line
from drivers.dialects.polled import PolledLine
from drivers.wire import messages
from drivers.wire.notices import Heard, Identified, Notice
from simulators.cctalk import Bus, CoinAcceptor, Faults
from tests.drivers.dialects.module import Module

BOOT = 1_770_000_000
#: Between two looks at the clock.
TICK = 0.004


def acceptors() -> PolledLine:
    options: dict[str, str | int | bool] = {"coins": "1:100 2:500", "answer_ms": 40}
    settings = [
        (place, Settings(name=f"acceptor {place}", wager="progressive", options=options))
        for place in (1, 2, 3)
    ]
    return acceptor_line(settings, BOOT)


def panel() -> PolledLine:
    return panel_line([(1, Settings(name="panel"))], BOOT)


def blink(on: bool) -> messages.Lights:
    return messages.Lights(lock_out="on", deal="off", warning="blink" if on else "off")


class Going:
    """A line, and others that go on from what it knew at some moment: all say the same."""

    def __init__(self, make: Callable[[], PolledLine]) -> None:
        self.make = make
        self.first = make()
        #: Those that began last, and some of those that began earlier.
        self.others: list[PolledLine] = []
        self.earlier: list[PolledLine] = []
        self.now = 100.0
        self.memories = 0
        self.refused = 0
        #: With a question on its way, by which routine.
        self.asked: set[str] = set()
        self.happened: list[Notice] = []

    def recalls(self) -> None:
        memory = self.first.memory()
        if memory is None:
            self.refused += 1
            return
        self.memories += 1
        for one in memory["stations"].values():
            if one["routine"] is not None:
                self.asked.add(one["routine"][0])
        made = self.make()
        made.recall(json.loads(json.dumps(memory)))
        assert made.memory() == memory
        self.others = [*self.others[-2:], made]
        if self.memories % 60 == 1:
            self.earlier.append(self.make())
            self.earlier[-1].recall(memory)
            for line in self.each():
                assert line.memory() == memory
                heard = [one.heard_at for one in line.stations]
                assert heard == [one.heard_at for one in self.first.stations]

    def each(self) -> list[PolledLine]:
        return [self.first, *self.others, *self.earlier]

    def send(self, message: messages.Command, to: int = 1) -> None:
        for line in self.each():
            station = next(one for one in line.stations if one.address == to)
            station.send(self.memories, message, deadline=self.now + 2.0)

    def runs(self, seconds: float, peer: Callable[[bytes, float], bytes]) -> None:
        until = self.now + seconds
        while self.now < until:
            said = [line.to_write(self.now) for line in self.each()]
            assert said == [said[0]] * len(said), self.now
            heard = b"".join(peer(frame, self.now) for frame in said[0])
            self.recalls()
            # In pieces, with a look at what is known between them.
            for at in range(0, len(heard), 7):
                self.now += TICK / 4
                for line in self.each():
                    line.received(heard[at : at + 7], self.now)
                self.collect()
                self.recalls()
            self.now += TICK
            self.collect()

    def collect(self) -> None:
        given = [[one.notices() for one in line.stations] for line in self.each()]
        assert given == [given[0]] * len(given), self.now
        self.happened += [notice for notices in given[0] for notice in notices]
        for line in self.each():
            for station, notices in zip(line.stations, given[0], strict=True):
                for notice in notices:
                    if isinstance(notice, Identified):
                        station.accept(self.now)
                    if isinstance(notice, Heard):
                        station.acknowledge(notice.boot, notice.seq)


@pytest.mark.parametrize(
    "faults", [Faults(), Faults(silence=0.05, wrong_checksum=0.03, lost_byte=0.03)]
)
def test_acceptors_go_on_wherever_it_was(faults: Faults) -> None:
    there = [CoinAcceptor(2, faults=faults, seed=1), CoinAcceptor(3, faults=faults, seed=2)]
    bus = Bus(there)  # the third is missing, and is looked for
    going = Going(acceptors)
    going.runs(1.5, bus.received)
    going.send(messages.Unlock())
    going.runs(0.5, bus.received)
    for coin in (1, 2, 5):
        there[0].insert(coin, going.now)
        going.runs(0.3, bus.received)
    there[0].happen(0, 14)
    going.runs(0.6, bus.received)
    # What it had against it is over when it opens again.
    going.send(messages.Unlock())
    going.runs(0.5, bus.received)
    going.send(messages.Lock())
    going.runs(0.6, bus.received)
    # Credited after the lock: it was in the chute.
    there[0].happen(1, 1)
    going.runs(0.6, bus.received)
    # Turned away under the lock.
    there[0].happen(0, 128)
    going.runs(0.6, bus.received)
    there[1].happen(0, 1)
    going.send(messages.Unlock(), to=2)
    going.runs(0.5, bus.received)
    # It restarts while it is open, and takes one before it is found again.
    there[1].restart()
    there[1].happen(2, 1)
    going.runs(1.5, bus.received)
    there[1].happen(0, 14)
    going.runs(0.5, bus.received)
    assert {"identify", "look_after", "verify"} <= going.asked
    assert going.memories > going.refused
    wagers = [one for one in going.happened if isinstance(one, Heard)
              and isinstance(one.message, messages.Wager)]  # fmt: skip
    assert wagers
    said = {type(one.message) for one in going.happened if isinstance(one, Heard)}
    assert {messages.Fault, messages.FaultCleared, messages.LateWager} <= said


def test_a_panel_goes_on_wherever_it_was() -> None:
    module = Module()
    going = Going(panel)
    going.runs(1.2, module)
    going.send(blink(on=True))
    going.runs(1.4, module)
    for held in (True, False):
        module.inputs[0] = held
        going.runs(0.2, module)
    going.send(messages.Tone(tone="refused"))
    going.runs(1.0, module)
    module.is_silent = True
    going.runs(1.5, module)
    module.is_silent = False
    going.runs(3.0, module)
    assert {"identify", "look_after", "verify"} <= going.asked
    assert going.memories > going.refused
    pressed = [one for one in going.happened if isinstance(one, Heard)
               and isinstance(one.message, messages.Pressed)]  # fmt: skip
    assert len(pressed) == 1
    assert sum(isinstance(one, Identified) for one in going.happened) == 2


@pytest.mark.parametrize(
    ("make", "missing"),
    [
        *((acceptors, name) for name in ("due", "turns", "_poll_at", "own", "_locked", "seen")),
        *((panel, name) for name in ("heard", "routine", "identity", "_lights", "contacts")),
    ],
)
def test_what_is_no_memory_of_the_line_is_refused(
    make: Callable[[], PolledLine], missing: str
) -> None:
    memory = make().memory()
    assert memory is not None

    def without(held: dict[str, Any]) -> dict[str, Any]:
        return {
            key: without(value) if isinstance(value, dict) else value
            for key, value in held.items()
            if key != missing
        }

    with pytest.raises(ValueError, match=missing):
        make().recall(without(memory))


def test_a_line_with_other_devices_is_another_one() -> None:
    memory = acceptors().memory()
    assert memory is not None
    with pytest.raises(ValueError, match="no memory of this line"):
        panel().recall(memory)
