"""Who has proved who they are, through which way in: by a PIN, for as long as that PIN is theirs.

A proof is worth what it was made with. With a new PIN, with a credential that is locked or was
withdrawn, whatever was opened under the old one ends at once, and is told why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakSet

from controller.daemon import pins
from controller.daemon.clock import Clock
from controller.daemon.core import Core
from controller.recorder import Taken
from controller.rules.faults import Refused
from controller.table import events, guesses
from controller.table.credentials import must_be_free, of
from controller.table.events import Event
from controller.table.people import Person, Role

#: People who prove themselves through one way in.
MAX_PROVEN = 16
_NAME = 64
_UNLOCK = "another supervisor unlocks it; if none is left, set a new PIN: felt pin"
_ELSEWHERE = "sign on at another place, or ask a supervisor to unlock the credential"


class NotAllowed(Refused):
    """The person, or the way in, may not do this."""


class WrongPin(NotAllowed):
    """It is on record already, and counted."""


class PinNeeded(Refused):
    """It would be allowed to whoever proves to be that person."""


def _nobody_listens(why: str) -> None:
    return


@dataclass(slots=True, eq=False, weakref_slot=True)
class Caller:
    """One way in, for as long as it is open."""

    #: Where somebody is, for the record: "control socket, user pit", "page 192.0.2.7".
    device: str
    #: The roles that may be acted in from here; none may only look.
    may: frozenset[Role] = frozenset()
    #: Who has acted since it was opened, and the hash of the PIN by which they proved who they
    #: are; nothing where no PINs are kept.
    proven: dict[str, str] = field(default_factory=dict)
    #: Whoever the service's secrets belong to: root, or the service's own user.
    keeps_secrets: bool = False
    #: Is told, with the reason, when somebody's proof is worth nothing any more.
    ended: Callable[[str], None] = _nobody_listens


class Proofs:
    def __init__(self, core: Core, clock: Clock, secrets: Path) -> None:
        self._core = core
        self._clock = clock
        self._secrets = secrets
        #: PINs that root has set since the start, and what the file had then: systemd hands over a
        #: copy of the file, which is of the start.
        self._since: dict[str, tuple[str, str | None]] = {}
        self._callers: WeakSet[Caller] = WeakSet()
        self._locked = _locked(core)
        # One at a time: many at once would be tried before the first is counted as wrong.
        self._proving = asyncio.Lock()

    # --- Which PIN is whose -----------------------------------------------------

    @property
    def are_asked_for(self) -> bool:
        known = pins.is_kept(self._secrets) or any(kept for kept, _ in self._since.values())
        return bool(self._core.recorder.terms.people) and known

    def _kept(self, person: str) -> str | None:
        """The hash of the PIN that is right now."""
        in_file = self._in_file(person)
        if person in self._since:
            kept, before = self._since[person]
            if in_file == before:
                return kept or None
            del self._since[person]
        return in_file

    def _in_file(self, person: str) -> str | None:
        return pins.read(self._secrets).get(person) if pins.is_kept(self._secrets) else None

    def is_now(self, person: str, kept: str) -> None:
        """A new PIN was set, by somebody who may write the file; with nothing, it was taken away.

        What was opened under the old one ends when the table has it on record.
        """
        self._since[person] = (kept, self._in_file(person))

    # --- Proving ----------------------------------------------------------------

    async def prove(
        self, caller: Caller, person: Person, pin: str | None, *, stays: bool = True
    ) -> None:
        """By a PIN, or by one that was given before and is still right; or for now alone."""
        if not self.are_asked_for:
            if len(caller.proven) < MAX_PROVEN:
                caller.proven.setdefault(person.id, "")
                self._callers.add(caller)
            return
        kept = self._kept(person.id)
        if stays:
            if kept is not None and caller.proven.get(person.id) == kept:
                return
            caller.proven.pop(person.id, None)
        if pin is None:
            raise PinNeeded("pin", f"{person.id} must give a PIN")
        if len(caller.proven) >= MAX_PROVEN:
            raise Refused("pin", f"{MAX_PROVEN} people have proved themselves here", "connect anew")
        async with self._proving:
            proved = await self._proved(caller.device[:_NAME], person, pin)
        if stays:
            caller.proven[person.id] = proved
            self._callers.add(caller)

    async def _proved(self, device: str, person: Person, pin: str) -> str:
        recorder = self._core.recorder
        must_be_free(recorder.table, person)
        at = self._clock.wall_ms()
        found = of(recorder.table, person.id)
        guesses.must_be_open(recorder.terms, recorder.table, found, device, at)
        kept = self._kept(person.id)
        if kept is None:
            raise Refused("pin", f"{person.id} has no PIN", f"felt pin {person.id} sets one")
        if not await asyncio.to_thread(pins.is_right, kept, pin):
            wrong = events.CredentialRefused(at=at, person=person.id, device=device, by_place=True)
            await self._core.post(wrong)
            raise WrongPin("pin", self._wrong(person, device))
        right = events.CredentialAccepted(at=at, person=person.id, device=device, by_place=True)
        taken = await self._core.post(right)
        if taken.step.refused:
            raise Refused("pin", taken.step.refused)
        if self._kept(person.id) != kept:
            raise PinNeeded("pin", f"{person.id} was given a new PIN just now, and must give it")
        return kept

    def _wrong(self, person: Person, device: str) -> str:
        terms, table = self._core.recorder.terms, self._core.recorder.table
        found, now = of(table, person.id), self._clock.wall_ms()
        if found is None or found.locked:
            return f"wrong, and the credential of {person.id} is locked; {_UNLOCK}"
        if guesses.locked_out_at(terms, found, device, now):
            return f"wrong, and {person.id} is locked out at {device}; {_ELSEWHERE}"
        tried = guesses.tried_at(found, device)
        left = terms.wrong_pins - (tried.in_a_row if tried is not None else 0)
        said = f"wrong; {left} more and {person.id} is locked out at {device}"
        if (in_all := terms.wrong_pins_in_all - found.wrong) <= left:
            said = f"wrong; {in_all} more and the credential of {person.id} is locked"
        try:
            guesses.must_be_open(terms, table, found, device, now)
        except Refused as shut:
            said = f"{said}; {shut.allowed}"
        return said

    # --- What ends proofs -------------------------------------------------------

    def told(self, event: Event, taken: Taken) -> None:
        """Every event of the table, after it was decided."""
        if taken.step.refused:
            return
        match event:
            case events.CredentialReissued(person=person):
                self._end(person, f"{person} was given a new PIN; sign on with it")
            case events.CredentialWithdrawn(person=person):
                self._end(person, f"the credential of {person} was withdrawn")
        before, self._locked = self._locked, _locked(self._core)
        for person in self._locked - before:
            self._end(person, f"the credential of {person} is locked")

    def _end(self, person: str, why: str) -> None:
        for caller in tuple(self._callers):
            if caller.proven.pop(person, None) is not None:
                caller.ended(why)


def _locked(core: Core) -> frozenset[str]:
    return frozenset(one.person for one in core.table.credentials if one.locked)
