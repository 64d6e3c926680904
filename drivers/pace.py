"""How much a device may tell, however good its key: more is a flood, and nobody can act on it.

A device tells its next event when the one before was acknowledged. So who tells too much is held
back by its acknowledgement alone: its commands and their answers go on, and an honest device loses
nothing, because it keeps what it has to tell. No clock and no I/O.
"""

from __future__ import annotations

from typing import Any

#: So many events at once, and so many a second. A busy seat makes two or three in a second; a
#: device that was away tells all that it has kept.
AT_ONCE = 256
PER_S = 16.0
#: It is not listened to for so long; doubled each time that it does not stop.
FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 60.0
#: One that has kept quiet for so long begins with the first pause again.
FORGIVEN_S = 600.0


class Pace:
    def __init__(self) -> None:
        #: Kept as a time, which a replay comes to as nearly as to any other: when it would have
        #: all of its allowance again, if it told nothing more.
        self._whole_at = 0.0
        self._pause_s = FIRST_PAUSE_S
        #: Not listened to until then; none while it keeps to its pace.
        self.muted_until: float | None = None
        self._last_muted = 0.0
        #: How often it was muted, ever.
        self.times = 0

    def tells(self, now: float) -> bool:
        """It has told something more. False if that is too much: from here on it is muted."""
        if self.listens(now):
            self._whole_at = max(self._whole_at, now) + 1 / PER_S
            if self._whole_at - now > AT_ONCE / PER_S:
                self._mute(now)
        return self.muted_until is None

    def _mute(self, now: float) -> None:
        if now - self._last_muted > FORGIVEN_S:
            self._pause_s = FIRST_PAUSE_S
        self.muted_until = self._last_muted = now + self._pause_s
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        self.times += 1

    def listens(self, now: float) -> bool:
        """Whether what it tells is acknowledged. After a pause it has a second's worth to tell."""
        if self.muted_until is not None and now >= self.muted_until:
            self.muted_until = None
            self._whole_at = now + AT_ONCE / PER_S - 1.0
        return self.muted_until is None

    def memory(self) -> list[Any]:
        return [
            self._whole_at,
            self._pause_s,
            self.muted_until,
            self._last_muted,
            self.times,
        ]

    def recall(self, remembered: list[Any]) -> None:
        whole, pause, until, last, times = remembered
        self._whole_at, self._pause_s = float(whole), float(pause)
        self.muted_until = None if until is None else float(until)
        self._last_muted, self.times = float(last), int(times)
