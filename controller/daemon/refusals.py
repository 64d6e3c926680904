"""Acts that are refused over and over: the first are recorded each, the rest is counted.

A key that is stuck, a program that does not look at its answers, or a hand that wants the disk
full, must not fill the journal. So whoever was refused too often in a while is turned away unread,
for a while that doubles each time. How often is recorded, with the reason that came first. A
person is counted at each place, and each place by itself, whoever it says that it is.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from controller.daemon.attempts import KINDS, in_kinds
from controller.daemon.clock import Clock
from controller.daemon.proofs import Caller
from controller.rules.faults import Refused
from controller.table import events

#: So many of one person's acts, at one place, are refused within so many seconds.
MOST, WITHIN_S = 20, 10.0
#: And so many of a place, in anybody's name: more than people at a table ever come to.
MOST_A_PLACE, PLACE_WITHIN_S = 60, 300.0
#: Nobody is turned away for longer; who was quiet for so long begins anew.
LONGEST_S = 600.0
#: What was turned away is on record within so many seconds, in one entry.
SUMMED_UP_S = 60.0
#: People and places that are kept apart.
KEPT = 256
_WORDS = 500
_NAME = 64
#: In place of a person: the place itself.
_ANYBODY = ""


class TooOften(Refused):
    """Turned away before it came to the table: the person should look first."""


@dataclass(slots=True)
class _Refused:
    """Of one person at one place, or of a place."""

    most: int
    within_s: float
    times: deque[float] = field(default_factory=deque)
    #: Why the first of them was refused, in the while that they are counted for.
    first: str = ""
    #: Turned away until then, and how often that came to be.
    until: float = 0.0
    bouts: int = 0
    #: What was turned away, by what it was.
    turned_away: Counter[str] = field(default_factory=Counter)


class Refusals:
    def __init__(self, clock: Clock, post: Callable[[events.Event], object]) -> None:
        self._clock = clock
        self._post = post
        self._known: OrderedDict[tuple[str, str], _Refused] = OrderedDict()

    def must_be_few(self, caller: Caller, person: str, act: str) -> None:
        """Turn an act away whose author, or whose place, was refused too often just now."""
        now = self._clock.running()
        for key in _keys(caller, person):
            one = self._known.get(key)
            if one is None:
                continue
            if now >= one.until:
                self._summed_up(key, one)
                continue
            if not one.turned_away:
                soon = min(one.until - now, SUMMED_UP_S)
                asyncio.get_running_loop().call_later(soon, self._summed_up, key, one)
            known = act if act in one.turned_away or len(one.turned_away) < KINDS else "others"
            one.turned_away[known] += 1
            who = f"of {person}" if key[1] else f"from {caller.device}"
            problem = f"{one.most} acts {who} were refused within {one.within_s:.0f} s"
            step = f"see why ({one.first}), and act again in {one.until - now:.0f} s"
            raise TooOften("", problem, step)

    def refused(self, caller: Caller, person: str, why: str) -> None:
        """An act was refused, which was recorded, or it was a repeat, which is recorded too."""
        now = self._clock.running()
        for key in _keys(caller, person):
            measure = (MOST, WITHIN_S) if key[1] else (MOST_A_PLACE, PLACE_WITHIN_S)
            one = self._known.setdefault(key, _Refused(*measure))
            self._known.move_to_end(key)
            while len(self._known) > KEPT:
                self._summed_up(*self._known.popitem(last=False))
            if one.times and now - one.times[-1] > one.within_s:
                one.times.clear()
            if now - one.until > LONGEST_S:
                one.bouts = 0
            if not one.times:
                one.first = why
            one.times.append(now)
            while now - one.times[0] > one.within_s:
                one.times.popleft()
            if len(one.times) >= one.most:
                self._turn_away(key, one, now)

    def _turn_away(self, key: tuple[str, str], one: _Refused, now: float) -> None:
        seconds = min(LONGEST_S, WITHIN_S * 2 ** min(one.bouts, 10))
        one.times.clear()
        one.until = now + seconds
        one.bouts += 1

    def _summed_up(self, key: tuple[str, str], one: _Refused) -> None:
        """What was turned away, in one entry."""
        counted, one.turned_away = one.turned_away, Counter()
        if not counted:
            return
        device, person = key
        said = f"{counted.total()} attempts were turned away unread ({in_kinds(counted)})"
        self._post(
            events.AttemptRefused(
                at=self._clock.wall_ms(),
                person=person[:_NAME] or "several",
                device=device[:_NAME],
                attempt=counted.most_common(1)[0][0][:_NAME],
                reason=f"{said}, after {one.most} refused ones; the first: {one.first}"[:_WORDS],
            )
        )


def _keys(caller: Caller, person: str) -> Iterator[tuple[str, str]]:
    yield caller.device, person or "nobody"
    yield caller.device, _ANYBODY
