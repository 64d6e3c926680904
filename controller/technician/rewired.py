"""The wires of a recorded table: as the daemon makes them, without ports."""

from __future__ import annotations

import re
from collections.abc import Sequence

from controller.daemon.configuration import Configuration, Device
from controller.daemon.sealing import Sealer
from controller.daemon.wiring import Wiring
from controller.technician.logs import Run, Wire
from drivers.attachment import Attachment
from drivers.wire.devicelog import Remark
from drivers.wire.recorded import RecordedAtBroker, RecordedStation
from drivers.wire.recorded_broker import RecordedBroker
from drivers.wire.station import Station, Timing

_BOOT = re.compile(r" boot=(\d+)\b")


class _Sealed(Sealer):
    """Seals nothing: the journal has what was sealed, and it can't be made again."""

    def __init__(self) -> None:
        """Without a key: nothing is opened either."""

    def seal(self, faces: bytes) -> str:
        return "sealed"


class Rewiring(Wiring):
    def __init__(self, configuration: Configuration, run: Run, *, keyed: bool) -> None:
        super().__init__(configuration, _Sealed(), run=run.id)
        self._recorded = run
        self._keyed = keyed

    def _station(self, device: Device, timing: Timing, is_bus: bool) -> Station:
        whose = self._whose if self._keyed else None
        return RecordedStation(
            device.address, self._key_of(device), timing=timing, polled=is_bus, whose=whose
        )

    def broker(self, name: str) -> tuple[RecordedBroker, tuple[Attachment, ...]]:
        """A wire with a broker, and its devices, without a connection."""
        configuration = self._configuration
        given = configuration.daemon.wires[name]
        devices = [one for one in configuration.devices.values() if one.wire == name]
        whose = self._whose if self._keyed else None
        stations = {one.name: RecordedAtBroker(self._key_of(one), whose) for one in devices}
        wire = RecordedBroker(configuration.terms.id, stations)
        return wire, self._attached(given, devices, list(stations.values()))

    def _first_boot(self, devices: Sequence[Device]) -> int:
        """With which number the first contact was counted, as the log has it."""
        wire = self._recorded.wires[devices[0].wire]
        said = (
            _BOOT.search(one.record.text)
            for one in wire.records(having=b" device ")
            if isinstance(one.record, Remark) and one.record.word == "device"
        )
        return min((int(found[1]) for found in said if found), default=super()._first_boot(devices))

    def _key_of(self, device: Device) -> bytes | None:
        return self._key(device) if self._keyed else None


def replayable(wire: Wire) -> bool:
    """Whether it says what is on it."""
    return bool(wire.given.get("devices"))
