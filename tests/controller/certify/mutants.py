"""Devices that each break one duty of the link: simulators in which one thing is otherwise.

``MUTANTS`` has each by what is wrong with it: how it is made, the wire that it is tried on, and the
checks that must name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from drivers.wire import handshake, messages
from drivers.wire.frame import Garbage, Kind, Packet, Splitter
from drivers.wire.handshake import Result
from drivers.wire.keys import SessionKeys
from drivers.wire.messages import Command, Event
from drivers.wire.responder import Responder
from simulators.acceptor import Acceptor
from simulators.device import DONE, Answer, Device
from simulators.panel import Panel
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.tabletop import TableTop
from simulators.terminal import Terminal


@dataclass(frozen=True)
class Mutant:
    make: Callable[[], Device]
    #: The checks that name it.
    found: frozenset[str]
    wire: str = "line"
    #: What has to be tried with it as well, so that there is something to see.
    also: frozenset[str] = frozenset()


MUTANTS: dict[str, Mutant] = {}


def breaks(
    wrong: str, *found: str, wire: str = "line", also: Iterable[str] = ()
) -> Callable[[type], type]:
    """A device, or a responder in a panel, that is wrong in this way."""

    def add(one: type) -> type:
        made: Any = one if issubclass(one, Device) else _panel_with(one)
        MUTANTS[wrong] = Mutant(lambda: _make(made, wire), frozenset(found), wire, frozenset(also))
        return one

    return add


def _make(one: type[Device], wire: str) -> Device:
    more: dict[str, Any] = {"polled": wire == "bus"}
    if issubclass(one, Acceptor):
        return one(TableTop(), seat=1, **more)
    if issubclass(one, Terminal):
        return one(seat=1, **more)
    if issubclass(one, Shoe | Shuffler):
        if issubclass(one, Shoe):
            more["reads"] = True
        return one(TableTop(), **more)
    return one(**more)


def _panel_with(responder: type[Any]) -> type[Device]:
    class Mutated(Panel):
        def _started(self) -> Responder:
            made = super()._started()
            made.__class__ = responder
            return made

    return Mutated


class Broken(Responder):
    """Whose parts are taken apart below; made of another, so without an ``__init__`` of its own."""

    _identity_says: dict[str, Any]


# --- The handshake ------------------------------------------------------------------


@breaks("its proof is made with another key", "every.identity")
class _WrongProof(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        right, self._key = self._key, bytes((1,)) * 32
        answer = super()._hello(packet, now)
        self._key = right
        return answer


@breaks("its serial number changes", "link.same")
class _ManyNames(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        self.identity = msgspec.structs.replace(
            self.identity, serial_number=f"S{packet.payload[-1]}-{packet.session}"
        )
        return super()._hello(packet, now)


class _AnyTag(SessionKeys):
    def signed(self, packet: Packet) -> bool:
        return True


@breaks(
    "it does not look at tags",
    "works.identified",
    "link.proves",
    "link.wrong-tag",
    "link.false-ack",
    "safe.hellos",
    "works.replay",
    "link.another-felt",
)
class _NoTags(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        answer = super()._hello(packet, now)
        if self._keys is not None:
            self._keys = _AnyTag(self._keys.tag, self._keys.faces)
        return answer


@breaks("it does not look at the tag of the first request", "link.proves")
class _FirstIsFree(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        first = self._keys is not None and not self._last_request
        if first and packet.kind is Kind.COMMAND and packet.session == self._session:
            packet = self._keys.tagged(packet)  # type: ignore[union-attr]
        return super().received(packet, now)


@breaks("its nonce is a counter", "link.nonce")
class _Counts(Broken):
    _count = 0

    def _hello(self, packet: Packet, now: float) -> Packet | None:
        type(self)._count += 1
        self._nonce = lambda: type(self)._count.to_bytes(16, "big")
        return super()._hello(packet, now)


@breaks("a hello that comes twice is a new session", "link.twice")
class _TwoSessions(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        self._greeting = None
        return super()._hello(packet, now)


@breaks("it makes keys for any protocol", "link.protocol")
class _AnyProtocol(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        answer = super()._hello(packet, now)
        hello = handshake.hello_from_bytes(packet.payload)
        if self._keys is None and answer is not None and hello is not None:
            read = handshake.identity_from_bytes(answer.payload)
            assert read is not None
            self._keys = SessionKeys.agreed(self._key, hello.nonce, read[0].nonce)
        return answer


@breaks("it answers a hello of any length", "link.hello-length")
class _AnyLength(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        if len(packet.payload) != 17:
            packet = packet._replace(payload=(packet.payload + bytes(17))[:17])
        return super()._hello(packet, now)


@breaks("it does not say what it has kept", "link.kept")
class _NothingKept(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        waits, self._events = self._events, type(self._events)()
        answer = super()._hello(packet, now)
        self._events = waits
        return answer


@breaks("its firmware digest is empty", "link.firmware")
class _NoDigest(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        self.identity = msgspec.structs.replace(self.identity, firmware=bytes(32))
        return super()._hello(packet, now)


@breaks("a new session begins where the last one ended", "link.begins-at-one")
class _GoesOn(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        last = self._last_request
        answer = super()._hello(packet, now)
        # Only what is above 2: else no session would begin at all.
        self._last_request = 1 if last > 3 else 0
        return answer


# --- Requests -----------------------------------------------------------------------


@breaks(
    "a request that is repeated is carried out again",
    "every.answer",
    "wire.lost",
    "wire.twice",
    "wire.noise",
    "wire.late",
)
class _TwiceDone(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        if packet.kind is Kind.COMMAND and packet.seq == self._last_request:
            self._last_request -= 1
            self._remembered.clear()
        return super().received(packet, now)


@breaks("a request that is repeated is not answered", "every.answer")
class _Mute(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        if packet.seq and packet.seq == self._last_request:
            return None
        return super().received(packet, now)


@breaks("it answers old requests", "link.lower")
class _Old(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        if 0 < packet.seq < self._last_request and packet.kind is not Kind.ACK:
            self._last_request = packet.seq - 1
        return super().received(packet, now)


@breaks("it wants each number to follow the last", "link.higher")
class _NoSteps(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        if packet.kind is Kind.POLL and packet.seq > self._last_request + 500:
            return None
        return super().received(packet, now)


@breaks("it takes what was said in an earlier session", "works.replay")
class _LongMemory(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        old: dict[int, list[SessionKeys]] = self.__dict__.setdefault("_old_keys", {})
        answer = None
        tagged = packet.kind is not Kind.HELLO and packet.tag
        if tagged and (self._keys is None or not self._keys.signed(packet)):
            for keys in old.get(packet.session, []):
                if keys.signed(packet):
                    now_session, now_keys = self._session, self._keys
                    self._session, self._keys, self._last_request = packet.session, keys, 0
                    self._remembered.clear()
                    answer = super().received(packet, now)
                    self._session, self._keys = now_session, now_keys
                    return answer
        answer = super().received(packet, now)
        if packet.kind is Kind.HELLO and self._keys is not None and self._session is not None:
            old.setdefault(self._session, []).append(self._keys)
        return answer


@breaks("a command of the last session is carried out again", "every.once", "works.command-once")
class ForgetsResults(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        self._remembered.clear()
        return super()._hello(packet, now)


@breaks("it keeps eight results", "link.results")
class _FewResults(Broken):
    def _command(self, packet: Packet, now: float) -> Packet | None:
        answer = super()._command(packet, now)
        while len(self._remembered) > 8:
            self._remembered.popitem(last=False)
        return answer


@breaks("it refuses what it does not know", "every.unknown", "works.unknown")
class _Refuses(Broken):
    def _command(self, packet: Packet, now: float) -> Packet | None:
        if messages.from_bytes(packet.payload[4:]) is None:
            id_ = int.from_bytes(packet.payload[:4], "big")
            result = handshake.result_to_bytes(Result(id_, "refused", "what?"))
            return self._signed(Kind.RESULT, packet.seq, result)
        return super()._command(packet, now)


@breaks("it takes messages that are too long", "link.message")
class _TooLong(Broken):
    def _command(self, packet: Packet, now: float) -> Packet | None:
        if packet.payload[4:5] == b"\x01":
            packet = packet._replace(payload=packet.payload[:5])
        return super()._command(packet, now)


@breaks("it does not answer a poll while events wait", "link.idle")
class _TooBusy(Broken):
    def _poll(self, packet: Packet) -> Packet | None:
        answer = super()._poll(packet)
        waiting = int.from_bytes(packet.payload, "big") == 0 and len(self._events) > 0
        return None if waiting and packet.seq > 2 else answer


@breaks("it answers to every address", "link.address")
class _Everybody(Panel):
    @property
    def address(self) -> Any:
        return _ANY

    @address.setter
    def address(self, _: int) -> None:
        return

    def received(self, packet: Packet, now: float) -> Packet | None:
        answer = super().received(packet._replace(address=1), now)
        return None if answer is None else answer._replace(address=packet.address)

    def _started(self) -> Responder:
        made = super()._started()
        made.address = 1
        return made


class _Any(int):
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


_ANY = _Any(1)


@breaks("it answers to what devices say", "link.echo")
class _Echoes(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        if packet.kind is Kind.IDLE and self._keys is not None:
            return self._signed(Kind.IDLE, packet.seq)
        return super().received(packet, now)


@breaks("it thinks before it answers", "link.in-time")
class _Slow(Panel):
    def __init__(self, **more: Any) -> None:
        self._answer: tuple[float, Packet] | None = None
        super().__init__(**more)

    def received(self, packet: Packet, now: float) -> Packet | None:
        answer = super().received(packet, now)
        self._answer = None if answer is None else (now + 0.06, answer)
        return None

    def wakes_at(self) -> float:
        at = self._answer[0] if self._answer else float("inf")
        return min(at, super().wakes_at())

    def next_packet(self, now: float) -> Packet | None:
        if self._answer and now >= self._answer[0]:
            answer, self._answer = self._answer[1], None
            return answer
        return super().next_packet(now)


# --- What it tells ------------------------------------------------------------------


@breaks("its events have a wrong tag", "link.tag", also=("link.results",))
class _BadTags(Broken):
    _told = 0

    def _oldest_event(self) -> Packet | None:
        type(self)._told += 1
        packet = super()._oldest_event()
        # Every fifth time, or nothing would ever come of it.
        if packet is None or type(self)._told % 5:
            return packet
        return packet._replace(tag=bytes(8))


@breaks("it says what only an acceptor says", "link.own", also=("every.report",))
class _Lamp(Panel):
    def report(self) -> Iterable[Event]:
        yield from super().report()
        yield messages.LampRead("off")


@breaks("it does whatever it is told", "link.foreign")
class _Yes(Panel):
    def _carried_out(self, command: Command) -> Answer:
        answer = super()._carried_out(command)
        return DONE if answer[0] == "unknown" else answer


@breaks("it leaves out numbers", "every.events", also=("link.results",))
class _Gaps(Broken):
    def tell(self, event: Event) -> int:
        if self._next_event % 7 == 0:
            self._next_event += 1
        return super().tell(event)


@breaks("it tells the newest first", "every.events")
class _Newest(Broken):
    def _oldest_event(self) -> Packet | None:
        self._events.rotate(1)
        try:
            return super()._oldest_event()
        finally:
            self._events.rotate(-1)


@breaks("it tells each event once", "link.again")
class _Never(Broken):
    def next_packet(self, now: float) -> Packet | None:
        packet = super().next_packet(now)
        if packet is not None:
            self._repeat_at = now + 3
        return packet


@breaks("an acknowledgement is nothing to it", "link.acknowledged")
class _Stubborn(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        if packet.kind is Kind.ACK:
            return None
        return super().received(packet, now)


@breaks("a poll acknowledges nothing", "link.acknowledged-by-poll")
class _OnlyAcks(Broken):
    def _poll(self, packet: Packet) -> Packet | None:
        return super()._poll(packet._replace(payload=bytes(4)))


@breaks("any acknowledgement will do", "link.false-ack")
class _AnyAck(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        if packet.kind is Kind.ACK:
            self._forget(packet.seq)
            return None
        return super().received(packet, now)


@breaks("a new session forgets what waits", "link.numbers", "link.kept",
         "link.another-felt", "works.event-once")  # fmt: skip
class _Forgets(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        self._events.clear()
        return super()._hello(packet, now)


@breaks("it has room for 32 events", "link.keeps-64")
class _Small(Broken):
    def tell(self, event: Event) -> int:
        if len(self._events) >= 32:
            self._next_event += 1
            return self._next_event - 1
        return super().tell(event)


@breaks("what found no room has no number", "link.keeps-64")
class _Silently(Broken):
    def tell(self, event: Event) -> int:
        if len(self._events) >= 64:
            return 0
        return super().tell(event)


@breaks("it speaks unasked on a bus", "works.bus", wire="bus")
class _Talks(Broken):
    def wakes_at(self) -> float:
        return self._repeat_at if self._events and self._keys is not None else float("inf")


# --- Safety -------------------------------------------------------------------------


@breaks("it has no watchdog", "every.safe", "works.safe", "every.went_safe", "power.watchdog")
class _Trusting(Panel):
    def _watch(self) -> None:
        self.is_safe = True


@breaks("its watchdog is three times too late", "every.safe")
class _Late(Panel):
    def _watch(self) -> None:
        self._watchdog *= 3
        super()._watch()
        self._watchdog /= 3

    def wakes_at(self) -> float:
        return min(super().wakes_at(), self.now + 0.05)


@breaks("it says that it went safe until felt is back", "every.went_safe")
class _Repeats(Panel):
    def _safe(self) -> None:
        super()._safe()
        if not self.responder.unacknowledged:
            self.tell(messages.WentSafe())


@breaks("a hello keeps it open", "safe.hellos")
class _Polite(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        self.heard_at = now
        return super()._hello(packet, now)


@breaks("a poll does not keep it open", "safe.polled")
class _Strict(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        before = self.heard_at
        answer = super().received(packet, now)
        if packet.kind is Kind.POLL:
            self.heard_at = before
        return answer


@breaks("it does not lock as felt leaves", "every.quiesce", "safe.session")
class _Stays(Acceptor):
    def _carried_out(self, command: Command) -> Answer:
        return DONE if isinstance(command, messages.Quiesce) else super()._carried_out(command)


@breaks("a session opens it", "safe.session", "power.safe")
class _Opens(Acceptor):
    def received(self, packet: Packet, now: float) -> Packet | None:
        if packet.kind is Kind.HELLO:
            self.is_locked = False
        return super().received(packet, now)


@breaks("it went safe, and is open", "every.safe", "works.safe")
class _Lies(Acceptor):
    def go_safe(self) -> None:
        return


@breaks("whoever came first is its felt", "link.another-felt")
class _Loyal(Broken):
    def _hello(self, packet: Packet, now: float) -> Packet | None:
        recent = self.heard_at is not None and now - self.heard_at < 0.5 and self._events
        return None if recent else super()._hello(packet, now)


# --- The wire -----------------------------------------------------------------------


class _Whole(Splitter):
    """Takes what comes in one go for a frame."""

    def feed(self, data: bytes) -> Any:
        self._held.clear()
        return super().feed(data)


@breaks("it wants a frame in one piece", "wire.pieces", "wire.split")
class _OnePiece(Panel):
    splitter = _Whole


class _Hangs(Splitter):
    """Whatever is too long for it is the last that it hears."""

    _hangs = False

    def feed(self, data: bytes) -> Any:
        found = [] if self._hangs else super().feed(data)
        self._hangs = self._hangs or any(
            isinstance(one, Garbage) and len(one.data) > 250 for one in found
        )
        return found


@breaks("it hangs after what is too long", "works.noise")
class _Overrun(Panel):
    splitter = _Hangs


# --- At a broker --------------------------------------------------------------------


@breaks("it carries out what is too late", "mqtt.deadline", "mqtt.after", wire="mqtt")
class _NoDeadlines(Broken):
    def _is_late(self, packet: Packet, now: float) -> bool:
        return False


@breaks("it remembers what was too late", "mqtt.deadline", wire="mqtt")
class _Grudge(Broken):
    def _command(self, packet: Packet, now: float) -> Packet | None:
        answer = super()._command(packet, now)
        assert answer is not None
        result = handshake.result_from_bytes(answer.payload)
        assert result is not None
        self._remembered.setdefault(result.command, result)
        return answer


@breaks("it keeps every request's time", "mqtt.after", wire="mqtt")
class _EveryTime(Broken):
    def _is_late(self, packet: Packet, now: float) -> bool:
        assert packet.deadline is not None
        return packet.deadline.milliseconds < 1000 and super()._is_late(packet, now)


@breaks("a deadline is not under its tag", "mqtt.tag", wire="mqtt")
class _Untagged(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        if packet.deadline is not None and self._keys is not None:
            for milliseconds in (packet.deadline.milliseconds, 60_000):
                tried = packet._replace(
                    deadline=packet.deadline._replace(milliseconds=milliseconds)
                )
                if self._keys.signed(tried):
                    return super().received(tried, now)
        return super().received(packet, now)


@breaks("it never says that it is ready", "mqtt.state", wire="mqtt")
class _Unready(Panel):
    presence = "init"


@breaks("it takes packets that are none", "mqtt.schema", wire="mqtt")
class _Lenient(Panel):
    is_lenient = True


class Own(messages.Event, frozen=True, tag="own"):
    """One of the maker's own, which is not on the page."""

    code = 0x7E


Own.fields = ()


class WithItsOwn(Panel):
    def own_event(self) -> None:
        self.tell(Own())


@breaks("its own event is told for ever", "works.own-event", wire="mqtt")
class _OwnForEver(WithItsOwn):
    def _started(self) -> Responder:
        made = super()._started()
        made.__class__ = _KeepsItsOwn
        return made


class _KeepsItsOwn(Broken):
    def _forget(self, seq: int) -> None:
        if not (self._events and isinstance(self._events[0][1], Own)):
            super()._forget(seq)


# --- Power --------------------------------------------------------------------------


@breaks("every start has the same boot", "every.boot", "works.boot", "power.numbers")
class _NoCount(Panel):
    def _started(self) -> Responder:
        self.boot = 6
        return super()._started()


@breaks("without a session it says nothing", "power.asks")
class _Waits(Broken):
    def received(self, packet: Packet, now: float) -> Packet | None:
        if self._keys is None and packet.kind is not Kind.HELLO:
            return None
        return super().received(packet, now)


@breaks("its numbers begin at 100", "power.numbers")
class _Hundred(Panel):
    def _started(self) -> Responder:
        made = super()._started()
        made._next_event = 100
        return made


@breaks("it starts as it was", "power.safe")
class _AsItWas(Acceptor):
    def forget(self) -> None:
        was = self.is_locked
        super().forget()
        self.is_locked = was

    def restart(self) -> None:
        was = self.is_locked
        super().restart()
        self.is_locked = was


@breaks("it has no watchdog before it is told one", "power.watchdog")
class _NoFirst(Panel):
    def _started(self) -> Responder:
        self._watchdog = 3600.0
        return super()._started()

    def restart(self) -> None:
        super().restart()
        self._watchdog = 3600.0


@breaks("it tells before it is greeted", "power.only-in-a-session")
class _Eager(Panel):
    def _started(self) -> Responder:
        before = getattr(self, "responder", None)
        made = super()._started()
        if before is not None and before._keys is not None:
            made._keys, made._session = before._keys, before._session
            made.tell(messages.Door(False))
        return made


@breaks("after a start it does not say how it stands", "power.report")
class _Speechless(Panel):
    def report(self) -> Iterable[Event]:
        return super().report() if self.boot == 1 else ()
