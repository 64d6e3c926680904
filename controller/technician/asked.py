"""A recorded device off the shelf, as it is played: it answers what it is asked.

It answers as it did at this place of the record, for as long as the record has not come further. A
reading that changed stays until felt has looked as often as it needs to take it for true, and one
that was short, as a contact that bounces, is shown as often as it was. What this felt has set reads
back as it was set, unless the record has it otherwise.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from controller.technician.script import Ordered, Part, Shows, Spoils
from drivers.dialects.other_end import Request

#: A short reading is followed by the next before its time, if that is as soon as this.
SOON_US = 500_000


@dataclass(slots=True)
class _Reading:
    shows: Shows
    looked: int = 0


class AskedDevice:
    def __init__(self, part: Part, firsts: Iterable[Shows]) -> None:
        """``firsts`` is how it was found."""
        assert part.end is not None
        self.part = part
        self._end = part.end
        #: felt has had an answer, since it last had none.
        self.in_session = False
        self._readings = {one.what: _Reading(one) for one in firsts}
        self._spoilt: deque[bytes] = deque()
        #: Something was spoilt, and nothing has been answered since.
        self._is_spoilt = False
        #: How readings are answered, as felt has set it; and what it has told it to set.
        self._as_set: dict[str, bytes] = {}
        self.sets: dict[str, int] = {}

    def show(self, shows: Shows) -> None:
        now = self._readings.get(shows.what)
        # felt may have seen it already, because it looked early.
        if now is None or now.shows.at_us < shows.at_us:
            self._readings[shows.what] = _Reading(shows)

    def spoil(self, spoils: Spoils) -> None:
        self._spoilt += spoils.answers
        self._is_spoilt = True

    def is_gone(self) -> None:
        """Nobody hears it, and it hears nobody."""
        self.in_session = False
        self._spoilt.clear()
        self._is_spoilt = False

    def is_new(self, what: str) -> bool:
        """Whether felt must ask for this before there can be another answer to it."""
        now = self._readings.get(what)
        return now is not None and self._is_new(now)

    @property
    def is_spoilt(self) -> bool:
        return self._is_spoilt

    @property
    def unacknowledged(self) -> int:
        """Readings that felt does not have yet."""
        return sum(self._is_new(one) for one in self._readings.values())

    def has_set(self, order: Ordered) -> bool:
        return all(self.sets.get(name) == value for name, value in order.sets.items())

    # --- As the player sees a device ----------------------------------------------

    def wakes_at(self) -> float:
        return inf

    def next_packet(self, now: float) -> None:
        return None

    # --- What felt asks -----------------------------------------------------------

    def answer(self, request: Request, clock_us: int, done: bytes) -> tuple[bytes, int] | None:
        """The answer, and how long it took; ``done`` is what it said to what is set, if known."""
        if done:
            self._comes_to(request.what, done)
        said = self._read(request.what, clock_us)
        self.sets.update(request.sets)
        is_refused = said is not None and self._end.refuses(said[0])
        if request.reads_back is not None and not is_refused:
            self._set(*request.reads_back)
        if said is not None and self._spoilt:
            return self._spoilt.popleft(), 0
        if said is not None:
            self.in_session = True
            self._is_spoilt = False
        return said

    def _comes_to(self, what: str, done: bytes) -> None:
        """What felt has ordered was answered so in the record, whether it is there yet or not."""
        now = self._readings.get(what)
        shows = now.shows if now is not None else None
        while shows is not None and shows.answer != done:
            shows = shows.then
        if now is not None and shows is not None and shows is not now.shows:
            self._readings[what] = _Reading(shows)

    def _set(self, what: str, answer: bytes) -> None:
        self._as_set[what] = answer
        now = self._readings.get(what)
        if now is not None and now.looked >= now.shows.looks and not now.shows.is_as_set:
            # It was otherwise for as long as felt had seen it so.
            self._readings[what] = _Reading(_as_set(now.shows))

    def _read(self, what: str, clock_us: int) -> tuple[bytes, int] | None:
        now = self._readings.get(what)
        if now is None:
            return None
        short = now.shows.looks < self._end.settles(what)
        then = now.shows.then
        if short and now.looked >= now.shows.looks and then and then.at_us <= clock_us + SOON_US:
            now = self._readings[what] = _Reading(then)
        now.looked += 1
        shows = now.shows
        said = self._as_set.get(what, shows.answer) if shows.is_as_set else shows.answer
        return said, shows.after_us

    def _is_new(self, reading: _Reading) -> bool:
        shows = reading.shows
        if shows.is_first or shows.is_as_set:
            return False
        return reading.looked < min(shows.looks, self._end.settles(shows.what))


def _as_set(shows: Shows) -> Shows:
    return Shows(
        at_us=shows.at_us,
        where=shows.where,
        device=shows.device,
        what=shows.what,
        answer=shows.answer,
        is_as_set=True,
        after_us=shows.after_us,
        then=shows.then,
    )
