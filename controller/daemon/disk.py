"""The disk under the journal: how much room is left and for how long, and a write that hangs.

A full disk stops the table, and a flush that hangs stops it without a word: so both are said before
they do, or while they do. Looking at a disk may hang as well; nobody waits for that.
"""

from __future__ import annotations

import asyncio
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from controller.daemon.clock import Clock
from controller.daemon.core import Core

#: Looks at the core, and at the disk.
LOOK_S, MEASURE_S = 1.0, 60.0
#: Less is too little for a day's play with its device logs; and the table begins to say so.
LEAST_BYTES, ENOUGH_BYTES = 256 << 20, 2 << 30
#: If it lasts no longer at the rate of these hours. The rate is none before so many seconds.
ENOUGH_S, KNOWN_AFTER_S, WINDOW_S = 7 * 86_400.0, 1_800.0, 86_400.0
#: A commit takes a fraction of a thousandth. What is under way for so long hangs.
HANGS_S = 3.0

MAKE_ROOM = "make room on it: remove what is not felt's, or move old device logs away"
LOOK_AT_IT = "look at the disk and its cable; nothing is lost, and nothing goes on before"

Level = Literal["ok", "low", "least"]


class Room(NamedTuple):
    #: By the clock that runs.
    at: float
    free: int
    size: int


class Disk:
    def __init__(
        self,
        folder: Path,
        core: Core,
        clock: Clock,
        said: Callable[..., None],
        measured: Callable[[Path], tuple[int, int]] | None = None,
    ) -> None:
        self.folder = folder
        self._core = core
        self._clock = clock
        self._said = said
        self._measured = measured or room
        self._known: deque[Room] = deque()
        self._trouble = ""
        self._level: Level = "ok"
        #: When the last look began that has not ended; none is under way otherwise.
        self._looking: float | None = None
        self._hung = 0.0

    async def run(self) -> None:
        due = 0.0
        looking: asyncio.Task[None] | None = None
        try:
            while True:
                now = self._clock.running()
                self._watch_the_core()
                if now >= due and (looking is None or looking.done()):
                    due = now + MEASURE_S
                    looking = asyncio.create_task(self.measure(), name="felt disk's room")
                await asyncio.sleep(LOOK_S)
        finally:
            if looking is not None:
                looking.cancel()

    async def measure(self) -> None:
        """Look at the disk, beside the loop."""
        self._looking = self._clock.running()
        try:
            free, size = await asyncio.to_thread(self._measured, self.folder)
            self.found(free, size)
            self._trouble = ""
        except OSError as error:
            self._trouble = f"the disk of {self.folder} can't be read: {error.strerror}"
        finally:
            self._looking = None

    def found(self, free: int, size: int) -> None:
        now = self._clock.running()
        self._known.append(Room(now, free, size))
        while now - self._known[0].at > WINDOW_S:
            self._known.popleft()
        before, self._level = self._level, self.level
        if self._level not in ("ok", before):
            self._said("disk", why=self._low(), next_step=MAKE_ROOM)

    def _watch_the_core(self) -> None:
        now = self._core.writing_s
        if now >= HANGS_S > self._hung:
            self._said("journal", why=f"an entry is not on the disk after {now:.0f} s",
                       next_step=LOOK_AT_IT)  # fmt: skip
        if self._hung >= HANGS_S > now:
            self._said("journal", remark=f"an entry was on the disk after {self._hung:.0f} s")
        self._hung = now

    # --- How it stands ----------------------------------------------------------

    @property
    def free(self) -> int | None:
        """In bytes; none before the first look."""
        return self._known[-1].free if self._known else None

    @property
    def per_s(self) -> float:
        """Bytes that go away in a second, by the last day; 0 where nobody can say so."""
        if not self._known:
            return 0.0
        first, last = self._known[0], self._known[-1]
        seconds = last.at - first.at
        return max(0.0, (first.free - last.free) / seconds) if seconds >= KNOWN_AFTER_S else 0.0

    @property
    def lasts_s(self) -> float | None:
        """How long the room lasts at this rate; none if it does not get less, as far as known."""
        free, rate = self.free, self.per_s
        return free / rate if free is not None and rate else None

    @property
    def level(self) -> Level:
        return level(self.free, self.lasts_s)

    @property
    def _silent_s(self) -> float:
        return 0.0 if self._looking is None else self._clock.running() - self._looking

    def standing(self) -> dict[str, Any]:
        lasts = self.lasts_s
        return {
            "folder": str(self.folder),
            "free": self.free,
            "size": self._known[-1].size if self._known else None,
            "per_day": round(self.per_s * 86_400),
            "lasts_s": None if lasts is None else round(lasts),
            "level": self.level,
        }

    def unwell(self) -> Iterator[str]:
        if (seconds := self._core.writing_s) >= HANGS_S:
            yield (
                f"journal: an entry is not on the disk after {seconds:.0f} s, and nothing is"
                f" decided before: {LOOK_AT_IT}"
            )
        if self._silent_s >= HANGS_S:
            yield f"the disk of {self.folder} does not answer since {self._silent_s:.0f} s"
        elif self._trouble:
            yield self._trouble
        if self.level != "ok":
            yield f"{self._low()}: {MAKE_ROOM}"

    def _low(self) -> str:
        return f"there are {said(self.free, self.lasts_s)} at {self.folder}, and then play stops"


def room(folder: Path) -> tuple[int, int]:
    usage = shutil.disk_usage(folder)
    return usage.free, usage.total


def level(free: int | None, lasts_s: float | None) -> Level:
    if free is None:
        return "ok"
    if free < LEAST_BYTES:
        return "least"
    return "low" if free < ENOUGH_BYTES or (lasts_s or ENOUGH_S) < ENOUGH_S else "ok"


def said(free: int | None, lasts_s: float | None) -> str:
    """As people say it: "12.3 GB free, for about 40 days"."""
    gigabytes = f"{(free or 0) / (1 << 30):.1f} GB free"
    if lasts_s is None:
        return gigabytes
    if lasts_s < 2 * 86_400:
        return f"{gigabytes}, for about {lasts_s / 3600:.0f} hours"
    return f"{gigabytes}, for about {min(lasts_s / 86_400, 9999):.0f} days"
