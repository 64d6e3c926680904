"""A device's end of the conversation: what docs/protocol.md asks of whoever writes a device.

The simulators stand on it. Like the station it does no I/O and reads no clock.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable

import msgspec

from drivers.wire import handshake, messages
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import PROTOCOL, Identity, Outcome, Result
from drivers.wire.keys import SessionKeys

#: Results that a device keeps by the command's id, for when the same command comes again.
MAX_REMEMBERED = 16
#: Events that a device keeps until they are acknowledged.
MAX_EVENTS = 64
#: Requests of which a device remembers when it received them: a deadline counts from one of these.
MAX_RECEIVED = 8

#: What a device says to a command that arrives after its deadline.
TOO_LATE = "it came too late"

#: Carries a command out: what became of it, and a word about it.
Do = Callable[[messages.Command], tuple[Outcome, str]]


class Responder:
    def __init__(
        self,
        identity: Identity,
        key: bytes,
        do: Do,
        nonce: Callable[[], bytes],
        *,
        address: int = 1,
        polled: bool = False,
        repeat_after: float = 0.25,
    ) -> None:
        self.identity = identity
        self.address = address
        #: When felt was last heard; the device's watchdog counts from here. A hello is not enough:
        #: anybody can say it, and felt says it to devices that it does not control.
        self.heard_at: float | None = None
        self.polled = polled
        self.repeat_after = repeat_after
        #: Events that found no room, since the start.
        self.dropped = 0
        self._key = key
        self._do = do
        self._nonce = nonce
        self._session: int | None = None
        #: The hello that the session began with, and what was said to it.
        self._greeting: tuple[Packet, Packet] | None = None
        self._keys: SessionKeys | None = None
        self._last_request = 0
        self._last_answer: Packet | None = None
        #: The latest requests and when each came first; the hello is number 0.
        self._received_at: deque[tuple[int, float]] = deque(maxlen=MAX_RECEIVED)
        self._remembered: OrderedDict[int, Result] = OrderedDict()
        self._events: deque[tuple[int, messages.Event]] = deque()
        self._next_event = 1
        self._repeat_at = 0.0

    @property
    def in_session(self) -> bool:
        return self._keys is not None

    @property
    def unacknowledged(self) -> int:
        return len(self._events)

    def waits(self, number: int) -> bool:
        """Whether the event of this number is not acknowledged yet."""
        return any(seq == number for seq, _ in self._events)

    def tell(self, event: messages.Event) -> int:
        """Something happened. It is kept until felt has it, under this number."""
        if len(self._events) >= MAX_EVENTS:
            self.dropped += 1
        else:
            self._events.append((self._next_event, event))
        # The number is used up either way: so felt sees that something is missing.
        self._next_event += 1
        return self._next_event - 1

    def wakes_at(self) -> float:
        if self._events and self._keys is not None and not self.polled:
            return self._repeat_at
        return float("inf")

    def next_packet(self, now: float) -> Packet | None:
        """An event to send unasked, on a line with this device alone."""
        if now < self.wakes_at():
            return None
        self._repeat_at = now + self.repeat_after
        return self._oldest_event()

    def received(self, packet: Packet, now: float) -> Packet | None:
        """A packet from felt; the answer to it, if it has one."""
        if packet.kind.from_device or packet.address != self.address:
            return None
        if packet.kind is Kind.HELLO:
            return self._hello(packet, now)
        if self._keys is None:
            # Restarted: without a payload this asks for a hello.
            return Packet(Kind.IDENTITY, self.address, 0, 0)
        if packet.session == self._session and self._keys.signed(packet):
            self.heard_at = now
            if packet.kind is not Kind.ACK:
                return self._request(packet, now)
            self._forget(packet.seq)
        return None

    def _request(self, packet: Packet, now: float) -> Packet | None:
        if packet.seq > self._last_request:
            self._last_request = packet.seq
            self._last_answer = (
                self._command(packet, now) if packet.kind is Kind.COMMAND else self._poll(packet)
            )
            self._received_at.append((packet.seq, now))
        # The same request again gets the same answer, and an old one none.
        return self._last_answer if packet.seq == self._last_request else None

    def _hello(self, packet: Packet, now: float) -> Packet | None:
        hello = handshake.hello_of_any(packet.payload)
        if hello is None:
            return None
        if self._greeting is not None and self._greeting[0] == packet:
            # A broker may deliver it twice; felt never repeats one. The session goes on.
            return self._greeting[1]
        identity = msgspec.structs.replace(self.identity, nonce=self._nonce())
        if self._events:
            can = handshake.with_kept(identity.capabilities, self._next_event - 1)
            identity = msgspec.structs.replace(identity, capabilities=can)
        self._session = packet.session
        self._last_request = 0
        self._last_answer = None
        self._received_at.clear()
        self._received_at.append((0, now))
        self._repeat_at = 0.0
        # An identity of another protocol is sent all the same: felt says what it makes of it.
        same = hello.protocol == PROTOCOL
        self._keys = SessionKeys.agreed(self._key, hello.nonce, identity.nonce) if same else None
        payload = handshake.identity_to_bytes(identity, self._key, hello.nonce)
        answer = Packet(Kind.IDENTITY, self.address, packet.session, 0, payload)
        self._greeting = (packet, answer)
        return answer

    def _command(self, packet: Packet, now: float) -> Packet | None:
        command = int.from_bytes(packet.payload[:4], "big")
        result = self._remembered.get(command)
        if result is None and self._is_late(packet, now):
            # Not remembered: nothing was done, and felt may still want it.
            result = Result(command, "refused", TOO_LATE)
        elif result is None:
            message = messages.from_bytes(packet.payload[4:])
            if isinstance(message, messages.Command):
                result = Result(command, *self._do(message))
            else:
                result = Result(command, "unknown")
            self._remembered[command] = result
            if len(self._remembered) > MAX_REMEMBERED:
                self._remembered.popitem(last=False)
        return self._signed(Kind.RESULT, packet.seq, handshake.result_to_bytes(result))

    def _is_late(self, packet: Packet, now: float) -> bool:
        if packet.deadline is None:
            return False
        received = dict(self._received_at).get(packet.deadline.after)
        return received is None or now > received + packet.deadline.milliseconds / 1000

    def _poll(self, packet: Packet) -> Packet | None:
        self._forget(int.from_bytes(packet.payload, "big"))
        if self.polled and self._events:
            return self._oldest_event()
        return self._signed(Kind.IDLE, packet.seq)

    def _forget(self, seq: int) -> None:
        while self._events and self._events[0][0] <= seq:
            self._events.popleft()
            self._repeat_at = 0.0

    def _oldest_event(self) -> Packet | None:
        if self._keys is None:
            return None
        seq, event = self._events[0]
        if event.secret and (opened := getattr(event, event.secret)):
            covered = self._keys.cover(opened, seq)
            event = msgspec.structs.replace(event, **{event.secret: covered})
        return self._signed(Kind.EVENT, seq, messages.to_bytes(event))

    def _signed(self, kind: Kind, seq: int, payload: bytes = b"") -> Packet:
        if self._keys is None or self._session is None:
            raise RuntimeError("there is no session to sign for")
        packet = Packet(kind, self.address, self._session, seq, payload)
        return self._keys.tagged(packet)
