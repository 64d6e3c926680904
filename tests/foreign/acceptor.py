"""An acceptor for felt, written from docs/protocol.md alone: a slot, a lock, a lamp, and chips."""

from __future__ import annotations

from collections.abc import Callable

from tests.docs.independent_device import DONE, LAMP_READ, UNKNOWN, IndependentDevice, text

REFUSED = 2
WAGER, LATE_WAGER, RETURNED = 0x69, 0x6A, 0x6E
PLACED, ACCEPTED_LAMP = 2, 3
AFTER_THE_LOCK = 1
TO_PLAYER, TO_DEALER = 0, 1


class Acceptor(IndependentDevice):
    """``roll`` and ``give`` are its two ways out: so many chips to the dealer, or the player."""

    def __init__(
        self,
        roll: Callable[[list[int]], None],
        give: Callable[[list[int]], None],
        *args: object,
        **more: object,
    ) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        self._roll, self._give = roll, give
        #: The chips that lie in it: the number of the event that told of each, and its cents.
        self._inside: list[tuple[int, int]] = []

    def insert(self, cents: int) -> None:
        """A player puts a chip into the slot."""
        amount = cents.to_bytes(8, "big")
        if self.locked:
            self._give([cents])
            self.tell(LATE_WAGER, text("") + amount + bytes((AFTER_THE_LOCK,)))
            return
        if self.lamp != ACCEPTED_LAMP:
            self.lamp = PLACED
            self.tell(LAMP_READ, bytes((PLACED,)))
        number = self.tell(WAGER, text("") + amount + text("chips"))
        self._inside.append((number, cents))

    def _carry_out(self, message: bytes) -> int:
        code, fields = message[0] if message else None, message[1:]
        if code == 0x28 and not fields:
            self.locked = True
            self._leave(self._inside, TO_DEALER)
            return DONE
        if code == 0x2B and len(fields) == 8:
            self._leave(self._inside, TO_PLAYER)
            return DONE
        if code == 0x2C and len(fields) == 16:
            boot, event = (int.from_bytes(fields[at : at + 4], "big") for at in (0, 4))
            if boot != self._boot:
                return REFUSED
            self._leave([one for one in self._inside if one[0] == event], TO_PLAYER)
            return DONE
        return UNKNOWN if code in (0x2B, 0x2C) else super()._carry_out(message)

    def _leave(self, chips: list[tuple[int, int]], to: int) -> None:
        if not chips:
            return
        leaving = list(chips)
        self._inside = [one for one in self._inside if one not in leaving]
        cents = [amount for _, amount in leaving]
        (self._roll if to == TO_DEALER else self._give)(cents)
        numbers = b"".join(number.to_bytes(4, "big") for number, _ in leaving)
        self.tell(RETURNED, bytes((len(leaving),)) + numbers + bytes((to,)))
