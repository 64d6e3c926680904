"""Two logs side by side: what was said otherwise, by whom and where first, and what took longer.

Sessions, nonces, tags, numbers and ids differ in any two runs, and how often a device is asked is a
matter of time, and so is which of an event and a result comes first. So what is compared is what
was said of the play: the commands to each device, its results and its events, in their order. What
had to be said again, and what was garbage, is counted. Both logs are read once, a little of each at
a time; what one has said and the other has not yet is kept, up to a bound.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal, NamedTuple

from controller.technician.answering import Answering, Times
from controller.technician.hearing import Names, ear_of
from controller.technician.logs import Logged, Run, Wire
from controller.technician.said import GARBAGE, Said
from drivers.wire.devicelog import Bytes, Damage, Quiet, Remark
from drivers.wire.frame import Kind

#: What one log has said and the other has not yet, of one device and direction.
MAX_AHEAD = 5000
#: Records that are shown before a difference.
CONTEXT = 4
#: So many commands are known by their ids: one that is said again is not another one.
MAX_IDS = 16

#: An answer is notably slower or faster if its median, or the time within which 99 % came, is by a
#: factor and by so many microseconds; and only if there were so many of them.
NOTABLE = ((50, 1.5, 1_000, 5), (99, 2.0, 5_000, 50))

#: They follow from what devices said.
FROM_FELT = frozenset({"command", "request"})

Side = Literal[0, 1]


#: A record, and what became whole with it.
Heard = tuple[Logged, Said]


class Spoken(NamedTuple):
    """Something that was said, where it stands, and what the device said and heard before it."""

    plain: str
    words: str
    logged: Logged
    before: tuple[Heard, ...]


@dataclass(slots=True)
class Stream:
    """What was said of one kind by one device, or to it."""

    wire: str
    device: str
    #: Of the port, if it is of no device.
    kind: str
    #: So many are the same.
    same: int = 0
    first: Spoken | None = None
    second: Spoken | None = None
    #: It was said so far ahead of the other log that nobody waited any longer.
    gave_up: bool = False
    _ahead: tuple[deque[Spoken], deque[Spoken]] = field(default_factory=lambda: (deque(), deque()))

    @property
    def differs(self) -> bool:
        return self.first is not None or self.second is not None

    def add(self, side: Side, one: Spoken) -> None:
        if self.differs:
            return
        ours, theirs = self._ahead[side], self._ahead[1 - side]
        if not theirs:
            ours.append(one)
            if len(ours) > MAX_AHEAD:
                self.gave_up = True
                self.end()
            return
        other = theirs.popleft()
        if other.plain == one.plain:
            self.same += 1
            return
        self.first, self.second = (one, other) if side == 0 else (other, one)
        self._forget()

    def end(self) -> None:
        """Nothing more comes of this one: what is left of one log is what the other has not."""
        if not self.differs:
            left, right = self._ahead
            self.first = left[0] if left else None
            self.second = right[0] if right else None
        self._forget()

    def _forget(self) -> None:
        for one in self._ahead:
            one.clear()


@dataclass(slots=True)
class Timed:
    """How long one device took to answer one kind of question, in both logs."""

    wire: str
    device: str
    asked_for: str
    both: tuple[Times, Times] = field(default_factory=lambda: (Times(), Times()))

    @property
    def verdict(self) -> str:
        """Whether the second log's answers are notably slower or faster."""
        first, second = self.both
        for percent, factor, least, enough in NOTABLE:
            if min(first.count, second.count) < enough:
                continue
            one, other = first.within(percent), second.within(percent)
            if other > one * factor and other - one > least:
                return "slower"
            if one > other * factor and one - other > least:
                return "faster"
        return ""


class Fact(NamedTuple):
    """What the headers say otherwise."""

    what: str
    first: str
    second: str


@dataclass(slots=True)
class Compared:
    facts: list[Fact] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)
    times: list[Timed] = field(default_factory=list)
    #: Wires that only one of them has.
    only: list[tuple[str, Side]] = field(default_factory=list)
    #: Things that can't be compared any further.
    remarks: list[str] = field(default_factory=list)

    @property
    def differences(self) -> list[Stream]:
        """By when they were, the first one first."""
        return sorted((one for one in self.streams if one.differs), key=self._since)

    starts: tuple[int, int] = (0, 0)

    def _since(self, one: Stream) -> tuple[int, bool]:
        since = (
            spoken.logged.at_us - start
            for spoken, start in zip((one.first, one.second), self.starts, strict=True)
            if spoken is not None
        )
        # What follows from it may have been said in the same moment.
        return min(since), one.kind in FROM_FELT

    @property
    def same(self) -> bool:
        return not self.only and not any(one.differs for one in self.streams)


def compared(first: Run, second: Run) -> Compared:
    starts = tuple(min(wire.first_us[0] for wire in run.wires.values()) for run in (first, second))
    found = Compared(starts=(starts[0], starts[1]))
    found.facts += _facts_of_runs(first, second)
    for name in sorted(first.wires.keys() | second.wires.keys()):
        if name not in first.wires or name not in second.wires:
            found.only.append((name, 0 if name in first.wires else 1))
            continue
        _Pair(found, name, (first.wires[name], second.wires[name])).run()
    return found


# --- Headers --------------------------------------------------------------------

#: Of a wire, what the table file says of it that two tables may have otherwise.
_SETTINGS = ("speaks", "baud", "parity", "stop_bits", "rs485", "devices", "driver", "options")


def _facts_of_runs(first: Run, second: Run) -> Iterator[Fact]:
    heads = [next(iter(run.wires.values())).header for run in (first, second)]
    for key in ("table", "felt", "rulebook"):
        one, other = (head.fact(key) for head in heads)
        if one != other:
            yield Fact(key, one, other)


def _facts_of_wires(name: str, first: Wire, second: Wire) -> Iterator[Fact]:
    for key in _SETTINGS:
        one, other = (wire.given.get(key, "") for wire in (first, second))
        if one != other:
            yield Fact(f"{name}, {key}", str(one), str(other))


class _Who:
    """Who the devices of a wire are, as they said it last."""

    def __init__(self, wire: Wire) -> None:
        self.facts: dict[str, dict[str, str]] = {}
        for key, value in wire.header.facts:
            if key == "device":
                self.take(value)

    def take(self, text: str) -> None:
        """``acceptor 3: acceptor model='A-100' serial='4711' firmware=9f86 boot=12 protocol=1``."""
        name, _, rest = text.partition(": ")
        kind, _, rest = rest.partition(" ")
        facts = {"kind": kind}
        for key in ("model", "serial", "firmware", "protocol"):
            _, found, after = f" {rest}".partition(f" {key}=")
            if found:
                quote = after[:1]
                is_quoted = quote in ("'", '"')
                facts[key] = after[1:].split(quote)[0] if is_quoted else after.split(" ")[0]
        self.facts[name] = facts


def _facts_of_devices(first: _Who, second: _Who) -> Iterator[Fact]:
    for name in sorted(first.facts.keys() & second.facts.keys()):
        one, other = first.facts[name], second.facts[name]
        for key in sorted(one.keys() | other.keys()):
            if one.get(key) != other.get(key):
                yield Fact(f"{name}, {key}", one.get(key, ""), other.get(key, ""))


# --- Records --------------------------------------------------------------------


class _Reading:
    """One log of a wire, record after record."""

    def __init__(self, wire: Wire) -> None:
        self.who = _Who(wire)
        self.ended = ""
        self._wire = wire
        self._names = Names(wire)
        self._ear = ear_of(wire, self._names)
        #: By device, what was last said by it and to it.
        self._before: dict[str, deque[Heard]] = {}
        self._answering = Answering()
        self._ids: dict[tuple[str, str], deque[object]] = {}
        self._is_open = False
        #: By device, what was nothing and what had to be said twice.
        self.counts: Counter[tuple[str, str]] = Counter()
        #: By device and what it was asked.
        self.times: dict[tuple[str, str], Times] = {}

    def spoken(self) -> Iterator[tuple[str, str, Spoken] | None]:
        """What is said of the play; none for a record in which that is nothing."""
        for logged in self._wire.records():
            record = logged.record
            match record:
                case Bytes():
                    for one in self._ear.hear(record):
                        self._before.setdefault(one.device, deque(maxlen=CONTEXT))
                        if (found := self._heard(one, record, logged)) is not None:
                            yield one.device, one.kind, found
                        self._before[one.device].append((logged, one))
                case Remark(word="port", text=text):
                    if (found := self._port(text, logged)) is not None:
                        yield "", "port", found
                case Remark(word="device", text=text):
                    self.who.take(text)
                case Quiet(devices=devices):
                    for polled in devices:
                        name = self._names.polled(polled)
                        self._took(name, "quiet poll at most", polled.slowest_us)
                case Remark(word="gap") | Damage():
                    self._cut()
                    what = record.text if isinstance(record, Remark) else record.what
                    self.ended = self.ended or f"{logged.file}:{logged.line}: {what}"
            yield None

    def _heard(self, one: Said, record: Bytes, logged: Logged) -> Spoken | None:
        if one.kind == GARBAGE:
            self.counts[one.device or self._wire.name, "bytes of garbage"] += one.length
        elif record.direction == "out":
            again = self._answering.asks(one, logged.at_us)
            self.counts[one.device, "said again"] += again
        elif (took := self._answering.answers(one, logged.at_us)) is not None:
            self._took(one.device, took.asked_for, took.microseconds)
        plain = one.plain
        if not plain or self._is_again(one):
            return None
        return Spoken(plain, one.words, logged, tuple(self._before[one.device]))

    def _took(self, device: str, asked_for: str, microseconds: int) -> None:
        self.times.setdefault((device, asked_for), Times()).add(microseconds)

    def _is_again(self, one: Said) -> bool:
        """Repeated, because no answer came: the same command by its id, the same event."""
        packet = one.packet
        if packet is None or packet.kind is Kind.IDENTITY:
            return False
        is_event = packet.kind is Kind.EVENT
        id_: object = (packet.seq, one.plain) if is_event else packet.payload[:4]
        known = self._ids.setdefault((one.device, one.kind), deque(maxlen=MAX_IDS))
        if id_ in known:
            return True
        known.append(id_)
        return False

    def _port(self, text: str, logged: Logged) -> Spoken | None:
        """That it went away. How often it was tried before it came is a matter of time."""
        self._cut()
        was_open, self._is_open = self._is_open, text.startswith("open")
        if not was_open or self._is_open:
            return None
        plain = text.partition(":")[0]
        return Spoken(f"port {plain}", text, logged, ())

    def _cut(self) -> None:
        self._ear.cut()
        self._answering.cut()


class _Pair:
    """The same wire in both logs."""

    def __init__(self, found: Compared, name: str, wires: tuple[Wire, Wire]) -> None:
        self._found = found
        self._name = name
        self._wires = wires
        self._streams: dict[tuple[str, str], Stream] = {}

    def run(self) -> None:
        found = self._found
        found.facts += _facts_of_wires(self._name, *self._wires)
        readings = tuple(map(_Reading, self._wires))
        for both in zip_longest(*(one.spoken() for one in readings)):
            for side, spoken in enumerate(both):
                if spoken is not None:
                    device, kind, said = spoken
                    self._stream(device, kind).add(1 if side else 0, said)
        for stream in self._streams.values():
            stream.end()
        found.streams += self._streams.values()
        found.facts += _facts_of_devices(readings[0].who, readings[1].who)
        found.remarks += [one.ended for one in readings if one.ended]
        for whose, what in sorted(readings[0].counts.keys() | readings[1].counts.keys()):
            one, other = (str(reading.counts[whose, what]) for reading in readings)
            if one != other:
                found.facts.append(Fact(f"{whose}, {what}", one, other))
        for key in sorted(readings[0].times.keys() | readings[1].times.keys()):
            both_times = (
                readings[0].times.get(key, Times()),
                readings[1].times.get(key, Times()),
            )
            found.times.append(Timed(self._name, *key, both_times))

    def _stream(self, device: str, kind: str) -> Stream:
        found = self._streams.get((device, kind))
        if found is None:
            found = self._streams[device, kind] = Stream(self._name, device, kind)
        return found
