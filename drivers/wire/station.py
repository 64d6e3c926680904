"""felt's end of the conversation with one device. No I/O, no clock: packets and times in and out.

One request at a time, repeated until it is answered or given up. A command is done once: within a
session by its number, across sessions by its id, as long as the device has not restarted in
between. An event is delivered once and in order, and the device keeps it until it is acknowledged;
felt does that when the event is in the journal.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import msgspec

from drivers.wire import handshake, messages
from drivers.wire.commanded import Commanded, Stage, Waiting, expired
from drivers.wire.frame import MAX_FRAME, Deadline, Kind, Packet
from drivers.wire.handshake import PROTOCOL, Hello, Identity
from drivers.wire.keys import NONCE_BYTES, SessionKeys, proven
from drivers.wire.notices import (
    Answered,
    Heard,
    Identified,
    Lost,
    Notice,
    NotSent,
    Refused,
    Strange,
    StrangeThing,
    Unclear,
)

#: So often a request is sent before the device counts as lost.
MAX_TRIES = 5
#: They are asked for at every packet, and a kind's own name takes longer.
_IDENTITY, _EVENT, _IDLE, _RESULT = Kind.IDENTITY, Kind.EVENT, Kind.IDLE, Kind.RESULT
_POLL = Kind.POLL
#: Seconds after which a device that had more to tell would have told it, though a frame were lost.
TOLD_S = 0.6
#: Strange things that wait to be collected: a line full of them says no more than these.
MAX_STRANGE = 16


#: Of felt's nonce, an identity as it was written, and its proof: the device with whose key that was
#: made; nothing if nobody knows.
Whose = Callable[[bytes, bytes, bytes], str]
#: What to do about a device of another protocol.
NEWER = f"update felt, or load firmware into it that speaks protocol {PROTOCOL}"
OLDER = f"load firmware into it that speaks protocol {PROTOCOL}"
#: After so many hellos that were not answered, one that was turned away is not there any more.
GONE_AFTER = 3


@dataclass(frozen=True, slots=True)
class Timing:
    """In seconds. The defaults suit a line of 115200 baud and devices that answer in 20 ms."""

    #: How long an answer may take: at first, at the least and at the most.
    answer: float = 0.25
    answer_least: float = 0.03
    answer_most: float = 1.0
    #: Between one hello and the next, while nobody answers; doubled each time up to the second.
    hello: float = 0.25
    hello_most: float = 5.0
    #: The longest time without a round trip. On a bus, the time between two polls.
    poll: float = 1.0
    #: A device that has nothing to say is polled less and less often, down to this.
    poll_most: float = 1.0

    @classmethod
    def for_line(
        cls, byte_s: float, *, bus: bool = False, poll: float = 1.0, poll_most: float = 1.0
    ) -> Timing:
        """For a line on which a byte takes so long.

        On a bus nobody else can speak while an answer is waited for, so one that is mute gets no
        more time than a device in order needs.
        """
        frame_s = MAX_FRAME * byte_s
        return cls(
            answer=2 * frame_s + (0.05 if bus else 0.21),
            answer_least=max(cls().answer_least, frame_s + 0.01),
            answer_most=max(cls().answer_most, 4 * frame_s),
            poll=poll,
            poll_most=max(poll, poll_most),
        )


class Rest(NamedTuple):
    """How a station stands after a poll that was answered, with nothing to say on either side.

    All that such an exchange changes is in it: whoever knows the last of a row need not know the
    others. The times are those of the last poll, its answer, and what it is waited for next.
    """

    address: int
    seq: int
    sent_at: float
    heard_at: float
    #: How long an answer may take, and how long after it the next poll is due.
    answer: float
    pause: float


@dataclass(slots=True)
class _Waiting(Waiting):
    written: bytes
    #: Given to the wire at least once, in the boot with this number.
    sent_in_boot: int | None = None


#: What a station remembers that can be written down as it is.
_REMEMBERED = (
    "stage",
    "heard_at",
    "retries",
    "_session",
    "_seq",
    "_tries",
    "_sent_at",
    "_last_answered",
    "_due",
    "_answer_by",
    "_greeted",
    "_answer",
    "_hello_at",
    "_hello_wait",
    "_poll_at",
    "_poll_wait",
    "_polled_with",
    "_polls_the_same",
    "_boot",
    "_last_event",
    "_acknowledged",
)
#: The same; an earlier felt has not written them down.
_REMEMBERED_SINCE = (
    "_clear_at",
    "_telling_at",
    "_kept",
    "_known_acknowledged",
    "_told_before",
    "_acknowledged_before",
    "_named",
    "_acknowledges",
)


class Station(Commanded[_Waiting]):
    """One device, at its address on a line."""

    def __init__(
        self,
        address: int,
        key: bytes,
        nonce: Callable[[], bytes],
        *,
        timing: Timing | None = None,
        polled: bool = False,
        deadlines: bool = False,
        whose: Whose | None = None,
    ) -> None:
        """``whose`` tells with whose key a proof was made that is not this device's."""
        super().__init__()
        self._whose = whose
        #: Hellos in a row that nobody has answered.
        self._unanswered = 0
        self.address = address
        self.identity: Identity | None = None
        #: When the last packet that counted came in; none before the first.
        self.heard_at: float | None = None
        #: Requests that had to be sent again, ever.
        self.retries = 0
        self.timing = timing or Timing()
        self.polled = polled
        #: Tell the device up to when it may carry a command out: on a wire that may hold it back.
        self.deadlines = deadlines
        self._key = key
        self._nonce = nonce
        self._session = 0
        self._keys: SessionKeys | None = None
        self._our_nonce = bytes(NONCE_BYTES)
        self._seq = 0
        self._out: Packet | None = None
        self._tries = 0
        self._sent_at = 0.0
        #: The last request that was answered, and when it was first sent: deadlines count from it.
        self._last_answered = (0, 0.0)
        self._due = 0.0
        self._answer_by = 0.0
        #: An event that came before it was said whether the device belongs here.
        self._early: Packet | None = None
        #: A hello was sent that nobody has answered; a late answer to it is one all the same.
        self._greeted = False
        self._answer = self.timing.answer
        self._hello_at = 0.0
        self._hello_wait = self.timing.hello
        self._poll_at = 0.0
        self._poll_wait = self.timing.poll
        #: What the last poll of this session said that felt has, and whether the one before it too.
        self._polled_with: int | None = None
        self._polls_the_same = False
        self._boot: int | None = None
        self._last_event: int | None = None
        self._acknowledged = 0
        #: When it was last certain that no event waited at the device: what it tells after that is
        #: no older. And when an event was last on its way, its acknowledgement counted in.
        self._clear_at: float | None = None
        self._telling_at = 0.0
        #: The events up to this number waited when the device was greeted, since then at the most.
        self._kept: tuple[int, float | None] = (0, None)
        #: Up to which event the device knows that felt has it: it has answered a poll that said so.
        self._known_acknowledged = 0
        #: The last event of this boot before the session began, and the last known acknowledged.
        self._told_before = self._acknowledged_before = 0
        #: Whether anything was acknowledged in this session.
        self._acknowledges = True
        #: A boot that began to number its events anew, and the boot that felt takes it for.
        self._named: tuple[int, int] | None = None

    # --- For the driver -------------------------------------------------------

    def send(
        self, command: int, message: messages.Command, *, deadline: float, urgent: bool = False
    ) -> None:
        """Have a command sent. Its fate comes as a notice: Answered, Unclear or NotSent."""
        if not self._has_room(command, message):
            return
        try:
            written = command.to_bytes(4, "big") + messages.to_bytes(self._in_its_words(message))
        except (ValueError, OverflowError) as error:
            self.pending.append(NotSent(command, message, f"it can't be said: {error}"))
            return
        self._queue(_Waiting(command, message, deadline, urgent, written))

    def _in_its_words(self, message: messages.Command) -> messages.Command:
        """A chip is named by the boot in which it was told: by the device's own number for it."""
        named = self._named
        if isinstance(message, messages.GiveBack) and named and message.boot == named[1]:
            return msgspec.structs.replace(message, boot=named[0])
        return message

    def accept(self, now: float) -> None:
        """The device is the one that belongs here: it may be told what to do."""
        if self.stage == "identified":
            # Otherwise it has gone again before anybody could say so.
            self.stage = "ready"
            self._poll_wait = self.timing.poll
            self._poll_at = now + self._poll_wait
            if self._early is not None:
                self._event_received(self._early, now)
                self._early = None

    def refuse(self, now: float) -> None:
        """It is not. It is asked again who it is, seldom: somebody may plug in the right one."""
        if self.stage in ("identified", "ready"):
            self._end_session(now, "refused", self.timing.hello_most)

    def greet(self, now: float) -> None:
        """Something else says that the device is there: greet it now, not when its turn comes."""
        if self.stage in ("silent", "refused"):
            self._hello_wait = self.timing.hello
            # A hello that is on its way may still be answered.
            self._hello_at = now if self._out is None else min(self._hello_at, self._due)

    def acknowledge(self, boot: int, seq: int) -> None:
        """The event is safe: the device may forget it."""
        if boot == self._boot and seq == self._last_event and self._acknowledged != seq:
            self._acknowledged = seq
            self._acknowledges = True
            if self.polled:
                self._poll_at = 0.0
            else:
                self._acknowledge_now(seq)

    def begins_anew(self, now: float) -> None:
        """It numbers its events from 1 again under the boot that it had: it has restarted.

        From now on its boot has another number here, so that no event of it is taken for a repeat;
        greeted again, it tells those that it has.
        """
        said = self.said_boot
        if said is None:
            return
        drawn = binascii.crc32(said.to_bytes(4, "big") + self._our_nonce)
        self._named = (said, drawn if drawn != said else drawn ^ 1)
        self._strange("numbers anew")
        self.lose(now, "it numbers its events anew under the same boot")

    @property
    def session(self) -> int:
        """The number of the session, or of the hello that is to begin one."""
        return self._session

    @property
    def said_boot(self) -> int | None:
        """The boot by the device's own word."""
        if self._named is not None and self._boot == self._named[1]:
            return self._named[0]
        return self._boot

    def lose(self, now: float, why: str) -> None:
        """The line is gone, or the device does not answer."""
        self.elsewhere = None
        if self.stage != "silent":
            self.pending.append(Lost(why))
        self._end_session(now, "silent", 0.0)
        self._hello_wait = self.timing.hello

    # --- For the line ---------------------------------------------------------

    @property
    def place(self) -> str:
        # At a broker everybody has a topic instead, and where deadlines are told that is one.
        return "" if self.deadlines else f"address {self.address}"

    @property
    def answer_by(self) -> float:
        """Up to when an answer may still be on its way; 0 if none is."""
        return 0.0 if self._out is None else self._answer_by

    def wakes_at(self) -> float:
        """When ``next_packet`` has something to do, if nothing comes in before."""
        # The line asks often, and most often there is nothing but the next poll: that comes first.
        if self._acks or self.pending:
            return 0.0
        if self._out is not None:
            return self._due
        waits = bool(self._urgent or self._ordinary)
        if self.stage == "ready":
            return 0.0 if waits else self._poll_at
        at = inf if self.stage == "identified" else self._hello_at
        return min(at, self._first_deadline()) if waits else at

    @property
    def wants_to_say(self) -> bool:
        """More than that it is still there, and to a device that hears it."""
        waits = self._urgent or self._ordinary
        return bool(self._acks or (waits and self.stage == "ready"))

    def next_packet(self, now: float) -> Packet | None:
        """What to put on the line now, if there is anything."""
        if self._commanding or self._urgent or self._ordinary:
            self._expire(now)
        if self._acks:
            self._telling_at = now
            return self._acks.popleft()
        if self._out is not None:
            if now < self._due:
                return None
            if again := self._again(now):
                return again
        return self._something_new(now)

    def received(self, packet: Packet, now: float) -> bool:
        """A packet with this station's address. What follows from it are notices.

        True if nothing follows: a poll was answered at once, and nobody had anything to say.
        """
        kind, out = packet.kind, self._out
        if kind is _IDENTITY:
            self._identity_received(packet, now)
            return False
        if self._keys is None or packet.session != self._session:
            # One that was turned away may go on as it likes.
            self.unproven += self.stage != "refused"
            self._strange("old session")
            return False
        if not self._keys.signed(packet):
            self.unproven += 1
            self._strange("bad tag")
            return False
        self.heard_at = now
        if kind is _EVENT:
            self._event_received(packet, now)
        elif out is None or packet.seq != out.seq:
            self._strange("out of turn")
        elif kind is _IDLE and out.kind is _POLL:
            self._poll_wait = min(self._poll_wait * 3 / 2, self.timing.poll_most)
            self._poll_at = now + self._poll_wait
            if self.polled:
                self._clear_at = self._sent_at
            self._heard_of_it(out)
            quiet = self._polls_the_same and self._tries == 1 and not self.pending
            self._answered(now)
            return quiet
        elif kind is _RESULT and self._commanding:
            self._result_received(packet, now)
        else:
            # An answer, but not to what was asked: nothing to a command, or a result to a poll.
            self._strange("out of turn")
        return False

    def unreadable(self) -> None:
        """An event that nobody here can read, nor check its tag: so it is not acknowledged."""
        if self.stage == "ready":
            self._strange("unknown message")

    # --- For the log ----------------------------------------------------------

    def rest(self) -> Rest:
        """How it stands, after ``received`` said that nothing follows."""
        return Rest(
            self.address,
            self._seq,
            self._sent_at,
            self.heard_at or 0.0,
            self._answer,
            self._poll_wait,
        )

    def lapse(self, now: float) -> None:
        """Notice whose time is over, and say nothing: for a replay that is not woken for it."""
        self._expire(now)

    def resting(self, rest: Rest, polls: int) -> bool:
        """Go on from there, as if so many polls had been sent and answered; false if they can't.

        For the replay of a log in which they are counted and not written out.
        """
        if self.stage != "ready" or self._out is not None or self._seq + polls != rest.seq:
            return False
        self._seq = rest.seq
        self._sent_at = rest.sent_at
        self.heard_at = rest.heard_at
        self._answer = rest.answer
        self._poll_wait = rest.pause
        self._poll_at = rest.heard_at + rest.pause
        self._last_answered = (rest.seq, rest.sent_at)
        self._clear_at = rest.sent_at
        self._known_acknowledged = self._acknowledged
        self._tries = 1
        self._polls_the_same = True
        return True

    def memory(self) -> dict[str, Any] | None:
        """All that it would need to go on from here; none while anything but a poll is on its way.

        There is no key in it.
        """
        if self._acks or self._urgent or self._ordinary or self._commanding:
            return None
        if self.pending or self._early:
            return None
        if self.stage == "identified" or self._last_event not in (None, self._acknowledged):
            return None
        out = self._out
        known = {name: getattr(self, name) for name in (*_REMEMBERED, *_REMEMBERED_SINCE)}
        if out is None:
            # Times of a request that is answered: they mean nothing any more.
            known["_due"] = known["_answer_by"] = 0.0
        return {
            "identity": msgspec.to_builtins(self.identity),
            "nonce": self._our_nonce.hex(),
            "poll": out.payload.hex() if out is not None and out.kind is Kind.POLL else None,
            "hello": out is not None and out.kind is Kind.HELLO,
            **known,
        }

    def recall(self, memory: dict[str, Any]) -> None:
        """Go on from there. Raises ``ValueError`` if it is no memory of a station."""
        try:
            for name in _REMEMBERED:
                setattr(self, name, memory[name])
            for name in _REMEMBERED_SINCE:
                setattr(self, name, memory.get(name, getattr(self, name)))
            self._last_answered = (int(memory["_last_answered"][0]), memory["_last_answered"][1])
            self._our_nonce = bytes.fromhex(memory["nonce"])
            self.identity = msgspec.convert(memory["identity"], Identity | None)
            if self.identity is not None and self.stage == "ready":
                self._keys = self._agreed_before(self.identity)
            if memory["poll"] is not None:
                payload = bytes.fromhex(memory["poll"])
                poll = Packet(Kind.POLL, self.address, self._session, self._seq, payload)
                self._out = self._signed(poll)
            elif memory.get("hello"):
                self._out = self._greeting()
        except (KeyError, TypeError, IndexError, msgspec.ValidationError) as error:
            raise ValueError(f"no memory of a station: {error!r}") from None

    def _agreed_before(self, identity: Identity) -> SessionKeys:
        return SessionKeys.agreed(self._key, self._our_nonce, identity.nonce)

    def _strange(self, what: StrangeThing, whose: str = "") -> None:
        if sum(isinstance(notice, Strange) for notice in self.pending) < MAX_STRANGE:
            self.pending.append(Strange(what, whose))

    # --- Requests -------------------------------------------------------------

    def _again(self, now: float) -> Packet | None:
        """The request that was not answered in time; a hello is always a new one."""
        if self._out is None:
            return None
        if self._out.kind is not Kind.HELLO:
            if self._tries < MAX_TRIES:
                self.retries += 1
                self._tries += 1
                patience = self._answer * 2 ** (self._tries - 1)
                self._due = now + min(patience, self.timing.answer_most)
                # On a bus the others need not wait for as long as we do.
                self._answer_by = now + self._answer
                return self._out
            self.lose(now, f"no answer to {self._tries} tries")
        self._out = None
        return None

    def _something_new(self, now: float) -> Packet | None:
        if self.stage == "ready":
            waiting = self._urgent or self._ordinary
            if waiting:
                return self._command(waiting.popleft(), now)
            if now >= self._poll_at:
                # Of the session before, nothing is acknowledged in this one: what the device has
                # under such a number may be another event.
                has = self._acknowledged if self._acknowledges else 0
                self._polls_the_same = self._polled_with == has
                self._polled_with = has
                return self._request(_POLL, has.to_bytes(4, "big"), now)
        elif self.stage != "identified" and now >= self._hello_at:
            return self._hello(now)
        return None

    def _hello(self, now: float) -> Packet:
        self._unanswered += 1
        if self.stage == "refused" and self._unanswered > GONE_AFTER:
            self.stage = "silent"
            self.pending.append(Lost("it does not answer any more"))
        self._session = self._session % 255 + 1
        self._keys = None
        self._our_nonce = self._nonce()
        self._hello_wait = min(2 * self._hello_wait, self.timing.hello_most)
        self._hello_at = now + self._hello_wait
        self._out = self._greeting()
        self._tries = 1
        self._sent_at = now
        self._due = self._answer_by = min(now + self.timing.answer, self._hello_at)
        self._greeted = True
        return self._out

    def _greeting(self) -> Packet:
        payload = handshake.hello_to_bytes(Hello(PROTOCOL, self._our_nonce))
        return Packet(Kind.HELLO, self.address, self._session, 0, payload)

    def _command(self, waiting: _Waiting, now: float) -> Packet:
        waiting.sent_in_boot = self._boot
        self._commanding = waiting
        self._poll_wait = self.timing.poll
        deadline = self._deadline(waiting) if self.deadlines else None
        return self._request(Kind.COMMAND, waiting.written, now, deadline)

    def _deadline(self, waiting: Waiting) -> Deadline | None:
        after, sent_at = self._last_answered
        milliseconds = min(max((waiting.deadline - sent_at) * 1000, 0), 0xFFFF_FFFF)
        return Deadline(after, int(milliseconds))

    def _request(
        self, kind: Kind, payload: bytes, now: float, deadline: Deadline | None = None
    ) -> Packet:
        self._seq += 1
        packet = Packet(kind, self.address, self._session, self._seq, payload, b"", deadline)
        self._out = self._signed(packet)
        self._tries = 1
        self._sent_at = now
        self._due = self._answer_by = now + self._answer
        # From what is sent, not from what is heard: the device must hear of us as well.
        self._poll_at = now + self._poll_wait
        return self._out

    def _poll_soon(self, now: float) -> None:
        """Something goes on at the device: more may follow."""
        self._poll_wait = self.timing.poll
        self._poll_at = min(self._poll_at, now + self._poll_wait) if self._poll_at else 0.0

    def _signed(self, packet: Packet) -> Packet:
        if self._keys is None:
            raise RuntimeError("there is no session to sign for")
        return self._keys.tagged(packet)

    def _answered(self, now: float) -> None:
        if self._tries == 1:
            adapted = self._answer * 7 / 8 + (now - self._sent_at) / 2
        else:
            # An answer to a request that was repeated does not tell how long an answer takes: the
            # device may be slow, or the line may lose. Little by little, or a lossy line would
            # be taken for an ever slower device.
            adapted = self._answer * 9 / 8
        timing = self.timing
        self._answer = min(max(adapted, timing.answer_least), timing.answer_most)
        if self._out is not None:
            self._last_answered = (self._out.seq, self._sent_at)
            self._nothing_waited(self._sent_at, self._sent_at)
        self._out = None
        self._commanding = None

    def _nothing_waited(self, at: float, now: float) -> None:
        """Nothing waited at this time, if the last event had long been acknowledged by now.

        A device that speaks unasked tells an event at once, if none before it is on its way.
        """
        on_its_way = self._last_event not in (None, self._acknowledged)
        if not (self.polled or on_its_way) and now >= self._telling_at + TOLD_S:
            self._clear_at = max(self._clear_at or 0.0, at)

    # --- What comes in --------------------------------------------------------

    def _identity_received(self, packet: Packet, now: float) -> None:
        if not packet.payload:
            # A device that has restarted, and asks for a hello.
            if self.stage in ("identified", "ready"):
                self.lose(now, "it has restarted")
            return
        if not self._greeted:
            self._strange("out of turn")
            return
        if packet.session != self._session:
            self._strange("old session")
            return
        self._unanswered = 0
        self.elsewhere = None
        protocol = packet.payload[0]
        if protocol != PROTOCOL:
            # The rest may be written in a way that we do not know, so this comes first.
            self._end_session(now, "refused", self.timing.hello_most)
            why = f"it speaks protocol {protocol}, felt speaks {PROTOCOL}"
            self.pending.append(Refused(why, NEWER if protocol > PROTOCOL else OLDER))
            return
        read = handshake.identity_from_bytes(packet.payload)
        if read is None:
            self._strange("no identity")
            return
        identity, written, proof = read
        if self._named is not None and identity.boot == self._named[0]:
            identity = msgspec.structs.replace(identity, boot=self._named[1])
        keys = self._agreed(identity, written, proof)
        if keys is None:
            self._end_session(now, "refused", self.timing.hello_most)
            whose = self._whose(self._our_nonce, written, proof) if self._whose else ""
            self._strange("wrong proof", whose)
            return
        self._keys = keys
        self._polled_with = None
        self._out = None
        self._greeted = False
        self._seq = 0
        self._last_answered = (0, self._sent_at)
        before, since = self._kept
        waits_still = identity.boot == self._boot and (self._last_event or 0) < before
        self._kept = (handshake.kept(identity), since if waits_still else self._clear_at)
        self._clear_at, self._telling_at = self._sent_at, now
        self.stage = "identified"
        self.identity = identity
        self.heard_at = now
        self._hello_wait = self.timing.hello
        restarted = self._boot is not None and self._boot != identity.boot
        if self._boot != identity.boot:
            # A new boot counts its events from 1; of a boot that felt did not see begin, any.
            self._last_event = 0 if restarted else None
            self._acknowledged = self._known_acknowledged = 0
            self._boot = identity.boot
            self._give_up_unrepeatable()
        self._acknowledges = False
        self._told_before = self._last_event or 0
        self._acknowledged_before = self._known_acknowledged
        self.pending.append(Identified(identity, restarted))

    def _agreed(self, identity: Identity, written: bytes, proof: bytes) -> SessionKeys | None:
        """The keys of the session that begins, if the device has proved who it is."""
        if not proven(self._key, self._our_nonce, written, proof):
            return None
        return SessionKeys.agreed(self._key, self._our_nonce, identity.nonce)

    def _event_received(self, packet: Packet, now: float) -> None:
        if self.stage != "ready":
            # Nobody has said yet that this device belongs here.
            self._early = packet
            return
        if self.polled and self._out is not None and self._out.kind is _POLL:
            self._heard_of_it(self._out)
            self._answered(now)
        last = self._last_event
        if self._is_told_anew(packet.seq):
            self.begins_anew(now)
            return
        if last is not None and packet.seq <= last:
            if packet.seq <= self._acknowledged:
                # The acknowledgement was lost.
                self._acknowledges = True
                self._poll_at = 0.0 if self.polled else self._poll_at
                self._acknowledge_now(packet.seq)
            return
        if last is not None and last != self._acknowledged:
            # It does not wait for its acknowledgement. Nothing is lost: it must send this again.
            self._strange("out of turn")
            return
        message = messages.from_bytes(packet.payload)
        boot = self._boot or 0
        self._nothing_waited(self._telling_at, now)
        self._telling_at = now
        self._last_event = packet.seq
        self._poll_soon(now)
        if not isinstance(message, messages.Event):
            self._strange("unknown message")
            self.acknowledge(boot, packet.seq)
            return
        missed = 0 if last is None else packet.seq - last - 1
        self.pending.append(
            Heard(
                message,
                packet.seq,
                boot,
                missed,
                self._uncoverer(message, packet.seq),
                self._since(packet.seq),
            )
        )

    def _heard_of_it(self, poll: Packet) -> None:
        """The device has answered a poll, and with it heard which events felt has."""
        has = int.from_bytes(poll.payload, "big")
        self._known_acknowledged = max(self._known_acknowledged, has)

    def _is_told_anew(self, seq: int) -> bool:
        """Whether an event has a number that felt had before this session, and is another one.

        An event that felt has comes again if the device could not know so: the last one, or those
        that it found in its memory after a loss of power, which waited when it was greeted.
        """
        if seq > max(self._told_before - 1, self._acknowledged_before):
            return False
        return is_told_anew(seq, self._told_before, self._kept[0])

    def _since(self, seq: int) -> float | None:
        """Before that the event can't have happened."""
        kept, since = self._kept
        return since if seq <= kept else self._clear_at

    def _uncoverer(self, message: messages.Event, seq: int) -> Callable[[], bytes] | None:
        keys = self._keys
        covered: bytes = getattr(message, message.secret) if message.secret else b""
        if not covered or keys is None:
            return None
        return lambda: keys.cover(covered, seq)

    def _acknowledge_now(self, seq: int) -> None:
        if self._keys is not None and not self.polled:
            self._acks.append(self._signed(Packet(Kind.ACK, self.address, self._session, seq)))

    def _result_received(self, packet: Packet, now: float) -> None:
        result = handshake.result_from_bytes(packet.payload)
        waiting = self._commanding
        if result is None or waiting is None or result.command != waiting.command:
            self._strange("out of turn")
            return
        self._answered(now)
        self.pending.append(
            Answered(waiting.command, waiting.message, result.outcome, result.detail)
        )

    # --- Endings --------------------------------------------------------------

    def _end_session(self, now: float, stage: Stage, wait: float) -> None:
        if self._commanding is not None:
            # Whether it was done is not known; if the device did not restart, its id will tell.
            queue = self._urgent if self._commanding.urgent else self._ordinary
            queue.appendleft(self._commanding)
            self._commanding = None
        self.stage = stage
        self._out = None
        self._greeted = False
        self._early = None
        self._keys = None
        self._acks.clear()
        self._answer = self.timing.answer
        self._hello_at = now + wait

    def _give_up_unrepeatable(self) -> None:
        """The device has restarted: what it may have done before must not be done again."""
        for queue in (self._urgent, self._ordinary):
            for waiting in list(queue):
                if waiting.sent_in_boot is not None and not waiting.message.repeatable:
                    queue.remove(waiting)
                    why = "the device restarted before it answered"
                    self.pending.append(Unclear(waiting.command, waiting.message, why))

    def _expire(self, now: float) -> None:
        if self._urgent or self._ordinary:
            self.pending += [_expired(one) for one in self._take_overdue(now)]
        given = self._commanding
        if given is not None and given.deadline <= now and now >= self._due:
            self._out = None
            self._commanding = None
            self.pending.append(_expired(given))


def is_told_anew(seq: int, last: int, kept: int) -> bool:
    """Whether an event with a number that felt has had up to ``last`` is another one.

    A device that restarts begins with 1. One that remembers what it has said goes on above.
    """
    return seq == 1 or seq > kept or kept < last


def _expired(waiting: _Waiting) -> Notice:
    return expired(waiting, was_sent=waiting.sent_in_boot is not None)
