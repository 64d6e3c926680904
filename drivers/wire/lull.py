"""A quiet stretch on a line: polls and answers that say nothing, counted as they come."""

from __future__ import annotations

from drivers.wire.devicelog import Polled, Quiet
from drivers.wire.station import Rest


class Lull:
    """Polls that were answered and had nothing to say, one after the other."""

    __slots__ = ("devices", "since", "until")

    def __init__(self, since: float) -> None:
        self.since = self.until = since
        #: By address: how it stands, how many polls, the longest that an answer took.
        self.devices: dict[int, tuple[Rest, int, float]] = {}

    def add(self, rest: Rest) -> None:
        self.until = rest.heard_at
        took = rest.heard_at - rest.sent_at
        before = self.devices.get(rest.address)
        if before is None:
            self.devices[rest.address] = (rest, 1, took)
        else:
            self.devices[rest.address] = (rest, before[1] + 1, max(before[2], took))

    def record(self, at_us: int) -> Quiet:
        return Quiet(
            at_us,
            _micros(self.until - self.since),
            tuple(
                Polled(
                    rest.address,
                    rest.seq,
                    polls,
                    _micros(self.until - rest.sent_at),
                    _micros(self.until - rest.heard_at),
                    _micros(slowest),
                    rest.answer,
                    rest.pause,
                )
                for rest, polls, slowest in self.devices.values()
            ),
        )


def _micros(seconds: float) -> int:
    return round(seconds * 1e6)
