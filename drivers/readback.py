"""What a device should show, against what it says that it shows.

A device reads back after every order, and its word may come when the next order is already out: it
is then neither wrong nor news. So the readings are matched with the orders in their turn.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, Literal, TypeVar

T = TypeVar("T")

#: Orders whose reading may still come.
MAX_AWAITED = 16

Verdict = Literal["as told", "superseded", "different"]


class ReadBack(Generic[T]):
    def __init__(self) -> None:
        #: What it was told last; nothing yet.
        self.last: T | None = None
        self._awaited: deque[T] = deque(maxlen=MAX_AWAITED)

    def told(self, value: T) -> None:
        self.last = value
        self._awaited.append(value)

    def read(self, value: T) -> Verdict:
        if value in self._awaited:
            while self._awaited.popleft() != value:
                pass  # readings that never came
            return "superseded" if self._awaited else "as told"
        return "as told" if value == self.last else "different"

    def forget(self) -> None:
        """The device came back: of what it was told before, no reading comes any more."""
        self._awaited.clear()
