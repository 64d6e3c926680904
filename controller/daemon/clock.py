"""The clocks of the table PC: the one on the wall, which people set, and the one that only runs.

Events carry the time on the wall, reckoned from the other one: so it goes on evenly until a step is
found, and the step is itself an event, before any event that has the new time. Ages come of that by
the running clock, whoever sets the other one, and in whatever strides. The running clock goes on
while felt is away, as long as the PC runs: what lay between the two is kept in a file.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

#: Smaller differences are the clock being slewed, which is no step.
STEP_MS = 500
#: A clock that was slewed by so much altogether is too slow or too fast: that is a step.
DRIFT_MS = 60_000
#: Seconds since 1970 that a clock on a wall can show: up to the year 2200.
LAST_S = 7_258_118_400.0
#: Names the run of the PC that the running clock belongs to.
BOOT = Path("/proc/sys/kernel/random/boot_id")


class Clock:
    def __init__(
        self,
        running: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._running = running
        self._wall = wall
        #: Its last reading was of a year that can't be: felt goes on by the running clock.
        self.is_mad = False
        self._offset = 0.0
        self._offset = self._read()
        #: By how much it was slewed since the last step, in milliseconds.
        self._drift = 0.0

    def running(self) -> float:
        """Seconds, on the clock that nobody sets."""
        return self._running()

    def wall_ms(self) -> int:
        """Milliseconds since 1970, by the clock on the wall as of the last look at it."""
        return round((self._running() + self._offset) * 1000)

    @property
    def offset(self) -> float:
        """What the clock on the wall was ahead of the running one at that look, in seconds."""
        return self._offset

    def stepped(self) -> int:
        """By how many milliseconds the wall clock was set since this was last asked, or 0.

        From now on ``wall_ms`` goes by the clock as it is set.
        """
        offset = self._read()
        jump = (offset - self._offset) * 1000
        self._offset = offset
        self._drift += jump
        if abs(jump) < STEP_MS and abs(self._drift) < DRIFT_MS:
            # Slow drift is followed, and adds up to a step only if it is no drift any more.
            return 0
        jump, self._drift = self._drift, 0.0
        return round(jump)

    def _read(self) -> float:
        wall, running = self._wall(), self._running()
        self.is_mad = not 0 <= wall <= LAST_S
        if not self.is_mad:
            return wall - running
        # Nobody knows the time: it is the earliest or the last, or goes on from what it was.
        return self._offset or (LAST_S if wall > LAST_S else 0.0) - running


class AsRecorded(Clock):
    """Shows the time of a record, whatever strides that makes."""

    def wall_ms(self) -> int:
        return int(self._wall() * 1000)


# --- Over a restart of felt -----------------------------------------------------


class Kept(msgspec.Struct, forbid_unknown_fields=True):
    """The file: how far the clock on the wall was ahead of the running one, and of which boot."""

    boot: str
    offset: float


class Memory:
    """How the clocks stood to each other when felt last looked."""

    def __init__(self, path: Path, clock: Clock, boot: Path = BOOT) -> None:
        self._path = path
        self._clock = clock
        with contextlib.suppress(OSError, ValueError):
            self._boot = boot.read_text(encoding="ascii").strip()
            return
        self._boot = ""

    @property
    def _is_the_pcs(self) -> bool:
        """Whether it runs by the PC's own clock, which goes on without felt."""
        return bool(self._boot) and abs(self._clock.running() - time.monotonic()) < 1.0

    def stepped_meanwhile(self) -> int:
        """By how many milliseconds the clock was set while felt was away; 0 if nobody knows."""
        try:
            kept = msgspec.json.decode(self._path.read_bytes(), type=Kept)
        except (OSError, msgspec.MsgspecError, ValueError):
            return 0
        if not self._is_the_pcs or kept.boot != self._boot:
            return 0
        jump = round((self._clock.offset - kept.offset) * 1000)
        return jump if abs(jump) >= STEP_MS else 0

    def keep(self) -> None:
        """Write it down. On a full disk it is not: then nobody knows, at the next start."""
        if not self._is_the_pcs:
            return
        beside = self._path.with_name(f".{self._path.name}")
        with contextlib.suppress(OSError):
            beside.write_bytes(msgspec.json.encode(Kept(self._boot, self._clock.offset)))
            beside.replace(self._path)
