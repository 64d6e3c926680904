"""How long devices took to answer, and what had to be asked again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from controller.technician.said import Said

#: Times are counted in steps of so many microseconds: a log may be long.
STEP_US = 100


@dataclass(slots=True)
class Times:
    """How many answers took how long."""

    #: In steps of ``STEP_US``.
    steps: Counter[int] = field(default_factory=Counter)

    def add(self, took_us: int) -> None:
        self.steps[took_us // STEP_US] += 1

    def join(self, other: Times) -> None:
        self.steps.update(other.steps)

    @property
    def count(self) -> int:
        return self.steps.total()

    def within(self, percent: int) -> int:
        """Microseconds within which so many of the answers came."""
        wanted = self.count * percent / 100
        seen = 0
        for one in sorted(self.steps):
            seen += self.steps[one]
            if seen >= wanted:
                return (one + 1) * STEP_US
        return 0


class Took(NamedTuple):
    """An answer: to what, and after how long."""

    asked_for: str
    microseconds: int


class Answering:
    """The conversations of one wire: a device is asked one thing at a time."""

    def __init__(self) -> None:
        self._asked: dict[str, tuple[str, str, tuple[int, int], int]] = {}

    def asks(self, one: Said, at_us: int) -> bool:
        """Felt says something; whether it had said that before, and got no answer."""
        if not one.asks:
            return False
        before = self._asked.get(one.device)
        if before is not None and before[0] == one.kind and before[2] == one.number:
            return True
        self._asked[one.device] = (one.kind, one.asked_for, one.number, at_us)
        return False

    def answers(self, one: Said, at_us: int) -> Took | None:
        """A device says something; how long it took, if it is what it was asked."""
        before = self._asked.get(one.device)
        if before is None or not one.answers or before[2] != one.number:
            return None
        del self._asked[one.device]
        return Took(before[1], at_us - before[3])

    def cut(self) -> None:
        """The port is gone: nobody answers any more."""
        self._asked.clear()
