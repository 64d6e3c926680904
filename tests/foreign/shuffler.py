"""A shuffler for felt, written from docs/protocol.md alone: it counts, and can't tell decks apart.

It echoes the name that it was ordered to shuffle. Of cards that lie in it, it says `?`.
"""

from __future__ import annotations

from typing import Protocol

from tests.docs.independent_device import DONE, UNKNOWN, IndependentDevice, text

ACCEPTED, REFUSED = 1, 2
CYCLE_STARTED, CYCLE_COMPLETED, MODE, GAME, SHUFFLER_STATE = 0x50, 0x51, 0x53, 0x54, 0x56
IDLE, RUNNING, COMPLETE = 0, 1, 2
SHUFFLES = 0
NOT_COUNTED = 255
#: Seconds that a cycle takes.
RUNS_FOR = 2.0


class Mechanics(Protocol):
    def inside(self) -> int: ...
    def mix(self) -> None: ...


class Shuffler(IndependentDevice):
    kind = 0

    def __init__(self, mechanics: Mechanics, *args: object, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        self._mechanics = mechanics
        self.cycle = IDLE
        self._counted = NOT_COUNTED
        self._game = b""
        #: What it was ordered to shuffle, and has not; and when the cycle that runs is over.
        self._deck: bytes | None = None
        self._over_at = 0.0
        self._was_full = False

    def tick(self, now: float) -> bytes:
        self.now = now
        self._look()
        return super().tick(now)

    def _look(self) -> None:
        is_full = self._mechanics.inside() > 0
        if is_full != self._was_full:
            self._was_full = is_full
            self.tell(MODE, bytes((SHUFFLES,)) + self._holds())
        if self.cycle == RUNNING and self.now >= self._over_at:
            self._mechanics.mix()
            self.cycle, self._counted = COMPLETE, self._mechanics.inside()
            self.tell(CYCLE_COMPLETED, (self._deck or text("")) + bytes((self._counted,)))
            self._deck = None
        if self.cycle != RUNNING and self._deck is not None and is_full:
            self.cycle, self._over_at = RUNNING, self.now + RUNS_FOR
            self.tell(CYCLE_STARTED, self._deck)

    def _holds(self) -> bytes:
        return text("?" if self._was_full else "")

    def _go_safe(self) -> None:
        """It begins nothing without an order; a cycle that runs is finished."""

    def _carry_out(self, message: bytes) -> int:
        code, fields = message[0] if message else None, message[1:]
        match code:
            case 0x01 if not fields:
                state = bytes((self.cycle, SHUFFLES)) + self._holds()
                game = self._game or text("")
                self.tell(SHUFFLER_STATE, state + bytes((self._counted,)) + game)
            case 0x02 | 0x03:
                return super()._carry_out(message)
            case 0x10:
                if self.cycle == RUNNING:
                    return ACCEPTED if fields == self._deck else REFUSED
                self._deck = fields
                return ACCEPTED
            case 0x11:
                self._game = fields
                self.tell(GAME, fields)
            case _:
                return UNKNOWN
        return DONE
