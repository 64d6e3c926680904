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
MAX_INSIDE = 100


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
        #: How many have rolled to the dealer, ever.
        self.rolled = 0
        super().__init__(**{"name": f"acceptor {seat}", **more})

    def stands(self, lamp: Lamp, *, is_locked: bool, inside: int = 0, rolled: int = 0) -> None:
        """It is in the middle of a round: a chip lies in it, or has rolled to the dealer."""
        self.lamp, self.is_locked, self.rolled = lamp, is_locked, rolled
        if inside:
            self.top.fund(self._slot, inside)
            self.inside = [inside]

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
        self.inside.append(cents)
        self._light("placed")
        self.tell(messages.Wager(self.wager, cents, tender))

    def _give_back(self, cents: int, sensed: Any) -> None:
        self.top.pay(self._slot, self._player, cents)
        self.tell(messages.LateWager(self.wager, cents, sensed))

    def take_back(self) -> None:
        """The player takes the chip out again, while it is open."""
        if self.inside and not self.is_locked:
            self.top.pay(self._slot, self._player, self.inside.pop())
            self.tell(messages.WagerRemoved(self.wager))

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
            case messages.Return(cents):
                return self._return(cents)
        return None

    def _lock(self) -> None:
        self.is_locked = True
        if self.inside:
            # They roll to the dealer, who counts them.
            self.top.pay(self._slot, "inventory", sum(self.inside))
            self.tell(messages.ChipsReturned(len(self.inside)))
            self.rolled += len(self.inside)
            self.inside.clear()

    def _return(self, cents: int) -> Answer:
        back = min(cents, sum(self.inside))
        if not back:
            return "done", "nothing lies in it"
        while back > 0:
            chip = self.inside.pop()
            self.top.pay(self._slot, self._player, chip)
            back -= chip
        return DONE

    def _light(self, lamp: Lamp) -> None:
        self.lamp = "off" if self.faults.strikes("lamp", self.now) else lamp
        self.tell(messages.LampRead(self.lamp))

    def report(self) -> Iterable[Event]:
        yield messages.LockState(self.is_locked)
        yield messages.LampRead(self.lamp)

    def go_safe(self) -> None:
        self.is_locked = True

    def forget(self) -> None:
        self.is_locked = True
        self.lamp = "off"
