"""A simulated acceptor: a slot for chips, a lock and a lamp.

From the sensor to the word it takes a moment. A chip that the lock overtakes in that moment is
given back, like one that comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drivers.wire import messages
from drivers.wire.messages import Command, Event, Lamp
from simulators.device import DONE, Answer, Device
from simulators.tabletop import TableTop

SENSING_S = 0.05
MAX_INSIDE = 16
#: The number of a chip of which it can't say any more when it told of it.
FORGOTTEN = 0


class Acceptor(Device):
    kind = "acceptor"

    def __init__(
        self, top: TableTop, *, seat: int, wager: str = "progressive", **more: Any
    ) -> None:
        self.top = top
        self.seat = seat
        self.wager = wager
        self.is_locked = True
        self.lamp: Lamp = "off"
        #: Chips that lie in it, in cents.
        self.inside: list[int] = []
        #: The number of the event that told of each of them.
        self._told: list[int] = []
        #: How many have rolled to the dealer, ever.
        self.rolled = 0
        super().__init__(**{"name": f"acceptor {seat}", **more})

    def stands(self, lamp: Lamp, *, is_locked: bool, inside: int = 0, rolled: int = 0) -> None:
        """It is in the middle of a round: a chip lies in it, or has rolled to the dealer."""
        self.lamp, self.is_locked, self.rolled = lamp, is_locked, rolled
        if inside:
            self.top.fund(self._slot, inside)
            self.inside, self._told = [inside], [FORGOTTEN]

    # --- What a player does -----------------------------------------------------

    def insert(self, cents: int, tender: str = "chips") -> None:
        self.top.pay(self._player, self._slot, cents)
        if self.is_locked or len(self.inside) >= MAX_INSIDE:
            self._give_back(cents, "after the lock")
            return
        late = self.faults.strikes("late-wager", self.now)
        seconds = late.number if late else SENSING_S
        self.after(seconds, lambda: self._sensed(cents, tender))

    def _sensed(self, cents: int, tender: str) -> None:
        if self.is_locked:
            self._give_back(cents, "before the lock")
            return
        if self.lamp != "accepted":  # which is the receipt of the one before
            self._light("placed")
        self.inside.append(cents)
        self._told.append(self.tell(messages.Wager(self.wager, cents, tender)))

    def _give_back(self, cents: int, sensed: Any) -> None:
        self.top.pay(self._slot, self._player, cents)
        self.tell(messages.LateWager(self.wager, cents, sensed))

    def take_back(self) -> None:
        """The player takes the chip out again, while it is open."""
        if self.inside and not self.is_locked:
            self._out(len(self.inside) - 1)
            self.tell(messages.WagerRemoved(self.wager))

    def _out(self, place: int, to: str = "") -> int:
        """A chip leaves it, to the player if nothing else is said; its number."""
        self.top.pay(self._slot, to or self._player, self.inside.pop(place))
        return self._told.pop(place)

    @property
    def _player(self) -> str:
        return f"player {self.seat}"

    @property
    def _slot(self) -> str:
        return f"acceptor {self.seat}"

    # --- What it is told --------------------------------------------------------

    def obey(self, command: Command) -> Answer | None:
        match command:
            case messages.Lock():
                self._lock()
                return DONE
            case messages.Unlock():
                self.is_locked = False
                return DONE
            case messages.SetLamp(lamp):
                self._light(lamp)
                return DONE if self.lamp == lamp else ("refused", "its lamp stays dark")
            case messages.Return():
                return self._return()
            case messages.GiveBack(boot, event):
                return self._give_back_one(boot, event)
        return None

    def _lock(self) -> None:
        self.is_locked = True
        # They roll to the dealer, who counts them.
        if rolled := [self._out(0, "inventory") for _ in list(self.inside)]:
            self.rolled += len(rolled)
            self.tell(messages.Returned(tuple(rolled), "dealer"))

    def _return(self) -> Answer:
        if not self.inside:
            return "done", "nothing lies in it"
        back = [self._out(0) for _ in list(self.inside)]
        self.tell(messages.Returned(tuple(back), "player"))
        return DONE

    def _give_back_one(self, boot: int, event: int) -> Answer:
        if boot != self.boot:
            return "refused", "it has restarted since, and does not know which"
        if event not in self._told:
            return "done", "it is not in it any more"
        self.tell(messages.Returned((self._out(self._told.index(event)),), "player"))
        return DONE

    def _light(self, lamp: Lamp) -> None:
        self.lamp = "off" if self.faults.strikes("lamp", self.now) else lamp
        self.tell(messages.LampRead(self.lamp))

    def report(self) -> Iterable[Event]:
        yield messages.LockState(self.is_locked)
        yield messages.LampRead(self.lamp)

    def go_safe(self) -> None:
        self.is_locked = True

    def restart(self) -> None:
        doubtful = any(map(self.responder.waits, self._told))
        super().restart()
        if doubtful:
            # A chip lies in it of which felt may not have heard: somebody must count.
            self.fail("power")

    def forget(self) -> None:
        self.is_locked = True
        self.lamp = "off"
        self._told = [FORGOTTEN for _ in self.inside]
