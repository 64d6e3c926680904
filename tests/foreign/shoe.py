"""A shoe for felt, written from docs/protocol.md alone: it counts, and knows no deck by name."""

from __future__ import annotations

from typing import Protocol

from tests.docs.independent_device import DONE, UNKNOWN, IndependentDevice, text

ACCEPTED, REFUSED = 1, 2
LOADED, DISPENSED, TAKEN, STUB, SHOE_STATE = 0x58, 0x59, 0x5A, 0x5C, 0x5E
#: Seconds that a stack takes.
MOVES_FOR = 0.5


class Mechanics(Protocol):
    """Its motors and sensors."""

    def inside(self) -> int: ...
    def is_exit_empty(self) -> bool: ...
    def give(self, cards: int) -> int:
        """Push so many cards into the exit; how many came."""
        ...


class Memory:
    """What it still knows without power."""

    def __init__(self) -> None:
        self.round = 0
        self.stacks = b""
        self.last = 0
        self.last_cards = 0
        self.is_loaded = False
        #: The stack that lies in the exit.
        self.lies = 0


class Shoe(IndependentDevice):
    kind = 1

    def __init__(self, mechanics: Mechanics, memory: Memory, *args: object, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        self._mechanics, self._memory = mechanics, memory
        #: What it was ordered and has not given, and when that is out.
        self._ordered: tuple[int, int] | None = None
        self._out_at = 0.0

    def tick(self, now: float) -> bytes:
        self.now = now
        self._look()
        return super().tick(now)

    def _look(self) -> None:
        memory, is_full = self._memory, self._mechanics.inside() > 0
        if is_full and not memory.is_loaded:
            self.tell(LOADED, text("") + bytes((self._mechanics.inside(),)))
        memory.is_loaded = is_full
        if memory.lies and self._mechanics.is_exit_empty():
            self.tell(TAKEN, bytes((memory.lies,)))
            memory.lies = 0
        if self._ordered and self.now >= self._out_at and self._mechanics.is_exit_empty():
            self._give(*self._ordered)

    def _give(self, number: int, cards: int) -> None:
        memory = self._memory
        came = self._mechanics.give(cards)
        self._ordered = None
        memory.last, memory.last_cards, memory.lies = number, came, number
        self.tell(DISPENSED, memory.round.to_bytes(4, "big") + bytes((number, came, 0)))
        if number == len(memory.stacks):
            self.tell(STUB, bytes((self._mechanics.inside(),)))

    def _go_safe(self) -> None:
        """It gives out nothing more without an order; a stack on its way is finished."""

    def _carry_out(self, message: bytes) -> int:
        code, fields = message[0] if message else None, message[1:]
        match code:
            case 0x01 if not fields:
                self._report()
            case 0x02 | 0x03:
                return super()._carry_out(message)
            case 0x18 if len(fields) >= 5 and len(fields) == 5 + fields[4]:
                return self._arm(int.from_bytes(fields[:4], "big"), fields[5:])
            case 0x19 if len(fields) == 6:
                return self._dispense(int.from_bytes(fields[:4], "big"), fields[4], fields[5])
            case 0x1A if not fields:
                self._ordered = None
                self._memory.round, self._memory.stacks = 0, b""
            case _:
                return UNKNOWN
        return DONE

    def _arm(self, round_: int, stacks: bytes) -> int:
        memory = self._memory
        if round_ != memory.round:
            if self._ordered:
                return REFUSED
            memory.last = memory.last_cards = 0
        memory.round, memory.stacks = round_, stacks
        return DONE

    def _dispense(self, round_: int, number: int, cards: int) -> int:
        memory = self._memory
        is_next = round_ == memory.round != 0 and number == memory.last + 1
        is_armed = memory.stacks[number - 1 : number] == bytes((cards,))
        if not is_next or not is_armed or self._ordered or not self._mechanics.inside():
            return REFUSED
        self._ordered, self._out_at = (number, cards), self.now + MOVES_FOR
        return ACCEPTED

    def _report(self) -> None:
        memory = self._memory
        coming = self._ordered[0] if self._ordered else 0
        counts = (memory.last, memory.last_cards, self._mechanics.inside(), coming)
        self.tell(SHOE_STATE, memory.round.to_bytes(4, "big") + bytes(counts))
