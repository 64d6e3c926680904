"""Actions that are no acts of the round: what people ask, and what concerns the service itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from controller.daemon import signature, views
from controller.daemon.access import ROLES, Access, NotAllowed
from controller.daemon.action import Action, Asked, Nothing, TableRefused
from controller.daemon.badges import Badge, named
from controller.daemon.core import Core
from controller.daemon.joined import Joined
from controller.daemon.matters import Matters
from controller.daemon.metrics import Metrics
from controller.daemon.picture import picture
from controller.daemon.readers import Readers
from controller.daemon.selfcheck import SelfCheck
from controller.daemon.service import Service
from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from controller.library import Library
from controller.recalling import recalled
from controller.rules.faults import Refused, listed
from controller.table import events
from controller.table.people import Person, Role

#: So often, and after so many seconds each, it is looked whether a lock-out is over.
LOCK_LOOKS, LOCK_LOOK_S = 8, 0.01
#: Rounds that are recalled at once.
MAX_RECALLED = 25


class Recall(msgspec.Struct, forbid_unknown_fields=True):
    round: Annotated[int, Meta(ge=1)] | None = None
    last: Annotated[int, Meta(ge=1, le=MAX_RECALLED)] = 10
    #: For a list to choose from: without the events.
    brief: bool = False
    #: For one round: with each entry how the table lay after it, as changes.
    laid: bool = False


class SignOff(msgspec.Struct, forbid_unknown_fields=True):
    role: Role | None = None


class Note(msgspec.Struct, forbid_unknown_fields=True):
    text: events.Words
    #: The device that it is about; left out, it stands in the logs of all wires.
    device: events.Name | None = None


class PinSet(msgspec.Struct, forbid_unknown_fields=True):
    person: events.Name
    #: The hash that was kept: the service may have a copy of the file, from when it was started.
    kept: Annotated[str, Meta(max_length=256)] = ""
    #: The PIN was taken away.
    withdrawn: bool = False


class BadgeSet(msgspec.Struct, forbid_unknown_fields=True):
    person: events.Name
    #: The digest of its number, and what it was made with: the number itself stays where it is.
    digest: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
    salt: Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$")]
    withdrawn: bool = False


class Whose(msgspec.Struct, forbid_unknown_fields=True):
    badge: Annotated[str, Meta(max_length=32)]


class Sign(msgspec.Struct, forbid_unknown_fields=True):
    key: Annotated[str, Meta(max_length=128)] = ""


class Questions:
    def __init__(
        self,
        service: Service,
        library: Library,
        *,
        access: Access,
        check: SelfCheck,
        metrics: Metrics,
        first_causes: Mapping[str, str],
        matters: Matters,
        readers: Readers,
    ) -> None:
        self._service = service
        self._library = library
        self._access = access
        self._check = check
        self._metrics = metrics
        self._first_causes = first_causes
        self._matters = matters
        self._readers = readers
        # What takes long is done once at a time: whoever may look must not keep the PC busy.
        self._long = asyncio.Lock()
        file = service.configuration.file
        self._signed = Joined(lambda: signature.parts(library, file))

    def all(self) -> list[Action]:
        floor: tuple[Role, ...] = ("floorperson", "supervisor", "technician")
        look: tuple[Role, ...] = ()
        return [
            Action("status", "How table, devices and service stand.", look, Nothing, self._status),
            Action("health", "Whether all is well, and what is not.", look, Nothing, self._health),
            Action("table", "The table as it stands.", look, Nothing, self._table),
            Action("picture", "The table and all that can be done.", look, Nothing, self._picture),
            Action("prompts", "What people have to do next.", look, Nothing, self._prompts),
            Action("recall", "Rounds as they were played.", look, Recall, self._recall),
            Action("who", "Who is on duty.", look, Nothing, self._who),
            Action("metrics", "Numbers for a collector.", look, Nothing, self._numbers),
            Action("signature", "Digests of what felt is.", look, Sign, self._signature),
            Action("self_check", "Run the self-check now.", look, Nothing, self._self_check),
            Action(
                "watch", "Every change from now on, a line each.", look, Nothing, self._watching
            ),
            Action(
                "pin_set", "A PIN was set, or taken away, on this PC.", look, PinSet, self._pin_set
            ),
            Action(
                "badge_set",
                "A badge was given out, or taken away, on this PC.",
                look,
                BadgeSet,
                self._badge_set,
            ),
            Action("badge", "Whose badge it is; who it is proves it.", look, Whose, self._whose),
            Action("sign_on", "Be on duty in a role.", ROLES, Nothing, self._sign_on),
            Action("sign_off", "Be on duty no longer.", ROLES, SignOff, self._sign_off),
            Action("note", "A note for the device log.", floor, Note, self._note),
            Action("stop", "Stop the service, in good order.", floor, Nothing, self._stop),
        ]

    async def _status(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return views.status(self._service, self._check.last, self._first_causes)

    async def _health(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        wrong = list(views.unwell(self._service, self._check.last))
        return {"healthy": not wrong, "wrong": wrong}

    async def _table(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {"table": views.whole(self._service.recorder.table)}

    async def _picture(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        await locks_first(self._service.core)
        found = self._service.on_offer.at(self._service.core.table)
        return picture(self._service, self._check.last, self._first_causes, found, self._matters)

    async def _prompts(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {"prompts": views.asked(self._service)}

    async def _recall(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        async with self._long:
            found = await asyncio.to_thread(self._rounds, asked.given)
        return {"rounds": [_in_brief(one) for one in found] if asked.given.brief else found}

    def _rounds(self, given: Recall) -> list[dict[str, Any]]:
        if given.laid and given.round is None:
            raise Refused("laid", "is noted for one round", "say which: round")
        try:
            with Reader.look(self._service.configuration.journal) as reader:
                known = reader.rounds(given.last)
                if given.round is None:
                    first = known[0] if known else 1
                    return list(recalled(reader, first, first + MAX_RECALLED, self._library))
                one = given.round
                found = list(recalled(reader, one, one, self._library, laid=given.laid))
        except JournalError as error:
            raise Refused("", str(error)) from None
        if not found:
            raise Refused("round", f"there is no round {given.round}", f"last: {listed(known)}")
        return found

    async def _who(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {"on_duty": {one.role: one.id for one in self._service.duty.everyone()}}

    async def _numbers(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {"text": self._metrics.text()}

    async def _signature(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        key = signature.key_of(asked.given.key) if asked.given.key else b""
        return signature.signature(await self._signed.result(), key)

    async def _self_check(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        async with self._long:
            said = views.checked(await self._check.run())
        assert said is not None
        return said

    async def _watching(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        """Where it begins. The changes themselves are for whoever can send them on."""
        return {
            "seq": self._service.journal.head.seq,
            "phase": self._service.recorder.table.phase,
            "round": self._service.recorder.table.round,
            "devices": {
                name: one.status for name, one in self._service.supervisor.health().items()
            },
        }

    # --- The service ------------------------------------------------------------

    async def _pin_set(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        """For ``felt pin``: only who may write the file of PINs may say that one was set."""
        caller, given = asked.caller, asked.given.person
        if not caller.keeps_secrets:
            step = "root does it on this PC: felt pin"
            why = NotAllowed("person", f"{caller.device} may not set PINs", step)
            await self._access.refused(caller, given, "pin_set", why)
            raise why
        at = self._service.clock.wall_ms()
        device = caller.device[:64]
        if asked.given.kept or asked.given.withdrawn:
            kept = "" if asked.given.withdrawn else asked.given.kept
            self._access.proofs.is_now(given, kept)
        kind = events.CredentialWithdrawn if asked.given.withdrawn else events.CredentialReissued
        await self._taken(kind(at=at, person=given, device=device))
        what = "PIN withdrawn" if asked.given.withdrawn else "new PIN"
        self._service.said(what, person=given, device=caller.device)
        return {"person": given}

    async def _badge_set(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        """For ``felt badge``: only who may write the file of badges may say that it has changed."""
        caller, given = asked.caller, asked.given
        if not caller.keeps_secrets:
            step = "root does it on this PC: felt badge"
            why = NotAllowed("person", f"{caller.device} may not give out badges", step)
            await self._access.refused(caller, given.person, "badge_set", why)
            raise why
        self._readers.is_now(given.salt, given.digest, Badge(given.person, given.withdrawn))
        kind = events.BadgeWithdrawn if given.withdrawn else events.BadgeGiven
        await self._taken(
            kind(
                at=self._service.clock.wall_ms(),
                person=given.person,
                badge=named(given.digest),
                device=caller.device[:64],
            )
        )
        what = "badge withdrawn" if given.withdrawn else "new badge"
        self._service.said(what, person=given.person, device=caller.device)
        return {"person": given.person}

    async def _whose(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        who = await self._readers.whose(asked.caller.device, asked.given.badge)
        return {"person": who.id, "role": who.role}

    async def _sign_on(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        assert person is not None
        await self._taken(events.SignedOn(at=self._service.clock.wall_ms(), by=person))
        self._service.said("signed on", person=person.id, role=person.role)
        return await self._who(asked, person)

    async def _sign_off(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        assert person is not None
        role = asked.given.role or person.role
        on = self._service.duty.acting(role)
        if on.id != person.id and person.role not in ("floorperson", "supervisor"):
            raise NotAllowed(
                "role", f"{on.id} is on duty as {role}", "a floorperson signs others off"
            )
        at = self._service.clock.wall_ms()
        await self._taken(events.SignedOff(at=at, by=person, role=role))
        self._service.said("signed off", person=on.id, role=role, by=person.id)
        return await self._who(asked, person)

    async def _taken(self, event: events.Event) -> None:
        taken = await asyncio.shield(self._service.core.post(event))
        if taken.step.refused:
            raise TableRefused("", taken.step.refused)

    async def _note(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        assert person is not None
        note, devices = asked.given, self._service.configuration.devices
        if note.device is not None and note.device not in devices:
            raise Refused("device", f"{note.device!r} is not at this table", listed(devices))
        wires = [devices[note.device].wire] if note.device else list(self._service.captures)
        about = f"{note.device}: " if note.device else ""
        for wire in wires:
            if wire in self._service.captures:
                now = self._service.clock.running()
                self._service.captures[wire].note(f"{person.id}: {about}{note.text}", now)
        return {"wires": wires}

    async def _stop(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        assert person is not None
        self._service.said("stop asked for", person=person.id, role=person.role)
        self._service.stop()
        return {"stopping": True}


async def locks_first(core: Core) -> None:
    """Who only looks waits while devices lock, and for a device that does not not for long.

    A picture takes a millisecond or two of the one loop in which locks are sent and confirmed.
    """
    for _ in range(LOCK_LOOKS):
        table = core.table
        are_locked = all(seat.acceptor_locked and seat.terminal_locked for seat in table.seats)
        if table.phase != "locked" or are_locked:
            return
        await asyncio.sleep(LOCK_LOOK_S)


def _in_brief(one: dict[str, Any]) -> dict[str, Any]:
    """One line of a list: what a round came to."""
    paid = sum(due["returns"] for due in one.get("payouts", ()) if due["paid"])
    kept = ("round", "finished", "began", "ended", "phase", "void", "deck", "method")
    seats, held = len(one["seats"]), len(one["held"])
    return {**{name: one.get(name) for name in kept}, "seats": seats, "held": held, "paid": paid}
