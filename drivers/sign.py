"""The jackpot sign: what the meters hold, who has won, and when they are out of play."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from controller.table import commands
from controller.table.commands import Command, LinkStatus
from controller.table.events import Event
from drivers.contract import Moment, Seal, Settings, Told
from drivers.device import PATIENCE, Device, Faces, short
from drivers.readback import ReadBack
from drivers.wire import messages
from drivers.wire.handshake import Outcome

#: A win is shown within so many seconds or not at all.
WIN_WITHIN = 30.0
#: Levels of meters that one sign shows.
MAX_SHOWN = 16

Notice = Literal["none", "link down", "out of order"]


class Sign(Device):
    kind = "sign"
    hears = frozenset({commands.ShowMeter, commands.ShowWin, commands.ShowOffer, commands.ShowLink})
    relied_on = (messages.ShowMeter, messages.ShowWin, messages.ShowNotice)

    def __init__(self, settings: Settings, seal: Seal) -> None:
        super().__init__(settings, seal)
        self._meters: dict[tuple[str, str], ReadBack[int]] = {}
        #: Why the wager is off the table, and how the link stands, as the table said it.
        self._withheld = ""
        self._link: LinkStatus = "up"
        self._notice: Notice = "none"

    def configure(self) -> Sequence[Told]:
        watchdog, report = super().configure()
        return (watchdog, Told(messages.ShowNotice(self._notice), within=PATIENCE), report)

    def restarted(self) -> None:
        for shown in self._meters.values():
            shown.restarted()

    def missed(self, count: int) -> None:
        for shown in self._meters.values():
            shown.may_not_come(count)

    def told(self, command: Command) -> Sequence[Told]:
        match command:
            case commands.ShowMeter(meter=meter, level=level, cents=cents):
                return self._show(short(meter), short(level), cents)
            case commands.ShowWin(table=table, seat=seat, level=level, cents=cents, base=base):
                win = messages.ShowWin(short(table), seat, short(level), cents, base)
                return (Told(win, within=WIN_WITHIN),)
            case commands.ShowOffer(wager=wager, offered=offered, why=why):
                if wager != (self.settings.wager or "progressive"):
                    return ()
                self._withheld = "" if offered else why or "withheld"
                return self._noticed()
            case commands.ShowLink(status=status):
                self._link = status
                return self._noticed()
        return ()

    def _show(self, meter: str, level: str, cents: int) -> Sequence[Told]:
        known = (meter, level) in self._meters
        if not known and len(self._meters) >= MAX_SHOWN:
            return ()
        self._meters.setdefault((meter, level), ReadBack()).told(cents)
        return (Told(messages.ShowMeter(meter, level, cents), within=PATIENCE),)

    def _noticed(self) -> Sequence[Told]:
        notice: Notice = "out of order" if self._withheld else "none"
        if self._link in ("down", "not joined") or re.search(r"\blink\b", self._withheld):
            notice = "link down"
        if notice == self._notice:
            return ()
        self._notice = notice
        return (Told(messages.ShowNotice(notice), within=PATIENCE),)

    def said(self, message: messages.Event, moment: Moment, faces: Faces | None) -> Sequence[Event]:
        if not isinstance(message, messages.Showing):
            return ()
        shown = self._meters.get((message.meter, message.level))
        if shown is None or shown.read(message.cents) != "different":
            return ()
        said = f"it shows {message.cents} cents for {message.meter} {message.level}"
        return (self.faulted(moment, f"{said} where {shown.last} were ordered"),)

    def asks(self) -> Sequence[Told]:
        # Each is to be heard: one report answers for all of them.
        wanted = [shown.wants_to_know() for shown in self._meters.values()]
        return (Told(messages.Report()),) if any(wanted) else ()

    def answered(
        self, message: messages.Command, outcome: Outcome, detail: str, moment: Moment
    ) -> Sequence[Event]:
        match message:
            case messages.ShowMeter(meter, level):
                self._meters[meter, level].answered(outcome)
            case messages.Report():
                for shown in self._meters.values():
                    shown.asked(outcome)
        return super().answered(message, outcome, detail, moment)

    def unclear(self, message: messages.Command, moment: Moment) -> Sequence[Event]:
        match message:
            case messages.ShowMeter(meter, level):
                self._meters[meter, level].unclear()
            case messages.ShowWin():
                return (self.faulted(moment, "it did not show a win in time"),)
        return ()
