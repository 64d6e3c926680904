"""Replay without a journal: the wires alone.

What the table decided is in the journal, and so is what people did. Without it, what felt ordered
is taken from the record: each command, and each acknowledgement. All that the wire itself decides
is done again and compared: greetings and sessions, when and in which order devices are asked, what
is repeated and when it is given up. That is said, and nothing beyond it is claimed.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from controller.daemon import secrets
from controller.daemon.configuration import DaemonFile
from controller.daemon.wiring import port_of, timing_for
from controller.rules.faults import Refused
from controller.technician import starts
from controller.technician.lateness import LATE_S, is_held_up
from controller.technician.logs import Logged, Run, Wire, apart
from controller.technician.outcome import Difference
from controller.technician.relined import ROUNDED_S, Relined, Unlike
from controller.technician.replaying import CONTEXT, is_end
from controller.technician.script import places
from controller.technician.starts import Start
from drivers.wire import frame, messages
from drivers.wire.devicelog import Bytes, Damage, Quiet, Remark
from drivers.wire.frame import Kind, Packet
from drivers.wire.line import Line
from drivers.wire.logreading import CUT_SHORT, ENDS_EARLY
from drivers.wire.notices import Heard, Identified
from drivers.wire.recorded import RecordedStation
from drivers.wire.station import Timing


@dataclass(slots=True)
class Seen:
    """What could be said."""

    difference: Difference | None = None
    records: int = 0
    #: Frames that felt sent, and that the replay sent too.
    frames: int = 0
    #: Of these, commands: that they were given is taken from the record.
    commands: int = 0
    #: Events that the devices said, by their names.
    events: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)


class _Station(RecordedStation):
    """A station that is told by the record what somebody else would tell it."""

    def __init__(self, address: int, key: bytes | None, *, timing: Timing, polled: bool) -> None:
        super().__init__(address, key, timing=timing, polled=polled)
        #: Events that were heard and not yet acknowledged.
        self.heard: list[Heard] = []
        #: It speaks next, by the record, and again: it may be first because an order waits for the
        #: answer. Nobody knows of that order before it is sent.
        self.repeats_next = False

    def urgency(self, now: float) -> int:
        wants = super().urgency(now)
        return wants + 3 if wants and self.repeats_next else wants

    def ordered(self, packet: Packet) -> bool:
        """Felt sends this. True if it is a command that is new."""
        self.repeats_next = self._out is not None and self._out.seq == packet.seq
        if packet.kind is Kind.ACK:
            self._safe(packet.seq)
        elif packet.kind is Kind.POLL:
            self._safe(int.from_bytes(packet.payload, "big"))
        number = int.from_bytes(packet.payload[:4], "big")
        given = self._commanding
        is_same = given is not None and packet.kind is Kind.COMMAND and given.command == number
        if given is not None and not is_same and packet.kind in (Kind.COMMAND, Kind.POLL):
            # Somebody's patience was over, who is not here: it is not asked for any more.
            given.deadline = 0.0
        waiting = any(one.command == number for one in (*self._urgent, *self._ordinary))
        if packet.kind is Kind.POLL and not self.repeats_next:
            # Nobody is polled for whom an order waits: those were given up, by somebody not here.
            for one in (*self._urgent, *self._ordinary):
                one.deadline = 0.0
        if packet.kind is not Kind.COMMAND or is_same or waiting:
            return False
        message = messages.from_bytes(packet.payload[4:])
        if not isinstance(message, messages.Command):
            return False
        # If it was told before others that wait, it was urgent.
        self.send(number, message, deadline=inf, urgent=bool(self._ordinary))
        return True

    def _safe(self, seq: int) -> None:
        for one in self.heard:
            if one.seq <= seq:
                self.acknowledge(one.boot, one.seq)
        self.heard = [one for one in self.heard if one.seq > seq]


class Unjudged:
    def __init__(
        self,
        run: Run,
        *,
        secrets_: Path | None = None,
        watch: Callable[[Logged], None] | None = None,
        late_s: float = LATE_S,
    ) -> None:
        self.seen = Seen(remarks=["no journal: what the table decided is not compared"])
        self._late_s = max(late_s, ROUNDED_S)
        self._watch = watch
        self._now = 0.0
        self._lines: dict[str, Relined] = {}
        self._recent: list[Logged] = []
        if secrets_ is None:
            self.seen.remarks.append("tags not checked: no keys were given")
        start = starts.latest(run, None)
        for name, wire in sorted(run.wires.items()):
            given = wire.given
            if not given.get("serial") or given.get("speaks", "felt") != "felt":
                said = f"{name}: not compared: that takes the journal, or felt's own serial line"
                self.seen.remarks.append(said)
            elif wire.begins_late and (start is None or name not in start.wires):
                self.seen.remarks.append(f"{name}: not compared: the first part of its log is gone")
            elif given.get("devices"):
                self._lines[name] = self._line(wire, start, secrets_)
        if start is not None:
            self.seen.remarks.append(f"begins at entry {start.entry}: what was before is gone")
            self._now = start.at_us / 1e6

    def _line(self, wire: Wire, start: Start | None, secrets_: Path | None) -> Relined:
        said, _ = apart(wire.given)
        given = DaemonFile.model_validate({"wires": {wire.name: said}}).wires[wire.name]
        placed = places(wire.given)
        is_bus = len(placed) > 1 or given.rs485
        timing = timing_for(port_of(given), is_bus=is_bus)
        stations = [
            _Station(
                address,
                secrets.key(secrets_, name) if secrets_ else None,
                timing=timing,
                polled=is_bus,
            )
            for address, name in placed.items()
        ]
        trusts = secrets_ is None
        records = starts.beginning(wire, start)
        line = Relined(wire.name, Line(stations), records, lambda: self._now, trusts=trusts)
        if start is not None and wire.name in start.wires:
            self._recall(line, start)
        return line

    @staticmethod
    def _recall(line: Relined, start: Start) -> None:
        try:
            line.recall(start.wires[line.name])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"what it says at entry {start.entry} can't be used: {error}"
            raise Refused("log", problem, "replay it with the felt that wrote it") from None

    # --- Running ----------------------------------------------------------------

    def run(self) -> Seen:
        try:
            for line in self._in_order():
                logged = line.head
                assert logged is not None
                self._idle_until(logged.at_us / 1e6)
                line.take()
                self._happens(line, logged)
                self.seen.records += 1
        except Unlike as unlike:
            last = self._recent[-1] if self._recent else None
            self.seen.difference = Difference(
                unlike.wire,
                f"{last.file}:{last.line}" if last else "the beginning",
                last.at_us if last else 0,
                *unlike.parts,
                tuple(self._recent),
            )
        return self.seen

    def _in_order(self) -> Iterator[Relined]:
        lines = list(self._lines.values())
        heap = [(one.head.at_us, place) for place, one in enumerate(lines) if one.head]
        heapq.heapify(heap)
        while heap:
            _, place = heapq.heappop(heap)
            if lines[place].head is not None:
                yield lines[place]
            if (head := lines[place].head) is not None:
                heapq.heappush(heap, (head.at_us, place))

    def _idle_until(self, now: float) -> None:
        while True:
            line = min(self._lines.values(), key=lambda one: one.due)
            if line.due >= now:
                self._now = max(self._now, now)
                return
            self._now = max(self._now, line.due)
            if line.is_open and (
                line.is_over
                or line.happens_by(self._now + self._late_s)
                or is_held_up(line, self._lines.values(), self._now, self._late_s)
            ):
                line.due = inf
                continue
            self._notices(line)
            line.wakes(self._now)
            self._notices(line)

    def _happens(self, line: Relined, logged: Logged) -> None:
        self._recent = [*self._recent, logged][-CONTEXT:]
        if self._watch is not None:
            self._watch(logged)
        match logged.record:
            case Bytes(direction="in", data=data):
                line.received(data, self._now)
            case Bytes(data=data):
                self._ordered(line, data)
                self.seen.frames += line.sent(data, self._now)
                for one in line.line.stations:
                    assert isinstance(one, _Station)
                    one.repeats_next = False
            case Quiet() as quiet:
                self.seen.frames += line.quiet(quiet, logged.at_us)
            case Remark(word="port", text=text):
                line.port(text, self._now)
            case Remark(word="gap", text=text):
                line.give_up()
                self.seen.remarks.append(f"{logged.file}:{logged.line}: {line.name}: {text}")
                return
            case Damage(what=what):
                if line.head is not None or what not in (CUT_SHORT, ENDS_EARLY):
                    raise Unlike(line.name, f"this record is damaged: {what}", "", "")
                return
            case Remark(word="table"):
                line.let_go |= is_end(logged)
                return
            case _:
                return
        self._notices(line)
        line.look(self._now)

    def _ordered(self, line: Relined, data: bytes) -> None:
        """What felt was told to say, by somebody who is not here."""
        for coded in data.split(b"\0")[:-1]:
            packet = frame.from_bytes(coded)
            for one in line.line.stations:
                if packet and isinstance(one, _Station) and packet.address == one.address:
                    self.seen.commands += one.ordered(packet)

    def _notices(self, line: Relined) -> None:
        for one in line.line.stations:
            assert isinstance(one, _Station)
            for notice in one.notices():
                match notice:
                    case Identified():
                        # Whether it was turned away is a decision; if so it is greeted next.
                        one.accept(self._now)
                    case Heard(message=message):
                        one.heard.append(notice)
                        self.seen.events[messages.name(message)] += 1


def told(seen: Seen) -> Iterator[str]:
    """In words, for people."""
    yield (
        f"as far as it goes the same: {seen.records} records, {seen.frames} frames sent, "
        f"of which {seen.commands} commands are taken from the record"
    )
    said = ", ".join(f"{count} {name}" for name, count in seen.events.most_common())
    yield f"the devices said: {said or 'nothing'}"
