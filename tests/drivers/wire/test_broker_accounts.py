"""Who may come to felt's own broker, and what an account may say, keep and hear there."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest

from drivers.wire import broker_packets as packets
from drivers.wire.broker import EmbeddedBroker
from drivers.wire.broker_accounts import PURPOSE, as_device, password_of
from drivers.wire.broker_client import Account
from drivers.wire.broker_gate import MAX_KEPT, MAX_UNASKED, UNASKED_PER_S, Allowance
from drivers.wire.broker_turned import Turned
from drivers.wire.notices import Lost
from tests.drivers.wire import by_hand
from tests.drivers.wire.by_hand import BAD_ID, BAD_LOGIN, IN, calling
from tests.drivers.wire.over_mqtt import (
    KEY,
    TABLE,
    Device,
    Felt,
    accounts,
    of_device,
    running,
    until,
    wagers,
)

WATCH_PASSWORD = "may look and not speak"
PUBLISH, PUBACK, SUBACK, PINGRESP = 3, 4, 9, 13


@pytest.fixture
async def broker() -> AsyncIterator[EmbeddedBroker]:
    broker = EmbeddedBroker(accounts("acceptor 3", "acceptor 4", watch=WATCH_PASSWORD))
    await broker.start()
    yield broker
    await broker.stop()


@pytest.fixture
def felts(broker: EmbeddedBroker) -> Account:
    return broker.accounts.as_felt("127.0.0.1", broker.port)


def test_a_makers_device_finds_its_password_as_the_protocol_says() -> None:
    assert password_of(KEY) == hmac.new(KEY, b"felt broker", hashlib.sha256).hexdigest()[:48]
    assert PURPOSE == b"felt broker"
    given = Account("here", 1, "somebody", "else")
    assert as_device(given, TABLE, "sign", KEY) is given


@pytest.mark.parametrize(
    ("user", "password"),
    [
        ("", ""),
        ("table-12/acceptor-3", ""),
        ("table-12/acceptor-3", password_of(bytes(32))),
        ("table-12/acceptor-5", password_of(KEY)),
        ("table-13/acceptor-3", password_of(KEY)),
        ("table-12/felt", password_of(KEY)),
        ("table-12/felt", ""),
    ],
)
async def test_nobody_comes_in_without_an_account(
    broker: EmbeddedBroker, felts: Account, user: str, password: str
) -> None:
    async with calling(replace(felts, user=user, password=password)) as one:
        told = replace(felts, user=user, password=password)
        assert await one.asks(by_hand.connect(told, "felt-table-12-felt")) == BAD_LOGIN
        await one.is_hung_up_on()
    assert broker.turned.counts == {"no account": 1}


async def test_felts_secret_is_another_one_at_each_start(broker: EmbeddedBroker) -> None:
    before = broker.accounts.as_felt("127.0.0.1", broker.port)
    await broker.stop()
    after = await broker.start()
    assert after.password != before.password
    assert broker.accounts.entitled(before.user, before.password.encode()) is None
    assert before.password not in repr(before)


async def test_nobody_takes_the_place_of_another(broker: EmbeddedBroker, felts: Account) -> None:
    felt, device = Felt(felts), Device(of_device(felts))
    async with running(felt.wire, device.end):
        await felt.meets()
        ids = ("felt-table-12-felt", "felt-table-12-acceptor-3")
        # With no account, and with one's own: neither gets at the one who is there.
        for name in ids:
            async with calling(felts) as one:
                nobody = replace(felts, user="", password="")
                assert await one.asks(by_hand.connect(nobody, name)) == BAD_LOGIN
            async with calling(felts) as one:
                own = of_device(felts, "acceptor 4")
                assert await one.asks(by_hand.connect(own, name)) == BAD_ID
        device.tell(*wagers([1]))
        await until(lambda: felt.events() == wagers([1]))
    assert not [one for _, one in felt.notices if isinstance(one, Lost)]
    assert broker.turned.counts == {"no account": 2, "id of another": 2}


async def test_whatever_id_a_device_names_it_is_its_own(
    broker: EmbeddedBroker, felts: Account
) -> None:
    async with calling(felts) as first, calling(felts) as second:
        own = of_device(felts)
        assert await first.asks(by_hand.connect(own, "a")) == IN
        assert await second.asks(by_hand.connect(own, "b")) == IN
        # An account is one client: the one that came last.
        await first.is_hung_up_on()
        second.writer.write(by_hand.PING)
        await second.until(PINGRESP)
        assert broker.connections == 1


async def test_small_packets_go_at_once(broker: EmbeddedBroker, felts: Account) -> None:
    """Otherwise each waits 40 ms for more."""
    async with calling(felts) as one:
        assert await one.asks(by_hand.connect(of_device(felts))) == IN
        (client,) = (found for found in broker._clients.values() if found is not None)
        sock = client.transport.get_extra_info("socket")
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_who_comes_and_leaves_at_once_is_forgotten(
    broker: EmbeddedBroker, felts: Account
) -> None:
    """amqtt would have waited for the end of it for ever."""
    for _ in range(20):
        async with calling(felts) as one:
            one.writer.write(by_hand.connect(of_device(felts)))
            one.writer.write_eof()
            await one.is_hung_up_on()
    await until(lambda: broker.connections == 0)


async def test_no_will_in_the_name_of_another(broker: EmbeddedBroker, felts: Account) -> None:
    for device in ("felt", "acceptor-3"):
        will = (f"felt/table-12/{device}/state", b'{"state": "lost", "boot": 1, "connection": 1}')
        async with calling(felts) as one:
            own = of_device(felts, "acceptor 4")
            assert await one.asks(by_hand.connect(own, will=will)) == BAD_LOGIN
    assert broker.turned.counts == {"will of another": 2}


async def test_a_device_says_what_is_its_own_and_nothing_else(
    broker: EmbeddedBroker, felts: Account
) -> None:
    looker = replace(felts, user="table-12/watch", password=WATCH_PASSWORD)
    async with calling(felts) as watch, calling(felts) as device:
        assert await watch.asks(by_hand.connect(looker)) == IN
        watch.writer.write(by_hand.subscribe(1, "felt/table-12/#"))
        assert (await watch.until(SUBACK))[2:] == b"\x01"
        assert await device.asks(by_hand.connect(of_device(felts))) == IN
        foreign = [
            "felt/table-12/acceptor-4/event",
            "felt/table-12/acceptor-3/cmd",
            "felt/table-12/felt/state",
            "felt/table-12/felt/head",
            "felt/table-13/acceptor-3/event",
            "$SYS/broker/version",
            "a",
        ]
        for number, topic in enumerate(foreign, 1):
            device.writer.write(by_hand.publish(topic, b"x", number=number, retained=True))
            # As at mosquitto: acknowledged, and thrown away.
            assert await device.until(PUBACK) == number.to_bytes(2, "big")
        device.writer.write(by_hand.publish("felt/table-12/acceptor-3/event", b"own"))
        body = await watch.until(PUBLISH)
        assert body.startswith(by_hand.string("felt/table-12/acceptor-3/event"))
    assert broker.turned.counts == {"topic": len(foreign)}


async def test_a_device_hears_what_is_for_it_and_nothing_else(
    broker: EmbeddedBroker, felts: Account
) -> None:
    refused = [
        *("#", "felt/#", "felt/+/+/cmd", "felt/table-12/#", "$SYS/#", "+/table-12/acceptor-3/cmd"),
        *("felt/table-12/acceptor-4/cmd", "felt/table-12/felt/state"),
    ]
    other = Device(of_device(felts, "acceptor 4"), "acceptor 4")
    felt = Felt(felts, "acceptor 4")
    async with running(felt.wire, other.end), calling(felts) as one:
        await felt.meets()
        assert await one.asks(by_hand.connect(of_device(felts))) == IN
        wanted = ["felt/table-12/acceptor-3/cmd", *refused]
        one.writer.write(by_hand.subscribe(7, *wanted, qos=2))
        assert await one.until(SUBACK) == bytes([0, 7, 1, *[0x80] * len(refused)])
        other.tell(*wagers([1]))
        await until(lambda: felt.events() == wagers([1]))
        # What is kept of others is not told to it either, before this answer.
        one.writer.write(by_hand.PING)
        assert (await one.next())[0] == PINGRESP
    assert broker.turned.counts["filter"] == len(refused)


async def test_only_a_state_and_a_word_are_kept_and_only_short_ones(
    broker: EmbeddedBroker, felts: Account
) -> None:
    own = of_device(felts)
    async with calling(felts) as one:
        assert await one.asks(by_hand.connect(own)) == IN
        one.writer.write(by_hand.subscribe(1, "felt/table-12/acceptor-3/state"))
        for n in range(50):
            what = ("event", "ack", "info")[n % 3]
            one.writer.write(
                by_hand.publish(f"felt/table-12/acceptor-3/{what}", b"x" * n, retained=True)
            )
        long = bytes(MAX_KEPT + 1)
        one.writer.write(by_hand.publish("felt/table-12/acceptor-3/status", long, retained=True))
        one.writer.write(by_hand.publish("felt/table-12/acceptor-3/state", b"kept", retained=True))
        # It comes back when the broker has dealt with all of it.
        assert (await one.until(PUBLISH)).endswith(b"kept")
    assert broker.turned.counts == {"kept": 51}
    looker = replace(felts, user="table-12/watch", password=WATCH_PASSWORD)
    async with calling(felts) as watch:
        assert await watch.asks(by_hand.connect(looker)) == IN
        watch.writer.write(
            by_hand.subscribe(1, "felt/table-12/#", "felt/table-12/acceptor-3/state")
        )
        await watch.until(SUBACK)
        body = await watch.until(PUBLISH)
        assert body.startswith(by_hand.string("felt/table-12/acceptor-3/state"))
        watch.writer.write(by_hand.PING)
        left = []
        while (found := await watch.next())[0] != PINGRESP:
            left.append(found[1])
        assert all(one.startswith(by_hand.string("felt/table-12/acceptor-3/state")) for one in left)


async def test_who_looks_on_says_nothing(broker: EmbeddedBroker, felts: Account) -> None:
    looker = replace(felts, user="table-12/watch", password=WATCH_PASSWORD)
    async with calling(felts) as one:
        assert await one.asks(by_hand.connect(looker)) == IN
        one.writer.write(by_hand.publish("felt/table-12/watch/state", b"x", number=1))
        await one.until(PUBACK)
        one.writer.write(by_hand.subscribe(2, "felt/table-13/#"))
        assert await one.until(SUBACK) == bytes([0, 2, 0x80])
    assert broker.turned.counts == {"topic": 1, "filter": 1}


@pytest.mark.parametrize(
    "data",
    [
        by_hand.packet(0x34, by_hand.string("felt/table-12/acceptor-3/event") + b"\0\1x"),
        by_hand.packet(0x10, b""),
        by_hand.packet(0x50, b"\0\1"),
        by_hand.packet(0xF0, b""),
        by_hand.packet(0x00, b""),
        by_hand.packet(0x82, b"\0"),
        by_hand.packet(0x40, b"\0\1\0"),
        by_hand.packet(0xC0, b"x"),
        by_hand.packet(0xA2, b"\0\1"),
        by_hand.packet(0x82, b"\0\1\0\1a\3"),
        by_hand.packet(0x30, b"\xff\xff"),
        by_hand.packet(0x32, by_hand.string("felt/table-12/acceptor-3/event") + b"\0\0"),
    ],
    ids=[
        "qos 2",
        "connect",
        "pubrec",
        "15",
        "0",
        "short",
        "puback",
        "ping",
        "unsubscribe",
        "qos 3",
        "no topic",
        "number 0",
    ],
)
async def test_what_nobody_here_sends_is_hung_up_on(
    broker: EmbeddedBroker, felts: Account, data: bytes
) -> None:
    async with calling(felts) as one:
        assert await one.asks(by_hand.connect(of_device(felts))) == IN
        one.writer.write(data)
        await one.is_hung_up_on()
    assert broker.turned.counts == {"not spoken here": 1}


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        bytes([0x10, 0xFF, 0xFF, 0xFF, 0x7F]),
        by_hand.packet(0x10, by_hand.string("MQTT") + bytes([5, 2, 0, 0, 0]) + by_hand.string("")),
        by_hand.packet(0x10, by_hand.string("MQTT") + bytes([4, 0x40, 0, 0]) + by_hand.string("")),
        by_hand.packet(
            0x10, by_hand.string("MQTT") + bytes([4, 2, 0, 0]) + by_hand.string(b"\xff")
        ),
        by_hand.packet(0x10, b""),
    ],
    ids=["http", "long", "mqtt 5", "password alone", "no text", "empty"],
)
async def test_what_is_no_connect_is_turned_away(
    broker: EmbeddedBroker, felts: Account, data: bytes
) -> None:
    async with calling(felts) as one:
        one.writer.write(data)
        await one.is_hung_up_on()
    assert broker.turned.counts == {"no connect": 1}


async def test_who_never_says_who_he_is_is_hung_up_on(
    broker: EmbeddedBroker, felts: Account
) -> None:
    async with calling(felts) as one:
        one.writer.write(by_hand.connect(of_device(felts))[:-1])
        await one.is_hung_up_on()
    assert broker.turned.counts == {"no word": 1}


def test_a_packet_is_read_as_it_comes_in_pieces() -> None:
    whole = by_hand.connect(Account("", 0, "a/b", "secret"), will=("t", b"w"))
    assert all(packets.connect(whole[:end]) is None for end in range(len(whole)))
    found = packets.connect(whole + b"more")
    assert found is not None
    connect, length = found
    assert length == len(whole)
    assert (connect.user, connect.password) == ("a/b", b"secret")
    handed_on = connect.packet("own")
    assert b"secret" not in handed_on
    again = packets.connect(handed_on)
    assert again is not None
    assert again[0] == connect._replace(
        client_id="own", user="", password=b"", keepalive=0, will_retained=True
    )


# --- In measure ---------------------------------------------------------------------


def turned_at(times: Callable[[], float], *, is_felt: bool = False) -> Allowance:
    rights = accounts().entitled("table-12/acceptor-3", password_of(KEY).encode())
    assert rights is not None
    return Allowance(replace(rights, is_felt=is_felt), times)


def test_what_is_said_unasked_is_held_back_and_what_is_asked_is_not() -> None:
    now = 0.0
    allowance = turned_at(lambda: now)
    waits = [allowance.spend(100) for _ in range(MAX_UNASKED + 1)]
    assert waits[:-1] == [0] * MAX_UNASKED
    assert waits[-1] == pytest.approx(1 / UNASKED_PER_S)
    now = 1.0
    assert not any(allowance.spend(100) for _ in range(int(UNASKED_PER_S) - 1))
    # A command earns its answer, an event, and what acknowledges it.
    for _ in range(10_000):
        allowance.earn(3)
        assert not any(allowance.spend(100) for _ in range(3))


def test_long_packets_count_for_more() -> None:
    allowance = turned_at(lambda: 0.0)
    assert not any(allowance.spend(8000) for _ in range(MAX_UNASKED // 8))
    assert allowance.spend(8000) > 0


def test_felt_is_never_held_back() -> None:
    allowance = turned_at(lambda: 0.0, is_felt=True)
    assert not any(allowance.spend(8000) for _ in range(10_000))


async def test_a_device_that_floods_waits_and_the_others_do_not(
    broker: EmbeddedBroker, felts: Account
) -> None:
    felt, good = Felt(felts), Device(of_device(felts))
    async with running(felt.wire, good.end), calling(felts) as mad:
        await felt.meets()
        assert await mad.asks(by_hand.connect(of_device(felts, "acceptor 4"))) == IN
        flood = by_hand.publish("felt/table-12/acceptor-4/event", b"x") * 1000
        mad.writer.write(flood)
        await until(lambda: broker.turned.counts["held back"])
        for n in range(20):
            good.tell(*wagers([n]))
            await until(lambda: len(felt.journal) == n + 1)  # noqa: B023
        # Each that is held back waits its turn: none of them has passed meanwhile.
        assert broker.turned.counts["held back"] < 1000 - MAX_UNASKED
    assert not [one for _, one in felt.notices if isinstance(one, Lost)]


async def test_one_who_does_not_read_is_hung_up_on(broker: EmbeddedBroker, felts: Account) -> None:
    looker = replace(felts, user="table-12/watch", password=WATCH_PASSWORD)
    async with calling(felts) as deaf, calling(felts) as loud:
        assert await deaf.asks(by_hand.connect(looker)) == IN
        deaf.writer.write(by_hand.subscribe(1, "felt/table-12/#", qos=0))
        await deaf.until(SUBACK)
        deaf.writer.transport.pause_reading()  # type: ignore[attr-defined]
        assert await loud.asks(by_hand.connect(felts)) == IN
        said = by_hand.publish("felt/table-12/acceptor-3/cmd", bytes(8000))
        async with asyncio.timeout(by_hand.AT_LAST_S):
            while not broker.turned.counts["not read"]:
                loud.writer.write(said * 20)
                await loud.writer.drain()
                await asyncio.sleep(0)
    assert broker.turned.counts["not read"] == 1


def test_what_goes_on_is_known_until_it_ends() -> None:
    now = 0.0
    said: list[str] = []
    turned = Turned(lambda: now, said.append)
    for _ in range(4):
        turned.away("no account")
    assert turned.going_on() == []
    for n in range(996):
        turned.away("no account", "table-12/sign" if n == 5 else "")
    assert turned.going_on() == ["no account"]
    now = 31.0
    assert turned.going_on() == []
    assert turned.counts == {"no account": 1000}
    assert [one.split(":")[0] for one in said] == [
        "turned away, for the first time",
        "turned away, 10 times by now",
        "turned away, 100 times by now",
        "turned away, 1000 times by now",
    ]
    assert said[1].endswith("(table-12/sign)")
