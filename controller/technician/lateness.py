"""How late felt may have been with what was due: as a busy PC is, and as one that stood still."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from controller.technician.relined import ROUNDED_S, Relined

#: felt may do what is due so much later, because the processor was busy.
LATE_S = 0.25
#: And if it did nothing at all, so much later: on a PC that is choked it stands still for seconds.
HELD_UP_S = 5.0


def is_held_up(line: Relined, lines: Iterable[Relined], now: float, late_s: float) -> bool:
    """Whether felt came to what is due on a line late because for a while it came to nothing.

    A program that is not given the processor is late with everything. If it did anything all the
    time, on any of these wires, it would have come to this, too.
    """
    if late_s <= ROUNDED_S:
        return False
    until = now + HELD_UP_S
    signs = sorted(at for one in lines for at in one.signs(now, until))
    longest = 0.0
    for before, at in pairwise((now, *signs)):
        longest = max(longest, at - before)
        # What shows that it was there may be this very thing: a time is not rounded away.
        if at - now - longest <= late_s and line.happens_by(at + ROUNDED_S):
            return True
    return False


def started_by(lines: Iterable[Relined], now: float, late_s: float) -> float:
    """Up to when felt may have started a timer that the replay starts now.

    A program may be held up between any two of its steps. By its next sign it had come to this one.
    """
    if late_s <= ROUNDED_S:
        return now
    signs = (sign for one in lines for sign in one.signs(now, now + HELD_UP_S))
    return min((sign for sign in signs if sign > now + ROUNDED_S), default=now)


def late_until(lines: Iterable[Relined], at: float, late_s: float) -> float:
    """Up to when felt may have come to something that was due then, and is on no wire.

    A program that wakes up late first hears what has come in, and then sees what time it is. So who
    was to be missed, and is back by then, was never missed.
    """
    if late_s <= ROUNDED_S:
        return at
    signs = (sign for one in lines for sign in one.signs(at, at + HELD_UP_S))
    return min(signs, default=at) + late_s
