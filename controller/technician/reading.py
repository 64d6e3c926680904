"""A wire's log, read for what its devices did; what all wires have in common.

How bytes become steps is for those who know what is spoken there. Ports, cables, noise and the end
of the record are here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from controller.daemon.blackbox import LETS_GO
from controller.technician.logs import Logged, Wire
from controller.technician.script import Noise, Plug, Script, Step
from drivers.wire.devicelog import Bytes, Quiet, Remark


class Reading(ABC):
    def __init__(self, wire: Wire, script: Script) -> None:
        self._wire = wire
        self._script = script
        self._is_open = False
        #: felt had it open before, and lost it.
        self._was_lost = False
        self._logged: Logged | None = None

    # --- For who knows what is spoken -------------------------------------------

    @abstractmethod
    def bytes_(self, direction: str, data: bytes, channel: str) -> None: ...

    @abstractmethod
    def port(self, *, is_open: bool) -> None:
        """The port was opened, or is gone: nobody waits for an answer any more."""

    @abstractmethod
    def end(self) -> None:
        """Of the record."""

    @abstractmethod
    def quiet(self, addresses: set[int]) -> None:
        """These were asked and had nothing to say."""

    # --- The log ----------------------------------------------------------------

    def read(self) -> None:
        if self._wire.begins_late:
            name = self._wire.name
            self._script.remarks.append(f"{name}: its log begins late, the first part is gone")
        for logged in self._wire.records():
            self._logged = logged
            match logged.record:
                case Bytes(direction=direction, data=data, channel=channel):
                    self.bytes_(direction, data, channel)
                case Quiet(devices=devices):
                    self.quiet({one.address for one in devices})
                case Remark(word="port", text=text):
                    if text.startswith(("open ", "absent, ")):
                        self._port(is_open=text.startswith("open "))
                case Remark(word="table", text=text) if text == LETS_GO:
                    # felt ended here; the one that is played to need not.
                    break
                case Remark(word="gap", text=text):
                    self._script.remarks.append(f"{self.where}: {self._wire.name}: {text}")
        self.end()

    def _port(self, *, is_open: bool) -> None:
        self.port(is_open=is_open)
        if self._wire.given.get("mqtt"):
            if not is_open and self._is_open:
                self._script.remarks.append(
                    f"{self.where}: {self._wire.name}: felt lost its broker: not played"
                )
        elif is_open != self._is_open and (self._is_open or self._was_lost):
            # Not the first opening, which is felt's own start.
            self.plug(is_in=is_open)
            self._was_lost = True
        self._is_open = is_open

    # --- What is found ----------------------------------------------------------

    @property
    def where(self) -> str:
        return f"{self._logged.file}:{self._logged.line}" if self._logged else ""

    @property
    def at_us(self) -> int:
        return self._logged.at_us if self._logged else 0

    def add(self, step: Step) -> None:
        self._script.steps.append(step)

    def noise(self, data: bytes, channel: str = "") -> None:
        made = Noise(
            at_us=self.at_us, where=self.where, wire=self._wire.name, data=data, channel=channel
        )
        self.add(made)

    def plug(self, *, is_in: bool, device: str = "") -> None:
        made = Plug(
            at_us=self.at_us, where=self.where, wire=self._wire.name, is_in=is_in, device=device
        )
        self.add(made)
