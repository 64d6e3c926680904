"""A stretch of play, as people name it: a time, a round, or an entry of the journal."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from controller.rules.faults import Refused
from controller.technician.logs import Logged, Run
from drivers.wire.devicelog import Remark

_MARK = re.compile(r"entry (\d+) round (\d+) ([a-z]+)( refused)?")
_ROUND = re.compile(r"round:(\d{1,9})")
_SECONDS = re.compile(r"\d+(\.\d+)?")
ALLOWED = "seconds since the start, round:12, entry:345, 04:05:06, or 2026-02-03T04:05:06"
#: As the records are printed: of the day on which the logs begin, or the next.
_OF_DAY = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d{1,6})?)?")
_DAY_US = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Mark:
    """What the log says of the table."""

    entry: int
    round: int
    phase: str


def mark_of(logged: Logged) -> Mark | None:
    record = logged.record
    if not isinstance(record, Remark) or record.word != "table":
        return None
    found = _MARK.fullmatch(record.text)
    return Mark(int(found[1]), int(found[2]), found[3]) if found else None


@dataclass(frozen=True, slots=True)
class Span:
    """By the clock that never steps; an end that is left out is open."""

    from_us: int | None = None
    until_us: int | None = None
    named: str = ""

    def __str__(self) -> str:
        return self.named or "all of it"

    def has(self, at_us: int) -> bool:
        return (self.from_us is None or at_us >= self.from_us) and (
            self.until_us is None or at_us <= self.until_us
        )

    def last_entry(self, run: Run) -> int | None:
        """The last entry that was acted on in it; none if it is open."""
        if self.until_us is None:
            return None
        last = run.after_entry
        for at_us, mark in _marks(run):
            if at_us > self.until_us:
                break
            last = max(last, mark.entry)
        return last


def of_round(run: Run, number: int) -> Span:
    """From the end of the round before, with shuffle and wagers, to the end of this one."""
    first = last = None
    least = most = 0
    for at_us, mark in _marks(run):
        least, most = least or mark.round, mark.round
        if mark.round == number - 1 and first is None and mark.phase == "shuffling":
            first = at_us
        if mark.round == number:
            first = at_us if first is None else first
            last = at_us
            if mark.phase == "shuffling":
                break
    if first is None or last is None:
        known = f"{least} to {most}" if most else "none"
        raise Refused("round", f"{number} is not in these logs", known)
    return Span(first, last, f"round {number}")


def words(
    number: int | None, from_: str | None, until: str | None
) -> tuple[str | None, str | None]:
    """From when and until when; ``Refused`` for a round and moments too."""
    if number is None:
        return from_, until
    if from_ is not None or until is not None:
        raise Refused("--round", "says from when and until when already", "leave one of them out")
    return f"round:{number}", f"round:{number}"


def asked_for(run: Run, number: int | None, from_: str | None, until: str | None) -> Span:
    """A round, or from one moment to another; ``Refused`` for both."""
    return of_words(run, *words(number, from_, until))


def of_words(run: Run, from_: str | None, until: str | None) -> Span:
    if from_ is not None and from_ == until and (one := _ROUND.fullmatch(from_)):
        return of_round(run, int(one[1]))
    start = None if from_ is None else _moment(run, "--from", from_, end=False)
    stop = None if until is None else _moment(run, "--until", until, end=True)
    if start is not None and stop is not None and stop < start and _is_of_day(until):
        stop += _DAY_US  # after midnight
    if start is not None and stop is not None and stop < start:
        raise Refused("--until", f"{until} is before {from_}")
    return Span(start, stop, f"{from_ or 'the start'} to {until or 'the end'}")


def _moment(run: Run, what: str, text: str, *, end: bool) -> int:
    first_us, first_utc_us = min((wire.first_us for wire in run.wires.values()), default=(0, 0))
    word, _, number = text.partition(":")
    if word == "round" and number.isdecimal():
        span = of_round(run, int(number))
        return (span.until_us if end else span.from_us) or 0
    if word == "entry" and number.isdecimal():
        for at_us, mark in _marks(run):
            if mark.entry >= int(number):
                return at_us
        raise Refused(what, f"entry {number} is not in these logs")
    if _SECONDS.fullmatch(text):
        return first_us + round(float(text) * 1e6)
    if _is_of_day(text):
        return _of_day(what, text, first_us, first_utc_us)
    try:
        wall = datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:
        raise Refused(what, f"{text!r} is no moment", ALLOWED) from None
    utc = wall.replace(tzinfo=UTC) if wall.tzinfo is None else wall
    return first_us + round(utc.timestamp() * 1e6) - first_utc_us


def _is_of_day(text: str | None) -> bool:
    return text is not None and _OF_DAY.fullmatch(text) is not None


def _of_day(what: str, text: str, first_us: int, first_utc_us: int) -> int:
    """The first such time after the logs begin: as it is printed, without a day."""
    hours, minutes, *seconds = text.split(":")
    of_day_us = (int(hours) * 60 + int(minutes)) * 60_000_000
    of_day_us += round(float(seconds[0]) * 1e6) if seconds else 0
    if of_day_us >= _DAY_US or int(minutes) >= 60 or (seconds and float(seconds[0]) >= 60):
        raise Refused(what, f"{text!r} is no time of a day", ALLOWED)
    return first_us + (of_day_us - first_utc_us) % _DAY_US


def _marks(run: Run) -> Iterator[tuple[int, Mark]]:
    """Of all wires, in their order: one that had nothing to do leaves some of them out."""
    each = [wire.records(having=b" table ") for wire in run.wires.values()]
    last = -1
    for logged in heapq.merge(*each, key=lambda one: one.at_us):
        mark = mark_of(logged)
        if mark is not None and mark.entry > last:
            last = mark.entry
            yield logged.at_us, mark
