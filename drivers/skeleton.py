"""The driver to begin with: a pedal under the table for "no more bets", with one lamp.

It is small, it works, and docs/adding-a-driver.md has it too, as a package of its own. Copy that,
and keep what your device needs.
"""

from collections.abc import Sequence

from controller.table import commands, events
from controller.table.commands import Command
from controller.table.events import Event
from drivers.contract import Moment, Told
from drivers.device import PATIENCE, Device, Faces
from drivers.wire import messages


class Pedal(Device):
    #: A kind that felt does not have: the device calls itself so, and the table file too.
    kind = "pedal"
    #: The only commands that `told` is asked about.
    hears = frozenset({commands.Unlock, commands.Lock})

    _lamp = "off"

    def configure(self) -> Sequence[Told]:
        """Each time that it has come: it may have been away while its lamp was lit."""
        self._lamp = "off"
        return (*super().configure(), self._lit())

    def said(self, message: messages.Event, moment: Moment, faces: Faces | None) -> Sequence[Event]:
        """The device speaks; the table hears events."""
        match message:
            case messages.Reading("pressed", "short"):
                return (events.LockOutPressed(at=moment.at, by=moment.dealer),)
            case messages.Reading("pressed", "long"):
                return (self.faulted(moment, "the dealer calls the floor"),)
        # Whatever else it says, the table need not know.
        return ()

    def told(self, command: Command) -> Sequence[Told]:
        """The table orders; the device is told. The lamp is lit while the pedal may be pressed."""
        match command:
            case commands.Unlock():
                return self._show("on")
            case commands.Lock(withheld=False):
                return self._show("off")
        return ()

    def _show(self, lamp: str) -> Sequence[Told]:
        """One order for each seat comes; the lamp is one."""
        if lamp == self._lamp:
            return ()
        self._lamp = lamp
        return (self._lit(),)

    def _lit(self) -> Told:
        # A lamp that is late does no harm, one that is never lit does.
        return Told(messages.Show("lamp", self._lamp), within=PATIENCE)
