"""The table's one connection to its broker, and the devices that it speaks with there.

A participant with a station for each device: what a device publishes goes to its station, and what
the stations have to say goes to the devices' topics. The conversation is that of the serial line,
with its own acknowledgements from end to end: a broker's acknowledgement means that the broker has
it, which a power cut undoes.

A device may say as much as it is asked, and a little more. What is above that is dropped and
counted, and a device that does not stop is not listened to for a while, so that the others are.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from drivers.wire import envelope, topics
from drivers.wire.broker_client import Account
from drivers.wire.envelope import ADDRESS
from drivers.wire.frame import Kind
from drivers.wire.keys import NONCE_BYTES
from drivers.wire.line import Counts
from drivers.wire.participant import Participant, Tap
from drivers.wire.running import remembered
from drivers.wire.station import Rest, Station, Timing, Whose
from drivers.wire.topics import FELT, HEARD, PLACE, Place, Presence

#: What a device may say unasked: so much at once, and so much a second.
MAX_UNASKED = 64
UNASKED_PER_S = 20.0
#: An answer and an event may follow each packet that it gets.
PER_PACKET = 2
#: So many dropped in a row, and nobody listens to it for so long; doubled each time.
MAX_DROPPED = 100
FIRST_MUTE_S = 5.0
LONGEST_MUTE_S = 60.0


@dataclass(slots=True)
class MqttCounts(Counts):
    """Of a wire with a broker: a frame is a publish, and garbage is still counted in bytes."""

    #: What was said before felt came, or came back.
    stale: int = 0
    #: What devices said beyond what they may.
    flooded: int = 0


def station(
    key: bytes,
    nonce: Callable[[], bytes] = lambda: os.urandom(NONCE_BYTES),
    timing: Timing | None = None,
    whose: Whose | None = None,
) -> Station:
    """A station as it must be for this wire."""
    return Station(ADDRESS, key, nonce, timing=timing, deadlines=True, whose=whose)


class MqttWire(Participant):
    """``stations`` by the devices' names. ``on_turn`` is called when there may be notices."""

    def __init__(
        self,
        account: Account,
        table: str,
        stations: Mapping[str, Station],
        *,
        on_turn: Callable[[], None],
        tap: Tap | None = None,
        jitter: Callable[[float, float], float] = random.uniform,
    ) -> None:
        boot = int.from_bytes(os.urandom(4), "big")
        super().__init__(account, table, FELT, boot, fresh=False, tap=tap, jitter=jitter)
        self.counts = MqttCounts()
        self._on_turn = on_turn
        self._devices: dict[str, _Device] = {}
        for name, one in stations.items():
            slug = topics.slug(name)
            if slug in self._devices or slug == FELT:
                raise ValueError(f"{name!r} can't have the topic {slug}: it is taken")
            if one.address != ADDRESS or not one.deadlines:
                raise ValueError(f"the station of {name!r} is not one for this wire")
            self._devices[slug] = _Device(one, self.table, slug, len(self._devices) + 1)

    @property
    def stations(self) -> Sequence[Station]:
        return tuple(device.station for device in self._devices.values())

    # --- For a replay ---------------------------------------------------------

    def memory(self) -> dict[str, Any] | None:
        """Where it stands; none while anything but a poll is on its way. There is no key in it."""
        line = self._memory()
        return None if self._running is None or line is None else remembered(line, self.state)

    def _memory(self) -> dict[str, Any] | None:
        each = {slug: device.memory() for slug, device in self._devices.items()}
        return None if None in each.values() else {"devices": each}

    def _recall(self, line: dict[str, Any]) -> None:
        """Go on from there. Raises ``ValueError`` if it is no memory of these devices."""
        try:
            if line["devices"].keys() != self._devices.keys():
                raise ValueError("no memory of this wire: it has other devices")
            for slug, device in self._devices.items():
                device.recall(line["devices"][slug])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no memory of this wire: {error!r}") from None

    # --- As a participant -----------------------------------------------------

    def _listens_to(self) -> Iterable[str]:
        return (topic for device in self._devices.values() for topic in device.topics)

    def _arrive(self, now: float) -> None:
        # Whatever was said before, nobody heard it: the stations begin anew.
        self._lose_all(now, "the broker was reached")

    def _depart(self, now: float, why: str) -> None:
        self._lose_all(now, why)

    def _lose_all(self, now: float, why: str) -> None:
        for device in self._devices.values():
            device.muted_until = None
            device.station.lose(now, why)

    def _turn(self) -> None:
        # First who may want something, then who says it: what is urgent goes before a poll.
        self._on_turn()
        self._speak_now()

    def _speak(self, now: float) -> bool:
        spoke = self._listen_again(now)
        due = [one for one in self._devices.values() if one.station.wakes_at() <= now]
        for device in sorted(due, key=lambda one: one.station.urgency(now), reverse=True):
            while packet := device.station.next_packet(now):
                spoke = True
                if self._is_open and device.muted_until is None:
                    payload = envelope.to_json(packet)
                    self.counts.frames_out += 1
                    self.counts.bytes_out += len(payload)
                    device.may_say(PER_PACKET)
                    self._say(device.commanded_at, payload, now)
        return spoke

    def _wakes_at(self) -> float:
        return min((device.wakes_at() for device in self._devices.values()), default=inf)

    def _hear(self, place: Place, payload: bytes, retained: bool, now: float) -> None:
        device = self._devices.get(place.device)
        if device is None:
            self.counts.astray += 1
            return
        if self._is_open and not device.says(now):
            self._flooded(device, now)
            return
        if self._tap is not None:
            self._tap.received(payload, now, str(place))
        self.counts.bytes_in += len(payload)
        if place.what == "state":
            self._present(device, payload, now)
        elif retained or not self._is_open:
            self.counts.stale += 1
        else:
            rest = self._received(device, place.what, payload, now)
            if rest is not None and self._tap is not None:
                self._tap.quiet(rest, str(place))

    # --- What devices say -----------------------------------------------------

    def _received(self, device: _Device, what: str, payload: bytes, now: float) -> Rest | None:
        """If it was an answer from which nothing follows, how the device's station stands."""
        packet = envelope.from_json(payload)
        if packet is None or not packet.kind.from_device or PLACE[packet.kind] != what:
            self.counts.garbage += len(payload)
            if what == PLACE[Kind.EVENT] and envelope.is_unreadable_event(payload):
                device.station.unreadable()
        elif packet.kind is not Kind.IDENTITY and device.station.stage in ("silent", "refused"):
            self.counts.stale += 1
        else:
            self.counts.frames_in += 1
            quiet = device.station.received(packet, now)
            # Only what could be written again just so: JSON may be written in other ways, too. And
            # only if nothing waits that is said next: then it is not quiet.
            if quiet and not device.station.wants_to_say and envelope.to_json(packet) == payload:
                return device.station.rest()._replace(address=device.place)
        return None

    def _present(self, device: _Device, payload: bytes, now: float) -> None:
        presence = topics.presence_from_json(payload)
        if presence is None:
            self.counts.garbage += len(payload)
        elif presence.is_alive:
            self._born(device, presence, now)
        elif device.born == (presence.boot, presence.connection):
            # Of any other connection it is the death of one that was replaced long ago.
            why = "its connection to the broker broke" if presence.state == "lost" else "it left"
            device.station.lose(now, why)

    def _born(self, device: _Device, presence: Presence, now: float) -> None:
        device.born = (presence.boot, presence.connection)
        in_session = device.station.stage in ("identified", "ready")
        if in_session and device.station.said_boot not in (None, presence.boot):
            device.station.lose(now, "it has restarted")
        elif not in_session and presence.state == "ready":
            device.station.greet(now)

    # --- Devices that say too much --------------------------------------------

    def _flooded(self, device: _Device, now: float) -> None:
        self.counts.flooded += 1
        device.station.unheard += 1
        device.dropped += 1
        if device.dropped < MAX_DROPPED or device.muted_until is not None:
            return
        self._mute(device, now)

    def _mute(self, device: _Device, now: float) -> None:
        pause = device.mute(now)
        connection = self._connection
        if connection is not None:
            connection.stop_listening(device.topics)
        why = f"{device.slug} floods the broker: nobody listens to it for {pause:.0f} s"
        if self._tap is not None:
            self._tap.port(why, now)
        device.station.lose(now, why)

    def _listen_again(self, now: float) -> bool:
        connection = self._connection
        listened = False
        for device in self._devices.values():
            if device.muted_until is not None and device.muted_until <= now:
                listened = True
                device.muted_until = None
                device.station.greet(now)
                if connection is not None and self._is_open:
                    connection.listen_again(device.topics)
        return listened


class _Device:
    """A station and its topics, and how much the device may say."""

    def __init__(self, station: Station, table: str, slug: str, place: int) -> None:
        self.station = station
        self.slug = slug
        #: Which of the wire's devices it is, from 1.
        self.place = place
        self.commanded_at = str(Place(table, slug, PLACE[Kind.COMMAND]))
        self.topics = [str(Place(table, slug, what)) for what in HEARD]
        #: The boot and the connection that it last said it had.
        self.born: tuple[int, int] | None = None
        #: Dropped since it last kept to what it may say.
        self.dropped = 0
        self.muted_until: float | None = None
        self._mute_s = FIRST_MUTE_S
        self._allowance = float(MAX_UNASKED)
        self._counted_at = 0.0

    def may_say(self, more: int) -> None:
        self._allowance = min(self._allowance + more, MAX_UNASKED)

    def says(self, now: float) -> bool:
        """It says something. False if that is too much."""
        earned = (now - self._counted_at) * UNASKED_PER_S
        self._counted_at = now
        self._allowance = min(self._allowance + earned, MAX_UNASKED)
        if self._allowance < 1:
            return False
        self._allowance -= 1
        if self._allowance > MAX_UNASKED / 2:
            self.dropped = 0
        return True

    def mute(self, now: float) -> float:
        pause = self._mute_s
        self.muted_until = now + pause
        self._mute_s = min(2 * pause, LONGEST_MUTE_S)
        self.dropped = 0
        return pause

    def wakes_at(self) -> float:
        at = self.station.wakes_at()
        return at if self.muted_until is None else min(at, self.muted_until)

    def memory(self) -> dict[str, Any] | None:
        station = self.station.memory()
        if station is None:
            return None
        return {
            "station": station,
            "born": self.born,
            "dropped": self.dropped,
            "muted until": self.muted_until,
            "mute": self._mute_s,
            "allowance": self._allowance,
            "counted at": self._counted_at,
        }

    def recall(self, memory: dict[str, Any]) -> None:
        born, muted_until = memory["born"], memory["muted until"]
        self.born = None if born is None else (int(born[0]), int(born[1]))
        self.dropped = int(memory["dropped"])
        self.muted_until = None if muted_until is None else float(muted_until)
        self._mute_s = float(memory["mute"])
        self._allowance = float(memory["allowance"])
        self._counted_at = float(memory["counted at"])
        self.station.recall(memory["station"])
