"""felt's part of the conversation, by hand: as it should be, unless a check wants it otherwise.

What is right here is what ``drivers.wire.station`` does; but a station never sends a wrong tag, an
old number or half a frame, and forgets at once what it was sent. Whatever the device says is looked
at as it comes: a wrong tag or a number that was left out is noted, whichever check runs meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from controller.certify.medium import Medium
from controller.certify.timing import Limit, Times
from controller.certify.verdict import Broken, Silent
from drivers.wire import handshake, messages
from drivers.wire.frame import FROM_DEVICE, Deadline, Garbage, Kind, Packet
from drivers.wire.handshake import PROTOCOL, Hello, Identity, Result
from drivers.wire.keys import SessionKeys, proven
from drivers.wire.topics import Presence

#: How long an answer is waited for, and how often a request is sent: as felt does it.
ANSWER_S = 1.0
TRIES = 5
#: How long somebody is greeted who does not answer.
GREET_S = 8.0
#: A device that has nothing to say has said so after this: events are repeated sooner.
STILL_S = 0.6
#: All that waits is told in less.
SETTLES_S = 30.0
#: Between two polls: on a line of its own, and on a bus.
POLL_S = 0.5
BUS_POLL_S = 0.05
#: Of one check; older ones are forgotten.
MAX_LOG = 20_000
#: How long a command of ours may wait at a broker.
DEADLINE_MS = 60_000


class Restless(Broken):
    """It does not stop telling events."""


@dataclass(frozen=True, slots=True)
class Heard:
    at: float
    packet: Packet | Garbage


@dataclass(slots=True)
class Told:
    """An event, and each time that it came."""

    seq: int
    message: messages.Event | None
    raw: bytes
    session: int
    at: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Greeted:
    identity: Identity
    packet: Packet
    is_proven: bool


class Talk:
    def __init__(
        self,
        medium: Medium,
        key: bytes,
        nonce: Callable[[], bytes],
        first_id: int,
    ) -> None:
        self.medium = medium
        self.key = key
        self.session = 0
        self.seq = 0
        self.keys: SessionKeys | None = None
        self.identity: Identity | None = None
        #: Every boot that it was met in, the last one last.
        self.boots: list[int] = []
        self.log: list[Heard] = []
        self.told: list[Told] = []
        #: Events are not acknowledged.
        self.holds = False
        #: The cable is out: what it says is lost.
        self.deaf = False
        #: Numbers may be missing: it had no room for all of them.
        self.may_miss = False
        #: What it says is held against it.
        self.judges = True
        #: What it should not have said, by the check that this is about.
        self.seen: dict[str, str] = {}
        self.answers = Times(Limit("the answer to a request", most_ms=20, percent=95))
        self.repeats = Times(Limit("an event is said again", least_ms=200, most_ms=400, percent=90))
        self.lost = 0
        #: Every time that an event came.
        self.events = 0
        self.when_said = 0.0
        self._nonce = nonce
        self._ours = bytes(16)
        self._hello: Packet | None = None
        self._id = first_id
        self._answered = 0
        self._acked = 0
        #: The number of the last event that was new; 0 where any may be the next.
        self._last = 0
        self._before: tuple[int, SessionKeys | None] = (0, None)
        self._by_seq: dict[int, Told] = {}
        self._stirred = asyncio.Event()
        #: What its retained state says, at a broker.
        self.presence: Presence | None = None
        medium.on_heard = self._heard
        medium.on_presence = self._present

    @property
    def polled(self) -> bool:
        return self.medium.wire == "bus"

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    # --- Saying -------------------------------------------------------------------

    def say(self, packet: Packet) -> None:
        self.when_said = self.now
        self.medium.say(packet)

    def say_bytes(self, data: bytes) -> None:
        self.when_said = self.now
        self.medium.say_bytes(data)

    def new_id(self) -> int:
        self._id = (self._id + 1) & 0xFFFF_FFFF
        return self._id

    def request(
        self,
        kind: Kind,
        payload: bytes,
        *,
        seq: int | None = None,
        session: int | None = None,
        keys: SessionKeys | None = None,
        deadline: Deadline | None = None,
    ) -> Packet:
        """The next request, signed; or one with another number, session or keys."""
        if seq is None:
            self.seq += 1
            seq = self.seq
        signing = keys or self.keys
        if signing is None:
            raise Silent("there is no session with it")
        if kind is Kind.COMMAND and self.medium.wire == "mqtt" and deadline is None:
            deadline = Deadline(self._answered, DEADLINE_MS)
        packet = Packet(
            kind,
            self.medium.address,
            self.session if session is None else session,
            seq,
            payload,
            b"",
            deadline if kind is Kind.COMMAND else None,
        )
        return signing.tagged(packet)

    def commanding(self, message: messages.Command | bytes, id_: int | None = None) -> Packet:
        said = message if isinstance(message, bytes) else messages.to_bytes(message)
        number = self.new_id() if id_ is None else id_
        return self.request(Kind.COMMAND, number.to_bytes(4, "big") + said)

    def polling(self, acknowledged: int | None = None) -> Packet:
        has = acknowledged if acknowledged is not None else 0 if self.holds else self._acked
        return self.request(Kind.POLL, has.to_bytes(4, "big"))

    def ack(self, seq: int) -> None:
        self._acked = max(self._acked, seq)
        if not self.polled:
            self.say(self.request(Kind.ACK, b"", seq=seq))

    # --- The handshake ------------------------------------------------------------

    def hello(self, protocol: int = PROTOCOL) -> Packet:
        """The next hello; what answers it begins a session."""
        self._before = (self.session, self.keys)
        self.session = self.session % 255 + 1
        self._ours = self._nonce()
        payload = handshake.hello_to_bytes(Hello(protocol, self._ours))
        self._hello = Packet(Kind.HELLO, self.medium.address, self.session, 0, payload)
        return self._hello

    async def greet_once(
        self, *, within: float = ANSWER_S, protocol: int = PROTOCOL
    ) -> Greeted | None:
        """Say one hello. Nothing is looked at but that something answers in this session."""
        hello, mark = self.hello(protocol), len(self.log)
        self.keys = None
        self.say(hello)
        found = await self.first(
            lambda one: (
                one.kind is Kind.IDENTITY and one.session == hello.session and bool(one.payload)
            ),
            within,
            mark,
        )
        if found is None:
            return None
        return self.met(found)

    def met(self, packet: Packet) -> Greeted:
        read = handshake.identity_from_bytes(packet.payload)
        if read is None:
            raise Broken(f"its identity can't be read: {packet.payload.hex()}")
        identity, body, proof = read
        self.seq = self._answered = 0
        self.keys = SessionKeys.agreed(self.key, self._ours, identity.nonce)
        if self.identity is None or identity.boot != self.identity.boot:
            self.told.clear()
            self._by_seq.clear()
            self._acked = self._last = 0
            self.boots.append(identity.boot)
        self.identity = identity
        return Greeted(identity, packet, proven(self.key, self._ours, body, proof))

    async def greet(self, within: float = GREET_S) -> Identity:
        """Greet it until it answers: ever anew, as felt does."""
        end, pause = self.now + within, 0.25
        while True:
            greeted = await self.greet_once(within=min(max(end - self.now, 0.05), 2 * pause))
            if greeted is not None:
                if not greeted.is_proven:
                    raise Broken(
                        "its proof is not made with this key: either the key file is another, or "
                        "the proof is made over other bytes than the page says"
                    )
                return greeted.identity
            if self.now >= end:
                raise Silent(f"nobody answers a hello at address {self.medium.address}")
            pause = min(2 * pause, 1.0)

    @property
    def greeting(self) -> Packet:
        """The hello that was said last."""
        if self._hello is None:
            raise Silent("it was never greeted")
        return self._hello

    # --- Asking -------------------------------------------------------------------

    async def ask(self, packet: Packet, within: float = ANSWER_S) -> Packet | None:
        """Say a request once; what answers it."""
        mark, sent = len(self.log), self.now
        self.say(packet)
        found = await self.first(lambda one: self._answers(one, packet), within, mark)
        if found is not None:
            self._answered = max(self._answered, packet.seq)
            both = len(self.medium.coded(packet)) + len(self.medium.coded(found))
            self.answers.took(self._when(found, mark) - sent - both * self.medium.byte_s)
        return found

    def _answers(self, one: Packet, asked: Packet) -> bool:
        if one.session != asked.session or self.keys is None or not self.keys.signed(one):
            return False
        if asked.kind is Kind.POLL and self.polled and one.kind is Kind.EVENT:
            return True
        wanted = Kind.RESULT if asked.kind is Kind.COMMAND else Kind.IDLE
        return one.kind is wanted and one.seq == asked.seq

    def _when(self, packet: Packet, mark: int) -> float:
        return next(one.at for one in self.log[mark:] if one.packet is packet)

    async def insist(self, packet: Packet) -> Packet:
        """Say a request as often as felt does until it is answered."""
        wait = 0.25
        for _ in range(TRIES):
            if found := await self.ask(packet, wait):
                return found
            self.lost += 1
            wait = min(2 * wait, ANSWER_S)
        raise Silent(f"no answer to {TRIES} tries of {packet.kind.name} {packet.seq}")

    async def command(self, message: messages.Command | bytes, id_: int | None = None) -> Result:
        packet = self.commanding(message, id_)
        answer = await self.insist(packet)
        return self.result(answer, packet)

    def result(self, answer: Packet, asked: Packet) -> Result:
        result = handshake.result_from_bytes(answer.payload)
        if result is None:
            raise Broken(f"its result can't be read: {answer.payload.hex()}")
        id_ = int.from_bytes(asked.payload[:4], "big")
        if result.command != id_:
            raise Broken(f"its result names command {result.command:08x}, and {id_:08x} was sent")
        return result

    async def poll(self, acknowledged: int | None = None) -> Packet:
        return await self.insist(self.polling(acknowledged))

    # --- Listening ----------------------------------------------------------------

    async def first(
        self, is_it: Callable[[Packet], bool], within: float, mark: int | None = None
    ) -> Packet | None:
        """The first packet of the kind that is heard from now on, or since the mark."""
        at = len(self.log) if mark is None else mark
        end = self.now + within
        while True:
            while at < len(self.log):
                one = self.log[at].packet
                at += 1
                if isinstance(one, Packet) and is_it(one):
                    return one
            if not await self._stirs(end - self.now):
                return None

    async def listen(self, seconds: float) -> list[Packet]:
        """Say nothing; what comes meanwhile."""
        mark = len(self.log)
        await asyncio.sleep(seconds)
        return [one.packet for one in self.log[mark:] if isinstance(one.packet, Packet)]

    async def until(self, done: Callable[[], object], within: float) -> bool:
        """Go on with the conversation, as felt does when nothing is to be said, until then."""
        end = self.now + within
        next_poll = self.now
        while not done():
            if self.now >= end:
                return False
            if self.now >= next_poll:
                await self.poll()
                next_poll = self.now + (BUS_POLL_S if self.polled else POLL_S)
                continue
            await self._stirs(min(end, next_poll) - self.now)
        return True

    async def settle(self) -> None:
        """Let it tell all that it has to tell."""
        holds, self.holds = self.holds, False
        try:
            quiet, end = 0.0, self.now + SETTLES_S
            while quiet < STILL_S:
                if self.now > end:
                    raise Restless(f"it told events for {SETTLES_S:.0f} s without an end")
                before = self.events
                if self.polled:
                    if (await self.poll()).kind is Kind.IDLE:
                        return
                    continue
                await self.listen(STILL_S / 2)
                quiet = quiet + STILL_S / 2 if self.events == before else 0.0
        finally:
            self.holds = holds

    async def _stirs(self, within: float) -> bool:
        if within <= 0:
            return False
        self._stirred.clear()
        try:
            async with asyncio.timeout(within):
                await self._stirred.wait()
        except TimeoutError:
            return False
        return True

    # --- What it says -------------------------------------------------------------

    def _present(self, presence: Presence, now: float) -> None:
        self.presence = presence
        self._stirred.set()

    def _heard(self, packet: Packet | Garbage, now: float) -> None:
        if self.deaf:
            return
        if isinstance(packet, Packet) and (
            packet.kind < FROM_DEVICE or packet.address != self.medium.address
        ):
            return
        if len(self.log) <= MAX_LOG:
            self.log.append(Heard(now, packet))
        if isinstance(packet, Packet):
            self._look(packet, now)
        self._stirred.set()

    def others_heard(self) -> None:
        """Somebody else has heard events meanwhile, and acknowledged them."""
        self._last = 0

    def note(self, check: str, what: str) -> None:
        if self.judges:
            self.seen.setdefault(check, what)

    def _look(self, packet: Packet, now: float) -> None:
        if packet.kind is Kind.IDENTITY or self.keys is None:
            return
        session, keys = self._before
        if packet.session == session != self.session and keys is not None:
            return  # it was under way as the session changed
        if packet.session != self.session:
            said = f"{packet.kind.name} with session {packet.session}, and it is {self.session}"
            self.note("link.tag", said)
        elif not self.keys.signed(packet):
            self.note("link.tag", f"{packet.kind.name} {packet.seq} with a wrong tag")
        elif packet.kind is Kind.EVENT:
            self._event(packet, now)

    def _event(self, packet: Packet, now: float) -> None:
        known = self._by_seq.get(packet.seq)
        if known is None:
            last = self._last
            if last and packet.seq != last + 1 and not self.may_miss:
                self.note("every.events", f"event {packet.seq} came after event {last}")
            known = Told(packet.seq, self._read(packet), packet.payload, packet.session)
            self._last = packet.seq
            self.told.append(known)
            self._by_seq[packet.seq] = known
            self._kind_is_its_own(known)
        elif packet.payload != known.raw and packet.session == known.session:
            self.note("every.events", f"event {packet.seq} said something else the second time")
        known.at.append(now)
        self.events += 1
        if not self.holds:
            self.ack(packet.seq)

    def _read(self, packet: Packet) -> messages.Event | None:
        message = messages.from_bytes(packet.payload)
        if isinstance(message, messages.Dispensed) and message.faces and self.keys is not None:
            faces = self.keys.cover(message.faces, packet.seq)
            return msgspec.structs.replace(message, faces=faces)
        return message if isinstance(message, messages.Event) else None

    def _kind_is_its_own(self, told: Told) -> None:
        kind = self.identity.kind if self.identity is not None else ""
        if told.message is not None and told.message.devices and kind not in told.message.devices:
            self.note("link.own", f"{messages.name(told.message)}, which a {kind} does not say")
        elif told.message is None and told.raw[:1] and told.raw[0] in messages.CATALOGUE:
            self.note("link.own", f"event {told.seq} is not what the page says: {told.raw.hex()}")
