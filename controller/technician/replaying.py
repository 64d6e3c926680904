"""Recorded bytes through the production path, in virtual time: the same, or the first difference.

What came in is given to the same line, stations, attachments, drivers and machine, at the times of
the log. What felt sent is compared with what they want to send, and every decision with the one in
the journal. Where they would have done something else the replay stops: from there on the recorded
devices would have answered to something that nobody asked.

What comes from outside is taken from the record: bytes, cables, people, timers of the machine,
draws, nonces, and sealed faces. felt may be a little late, as any program may, so what it does is
looked for within a moment, and never earlier.
"""

from __future__ import annotations

import heapq
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf, nextafter
from pathlib import Path
from typing import Any

from controller.daemon.blackbox import LETS_GO
from controller.daemon.clock import AsRecorded
from controller.daemon.configuration import Configuration, DaemonFile, devices_of
from controller.daemon.duty import NobodyOnDuty
from controller.daemon.supervisor import Supervisor
from controller.library import Library
from controller.replay import recorded_terms
from controller.rules.faults import Refused
from controller.table.commands import Dispense
from controller.table.events import Event
from controller.table.machine import Step
from controller.table.state import Table
from controller.technician import cut, rebrokered, starts
from controller.technician.deciding import Deciding
from controller.technician.lateness import LATE_S, is_held_up, late_until, started_by
from controller.technician.logs import Logged, Run, apart
from controller.technician.memories import renewed, unlike
from controller.technician.outcome import Difference, Differs, NotWhole, Outcome, Parting
from controller.technician.past import Past
from controller.technician.relined import ROUNDED_S, Alarm, Relined, Unlike
from controller.technician.rewired import Rewiring, replayable
from controller.technician.starts import Start
from controller.technician.stepped import SteppedLoop
from drivers.memory import Unmemorable
from drivers.wire.capture import FLUSH_S, QUIET_S
from drivers.wire.devicelog import Bytes, Damage, Quiet, Remark
from drivers.wire.logreading import CUT_SHORT, ENDS_EARLY

#: A log is written so late at the most: what it has not written is lost with felt.
UNWRITTEN_S = 4 * FLUSH_S
CONTEXT = 8


@dataclass(frozen=True, slots=True)
class Seam:
    """Where one replay may end, because another begins there."""

    start: Start
    #: How the table stood there, by the journal.
    table: Callable[[], Table]


class Replayer:
    """``secrets`` is a folder with the devices' keys; without it tags are not checked."""

    def __init__(
        self,
        run: Run,
        past: Past,
        library: Library,
        *,
        secrets: Path | None = None,
        watch: Callable[[Logged], None] | None = None,
        taken: Callable[[Table, Event, Step], None] | None = None,
        late_s: float = LATE_S,
        start: Start | None = None,
        seams: Iterable[Seam] = (),
    ) -> None:
        """``late_s``: how late felt may have been; not at all in a log from virtual time.

        ``watch`` is told of every record before it happens, ``taken`` of every event: how the table
        stood before it, and what came of it. ``start`` is where it begins, if that is not where
        felt did; ``past`` is from there on. At one of the ``seams`` it ends, if all stands there
        as it does for somebody who begins there.
        """
        self._late_s = max(late_s, ROUNDED_S)
        self.outcome = Outcome()
        #: None as long as it is identical, and where it is the record that is not whole.
        self.parting: Parting | None = None
        self._run = run
        self._past = past
        self._watch = watch
        self._start = start
        #: Where it ended, and somebody else goes on.
        self.joined: Seam | None = None
        #: Why it went on where somebody else could have begun, by the entry.
        self.apart: dict[int, str] = {}
        self._seams = {(one.start.at_us, one.start.entry): one for one in seams}
        #: The wires whose logs have come to the seam that is next.
        self._at_seam: set[str] = set()
        self._secrets = secrets
        self._terms = recorded_terms(past.data, library)
        self._context: deque[Logged] = deque(maxlen=CONTEXT)
        self._loop = SteppedLoop()
        self._deciding = Deciding(
            self._terms,
            past.table,
            past.entries,
            loop=self._loop,
            outcome=self.outcome,
            told=taken,
            is_exact=late_s <= ROUNDED_S,
        )
        self._wall = 0.0
        clock = AsRecorded(self._loop.time, lambda: self._wall)
        self._supervisor = Supervisor(clock, NobodyOnDuty(), lambda *_, **__: None)
        self._lines: dict[str, Relined] = {}
        self._alarm = Alarm()
        self._loop.lag = self._lag
        #: The timer of ours that was due last, and up to when felt may have come to it.
        self._timer = (-inf, -inf)
        self._attach()

    # --- Putting it together ----------------------------------------------------

    def _attach(self) -> None:
        wires = {
            name: wire
            for name, wire in self._run.wires.items()
            if replayable(wire) and (self._start is None or name in self._start.wires)
        }
        for name in sorted(self._run.wires.keys() - wires.keys()):
            self.outcome.remarks.append(
                f"{name}: not replayed, what its devices said is taken from the journal"
            )
        if self._secrets is None:
            self.outcome.remarks.append("tags not checked: no keys were given")
        configuration = self._configuration({name: wires[name].given for name in wires})
        rewiring = Rewiring(configuration, self._run, keyed=self._secrets is not None)
        for name, wire in wires.items():
            relined, attachments = rebrokered.relined(
                wire,
                rewiring,
                starts.beginning(wire, self._start),
                self._loop.time,
                trusts=self._secrets is None,
            )
            self._supervisor.attach(name, attachments)
            relined.recent = deque(maxlen=CONTEXT)
            relined.alarm = self._alarm
            relined.late_s = self._late_s
            self._supervisor.carry(name, relined)
            self._lines[name] = relined
            self._deciding.replays(relined, [one.name for one in attachments])
            if wire.begins_late and self._start is None:
                self.outcome.remarks.append(f"{name}: its log begins late, the first part is gone")

    def _configuration(self, wires: Mapping[str, dict[str, Any]]) -> Configuration:
        beside: dict[str, Any] = {}
        given = {}
        for name, said in wires.items():
            given[name], more = apart(said)
            for section, known in more.items():
                beside.setdefault(section, {}).update(known)
        secrets = str(self._secrets) if self._secrets else "/nonexistent"
        try:
            daemon = DaemonFile.model_validate(
                {"service": {"secrets": secrets}, "wires": given, **beside}
            )
        except ValueError as error:
            problem = f"what it says of its wire can't be used: {str(error).splitlines()[0]}"
            raise Refused("log", problem, "replay it with the felt that wrote it") from None
        data = json.loads(self._past.data)
        devices = {one.name: one for one in devices_of(daemon, self._terms)}
        return Configuration(Path("log"), self._terms, data, daemon, devices)

    # --- Running ----------------------------------------------------------------

    def run(self) -> Outcome:
        self._loop.run_call(self._replayed)
        return self.outcome

    def _replayed(self) -> None:
        try:
            self._begin()
            loop, alarm, idled = self._loop, self._alarm, -inf
            for logged, lines, is_mark in self._in_order():
                at = logged.at_us / 1e6
                # What is due at this very moment is sent with it; but a decision follows on it.
                by = nextafter(at, inf) if is_mark else at
                if by > idled and not _is_note(logged):
                    if alarm.rings_before(by) or (loop.timers and loop.next_timer() < by):
                        self._idle_until(by)
                    loop.move_to(at)
                    idled = by
                ends = is_mark and is_end(logged)
                for line in lines:
                    line.take()
                    line.let_go |= ends
                if self._happens(logged, lines[0]):
                    self._deciding.decided(logged, self._supervisor)
                self.outcome.records += len(lines)
                if self.joined is not None:
                    return
            self._deciding.nothing_left()
            for line in self._lines.values():
                self._ends_early(line)
            self.outcome.gaps += self._deciding.unheard()
            missing = sorted(self._run.named - self._run.wires.keys())
            self.outcome.gaps += [f"there is no log of the wire {name}" for name in missing]
        except Differs as differs:
            last = self._context[-1] if self._context else None
            self.outcome.difference = self._difference(last, *differs.parts)
            if not isinstance(differs, NotWhole):
                self._part(differs.event)
        except Unlike as unlike:
            recent = self._lines[unlike.wire].recent
            last = recent[-1] if recent else self._lines[unlike.wire].head
            self.outcome.difference = self._difference(last, *unlike.parts)
            self._part(None)
        finally:
            self._supervisor.close()

    def _part(self, event: Event | None) -> None:
        at_us, utc_us = (round(seconds * 1e6) for seconds in (self._loop.time(), self._wall))
        self.parting = Parting(self._deciding.table, event, at_us, utc_us)

    def _difference(
        self, last: Logged | None, what: str, recorded: str, replayed: str
    ) -> Difference:
        """``last``: the record before which, or with which, all was the same."""
        return Difference(
            last.wire if last else "",
            f"{last.file}:{last.line}" if last else "the beginning",
            last.at_us if last else 0,
            what,
            recorded,
            replayed,
            tuple(self._context),
        )

    def _begin(self) -> None:
        heads = [line.head for line in self._lines.values() if line.head is not None]
        first = min(heads, key=lambda one: one.at_us, default=None)
        if first is None:
            raise Refused("logs", "there is no record that can be replayed", "name other logs")
        # The run is named by the time on the wall when it began.
        started_us = int(self._run.id) * 1000 - (first.utc_us - first.at_us)
        if self._start is not None:
            self._recall(self._start)
            return
        self._loop.move_to(max(min(started_us, first.at_us), first.at_us - 10_000_000, 0) / 1e6)
        self._wall = first.utc_us / 1e6
        self._supervisor.start(self._deciding.core)
        owed = [one for one in self._past.owed if not isinstance(one, Dispense)]
        self._supervisor.carry_out(owed)
        for line in self._lines.values():
            line.began_within(first.at_us / 1e6 - self._loop.time())
            line.look(self._loop.time())

    def _recall(self, start: Start) -> None:
        """Begin in the middle, with what felt knew there."""
        at = datetime.fromtimestamp(start.utc_us / 1e6, UTC)
        said = f"begins at entry {start.entry}, {at:%Y-%m-%d %H:%M:%S} UTC"
        self.outcome.remarks.append(said)
        self._loop.move_to(start.at_us / 1e6)
        self._wall = start.utc_us / 1e6
        try:
            for name, line in self._lines.items():
                memory = start.wires[name]
                line.recall(memory)
                for device, remembered in memory["devices"].items():
                    self._supervisor.attachments[device].recall(remembered)
        except (Unmemorable, KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"what it says at entry {start.entry} can't be used: {error}"
            raise Refused("log", problem, "replay it with the felt that wrote it") from None
        self._supervisor.start(self._deciding.core)
        for line in self._lines.values():
            self._supervisor.turned(line.name)
            line.look(self._loop.time())

    def _in_order(self) -> Iterator[tuple[Logged, list[Relined], bool]]:
        """Record after record, with the wires that have it: what the table did is in many of them.

        That is a mark. At one moment marks come last: a decision follows from what was heard.
        """
        lines = list(self._lines.values())
        alone = [[line] for line in lines]
        heap = [turn for place, line in enumerate(lines) if (turn := _turn(place, line))]
        heapq.heapify(heap)
        following: tuple[int, bool, int] | None = None
        while heap or following:
            if following is not None:
                at_us, is_mark, place = heapq.heappushpop(heap, following)
                following = None
            else:
                at_us, is_mark, place = heapq.heappop(heap)
            line = lines[place]
            logged = line.head
            if logged is None:
                continue  # given up since
            if not is_mark:
                yield logged, alone[place], False
                following = _turn(place, line)
                continue
            taken = {place: line}
            # The others with this mark are the next ones, in the heap and here.
            mark = logged.record
            while heap and heap[0][:2] == (at_us, True):
                other = lines[heap[0][2]]
                if other.head is None or other.head.record[1:] != mark[1:]:
                    break
                taken[heap[0][2]] = other
                heapq.heappop(heap)
            yield logged, list(taken.values()), True
            for where, one in taken.items():
                if turn := _turn(where, one):
                    heapq.heappush(heap, turn)

    def _idle_until(self, now: float) -> None:
        """What felt does by itself before then: wake up, give up, miss a device."""
        lines = self._lines.values()
        while True:
            timer = self._late_timer(now)
            line = self._alarm.first(lines)
            due = min(timer, line.due)
            if due >= now:
                self._alarm.at = line.due
                return
            self._loop.move_to(due)
            if timer <= due:
                self._loop.settle()
                self._look_at_all()
            else:
                self._wakes(line)

    def _late_timer(self, now: float) -> float:
        """When the next timer of ours goes off, if it is before then: as late as felt may be."""
        at = self._loop.next_timer()
        if at >= now:
            return at
        if at != self._timer[0]:
            last = self._loop.last_call()
            self._timer = (at, late_until(self._lines.values(), last, self._late_s))
        return self._timer[1]

    def _lag(self) -> float:
        now = self._loop.time()
        return started_by(self._lines.values(), now, self._late_s) - now

    def _wakes(self, line: Relined) -> None:
        now = self._loop.time()
        if line.is_open and (
            line.is_over
            or line.happens_by(now + self._late_s)
            or is_held_up(line, self._lines.values(), now, self._late_s)
        ):
            line.due = inf  # felt came to it then; or only after the log was cut off
            return
        self._supervisor.turned(line.name)
        line.wakes(now)
        self._supervisor.turned(line.name)

    def _happens(self, logged: Logged, line: Relined) -> bool:
        """True if it is a decision of the table, which is still to be taken."""
        self._context.append(logged)
        if self._watch is not None:
            self._watch(logged)
        self._wall = logged.utc_us / 1e6
        now = self._loop.time()
        record, spoke = logged.record, False
        if isinstance(record, Bytes):
            if spoke := record.direction == "out":
                self.outcome.frames += line.sent(record.data, now)
            else:
                line.received(record.data, now)
        elif isinstance(record, Quiet):
            self.outcome.frames += line.quiet(record, logged.at_us)
        else:
            return self._is_said(logged, line, now)
        # What was left when felt spoke is looked at when it wakes. It may hear something before.
        if line.has_news() and not (spoke and line.hears_next):
            self._supervisor.turned(line.name)
        else:
            line.look(now)
        return False

    def _is_said(self, logged: Logged, line: Relined, now: float) -> bool:
        """Something other than bytes; true for a decision."""
        match logged.record:
            case Remark(word="table", text=text):
                if not is_end(logged):
                    return True
                if text == LETS_GO:
                    self._supervisor.quiesce()
            case Remark(word="port", text=text):
                line.port(text, now)
                self._supervisor.turned(line.name)
            case Remark(word="gap", text=text):
                line.give_up()
                self.outcome.gaps.append(f"{logged.file}:{logged.line}: {line.name}: {text}")
            case Remark(word="state") if self._seams:
                self._comes_to(logged)
            case Damage(what=what):
                # A log may be copied while it is written, or end with a power cut.
                if line.head is not None or what not in (CUT_SHORT, ENDS_EARLY):
                    self._unreadable(line, logged, what)
        return False

    def _comes_to(self, logged: Logged) -> None:
        entry = starts.entry_of(logged)
        if entry is None or (seam := self._seams.get((logged.at_us, entry))) is None:
            return
        self._at_seam.add(logged.wire)
        if self._at_seam < seam.start.wires.keys():
            return
        self._at_seam.clear()
        if why := self._apart_from(seam):
            self.apart[entry] = why
        else:
            self.joined = seam

    def _apart_from(self, seam: Seam) -> str:
        """What somebody who begins there has that this replay has not, or has otherwise."""
        start = seam.start
        if not self._deciding.has_come_to(start.entry) or not self._supervisor.is_settled:
            return "something is still on its way"
        if start.wires.keys() != self._lines.keys() or seam.table() != self._deciding.table:
            return "the table"
        for name, line in self._lines.items():
            devices = {one.name: one.memory() for one in self._supervisor.on_wire(name)}
            own, recorded = line.memory(), renewed(start.wires[name])
            if own is None:
                return f"{name} is not at rest"
            if why := unlike({**own, "devices": devices}, recorded, self._late_s, name):
                return why
        return ""

    def _unreadable(self, line: Relined, logged: Logged, what: str) -> None:
        """In the middle of a log: what follows on this wire is not known to follow from it."""
        line.give_up()
        self.outcome.damage = self.outcome.damage or Difference(
            line.name,
            f"{logged.file}:{logged.line}",
            logged.at_us,
            f"this record is damaged: {what}; nothing more of {line.name} is compared",
            "",
            "",
            tuple(self._context),
        )

    def _ends_early(self, line: Relined) -> None:
        """What its devices said later was taken from the journal.

        A felt that is killed has not written the last moments, of one wire more than of another.
        """
        if line.ended or line.let_go:
            return
        last = line.recent[-1] if line.recent else None
        if last and not any(one.let_go for one in self._lines.values()):
            silent_s = self._loop.time() - last.at_us / 1e6
            if line.missed and silent_s <= UNWRITTEN_S:
                said = "the end of its log was never written, as felt did not end in order"
                self.outcome.remarks.append(f"{line.name}: {said}")
            if silent_s <= UNWRITTEN_S or (not line.missed and silent_s <= self._rests_s(line)):
                return
        where = f"{last.file}:{last.line}: " if last else ""
        events = f"{line.missed} events of its devices before the journal does"
        said = f"its log ends here, {events if line.missed else 'before the others do'}"
        self.outcome.gaps.append(f"{where}{line.name}: {said}")

    def _rests_s(self, line: Relined) -> float:
        """For how long nothing may be in a log that is whole: polls are, once they were counted."""
        return UNWRITTEN_S + 2 * QUIET_S if line.is_open else inf

    def _look_at_all(self) -> None:
        now = self._loop.time()
        for line in self._lines.values():
            line.look(now)


def _turn(place: int, line: Relined) -> tuple[int, bool, int] | None:
    """When the next record of a line has its turn; none at its end."""
    head = line.head
    if head is None:
        return None
    record = head.record
    return head.at_us, isinstance(record, Remark) and record.word == "table", place


def _is_note(logged: Logged) -> bool:
    """It may be written long after felt has ended, so no time goes by for it."""
    record = logged.record
    return isinstance(record, Remark) and record.word == "note"


def is_end(logged: Logged) -> bool:
    """Whether felt, or whoever cut the log, says that this is all of it."""
    return isinstance(logged.record, Remark) and logged.record.text in (LETS_GO, cut.ENDS)
