"""Both ends of a wire over MQTT, in one loop, for tests that read as what happens at a table."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace

import aiomqtt

from drivers.wire import messages, mqtt
from drivers.wire.broker_accounts import Accounts, as_device
from drivers.wire.broker_client import Account
from drivers.wire.handshake import PROTOCOL, DeviceKind, Identity, Outcome
from drivers.wire.mqtt import MqttWire
from drivers.wire.mqtt_device import MqttDevice
from drivers.wire.notices import (
    Answered,
    Heard,
    Identified,
    Lost,
    Notice,
    NotSent,
    Strange,
    Unclear,
)
from drivers.wire.participant import Participant, Tap
from drivers.wire.responder import Responder
from drivers.wire.station import Station

KEY = bytes(range(32))
TABLE = "Table 12"
#: Only so that a test ends when what it waits for never comes.
AT_LAST_S = 300.0


async def until(so: Callable[[], object], what: str = "") -> None:
    """Wait for something that must come to pass, however long that takes."""
    async with asyncio.timeout(AT_LAST_S):
        while not so():  # noqa: ASYNC110
            await asyncio.sleep(0.002)


async def next_publish(client: aiomqtt.Client) -> tuple[str, bytes]:
    """The next one that somebody at the broker gets: its topic and what it says."""
    async with asyncio.timeout(AT_LAST_S):
        message = await anext(client.messages)
    return message.topic.value, bytes(message.payload)


@asynccontextmanager
async def running(*participants: Participant) -> AsyncIterator[None]:
    """An error of their own ends the test."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one.run()) for one in participants]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


class Device:
    """A device that does whatever it is told and remembers it."""

    def __init__(
        self,
        account: Account,
        name: str = "acceptor 3",
        *,
        kind: DeviceKind = "acceptor",
        key: bytes = KEY,
        boot: int = 1,
        table: str = TABLE,
    ) -> None:
        self.done: list[messages.Command] = []
        self.answers: Outcome = "done"
        identity = Identity(PROTOCOL, kind, "A-100", "4711", bytes(32), boot, "", bytes(16))
        self.responder = Responder(identity, key, self._do, lambda: os.urandom(16))
        self.end = MqttDevice(account, table, name, self.responder)

    def _do(self, command: messages.Command) -> tuple[Outcome, str]:
        self.done.append(command)
        return self.answers, ""

    def tell(self, *events: messages.Event) -> None:
        for event in events:
            self.responder.tell(event)
        self.end.kick()


def accounts(*names: str, watch: str = "") -> Accounts:
    """Of these devices at felt's own broker; all of them have the same key here."""
    return Accounts(TABLE, dict.fromkeys(names or ("acceptor 3",), KEY), watch=watch)


def of_device(felts: Account, name: str = "acceptor 3") -> Account:
    """The account of a device, where felt has that one."""
    return as_device(replace(felts, user="", password=""), TABLE, name, KEY)


class Felt:
    """felt's end: accepts every device, and has a journal that takes each event once."""

    def __init__(
        self,
        account: Account,
        *names: str,
        key: bytes = KEY,
        table: str = TABLE,
        tap: Tap | None = None,
        journal: dict[tuple[str, int, int], messages.Event] | None = None,
    ) -> None:
        self.stations: dict[str, Station] = {
            name: mqtt.station(key) for name in names or ("acceptor 3",)
        }
        self.notices: list[tuple[str, Notice]] = []
        #: By device, boot and number.
        self.journal = {} if journal is None else journal
        #: Events that came a second time, for whatever reason.
        self.repeated = 0
        self.acknowledges = True
        self.wire = MqttWire(account, table, self.stations, on_turn=self._turn, tap=tap)
        self._numbers = iter(range(1, 2**31))

    def _turn(self) -> None:
        now = asyncio.get_running_loop().time()
        for name, station in self.stations.items():
            for notice in station.notices():
                self.notices.append((name, notice))
                if isinstance(notice, Identified):
                    station.accept(now)
                elif isinstance(notice, Heard):
                    self._heard(name, station, notice)

    def _heard(self, name: str, station: Station, heard: Heard) -> None:
        at = (name, heard.boot, heard.seq)
        self.repeated += at in self.journal
        self.journal[at] = heard.message
        if self.acknowledges:
            station.acknowledge(heard.boot, heard.seq)

    @property
    def station(self) -> Station:
        return next(iter(self.stations.values()))

    def tell(
        self,
        message: messages.Command,
        name: str = "",
        *,
        within: float = AT_LAST_S,
        number: int = 0,
    ) -> int:
        station = self.stations[name] if name else self.station
        number = number or next(self._numbers)
        now = asyncio.get_running_loop().time()
        station.send(number, message, deadline=now + within)
        self.wire.kick()
        return number

    async def meets(self, *names: str) -> None:
        wanted = [self.stations[name] for name in names or self.stations]
        await until(lambda: all(one.stage == "ready" for one in wanted))

    async def hears(self, more: int) -> None:
        """So many events more than so far."""
        enough = len(self.journal) + more
        await until(lambda: len(self.journal) >= enough)

    async def answer_to(self, number: int) -> Answered | Unclear | NotSent:
        await until(lambda: self._fate(number))
        fate = self._fate(number)
        assert fate is not None
        return fate

    def _fate(self, number: int) -> Answered | Unclear | NotSent | None:
        for _, notice in self.notices:
            if isinstance(notice, Answered | Unclear | NotSent) and notice.command == number:
                return notice
        return None

    def events(self, name: str = "") -> list[messages.Event]:
        return [event for (who, _, _), event in self.journal.items() if name in ("", who)]

    def losses(self, name: str = "") -> list[str]:
        return [n.why for who, n in self.notices if isinstance(n, Lost) and name in ("", who)]

    def strange(self) -> list[str]:
        return [n.what for _, n in self.notices if isinstance(n, Strange)]


def wagers(numbers: Iterable[int]) -> list[messages.Event]:
    """Events that can be told apart, in order."""
    return [messages.Wager("ante", number) for number in numbers]
