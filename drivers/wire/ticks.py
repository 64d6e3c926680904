"""Times on a wire are whole microseconds, as a device log has them.

So a replay decides by the very numbers that felt decided by: which of two devices on a bus is asked
first can hang on less than a microsecond.
"""

from __future__ import annotations


def tick(now: float) -> float:
    """The same time, or the next whole microsecond: never earlier, or a timer would come too soon.

    A whole one stays what it is.
    """
    micros = round(now * 1e6)
    return micros / 1e6 if micros / 1e6 >= now else (micros + 1) / 1e6
