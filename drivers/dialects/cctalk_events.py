"""ccTalk: what an acceptor has counted and noticed.

An acceptor keeps its last five events, the newest first, and a counter that goes from 1 to 255 and
round to 1 again; it is 0 only after a start. From two readings follow the events in between, how
many of them nobody will ever know, and whether the acceptor has restarted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from drivers.wire.messages import Nature

#: Events that an acceptor keeps.
KEPT = 5
#: The counter and a pair for each event.
EVENTS_BYTES = 1 + 2 * KEPT
_ROUND = 255

#: An error with such a code: a coin that is inhibited, from the first position on.
_INHIBITED_FROM, _INHIBITED_TO = 128, 159


class Result(NamedTuple):
    """A pair of bytes: the position of the coin that was taken, or 0 and a code."""

    coin: int
    code: int


NOTHING = Result(0, 0)


@dataclass(frozen=True, slots=True)
class Readings:
    counter: int = 0
    #: The newest first.
    results: tuple[Result, ...] = (NOTHING,) * KEPT

    @classmethod
    def of(cls, data: bytes) -> Readings:
        pairs = zip(data[1::2], data[2::2], strict=True)
        return cls(data[0], tuple(Result(*pair) for pair in pairs))

    def to_bytes(self) -> bytes:
        return bytes((self.counter, *(byte for result in self.results for byte in result)))


@dataclass(frozen=True, slots=True)
class Since:
    """What happened between two readings."""

    #: The oldest first.
    results: tuple[Result, ...]
    #: Events before them that had left the acceptor's memory already.
    missed: int = 0
    restarted: bool = False


def since(before: Readings, now: Readings) -> Since:
    if before.counter == 0:
        happened = now.counter
    elif now.counter == 0:
        return Since((), restarted=True)
    else:
        happened = (now.counter - before.counter) % _ROUND
    new = now.results[: min(happened, KEPT)]
    old = now.results[len(new) :]
    if NOTHING in new or old != before.results[: len(old)]:
        # The counter goes on, but what should still be there is not: it began anew.
        return _from_start(now)
    return Since(new[::-1], missed=happened - len(new))


def _from_start(now: Readings) -> Since:
    results = now.results[: min(now.counter, KEPT)]
    known = tuple(result for result in results if result != NOTHING)
    return Since(known[::-1], missed=now.counter - len(known), restarted=True)


def inhibited_coin(code: int) -> int | None:
    """The position of a coin that was turned away because the acceptor is locked."""
    return code - _INHIBITED_FROM + 1 if _INHIBITED_FROM <= code <= _INHIBITED_TO else None


#: Codes of an acceptor that does what it should: a coin was not good, not wanted, too close to the
#: one before, or the player asked for it back.
ORDINARY = frozenset({0, 1, 2, 3, 8, 9, 10, 11, 12, 33, 253, 254})

#: The others, as the floor is told of them.
FAULTS: dict[int, tuple[Nature, str]] = {
    4: ("sensor", "the wake-up sensor gives no end"),
    5: ("sensor", "a coin was not measured in time"),
    6: ("sensor", "a coin did not reach the credit sensor"),
    7: ("sensor", "a coin did not reach the sorter"),
    13: ("sensor", "the measuring sensor is not ready"),
    14: ("jam", "the credit sensor is covered"),
    15: ("jam", "the sorter is covered"),
    16: ("sensor", "credit sensors in the wrong order: tampering?"),
    17: ("sensor", "a coin went backwards: tampering?"),
    18: ("sensor", "a coin passed the credit sensor too fast: tampering?"),
    19: ("sensor", "a coin passed the credit sensor too slowly: tampering?"),
    20: ("sensor", "a coin on a string: tampering"),
    21: ("sensor", "the entry sensor gives no end"),
    22: ("sensor", "a coin missed the entry sensor: tampering?"),
    23: ("sensor", "a coin reached the credit sensor too early: tampering?"),
    24: ("sensor", "coins are rejected again and again: tampering?"),
    25: ("sensor", "a known false coin: tampering"),
    26: ("jam", "the reject path is covered"),
    27: ("internal", "more credit than it can count"),
    28: ("internal", "more pulses than it can count"),
    29: ("jam", "the gate did not close"),
    30: ("jam", "the gate did not open"),
    31: ("sensor", "a coin did not reach the manifold"),
    32: ("jam", "the manifold is covered"),
    34: ("internal", "its security settings were changed"),
    35: ("internal", "its motor failed"),
    36: ("jam", "it swallowed a coin"),
    37: ("sensor", "a coin fell too fast to be measured: tampering?"),
    38: ("sensor", "a coin fell too slowly to be measured: tampering?"),
    39: ("internal", "a coin took the wrong path"),
    40: ("sensor", "light from outside in its sensors: tampering"),
    255: ("internal", "an alarm without a reason"),
}
