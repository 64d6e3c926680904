"""What nobody at a table does: messages that no device has sealed, and devices that never stop.

Nothing of a forged message is taken, and a device that floods is muted. Both are worth knowing all
the same: somebody is on the wire, or a device has gone mad. So they are counted, each device by
itself; on record is the count, at most once a minute, and the table is held for somebody to look.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from controller.daemon.clock import Clock
from controller.daemon.core import Core
from controller.daemon.supervisor import Supervisor
from controller.table import events
from controller.table.events import Abuse
from drivers.attachment import Attachment

LOOK_S = 1.0
#: A few messages may be left over from a session that has ended. So many in one spell are no such.
MANY = 20
#: A spell is over when nothing more has come for so long.
QUIET_S = 600.0
#: While it goes on, its count goes on record so often.
ON_RECORD_S = 60.0


@dataclass(slots=True)
class Spell:
    """So much of it since it began, of one device."""

    before: int
    #: By the clock on the wall, and by the one that runs.
    since: int
    last: float
    count: int = 0
    told: int = 0
    told_at: float = 0.0


class Watch:
    def __init__(
        self, supervisor: Supervisor, core: Core, clock: Clock, said: Callable[..., None]
    ) -> None:
        self._supervisor = supervisor
        self._core = core
        self._clock = clock
        self._said = said
        self._known: dict[tuple[str, Abuse], int] = {}
        self.spells: dict[tuple[str, Abuse], Spell] = {}

    async def run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self.look()

    def look(self) -> None:
        now = self._clock.running()
        for name, attachment in self._supervisor.attachments.items():
            for what, count in counts(attachment):
                self._count((name, what), count, now)
        for key, spell in list(self.spells.items()):
            self._tell(key, spell, now)
            is_over = now - spell.last >= QUIET_S
            if is_over and (spell.told == spell.count or not is_much(key[1], spell)):
                del self.spells[key]

    def _count(self, key: tuple[str, Abuse], count: int, now: float) -> None:
        before = self._known.get(key, 0)
        self._known[key] = count
        if count == before:
            return
        spell = self.spells.get(key)
        if spell is None or now - spell.last >= QUIET_S:
            spell = self.spells[key] = Spell(before, self._clock.wall_ms(), now)
        spell.count, spell.last = count - spell.before, now

    def _tell(self, key: tuple[str, Abuse], spell: Spell, now: float) -> None:
        is_due = not spell.told or now - spell.told_at >= ON_RECORD_S
        if not is_much(key[1], spell) or spell.count == spell.told or not is_due:
            return
        device, what = key
        wire = self._supervisor.wire_of(device)
        if not spell.told:
            self._said("a wire is abused", device=device, wire=wire, what=WORDS[what])
        spell.told, spell.told_at = spell.count, now
        event = events.WireAbused(
            at=self._clock.wall_ms(),
            device=device,
            wire=wire,
            what=what,
            count=spell.count,
            since=spell.since,
        )
        self._core.post(event)

    def standing(self) -> Iterator[dict[str, Any]]:
        """For status: what is going on, or was not long ago, with its count."""
        now = self._clock.running()
        for (device, what), spell in sorted(self.spells.items()):
            yield {
                "device": device,
                "wire": self._supervisor.wire_of(device),
                "what": what,
                "count": spell.count,
                "since": spell.since,
                "last_s": round(now - spell.last, 1),
                "is_much": is_much(what, spell),
            }

    def unwell(self) -> Iterator[str]:
        for one in self.standing():
            if one["is_much"]:
                times = "once" if one["count"] == 1 else f"{one['count']} times"
                yield (
                    f"{one['device']} on wire {one['wire']}: {WORDS[one['what']]}, {times} by now,"
                    f" last {one['last_s']:.0f} s ago; {NEXT_STEPS[one['what']]}"
                )


#: In words, for status; the hold of the table has its own.
WORDS: dict[Abuse, str] = {
    "forged": "messages came in its name that it did not seal",
    "flood": "it told more than may be and was muted",
}
NEXT_STEPS: dict[Abuse, str] = {
    "forged": "nothing of them was taken; look for a box on its cable, or for a stranger at the"
    " broker",
    "flood": "all else goes on; look at the device, and replace it if it does not stop",
}


def counts(attachment: Attachment) -> Iterator[tuple[Abuse, int]]:
    station = attachment.station
    yield "forged", station.unproven + station.unheard
    yield "flood", attachment.pace.times


def is_much(what: Abuse, spell: Spell) -> bool:
    return spell.count >= (MANY if what == "forged" else 1)
