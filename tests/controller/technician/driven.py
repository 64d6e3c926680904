"""A recorded wire, driven by its own records and clock: a replay of one line, and of no table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf

from controller.technician.relined import Relined
from drivers.wire.devicelog import Bytes, Quiet, Remark

#: How late felt may have been.
LATE_S = 0.25


class Driven(ABC):
    wire: Relined
    now = 0.0

    @abstractmethod
    def turn(self) -> None:
        """What follows from what the devices said; the same as when it was recorded."""

    def entered(self, text: str) -> None:
        """The table took something, which may order something on this wire."""
        return

    def run(self) -> int:
        """To the end of the record; how many frames felt sent, as it had."""
        frames = 0
        while (logged := self.wire.head) is not None:
            self._idle_until(logged.at_us / 1e6)
            self.now = max(self.now, logged.at_us / 1e6)
            self.wire.take()
            match logged.record:
                case Bytes(direction="in", data=data):
                    self.wire.received(data, self.now)
                case Bytes(data=data):
                    frames += self.wire.sent(data, self.now)
                case Quiet() as quiet:
                    self.wire.quiet(quiet, logged.at_us)
                    frames += quiet.polls
                case Remark(word="port", text=text):
                    self.wire.port(text, self.now)
                case Remark(word="table", text=text):
                    self.entered(text)
            if self.wire.has_news() or isinstance(logged.record, Remark):
                self.turn()
            self.wire.look(self.now)
        return frames

    def _idle_until(self, now: float) -> None:
        while self.wire.due < now:
            self.now = max(self.now, self.wire.due)
            if self.wire.is_over or self.wire.happens_by(self.now + LATE_S):
                self.wire.due = inf
                continue
            self.turn()
            self.wire.wakes(self.now)
            if self.wire.has_news():
                self.turn()
