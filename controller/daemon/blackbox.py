"""Joins the device logs and the journal: each says where in the other one to look.

Every wire's log is told which entry of the journal is acted on, at the moment that it is: so a
round is found in the logs, and a replay gives the devices their orders when they got them. And when
something goes wrong with a device, what was last said on its wire goes into the journal, where it
is chained and kept for as long as the round: a log is not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from controller.recalling import FLIGHT
from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.table.state import Table
from drivers.wire.capture import Capture

#: Of one wire, not more often: a device that fails all the time fills no journal.
EVERY_S = 60.0
#: As much of what was last said as goes into an entry.
MAX_CHARACTERS = 32 * 1024
#: What is written before felt lets go of its devices.
LETS_GO = "felt lets go of its devices"

_FAULTS = (events.DeviceFaulted, events.DeviceWentOffline)
Keep = Callable[[str, bytes, int], object]


class BlackBox:
    """``keep`` takes a kind and a body for an entry of its own, and the time."""

    def __init__(self, captures: Mapping[str, Capture], keep: Keep) -> None:
        self._captures = captures
        self._keep = keep
        #: The wire of each device, by the device's name.
        self.wire_of: dict[str, str] = {}
        self._kept_at: dict[str, float] = {}

    def decided(self, taken: Taken, now: float) -> None:
        """An event is in the journal and decided on; what follows is told to devices next."""
        table = taken.step.table
        text = f"entry {taken.seq} round {table.round} {table.phase}"
        self.mark(f"{text} refused" if taken.step.refused else text, now)

    def mark(self, text: str, now: float) -> None:
        for capture in self._captures.values():
            capture.table(text, now)

    def arrived(self, device: str, facts: str, now: float) -> None:
        if capture := self._captures.get(self.wire_of.get(device, "")):
            capture.device(device, facts, now)

    def told(self, before: Table, event: Event, taken: Taken, now: float) -> None:
        """Keep what led to a fault, if this is one."""
        held = {hold.number for hold in before.holds}
        new = [hold.where for hold in taken.step.table.holds if hold.number not in held]
        devices = [event.device] if isinstance(event, _FAULTS) else new
        for device in devices:
            wire = self.wire_of.get(device, "")
            capture = self._captures.get(wire)
            if capture is None or now - self._kept_at.get(wire, -EVERY_S) < EVERY_S:
                continue
            self._kept_at[wire] = now
            capture.flush_soon()
            body = flight(wire, device, taken.seq, capture.flight())
            self._keep(FLIGHT, body, event.at)


def flight(wire: str, device: str, entry: int, said: str) -> bytes:
    """The body of an entry: the newest lines, as many as fit."""
    lines = said[-MAX_CHARACTERS:].splitlines()
    if len(said) > MAX_CHARACTERS:
        lines = lines[1:]  # the first one is cut in its middle
    return json.dumps({"wire": wire, "device": device, "entry": entry, "said": lines}).encode()
