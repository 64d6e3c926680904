"""Who may do what from where: what the machine can't know, decided before anything comes to it.

Three things must agree. The way in allows some roles: a socket knows the user at its other end, a
page its session. The table lists its people. And where PINs are kept, a person proves who they
are, once for each way in. What is refused here never was an event of the table, so it is recorded
as an attempt.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from controller.daemon import pins
from controller.daemon.clock import Clock
from controller.daemon.core import Core
from controller.rules.faults import Refused, listed
from controller.table import events
from controller.table.credentials import must_be_free, of
from controller.table.people import Person, Role, must_be_listed

ROLES: tuple[Role, ...] = get_args(Role)

#: Refused attempts that are recorded within so many seconds: more are only counted, so that
#: nobody can fill the disk by being refused.
RECORDED, WITHIN_S = 30, 60.0
#: People who prove themselves through one way in.
MAX_PROVEN = 16
_NAME = 64
_UNLOCK = "another supervisor unlocks it; if none is left, set a new PIN: felt pin"
_WORDS = 500


class NotAllowed(Refused):
    """The person, or the way in, may not do this."""


class WrongPin(NotAllowed):
    """It is on record already, and counted."""


class PinNeeded(Refused):
    """It would be allowed to whoever proves to be that person."""


@dataclass(slots=True)
class Caller:
    """One way in, for as long as it is open."""

    #: Where somebody is, for the record: "control socket, user pit", "page 192.0.2.7".
    device: str
    #: The roles that may be acted in from here; none may only look.
    may: frozenset[Role] = frozenset()
    #: Who has proved who they are, since it was opened.
    proven: set[str] = field(default_factory=set)
    #: Whoever the service's secrets belong to: root, or the service's own user.
    keeps_secrets: bool = False


class Access:
    def __init__(self, core: Core, clock: Clock, secrets: Path) -> None:
        self._core = core
        self._clock = clock
        self._secrets = secrets
        self._recorded: deque[float] = deque()
        self._unrecorded = 0
        # One at a time: many at once would be tried before the first is counted as wrong.
        self._proving = asyncio.Lock()

    async def person(self, caller: Caller, said: str, pin: str | None, attempt: str) -> Person:
        """Who ``said`` names ("dealer-1", "dealer-1:dealer"), if that person may act from here."""
        person = self._named(said)
        try:
            if person.role not in caller.may:
                may = f"from here: {listed(sorted(caller.may))}"
                raise NotAllowed("as", f"nobody acts as {person.role} from {caller.device}", may)
            must_be_listed(self._core.recorder.terms.people, person)
            must_be_free(self._core.recorder.table, person)
            if self.asks_for_pins and person.id not in caller.proven:
                await self._prove(caller, person, pin)
        except (PinNeeded, WrongPin):
            raise
        except Refused as refused:
            await self.refused(caller, person.id, attempt, refused)
            raise NotAllowed(
                refused.field, refused.problem, refused.allowed, refused.clause
            ) from None
        return person

    @property
    def asks_for_pins(self) -> bool:
        return bool(self._core.recorder.terms.people) and pins.is_kept(self._secrets)

    async def refused(self, caller: Caller, person: str, attempt: str, why: Refused | str) -> None:
        """Put on record what was not allowed."""
        now = self._clock.running()
        while self._recorded and now - self._recorded[0] > WITHIN_S:
            self._recorded.popleft()
        if len(self._recorded) >= RECORDED:
            self._unrecorded += 1
            return
        self._recorded.append(now)
        more = f" (and {self._unrecorded} attempts before it)" if self._unrecorded else ""
        self._unrecorded = 0
        event = events.AttemptRefused(
            at=self._clock.wall_ms(),
            person=person[:_NAME] or "nobody",
            device=caller.device[:_NAME],
            attempt=attempt[:_NAME] or "nothing",
            reason=f"{why}{more}"[:_WORDS],
        )
        await self._core.post(event)

    def _named(self, said: str) -> Person:
        id_, _, role = said.partition(":")
        if not 1 <= len(id_) <= _NAME:
            raise Refused("as", "says nobody", "PERSON or PERSON:ROLE")
        people = self._core.recorder.terms.people
        if not role:
            roles = people.get(id_, ())
            if len(roles) != 1:
                problem = f"{id_} may have several roles" if roles else f"{id_} has no known role"
                raise Refused("as", problem, f"say {id_}:ROLE, of {listed(roles or ROLES)}")
            return Person(id_, roles[0])
        for known in ROLES:
            if known == role:
                return Person(id_, known)
        raise Refused("as", f"{role!r} is no role", listed(ROLES))

    async def _prove(self, caller: Caller, person: Person, pin: str | None) -> None:
        if pin is None:
            raise PinNeeded("pin", f"{person.id} must give a PIN")
        if len(caller.proven) >= MAX_PROVEN:
            raise Refused("pin", f"{MAX_PROVEN} people have proved themselves here", "connect anew")
        async with self._proving:
            must_be_free(self._core.recorder.table, person)
            kept = pins.read(self._secrets).get(person.id)
            if kept is None:
                raise Refused("pin", f"{person.id} has no PIN", f"felt pin {person.id} sets one")
            device = caller.device[:_NAME]
            at = self._clock.wall_ms()
            if not await asyncio.to_thread(pins.is_right, kept, pin):
                wrong = events.CredentialRefused(at=at, person=person.id, device=device)
                await self._core.post(wrong)
                raise WrongPin("pin", self._wrong(person))
            right = events.CredentialAccepted(at=at, person=person.id, device=device)
            taken = await self._core.post(right)
            if taken.step.refused:
                raise Refused("pin", taken.step.refused)
        caller.proven.add(person.id)

    def _wrong(self, person: Person) -> str:
        found = of(self._core.recorder.table, person.id)
        most = self._core.recorder.terms.wrong_pins
        if found is None or found.locked:
            return f"wrong, and the credential of {person.id} is locked; {_UNLOCK}"
        return f"wrong; {most - found.wrong} more and the credential of {person.id} is locked"
