"""What acceptors and terminals have in common: a seat, a lock, and wagers.

Locked is the resting state: a device that has come (back) is locked before anything else, and only
the table's own order opens it. What it took after it was told to lock came late, whenever it was
sensed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from controller.table import commands, events
from controller.table.commands import Command
from controller.table.events import Event
from drivers.contract import Moment, Seal, Settings, Told
from drivers.device import PATIENCE, BadSettings, Device, Faces
from drivers.wire import messages
from drivers.wire.handshake import Outcome

#: The rulebooks' words for what a device says a wager was made with.
TENDERS = {"coupon": "progressive coupon", "account": "game account"}
_OF_THE_LOCK = (messages.Lock, messages.Unlock)


class SeatDevice(Device):
    hears: ClassVar[frozenset[type[Command]]] = frozenset({commands.Lock, commands.Unlock})
    kind: ClassVar[str]
    #: What the table calls it.
    device: ClassVar[Literal["acceptor", "terminal"]]
    relied_on: ClassVar[tuple[type[messages.Command], ...]] = (messages.Lock, messages.Unlock)

    def __init__(self, settings: Settings, seal: Seal) -> None:
        super().__init__(settings, seal)
        if settings.seat is None:
            raise BadSettings(f"{settings.name!r} needs the number of its seat")
        self.seat = settings.seat
        #: What the table wants: open or not; unknown before its first order.
        self._open: bool | None = None
        self._confirmed = False
        #: It took the order to lock, and will say when it is locked.
        self._locking = False
        #: Locks and unlocks on their way: the word of one before the last confirms nothing.
        self._on_their_way = 0
        #: How often it locked itself, since the table last wanted it locked.
        self._locked_itself_times = 0
        #: It has come (back), and has not said yet how it stands.
        self._arriving = False
        #: Readings of the lock that are still to come, and how many of them are from before the
        #: last order was carried out: a device says one thing after the other, and a lot may wait.
        self._to_come = 0
        self._older = 0

    def configure(self) -> Sequence[Told]:
        watchdog, report = super().configure()
        self._arriving = True
        return (self._turn_the_lock(messages.Lock()), watchdog, report)

    def restarted(self) -> None:
        self._to_come = self._older = 0

    def told(self, command: Command) -> Sequence[Told]:
        match command:
            case commands.Lock(seat=self.seat, device=self.device, withheld=withheld):
                self._open, self._confirmed, self._locking = False, False, False
                if not withheld:  # which may follow from its having locked itself
                    self._locked_itself_times = 0
                return (self._turn_the_lock(messages.Lock()),)
            case commands.Unlock(seat=self.seat, device=self.device):
                self._open = True
                return (self._turn_the_lock(messages.Unlock()),)
        return ()

    def _turn_the_lock(self, message: messages.Lock | messages.Unlock) -> Told:
        # Both in the one queue, so that no lock overtakes an unlock that was told before it.
        self._on_their_way += 1
        return Told(message, urgent=True, within=PATIENCE)

    # --- Wagers ---------------------------------------------------------------

    def said(self, message: messages.Event, moment: Moment, faces: Faces | None) -> Sequence[Event]:
        match message:
            case messages.Wager(wager, cents, tender):
                return (self._wager(self._named(wager), cents, tender, moment),)
            case messages.LateWager(wager, cents, sensed):
                # Its word for one that it gave back. One that it holds is a wager, if a late one.
                late = self._late(self._named(wager), cents, sensed, moment, given_back=True)
                return (late,)
            case messages.WagerRemoved(wager):
                named = self._named(wager)
                return (events.WagerTakenBack(at=moment.at, seat=self.seat, wager=named, out=True),)
            case messages.LockState(locked):
                found = self._lock_read(locked, moment)
                self._arriving = False
                return found
            case messages.WentSafe():
                return self._locked_itself(moment)
        return ()

    def _named(self, wager: str) -> str:
        """A device that takes one wager need not know what it is called."""
        return wager or self.settings.wager

    def _wager(self, wager: str, cents: int, tender: str, moment: Moment) -> Event:
        if self._open is False:
            return self._late(wager, cents, "before the lock", moment)
        return events.WagerPlaced(
            at=moment.at,
            seat=self.seat,
            wager=wager,
            amount=cents,
            tender=TENDERS.get(tender, tender),
        )

    def _late(
        self,
        wager: str,
        cents: int,
        sensed: Literal["before the lock", "after the lock"],
        moment: Moment,
        *,
        given_back: bool = False,
    ) -> Event:
        return events.WagerCameLate(
            at=moment.at,
            seat=self.seat,
            wager=wager,
            amount=cents,
            sensed=sensed,
            given_back=given_back,
        )

    # --- The lock -------------------------------------------------------------

    def _lock_read(self, locked: bool, moment: Moment) -> Sequence[Event]:
        is_older = self._older > 0
        self._to_come, self._older = self._to_come - 1, max(0, self._older - 1)
        if locked:
            return self._confirm(moment) if self._locking else self._locked_itself(moment)
        if self._open is False and not self._on_their_way and not is_older:
            return (self.faulted(moment, "it is open although it was told to lock"),)
        return ()

    def _locked_itself(self, moment: Moment) -> Sequence[Event]:
        """Its wager is off the table until the table opens it again, as if it had been away."""
        if not self._open or self._arriving:
            return ()  # as it should be; one that has come (back) is opened by the table
        self._open = None
        self._locked_itself_times += 1
        gone = events.DeviceWentOffline(at=moment.at, device=self.settings.name)
        if self._locked_itself_times > 1:
            # Opened again it would only lock again, as fast as the wire can carry it.
            return (gone, self.faulted(moment, "it keeps locking itself"))
        return (gone, events.DeviceCameOnline(at=moment.at, device=self.settings.name))

    def _confirm(self, moment: Moment) -> Sequence[Event]:
        if self._confirmed or self._open is not False or self._on_their_way:
            return ()
        self._confirmed = True
        return (events.LockConfirmed(at=moment.at, seat=self.seat, device=self.device),)

    def answered(
        self, message: messages.Command, outcome: Outcome, detail: str, moment: Moment
    ) -> Sequence[Event]:
        if isinstance(message, messages.Report):
            self._to_come += 1
        if isinstance(message, _OF_THE_LOCK):
            self._on_their_way -= 1
            self._older = max(0, self._to_come)
        if isinstance(message, messages.Lock):
            self._locking = outcome == "accepted"
            if outcome == "done":
                return self._confirm(moment)
        return super().answered(message, outcome, detail, moment)

    def unclear(self, message: messages.Command, moment: Moment) -> Sequence[Event]:
        if isinstance(message, _OF_THE_LOCK):
            self._on_their_way -= 1
        return super().unclear(message, moment)
