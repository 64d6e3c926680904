"""The table's side of a replay: events are taken as the journal has them, decisions compared.

An event that comes from a replayed device must have been posted by the devices' side before; the
others, of people, timers and draws, come from outside and are taken as they are.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any, cast

import msgspec

from controller.daemon.core import Core
from controller.daemon.supervisor import Supervisor
from controller.journal.entry import Entry
from controller.recorder import Decision, Taken
from controller.table import events
from controller.table.events import Event
from controller.table.machine import Step, step
from controller.table.state import Table
from controller.table.terms import Terms
from controller.technician.logs import Logged
from controller.technician.outcome import Differs, NotWhole, Outcome
from controller.technician.relined import Relined
from controller.technician.stepped import SteppedLoop
from drivers.wire.devicelog import Remark

#: What was posted is in the journal after so long, if felt was never late.
WRITTEN_S = 2.0
#: However slow the disk was: dozens may wait, and each took half a second on a PC that was choked.
SLOWLY_WRITTEN_S = 15.0
#: Timers of ours may have been started by a clock that was read a little earlier.
EARLY_S = 0.25

#: How the id of what a device said begins: with its name, boot and number.
_OF_DEVICE = re.compile(r"([a-z]+(?:-\d+)?):\d+:\d")
_events = msgspec.json.Decoder(Event)
#: Facts of an event that come from outside, and not from a device.
_FROM_OUTSIDE = ("at", "by", "sealed", "kept")
#: What felt itself says of a device: it has no id of the device's own.
_OF_FELT = (
    events.DeviceFaulted
    | events.DeviceWentOffline
    | events.DeviceCameOnline
    | events.DeviceRecovered
    | events.DispenseUnanswered
)


#: What follows on an event that was taken.
Then = Callable[[Taken], None]


def _nothing(_: Taken) -> None:
    return


class _Standing:
    """The table as the replay has it; stands where the recorder does."""

    def __init__(self, terms: Terms, table: Table) -> None:
        self.terms = terms
        self.table = table


class _Core:
    """Takes what the devices' side posts, and holds it until the journal says that it was taken."""

    def __init__(self, recorder: _Standing, loop: SteppedLoop) -> None:
        self.recorder = recorder
        self._loop = loop
        self.posted: deque[tuple[float, Event, Then]] = deque()

    @property
    def table(self) -> Table:
        return self.recorder.table

    def undecided(self) -> Iterator[Event]:
        return (event for _, event, _ in self.posted)

    def post(self, event: Event, then: Then | None = None) -> None:
        self.posted.append((self._loop.time(), event, then or _nothing))

    def matching(self, recorded: Event) -> Then | None:
        for place, (_, event, then) in enumerate(self.posted):
            if type(event) is type(recorded) and _is_same(event, recorded):
                del self.posted[place]
                return then
        return None

    def overdue(self, before: float, counts: Callable[[Event], bool]) -> Event | None:
        """What was posted before that time, and is in no journal."""
        while self.posted and self.posted[0][0] < before:
            event = self.posted[0][1]
            if counts(event):
                return event
            self.posted.popleft()
        return None


@cache
def _of_device(kind: type[Event]) -> Callable[[Event], Any]:
    """The facts of such an event that a device said."""
    return attrgetter(*_names(kind))


def _names(kind: type[Event]) -> list[str]:
    return [name for name in kind.__struct_fields__ if name not in _FROM_OUTSIDE]


def _is_same(event: Event, recorded: Event) -> bool:
    facts = _of_device(type(event))
    if facts(event) == facts(recorded):
        return True
    # What the felt that recorded it did not know of is taken as not there.
    known = [n for n in _names(type(event)) if getattr(recorded, n) is not msgspec.UNSET]
    return all(getattr(event, name) == getattr(recorded, name) for name in known)


class _Entries:
    """Events and decisions of a journal, read as they are needed."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._source = (one for one in entries if one.kind in ("event", "decision"))
        self.next: Entry | None = next(self._source, None)

    def take(self) -> None:
        self.next = next(self._source, None)


class Deciding:
    """``told`` is told of every event: how the table stood before it, and what came of it."""

    def __init__(
        self,
        terms: Terms,
        table: Table,
        entries: Iterable[Entry],
        *,
        loop: SteppedLoop,
        outcome: Outcome,
        told: Callable[[Table, Event, Step], None] | None,
        is_exact: bool,
    ) -> None:
        self._terms = terms
        self._standing = _Standing(terms, table)
        self._posts = _Core(self._standing, loop)
        self._entries = _Entries(entries)
        self._loop = loop
        self._outcome = outcome
        self._told = told
        self._written_s = WRITTEN_S if is_exact else SLOWLY_WRITTEN_S
        #: The devices that are replayed, by the word for them in an event's id; and their wires.
        self._lines: dict[str, Relined] = {}
        #: Events of devices that are on none of them.
        self._unheard: Counter[str] = Counter()

    @property
    def table(self) -> Table:
        return self._standing.table

    def unheard(self) -> list[str]:
        """Devices of which there is no log: what they said was taken from the journal."""
        each = ", ".join(
            f"{name} ({count} events)" for name, count in sorted(self._unheard.items())
        )
        return [f"there is no log of {each}: taken as the journal has it"] if each else []

    @property
    def core(self) -> Core:
        """What the supervisor posts to: of a core it needs no more than this one can."""
        return cast(Core, self._posts)

    def has_come_to(self, entry: int) -> bool:
        """Everything up to this entry was taken, and nothing is waiting to be."""
        following = self._entries.next
        return not self._posts.posted and (following is None or following.seq > entry)

    def replays(self, wire: Relined, devices: Iterable[str]) -> None:
        """What these devices say is heard from this wire, and not taken from the journal."""
        self._lines |= {name.replace(" ", "-"): wire for name in devices}

    def decided(self, logged: Logged, supervisor: Supervisor) -> None:
        """The log has come to where the table took an entry: take it, and all before it."""
        assert isinstance(logged.record, Remark)
        text = logged.record.text
        word, _, rest = text.partition(" ")
        number = rest.partition(" ")[0]
        if word != "entry" or not number.isdecimal():
            raise NotWhole("the log names no entry", text, "entry NUMBER ...")
        if self._entries.next is None:
            raise NotWhole("the journal ends before the log", text, "nothing")
        while (entry := self._entries.next) is not None and entry.seq <= int(number):
            self._entries.take()
            if entry.kind == "decision":
                raise NotWhole("a decision without its event", f"entry {entry.seq}", "nothing")
            recorded = _events.decode(entry.body)
            then = self._posted(recorded, supervisor)
            before = self._standing.table
            done = step(self._terms, before, recorded)
            self._compare(entry.seq, recorded, done)
            if self._told is not None:
                self._told(before, recorded, done)
            self._standing.table = done.table
            self._outcome.events += 1
            supervisor.carry_out(done.commands)
            if then is not None:
                self._outcome.from_devices += 1
                then(Taken(entry.seq, done))
        self.nothing_left(text)

    def _posted(self, recorded: Event, supervisor: Supervisor) -> Then | None:
        """What follows on it at the devices' side, if that has posted it."""
        found = self._posts.matching(recorded)
        line = self._lines.get((recorded.id or "").partition(":")[0])
        if found is None and line is not None and not line.ended:
            # felt was woken for what nobody answered in time, and had nothing to send then.
            line.lapse(self._loop.time())
            supervisor.turned(line.name)
            found = self._posts.matching(recorded)
        if found is None and self._is_ours(recorded):
            if (timer := self._loop.next_timer()) <= self._loop.time() + EARLY_S:
                # Not then, but now: what felt sent because of it was sent when the record says.
                self._loop.settle(due_by=timer)
                found = self._posts.matching(recorded)
            if found is None and recorded.id:
                near = next((event for _, event, _ in self._posts.posted), None)
                words = said(near) if near is not None else "nothing"
                raise Differs("a device's event is another one", said(recorded), words, near)
        return found

    def _is_ours(self, recorded: Event) -> bool:
        """Whether it comes from a device whose wire is replayed."""
        if not recorded.id:
            return isinstance(recorded, _OF_FELT)
        line = self._line_of(recorded)
        if line is None:
            if of := _OF_DEVICE.match(recorded.id):
                self._unheard[of[1]] += 1
            return False
        if line.is_cut_off and not line.ended:
            line.missed += 1
            return False
        return not line.ended

    def _line_of(self, event: Event) -> Relined | None:
        device = event.id.partition(":")[0] if event.id else str(getattr(event, "device", ""))
        return self._lines.get(device.replace(" ", "-"))

    def _counts(self, posted: Event) -> bool:
        """Not where the record of its wire has ended: its device seems mute from there on."""
        line = self._line_of(posted)
        return line is None or not (line.ended or line.is_cut_off)

    def _compare(self, seq: int, event: Event, done: Step) -> None:
        entry = self._entries.next
        if entry is None or entry.kind != "decision":
            self._outcome.remarks.append(f"entry {seq}: its decision is not in the journal")
            return
        self._entries.take()
        recorded = entry.body
        made = msgspec.json.encode(Decision(done.table.phase, done.commands, done.refused))
        if made != recorded:
            what = f"entry {seq}, {said(event)}: decided otherwise"
            raise Differs(what, recorded.decode(errors="replace"), made.decode(), event)

    def nothing_left(self, recorded: str = "nothing") -> None:
        """Differs, if the devices' side posted something long ago that the journal has not."""
        if late := self._posts.overdue(self._loop.time() - self._written_s, self._counts):
            what = "the replay took what was never recorded"
            raise Differs(what, recorded, said(late), late)


def said(event: Event) -> str:
    return msgspec.json.encode(event).decode()
