"""What is refused before it comes to the table, on record: the first ones each, the rest in number.

Each place has a measure of its own, so that nobody hides behind what somebody else is refused.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field

from controller.daemon.clock import Clock
from controller.daemon.core import Core
from controller.table import events

#: Attempts of one place that are recorded within so many seconds: more are only counted, so that
#: nobody can fill the disk by being refused.
RECORDED, WITHIN_S = 30, 60.0
#: Places that are kept apart; more than a PC has users and a house has screens.
KEPT = 256
_NAME = 64
_WORDS = 500
#: What is named of what was tried; the rest is counted together.
KINDS = 6


@dataclass(slots=True)
class _Of:
    """The attempts of one place."""

    recorded: deque[float] = field(default_factory=deque)
    #: Those that were only counted, by what was tried, and the last of them.
    counted: Counter[str] = field(default_factory=Counter)
    person: str = ""
    why: str = ""


class Attempts:
    def __init__(self, core: Core, clock: Clock) -> None:
        self._core = core
        self._clock = clock
        self._known: OrderedDict[str, _Of] = OrderedDict()

    async def refused(self, device: str, person: str, attempt: str, why: str) -> None:
        """On record when this returns; or counted, and on record within the minute."""
        one = self._known.setdefault(device, _Of())
        self._known.move_to_end(device)
        if len(self._known) > KEPT:
            self._summed_up(*self._known.popitem(last=False))
        now = self._clock.running()
        while one.recorded and now - one.recorded[0] > WITHIN_S:
            one.recorded.popleft()
        if len(one.recorded) < RECORDED:
            self._summed_up(device, one)
            one.recorded.append(now)
            await self._core.post(self._event(device, person, attempt, why))
            return
        if not one.counted:
            loop = asyncio.get_running_loop()
            loop.call_later(WITHIN_S, self._summed_up, device, one)
        # Of what nobody ever heard of there may be any number of names.
        known = attempt if attempt in one.counted or len(one.counted) < KINDS else "others"
        one.counted[known] += 1
        one.person, one.why = person, why

    def _summed_up(self, device: str, one: _Of) -> None:
        """What was only counted, in one entry."""
        if not one.counted:
            return
        counted, one.counted = one.counted, Counter()
        said = f"{counted.total()} more attempts were counted and not each recorded"
        reason = f"{said}: {in_kinds(counted)}; the last: {one.why}"
        self._core.post(self._event(device, one.person, counted.most_common(1)[0][0], reason))

    def _event(self, device: str, person: str, attempt: str, why: str) -> events.AttemptRefused:
        return events.AttemptRefused(
            at=self._clock.wall_ms(),
            person=person[:_NAME] or "nobody",
            device=device[:_NAME],
            attempt=attempt[:_NAME] or "nothing",
            reason=why[:_WORDS],
        )


def in_kinds(counted: Counter[str]) -> str:
    """What was tried how often: "40 seat_paid, 2 stop"."""
    return ", ".join(f"{many} {kind[:_NAME]}" for kind, many in counted.most_common(KINDS))
