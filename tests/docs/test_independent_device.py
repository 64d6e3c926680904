"""A device that was written from docs/protocol.md alone, and felt's own line: do they get along?"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from drivers.wire import messages
from drivers.wire.line import Line
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
from drivers.wire.station import Station, Timing
from tests.docs.independent_device import IndependentDevice

KEY = bytes(range(32))
STEP = 0.005

Garble = Callable[[bytes], bytes]


def nonces(first: int) -> Callable[[], bytes]:
    numbers: Iterator[int] = count(first)
    return lambda: next(numbers).to_bytes(16, "big")


def intact(frame: bytes) -> bytes:
    return frame


class Bench:
    """felt's line and some devices, with a cable between them that may be bad. Time is counted."""

    def __init__(
        self, addresses: tuple[int, ...] = (1,), *, polled: bool = False, key: bytes = KEY
    ) -> None:
        self.now = 100.0
        self.polled = polled
        timing = Timing(answer=0.1, answer_most=0.1, poll=0.02) if polled else Timing()
        self.stations = {
            address: Station(address, KEY, nonces(address << 32), timing=timing, polled=polled)
            for address in addresses
        }
        self.line = Line(self.stations.values())
        self.key = key
        self.devices = {address: self.started(address, 1) for address in addresses}
        self.cable: Garble = intact
        self.notices: list[tuple[int, Notice]] = []

    def started(self, address: int, boot: int, protocol: int = 1) -> IndependentDevice:
        nonce = nonces(address << 64 | boot << 32)
        polled = self.polled
        return IndependentDevice(
            self.key, boot, nonce, address=address, polled=polled, protocol=protocol
        )

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            self.now += STEP
            for frame in self.line.to_write(self.now):
                for device in self.devices.values():
                    self._heard(device.feed(self.cable(frame), self.now))
            for device in self.devices.values():
                self._heard(device.tick(self.now))
            self._turn()

    def _heard(self, said: bytes) -> None:
        if said:
            self.line.received(self.cable(said), self.now)

    def _turn(self) -> None:
        for address, station in self.stations.items():
            for notice in station.notices():
                self.notices.append((address, notice))
                match notice:
                    case Identified(identity) if identity.protocol == 1:
                        station.accept(self.now)
                    case Identified():
                        station.refuse(self.now)
                    case Heard(_, seq, boot):
                        station.acknowledge(boot, seq)

    def tell(self, number: int, message: messages.Command, address: int = 1) -> None:
        self.stations[address].send(number, message, deadline=self.now + 3)

    def of(self, kind: type[Notice], address: int = 1) -> list[Notice]:
        return [one for where, one in self.notices if where == address and isinstance(one, kind)]

    def heard(self, address: int = 1) -> list[messages.Event]:
        return [one.message for one in self.of(Heard, address) if isinstance(one, Heard)]

    def outcomes(self, address: int = 1) -> list[tuple[int, str]]:
        found = self.of(Answered, address)
        return [(one.command, one.outcome) for one in found if isinstance(one, Answered)]


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.run(0.1)
    return bench


def test_it_is_identified(bench: Bench) -> None:
    station = bench.stations[1]
    assert station.stage == "ready"
    assert station.identity is not None
    assert (station.identity.kind, station.identity.boot) == ("acceptor", 1)
    assert bench.of(Strange) == []


def test_commands_are_answered_and_done(bench: Bench) -> None:
    bench.tell(1, messages.Unlock())
    bench.tell(2, messages.SetLamp("placed"))
    bench.tell(3, messages.Tone("win"))
    bench.run(0.2)
    assert bench.outcomes() == [(1, "done"), (2, "done"), (3, "unknown")]
    assert not bench.devices[1].locked
    assert bench.heard() == [messages.LampRead("placed")]


def test_events_arrive_in_order_and_once(bench: Bench) -> None:
    for number in range(10):
        bench.devices[1].tell(0x6D, bytes((number,)))
    bench.run(1.0)
    assert bench.heard() == [messages.ChipsReturned(number) for number in range(10)]
    assert bench.of(Strange) == []


def test_a_session_lasts_while_nothing_happens(bench: Bench) -> None:
    bench.run(20.0)
    assert bench.of(Lost) == []
    assert bench.heard() == [], "the watchdog is fed by polls"


def test_after_a_restart_it_asks_for_a_hello(bench: Bench) -> None:
    bench.devices[1] = bench.started(1, boot=2)
    bench.run(2.0)
    assert bench.of(Lost) == [Lost("it has restarted")]
    again = bench.of(Identified)[-1]
    assert isinstance(again, Identified)
    assert again.restarted
    bench.devices[1].tell(0x43, b"\1")
    bench.run(0.2)
    assert bench.heard() == [messages.Door(True)]


def test_what_must_not_be_done_twice_is_unclear_after_a_restart(bench: Bench) -> None:
    bench.cable = lambda frame: b""
    bench.tell(5, messages.Return(100))
    bench.run(0.1)
    bench.devices[1] = bench.started(1, boot=2)
    bench.cable = intact
    bench.run(2.0)
    assert [one.command for one in bench.of(Unclear) if isinstance(one, Unclear)] == [5]


def test_a_cable_that_is_out_for_a_while_loses_no_event_and_does_nothing_twice(
    bench: Bench,
) -> None:
    bench.tell(1, messages.Unlock())
    bench.run(0.1)
    bench.cable = lambda frame: b""
    bench.devices[1].tell(0x6D, b"\1")
    bench.run(6.0)
    assert bench.devices[1].locked, "its watchdog has gone off"
    assert bench.stations[1].stage == "silent"
    bench.cable = intact
    bench.run(6.0)
    assert bench.heard() == [messages.ChipsReturned(1), messages.WentSafe()]
    assert bench.devices[1].locked, "a session alone opens nothing"
    assert bench.devices[1].carried_out == [1]


def test_a_command_is_done_once_across_sessions(bench: Bench) -> None:
    """The answer and then the session are lost; the device knows the id in the next one."""
    bench.stations[1].send(7, messages.SetLamp("invite"), deadline=bench.now + 30)
    bench.cable = lambda frame: b"" if frame[1] == 0x82 else frame
    bench.run(5.0)
    assert bench.of(Lost)
    bench.cable = intact
    bench.run(6.0)
    assert bench.outcomes() == [(7, "done")]
    assert bench.devices[1].carried_out == [7]
    assert bench.heard() == [messages.LampRead("invite")]


class BadCable:
    """Loses frames, cuts them short, changes a bit or puts noise in front."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def __call__(self, frame: bytes) -> bytes:
        match self._random.randrange(12):
            case 0 | 1:
                return b""
            case 2:
                return frame[: self._random.randrange(len(frame))]
            case 3:
                place = self._random.randrange(len(frame))
                changed = frame[place] ^ 1 << self._random.randrange(8)
                return frame[:place] + bytes((changed,)) + frame[place + 1 :]
            case 4:
                return self._random.randbytes(9) + b"\0" + frame
            case 5:
                return b"\0\0" + frame
        return frame


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("addresses", [(1,), (1, 2, 3)], ids=["alone", "bus"])
def test_over_a_bad_cable_everything_still_happens_once(
    addresses: tuple[int, ...], seed: int
) -> None:
    bench = Bench(addresses, polled=len(addresses) > 1)
    bench.cable = BadCable(seed)
    for number in range(1, 21):
        for address in addresses:
            bench.tell(number, messages.SetWatchdog(60_000), address)
            bench.devices[address].tell(0x6D, bytes((number,)))
        bench.run(1.0)
    bench.cable = intact
    bench.run(8.0)
    for address in addresses:
        ids = list(range(1, 21))
        assert bench.heard(address) == [messages.ChipsReturned(number) for number in ids]
        done = bench.devices[address].carried_out
        assert len(done) == len(set(done)), "nothing is done twice"
        answered = [number for number, outcome in bench.outcomes(address) if outcome == "done"]
        others = [
            one.command
            for one in (*bench.of(Unclear, address), *bench.of(NotSent, address))
            if isinstance(one, Unclear | NotSent)
        ]
        assert sorted(answered + others) == ids, "of every command the end is known"
        assert set(answered) <= set(done)


def test_on_a_bus_each_is_asked_and_only_then_speaks() -> None:
    bench = Bench((1, 2, 3), polled=True)
    bench.run(1.0)
    assert [station.stage for station in bench.stations.values()] == ["ready"] * 3
    for address, device in bench.devices.items():
        device.tell(0x6D, bytes((address,)))
        assert device.tick(bench.now) == b""
    bench.run(1.0)
    for address in bench.devices:
        assert bench.heard(address) == [messages.ChipsReturned(address)]


def test_on_a_bus_one_that_is_mute_does_not_silence_the_others() -> None:
    bench = Bench((1, 2, 3), polled=True)
    del bench.devices[2]
    bench.run(1.0)
    bench.tell(9, messages.Unlock(), 3)
    bench.devices[1].tell(0x43, b"\1")
    bench.run(1.0)
    assert bench.outcomes(3) == [(9, "done")]
    assert bench.heard(1) == [messages.Door(True)]
    assert bench.stations[2].stage == "silent"


def test_with_another_key_it_is_turned_away() -> None:
    bench = Bench(key=bytes(32))
    bench.run(1.0)
    assert bench.stations[1].stage == "refused"
    assert bench.of(Strange) == [Strange("wrong proof")]


def test_with_another_protocol_it_is_turned_away_by_what_it_says() -> None:
    bench = Bench()
    bench.devices[1] = bench.started(1, 1, protocol=2)
    bench.run(1.0)
    assert bench.stations[1].stage == "refused"


def test_events_beyond_what_it_keeps_are_missed_and_known_to_be(bench: Bench) -> None:
    bench.cable = lambda frame: b""
    for _ in range(70):
        bench.devices[1].tell(0x6D, b"\1")
    bench.cable = intact
    bench.run(3.0)
    bench.devices[1].tell(0x43, b"\1")
    bench.run(0.2)
    last = bench.of(Heard)[-1]
    assert isinstance(last, Heard)
    assert (last.message, last.missed) == (messages.Door(True), 6)
    assert len(bench.heard()) == 65


def test_a_frame_of_an_earlier_session_does_nothing(bench: Bench) -> None:
    kept: list[bytes] = []

    def listening(frame: bytes) -> bytes:
        kept.append(frame)
        return frame

    bench.cable = listening
    bench.tell(1, messages.Unlock())
    bench.run(0.05)
    bench.cable = intact
    bench.line.cut(bench.now, "the port was opened")
    bench.run(1.0)
    bench.tell(2, messages.Lock())
    bench.run(0.2)
    for frame in kept:
        assert bench.devices[1].feed(frame, bench.now) == b""
    assert bench.devices[1].locked
