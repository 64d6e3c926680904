"""How much one address or one session may ask for: bursts are let through, floods are not.

A bucket holds so many tokens and is filled again at a steady pace. Buckets are few and small; the
one that was not used for longest is forgotten first, and by then it is full again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

#: Addresses, or sessions, that are kept apart.
KEPT = 4096


@dataclass(frozen=True, slots=True)
class Rate:
    burst: int
    a_second: float


#: Of one address. A page is some fifteen files, and a PC may open all of its pages at once.
REQUESTS = Rate(300, 60)
#: PINs are counted by the table; this keeps somebody from locking everybody's credential at once.
SIGN_ONS = Rate(10, 0.2)
#: Of one page: nobody's fingers are faster.
PRESSES = Rate(60, 20)
#: Connections of one address, and of all, that are open at a time.
MAX_CONNECTIONS_EACH, MAX_CONNECTIONS = 64, 256


class Bucket:
    __slots__ = ("_at", "_left", "_rate")

    def __init__(self, rate: Rate, now: float) -> None:
        self._rate = rate
        self._left = float(rate.burst)
        self._at = now

    def take(self, now: float) -> bool:
        """Whether one more is within the limit."""
        self._left = min(self._rate.burst, self._left + (now - self._at) * self._rate.a_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Limit:
    """A bucket for each key."""

    def __init__(self, rate: Rate, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, key: str) -> bool:
        now = self._clock()
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(self._rate, now)
            if len(self._buckets) > KEPT:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(key)
        return bucket.take(now)
