"""At a broker many are asked at once. Polls that say nothing are counted all the same, and replay.

Days of it in no time: felt's end of the wire as it is, devices that take their time to answer, and
the log that comes of it, through the replay's end.
"""

from __future__ import annotations

import heapq
import random
import re
import zlib
from collections.abc import Callable
from functools import partial
from itertools import count
from math import inf
from pathlib import Path

import pytest

from controller.technician import logs
from controller.technician.rebrokered import Rebrokered
from controller.technician.relined import ROUNDED_S, Unlike
from drivers.wire import envelope, messages, topics
from drivers.wire.broker_client import Account, Connection
from drivers.wire.capture import QUIET_S, Capture, Heading
from drivers.wire.devicelog import Bytes, Quiet, Remark
from drivers.wire.frame import Packet
from drivers.wire.handshake import PROTOCOL, Identity
from drivers.wire.keys import NONCE_BYTES
from drivers.wire.mqtt import MqttWire, station
from drivers.wire.notices import Heard, Identified
from drivers.wire.participant import BrokerState
from drivers.wire.recorded import RecordedAtBroker
from drivers.wire.recorded_broker import RecordedBroker
from drivers.wire.responder import Responder
from drivers.wire.station import Rest, Station
from drivers.wire.ticks import tick
from drivers.wire.topics import PLACE, Place

KEY = bytes(range(32))
TABLE = "t12"
NAMES = ("terminal 2", "terminal 4", "terminal 7", "sign")
SECONDS = 90.0


def acted(stations: list[Station], now: float) -> None:
    """What a driver does with what it is told."""
    for one in stations:
        for notice in one.notices():
            if isinstance(notice, Identified):
                one.accept(now)
            if isinstance(notice, Heard):
                one.acknowledge(notice.boot, notice.seq)


class Wire(MqttWire):
    """felt's end, at a broker that is in the same program and takes its time."""

    def __init__(
        self, tap: Capture, chance: random.Random, *, spaced: bool = False, coarse: bool = False
    ) -> None:
        given = {name: station(KEY, partial(chance.randbytes, NONCE_BYTES)) for name in NAMES}
        super().__init__(Account("nowhere"), TABLE, given, on_turn=lambda: None, tap=tap)
        self.capture = tap
        self.chance = chance
        #: Its devices write JSON with spaces, as others might.
        self.spaced = spaced
        #: Much happens at the same moment.
        self.coarse = coarse
        self.now = 100.0
        self.mute: set[str] = set()
        self.state = BrokerState("open", self.now)
        self.later: list[tuple[float, int, Callable[[], None]]] = []
        self.numbers = count()
        self.responders = {
            topics.slug(name): Responder(
                Identity(PROTOCOL, "terminal", "T-1", name, bytes(32), 1, "", bytes(16)),
                KEY,
                lambda command: ("done", ""),
                partial(chance.randbytes, NONCE_BYTES),
            )
            for name in NAMES
        }

    @property
    def _connection(self) -> Connection | None:
        return None

    def after(self, seconds: float, then: Callable[[], None]) -> None:
        heapq.heappush(self.later, (tick(self.now + seconds), next(self.numbers), then))

    def takes(self) -> float:
        if self.coarse:
            return self.chance.choice((0.0, 0.01, 0.02))
        return self.chance.choice((0.0005, 0.002, 0.02)) * self.chance.uniform(0.5, 2)

    def _say(self, topic: str, payload: bytes, now: float, *, retain: bool = False) -> None:
        self.capture.sent(payload, now, topic)
        place, packet = topics.place_of(topic), envelope.from_json(payload)
        assert place is not None
        assert packet is not None
        if place.device not in self.mute:
            self.after(self.takes(), partial(self._arrives, place.device, packet))

    def _arrives(self, device: str, packet: Packet) -> None:
        answer = self.responders[device].received(packet, self.now)
        if answer is not None:
            self._returns(device, answer)
        self.looks(device)

    def _returns(self, device: str, packet: Packet) -> None:
        payload = envelope.to_json(packet)
        payload = payload.replace(b":", b": ") if self.spaced else payload
        place = Place(TABLE, device, PLACE[packet.kind])
        self.after(self.takes(), lambda: self._hear(place, payload, False, self.now))

    def looks(self, device: str) -> None:
        """Its device may have an event to say."""
        if device not in self.mute and (packet := self.responders[device].next_packet(self.now)):
            self._returns(device, packet)
            self.after(0.3, lambda: self.looks(device))

    def runs(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            at = min(self.later[0][0] if self.later else inf, self._wakes_at(), until)
            self.now = max(tick(at), self.now)
            if self.later and self.later[0][0] <= self.now:
                heapq.heappop(self.later)[2]()
            acted(list(self.stations), self.now)
            self._speak(self.now)

    def told(self, number: int, name: str) -> None:
        """The table gives an order, which its journal has under this number."""
        self.capture.table(f"entry {number} round 1 betting", self.now)
        one = self.stations[NAMES.index(name)]
        one.send(number, messages.SetWatchdog(number), deadline=self.now + 2.0)
        self._speak(self.now)


def played(folder: Path, seed: int, **more: bool) -> tuple[Path, list[str]]:
    """The log of a while, and to whom each order was given."""
    chance = random.Random(seed)
    wires: list[Wire] = []
    log = Capture(
        folder,
        Heading(TABLE, "broker", "recorded:0", "0", "s10", wire="{}"),
        clock=lambda: wires[0].now if wires else 100.0,
        utc=lambda: 1_770_000_000.0 + (wires[0].now if wires else 100.0),
        every_poll=more.pop("every_poll", False),
    )
    wire = Wire(log, chance, **more)
    wires.append(wire)
    log.port("open recorded:0", wire.now)
    wire._arrive(wire.now)
    orders: list[str] = []
    while wire.now < 100.0 + SECONDS:
        wire.runs(chance.choice((0.05, 1.0, 3.0, 9.0)) * chance.uniform(0.5, 1.5))
        name = chance.choice(NAMES)
        match chance.randrange(5):
            case 0 | 1:
                orders.append(name)
                wire.told(len(orders), name)
            case 2:
                device = topics.slug(name)
                wire.responders[device].tell(messages.Decision("check"))
                wire.looks(device)
            case 3:
                wire.mute ^= {topics.slug(name)}
            case 4:
                # Of no meaning to this wire.
                log.table(f"entry {len(orders)} round 1 betting", wire.now)
    log.close()
    return folder, orders


class Again:
    """The replay's end of the same wire."""

    def __init__(self, folder: Path, orders: list[str]) -> None:
        (run,) = logs.read([folder]).runs
        self.records = list(run.wires["broker"].records())
        self.orders = orders
        self.given = 0
        self.frames = 0
        self.now = 0.0
        self.stations = {name: RecordedAtBroker(KEY) for name in NAMES}
        broker = RecordedBroker(TABLE, self.stations)
        records = iter(self.records)
        self.line = Rebrokered("broker", broker, records, lambda: self.now, trusts=False)

    def run(self) -> None:
        while (logged := self.line.head) is not None:
            self.idle_until(logged.at_us / 1e6)
            self.now = max(self.now, logged.at_us / 1e6)
            self.line.take()
            match logged.record:
                case Bytes(direction="in", data=data):
                    self.line.received(data, self.now)
                case Bytes(data=data):
                    self.frames += self.line.sent(data, self.now)
                case Quiet() as quiet:
                    self.line.quiet(quiet, logged.at_us)
                    self.frames += quiet.polls
                case Remark(word="port", text=text):
                    self.line.port(text, self.now)
                case Remark(word="table", text=text):
                    self.order(int(text.split()[1]))
            self.turn()
            self.line.look(self.now)

    def order(self, up_to: int) -> None:
        while self.given < up_to:
            self.given += 1
            one = self.stations[self.orders[self.given - 1]]
            message = messages.SetWatchdog(self.given)
            one.send(self.given, message, deadline=self.now + 2.0)
            self.line.kick()

    def turn(self) -> None:
        if self.line.has_news():
            acted(list(self.stations.values()), self.now)
            self.line.kick()

    def idle_until(self, now: float) -> None:
        while self.line.due < now:
            self.now = max(self.now, self.line.due)
            if self.line.is_over or self.line.happens_by(self.now + ROUNDED_S):
                self.line.due = inf
                continue
            self.turn()
            self.line.wakes(self.now)
            self.turn()


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_polls_of_many_at_once_are_counted_and_replay(
    tmp_path: Path, seed: int, coarse: bool
) -> None:
    folder, orders = played(tmp_path / "counted", seed, coarse=coarse)
    again = Again(folder, orders)
    again.run()
    times = [one.at_us for one in again.records]
    assert times == sorted(times)
    quiet = [one.record for one in again.records if isinstance(one.record, Quiet)]
    assert len({device.address for one in quiet for device in one.devices}) > 2
    assert max(one.length_us for one in quiet) <= QUIET_S * 1e6
    # The same with every poll written out: as many are sent, and it replays as well.
    whole, _ = played(tmp_path / "whole", seed, every_poll=True, coarse=coarse)
    every = Again(whole, orders)
    every.run()
    assert every.frames == again.frames
    assert len(every.records) > 1.5 * len(again.records)


def test_what_was_not_written_as_felt_would_is_written_out(tmp_path: Path) -> None:
    folder, orders = played(tmp_path, 1, spaced=True)
    again = Again(folder, orders)
    again.run()
    assert not [one for one in again.records if isinstance(one.record, Quiet)]


def test_a_poll_is_not_quiet_while_something_waits_for_its_answer(tmp_path: Path) -> None:
    log = Capture(tmp_path, Heading(TABLE, "broker", "recorded:0", "0", "s10"))
    wire = Wire(log, random.Random(1))
    wire._arrive(wire.now)
    first = wire.stations[0]
    rests: list[tuple[int, int]] = []
    log.quiet = lambda rest, channel="": rests.append(rest[:2])  # type: ignore[method-assign]

    def polled_at() -> float:
        memory = first.memory()
        assert memory is not None
        at: float = memory["_poll_at"]
        return at

    wire.runs(4.0)
    assert rests
    wire.runs(polled_at() - wire.now)
    seq = first.rest().seq
    first.send(7, messages.SetWatchdog(7), deadline=wire.now + 2.0)
    wire.runs(0.5)
    assert first.rest().seq == seq + 1
    assert (1, seq) not in rests
    assert (1, seq - 1) in rests


def test_after_quiet_polls_a_device_may_say_as_much_as_it_might(tmp_path: Path) -> None:
    stations = {name: RecordedAtBroker(KEY) for name in NAMES}
    broker = RecordedBroker(TABLE, stations)
    device = broker._devices["terminal-2"]
    stations["terminal 2"].stage = "ready"
    while device.says(5.0):
        pass
    rest = Rest(1, 10, 5.0, 5.0, 0.03, 1.0)
    assert broker.resting([(rest, 10)])
    # Two more for each poll, and an answer to each: that is ten and more.
    assert all(device.says(5.0) for _ in range(10))
    assert not broker.resting([(rest, 10)])
    assert not broker.resting([(rest._replace(address=5), 1)])


@pytest.mark.parametrize("seed", range(3))
def test_a_count_that_was_changed_is_found(tmp_path: Path, seed: int) -> None:
    folder, orders = played(tmp_path, seed)
    (file,) = folder.iterdir()
    lines = file.read_text().split("\n")
    place = [n for n, text in enumerate(lines) if " quiet " in text][3]
    head, _, said = lines[place].rpartition(" quiet  ")
    said = said.rpartition(" = ")[0]
    found = re.search(r" (\d+)x #(\d+) ", said)
    assert found is not None
    more = f" {int(found[1]) + 1}x #{int(found[2]) + 1} "
    said = said.replace(found[0], more, 1)
    lines[place] = f"{head} quiet  {said} = {zlib.crc32(said.encode()):08x}"
    file.write_text("\n".join(lines))
    # One more that was sent and answered: then the next one has a number that it can't have.
    with pytest.raises(Unlike):
        Again(folder, orders).run()
