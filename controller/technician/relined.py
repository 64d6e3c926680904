"""One recorded wire: takes the port's place, and compares what the line wants to send."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from operator import attrgetter
from typing import Any

from controller.technician.cut import ENDS
from controller.technician.logs import Logged
from drivers.contract import Health
from drivers.wire import cobs, describe, frame, messages
from drivers.wire.capture import QUIET_S
from drivers.wire.devicelog import Bytes, Damage, Polled, Quiet, Remark
from drivers.wire.frame import Kind, from_bytes
from drivers.wire.line import Correspondent, Line, Spoken
from drivers.wire.recorded import RecordedAtBroker, RecordedStation
from drivers.wire.serial import LEAST_REST_S, LONGEST_REST_S
from drivers.wire.station import Rest, Station

#: Times in a log are rounded to microseconds.
ROUNDED_S = 0.000_002
#: What is said at once may be said so much later, by a busy processor.
AT_ONCE_S = 0.25
#: Recorded bytes of a frame that is not whole yet; more is no frame of ours.
MAX_HELD = 4096
#: Records that are looked at, at the most, to say what felt did next.
MAX_AHEAD = 1000
_HELLO = bytes([Kind.HELLO])
#: Remarks after which felt goes on otherwise.
_HAPPENS = ("table", "port", "gap")
#: Of a packet, what stands before its tag and its check.
UNTAGGED = -(frame.TAG_BYTES + frame.CHECK_BYTES)
#: The same in a frame, which ends with a zero.
_CODED = UNTAGGED - 1

#: Makes a record in half the time of its own constructor.
_new = tuple.__new__
_wants_to_say = attrgetter("wants_to_say")
#: Of a line that was asked.
_due = attrgetter("_due")


class Unlike(Exception):
    """The line wants to say something else than was recorded."""

    def __init__(self, wire: str, what: str, recorded: str, replayed: str) -> None:
        super().__init__(what)
        self.wire = wire
        self.parts = (what, recorded, replayed)


class Alarm:
    """When the first of all lines wants to be woken: so they are not all asked at every record."""

    def __init__(self) -> None:
        #: None of them wants it before, except those in which something was done since.
        self.at = -inf
        self.changed: set[Relined] = set()

    def rings_before(self, at: float) -> bool:
        self._ask()
        return self.at < at

    def first(self, lines: Iterable[Relined]) -> Relined:
        """Of all lines, the one that wants to be woken first."""
        self._ask()
        return min(lines, key=_due)

    def _ask(self) -> None:
        for line in self.changed:
            self.at = min(self.at, line.due)
        self.changed.clear()


class Relined:
    def __init__(
        self,
        name: str,
        line: Spoken,
        records: Iterator[Logged],
        clock: Callable[[], float],
        *,
        trusts: bool,
    ) -> None:
        self._clock = clock
        self.name = name
        self.line = line
        self.is_open = False
        self._due = inf
        #: Something was done at this time, and the line was not asked since.
        self._looked_at: float | None = None
        #: How late felt may have been.
        self.late_s = 0.0
        #: What is told of it, for all lines together.
        self.alarm = Alarm()
        #: The last records that it had, for the one that it then differs at.
        self.recent: deque[Logged] = deque(maxlen=1)
        #: A gap: nothing after it can be compared.
        self.ended = False
        #: felt said that it ends here: it is not the log that does.
        self.let_go = False
        #: The log was cut there: what was due went on outside of it.
        self._is_cut = False
        #: Events of its devices that the journal has and the log no longer.
        self.missed = 0
        #: The next record; none at the end.
        self.head: Logged | None = next(records, None)
        self._source = records
        #: Records after the next one, as far as somebody had to look.
        self._ahead: deque[Logged] = deque()
        #: The first of them that happened on the wire itself, if somebody has looked for it; and
        #: when that began.
        self._coming: Logged | None = None
        self._comes_us = inf
        self._pending = [one.pending for one in line.stations]
        self._trusts = trusts
        self._idle = 0
        self._held = bytearray()
        self._wanted: deque[bytes] = deque()
        self._trouble: Health | None = Health("connecting", 0.0, "not opened yet")

    # --- The record -------------------------------------------------------------

    def take(self) -> None:
        """The next record is done with."""
        if (head := self.head) is not None:
            self.recent.append(head)
        if head is self._coming:
            self._coming = None
        self.head = self._ahead.popleft() if self._ahead else next(self._source, None)
        if self.head is None and head is not None:
            self._is_cut = isinstance(head.record, Remark) and head.record.text == ENDS

    def _following(self) -> Iterator[Logged]:
        """The next record and those after it, which are kept for their turn."""
        if self.head is not None:
            yield self.head
        yield from self._ahead
        for logged in self._source:
            self._ahead.append(logged)
            yield logged

    @property
    def is_over(self) -> bool:
        """There is no more record; if that is felt's end, nothing but a poll would be said."""
        if self.head is not None:
            return False
        return self._is_cut or not (self.let_go and self._wants_to_say())

    @property
    def is_cut_off(self) -> bool:
        """The log has ended before felt did."""
        return self.head is None and not self.let_go

    def signs(self, now: float, limit: float) -> Iterator[float]:
        """When its log shows that felt was there, from now up to this time."""
        for logged in self._following():
            times_us = [logged.at_us]
            match logged.record:
                case Remark(word="note"):
                    continue  # somebody else's
                case Quiet(length_us=length_us, devices=devices):
                    # Of polls that are counted only some have their time.
                    times_us += [logged.at_us - us for us in (length_us, *_told(devices))]
            yield from (us / 1e6 for us in times_us if now <= us / 1e6 <= limit)
            if logged.at_us > (limit + QUIET_S) * 1e6:
                return

    def happens_by(self, limit: float) -> bool:
        """Whether anything happens on the wire itself up to this time."""
        return self._next_begins(limit * 1e6) is not None

    def _next_begins(self, limit_us: float) -> Logged | None:
        """What next happens on the wire itself, if it begins up to this time."""
        if self._coming is None:
            self._look_for_coming(limit_us)
        return self._coming if self._comes_us <= limit_us else None

    def _look_for_coming(self, limit_us: float) -> None:
        """What next happens on the wire itself; no further than may be of interest."""
        self._comes_us = inf
        head = self.head
        if head is not None and isinstance(head.record, Bytes):
            self._coming, self._comes_us = head, head.at_us  # as most often
            return
        for logged in self._following():
            record = logged.record
            if isinstance(record, Quiet):
                self._coming, self._comes_us = logged, logged.at_us - record.length_us
                return
            if isinstance(record, Damage):
                self._coming, self._comes_us = logged, -inf  # nobody knows what happened, or when
                return
            if isinstance(record, Bytes) or (
                isinstance(record, Remark) and (record.word == "port" or record.text == ENDS)
            ):
                # Where a cut ends, whatever was due went on outside of it.
                self._coming, self._comes_us = logged, logged.at_us
                return
            # A quiet stretch stands where it ends: what the table did meanwhile is before it.
            if logged.at_us > limit_us + QUIET_S * 1e6:
                return

    def _next_happens(self) -> Logged | None:
        """What comes next that anything follows from: who a device is, or a note, says nothing."""
        if self.head is not None and not isinstance(self.head.record, Remark):
            return self.head  # as most often
        for count, logged in enumerate(self._following()):
            record = logged.record
            if not isinstance(record, Remark) or record.word in _HAPPENS or count > MAX_AHEAD:
                return logged
        return None

    @property
    def hears_next(self) -> bool:
        """Whether the next thing that happens is that something comes in."""
        following = self._next_happens()
        record = following.record if following is not None else None
        return isinstance(record, Bytes) and record.direction == "in"

    def _next_out(self) -> str:
        """When felt next sent something, by the record, if that is soon."""
        for count, logged in enumerate(self._following()):
            record = logged.record
            if isinstance(record, Bytes) and record.direction == "out":
                return f"nothing before {logged.at_us / 1e6:.6f}"
            if count > MAX_AHEAD:
                break
        return "nothing for a long time"

    def give_up(self) -> None:
        self.ended = True
        self.head = self._coming = None
        self._ahead.clear()
        self._source = iter(())
        self.due = inf

    def lapse(self, now: float) -> None:
        """What is over by now is over, though nothing was said about it: that leaves no record."""
        for one in self.line.stations:
            if isinstance(one, Station):
                one.lapse(now)

    # --- As the supervisor sees it ----------------------------------------------

    def kick(self) -> None:
        """The line may have something new to say. It goes out at once, as from a port."""
        if not self.ended and not self._wanted and self._wants_to_say():
            self._say_at_once()
        self.look(self._clock())

    def _say_at_once(self) -> None:
        now, following = self._clock(), self._next_happens()
        # The clock is read again before a poll is sent.
        begun = self._next_begins((now + AT_ONCE_S) * 1e6)
        if not self.is_open or following is None:
            frames = self.line.to_write(now)
        elif begun is not None and isinstance(begun.record, Quiet):
            # A poll is out, or goes out, that is not written out here: it is said after the answer.
            return
        elif self.line.wakes_at() > now + ROUNDED_S:
            # Somebody else has the line: what stands next was said when that was over.
            return
        elif isinstance(following.record, Bytes) and following.record.direction == "out":
            # What was said because of this stands next. The clock was read again for it.
            frames = self._spoken(following.record.data, max(now, following.at_us / 1e6))
        else:
            frames = self._spoken(b"\0", now)
        if self.is_open:
            self._wanted.extend(frames)

    def _wants_to_say(self) -> bool:
        return any(map(_wants_to_say, self.line.stations))

    def has_news(self) -> bool:
        """Whether a device said something that its driver has not heard of."""
        return any(self._pending)

    def trouble(self) -> Health | None:
        return self._trouble

    async def run(self) -> None:
        raise RuntimeError("a recorded wire is not run")

    def recall(self, memory: dict[str, Any]) -> None:
        """Begin in the middle of a log, with what felt knew there."""
        absent = memory["absent"]
        self.is_open = absent is None
        if absent is None:
            self._trouble = None
        else:
            self._trouble = Health("absent", float(absent["since"]), str(absent["reason"]))
        self.line.recall(memory["line"])

    def began_within(self, seconds: float) -> None:
        """felt was told its first orders at some moment of its start, which took so long."""
        for one in self.line.stations:
            if isinstance(one, RecordedAtBroker):
                one.began_within(round(seconds * 1000))

    def memory(self) -> dict[str, Any] | None:
        """Where it stands, as its port would say it; none while anything is on its way."""
        if self.ended or self._held or self._wanted:
            return None
        line, trouble = self.line.memory(), self._trouble
        if trouble is None:
            return line and {"absent": None, "line": line}
        absent = {"reason": trouble.reason, "since": trouble.since}
        return line and {"absent": absent, "line": line}

    # --- What happens -----------------------------------------------------------

    def received(self, data: bytes, now: float) -> None:
        self.line.received(data, now)

    def port(self, text: str, now: float) -> None:
        if text.startswith("open "):
            self.is_open = True
            self._trouble = None
            self._forget()
            self.line.cut(now, "the port was opened")
        elif text.startswith("absent, "):
            reason = text.partition(": ")[2]
            if self.is_open:
                self.line.cut(now, reason)
            self.is_open = False
            self._trouble = Health("absent", now, reason)
            self._forget()

    def _forget(self) -> None:
        self._held.clear()
        self._wanted.clear()

    def look(self, now: float) -> None:
        """Something was done: when does the line want to be woken?"""
        self._idle = 0
        self._looked_at = now
        self.alarm.changed.add(self)

    @property
    def due(self) -> float:
        """When the line wants to be woken."""
        # It is asked when somebody wants to know: most often more happens at the same moment.
        if (now := self._looked_at) is not None:
            self._looked_at = None
            at = inf if self.ended else max(self.line.wakes_at(), now)
            # Most often what it would be woken for is what happens next.
            if self.is_open and at < inf and self._next_begins((at + self.late_s) * 1e6):
                at = inf
            self._due = at
        return self._due

    @due.setter
    def due(self, due: float) -> None:
        self._looked_at = None
        self._due = due
        self.alarm.changed.add(self)

    def wakes(self, now: float) -> None:
        """It is woken, though nothing was sent at this time."""
        frames = self.line.to_write(now)
        if frames and self.is_open:
            raise Unlike(
                self.name,
                f"the replay would have sent more, at {now:.6f}",
                self._next_out(),
                self._words(frames[0]),
            )
        at = self.line.wakes_at()
        if at > now or frames:
            self._idle = 0
        else:
            self._idle += 1
            at = now + min(LEAST_REST_S * 2 ** min(self._idle, 16), LONGEST_REST_S)
        self.due = max(at, now + ROUNDED_S)

    def sent(self, data: bytes, now: float) -> int:
        """Recorded bytes that felt sent: how many frames ended in them, all as they should be."""
        if not self._held and data.find(0) == len(data) - 1:
            self._compare(data, now)
            return 1
        self._held += data
        count = 0
        while (end := self._held.find(0)) >= 0:
            recorded = bytes(self._held[: end + 1])
            del self._held[: end + 1]
            self._compare(recorded, now)
            count += 1
        if len(self._held) > MAX_HELD:
            raise Unlike(self.name, "what was sent is no frame", self._held.hex(), "nothing")
        return count

    def quiet(self, record: Quiet, at_us: int) -> int:
        """Polls that were answered, and that are only counted: go on as they left everything.

        How many frames they were of felt's.
        """
        if (instead := self._wanted_instead(record)) is not None:
            raise Unlike(
                self.name,
                "the replay would have sent something",
                f"{record.polls} polls that were answered and said nothing",
                self._words(instead),
            )
        rests = [
            (
                _new(
                    Rest,
                    (address, seq, (at_us - sent) / 1e6, (at_us - heard) / 1e6, answer, pause),
                ),
                polls,
            )
            for address, seq, polls, sent, heard, _, answer, pause in record.devices
        ]
        if not self._rests(rests):
            raise Unlike(
                self.name,
                "the replay is not at rest, or has counted other polls",
                ", ".join(f"{one.polls} polls of {one.address}, to #{one.seq}"
                          for one in record.devices),
                ", ".join(self._stand()),
            )  # fmt: skip
        return sum([polls for _, polls in rests])

    def _wanted_instead(self, record: Quiet) -> bytes | None:
        """What the replay would have said in place of these polls."""
        return self._wanted[0] if self._wanted else None

    def _rests(self, rests: Sequence[tuple[Rest, int]]) -> bool:
        return isinstance(self.line, Line) and self.line.resting(rests)

    def _stand(self) -> list[str]:
        return [describe_station(one, one.address) for one in self.line.stations]

    def _compare(self, recorded: bytes, now: float) -> None:
        if not self._wanted:
            self._wanted.extend(self._spoken(recorded, now))
        if not self._wanted:
            words = self._words(recorded)
            raise Unlike(self.name, "the replay would not have sent it", words, "nothing")
        replayed = self._wanted.popleft()
        if not (
            self._alike(recorded, replayed)
            or self._was_said_first(recorded, replayed)
            or _in_earlier_words(recorded, replayed)
        ):
            raise Unlike(
                self.name,
                "the replay would have sent something else",
                self._words(recorded),
                self._words(replayed),
            )

    def _was_said_first(self, recorded: bytes, replayed: bytes) -> bool:
        """Whether it is to be said in the same breath, and what was to be first comes after it.

        A felt that was held up between two of its orders has come to something else meanwhile.
        """
        if self.late_s <= ROUNDED_S:
            return False
        for place, one in enumerate(self._wanted):
            if self._alike(recorded, one):
                del self._wanted[place]
                self._wanted.appendleft(replayed)
                return True
        return False

    def _words(self, frame: bytes) -> str:
        return said(frame)

    def _spoken(self, recorded: bytes, now: float) -> list[bytes]:
        """What the line says now, if it is to greet with the greeting that was recorded."""
        greeting = self._greeting(recorded, now)
        greeted = self._greeted(greeting) if greeting is not None else ()
        frames = self.line.to_write(now)
        if not frames and (at := self.line.wakes_at()) <= now + ROUNDED_S:
            # It may only have given up what was not answered; or a time was rounded.
            frames = self.line.to_write(max(at, now))
        for one in greeted:
            one.greeting = None
        return frames

    def _greeting(self, recorded: bytes, now: float) -> bytes | None:
        """The greeting that was recorded, if it is this or is said in the same breath."""
        # In a frame the kind stands behind the first byte.
        if recorded[1:2] == _HELLO:
            return recorded
        by_us = (now + ROUNDED_S) * 1e6
        for logged in self._following():
            record = logged.record
            if not isinstance(record, Bytes) or record.direction == "in" or logged.at_us > by_us:
                break
            if record.data[1:2] == _HELLO:
                return record.data
        return None

    def _greeted(self, recorded: bytes) -> Sequence[RecordedStation]:
        """The station that is greeted with it, and now knows how."""
        if (packet := from_bytes(recorded[:-1])) is None:
            return ()
        found = [
            one
            for one in self.line.stations
            if isinstance(one, RecordedStation) and one.address == packet.address
        ]
        for one in found:
            one.greeting = packet
        return found

    def _alike(self, recorded: bytes, replayed: bytes) -> bool:
        if recorded == replayed or not self._trusts:
            return recorded == replayed
        one = cobs.decode(recorded[:-1])
        if one is None or one[:1] == _HELLO or frame.check(one):
            return False
        if len(recorded) == len(replayed) and recorded[:_CODED] == replayed[:_CODED]:
            return True  # what stands before the tags is coded alike, so it is alike
        other = cobs.decode(replayed[:-1])
        return other is not None and one[:UNTAGGED] == other[:UNTAGGED]


def _in_earlier_words(recorded: bytes, replayed: bytes) -> bool:
    """Whether it is the same order, as a felt gave it that could not name a chip."""
    one, other = from_bytes(recorded[:-1]), from_bytes(replayed[:-1])
    if one is None or other is None or one.kind is not Kind.COMMAND or one[:4] != other[:4]:
        return False
    message = messages.from_bytes(other.payload[4:])
    if not isinstance(message, messages.GiveBack):
        return False
    earlier = messages.to_bytes(messages.Return(message.cents))
    return one.payload == other.payload[:4] + earlier


def _told(devices: Sequence[Polled]) -> Iterator[int]:
    for one in devices:
        yield one.sent_us
        yield one.heard_us


def describe_station(one: Correspondent, place: int) -> str:
    seq = f" at #{one.rest().seq}" if isinstance(one, Station) else ""
    return f"{place} {one.stage}{seq}"


def said(coded: bytes) -> str:
    """A frame in words and bytes."""
    packet = from_bytes(coded[:-1])
    words = describe.packet(packet) if packet is not None else "no frame"
    return f"{words}  ({coded.hex()})"
