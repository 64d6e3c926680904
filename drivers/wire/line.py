"""A serial line and the stations on it: alone, or up to seven on a bus.

On a bus only one speaks at a time and devices speak when they are asked, so a request has the line
until it is answered or due again. The line goes to who needs it most: a lock-out before any other
command, commands before polls, and among equals to who has waited longest.

No I/O: bytes and times in and out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from drivers.wire import frame, messages
from drivers.wire.commanded import Stage
from drivers.wire.frame import FROM_DEVICE, Garbage, Packet, Splitter
from drivers.wire.handshake import Identity
from drivers.wire.notices import Notice
from drivers.wire.station import Rest, Station


def _sent_at(rest: tuple[Rest, int]) -> float:
    return rest[0].sent_at


class Unmemorable(Exception):
    """What is known of it can't be written down."""


class Correspondent(Protocol):
    """One device as its driver sees it, whatever is spoken on the line."""

    address: int
    stage: Stage
    identity: Identity | None
    heard_at: float | None
    retries: int
    #: Packets in its name that it did not seal, and those that were too many to be looked at.
    unproven: int
    unheard: int
    #: At which other address of its line somebody answers, while it is silent itself.
    elsewhere: int | None
    #: Notices that nobody has asked for yet; always the same list.
    pending: list[Notice]

    @property
    def wants_to_say(self) -> bool: ...
    @property
    def place(self) -> str:
        """Where on its line it is spoken to; nothing where it has no address."""

    def send(
        self, command: int, message: messages.Command, *, deadline: float, urgent: bool = False
    ) -> None: ...
    def accept(self, now: float) -> None: ...
    def refuse(self, now: float) -> None: ...
    def begins_anew(self, now: float) -> None: ...
    def acknowledge(self, boot: int, seq: int) -> None: ...
    def notices(self) -> list[Notice]: ...


class Spoken(Protocol):
    """What is spoken on a line, whoever's protocol it is: it drives the port's bytes."""

    counts: Counts

    @property
    def stations(self) -> Sequence[Correspondent]: ...
    def received(self, data: bytes, now: float) -> Rest | None: ...
    def to_write(self, now: float) -> list[bytes]: ...
    def wakes_at(self) -> float: ...
    def cut(self, now: float, why: str) -> None: ...

    def memory(self) -> dict[str, Any] | None:
        """All that is needed to go on from here; none while more than a poll is on its way.

        ``Unmemorable`` if it can't be written down at all.
        """

    def recall(self, memory: dict[str, Any]) -> None:
        """Go on from there. Raises ``ValueError`` if it is no memory of this line."""


@dataclass(slots=True)
class Counts:
    """What went over a line since it was made."""

    bytes_in: int = 0
    bytes_out: int = 0
    frames_in: int = 0
    frames_out: int = 0
    #: Bytes that were no frame.
    garbage: int = 0
    #: Frames for nobody on this line, or of our own that came back.
    astray: int = 0


class Line:
    """felt's own protocol on a serial line."""

    def __init__(self, stations: Iterable[Station]) -> None:
        given = tuple(stations)
        self.stations: Sequence[Station] = given
        self._stations = {station.address: station for station in given}
        if not given or len(self._stations) < len(given):
            raise ValueError("a line needs stations, each at an address of its own")
        if len(given) > 1 and not all(station.polled for station in given):
            raise ValueError("on a bus a device may only speak when it is asked: poll them all")
        self.counts = Counts()
        self._splitter = Splitter()
        #: By how long ago they had the line, the longest first.
        self._turns = list(self._stations.values())
        self._speaking: Station | None = None
        self.is_bus = len(given) > 1

    def received(self, data: bytes, now: float) -> Rest | None:
        """Bytes from the wire. If they were an answer from which nothing follows, how it stands."""
        self.counts.bytes_in += len(data)
        quiet: Station | None = None
        frames = 0
        for found in self._splitter.feed(data):
            frames += 1
            if isinstance(found, Garbage):
                self.counts.garbage += len(found.data)
                continue
            station = self._stations.get(found.address)
            if station is None or found.kind < FROM_DEVICE:
                self.counts.astray += 1
                if station is None and found.kind >= FROM_DEVICE:
                    self._heard_elsewhere(found.address)
                continue
            self.counts.frames_in += 1
            quiet = station if station.received(found, now) else None
        return quiet.rest() if quiet is not None and frames == 1 and data[-1] == 0 else None

    def _heard_elsewhere(self, address: int) -> None:
        """Somebody answers where nobody is listed: most likely one that is missed."""
        for station in self.stations:
            if station.stage == "silent":
                station.elsewhere = address

    def resting(self, rests: Sequence[tuple[Rest, int]]) -> bool:
        """Go on after polls that were answered and had nothing to say; false if it can't be."""
        for rest, polls in sorted(rests, key=_sent_at) if len(rests) > 1 else rests:
            station = self._stations.get(rest.address)
            if station is None or not station.resting(rest, polls):
                return False
            self._turns.remove(station)
            self._turns.append(station)
            self._speaking = station
        return True

    def memory(self) -> dict[str, Any] | None:
        """All that is needed to go on from here; none while more than a poll is on its way."""
        each = {str(one.address): one.memory() for one in self._turns}
        if None in each.values() or not self._splitter.is_empty:
            return None
        speaking = self._speaking.address if self._speaking is not None else None
        return {"stations": each, "turns": [one.address for one in self._turns],
                "speaking": speaking}  # fmt: skip

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
        except (KeyError, TypeError) as error:
            raise ValueError(f"no memory of this line: {error!r}") from None

    def to_write(self, now: float) -> list[bytes]:
        """The frames that go out now."""
        frames: list[bytes] = []
        while self._free_at() <= now and (packet := self._next_packet(now)):
            frames.append(frame.to_bytes(packet))
        for one in frames:
            self.counts.frames_out += 1
            self.counts.bytes_out += len(one)
        return frames

    def _next_packet(self, now: float) -> Packet | None:
        # Asked for every byte that comes in, and most often nobody wants anything, or one does.
        turns = self._turns
        if self.is_bus:
            turns = [one for one in turns if one.wakes_at() <= now]
            if len(turns) > 1:
                turns.sort(key=lambda one: one.urgency(now), reverse=True)
        for station in turns:
            if packet := station.next_packet(now):
                self._turns.remove(station)
                self._turns.append(station)
                self._speaking = station
                return packet
        return None

    def _free_at(self) -> float:
        """On a bus: when no request is on the line any more that still may be answered."""
        if not self.is_bus or self._speaking is None:
            return 0.0
        return self._speaking.answer_by

    def wakes_at(self) -> float:
        if not self.is_bus:
            return self._turns[0].wakes_at()
        free, speaking = self._free_at(), self._speaking
        if speaking is not None and speaking.wakes_at() <= free:
            # Whatever the others want, nobody has the line before.
            return free
        return max(free, min([station.wakes_at() for station in self._turns]))

    def cut(self, now: float, why: str) -> None:
        """The line is gone: all that was half received is worth nothing."""
        self._splitter = Splitter()
        self._speaking = None
        # From the first again, so that what follows does not depend on what nobody heard.
        self._turns = list(self._stations.values())
        for station in self._stations.values():
            station.lose(now, why)
