"""The driver to begin with: a pedal under the table for "no more bets", with one lamp.

It is small, it works, and docs/adding-a-driver.md walks through it line by line. Copy it into a
package of your own, and keep what your device needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from controller.table import commands, events
from controller.table.commands import Command
from controller.table.events import Event
from drivers.contract import Driver, Moment, Told
from drivers.wire import messages


class Pedal(Driver):
    #: What the device must call itself: one of the kinds that the wire knows.
    kind = "panel"

    def heard(
        self, message: messages.Event, moment: Moment, faces: Callable[[], bytes] | None = None
    ) -> Sequence[Event]:
        """The device speaks; the table hears events."""
        match message:
            case messages.Pressed("lock_out"):
                return (events.LockOutPressed(at=moment.at, by=moment.dealer),)
            case messages.Fault(nature, detail):
                said = f"{nature}: {detail}" if detail else nature
                return (events.DeviceFaulted(at=moment.at, device=self.settings.name, nature=said),)
            case messages.FaultCleared():
                return (events.DeviceRecovered(at=moment.at, device=self.settings.name),)
        # Whatever else it says, the table need not know.
        return ()

    def told(self, command: Command) -> Sequence[Told]:
        """The table orders; the device is told. Most orders are for others: those are none."""
        match command:
            case commands.Unlock():
                return (Told(messages.Lights(lock_out="on", deal="off", warning="off")),)
            case commands.Lock():
                return (Told(messages.Lights(lock_out="off", deal="off", warning="off")),)
        return ()
