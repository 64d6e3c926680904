"""The broker inside felt: a table that has none plays all the same."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from drivers.wire import messages
from drivers.wire.broker import EmbeddedBroker
from drivers.wire.broker_client import Account
from drivers.wire.broker_gate import MAX_PACKET
from drivers.wire.notices import Answered
from tests.drivers.wire import by_hand
from tests.drivers.wire.over_mqtt import (
    Device,
    Felt,
    accounts,
    of_device,
    running,
    until,
    wagers,
)


@pytest.fixture
async def embedded() -> AsyncIterator[Account]:
    broker = EmbeddedBroker(accounts("acceptor 1", "acceptor 2", "acceptor 3"))
    yield await broker.start()
    await broker.stop()


async def test_a_round_at_the_broker_inside_felt(embedded: Account) -> None:
    names = [f"acceptor {seat}" for seat in (1, 2, 3)]
    felt = Felt(embedded, *names)
    devices = [Device(of_device(embedded, name), name) for name in names]
    async with running(felt.wire, *(device.end for device in devices)):
        await felt.meets()
        for device in devices:
            device.tell(*wagers(range(20)))
        numbers = [felt.tell(messages.Lock(), name) for name in names]
        for number in numbers:
            assert isinstance(await felt.answer_to(number), Answered)
        await until(lambda: len(felt.journal) == 60)
    assert all(felt.events(name) == wagers(range(20)) for name in names)
    assert all(device.done == [messages.Lock()] for device in devices)
    assert felt.repeated == 0


async def test_a_device_that_comes_and_goes(embedded: Account) -> None:
    felt, device = Felt(embedded), Device(of_device(embedded))
    async with running(felt.wire):
        for turn in range(3):
            async with running(device.end):
                await felt.meets()
                device.tell(*wagers([turn]))
                await until(lambda: device.responder.unacknowledged == 0)
            await until(lambda: felt.station.stage == "silent")
    assert felt.events() == wagers(range(3))


async def test_felt_comes_back_to_it(embedded: Account) -> None:
    device, felt = Device(of_device(embedded)), Felt(embedded)
    async with running(device.end):
        async with running(felt.wire):
            await felt.meets()
            device.tell(*wagers([1]))
            await until(lambda: felt.journal)
        device.tell(*wagers([2]))
        async with running(felt.wire):
            await until(lambda: felt.events() == wagers([1, 2]))


async def test_it_ends_with_everybody_still_there() -> None:
    broker = EmbeddedBroker(accounts())
    account = await broker.start()
    felt, device = Felt(account), Device(of_device(account))
    async with running(felt.wire, device.end):
        await felt.meets()
        await broker.stop()
        await until(lambda: felt.wire.state.status == "absent")
        again = EmbeddedBroker(broker.accounts, account.port)
        # It has another secret for felt.
        felt.wire.account = await again.start()
        await felt.meets()
    await again.stop()


async def test_a_port_that_is_taken_is_said(embedded: Account) -> None:
    second = EmbeddedBroker(accounts(), embedded.port)
    with pytest.raises(OSError, match="Address already in use"):
        await second.start()


async def test_only_this_machine_reaches_it(embedded: Account) -> None:
    assert embedded.host == "127.0.0.1"


async def test_its_log_comes_as_warnings_and_as_nothing_else() -> None:
    warnings: list[str] = []
    written: list[str] = []
    broker = EmbeddedBroker(accounts(), on_warning=warnings.append)
    account = await broker.start()
    handler = logging.Handler()
    handler.emit = lambda record: written.append(record.name)  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        _, writer = await asyncio.open_connection(account.host, account.port)
        # The beginning of somebody who says who he is, and no more.
        writer.write(bytes.fromhex("10010a"))
        writer.close()
        await writer.wait_closed()
        await until(lambda: warnings)
    finally:
        logging.getLogger().removeHandler(handler)
        await broker.stop()
    assert [name for name in written if name.startswith(("amqtt", "transitions"))] == []


async def test_somebody_who_never_says_who_he_is_does_not_keep_it_from_ending() -> None:
    broker = EmbeddedBroker(accounts())
    account = await broker.start()
    silent = [await asyncio.open_connection(account.host, account.port) for _ in range(3)]
    for _, writer in silent:
        writer.write(b"GET / HTTP/1.1\r\n")
        await writer.drain()
    felt, device = Felt(account), Device(of_device(account))
    async with running(felt.wire, device.end):
        await felt.meets()
    await broker.stop()
    for reader, writer in silent:
        with contextlib.suppress(ConnectionError):
            await reader.read()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def test_nobody_pays_for_it_who_does_not_start_it() -> None:
    code = "import sys, drivers.wire.broker; print('amqtt' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout.strip() == "False"


async def test_it_ends_at_any_moment_of_a_packet_that_comes_in() -> None:
    """It took such a packet for its own end, and left its tasks running: see ``leaks``."""
    for turns in range(10):
        broker = EmbeddedBroker(accounts())
        account = await broker.start()
        reader, writer = await asyncio.open_connection(account.host, account.port)
        writer.write(by_hand.connect(of_device(account)))
        await reader.readexactly(4)
        # The answer, and that it is read from again: both before the packet.
        await asyncio.sleep(0.01)
        writer.write(by_hand.PING)
        for _ in range(turns):
            await asyncio.sleep(0)
        await broker.stop()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def test_a_packet_that_is_too_long_is_not_taken_and_harms_nobody_else() -> None:
    warnings: list[str] = []
    broker = EmbeddedBroker(accounts("acceptor 3", "acceptor 4"), on_warning=warnings.append)
    account = await broker.start()
    felt, device = Felt(account), Device(of_device(account))
    async with running(felt.wire, device.end):
        await felt.meets()
        reader, writer = await asyncio.open_connection(account.host, account.port)
        writer.write(by_hand.connect(of_device(account, "acceptor 4")))
        assert (await reader.readexactly(4))[0] == 0x20
        # The longest that is taken: the connection goes on.
        topic = "felt/table-12/acceptor-4/event"
        room = MAX_PACKET - 2 - len(topic)
        writer.write(by_hand.publish(topic, bytes(room)))
        writer.write(by_hand.PING)
        # amqtt tells newcomers what is retained, so this need not come first.
        await reader.readuntil(bytes([0xD0, 0]))
        assert warnings == []
        # One more, and only its beginning is sent: nobody waits for the rest.
        writer.write(by_hand.publish(topic, bytes(room + 1))[:5])
        await by_hand.hung_up_on(reader)
        writer.close()
        assert broker.turned.counts == {"too long": 1}
        assert len(warnings) == 1
        assert "packets that are too long (table-12/acceptor-4)" in warnings[0]
        device.tell(*wagers([1]))
        await until(lambda: felt.events() == wagers([1]))
    await broker.stop()


@pytest.mark.parametrize("front", ["10ffffff7f", "30ffffff7f", "10ffffffff", "30ffffffffff"])
async def test_a_length_of_megabytes_is_hung_up_on_at_once(embedded: Account, front: str) -> None:
    reader, writer = await asyncio.open_connection(embedded.host, embedded.port)
    if front.startswith("30"):
        writer.write(by_hand.connect(of_device(embedded, "acceptor 1")))
        await reader.readexactly(4)
    writer.write(bytes.fromhex(front))
    await by_hand.hung_up_on(reader)
    writer.close()
