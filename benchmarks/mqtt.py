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
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import aiomqtt

from drivers.wire import messages, mqtt
from drivers.wire.broker import EmbeddedBroker
from drivers.wire.broker_accounts import Accounts, as_device
from drivers.wire.broker_client import Account
from drivers.wire.handshake import PROTOCOL, Identity, Outcome
from drivers.wire.mqtt import MqttWire
from drivers.wire.mqtt_device import MqttDevice
from drivers.wire.notices import Answered, Identified
from drivers.wire.responder import Responder
from tests.drivers.wire.mosquitto import OPEN_TO_ALL, Mosquitto

KEY = bytes(range(32))
TABLE, DEVICE = "bench", "acceptor 1"
TURNS = 20
A_TURN = 100
#: Required: of the median of bare aiomqtt.
MOST = 1.5
#: As long as a command with its tag, and its answer.
REQUEST, ANSWER = os.urandom(150), os.urandom(95)

#: Where a device is asked and answers: at felt's own broker it may do so nowhere else.
AT_REQUEST, AT_ANSWER = f"felt/{TABLE}/acceptor-1/cmd", f"felt/{TABLE}/acceptor-1/ack"

#: Otherwise both sides wait for more to send, and the round takes 88 ms.
AT_ONCE = ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),)

Round = Callable[[], Awaitable[None]]


@asynccontextmanager
async def bare(asks: Account, answers: Account) -> AsyncIterator[Round]:
    async with AsyncExitStack() as stack:
        asking, answering = [
            await stack.enter_async_context(
                aiomqtt.Client(
                    one.host,
                    one.port,
                    username=one.user or None,
                    password=one.password or None,
                    socket_options=AT_ONCE,
                )
            )
            for one in (asks, answers)
        ]
        await asking.subscribe(AT_ANSWER, qos=1)
        await answering.subscribe(AT_REQUEST, qos=1)

        async def answer() -> None:
            async for _ in answering.messages:
                await answering.publish(AT_ANSWER, ANSWER, qos=1)

        task = asyncio.create_task(answer())

        async def one() -> None:
            await asking.publish(AT_REQUEST, REQUEST, qos=1)
            await anext(asking.messages)

        try:
            yield one
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


class Wire:
    """felt's end and a device's, which does whatever it is told."""

    def __init__(self, account: Account, device: Account) -> None:
        self.station = mqtt.station(KEY)
        self.ready = asyncio.Event()
        self.answered = asyncio.Event()
        self.wire = MqttWire(account, TABLE, {DEVICE: self.station}, on_turn=self._turn)
        identity = Identity(PROTOCOL, "acceptor", "bench", "1", bytes(32), 1, "", bytes(16))
        responder = Responder(identity, KEY, self._do, lambda: os.urandom(16))
        self.device = MqttDevice(device, TABLE, DEVICE, responder)
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
async def ours(account: Account, device: Account) -> AsyncIterator[Round]:
    wire = Wire(account, device)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(end.run()) for end in (wire.wire, wire.device)]
        await wire.ready.wait()
        try:
            yield wire.one
        finally:
            for task in tasks:
                task.cancel()


def at(felts: Account) -> Account:
    """The device's account, where felt has that one; no account where it has none."""
    bare = replace(felts, user="", password="")
    return as_device(bare, TABLE, DEVICE, KEY) if felts.user else bare


async def measure(first: Account, second: Account) -> tuple[list[float], list[float]]:
    """Through two brokers alike: where an account is one client, both can't be at one."""
    times: tuple[list[float], list[float]] = ([], [])
    async with bare(first, at(first)) as one, ours(second, at(second)) as other:
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
    brokers = [EmbeddedBroker(Accounts(TABLE, {DEVICE: KEY})) for _ in range(2)]
    first, second = [await broker.start() for broker in brokers]
    try:
        return await measure(first, second)
    finally:
        for broker in brokers:
            await broker.stop()


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        broker = Mosquitto(Path(folder), [*OPEN_TO_ALL, "set_tcp_nodelay true"])
        broker.start()
        try:
            ratio = compared("mosquitto", asyncio.run(measure(broker.account(), broker.account())))
        finally:
            broker.kill()
    print(f"  of the bare one: {ratio:.2f} (required {MOST} at most)")
    inside = compared("the embedded broker", asyncio.run(embedded()))
    print(f"  of the bare one: {inside:.2f}")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
