"""Recorded wires that are not felt's own serial line: a broker, and devices off the shelf.

Each takes the place of a port or a connection, as ``Relined`` does for a line of felt's own, and
has the production code between: what came in goes in, and what goes out is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from controller.technician import cut
from controller.technician.logs import Logged, Wire
from controller.technician.relined import ROUNDED_S, Relined, Unlike, describe_station
from controller.technician.rewired import Rewiring
from drivers.attachment import Attachment
from drivers.contract import Health
from drivers.wire import describe, envelope
from drivers.wire.capture import POLL_TEXT, QUIET_S
from drivers.wire.devicelog import Bytes, Quiet, Remark
from drivers.wire.frame import Kind, Packet
from drivers.wire.line import Counts
from drivers.wire.recorded import RecordedAtBroker
from drivers.wire.recorded_broker import FLOODS, RecordedBroker
from drivers.wire.station import Rest, Station

#: Between a topic and what is published there, where both are one.
_BETWEEN = b" "


def relined(
    wire: Wire,
    rewiring: Rewiring,
    records: Iterator[Logged],
    clock: Callable[[], float],
    *,
    trusts: bool,
) -> tuple[Relined, tuple[Attachment, ...]]:
    """A recorded wire of any kind, and the devices on it; ``records`` from where it begins."""
    name, given = wire.name, wire.given
    if given.get("mqtt"):
        broker, attachments = rewiring.broker(name)
        return Rebrokered(name, broker, records, clock, trusts=trusts), attachments
    line, attachments = rewiring.line(name)
    kind = Relined if given.get("speaks", "felt") == "felt" else Requested
    return kind(name, line, records, clock, trusts=trusts), attachments


class _AsLine:
    """A recorded broker, as what is compared wants to see it: a publish is a frame."""

    def __init__(self, broker: RecordedBroker) -> None:
        self.broker = broker
        self.counts: Counts = broker.counts

    @property
    def stations(self) -> Sequence[Station]:
        return self.broker.stations

    def received(self, data: bytes, now: float) -> Rest | None:
        topic, _, payload = data.partition(_BETWEEN)
        self.broker.hears(topic.decode(), payload, now)
        return None

    def to_write(self, now: float) -> list[bytes]:
        return [topic.encode() + _BETWEEN + payload for topic, payload in self.broker.says(now)]

    def wakes_at(self) -> float:
        return self.broker.wakes_at()

    def cut(self, now: float, why: str) -> None:
        self.broker.lost(now, why)

    def memory(self) -> dict[str, Any] | None:
        return self.broker.memory()

    def recall(self, memory: dict[str, Any]) -> None:
        self.broker.recall(memory)


class Rebrokered(Relined):
    """felt's connection to a broker."""

    def __init__(
        self,
        name: str,
        broker: RecordedBroker,
        records: Iterator[Logged],
        clock: Callable[[], float],
        *,
        trusts: bool,
    ) -> None:
        super().__init__(name, _AsLine(broker), records, clock, trusts=trusts)
        self._broker = broker
        #: Where the record that is taken was published.
        self._channel = b""
        self._places = broker.placed.keys()
        #: How far was looked ahead last.
        self._looked_us = 0.0

    def take(self) -> None:
        record = self.head.record if self.head is not None else None
        self._channel = record.channel.encode() if isinstance(record, Bytes) else b""
        super().take()

    def received(self, data: bytes, now: float) -> None:
        super().received(self._channel + _BETWEEN + data, now)

    def sent(self, data: bytes, now: float) -> int:
        """One publish: where it begins and ends is not left to the bytes."""
        self._compare(self._channel + _BETWEEN + data, now)
        return 1

    def port(self, text: str, now: float) -> None:
        if text.startswith("open "):
            self.is_open = True
            self._trouble = None
            self._forget()
            self._broker.opened(now)
        elif text.startswith("absent, "):
            reason = text.partition(": ")[2]
            self._broker.lost(now, reason)
            self.is_open = False
            self._trouble = Health("absent", now, reason)
            self._forget()
        elif FLOODS in text:
            self._broker.flooded(text, now)

    def recall(self, memory: dict[str, Any]) -> None:
        super().recall(memory)
        self._broker.is_there(is_open=self.is_open)

    def _spoken(self, recorded: bytes, now: float) -> list[bytes]:
        """All devices speak in one turn: each as the record has it next."""
        knowing = self._known_from(recorded)
        with self._resting((now + ROUNDED_S) * 1e6):
            frames = super()._spoken(b"", now)
        for one in knowing:
            one.greeting = one.commanded = None
        return frames

    def _known_from(self, recorded: bytes) -> list[RecordedAtBroker]:
        """Tell the stations what chance and a busy clock gave in the record."""
        topic, _, payload = recorded.partition(_BETWEEN)
        ahead = [(topic.decode(), payload)] if payload else []
        for logged in self._following():
            match logged.record:
                case Bytes(direction="out", channel=channel, data=data):
                    ahead.append((channel, data))
                case Bytes() | Quiet() | Remark(word="table" | "port" | "gap"):
                    break
        found: list[RecordedAtBroker] = []
        for where, data in ahead:
            station, packet = self._broker.station_at(where), envelope.from_json(data)
            if station is None or packet is None or station in found:
                continue
            station.greeting = packet if packet.kind is Kind.HELLO else None
            station.commanded = packet if packet.kind is Kind.COMMAND else None
            found.append(station)
        return found

    # --- Polls that are counted -------------------------------------------------

    def happens_by(self, limit: float) -> bool:
        """Whether what is due now happens up to this time: in words, or as polls of a device."""
        self._looked_us = limit * 1e6
        if self._next_begins(self._looked_us) is not None:
            return True
        now = self._clock()
        due = {place for place, one in self._broker.placed.items() if one.wakes_at() <= now}
        return bool(due) and due <= self._at_rest(self._looked_us)

    def wakes(self, now: float) -> None:
        with self._resting(self._looked_us):
            super().wakes(now)

    def _next_begins(self, limit_us: float) -> Logged | None:
        """What is next published, or happens to the connection, if that is up to this time.

        Polls that are counted hold up nobody but the device that is asked.
        """
        for logged in self._following():
            if logged.at_us > limit_us:
                break
            match logged.record:
                case Bytes() | Remark(word="port") | Remark(text=cut.ENDS):
                    return logged
        return None

    def _at_rest(self, limit_us: float) -> set[int]:
        """The places of devices that are asked by this time, in polls that are only counted."""
        found: set[int] = set()
        for logged in self._following():
            match logged.record:
                case Quiet(length_us=length_us, devices=devices):
                    if logged.at_us - length_us <= limit_us:
                        found.update(one.address for one in devices)
                case Bytes(direction="out", data=data) if (
                    data.startswith(POLL_TEXT) or logged.at_us <= limit_us
                ):
                    pass  # it may stand before what had begun already, or in the same breath
                case Bytes() | Remark(word="port" | "gap"):
                    break
            # It stands where it ends.
            if logged.at_us > limit_us + QUIET_S * 1e6:
                break
        return found

    @contextmanager
    def _resting(self, by_us: float) -> Iterator[None]:
        """Who is asked by then in polls that are only counted says nothing now."""
        resting = [self._broker.placed[one] for one in self._at_rest(by_us) & self._places]
        for one in resting:
            one.rests = True
        try:
            yield
        finally:
            for one in resting:
                one.rests = False

    def _wanted_instead(self, record: Quiet) -> bytes | None:
        theirs = {self._broker.told_at(one.address).encode() for one in record.devices}
        return next((one for one in self._wanted if one.partition(_BETWEEN)[0] in theirs), None)

    def _rests(self, rests: Sequence[tuple[Rest, int]]) -> bool:
        return self._broker.resting(rests)

    def _stand(self) -> list[str]:
        return [describe_station(one, place) for place, one in self._broker.placed.items()]

    # --- Comparing ----------------------------------------------------------------

    def _alike(self, recorded: bytes, replayed: bytes) -> bool:
        if recorded == replayed or not self._trusts:
            return recorded == replayed
        (one_at, one), (other_at, other) = map(_packet, (recorded, replayed))
        if one is None or other is None or one_at != other_at or one.kind is Kind.HELLO:
            return False
        return _untagged(one) == _untagged(other)

    def _words(self, frame: bytes) -> str:
        topic, packet = _packet(frame)
        words = describe.packet(packet) if packet is not None else "no packet"
        return f"{words}  ({topic} {frame.partition(_BETWEEN)[2].decode(errors='replace')})"


def _packet(frame: bytes) -> tuple[str, Packet | None]:
    topic, _, payload = frame.partition(_BETWEEN)
    return topic.decode(), envelope.from_json(payload)


def _untagged(packet: Packet) -> tuple[object, ...]:
    return packet.kind, packet.session, packet.seq, packet.payload, packet.deadline


class Requested(Relined):
    """A line in a dialect: felt asks, and every request is a record, or the rest of one."""

    def sent(self, data: bytes, now: float) -> int:
        self._held += data
        if not self._wanted:
            self._wanted.extend(self._spoken(b"", now))
        recorded = bytes(self._held)
        if not self._wanted:
            said = self._words(recorded)
            raise Unlike(self.name, "the replay would not have sent it", said, "nothing")
        replayed = self._wanted[0]
        if not replayed.startswith(recorded):
            raise Unlike(
                self.name,
                "the replay would have sent something else",
                self._words(recorded),
                self._words(replayed),
            )
        if recorded != replayed:
            return 0  # the system took it in pieces
        self._wanted.popleft()
        self._held.clear()
        return 1

    def _words(self, frame: bytes) -> str:
        return frame.hex()
