"""A badge that was read, at a device or by a reader at a page: whose it is, told to the table.

The driver of a reader says a number and no more. Here it becomes a person, or nobody, out of the
secrets; what follows is the table's to decide. Numbers are looked up one at a time, as PINs are,
and no number is ever in a log or on record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec import UNSET

from controller.daemon import badges
from controller.daemon.attempts import Attempts
from controller.daemon.badges import Badge
from controller.daemon.clock import Clock
from controller.daemon.core import Core
from controller.rules.faults import Refused
from controller.table import credentials, events, guesses
from controller.table.badges import name, place
from controller.table.people import Person, Role
from drivers.contract import BadgeSeen, Moment

#: Badges that wait to be looked up: a reader says the next one when the one before is on record.
MAX_WAITING = 64
_ATTEMPT = "badge_read"
_NOT_NOW = "hold it to the reader again"


class Readers:
    def __init__(
        self, core: Core, clock: Clock, secrets: Path, alone: frozenset[Role], attempts: Attempts
    ) -> None:
        self._core = core
        self._clock = clock
        self._secrets = secrets
        self._alone = alone
        self._attempts = attempts
        #: What was given out and withdrawn since the start: systemd hands over a copy of the file.
        self._since: dict[str, Badge] = {}
        self._salt = ""
        self._waiting: set[asyncio.Task[None]] = set()
        self._looking_up = asyncio.Lock()

    def is_now(self, salt: str, digest: str, badge: Badge) -> None:
        """Somebody who may write the file has changed it."""
        self._salt = salt
        if not badge.withdrawn:
            for other, one in self._known().items():
                if one.person == badge.person:
                    self._since[other] = Badge(one.person, withdrawn=True)
        self._since[digest] = badge

    def _known(self) -> dict[str, Badge]:
        kept = badges.read(self._secrets)
        return {**(kept.known if kept is not None else {}), **self._since}

    def _salted(self) -> str:
        kept = badges.read(self._secrets)
        return self._salt or (kept.salt if kept is not None else "")

    # --- At a device --------------------------------------------------------------

    def read(self, device: str, seen: BadgeSeen, moment: Moment, safe: Callable[[], None]) -> None:
        """``safe`` is called when it is on record, and the device may forget it."""
        if len(self._waiting) >= MAX_WAITING:
            safe()
            return
        work = self._read(device, seen, moment, safe)
        task = asyncio.get_running_loop().create_task(work, name="felt badge")
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _read(
        self, device: str, seen: BadgeSeen, moment: Moment, safe: Callable[[], None]
    ) -> None:
        where = place(device)
        try:
            if moment.kept is not UNSET:
                # Whoever held it there may be far away by now.
                raise Refused("badge", "was read while the table did not listen", _NOT_NOW)
            made, found = await self._found(where, seen.number)
        except Refused as why:
            await self._attempts.refused(where, "nobody", _ATTEMPT, str(why))
            safe()
            return
        event: events.Event
        if isinstance(found, str):
            event = events.BadgeRefused(
                at=moment.at, id=moment.id, device=device, badge=badges.named(made), reason=found
            )
        else:
            event = events.BadgeRead(
                at=moment.at,
                id=moment.id,
                device=device,
                badge=badges.named(made),
                who=found,
                with_pin=found.role not in self._alone,
            )
        self._core.post(event, lambda _: safe())

    # --- At a page ----------------------------------------------------------------

    async def whose(self, device: str, number: str) -> Person:
        """Whose badge was typed there; or ``Refused``, on record and counted."""
        where = place(device)
        try:
            made, found = await self._found(where, number)
        except Refused as why:
            await self._attempts.refused(where, "nobody", _ATTEMPT, str(why))
            raise
        if isinstance(found, Person):
            return found
        named = badges.named(made)
        now = self._clock.wall_ms()
        refused = events.BadgeRefused(at=now, device=device[:64], badge=named, reason=found)
        await self._core.post(refused)
        raise Refused("badge", found, "sign on by name, or ask the floor")

    # --- Whose it is ----------------------------------------------------------------

    async def _found(self, where: str, number: str) -> tuple[str, Person | str]:
        """The badge's digest, and whose it is, or why it is nobody's."""
        async with self._looking_up:
            terms, table, now = self._core.recorder.terms, self._core.table, self._clock.wall_ms()
            guesses.must_be_open(terms, table, None, where, now)
            if not (salt := self._salted()):
                raise Refused(
                    "badge", "nobody has one at this table", "felt badge PERSON gives one"
                )
            made = await asyncio.to_thread(badges.digest, salt, number)
            found = self._known().get(made)
            if found is not None and not found.withdrawn:
                roles = terms.people.get(found.person, ())
                if roles:
                    return made, Person(found.person, roles[0])
                return made, f"it is the badge of {found.person}, who is not of this table"
            # One that was tried too often is not looked at, wherever it is held.
            called = name(badges.named(made))
            tried = credentials.of(table, called)
            credentials.must_be_free(table, Person(called, "dealer"))
            guesses.must_be_open(terms, table, tried, where, now)
            if found is not None:
                return made, f"the badge of {found.person} was withdrawn"
            return made, "it is nobody's badge"
