"""A bench: drivers and simulated devices on one line, in virtual time, from bytes to events.

Everything between the simulated device and the table's events is felt's own: attachment, line,
station. Only the journal is missing: what is heard counts as durable at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import msgspec

from controller.table.commands import Command
from controller.table.events import Event
from drivers.attachment import Arrived, Attachment, Departed, Happened
from drivers.contract import Driver, Moment
from drivers.wire import messages
from drivers.wire.keys import BENCH_KEY
from drivers.wire.line import Line
from drivers.wire.station import Station
from simulators.device import Device
from simulators.end import DeviceEnd
from simulators.wires import WIRES, Wire
from tests.drivers.people import DANA, FRAN

#: What happens at one moment is a matter of so many exchanges, or of a loop that never ends.
MAX_EXCHANGES = 2_000
#: The least that time goes on by.
TICK = 0.001


class Lane:
    """One line: its stations, its devices, and a wire each way between them."""

    def __init__(
        self,
        pairs: Sequence[tuple[Driver, Device]],
        wire: Callable[[int], Wire] = WIRES["plain"],
        seed: int = 0,
    ) -> None:
        nonces = itertools.count(1)
        stations = [
            Station(
                device.address,
                BENCH_KEY,
                lambda: next(nonces).to_bytes(16, "big"),
                polled=len(pairs) > 1,
            )
            for _, device in pairs
        ]
        self.line = Line(stations)
        self.attachments = [
            Attachment(driver, station, bench_key=True)
            for (driver, _), station in zip(pairs, stations, strict=True)
        ]
        self.end = DeviceEnd(device for _, device in pairs)
        self.out, self.back = wire(2 * seed), wire(2 * seed + 1)
        #: Every byte that was put on the line, both ways.
        self.bytes: list[bytes] = []

    def cut(self, now: float) -> None:
        for wire in (self.out, self.back):
            wire.cut()
        self.end.cut()
        self.line.cut(now, "the cable is out")

    def restore(self, now: float) -> None:
        for wire in (self.out, self.back):
            wire.restore()
        self.line.cut(now, "the port was opened")

    def carry(self, now: float) -> bool:
        """Let bytes go both ways; whether any did."""
        moved = False
        for data in self.out.take(now):
            moved = True
            self._put(self.back, self.end.received(data, now), now)
        said = self.end.to_write(now)
        self._put(self.back, said, now)
        for data in self.back.take(now):
            moved = True
            self.line.received(data, now)
        return moved or bool(said)

    def speak(self, now: float) -> bool:
        told = self.line.to_write(now)
        self._put(self.out, told, now)
        return bool(told)

    def _put(self, wire: Wire, frames: Sequence[bytes], now: float) -> None:
        for data in frames:
            self.bytes.append(data)
            wire.put(data, now)

    def wakes_at(self, now: float) -> float:
        wires = min(self.out.wakes_at(now), self.back.wakes_at(now))
        return min(self.line.wakes_at(), self.end.wakes_at(), wires)


class Bench:
    def __init__(self, *lanes: Lane) -> None:
        self.lanes = lanes
        self.now = 0.0
        #: What the table heard, in order.
        self.events: list[Event] = []
        self.arrivals = 0
        self.departures = 0
        self._orders = itertools.count(1)

    @classmethod
    def of(
        cls,
        *pairs: tuple[Driver, Device],
        wire: Callable[[int], Wire] = WIRES["plain"],
        seed: int = 0,
    ) -> Bench:
        """All of them on one line."""
        return cls(Lane(pairs, wire, seed))

    @property
    def attachments(self) -> list[Attachment]:
        return [one for lane in self.lanes for one in lane.attachments]

    # --- What a test does ---------------------------------------------------------

    def order(self, *commands: Command) -> None:
        """Orders of the table, each under an id of its own."""
        for command in commands:
            named = msgspec.structs.replace(command, id=f"bench.{next(self._orders)}")
            taken = [one.carry_out(named, self.now) for one in self.attachments]
            assert any(taken)

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self._exchange()
            self.now = min(max(self._wakes_at(), self.now + TICK), end)
        self._exchange()

    def until(self, condition: Callable[[], object], within: float = 60.0) -> None:
        end = self.now + within
        self._exchange()
        while not condition():
            assert self.now < end, f"not within {within} seconds: {self.events[-5:]}"
            self.now = min(max(self._wakes_at(), self.now + TICK), end)
            self._exchange()

    def connected(self) -> None:
        self.until(lambda: all(one.is_present for one in self.attachments))
        self.run(0.5)

    def cut(self, seconds: float) -> None:
        """Pull the cables, and put them back."""
        for lane in self.lanes:
            lane.cut(self.now)
        self.run(seconds)
        for lane in self.lanes:
            lane.restore(self.now)

    def heard(self, *kinds: type[Event]) -> list[Event]:
        """The events of these kinds, without stamps and ids."""
        some = [one for one in self.events if isinstance(one, kinds)] if kinds else self.events
        return [msgspec.structs.replace(one, at=0, id=None, kept=msgspec.UNSET) for one in some]

    # --- One moment -----------------------------------------------------------------

    def _exchange(self) -> None:
        for _ in range(MAX_EXCHANGES):
            moved = [lane.carry(self.now) | self._turn(lane) for lane in self.lanes]
            if not any(moved):
                return
        raise AssertionError("the line does not come to rest")

    def _turn(self, lane: Lane) -> bool:
        moved = False
        for one in lane.attachments:
            for outcome in one.turn(self.now, self._moment):
                moved = True
                self._follow(one, outcome)
        return lane.speak(self.now) or moved

    def _follow(self, attachment: Attachment, outcome: object) -> None:
        match outcome:
            case Happened(events):
                self.events += events
                attachment.durable(outcome)
                for event in events:
                    self.happened(event)
            case Arrived():
                self.arrivals += 1
            case Departed():
                self.departures += 1

    def happened(self, event: Event) -> None:
        """For those who make something of it."""

    def _moment(self, id_: str) -> Moment:
        return Moment(self.stamp, id_, DANA, FRAN)

    @property
    def stamp(self) -> int:
        return 1_700_000_000_000 + int(self.now * 1000)

    def _wakes_at(self) -> float:
        return min(lane.wakes_at(self.now) for lane in self.lanes)


def told(device: Device, *kinds: type[messages.Command]) -> list[messages.Command]:
    """What a device was told and did, of these kinds, in order."""
    return [one for one in device.done if isinstance(one, kinds)]
