"""The dealer's panel: lock-out, deal, void and the floor key, and the lamps in its buttons.

A press does not say whose finger it was: it is told as done by the dealer on duty. A void is for a
floorperson, who turns the key first; without the key it is told as the dealer's, and the table
refuses and records it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from controller.table import commands, events
from controller.table.commands import Command
from controller.table.events import Event
from drivers.contract import Moment, Seal, Settings, Told
from drivers.device import PATIENCE, Device, Faces
from drivers.readback import ReadBack
from drivers.wire import messages
from drivers.wire.handshake import Outcome
from drivers.wire.messages import Lights

#: So long, in milliseconds, the floor key counts for the next press.
KEY_COUNTS_FOR = 10_000

#: Locked is the resting state.
AT_REST = Lights(lock_out="on", deal="off", warning="off")


class Panel(Device):
    kind = "panel"
    hears = frozenset(
        {
            commands.EnableDeal,
            commands.ShowWarning,
            commands.Lock,
            commands.Unlock,
            commands.ShowWin,
        }
    )
    relied_on = (messages.Lights,)

    def __init__(self, settings: Settings, seal: Seal) -> None:
        super().__init__(settings, seal)
        self._lights = AT_REST
        self._read_back: ReadBack[Lights] = ReadBack()
        #: Up to when the floor key counts, in milliseconds; None if it does not.
        self._key_until: int | None = None

    def configure(self) -> Sequence[Told]:
        watchdog, report = super().configure()
        return (watchdog, self._lit(), report)

    def restarted(self) -> None:
        self._read_back.restarted()

    def missed(self, count: int) -> None:
        self._read_back.may_not_come(count)

    def told(self, command: Command) -> Sequence[Told]:
        match command:
            case commands.EnableDeal(enabled=enabled):
                return self._show(replace(self._lights, deal="on" if enabled else "off"))
            case commands.ShowWarning(lit=lit):
                return self._show(replace(self._lights, warning="blink" if lit else "off"))
            case commands.Lock(withheld=False):
                return self._show(replace(self._lights, lock_out="on"))
            case commands.Unlock():
                return self._show(replace(self._lights, lock_out="off"))
            case commands.ShowWin():
                return (Told(messages.Tone("win")),)
        return ()

    def _show(self, lights: Lights) -> Sequence[Told]:
        """One order where seven acceptors are locked at once."""
        if lights == self._lights:
            return ()
        self._lights = lights
        return (self._lit(),)

    def _lit(self) -> Told:
        self._read_back.told(self._lights)
        return Told(self._lights, within=PATIENCE)

    def said(self, message: messages.Event, moment: Moment, faces: Faces | None) -> Sequence[Event]:
        match message:
            case messages.Pressed(button):
                return self._pressed(button, moment)
            case messages.LightsRead(lock_out, deal, warning):
                return self._lights_read(Lights(lock_out, deal, warning), moment)
        return ()

    def _pressed(self, button: messages.Button, moment: Moment) -> Sequence[Event]:
        # By the clock that nobody sets: a step of the other one makes no key count longer.
        now = moment.at if moment.runs is None else moment.runs
        with_key = self._key_until is not None and now <= self._key_until
        # It counts for one press, whichever that is, and from when it may have been turned.
        self._key_until = None
        if button == "floor_key" and moment.kept is not None:
            kept = 0 if moment.kept is UNSET else moment.kept
            self._key_until = now - kept + KEY_COUNTS_FOR
        match button:
            case "lock_out":
                return (events.LockOutPressed(at=moment.at, by=moment.dealer),)
            case "deal":
                return (events.DealPressed(at=moment.at, by=moment.dealer),)
            case "void":
                by = moment.floorperson if with_key else moment.dealer
                how = "with the floor key" if with_key else "without the floor key"
                reason = f"void pressed at the panel, {how}"
                return (events.RoundVoided(at=moment.at, by=by, reason=reason),)
        return ()

    def _lights_read(self, read: Lights, moment: Moment) -> Sequence[Event]:
        if self._read_back.read(read) != "different":
            return ()
        wrong = [
            f"{name} is {getattr(read, name)} where {getattr(self._lights, name)} was ordered"
            for name in ("lock_out", "deal", "warning")
            if getattr(read, name) != getattr(self._lights, name)
        ]
        return (self.faulted(moment, f"lamps: {', '.join(wrong)}"),) if wrong else ()

    def asks(self) -> Sequence[Told]:
        return (Told(messages.Report()),) if self._read_back.wants_to_know() else ()

    def answered(
        self, message: messages.Command, outcome: Outcome, detail: str, moment: Moment
    ) -> Sequence[Event]:
        match message:
            case Lights():
                self._read_back.answered(outcome)
            case messages.Report():
                self._read_back.asked(outcome)
        return super().answered(message, outcome, detail, moment)

    def unclear(self, message: messages.Command, moment: Moment) -> Sequence[Event]:
        if isinstance(message, Lights):
            self._read_back.unclear()
        return ()
