"""How the table will stand for a device when all that was posted is decided.

The table knows what it was told when that is in the journal. A device may come back while the disk
is at its absence: if what is on its way did not count, the table would miss the device for ever.
"""

from __future__ import annotations

from controller.daemon.core import Core
from controller.table import events
from controller.table.belonging import cause_of


def is_offline(core: Core, device: str) -> bool:
    offline = device in core.table.offline
    for event in core.undecided():
        match event:
            case events.DeviceWentOffline(device=one) if one == device:
                offline = True
            case events.DeviceCameOnline(device=one) if one == device:
                offline = False
    return offline


def held_for(core: Core, device: str) -> set[str]:
    """The causes of its holds, but for those that are over and only wait for a person."""
    held = {hold.cause for hold in core.table.holds if hold.where == device and not hold.over}
    for event in core.undecided():
        match event:
            case events.DeviceFaulted(device=one, nature=nature) if one == device:
                held.add(nature)
            case events.DeviceExchanged(device=one) if one == device:
                held.add(cause_of(event.serial_number, event.expected))
            case events.DeviceRecovered(device=one, nature=nature) if one == device:
                held = {cause for cause in held if not cause.startswith(nature)}
    return held
