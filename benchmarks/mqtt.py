"""A command and its answer over MQTT, beside bare aiomqtt through the same broker.

Bare is a request and an answer of the same length at QoS 1, and nothing else: no numbers, no tags,
no repeats. Both run by turns in one run, with all four ends in this process; only the ratio says
something. Through the embedded broker too, for which nothing is required.

    python -m benchmarks.mqtt
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import aiomqtt

from drivers.wire import messages, mqtt
from drivers.wire.broker import EmbeddedBroker
from drivers.wire.broker_client import Account
from drivers.wire.handshake import PROTOCOL, Identity, Outcome
from drivers.wire.mqtt import MqttWire
from drivers.wire.mqtt_device import MqttDevice
from drivers.wire.notices import Answered, Identified
from drivers.wire.responder import Responder
from tests.drivers.wire.mosquitto import OPEN_TO_ALL, Mosquitto

KEY = bytes(range(32))
TURNS = 20
A_TURN = 100
#: Required: of the median of bare aiomqtt.
MOST = 1.5
#: As long as a command with its tag, and its answer.
REQUEST, ANSWER = os.urandom(150), os.urandom(95)

#: Otherwise both sides wait for more to send, and the round takes 88 ms.
AT_ONCE = ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),)

Round = Callable[[], Awaitable[None]]


@asynccontextmanager
async def bare(account: Account) -> AsyncIterator[Round]:
    async with AsyncExitStack() as stack:
        asking, answering = [
            await stack.enter_async_context(
                aiomqtt.Client(account.host, account.port, socket_options=AT_ONCE)
            )
            for _ in range(2)
        ]
        await asking.subscribe("bench/answer", qos=1)
        await answering.subscribe("bench/request", qos=1)

        async def answer() -> None:
            async for _ in answering.messages:
                await answering.publish("bench/answer", ANSWER, qos=1)

        task = asyncio.create_task(answer())

        async def one() -> None:
            await asking.publish("bench/request", REQUEST, qos=1)
            await anext(asking.messages)

        try:
            yield one
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


class Wire:
    """felt's end and a device's, which does whatever it is told."""

    def __init__(self, account: Account) -> None:
        self.station = mqtt.station(KEY)
        self.ready = asyncio.Event()
        self.answered = asyncio.Event()
        self.wire = MqttWire(account, "bench", {"acceptor 1": self.station}, on_turn=self._turn)
        identity = Identity(PROTOCOL, "acceptor", "bench", "1", bytes(32), 1, "", bytes(16))
        responder = Responder(identity, KEY, self._do, lambda: os.urandom(16))
        self.device = MqttDevice(account, "bench", "acceptor 1", responder)
        self._number = 0

    def _do(self, command: messages.Command) -> tuple[Outcome, str]:
        return "done", ""

    def _turn(self) -> None:
        for notice in self.station.notices():
            if isinstance(notice, Identified):
                self.station.accept(asyncio.get_running_loop().time())
                self.ready.set()
            elif isinstance(notice, Answered):
                self.answered.set()

    async def one(self) -> None:
        self._number += 1
        self.answered.clear()
        deadline = asyncio.get_running_loop().time() + 10
        self.station.send(self._number, messages.SetLamp("invite"), deadline=deadline)
        self.wire.kick()
        await self.answered.wait()


@asynccontextmanager
async def ours(account: Account) -> AsyncIterator[Round]:
    wire = Wire(account)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(end.run()) for end in (wire.wire, wire.device)]
        await wire.ready.wait()
        try:
            yield wire.one
        finally:
            for task in tasks:
                task.cancel()


async def measure(account: Account) -> tuple[list[float], list[float]]:
    times: tuple[list[float], list[float]] = ([], [])
    async with bare(account) as one, ours(account) as other:
        for turn in range(-2, TURNS):
            for round_, kept in zip((one, other), times, strict=True):
                for _ in range(A_TURN):
                    start = perf_counter()
                    await round_()
                    if turn >= 0:
                        kept.append(perf_counter() - start)
    return times


def told(name: str, times: list[float]) -> None:
    cuts = quantiles(times, n=100)
    print(f"{name}: p50 {median(times) * 1e6:.0f} us, p99 {cuts[98] * 1e6:.0f} us")


def compared(broker: str, times: tuple[list[float], list[float]]) -> float:
    told(f"request and answer through {broker}, bare aiomqtt", times[0])
    told(f"request and answer through {broker}, wire and station", times[1])
    return median(times[1]) / median(times[0])


async def embedded() -> tuple[list[float], list[float]]:
    broker = EmbeddedBroker()
    account = await broker.start()
    try:
        return await measure(account)
    finally:
        await broker.stop()


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        broker = Mosquitto(Path(folder), [*OPEN_TO_ALL, "set_tcp_nodelay true"])
        broker.start()
        try:
            ratio = compared("mosquitto", asyncio.run(measure(broker.account())))
        finally:
            broker.kill()
    print(f"  of the bare one: {ratio:.2f} (required {MOST} at most)")
    inside = compared("the embedded broker", asyncio.run(embedded()))
    print(f"  of the bare one: {inside:.2f}")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
