"""What dialects have in common: felt asks, one device answers, and nobody speaks unasked.

A dialect writes down its conversations as jobs: a generator that gives what to ask and gets the
answer. All that can go wrong on the way is settled here, once: an answer that does not come, comes
twice or comes as garbage; commands that wait, expire or have to be done again; events that wait for
their acknowledgement. Everything a dialect asks may be asked twice, so it is repeated freely.

No I/O and no clock: bytes and times in and out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar

import msgspec

from drivers import memory
from drivers.wire import messages
from drivers.wire.commanded import Commanded, Stage, Waiting, expired
from drivers.wire.handshake import Identity, Outcome
from drivers.wire.line import Counts
from drivers.wire.notices import Answered, Heard, Identified, Lost, Notice, Refused
from drivers.wire.station import MAX_TRIES

#: Events that wait for the one before them to be acknowledged.
MAX_EVENTS = 64
#: So often something is asked that a device need not know.
OPTIONAL_TRIES = 2
#: Devices on one line, as on felt's own bus.
MAX_STATIONS = 7
#: Seconds between two looks at whether a device is still as it was told to be.
VERIFY = 1.0


@dataclass(frozen=True, slots=True)
class Ask:
    """A request as it goes out, and how its answer is recognised."""

    frame: bytes
    #: From bytes as they came: the length of an answer that stands at their beginning, 0 if one may
    #: stand there and more is needed, -1 if none does.
    look: Callable[[bytes], int]
    #: Devices may leave it unanswered; the job then gets no bytes.
    optional: bool = False


T = TypeVar("T")
#: A conversation: gives what to ask, gets the whole frame of the answer.
Job = Generator[Ask, bytes, T]
#: What became of a command, and a word about it.
Fate = tuple[Outcome, str]
#: Conversations that felt has by itself: each can be begun again as long as nothing was answered.
Routine = Literal["identify", "look_after", "verify"]


@dataclass(frozen=True, slots=True)
class Pace:
    """In seconds."""

    #: How long an answer may take, its bytes included.
    answer: float = 0.1
    #: Between two looks at a device that is well.
    poll: float = 0.1
    #: The silence that the line needs between an answer and the next request.
    gap: float = 0.0
    #: Between two tries to find a device that is not there; doubled each time up to the second.
    hello: float = 0.25
    hello_most: float = 5.0


@dataclass(slots=True)
class _Waiting(Waiting):
    begun: bool = False


@dataclass(frozen=True, slots=True)
class _Told:
    message: messages.Event
    boot: int
    seq: int
    missed: int
    since: float | None


#: What every station remembers that can be written down as it is.
_REMEMBERED = (
    "stage",
    "heard_at",
    "retries",
    "boot",
    "_tries",
    "_hello_at",
    "_hello_wait",
    "_poll_at",
    "_verify_at",
    "_seq",
    "_missed",
)


class PolledStation(Commanded[_Waiting]):
    """One device. A dialect says how it is identified, looked after and told what to do."""

    #: What a dialect remembers besides: attributes with plain values (see ``drivers.memory``).
    remembers: ClassVar[tuple[str, ...]] = ()

    def __init__(self, address: int, boot: int, pace: Pace) -> None:
        super().__init__()
        self.address = address
        self.identity: Identity | None = None
        self.heard_at: float | None = None
        self.retries = 0
        self.pace = pace
        #: Numbers the times that the device came, as far as felt can tell them apart.
        self.boot = boot
        self._job: Job[Any] | None = None
        #: Which routine the job is, and when it began; none if it is a command.
        self._routine: tuple[Routine, float] | None = None
        self._finish: Callable[[Any, float], None] = lambda _result, _now: None
        self._ask: Ask | None = None
        self._tries = 0
        #: So many answers the running job got.
        self._answers = 0
        self._hello_at = 0.0
        self._hello_wait = pace.hello
        self._poll_at = 0.0
        self._verify_at = 0.0
        #: When the last look at it began that came to its end: what it tells now is no older.
        self._looked_at: float | None = None
        self._events: deque[_Told] = deque()
        self._unacknowledged: _Told | None = None
        self._told_after: list[messages.Event] = []
        self._seq = 0
        self._missed = 0

    # --- For the dialect ------------------------------------------------------

    @abstractmethod
    def identify(self, now: float) -> Job[tuple[Identity, bool] | Refused]:
        """Who the device is and whether it has restarted, or why it can't be used."""

    @abstractmethod
    def look_after(self, now: float) -> Job[None]:
        """What is done every now and then while all is well: polls, above all."""

    @abstractmethod
    def verify(self, now: float) -> Job[None]:
        """Once in a while, after a look: is the device still as it was told to be?"""

    @abstractmethod
    def carry_out(self, message: messages.Command, now: float) -> Job[Fate]: ...

    def tell(self, message: messages.Event, missed: int = 0) -> None:
        """An event. It is delivered when the one before it is acknowledged."""
        self._missed += missed
        self._seq += 1
        if len(self._events) >= MAX_EVENTS:
            # Nothing is said wrong by dropping it: the next one tells that there is a gap.
            self._missed += 1
            return
        self._events.append(_Told(message, self.boot, self._seq, self._missed, self._looked_at))
        self._missed = 0
        self._deliver()

    def tell_when_answered(self, message: messages.Event) -> None:
        """What came of the command that is being carried out: told behind its answer.

        A driver counts the readings that are to come by the orders that were answered.
        """
        self._told_after.append(message)

    def begins_anew(self, now: float) -> None:
        """felt numbers its events: what it tells from now on has other numbers."""
        self.new_boot()
        self.lose(now, "its events have numbers that felt had before")

    def new_boot(self) -> None:
        self.boot += 1
        self._seq = 0

    def lose(self, now: float, why: str) -> None:
        """The line is gone, or the device does not answer, or it is not what it was."""
        if self.stage != "silent":
            self.pending.append(Lost(why))
        self._end(now, "silent", 0.0)
        self._hello_wait = self.pace.hello

    # --- For the driver -------------------------------------------------------

    def send(
        self, command: int, message: messages.Command, *, deadline: float, urgent: bool = False
    ) -> None:
        if self._has_room(command, message):
            self._queue(_Waiting(command, message, deadline, urgent))

    def accept(self, now: float) -> None:
        # It may be gone again by the time that somebody has made up their mind.
        if self.stage == "identified":
            self.stage = "ready"
            self._poll_at = now

    def refuse(self, now: float) -> None:
        self._end(now, "refused", self.pace.hello_most)

    def acknowledge(self, boot: int, seq: int) -> None:
        waiting = self._unacknowledged
        if waiting is not None and (waiting.boot, waiting.seq) == (boot, seq):
            self._unacknowledged = None
            self._deliver()

    @property
    def is_known(self) -> bool:
        """It has said who it is, and not fallen silent since."""
        return self.stage in ("identified", "ready")

    @property
    def wants_to_say(self) -> bool:
        """More than that it is still there, and to a device that hears it."""
        waits = self._urgent or self._ordinary
        return bool(self._ask is not None or (waits and self.stage == "ready"))

    # --- For the line ---------------------------------------------------------

    def wakes_at(self) -> float:
        """When ``next_ask`` has something to do."""
        if self.pending or self._ask is not None:
            return 0.0
        if self.stage in ("silent", "refused"):
            at = self._hello_at
        elif self.stage == "identified":
            at = float("inf")
        elif self._urgent or self._ordinary:
            return 0.0
        else:
            at = self._poll_at
        return min(at, self._first_deadline())

    def next_ask(self, now: float) -> Ask | None:
        """What to put on the line now, if there is anything."""
        self._expire(now)
        if self._ask is None:
            self._begin(now)
        elif self._tries:
            self.retries += 1
        if self._ask is not None:
            self._tries += 1
        return self._ask

    @property
    def asked(self) -> Ask | None:
        """What waits for its answer, or to be asked."""
        return self._ask

    @property
    def repeating(self) -> bool:
        """Was this asked more than once, so that it may be answered more than once?"""
        return self._tries > 1

    def replied(self, frame: bytes, now: float) -> None:
        if self._job is None:
            return
        self.heard_at = now
        self._answers += 1
        self._step(lambda job: job.send(frame), now)

    def unanswered(self, now: float) -> None:
        """It is asked again when it is its turn, or given up."""
        if self._ask is None:
            return
        if self._ask.optional and self._tries >= OPTIONAL_TRIES:
            self._step(lambda job: job.send(b""), now)
        elif self.is_known:
            if self._tries >= MAX_TRIES:
                self.lose(now, f"no answer to {self._tries} tries")
        elif self._tries >= MAX_TRIES or not self._answers:
            # Nobody there: a single question is enough, or an empty place would slow the rest.
            self._end(now, self.stage, max(0.0, self._hello_at - now))

    # --- Jobs -----------------------------------------------------------------

    def _begin(self, now: float) -> None:
        if self.stage in ("silent", "refused"):
            if now >= self._hello_at:
                self._hello_wait = min(2 * self._hello_wait, self.pace.hello_most)
                self._hello_at = now + self._hello_wait
                self._do("identify", now, now)
        elif self.stage == "ready":
            queue = self._urgent or self._ordinary
            if queue:
                waiting = queue.popleft()
                waiting.begun = True
                self._commanding = waiting
                self._routine = None
                self._start(self.carry_out(waiting.message, now), self._carried_out, now)
            elif now >= self._poll_at:
                self._poll_at = now + self.pace.poll
                self._do("look_after", now, now)

    def _do(self, routine: Routine, begun: float, now: float) -> None:
        self._routine = (routine, begun)
        match routine:
            case "identify":
                self._start(self.identify(begun), self._identified, now)
            case "look_after":
                self._start(self.look_after(begun), self._looked_after, now)
            case "verify":
                self._start(self.verify(begun), lambda _nothing, _now: None, now)

    def _looked_after(self, _nothing: None, now: float) -> None:
        begun = now if self._routine is None else self._routine[1]
        self._looked_at = begun
        if begun >= self._verify_at:
            self._verify_at = begun + VERIFY
            self._do("verify", begun, now)

    def _start(self, job: Job[Any], finish: Callable[[Any, float], None], now: float) -> None:
        self._job = job
        self._finish = finish
        self._answers = 0
        self._step(next, now)

    def _step(self, go_on: Callable[[Job[Any]], Ask], now: float) -> None:
        job, finish = self._job, self._finish
        if job is None:
            return
        self._ask = None
        self._tries = 0
        try:
            ask = go_on(job)
        except StopIteration as stop:
            if self._job is job:
                self._job = None
                finish(stop.value, now)
            return
        if self._job is job:
            self._ask = ask
        else:
            # It found that the device is not what it was, and the station has let go of it.
            job.close()

    def _identified(self, found: tuple[Identity, bool] | Refused, now: float) -> None:
        if isinstance(found, Refused):
            self.pending.append(found)
            self._end(now, "refused", self.pace.hello_most)
            return
        self.identity, restarted = found
        if self._looked_at is None and self._routine is not None:
            # What was before felt came is not felt's: it tells what happens from then on.
            self._looked_at = self._routine[1]
        self.stage = "identified"
        self._hello_wait = self.pace.hello
        self.pending.append(Identified(self.identity, restarted))

    def _carried_out(self, fate: Fate, now: float) -> None:
        waiting = self._commanding
        self._commanding = None
        if waiting is not None:
            self.pending.append(Answered(waiting.command, waiting.message, *fate))
        for message in self._told_after:
            self.tell(message)
        self._told_after.clear()
        # What a command leads to shows in the next look.
        self._poll_at = min(self._poll_at, now)

    def _end(self, now: float, stage: Stage, wait: float) -> None:
        if self._commanding is not None:
            # Whether it was done is not known, and doing it again does no harm.
            queue = self._urgent if self._commanding.urgent else self._ordinary
            queue.appendleft(self._commanding)
            self._commanding = None
        self.stage = stage
        self._job = None
        self._ask = None
        self._tries = 0
        self._hello_at = now + wait

    # --- For a replay ---------------------------------------------------------

    def memory(self) -> dict[str, Any] | None:
        """All that it would need to go on from here; none while anything but a poll is on its way.

        What is asked first in a routine is asked again just so; from then on what was answered
        stands in the job alone.
        """
        if self._urgent or self._ordinary or self._commanding or self.pending:
            return None
        if self._events or self._unacknowledged or self.stage == "identified":
            return None
        if self._job is not None and (self._routine is None or self._answers):
            return None
        return {
            "identity": msgspec.to_builtins(self.identity),
            "routine": None if self._job is None else self._routine,
            **{name: getattr(self, name) for name in _REMEMBERED},
            "_looked_at": self._looked_at,
            "own": self.own_memory(),
        }

    def recall(self, remembered: dict[str, Any]) -> None:
        """Go on from there. Raises ``ValueError`` if it is no memory of such a station."""
        try:
            for name in _REMEMBERED:
                setattr(self, name, remembered[name])
            self._looked_at = remembered.get("_looked_at")
            self.identity = msgspec.convert(remembered["identity"], Identity | None)
            self.recall_own(remembered["own"])
            if remembered["routine"] is not None:
                routine, begun = msgspec.convert(remembered["routine"], tuple[Routine, float])
                self._do(routine, begun, begun)
                self._tries = int(remembered["_tries"])
        except (KeyError, TypeError, msgspec.ValidationError, memory.Unmemorable) as error:
            raise ValueError(f"no memory of a station: {error!r}") from None

    def own_memory(self) -> dict[str, Any]:
        return {name: memory.packed(getattr(self, name)) for name in self.remembers}

    def recall_own(self, own: dict[str, Any]) -> None:
        for name in self.remembers:
            setattr(self, name, memory.unpacked(own[name]))

    # --- Bounds ---------------------------------------------------------------

    def _expire(self, now: float) -> None:
        self.pending += [_expired(one) for one in self._take_overdue(now)]
        given = self._commanding
        if given is not None and given.deadline <= now:
            self._commanding = None
            self._job = None
            self._ask = None
            self._tries = 0
            self.pending.append(_expired(given))

    def _deliver(self) -> None:
        if self._unacknowledged is None and self._events:
            told = self._events.popleft()
            self._unacknowledged = told
            heard = Heard(told.message, told.seq, told.boot, told.missed, since=told.since)
            self.pending.append(heard)


def _expired(waiting: _Waiting) -> Notice:
    return expired(waiting, was_sent=waiting.begun)


class PolledLine:
    """A line on which devices answer when they are asked: alone, or several on a bus.

    A request has the line until it is answered or its time is over. The line goes to who needs it
    most, and among equals to who has waited longest; so a lock-out reaches every acceptor before
    the first of them is asked whether it is locked.
    """

    def __init__(self, stations: Iterable[PolledStation]) -> None:
        given = tuple(stations)
        self._stations = {station.address: station for station in given}
        if len(self._stations) < len(given):
            raise ValueError("two devices have the same address")
        if not given or not all(1 <= station.address <= MAX_STATIONS for station in given):
            raise ValueError(f"a line has 1 to {MAX_STATIONS} devices, numbered from 1")
        self.counts = Counts()
        # On one line everybody has the time that the slowest needs.
        self._answer = max(station.pace.answer for station in given)
        self._gap = max(station.pace.gap for station in given)
        #: By how long ago they had the line, the longest first.
        self._turns = list(self._stations.values())
        self._speaking: PolledStation | None = None
        self._ask: Ask | None = None
        self._due = 0.0
        self._free_at = 0.0
        #: What came since the request went out and is neither answer, echo nor garbage yet.
        self._heard = b""
        self._echo_seen = False

    @property
    def stations(self) -> Sequence[PolledStation]:
        return tuple(self._stations.values())

    def received(self, data: bytes, now: float) -> None:
        self.counts.bytes_in += len(data)
        if self._speaking is not None and not self._speaking.is_known:
            # Who is not there is not asked again at once: here it is the time that tells.
            self._lapse(now)
        station, ask = self._speaking, self._ask
        if station is None or ask is None:
            self.counts.garbage += len(data)
            return
        heard = self._heard + data
        at = 0
        while at < len(heard):
            rest = heard[at:]
            length = ask.look(rest)
            if length > 0:
                self.counts.frames_in += 1
                self.counts.garbage += len(rest) - length
                # Asked twice, it may answer twice: the second must not answer the next request.
                patience = self._answer if station.repeating else self._gap
                self._quiet(now + patience)
                station.replied(rest[:length], now)
                return
            if not self._echo_seen and ask.frame.startswith(rest[: len(ask.frame)]):
                # What felt says comes back on a wire that has one line for both directions.
                if len(rest) < len(ask.frame):
                    break
                self._echo_seen = True
                self.counts.astray += 1
                at += len(ask.frame)
            elif length == 0:
                break
            else:
                self.counts.garbage += 1
                at += 1
        self._heard = heard[at:]

    def to_write(self, now: float) -> list[bytes]:
        """The request that goes out now, if the line is free and somebody has one."""
        self._lapse(now)
        if self._speaking is not None or now < self._free_at:
            return []
        for station in sorted(self._turns, key=lambda s: s.urgency(now), reverse=True):
            ask = station.next_ask(now)
            if ask is not None:
                self._turns.remove(station)
                self._turns.append(station)
                self._speaking = station
                self._ask = ask
                # And the silence that the line needs: what is given up is asked again at once.
                self._due = now + self._answer + self._gap
                self.counts.frames_out += 1
                self.counts.bytes_out += len(ask.frame)
                return [ask.frame]
        return []

    def _lapse(self, now: float) -> None:
        """If the time for an answer is over it is given up, in the moment in which felt goes on.

        Not before: an answer that comes meanwhile counts, and a log tells what came of it by what
        was asked next.
        """
        speaking = self._speaking
        if speaking is not None and now >= self._due:
            self.counts.garbage += len(self._heard)
            self._quiet(now)
            speaking.unanswered(now)

    def wakes_at(self) -> float:
        if self._speaking is not None:
            return self._due
        return max(self._free_at, min(station.wakes_at() for station in self._turns))

    def cut(self, now: float, why: str) -> None:
        """The line is gone: all that was half received is worth nothing."""
        self._quiet(now)
        # From the first again, so that what follows does not depend on what nobody heard.
        self._turns = list(self._stations.values())
        for station in self._stations.values():
            station.lose(now, why)

    def memory(self) -> dict[str, Any] | None:
        """All that is needed to go on from here; none while more than a poll is on its way."""
        each = {str(one.address): one.memory() for one in self._turns}
        if None in each.values():
            return None
        return {
            "stations": each,
            "turns": [one.address for one in self._turns],
            "speaking": self._speaking.address if self._speaking is not None else None,
            "due": self._due,
            "free at": self._free_at,
            "heard": self._heard.hex(),
            "echo seen": self._echo_seen,
        }

    def recall(self, memory: dict[str, Any]) -> None:
        """Go on from there. Raises ``ValueError`` if it is no memory of this line."""
        try:
            turns = [self._stations[address] for address in memory["turns"]]
            if len(turns) != len(self._stations):
                raise ValueError("no memory of this line: it has other devices")
            for one in turns:
                one.recall(memory["stations"][str(one.address)])
            self._turns = turns
            speaking = memory["speaking"]
            self._speaking = None if speaking is None else self._stations[speaking]
            self._ask = None if self._speaking is None else self._speaking.asked
            self._due, self._free_at = float(memory["due"]), float(memory["free at"])
            self._heard = bytes.fromhex(memory["heard"])
            self._echo_seen = bool(memory["echo seen"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"no memory of this line: {error!r}") from None

    def _quiet(self, until: float) -> None:
        self._speaking = None
        self._ask = None
        self._heard = b""
        self._echo_seen = False
        self._free_at = until
