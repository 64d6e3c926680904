"""felt's end of a recorded broker: the wire as it is, but that nobody is connected anywhere.

What devices published is given to it at the recorded times, and what it says is handed to whoever
compares. Everything between is the code that runs at a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drivers.wire import topics
from drivers.wire.broker_client import Account, Connection
from drivers.wire.mqtt import PER_PACKET, MqttWire
from drivers.wire.participant import BrokerState
from drivers.wire.recorded import RecordedAtBroker
from drivers.wire.station import Rest

FLOODS = " floods the broker"


class RecordedBroker(MqttWire):
    def __init__(self, table: str, stations: Mapping[str, RecordedAtBroker]) -> None:
        super().__init__(Account("recorded", 0), table, stations, on_turn=lambda: None)
        #: By their places on the wire.
        self.placed = dict(enumerate(stations.values(), 1))
        self._said: list[tuple[str, bytes]] = []

    @property
    def _connection(self) -> Connection | None:
        return None

    def told_at(self, place: int) -> str:
        """The topic at which the device is spoken to that has this place on the wire."""
        return next((one.commanded_at for one in self._devices.values() if one.place == place), "")

    def station_at(self, topic: str) -> RecordedAtBroker | None:
        """The station that speaks there."""
        place = topics.place_of(topic)
        device = self._devices.get(place.device) if place else None
        found = device.station if device else None
        return found if isinstance(found, RecordedAtBroker) else None

    def memory(self) -> dict[str, Any] | None:
        """What is known of the devices; none while anything but a poll is on its way."""
        return self._memory()

    def recall(self, line: dict[str, Any]) -> None:
        """Begin in the middle of a log, with what felt knew there of the devices."""
        self._recall(line)

    def is_there(self, *, is_open: bool) -> None:
        """Whether felt was connected there."""
        self.state = BrokerState("open" if is_open else "absent", 0.0)

    # --- What happens -----------------------------------------------------------

    def opened(self, now: float) -> None:
        self.state = BrokerState("open", now)
        self._arrive(now)

    def lost(self, now: float, why: str) -> None:
        if self._is_open:
            self._depart(now, why)
        self.state = BrokerState("absent", now)

    def flooded(self, text: str, now: float) -> None:
        """The record says that nobody listens to a device for a while."""
        device = self._devices.get(text.partition(FLOODS)[0])
        if device is not None:
            self._mute(device, now)

    def hears(self, topic: str, payload: bytes, now: float) -> None:
        place = topics.place_of(topic)
        if place is not None and place.table == self.table:
            # What a broker had kept is not told apart in a log; only states ever are.
            self._hear(place, payload, False, now)

    def resting(self, rests: Sequence[tuple[Rest, int]]) -> bool:
        """Go on after polls that were answered and had nothing to say; false if it can't be."""
        placed = {device.place: device for device in self._devices.values()}
        for rest, polls in rests:
            device = placed.get(rest.address)
            if device is None or not device.station.resting(rest, polls):
                return False
            # It may say no less than it might: what was beyond that is in no record.
            device.may_say(PER_PACKET * polls)
            device.says(rest.heard_at)
        return True

    def says(self, now: float) -> list[tuple[str, bytes]]:
        """What goes out now, with its topics."""
        self._speak(now)
        said, self._said = self._said, []
        return said

    def wakes_at(self) -> float:
        return self._wakes_at()

    def _say(self, topic: str, payload: bytes, now: float, *, retain: bool = False) -> None:
        self._said.append((topic, payload))
