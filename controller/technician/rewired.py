"""The wires of a recorded table: as the daemon makes them, without ports."""

from __future__ import annotations

from controller.daemon.configuration import Configuration, Device
from controller.daemon.sealing import Sealer
from controller.daemon.wiring import Wiring
from controller.technician.logs import Wire
from drivers.wire.recorded import RecordedStation
from drivers.wire.station import Station, Timing


class _Sealed(Sealer):
    """Seals nothing: the journal has what was sealed, and it can't be made again."""

    def __init__(self) -> None:
        pass

    def seal(self, faces: bytes) -> str:
        return "sealed"


class Rewiring(Wiring):
    def __init__(self, configuration: Configuration, *, run: str, keyed: bool) -> None:
        super().__init__(configuration, _Sealed(), run=run)
        self._keyed = keyed

    def _station(self, device: Device, timing: Timing, is_bus: bool) -> Station:
        key = self._key(device) if self._keyed else None
        return RecordedStation(device.address, key, timing=timing, polled=is_bus)


def replayable(wire: Wire) -> bool:
    """Whether it is a serial line with felt's own protocol, and says what is on it."""
    given = wire.given
    return (
        bool(given.get("serial"))
        and given.get("speaks", "felt") == "felt"
        and bool(given.get("devices"))
    )
