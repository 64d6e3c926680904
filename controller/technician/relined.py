"""One recorded wire: takes the port's place, and compares what the line wants to send."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from math import inf

from controller.technician.logs import Logged
from drivers.contract import Health
from drivers.wire import describe
from drivers.wire.devicelog import Bytes, Remark
from drivers.wire.frame import Kind, Packet, from_bytes
from drivers.wire.line import Spoken
from drivers.wire.recorded import RecordedStation
from drivers.wire.serial import LEAST_REST_S, LONGEST_REST_S

#: Times in a log are rounded to microseconds.
ROUNDED_S = 0.000_002
#: Recorded bytes of a frame that is not whole yet; more is no frame of ours.
MAX_HELD = 4096


class Unlike(Exception):
    """The line wants to say something else than was recorded."""

    def __init__(self, what: str, recorded: str, replayed: str) -> None:
        super().__init__(what)
        self.parts = (what, recorded, replayed)


class Relined:
    def __init__(
        self,
        name: str,
        line: Spoken,
        records: Sequence[Logged],
        clock: Callable[[], float],
        *,
        trusts: bool,
    ) -> None:
        self._clock = clock
        self.name = name
        self.line = line
        self.records = records
        self.is_open = False
        #: When the line wants to be woken.
        self.due = inf
        #: A gap: nothing after it can be compared.
        self.ended = False
        self._trusts = trusts
        self._place = 0
        self._idle = 0
        self._held = bytearray()
        self._wanted: deque[bytes] = deque()
        self._trouble: Health | None = Health("connecting", 0.0, "not opened yet")
        self._outs = _outs(records)

    # --- The record -------------------------------------------------------------

    @property
    def head(self) -> Logged | None:
        return self.records[self._place] if self._place < len(self.records) else None

    def take(self) -> Logged:
        taken = self.records[self._place]
        self._place += 1
        return taken

    @property
    def next_out(self) -> Logged | None:
        """What felt next sent, by the record."""
        return self._outs[self._place] if self._place < len(self._outs) else None

    @property
    def next_out_at(self) -> float:
        found = self.next_out
        return inf if found is None else found.at_us / 1e6

    @property
    def next_at(self) -> float:
        """When anything next happened on the wire itself."""
        for place in range(self._place, len(self.records)):
            record = self.records[place].record
            if isinstance(record, Bytes) or (isinstance(record, Remark) and record.word == "port"):
                return self.records[place].at_us / 1e6
        return inf

    def give_up(self) -> None:
        self.ended = True
        self._place = len(self.records)
        self.due = inf

    # --- As the supervisor sees it ----------------------------------------------

    def kick(self) -> None:
        """The line has something new to say. It goes out at once, as from a port."""
        if self.ended or self._wanted:
            return
        now, following = self._clock(), self.head
        if not self.is_open or following is None:
            frames = self.line.to_write(now)
        elif isinstance(following.record, Bytes) and following.record.direction == "out":
            # What was said because of this stands next. The clock was read again for it.
            frames = self._spoken(following.record.data, max(now, following.at_us / 1e6))
        else:
            frames = self._spoken(b"\0", now)
        if self.is_open:
            self._wanted.extend(frames)

    def trouble(self) -> Health | None:
        return self._trouble

    async def run(self) -> None:
        raise RuntimeError("a recorded wire is not run")

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
        self.due = inf if self.ended else max(self.line.wakes_at(), now)

    def wakes(self, now: float) -> None:
        """It is woken, though nothing was sent at this time."""
        frames = self.line.to_write(now)
        if frames and self.is_open:
            raise Unlike(
                f"{self.name}: the replay would have sent more, at {now:.6f}",
                f"nothing before {self.next_out_at:.6f}",
                said(frames[0]),
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
        self._held += data
        count = 0
        while (end := self._held.find(0)) >= 0:
            recorded = bytes(self._held[: end + 1])
            del self._held[: end + 1]
            self._compare(recorded, now)
            count += 1
        if len(self._held) > MAX_HELD:
            raise Unlike("what was sent is no frame", self._held.hex(), "nothing")
        return count

    def _compare(self, recorded: bytes, now: float) -> None:
        if not self._wanted:
            self._wanted.extend(self._spoken(recorded, now))
        if not self._wanted:
            raise Unlike("the replay would not have sent it", said(recorded), "nothing")
        replayed = self._wanted.popleft()
        if not self._alike(recorded, replayed):
            raise Unlike(
                "the replay would have sent something else", said(recorded), said(replayed)
            )

    def _spoken(self, recorded: bytes, now: float) -> list[bytes]:
        """What the line says now, if it is to greet with the greeting that was recorded."""
        packet = from_bytes(recorded[:-1])
        greeted = [
            one
            for one in self.line.stations
            if isinstance(one, RecordedStation)
            and packet is not None
            and packet.kind is Kind.HELLO
            and packet.address == one.address
        ]
        for one in greeted:
            one.greeting = packet
        frames: list[bytes] = []
        for _ in range(2):
            at = self.line.wakes_at()
            frames = self.line.to_write(at if now < at <= now + ROUNDED_S else now)
            if frames or at > now + ROUNDED_S:
                break
            # The first time it may only have given up what was not answered.
        for one in greeted:
            one.greeting = None
        return frames

    def _alike(self, recorded: bytes, replayed: bytes) -> bool:
        if recorded == replayed or not self._trusts:
            return recorded == replayed
        one, other = from_bytes(recorded[:-1]), from_bytes(replayed[:-1])
        return one is not None and other is not None and _untagged(one) == _untagged(other)


def _untagged(packet: Packet) -> tuple[Kind, int, int, int, bytes]:
    return packet.kind, packet.address, packet.session, packet.seq, packet.payload


def said(frame: bytes) -> str:
    """A frame in words and bytes."""
    packet = from_bytes(frame[:-1])
    words = describe.packet(packet) if packet is not None else "no frame"
    return f"{words}  ({frame.hex()})"


def _outs(records: Sequence[Logged]) -> list[Logged | None]:
    """For each place in the record, what felt next sent."""
    found: list[Logged | None] = [None] * len(records)
    following: Logged | None = None
    for place in range(len(records) - 1, -1, -1):
        logged = records[place]
        if isinstance(logged.record, Bytes) and logged.record.direction == "out":
            following = logged
        found[place] = following
    return found
