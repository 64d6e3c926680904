"""The bench on real wires: a pty in virtual time, or a broker in real time, with the same stories.

A story waits by calling, so the loop runs only while it waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

from drivers.attachment import Attachment
from drivers.contract import Driver
from drivers.wire.broker_client import Account
from drivers.wire.keys import BENCH_KEY
from drivers.wire.line import Line
from drivers.wire.mqtt import MqttWire
from drivers.wire.ports import PortSettings
from drivers.wire.serial import SerialPort
from drivers.wire.station import Station
from simulators.broker import BrokerPort
from simulators.device import Device
from simulators.port import PtyPort
from simulators.virtual_time import VirtualTimeLoop
from tests.drivers.bench import Bench

#: Only so that a test ends, however busy the machine is.
AT_LAST_S = 300.0
#: How often a story looks whether what it waits for has happened.
LOOK_S = 0.01


class LiveBench(Bench):
    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        attachment: Attachment,
        pull: Callable[[], None],
        plug: Callable[[], None],
    ) -> None:
        self._loop = loop
        super().__init__()
        self._attachment = attachment
        self._pull, self._plug = pull, plug
        #: Those who may have something to say after somebody did something.
        self.kicked: list[Callable[[], None]] = []

    @property
    def now(self) -> float:
        return self._loop.time()

    @now.setter
    def now(self, _: float) -> None:
        """The loop's, and nobody else's."""

    @property
    def attachments(self) -> list[Attachment]:
        return [self._attachment]

    def turned(self) -> None:
        for outcome in self._attachment.turn(self.now, self._moment):
            self._follow(self._attachment, outcome)

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        self.until(lambda: self.now >= end, within=seconds + 1)

    def until(self, condition: Callable[[], object], within: float = AT_LAST_S) -> None:
        self._loop.run_until_complete(self._until(condition, within))

    async def _until(self, condition: Callable[[], object], within: float) -> None:
        end = self.now + within
        while not condition():
            assert self.now < end, f"not within {within} seconds: {self.events[-5:]}"
            for kick in self.kicked:
                kick()
            await asyncio.sleep(LOOK_S)

    def cut(self, seconds: float) -> None:
        self._pull()
        self.run(seconds)
        self._plug()


@contextlib.contextmanager
def on_a_pty(driver: Driver, device: Device, folder: Path) -> Iterator[LiveBench]:
    loop = VirtualTimeLoop()
    station = _station(device)
    attachment = Attachment(driver, station, bench_key=True)
    port = PtyPort([device], link=folder / "port")
    bench = LiveBench(loop, attachment, port.unplug, port.plug_in)
    wire = SerialPort(PortSettings(port.path), Line([station]), on_turn=bench.turned)
    bench.kicked += [port.kick, wire.kick]
    loop.on_their_way.append(
        lambda: (
            max(0, wire.bytes_written - port.bytes_read)
            + max(0, port.bytes_written - wire.bytes_read)
        )
    )
    with _running(loop, port.run(), wire.run()):
        yield bench


@contextlib.contextmanager
def at_a_broker(
    driver: Driver,
    device: Device,
    account: Account,
    pull: Callable[[], None],
    plug: Callable[[], None],
) -> Iterator[LiveBench]:
    loop = asyncio.new_event_loop()
    station = _station(device, deadlines=True)
    attachment = Attachment(driver, station, bench_key=True)
    port = BrokerPort(account, "bench", device)
    bench = LiveBench(loop, attachment, pull, plug)
    wire = MqttWire(account, "bench", {device.name: station}, on_turn=bench.turned)
    bench.kicked += [lambda: device.advance(loop.time()), port.kick, wire.kick]
    with _running(loop, port.run(), wire.run()):
        yield bench


def _station(device: Device, *, deadlines: bool = False) -> Station:
    nonces = itertools.count(1)
    return Station(
        device.address, BENCH_KEY, lambda: next(nonces).to_bytes(16, "big"), deadlines=deadlines
    )


@contextlib.contextmanager
def _running(loop: asyncio.AbstractEventLoop, *work: Coroutine[Any, Any, None]) -> Iterator[None]:
    tasks = [loop.create_task(one) for one in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        ended = loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
    assert all(isinstance(one, asyncio.CancelledError) for one in ended), ended
