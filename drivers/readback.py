"""What a device should show, against what it says that it shows.

A device reads back after every order and when it is asked how it stands, and its word may come when
the next order is already out: it is then neither wrong nor news. So a reading is judged only when
every order is answered and this is the last reading that is still to come. A device that could not
do as it was told says so in its answer, which is never in doubt.

Where an answer was lost, nobody knows whether a reading comes of that order too. One that differs
may then be that old one: it is neither believed nor excused. The device is asked how it stands, and
what it says to that is judged.

Some readings never come: of an order that was refused by a device that can't read itself; of one
that came just when the device showed something by itself, and said that; of events that were lost.
These are awaited only until the device has done something else that it was told. What was not read
back is then in doubt, too, and the next reading is judged.
"""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

from drivers.wire.handshake import Outcome

T = TypeVar("T")

Verdict = Literal["as told", "no news", "different"]


class ReadBack(Generic[T]):
    def __init__(self) -> None:
        #: What it was told last; nothing yet.
        self.last: T | None = None
        self._unanswered = 0
        #: Readings that are still to come. Below nothing: a reading was quicker than its answer.
        self._to_come = 0
        #: So many of these may never come; and whether the last order was refused.
        self._perhaps = 0
        self._is_refused = False
        #: Orders of which nobody knows. A reading may come of each, when it is long past.
        self._doubtful = 0
        self._to_ask = False

    def told(self, value: T) -> None:
        self.last = value
        self._unanswered += 1

    def answered(self, outcome: Outcome) -> None:
        self._unanswered -= 1
        self.asked(outcome)

    def unclear(self) -> None:
        self._unanswered -= 1
        self._doubtful += 1

    def asked(self, outcome: Outcome) -> None:
        """It answered when it was asked how it stands: a reading comes of that too."""
        self._to_come += 1
        self._is_refused = outcome not in ("done", "accepted")
        self._perhaps += self._is_refused

    def may_not_come(self, readings: int = 1) -> None:
        """So many of those that are awaited may have come otherwise, or never will."""
        self._perhaps = min(self._perhaps + readings, max(self._to_come, 0))

    def restarted(self) -> None:
        """The readings that were to come are forgotten."""
        self._to_come = self._perhaps = self._doubtful = 0

    @property
    def is_settled(self) -> bool:
        """Nothing is ordered that was not read back: what the device says is how it stands."""
        return not self._unanswered and self._to_come <= 0

    def read(self, value: T) -> Verdict:
        self._to_come -= 1
        self._perhaps = min(self._perhaps, max(self._to_come, 0))
        self._await_no_more()
        if not self.is_settled:
            return "no news"
        self._to_come = self._perhaps = 0
        if value == self.last:
            self._doubtful = 0
            return "as told"
        if self._doubtful:
            self._doubtful -= 1
            self._to_ask = True
            return "no news"
        return "different"

    def _await_no_more(self) -> None:
        """It has done what it was told last: only what must come is awaited any longer."""
        if self._unanswered or self._is_refused or self._to_come > self._perhaps:
            return
        self._doubtful += self._perhaps
        self._to_come = self._perhaps = 0

    def wants_to_know(self) -> bool:
        """Whether the device must be asked how it stands; said once for each time."""
        to_ask, self._to_ask = self._to_ask, False
        return to_ask
