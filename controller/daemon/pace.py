"""How fast one user of the PC is answered: who asks without a pause waits, and nobody else does.

Nothing is refused for it. A user's connections share one measure, so more of them are no faster.
"""

from __future__ import annotations

from dataclasses import dataclass

#: So many questions at once, and so many a second after them.
BURST, A_SECOND = 100.0, 50.0
#: Users that are kept apart: no more are connected at once.
KEPT = 256


@dataclass(slots=True)
class _Of:
    left: float
    at: float


class Pace:
    def __init__(self) -> None:
        self._of: dict[int, _Of] = {}

    def wait_s(self, uid: int, now: float) -> float:
        """Seconds until the question that has come is answered."""
        one = self._of.pop(uid, None) or _Of(BURST, now)
        self._of[uid] = one  # the last in the row: the first is forgotten first
        while len(self._of) > KEPT:
            del self._of[next(iter(self._of))]
        one.left = min(BURST, one.left + (now - one.at) * A_SECOND) - 1
        one.at = now
        return max(0.0, -one.left / A_SECOND)
