"""Who may do what from where: what the machine can't know, decided before anything comes to it.

Three things must agree. The way in allows some roles: a socket knows the user at its other end, a
page its session. The table lists its people. And where PINs are kept, a person proves who they
are, once for each way in. What is refused here never was an event of the table, so it is recorded
as an attempt.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from controller.daemon.attempts import Attempts
from controller.daemon.clock import Clock
from controller.daemon.core import Core
from controller.daemon.proofs import Caller, NotAllowed, PinNeeded, Proofs, WrongPin
from controller.rules.faults import Refused, listed
from controller.table.credentials import must_be_free
from controller.table.people import Person, Role, must_be_listed

__all__ = ["ROLES", "Access", "Caller", "NotAllowed", "PinNeeded", "WrongPin"]

ROLES: tuple[Role, ...] = get_args(Role)
_NAME = 64


class Access:
    def __init__(self, core: Core, clock: Clock, secrets: Path) -> None:
        self._core = core
        self.proofs = Proofs(core, clock, secrets)
        self.attempts = Attempts(core, clock)

    async def person(
        self, caller: Caller, said: str, pin: str | None, attempt: str, *, stays: bool = True
    ) -> Person:
        """Who ``said`` names ("dealer-1", "dealer-1:dealer"), if that person may act from here.

        A proof that does not stay counts for this act alone.
        """
        person = self._named(said)
        try:
            if person.role not in caller.may:
                may = f"from here: {listed(sorted(caller.may))}"
                raise NotAllowed("as", f"nobody acts as {person.role} from {caller.device}", may)
            must_be_listed(self._core.recorder.terms.people, person)
            must_be_free(self._core.recorder.table, person)
            await self.proofs.prove(caller, person, pin, stays=stays)
        except (PinNeeded, WrongPin):
            raise
        except Refused as refused:
            await self.refused(caller, person.id, attempt, refused)
            raise NotAllowed(
                refused.field, refused.problem, refused.allowed, refused.clause
            ) from None
        return person

    async def refused(self, caller: Caller, person: str, attempt: str, why: Refused | str) -> None:
        """Put on record what was not allowed."""
        await self.attempts.refused(caller.device, person, attempt, str(why))

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
