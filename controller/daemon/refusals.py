"""Acts that the table refuses over and over: the first are recorded each, the rest is counted.

A key that is stuck, or a program that does not look at its answers, must not fill the journal. So
whoever was refused too often in a while is turned away for the rest of it. How often is recorded,
with the reason that came first.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from controller.daemon.access import Caller
from controller.daemon.clock import Clock
from controller.rules.faults import Refused
from controller.table import events
from controller.table.people import Person

#: So many of one person's acts, through one way in, are refused within so many seconds.
MOST, WITHIN_S = 20, 10.0
#: People and ways in that are kept apart.
KEPT = 256
_WORDS = 500
_NAME = 64


class TooOften(Refused):
    """Turned away before it came to the table: the person should look first."""


@dataclass(slots=True)
class _Refused:
    """Of one person, through one way in."""

    times: deque[float] = field(default_factory=lambda: deque(maxlen=MOST))
    #: Why the first of them was refused, in the while that they are counted for.
    first: str = ""
    turned_away: int = 0


class Refusals:
    def __init__(self, clock: Clock, post: Callable[[events.Event], object]) -> None:
        self._clock = clock
        self._post = post
        self._known: OrderedDict[tuple[str, str], _Refused] = OrderedDict()

    def must_be_few(self, caller: Caller, person: Person, act: str) -> None:
        """Turn an act away whose author was refused too often just now."""
        one = self._known.get(key := (caller.device, person.id))
        if one is None or len(one.times) < MOST:
            return
        left = one.times[0] + WITHIN_S - self._clock.running()
        if left <= 0:
            self._summed_up(key, one, act)
            return
        one.turned_away += 1
        if one.turned_away == 1:
            loop = asyncio.get_running_loop()
            loop.call_later(WITHIN_S, self._summed_up, key, one, act)
        problem = f"{MOST} acts of {person.id} were refused within {WITHIN_S:.0f} s"
        step = f"see why ({one.first}), and act again in {left:.0f} s"
        raise TooOften("", problem, step)

    def refused(self, caller: Caller, person: Person, why: str) -> None:
        """The table did not take an act, and has recorded that."""
        key, now = (caller.device, person.id), self._clock.running()
        one = self._known.setdefault(key, _Refused())
        self._known.move_to_end(key)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        if not one.times or now - one.times[-1] > WITHIN_S:
            one.first = why
        one.times.append(now)

    def _summed_up(self, key: tuple[str, str], one: _Refused, act: str) -> None:
        """What was turned away, in one entry."""
        count, one.turned_away = one.turned_away, 0
        if not count:
            return
        device, person = key
        counted = f"{count} attempts in {WITHIN_S:.0f} s were turned away unread"
        self._post(
            events.AttemptRefused(
                at=self._clock.wall_ms(),
                person=person[:_NAME],
                device=device[:_NAME],
                attempt=act[:_NAME],
                reason=f"{counted}, after {MOST} refused ones; the first: {one.first}"[:_WORDS],
            )
        )
