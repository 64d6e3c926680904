"""Strikes at a table: the daemon, its broker and its devices, at moments from a seed.

A strike waits for its moment, then for a short while more, and falls whatever happens just then.
Most moments are those at which a lot hangs on what is written and what is not.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from drivers.wire import messages
from drivers.wire.messages import Command
from simulators.device import Answer, Device
from tests.scenarios.kill.live import LiveTable
from tests.scenarios.kill.people import People

#: What people do, or what happens, right before a strike.
MOMENTS = (
    "press lock_out",
    "press deal",
    "stack given",
    "stack taken",
    "seat_paid",
    "chip",
    "buy in",
    "wager at terminal",
    "chips_counted",
    "put into shuffler",
    "hold_cleared",
    "cards_racked",
)
#: Of ten strikes, so many fall just anywhere in a round, or while the daemon starts.
ANYWHERE, STARTING = 0.3, 0.1
#: For so many rounds a strike waits for its moment before it falls anyway.
PATIENCE = 3
#: Longer than a device waits for a word from felt before it rests.
LONG_S = 4.0
A_ROUND_S = 1.5


@dataclass(frozen=True, slots=True)
class Strike:
    what: Literal["daemon", "broker", "simulator", "restart", "unplug"]
    #: A moment, or "" for any, or "start" for right after the last one.
    when: str
    #: Seconds from the moment to the strike, and from it until what was struck is back.
    after: float
    down: float
    #: The device that is killed or restarted, or the wire whose cable is pulled.
    where: str = ""
    #: The daemon is killed before anything else happens, down to the answer of a device.
    at_once: bool = False


def at_instants(moments: Sequence[str]) -> list[Strike]:
    """The daemon is killed right when a device has done what it was told, and felt can't know."""
    return [Strike("daemon", one, 0.0, 0.0, at_once=True) for one in moments]


def strikes(
    seed: int,
    count: int,
    what: Sequence[str],
    devices: Sequence[str],
    wires: Sequence[str],
    *,
    processes: Sequence[str] = (),
) -> Iterator[Strike]:
    chance = random.Random(f"strikes/{seed}")
    for _ in range(count):
        kind = chance.choice(what)
        draw = chance.random()
        if draw < ANYWHERE:
            when, after = "", chance.uniform(0, A_ROUND_S)
        elif draw < ANYWHERE + STARTING:
            when, after = "start", chance.uniform(0, A_ROUND_S)
        else:
            when, after = chance.choice(MOMENTS), chance.uniform(0, 0.04)
        down = LONG_S if chance.random() < 0.05 else chance.choice((0.0, 0.0, 0.2, 1.0))
        places = {"restart": devices, "unplug": wires, "simulator": processes}
        where = places.get(kind, ("",))
        yield Strike(kind, when, after, down, chance.choice(where))  # type: ignore[arg-type]


def _said(command: Command) -> str:
    match command:
        case messages.SetLamp(lamp):
            return f"lamp {lamp}"
        case messages.Lights(deal=deal):
            return f"deal {deal}"
    return messages.name(command)


class Killer:
    def __init__(self, live: LiveTable) -> None:
        self._live = live
        self._waits_for = ""
        self._at_once = False
        self._came = asyncio.Event()
        self.struck: Counter[str] = Counter()
        self.moments: Counter[str] = Counter()

    def moment(self, name: str) -> None:
        if name != self._waits_for:
            return
        if self._at_once and self._live.daemon.is_running:
            # Not when the loop comes to it: by then the device's answer is on the wire.
            self._live.daemon.kill()
        self._came.set()

    def watch_devices(self) -> None:
        """What a device is told is a moment too: "acceptor lock". felt has no answer yet."""
        for device in self._live.devices.values():
            device.on_told = partial(self._told, device, device.on_told)

    def _told(
        self,
        device: Device,
        before: Callable[[Command, Answer], None],
        command: Command,
        answer: Answer,
    ) -> None:
        before(command, answer)
        self.moment(f"{device.kind} {_said(command)}")

    async def strike_all(self, some: Sequence[Strike], people: People) -> None:
        for one in some:
            if one.when != "start":
                # Play goes on in between, or the same start would be struck over and over.
                await people.sees_play()
            await self._wait_for(one, people)
            self.struck[f"{one.what} {one.where}".strip()] += 1
            self.moments[one.when or "any"] += 1
            await self._strike(one)

    async def _wait_for(self, one: Strike, people: People) -> None:
        if one.when not in ("", "start"):
            self._came.clear()
            self._waits_for = one.when
            self._at_once = one.at_once
            last = people.round + PATIENCE
            try:
                while not self._came.is_set() and people.round <= last:
                    await self._comes_or_play_goes_on(people)
            finally:
                self._waits_for = ""
            if not self._came.is_set():
                self.moments[f"never {one.when}"] += 1
        await asyncio.sleep(one.after)

    async def _comes_or_play_goes_on(self, people: People) -> None:
        either = [asyncio.create_task(self._came.wait()), asyncio.create_task(people.sees_play())]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in either:
                task.cancel()
            await asyncio.gather(*either, return_exceptions=True)

    async def _strike(self, one: Strike) -> None:
        live = self._live
        match one.what:
            case "daemon":
                if live.daemon.is_running:
                    live.daemon.kill()
                await asyncio.sleep(one.down)
                live.daemon.start()
            case "broker":
                live.broker.kill()
                await asyncio.sleep(one.down)
                # Devices and people go on while it starts.
                await asyncio.to_thread(live.broker.start)
            case "simulator":
                live.simulators[one.where].kill()
                await asyncio.sleep(one.down)
                await live.simulators[one.where].start()
            case "restart":
                await live.restart(live.devices[one.where])
            case "unplug":
                port = live.simulated.ports[one.where]
                port.unplug()
                await asyncio.sleep(one.down)
                port.plug_in()
