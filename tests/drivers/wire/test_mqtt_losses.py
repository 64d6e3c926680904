"""The broker is killed, hangs, or was never there; felt restarts. Nothing is lost or done twice."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from drivers.wire import messages
from drivers.wire.broker_client import Account, Connection, Nature
from drivers.wire.notices import Answered
from tests.drivers.wire.mosquitto import Mosquitto, free_port
from tests.drivers.wire.over_mqtt import AT_LAST_S, Device, Felt, running, until, wagers

TOPIC = "felt/table-12/acceptor-3"


class Player:
    """Says one wager after another at a device, until it is enough."""

    def __init__(self, device: Device) -> None:
        self.said: list[messages.Event] = []
        self._device = device
        self._playing = asyncio.create_task(self._play())

    async def _play(self) -> None:
        while True:
            if self._device.responder.unacknowledged < 8:
                (wager,) = wagers([len(self.said)])
                self.said.append(wager)
                self._device.tell(wager)
            await asyncio.sleep(0.002)

    async def leave(self) -> None:
        """And all that was said has been heard."""
        self._playing.cancel()
        await until(lambda: self._device.responder.unacknowledged == 0)


async def _killed_again_and_again(broker: Mosquitto, times: int) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    chance = random.Random(12)
    told = 0
    async with running(felt.wire, device.end):
        player = Player(device)
        for _ in range(times):
            await felt.meets()
            await felt.hears(chance.randrange(1, 30))
            felt.tell(messages.Return(told))
            told += 1
            broker.kill()
            await until(lambda: felt.wire.state.status == "absent")
            broker.start()
        await felt.meets()
        await player.leave()
        await until(lambda: len(device.done) == told)
        assert felt.events() == player.said
        assert [seq for _, _, seq in felt.journal] == list(range(1, len(player.said) + 1))
        assert felt.repeated == 0
        assert device.responder.dropped == 0
        # Each payment back was done once, and in order, whatever became of its first try.
        assert device.done == [messages.Return(number) for number in range(told)]
        assert len([why for why in felt.losses() if "hung up" in why]) == times


async def test_a_broker_that_is_killed_in_mid_traffic_loses_nothing(broker: Mosquitto) -> None:
    await _killed_again_and_again(broker, 3)


@pytest.mark.slow
async def test_nor_does_one_that_is_killed_thirty_times(broker: Mosquitto) -> None:
    await _killed_again_and_again(broker, 30)


async def test_a_broker_that_hangs_is_noticed_and_found_again(broker: Mosquitto) -> None:
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end):
        await felt.meets()
        broker.hang()
        device.tell(*wagers(range(3)))
        await until(lambda: felt.wire.state.status == "absent")
        trouble = felt.wire.state.trouble
        assert trouble is not None
        assert trouble.nature == "no answer"
        assert f"127.0.0.1:{broker.port}" in trouble.reason
        await until(lambda: felt.wire.state.times > 1)
        broker.go_on()
        await felt.meets()
        await until(lambda: felt.events() == wagers(range(3)))
        assert felt.repeated == 0


async def test_felt_restarts_while_a_device_is_speaking(broker: Mosquitto) -> None:
    """What felt had taken and not acknowledged comes again; what it had acknowledged does not."""
    device = Device(broker.account())
    first = Felt(broker.account())
    async with running(device.end):
        player = Player(device)
        dying = asyncio.create_task(first.wire.run())
        await first.hears(20)
        # From here on the journal takes events and the device never hears of it.
        first.acknowledges = False
        await first.hears(1)
        _die(first)
        dying.cancel()
        await asyncio.wait([dying])
        second = Felt(broker.account(), journal=first.journal)
        async with running(second.wire):
            await second.hears(50)
            await player.leave()
            assert second.events() == player.said
            assert second.repeated == 1
            # What the broker had kept was of another session, and nobody took it for a forgery.
            assert "bad tag" not in second.strange()


async def test_the_broker_keeps_what_felt_has_not_dealt_with(broker: Mosquitto) -> None:
    """An error of felt's own while it takes a message: the broker still has it."""
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(device.end):
        run = asyncio.create_task(felt.wire.run())
        await felt.meets()
        received = felt.station.received

        def fails(packet: object, now: float) -> bool:
            raise ZeroDivisionError

        felt.station.received = fails  # type: ignore[method-assign]
        device.tell(*wagers([1]))
        with pytest.raises(ZeroDivisionError):
            await run
        felt.station.received = received  # type: ignore[method-assign]
        async with running(felt.wire):
            await until(lambda: felt.wire.state.status == "open")
            # It came again, and is of the session before.
            await until(lambda: felt.wire.counts.stale)
            await until(lambda: felt.events() == wagers([1]))


def _die(felt: Felt) -> None:
    """As if the process had ended: nothing is said any more."""
    connection = felt.wire._here().connection
    assert connection is not None
    connection.close()


# --- Why there is no connection -----------------------------------------------


@asynccontextmanager
async def _trouble(account: Account, nature: Nature) -> AsyncIterator[tuple[str, str]]:
    felt = Felt(account)
    async with running(felt.wire):
        await until(lambda: felt.wire.state.trouble)
        trouble = felt.wire.state.trouble
        assert trouble is not None
        assert trouble.nature == nature
        assert str(account) in trouble.reason
        assert str(account) in trouble.next_step
        yield trouble.reason, trouble.next_step


async def test_nothing_listens() -> None:
    account = Account("127.0.0.1", free_port())
    async with _trouble(account, "refused") as (reason, step):
        assert reason == f"nothing listens at {account}"
        assert step == f"start the broker at {account}, or check its port"


async def test_nobody_knows_the_name() -> None:
    async with _trouble(Account("broker.invalid", 1883), "name") as (reason, _):
        assert reason == "nobody knows the name broker.invalid (for broker.invalid:1883)"


async def test_what_listens_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        account = Account("127.0.0.1", mute.getsockname()[1])
        async with _trouble(account, "no answer") as (reason, _):
            assert reason == f"{account} does not answer"


async def test_what_listens_hangs_up() -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        account = Account("127.0.0.1", server.sockets[0].getsockname()[1])
        async with _trouble(account, "lost") as (reason, _):
            assert reason == f"the broker at {account} hung up"


async def test_what_listens_is_no_broker() -> None:
    async def babble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(babble, "127.0.0.1", 0)
    async with server:
        account = Account("127.0.0.1", server.sockets[0].getsockname()[1])
        felt = Felt(account)
        async with running(felt.wire):
            await until(lambda: felt.wire.state.trouble)
            assert felt.wire.state.status == "absent"


async def test_felt_is_there_before_the_broker(broker: Mosquitto) -> None:
    broker.stop()
    felt, device = Felt(broker.account()), Device(broker.account())
    async with running(felt.wire, device.end):
        await until(lambda: felt.wire.state.times > 1)
        number = felt.tell(messages.Lock())
        broker.start()
        assert isinstance(await felt.answer_to(number), Answered)


async def test_a_command_for_nobody_is_said_to_be_not_sent(broker: Mosquitto) -> None:
    broker.stop()
    felt = Felt(broker.account())
    async with running(felt.wire):
        await until(lambda: felt.wire.state.trouble)
        number = felt.tell(messages.Lock(), within=0.05)
        answer = await felt.answer_to(number)
        assert answer.message == messages.Lock()
        assert not isinstance(answer, Answered)


async def test_it_can_be_stopped_while_it_connects() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=1) as mute:
        felt = Felt(Account("127.0.0.1", mute.getsockname()[1]))
        for pause in (0.0, 0.001, 0.01, 0.1):
            async with running(felt.wire):
                await asyncio.sleep(pause)


@pytest.mark.parametrize("moment", ["_on_connect", "_on_subscribe", "_on_message", "_on_publish"])
async def test_it_can_be_stopped_in_the_moment_of_an_answer(
    broker: Mosquitto, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    felt = Felt(broker.account())
    answered = getattr(Connection, moment)

    def stopped(connection: Connection, *facts: object) -> None:
        answered(connection, *facts)
        run.cancel()

    monkeypatch.setattr(Connection, moment, stopped)
    run = asyncio.create_task(felt.wire.run())
    await asyncio.wait([run], timeout=AT_LAST_S)
    assert run.cancelled()


async def test_it_can_be_stopped_at_any_moment(broker: Mosquitto) -> None:
    felt = Felt(broker.account())
    for step in range(40):
        run = asyncio.create_task(felt.wire.run())
        await asyncio.sleep(step * 0.0005)
        run.cancel()
        await asyncio.wait([run], timeout=AT_LAST_S)
        assert run.cancelled()
