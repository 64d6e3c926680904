"""An acceptor for felt, written from docs/protocol.md alone: no line of felt is in it."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable

from tests.docs import independent as wire
from tests.docs.independent import Block, Keys

REPORT, SET_WATCHDOG, QUIESCE = 0x01, 0x02, 0x03
LOCK, UNLOCK, SET_LAMP = 0x28, 0x29, 0x2A
WENT_SAFE, LOCK_STATE, LAMP_READ = 0x44, 0x68, 0x6C
DONE, UNKNOWN = 0, 3

KEPT_RESULTS = 16
KEPT_EVENTS = 64
REPEAT_AFTER = 0.25
FIRST_WATCHDOG_MS = 3000


def text(value: str) -> bytes:
    coded = value.encode()
    return bytes((len(coded),)) + coded


class IndependentDevice:
    """Bytes and times in, bytes out. Made anew, it has restarted."""

    #: Of the words in the identity: an acceptor.
    kind = 3

    def __init__(
        self,
        key: bytes,
        boot: int,
        nonce: Callable[[], bytes],
        *,
        address: int = 1,
        polled: bool = False,
        protocol: int = 1,
        firmware: bytes = bytes(32),
    ) -> None:
        self.locked = True
        self.lamp = 0
        #: Ids of the commands that it carried out, in order.
        self.carried_out: list[int] = []
        self._key, self._boot, self._nonce = key, boot, nonce
        self._address, self._polled, self._protocol = address, polled, protocol
        self._firmware = firmware
        self.now = 0.0
        self._held = b""
        self._overlong = False
        self._session = 0
        self._keys: Keys | None = None
        self._hello: tuple[Block, bytes] | None = None
        self._last_request = 0
        self._last_answer = b""
        self._results: OrderedDict[int, bytes] = OrderedDict()
        self._events: deque[tuple[int, bytes]] = deque()
        self._next_event = 1
        self._repeat_at = 0.0
        self._watchdog = FIRST_WATCHDOG_MS / 1000
        self._heard_at: float | None = None

    # --- What happens to it ---------------------------------------------------

    def tell(self, code: int, fields: bytes = b"") -> int:
        """Something happened, under this number."""
        if len(self._events) < KEPT_EVENTS:
            self._events.append((self._next_event, bytes((code,)) + fields))
        self._next_event += 1
        return self._next_event - 1

    def tick(self, now: float) -> bytes:
        """What it has to say unasked."""
        self.now = now
        if self._heard_at is not None and now - self._heard_at >= self._watchdog:
            self._heard_at = None
            self._go_safe()
            self.tell(WENT_SAFE)
        if self._polled or self._keys is None or not self._events or now < self._repeat_at:
            return b""
        self._repeat_at = now + REPEAT_AFTER
        return self._oldest_event(self._keys)

    def feed(self, data: bytes, now: float) -> bytes:
        """What it answers to these bytes."""
        self.now = now
        said = b""
        for byte in data:
            if byte:
                self._held += bytes((byte,))
                if len(self._held) >= wire.LONGEST_FRAME:
                    self._held, self._overlong = b"", True
                continue
            block = None if self._overlong else wire.unframe(self._held)
            self._held, self._overlong = b"", False
            if block is not None and block.kind < 0x80 and block.address == self._address:
                said += self._answer(block, now)
        return said

    # --- Packets --------------------------------------------------------------

    def _answer(self, block: Block, now: float) -> bytes:
        if block.kind == wire.HELLO:
            return self._greeted(block)
        if self._keys is None:
            return wire.frame(Block(wire.IDENTITY, self._address, 0, 0, b""))
        if block.session != self._session or block.tag != self._keys.tag_of(block):
            return b""
        self._heard_at = now
        if block.kind == wire.ACK:
            self._acknowledged(block.seq)
            return b""
        if block.seq > self._last_request:
            self._last_request = block.seq
            self._last_answer = (
                self._command(block, self._keys)
                if block.kind == wire.COMMAND
                else self._poll(block, self._keys)
            )
        return self._last_answer if block.seq == self._last_request else b""

    def _greeted(self, block: Block) -> bytes:
        if not block.payload or (block.payload[0] == 1 and len(block.payload) != 17):
            return b""
        if self._hello is not None and self._hello[0] == block:
            return self._hello[1]
        is_known = block.payload[0] == self._protocol
        felt_nonce, nonce = block.payload[1:], self._nonce()
        identity = (
            bytes((self._protocol, self.kind))
            + text("I-1")
            + text("0001")
            + self._firmware
            + self._boot.to_bytes(4, "big")
            + text("")
            + nonce
        )
        self._session = block.session
        self._keys = Keys.of(self._key, felt_nonce, nonce) if is_known else None
        self._last_request, self._last_answer = 0, b""
        self._repeat_at = 0.0
        payload = identity + wire.proof(self._key, felt_nonce, identity)
        answer = wire.frame(Block(wire.IDENTITY, self._address, block.session, 0, payload))
        self._hello = (block, answer)
        return answer

    def _poll(self, block: Block, keys: Keys) -> bytes:
        self._acknowledged(int.from_bytes(block.payload, "big"))
        if self._polled and self._events:
            return self._oldest_event(keys)
        return self._said(keys, wire.IDLE, block.seq, b"")

    def _command(self, block: Block, keys: Keys) -> bytes:
        id_bytes, message = block.payload[:4], block.payload[4:]
        number = int.from_bytes(id_bytes, "big")
        if number not in self._results:
            outcome = self._carry_out(message)
            self.carried_out += [number] if outcome == DONE else []
            self._results[number] = id_bytes + bytes((outcome, 0))
            if len(self._results) > KEPT_RESULTS:
                self._results.popitem(last=False)
        return self._said(keys, wire.RESULT, block.seq, self._results[number])

    def _acknowledged(self, number: int) -> None:
        while self._events and self._events[0][0] <= number:
            self._events.popleft()
            self._repeat_at = 0.0

    def _oldest_event(self, keys: Keys) -> bytes:
        number, message = self._events[0]
        return self._said(keys, wire.EVENT, number, message)

    def _said(self, keys: Keys, kind: int, seq: int, payload: bytes) -> bytes:
        return wire.frame(keys.signed(Block(kind, self._address, self._session, seq, payload)))

    # --- What it does ---------------------------------------------------------

    def _go_safe(self) -> None:
        self.locked = True

    def _carry_out(self, message: bytes) -> int:
        match message[0] if message else None, message[1:]:
            case (0x01, b""):
                self.tell(LOCK_STATE, bytes((self.locked,)))
                self.tell(LAMP_READ, bytes((self.lamp,)))
            case (0x02, time) if len(time) == 2:
                self._watchdog = int.from_bytes(time, "big") / 1000
            case (0x03 | 0x28, b""):
                self.locked = True
            case (0x29, b""):
                self.locked = False
            case (0x2A, lamp) if len(lamp) == 1 and lamp[0] < 4:
                self.lamp = lamp[0]
                self.tell(LAMP_READ, lamp)
            case _:
                return UNKNOWN
        return DONE
