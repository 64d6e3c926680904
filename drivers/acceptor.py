"""The acceptor at a seat: it takes the progressive wager, and its lamp is the player's receipt."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import ClassVar

from controller.table import commands, events
from controller.table.commands import Command, Lamp
from controller.table.events import Event
from drivers.contract import Moment, Seal, Settings, Told
from drivers.device import PATIENCE, Faces
from drivers.readback import ReadBack
from drivers.seat import SeatDevice
from drivers.wire import messages
from drivers.wire.handshake import Outcome

#: More chips than go back between two openings.
MAX_BACK = 64
DONE = ("done", "accepted")


class Acceptor(SeatDevice):
    kind = "acceptor"
    device = "acceptor"
    hears = SeatDevice.hears | {commands.SetLamp, commands.ReturnWager}
    known_options: ClassVar = {"returns": "whether it can give back what lies in it (true)"}
    relied_on = (messages.Lock, messages.Unlock, messages.SetLamp)

    def __init__(self, settings: Settings, seal: Seal) -> None:
        super().__init__(settings, seal)
        self._lamp: ReadBack[Lamp] = ReadBack()
        #: What it was told to give back since it was last opened.
        self._to_go_back: deque[messages.Return | messages.GiveBack] = deque(maxlen=MAX_BACK)

    def restarted(self) -> None:
        super().restarted()
        self._lamp.restarted()

    def missed(self, count: int) -> None:
        self._lamp.may_not_come(count)

    def told(self, command: Command) -> Sequence[Told]:
        match command:
            case commands.SetLamp(seat=self.seat, lamp=lamp):
                self._lamp.told(lamp)
                return (Told(messages.SetLamp(lamp), within=PATIENCE),)
            case commands.ReturnWager(seat=self.seat, wager=wager, to="layout"):
                mine = wager == self.settings.wager
                returns = self.settings.options.get("returns", True)
                return (self.gives_back(command),) if mine and returns else ()
            case commands.Unlock(seat=self.seat, device="acceptor"):
                self._to_go_back.clear()
        return super().told(command)

    def gives_back(self, order: commands.ReturnWager) -> Told:
        message: messages.Return | messages.GiveBack = messages.Return(order.cents)
        if order.chip is not None:
            # Named as its event was: the device, its boot, the number. "" is nobody's.
            _, boot, number = order.chip.split(":") if order.chip else ("", "0", "0")
            message = messages.GiveBack(int(boot), int(number), order.cents)
        self._to_go_back.append(message)
        # In the queue of the locks: a lock that overtook it would let the chip roll to the dealer.
        return Told(message, urgent=True, within=PATIENCE)

    def _was_ordered_back(self, number: int) -> bool:
        return any(
            isinstance(one, messages.Return) or (one.boot, one.event) == (self._boot, number)
            for one in self._to_go_back
        )

    def said(self, message: messages.Event, moment: Moment, faces: Faces | None) -> Sequence[Event]:
        match message:
            case messages.LampRead(lamp):
                # It lights "placed" by itself, when it senses a chip; told late, that is past.
                if lamp == "placed" and self._lamp.last != "placed":
                    is_news = self._lamp.is_settled
                    self._lamp.may_not_come()
                else:
                    is_news = self._lamp.read(lamp) != "no news"
                if not is_news:
                    return ()
                return (events.LampRead(at=moment.at, seat=self.seat, lamp=lamp),)
            case messages.Returned(numbers, "player"):
                if all(map(self._was_ordered_back, numbers)):
                    return ()
                said = "it gave back a chip that nobody ordered back"
                return (self.faulted(moment, said),)
            case messages.Wager(wager) | messages.LateWager(wager) if self._takes_other(wager):
                mine = self.settings.wager
                return (self.faulted(moment, f"it takes {wager!r} where {mine!r} is played"),)
        return super().said(message, moment, faces)

    def _takes_other(self, wager: str) -> bool:
        return bool(wager and self.settings.wager and wager != self.settings.wager)

    def asks(self) -> Sequence[Told]:
        return (Told(messages.Report()),) if self._lamp.wants_to_know() else ()

    def answered(
        self, message: messages.Command, outcome: Outcome, detail: str, moment: Moment
    ) -> Sequence[Event]:
        match message:
            case messages.SetLamp():
                self._lamp.answered(outcome)
                if outcome == "unknown":
                    return ()  # one off the shelf, without a lamp: the table's screen has it
            case messages.Report():
                self._lamp.asked(outcome)
            case messages.Return(cents) | messages.GiveBack(cents=cents) if outcome not in DONE:
                why = f" ({detail})" if detail else ""
                said = f"it did not give back {cents} cents{why}: give them back by hand"
                return (self.faulted(moment, said),)
        return super().answered(message, outcome, detail, moment)

    def unclear(self, message: messages.Command, moment: Moment) -> Sequence[Event]:
        match message:
            case messages.SetLamp():
                self._lamp.unclear()
            case messages.Return(cents) | messages.GiveBack(cents=cents):
                said = f"nobody knows whether it gave back {cents} cents"
                return (self.faulted(moment, said),)
        return super().unclear(message, moment)
