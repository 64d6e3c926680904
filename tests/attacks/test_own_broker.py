"""Programs of the PC at felt's own broker, beside eight devices that play: nothing passes.

What counts is what passes and who is asked to go, never how long anything takes.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest

from drivers.wire.broker import EmbeddedBroker
from drivers.wire.broker_client import Account
from drivers.wire.broker_door import MAX_SILENT
from drivers.wire.notices import Lost
from tests.attacks.conftest import Tally
from tests.drivers.wire import by_hand
from tests.drivers.wire.by_hand import IN, Caller, calling
from tests.drivers.wire.over_mqtt import (
    Device,
    Felt,
    accounts,
    of_device,
    running,
    until,
    wagers,
)

NAMES = [f"terminal {seat}" for seat in range(1, 8)] + ["sign"]
#: A device of the table whose account somebody has stolen.
STOLEN = "terminal 9"
WATCH_PASSWORD = "looks on"
FLOODING = 10
TINY = by_hand.publish("a", b"x") * 200
SUBACK, PUBLISH, PINGRESP = 9, 3, 13


@dataclass
class Stage:
    broker: EmbeddedBroker
    felts: Account
    felt: Felt
    devices: list[Device]
    #: Who hears everything that anybody at this table may say.
    watch: Caller
    told: int = 0

    async def plays_on(self) -> None:
        """Every device tells something, and felt has it."""
        self.told += 1
        for device in self.devices:
            device.tell(*wagers([self.told]))
        await until(lambda: len(self.felt.journal) == self.told * len(NAMES))

    @property
    def nobody(self) -> Account:
        return replace(self.felts, user="", password="")

    @property
    def stolen(self) -> Account:
        return of_device(self.felts, STOLEN)

    @property
    def lost(self) -> int:
        return sum(isinstance(one, Lost) for _, one in self.felt.notices)

    async def heard(self) -> list[bytes]:
        """The topics at which something was said until now."""
        self.watch.writer.write(by_hand.PING)
        found: list[bytes] = []
        while (packet := await self.watch.next())[0] != PINGRESP:
            kind, body = packet
            if kind == PUBLISH:
                found.append(body[2 : 2 + int.from_bytes(body[:2], "big")])
        return found


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    broker = EmbeddedBroker(accounts(*NAMES, STOLEN, watch=WATCH_PASSWORD))
    felts = await broker.start()
    felt = Felt(felts, *NAMES)
    devices = [Device(of_device(felts, name), name) for name in NAMES]
    try:
        looker = replace(felts, user="table-12/watch", password=WATCH_PASSWORD)
        async with running(felt.wire, *(one.end for one in devices)), calling(felts) as watch:
            await felt.meets()
            assert await watch.asks(by_hand.connect(looker)) == IN
            watch.writer.write(by_hand.subscribe(1, "felt/table-12/#", qos=0))
            await watch.until(SUBACK)
            yield Stage(broker, felts, felt, devices, watch)
    finally:
        await broker.stop()


async def test_ten_that_flood_without_an_account(stage: Stage, tally: Tally) -> None:
    over = asyncio.Event()
    tries = got_in = 0

    async def flood(n: int) -> None:
        nonlocal tries, got_in
        while not over.is_set():
            async with calling(stage.felts) as one:
                tries += 1
                one.writer.write(by_hand.connect(stage.nobody, f"flood {n}") + TINY)
                with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                    answer = await one.reader.readexactly(4)
                    got_in += answer[3] == IN

    async with asyncio.TaskGroup() as group:
        for n in range(FLOODING):
            group.create_task(flood(n))
        while tries < 1000:
            await stage.plays_on()
            await asyncio.sleep(0)
        over.set()
    bad = (
        got_in
        + stage.lost
        + sum(not one.startswith(b"felt/table-12") for one in await stage.heard())
    )
    assert stage.broker.turned.counts["no account"] > 0
    tally("floods at the broker", tries, bad)


async def test_somebody_in_the_place_of_felt_or_of_a_device(stage: Stage, tally: Tally) -> None:
    got_in = 0
    ids = ["felt-table-12-felt", *(f"felt-table-12-{n.replace(' ', '-')}" for n in NAMES)]
    by_chance = random.Random(40)
    for n in range(200):
        name = ids[n % len(ids)]
        guess = by_chance.randbytes(24).hex()
        user = "table-12/felt" if n % 3 else f"table-12/{name[14:]}"
        account = (stage.nobody, replace(stage.felts, user=user, password=guess), stage.stolen)[
            n % 3
        ]
        will = (f"felt/table-12/{name[14:]}/state", b"{}") if n % 2 else None
        async with calling(stage.felts) as one:
            got_in += await one.asks(by_hand.connect(account, name, will=will)) == IN
        if n % 50 == 0:
            await stage.plays_on()
    await stage.plays_on()
    tally("places taken at the broker", 200, got_in + stage.lost)


async def test_nine_thousand_that_are_to_be_kept(stage: Stage, tally: Tally) -> None:
    """With an account that was stolen, and with none; in measure, so that they all come in."""
    tries = 0
    async with calling(stage.felts) as one:
        assert await one.asks(by_hand.connect(stage.stolen)) == IN
        for n in range(100):
            whose = ("felt", "terminal-1", "sign")[n % 3]
            what = ("state", "head", "status", "cmd", f"more-{n}")[n % 5]
            topic = (
                f"felt/table-12/{whose}/{what}",
                "felt/table-12/terminal-9/event",
                f"keep/{n}",
            )
            data = by_hand.publish(topic[n % 3], bytes(1000), retained=True)
            one.writer.write(data)
            tries += 1
        one.writer.write(by_hand.PING)
        await one.until(PINGRESP)
    async with calling(stage.felts) as one:
        one.writer.write(by_hand.connect(stage.nobody))
        with contextlib.suppress(ConnectionError):
            for n in range(8900):
                one.writer.write(by_hand.publish(f"keep/{n}", bytes(1000), retained=True))
                tries += 1
                if not n % 100:
                    await one.writer.drain()
    await stage.plays_on()
    amqtt = stage.broker._broker
    kept = set(amqtt.retained_messages)
    ours = {f"felt/table-12/{name.replace(' ', '-')}/state" for name in (*NAMES, "felt")}
    tally("messages kept at the broker", tries, len(kept - ours) + stage.lost)


async def test_half_open_connections(stage: Stage, tally: Tally) -> None:
    begun = [b"", b"\x10", by_hand.connect(stage.stolen)[:20], b"\x10\x80\x80"]
    opened: list[asyncio.StreamWriter] = []
    most = tries = 0
    door = stage.broker._door
    assert door is not None
    for n in range(1500):
        _, writer = await asyncio.open_connection(stage.felts.host, stage.felts.port)
        writer.write(begun[n % len(begun)])
        opened.append(writer)
        tries += 1
        most = max(most, len(door._silent))
        if n % 500 == 0:
            await stage.plays_on()
    await stage.plays_on()
    # Somebody of the table comes in all the same, and all that never spoke are gone in the end.
    async with calling(stage.felts) as one:
        assert await one.asks(by_hand.connect(stage.stolen)) == IN
    await until(lambda: not door._silent)
    for writer in opened:
        writer.transport.abort()
    assert stage.broker.connections <= len(NAMES) + 3
    tally("half-open connections", tries, max(0, most - MAX_SILENT) + stage.lost)


async def test_packets_that_are_none(stage: Stage, tally: Tally) -> None:
    """At the door, and with a stolen account behind it: mutilated, too long, of every kind."""
    by_chance = random.Random(41)
    whole = by_hand.connect(stage.stolen, will=("felt/table-12/terminal-9/state", b"{}"))
    got_in = 0
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(by_chance.randrange(1, 4)):
            data[by_chance.randrange(14)] = by_chance.randrange(256)
        async with calling(stage.felts) as one:
            one.writer.write(bytes(data))
            one.writer.write_eof()
            with contextlib.suppress(ConnectionError):
                await one.reader.read()
    for _ in range(200):
        body = by_chance.randbytes(by_chance.randrange(40))
        kind = by_chance.randrange(16)
        async with calling(stage.felts) as one:
            assert await one.asks(by_hand.connect(stage.stolen)) == IN
            one.writer.write(by_hand.packet(kind << 4 | by_chance.randrange(16), body))
            one.writer.write(bytes([0x30, 0xFF, 0xFF, 0xFF, 0x7F]))
            await one.is_hung_up_on()
    for front in (b"\x30\x80\x80\x01", b"\x30\xff\xff\xff\xff", b"\x82\x81\x80\x04"):
        async with calling(stage.felts) as one:
            assert await one.asks(by_hand.connect(stage.stolen)) == IN
            one.writer.write(front + bytes(40_000))
            await one.is_hung_up_on()
    await stage.plays_on()
    foreign = [one for one in await stage.heard() if not one.startswith(b"felt/table-12/")]
    tally("packets that are none", 403, got_in + len(foreign) + stage.lost)


async def test_who_wants_to_hear_everything(stage: Stage, tally: Tally) -> None:
    by_chance = random.Random(42)
    levels = ["#", "+", "felt", "table-12", "terminal-1", "cmd", "event", "$SYS", "$share", ""]
    granted = tries = 0
    for _ in range(20):
        async with calling(stage.felts) as one:
            assert await one.asks(by_hand.connect(stage.stolen)) == IN
            filters = ["#", "felt/#", "felt/table-12/#", "felt/table-12/+/cmd", "$SYS/#"]
            drawn = (by_chance.choices(levels, k=by_chance.randrange(1, 6)) for _ in range(5))
            filters += ["/".join(one) or "#" for one in drawn]
            one.writer.write(by_hand.subscribe(3, *filters, qos=by_chance.randrange(3)))
            answer = await one.until(SUBACK)
            granted += sum(code != 0x80 for code in answer[2:])
            tries += len(filters)
            await stage.plays_on()
            one.writer.write(by_hand.PING)
            heard, _ = await one.next()
            granted += heard != PINGRESP
    tally("listening at the broker", tries, granted + stage.lost)
