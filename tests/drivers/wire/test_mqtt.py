"""Devices at a broker: who they are, what they are told, what they say."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import aiomqtt
import pytest

from drivers.wire import envelope, messages, mqtt
from drivers.wire.frame import Kind
from drivers.wire.notices import Answered, Unclear
from drivers.wire.responder import TOO_LATE
from drivers.wire.station import Rest, Station
from drivers.wire.topics import Presence, presence_from_json, presence_to_json
from tests.drivers.wire.mosquitto import Mosquitto
from tests.drivers.wire.over_mqtt import (
    KEY,
    TABLE,
    Device,
    Felt,
    next_publish,
    running,
    until,
    wagers,
)

LOCK = messages.Lock()
TOPIC = "felt/table-12/acceptor-3"


async def test_a_device_is_greeted_told_and_heard(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end):
        await felt.meets()
        assert felt.station.identity is not None
        assert felt.station.identity.model == "A-100"
        number = felt.tell(messages.SetLamp("invite"))
        answer = await felt.answer_to(number)
        assert answer == Answered(number, messages.SetLamp("invite"), "done")
        assert device.done == [messages.SetLamp("invite")]
        device.tell(*wagers(range(50)))
        await until(lambda: device.responder.unacknowledged == 0)
    assert felt.events() == wagers(range(50))
    assert felt.repeated == 0


async def test_each_device_is_told_what_is_for_it(broker: Mosquitto) -> None:
    names = [f"acceptor {seat}" for seat in range(1, 8)]
    felt = Felt(broker.account(), *names)
    devices = {name: Device(broker.account(), name) for name in names}
    async with running(felt.wire, *(device.end for device in devices.values())):
        await felt.meets()
        numbers = [felt.tell(messages.SetWatchdog(seat), f"acceptor {seat}") for seat in (2, 7)]
        for number in numbers:
            assert isinstance(await felt.answer_to(number), Answered)
        for device in devices.values():
            device.tell(*wagers(range(20)))
        await until(lambda: len(felt.journal) == 7 * 20)
    assert {name: device.done for name, device in devices.items() if device.done} == {
        "acceptor 2": [messages.SetWatchdog(2)],
        "acceptor 7": [messages.SetWatchdog(7)],
    }
    assert all(felt.events(name) == wagers(range(20)) for name in names)


async def test_a_device_with_another_key_is_refused(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account(), key=bytes(32))
    async with running(felt.wire, device.end):
        await until(lambda: felt.station.stage == "refused")
    assert "wrong proof" in felt.strange()


async def test_faces_never_travel_uncovered(broker: Mosquitto) -> None:
    seen: list[tuple[str, bytes]] = []

    class Seen:
        def received(self, data: bytes, now: float, channel: str = "") -> None:
            seen.append((channel, data))

        def sent(self, data: bytes, now: float, channel: str = "") -> None:
            seen.append((channel, data))

        def port(self, what: str, now: float) -> None: ...
        def quiet(self, rest: Rest, channel: str = "") -> None: ...

    felt = Felt(broker.account(), "shoe", tap=Seen())
    device = Device(broker.account(), "shoe", kind="shoe")
    faces = bytes((51, 50, 49))
    async with running(felt.wire, device.end):
        await felt.meets()
        device.tell(messages.Dispensed(1, 1, 3, faces))
        await until(lambda: felt.journal)
    (event,) = felt.events()
    assert isinstance(event, messages.Dispensed)
    assert event.faces != faces
    told = [json.loads(data) for topic, data in seen if topic == "felt/table-12/shoe/event"]
    assert told
    # Base64 of the three bytes, and none of it is there.
    assert all(one["message"]["faces"] != "MzIx" for one in told)
    assert {topic.rpartition("/")[2] for topic, _ in seen} == {"cmd", "info", "event", "state"}


# --- Coming and going ---------------------------------------------------------


async def test_a_device_that_leaves_is_gone_at_once(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire):
        async with running(device.end):
            await felt.meets()
        await until(lambda: felt.losses() == ["it left"])


async def test_the_broker_tells_when_a_device_breaks_off(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end):
        await felt.meets()
        _break_off(device)
        await until(lambda: felt.losses() == ["its connection to the broker broke"])
        await felt.meets()
        device.tell(*wagers([7]))
        await until(lambda: felt.events() == wagers([7]))


async def test_the_death_of_an_earlier_connection_means_nothing(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account(), boot=5)
    async with running(felt.wire, device.end), aiomqtt.Client("127.0.0.1", broker.port) as late:
        await felt.meets()
        for boot, connection in ((4, 1), (5, 0), (4, 9), (6, 1)):
            old = presence_to_json(Presence("lost", boot, connection))
            await late.publish(f"{TOPIC}/state", old, qos=1, retain=True)
        number = felt.tell(LOCK)
        assert isinstance(await felt.answer_to(number), Answered)
        assert felt.losses() == []
        own = presence_to_json(Presence("lost", 5, 1))
        await late.publish(f"{TOPIC}/state", own, qos=1, retain=True)
        await until(lambda: felt.losses() == ["its connection to the broker broke"])


async def test_a_device_that_restarts_is_greeted_again(broker: Mosquitto) -> None:
    felt = Felt(broker.account())
    async with running(felt.wire):
        first = Device(broker.account(), boot=1)
        async with running(first.end):
            await felt.meets()
            first.tell(*wagers([1]))
            await until(lambda: len(felt.journal) == 1)
            # Its successor takes the connection over, as it has the same name at the broker.
            first.end._jitter = lambda low, high: 60.0
            second = Device(broker.account(), boot=2)
            async with running(second.end):
                await until(lambda: felt.station.identity and felt.station.identity.boot == 2)
                await felt.meets()
                second.tell(*wagers([2]))
                await until(lambda: len(felt.journal) == 2)
    assert list(felt.journal) == [("acceptor 3", 1, 1), ("acceptor 3", 2, 1)]


async def test_what_is_retained_says_how_the_device_and_felt_stand(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end):
        await felt.meets()
        device.end.show("locked, no wager")
        kept = await _retained(broker, 3)
    assert kept["felt/table-12/acceptor-3/status"] == b"locked, no wager"
    presence = presence_from_json(kept["felt/table-12/acceptor-3/state"])
    assert presence == Presence("ready", 1, 1)
    kept = await _retained(broker, 3)
    for who in ("acceptor-3", "felt"):
        left = presence_from_json(kept[f"felt/table-12/{who}/state"])
        assert left is not None
        assert left.state == "disconnected"


async def test_what_felt_announces_is_kept_and_said_again_to_another_broker(
    broker: Mosquitto,
) -> None:
    """A witness comes when it likes; and a broker that was replaced has forgotten it."""
    felt = Felt(broker.account())
    felt.wire.announce("head", b"said before there was a connection")
    async with running(felt.wire):
        kept = await _retained(broker, 2)
        assert kept["felt/table-12/felt/head"] == b"said before there was a connection"
        felt.wire.announce("head", b"the next one")
        await until_kept(broker, "felt/table-12/felt/head", b"the next one")
        broker.kill()
        broker.start()
        await until_kept(broker, "felt/table-12/felt/head", b"the next one")


async def until_kept(broker: Mosquitto, topic: str, payload: bytes) -> None:
    kept: dict[str, bytes] = {}
    while kept.get(topic) != payload:
        kept = await _retained(broker, 2)


# --- Late, twice, and out of place --------------------------------------------


async def test_a_command_that_the_broker_held_back_is_refused(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end):
        await felt.meets()
        broker.hang()
        number = felt.tell(messages.Return(500), within=1.0)
        assert isinstance(await felt.answer_to(number), Unclear)
        broker.go_on()
        await felt.meets()
        sent = felt.tell(LOCK)
        assert isinstance(await felt.answer_to(sent), Answered)
        assert device.done == [LOCK]
        # With a new deadline it may still be wanted: nothing was done the first time.
        felt.notices.clear()
        felt.tell(messages.Return(500), number=number)
        assert await felt.answer_to(number) == Answered(number, messages.Return(500), "done")
        assert device.done == [LOCK, messages.Return(500)]


async def test_a_late_command_gets_a_word_that_says_so(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end), aiomqtt.Client("127.0.0.1", broker.port) as other:
        await felt.meets()
        await other.subscribe(f"{TOPIC}/ack", qos=1)
        # A clock that jumps is, for the device, a broker that held everything back.
        received = device.responder.received
        device.responder.received = lambda packet, now: received(packet, now + 1000)  # type: ignore[method-assign]
        number = felt.tell(LOCK, within=5.0)
        assert await felt.answer_to(number) == Answered(number, LOCK, "refused", TOO_LATE)
        said = {"kind": ""}
        while said["kind"] != "result":
            said = json.loads((await next_publish(other))[1])
    assert said["detail"] == TOO_LATE
    assert device.done == []


async def test_what_comes_twice_counts_once(broker: Mosquitto) -> None:
    """Every publish is delivered a second time, and once more after the next one."""
    felt, device = Felt(broker.account()), Device(broker.account())
    topics = [f"{TOPIC}/{what}" for what in ("cmd", "info", "ack", "event")]

    async def repeat(copier: aiomqtt.Client) -> None:
        seen: set[bytes] = set()
        before: tuple[str, bytes] | None = None
        while True:
            topic, payload = await next_publish(copier)
            if payload in seen:
                continue
            seen.add(payload)
            await copier.publish(topic, payload, qos=1)
            if before is not None:
                await copier.publish(*before, qos=1)
            before = (topic, payload)

    async with aiomqtt.Client("127.0.0.1", broker.port) as copier:
        await copier.subscribe([(topic, 1) for topic in topics])
        copying = asyncio.create_task(repeat(copier))
        async with running(felt.wire, device.end):
            await felt.meets()
            numbers = []
            for amount in range(20):
                numbers.append(felt.tell(messages.Return(amount)))
                device.tell(*wagers([amount]))
                assert isinstance(await felt.answer_to(numbers[-1]), Answered)
            await until(lambda: device.responder.unacknowledged == 0)
            assert felt.losses() == []
        while not copying.done():
            # aiomqtt may not notice it at once.
            copying.cancel()
            await asyncio.sleep(0)
    assert device.done == [messages.Return(amount) for amount in range(20)]
    assert felt.events() == wagers(range(20))
    assert felt.repeated == 0


async def test_garbage_that_is_kept_at_every_topic_does_no_harm(broker: Mosquitto) -> None:
    async with aiomqtt.Client("127.0.0.1", broker.port) as vandal:
        for what in ("cmd", "info", "ack", "event", "state", "status"):
            for who in ("acceptor-3", "felt"):
                await vandal.publish(f"felt/table-12/{who}/{what}", b"\xff{]", 1, retain=True)
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end):
        await felt.meets()
        device.tell(*wagers(range(5)))
        await until(lambda: felt.events() == wagers(range(5)))
        number = felt.tell(LOCK)
        assert isinstance(await felt.answer_to(number), Answered)
    assert device.done == [LOCK]


async def test_a_command_that_is_kept_at_the_topic_is_not_done(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end), aiomqtt.Client("127.0.0.1", broker.port) as vandal:
        await vandal.subscribe(f"{TOPIC}/cmd", qos=1)
        await felt.meets()
        felt.tell(LOCK)
        said = b"{}"
        while json.loads(said).get("kind") != "command":
            _, said = await next_publish(vandal)
        await vandal.publish(f"{TOPIC}/cmd", said, 1, retain=True)
        await until(lambda: device.done)
        _break_off(device)
        await until(felt.losses)
        await felt.meets()
        number = felt.tell(messages.Unlock())
        assert isinstance(await felt.answer_to(number), Answered)
    assert device.done == [LOCK, messages.Unlock()]


async def test_another_table_at_the_same_broker_is_another_table(broker: Mosquitto) -> None:
    here, there = Felt(broker.account()), Felt(broker.account(), table="Table 13")
    device = Device(broker.account())
    other = Device(broker.account(), table="Table 13", boot=9)
    async with running(here.wire, there.wire, device.end, other.end):
        await here.meets()
        await there.meets()
        device.tell(*wagers([1]))
        other.tell(*wagers([2]))
        number = there.tell(LOCK)
        assert isinstance(await there.answer_to(number), Answered)
        await until(lambda: here.journal and there.journal)
    assert here.events() == wagers([1])
    assert there.events() == wagers([2])
    assert (device.done, other.done) == ([], [LOCK])


async def test_packets_at_the_wrong_topic_are_garbage(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end), aiomqtt.Client("127.0.0.1", broker.port) as vandal:
        await felt.meets()
        forged = {"session": felt.station._session, "seq": 1, "tag": "0011223344556677"}
        idle = json.dumps({"kind": "idle", **forged}).encode()
        poll = json.dumps({"kind": "poll", "acknowledged": 0, **forged}).encode()
        for what, payload in (("event", idle), ("info", idle), ("ack", poll), ("ack", b"{")):
            await vandal.publish(f"{TOPIC}/{what}", payload, qos=1)
        garbage = 2 * len(idle) + len(poll) + 1
        await until(lambda: felt.wire.counts.garbage == garbage)
        await vandal.publish(f"{TOPIC}/ack", idle, qos=1)
        await until(lambda: "bad tag" in felt.strange())
        assert felt.station.unproven == 1
        assert felt.losses() == []


async def test_an_event_of_a_newer_device_is_acknowledged_if_its_tag_can_be_checked(
    broker: Mosquitto,
) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end), aiomqtt.Client("127.0.0.1", broker.port) as newer:
        await felt.meets()
        await newer.subscribe(f"{TOPIC}/cmd", qos=1)

        def signed(seq: int) -> bytes:
            # A code that is not in the catalogue.
            return envelope.to_json(device.responder._signed(Kind.EVENT, seq, b"\xfe\x01"))

        async def acknowledged() -> int:
            while True:
                _, payload = await next_publish(newer)
                if (packet := json.loads(payload))["kind"] == "ack":
                    return int(packet["seq"])

        await newer.publish(f"{TOPIC}/event", signed(1), qos=1)
        assert await acknowledged() == 1
        # Spelled out, its bytes are known to the device alone. Anybody could have written this.
        spelled = {**json.loads(signed(2)), "message": {"message": "tilted", "degrees": 3}}
        del spelled["payload"]
        await newer.publish(f"{TOPIC}/event", json.dumps(spelled), qos=1)
        await until(lambda: felt.strange() == ["unknown message"] * 2)
        # So it is taken as one that has not come, and acknowledged when it comes as bytes.
        await newer.publish(f"{TOPIC}/event", signed(2), qos=1)
        await newer.publish(f"{TOPIC}/event", signed(3), qos=1)
        assert [await acknowledged(), await acknowledged()] == [2, 3]
        assert felt.strange() == ["unknown message"] * 4
        # What is known may come as bytes as well.
        door = messages.to_bytes(messages.Door(True))
        known = json.loads(envelope.to_json(device.responder._signed(Kind.EVENT, 4, door)))
        as_bytes = {**known, "payload": door.hex()}
        del as_bytes["message"]
        await newer.publish(f"{TOPIC}/event", json.dumps(as_bytes), qos=1)
        assert await acknowledged() == 4
        assert felt.events() == [messages.Door(True)]


# --- Flood --------------------------------------------------------------------


@pytest.mark.parametrize("qos", [0, 1])
async def test_a_device_that_floods_is_not_listened_to_and_the_others_are(
    broker: Mosquitto, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, qos: int
) -> None:
    monkeypatch.setattr(mqtt, "FIRST_MUTE_S", 1.0)
    felt = Felt(broker.account(), "acceptor 3", "acceptor 4")
    mad = Device(broker.account(), "acceptor 3")
    good = Device(broker.account(), "acceptor 4")
    event = b'{"kind":"event","session":1,"seq":9,"tag":"0011223344556677","payload":"ff"}\n'
    lines = tmp_path / "flood"
    lines.write_bytes(event * 50_000)
    async with running(felt.wire, mad.end, good.end):
        await felt.meets()
        with lines.open("rb") as poured:
            flood = await asyncio.create_subprocess_exec(
                *("mosquitto_pub", "-p", str(broker.port), "-t", f"{TOPIC}/event"),
                *("-q", str(qos), "-l"),
                stdin=poured,
            )
        await until(lambda: any("floods" in why for why in felt.losses("acceptor 3")))
        for amount in range(20):
            good.tell(*wagers([amount]))
            number = felt.tell(messages.SetWatchdog(amount), "acceptor 4")
            assert isinstance(await felt.answer_to(number), Answered)
        await until(lambda: felt.events("acceptor 4") == wagers(range(20)))
        if flood.returncode is None:
            flood.kill()
        await flood.wait()
        # On a busy machine it may be slow to answer; nobody takes it for the one that floods.
        assert not any("floods" in why for why in felt.losses("acceptor 4"))
        assert felt.wire.counts.flooded >= mqtt.MAX_DROPPED
        await felt.meets()
        mad.tell(*wagers([1]))
        await until(lambda: felt.events("acceptor 3") == wagers([1]))


# --- Wrong use ----------------------------------------------------------------


def test_two_devices_can_not_share_a_topic(broker: Mosquitto) -> None:
    stations = {"acceptor 3": mqtt.station(KEY), "Acceptor-3": mqtt.station(KEY)}
    with pytest.raises(ValueError, match="acceptor-3: it is taken"):
        mqtt.MqttWire(broker.account(), TABLE, stations, on_turn=lambda: None)
    with pytest.raises(ValueError, match="felt: it is taken"):
        Felt(broker.account(), "felt")


def test_a_station_of_a_serial_line_is_refused(broker: Mosquitto) -> None:
    stations = {"shoe": Station(1, KEY, lambda: bytes(16))}
    with pytest.raises(ValueError, match="not one for this wire"):
        mqtt.MqttWire(broker.account(), TABLE, stations, on_turn=lambda: None)


async def test_an_error_of_our_own_ends_the_wire(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())

    def broken() -> None:
        raise ZeroDivisionError

    async with running(device.end):
        felt.wire._on_turn = broken
        with pytest.raises(ZeroDivisionError):
            await felt.wire.run()


async def test_a_wire_has_one_owner(broker: Mosquitto) -> None:
    felt = Felt(broker.account())
    async with running(felt.wire):
        await until(lambda: felt.wire.state.status == "open")
        with pytest.raises(RuntimeError, match="already"):
            await felt.wire.run()


def _break_off(device: Device) -> None:
    """The device's connection is cut without a word."""
    connection = device.end._here().connection
    assert connection is not None
    connection.close()


async def _retained(broker: Mosquitto, count: int) -> dict[str, bytes]:
    kept: dict[str, bytes] = {}
    async with aiomqtt.Client("127.0.0.1", broker.port) as reader:
        await reader.subscribe("felt/#", qos=1)
        while len(kept) < count:
            topic, payload = await next_publish(reader)
            if not topic.endswith(("cmd", "info", "ack")):
                kept[topic] = payload
    return kept
