"""How long a device takes, as histograms against the limits of docs/protocol.md."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

#: Upper ends of the bars, in milliseconds; what is above the last has a bar of its own.
BARS_MS = (1, 2, 5, 10, 20, 50, 100, 250, 500, 1000)
#: Times that are kept of one thing: a run asks a few hundred times.
MAX_TIMES = 20_000


@dataclass(frozen=True, slots=True)
class Limit:
    """What the page says of it, in milliseconds."""

    what: str
    least_ms: float = 0.0
    most_ms: float = 0.0
    #: So much of 100 has to be within.
    percent: int = 100


@dataclass(slots=True)
class Times:
    limit: Limit
    seconds: list[float] = field(default_factory=list)

    def took(self, seconds: float) -> None:
        if len(self.seconds) < MAX_TIMES:
            self.seconds.append(max(seconds, 0.0))

    @property
    def bars(self) -> list[int]:
        counts = [0] * (len(BARS_MS) + 1)
        for one in self.seconds:
            counts[bisect_left(BARS_MS, one * 1000)] += 1
        return counts

    def percentile_ms(self, percent: int) -> float:
        """So much of 100 took no longer; 0 where nothing was measured."""
        ordered = sorted(self.seconds)
        if not ordered:
            return 0.0
        return ordered[max(0, -(-percent * len(ordered) // 100) - 1)] * 1000

    def outside(self) -> str:
        """How it is outside of the page's limit, in words; nothing if it is not."""
        if not self.seconds:
            return ""
        limit = self.limit
        high, low = self.percentile_ms(limit.percent), self.percentile_ms(100 - limit.percent)
        if limit.percent == 100:
            low = min(self.seconds) * 1000
        if limit.most_ms and high > limit.most_ms:
            return f"{limit.what}: {high:.0f} ms, and not {limit.most_ms:.0f}"
        if limit.least_ms and low < limit.least_ms:
            return f"{limit.what}: {low:.0f} ms, and not {limit.least_ms:.0f}"
        return ""
