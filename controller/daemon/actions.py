"""Every action there is, once: for the command line, the pages and MQTT alike.

What a person does at the table is an event of it, so the events are the actions, with the same
names and the same fields; the daemon adds when it was and who did it. Beside them stand the few
that ask, or that are about the service and not about the round. Each says who may do it and what
it is given, so that help and schema come from here and are never behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta
from msgspec.structs import asdict

from controller.daemon import signature, views
from controller.daemon.access import ROLES, Access, Caller, NotAllowed
from controller.daemon.changes import Changes, Watcher
from controller.daemon.metrics import Metrics
from controller.daemon.reveals import OTHER_FACES, Disagree, Reveal, filled
from controller.daemon.selfcheck import WHERE as SELF_CHECK
from controller.daemon.selfcheck import SelfCheck
from controller.daemon.service import Service
from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from controller.library import Library
from controller.recalling import recalled
from controller.rules.faults import Refused, listed
from controller.table import events
from controller.table.machine import WITH_A_SECOND, role_of
from controller.table.people import Person, Role
from controller.table.terms import Terms
from controller.table.transitions import TRANSITIONS

#: Rounds that are recalled at once.
MAX_RECALLED = 25
GivenId = Annotated[str, Meta(min_length=1, max_length=40)]

#: What a person keys in where no device tells it. These events say nobody's name, so their id does.
KEYED: dict[type[events.Happening], Role] = {
    events.WagerPlaced: "dealer",
    events.WagerTakenBack: "dealer",
    events.DeckLoaded: "dealer",
}
#: Who is meant by a role; the machine has the last word.
_STANDS_IN: dict[Role, tuple[Role, ...]] = {"floorperson": ("floorperson", "supervisor")}


class TableRefused(Refused):
    """The table did not take it. It is recorded, with this reason."""


class NoSuch(Refused):
    """There is no such action, or it is given what it does not know."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody asks for an action, through one way in."""

    caller: Caller
    given: Any
    #: "dana" or "dana:dealer"; needed where an action has roles.
    as_: str = ""
    pin: str | None = None
    second_pin: str | None = None


Run = Callable[[Asked, Person | None], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    does: str
    #: In which roles it may be done; none: by whoever may look.
    roles: tuple[Role, ...]
    #: What it is given.
    takes: type[msgspec.Struct]
    run: Run
    #: Whether it is an act at the table: then the machine decides about the role, and records it.
    is_act: bool = False

    def schema(self) -> dict[str, Any]:
        return msgspec.json.schema(self.takes)


# --- What the actions beside the events are given -----------------------------


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    pass


class Recall(msgspec.Struct, forbid_unknown_fields=True):
    round: Annotated[int, Meta(ge=1)] | None = None
    last: Annotated[int, Meta(ge=1, le=MAX_RECALLED)] = 10


class SignOff(msgspec.Struct, forbid_unknown_fields=True):
    role: Role | None = None


class Note(msgspec.Struct, forbid_unknown_fields=True):
    text: events.Words
    #: The device that it is about; left out, it stands in the logs of all wires.
    device: events.Name | None = None


class Sign(msgspec.Struct, forbid_unknown_fields=True):
    key: Annotated[str, Meta(max_length=128)] = ""


class Actions:
    def __init__(
        self,
        service: Service,
        library: Library,
        *,
        access: Access,
        check: SelfCheck,
        changes: Changes,
        metrics: Metrics,
        first_causes: Mapping[str, str],
    ) -> None:
        self._service = service
        self._library = library
        self._access = access
        self._check = check
        self._changes = changes
        self._metrics = metrics
        self._first_causes = first_causes
        self._keyed = 0
        self.known: dict[str, Action] = {one.name: one for one in self._all()}

    # --- For whoever brings a request -------------------------------------------

    async def do(self, name: str, asked: Asked) -> dict[str, Any]:
        """Do an action, or ``Refused`` with the reason; what is refused is on record."""
        action = self.known.get(name)
        if action is None:
            raise NoSuch("action", f"there is no {name[:64]!r}", "`felt act` lists them")
        person = None
        if action.roles:
            if not asked.as_:
                raise NotAllowed("as", f"{name} is done by somebody", "say who: PERSON:ROLE")
            person = await self._access.person(asked.caller, asked.as_, asked.pin, name)
            if not action.is_act and person.role not in action.roles:
                why = NotAllowed("as", f"{name} is not for a {person.role}", listed(action.roles))
                await self._access.refused(asked.caller, person.id, name, why)
                raise why
        try:
            given = msgspec.convert(asked.given or {}, action.takes)
        except msgspec.ValidationError as error:
            raise NoSuch(name, _plain(str(error)), f"it takes {_takes(action)}") from None
        return await action.run(
            Asked(asked.caller, given, asked.as_, asked.pin, asked.second_pin), person
        )

    def watch(self) -> Watcher:
        return self._changes.watch()

    def leave(self, watcher: Watcher) -> None:
        self._changes.leave(watcher)

    # --- The registry -----------------------------------------------------------

    def _all(self) -> list[Action]:
        terms = self._service.recorder.terms
        acts = [self._act(terms, kind) for kind in get_args(events.Event) if _is_a_persons(kind)]
        floor: tuple[Role, ...] = ("floorperson", "supervisor", "technician")
        look: tuple[Role, ...] = ()
        return [
            *acts,
            Action("status", "How table, devices and service stand.", look, Nothing, self._status),
            Action("health", "Whether all is well, and what is not.", look, Nothing, self._health),
            Action("table", "The table as it stands.", look, Nothing, self._table),
            Action("prompts", "What people have to do next.", look, Nothing, self._prompts),
            Action("recall", "Rounds as they were played.", look, Recall, self._recall),
            Action("who", "Who is on duty.", look, Nothing, self._who),
            Action("actions", "All actions, with what they take.", look, Nothing, self._help),
            Action("metrics", "Numbers for a collector.", look, Nothing, self._numbers),
            Action("signature", "Digests of what felt is.", look, Sign, self._signature),
            Action("self_check", "Run the self-check now.", look, Nothing, self._self_check),
            Action(
                "watch", "Every change from now on, a line each.", look, Nothing, self._watching
            ),
            Action("sign_on", "Be on duty in a role.", ROLES, Nothing, self._sign_on),
            Action("sign_off", "Be on duty no longer.", ROLES, SignOff, self._sign_off),
            Action("note", "A note for the device log.", floor, Note, self._note),
            Action("stop", "Stop the service, in good order.", floor, Nothing, self._stop),
        ]

    def _act(self, terms: Terms, kind: type[events.Happening]) -> Action:
        async def run(asked: Asked, person: Person | None) -> dict[str, Any]:
            assert person is not None
            return await self._happened(kind, asked, person)

        name = tag(kind)
        roles = _roles(terms, kind)
        return Action(name, _does(kind), roles, _fields(kind), run, is_act=kind not in KEYED)

    # --- Acts at the table ------------------------------------------------------

    async def _happened(
        self, kind: type[events.Happening], asked: Asked, person: Person
    ) -> dict[str, Any]:
        facts = asdict(asked.given)
        given_id = facts.pop("id")
        at = self._service.clock.wall_ms()
        made: Any
        if kind in KEYED:
            self._must_not_be_told_by_a_device(kind, facts)
            made = kind(at=at, id=self._keyed_id(person, given_id), **facts)
        else:
            id_ = f"act/{given_id}" if given_id else None
            made = kind(at=at, id=id_, by=person, **facts)  # type: ignore[call-arg]
        if isinstance(made, WITH_A_SECOND):
            second = f"{made.second.id}:{made.second.role}"
            await self._access.person(asked.caller, second, asked.second_pin, tag(kind))
        made = await self._let_through(made, asked.caller, person)
        return await self._taken(made)

    async def _let_through(self, event: Any, caller: Caller, person: Person) -> Any:
        """What is not for the table alone to decide."""
        try:
            if isinstance(event, events.TableOpened) or self._clears_the_self_check(event):
                await self._check.must_pass()
            if isinstance(event, get_args(Reveal)):
                return self._revealing(event)
        except Refused as refused:
            await self._access.refused(caller, person.id, tag(type(event)), refused)
            raise
        return event

    async def _taken(self, event: events.Event) -> dict[str, Any]:
        taken = await asyncio.shield(self._service.core.post(event))
        table = taken.step.table
        repeated = bool(taken.step.refused) and event.id is not None and event.id in table.ids
        if taken.step.refused and not repeated:
            raise TableRefused("", taken.step.refused)
        return {
            "seq": taken.seq,
            "phase": table.phase,
            "round": table.round,
            "repeated": repeated,
            "prompts": views.asked(self._service),
        }

    def _revealing(self, event: Reveal) -> Reveal:
        recorder = self._service.recorder
        try:
            return filled(recorder.terms, recorder.table, event, self._service.sealer.open)
        except Disagree:
            at = self._service.clock.wall_ms()
            fault = events.DeviceFaulted(at=at, device="shoe", nature=OTHER_FACES)
            self._service.core.post(fault)
            raise

    def _clears_the_self_check(self, event: Any) -> bool:
        return isinstance(event, events.HoldCleared) and any(
            hold.number == event.hold and hold.where == SELF_CHECK
            for hold in self._service.recorder.table.holds
        )

    def _must_not_be_told_by_a_device(self, kind: type[Any], facts: Mapping[str, Any]) -> None:
        terms, table = self._service.recorder.terms, self._service.recorder.table
        by_device = {"progressive": terms.acceptors, "five_card_player": terms.terminals}
        if kind is events.DeckLoaded and table.method == "automated shoe" and table.shoe_in_service:
            raise Refused("deck", "the shoe tells that it was loaded", "load it")
        if by_device.get(str(facts.get("wager"))):
            raise Refused("wager", f"{facts['wager']} is told by the device at the seat")

    def _keyed_id(self, person: Person, given: str | None) -> str:
        """Says who keyed it in: the event itself has no place for that."""
        self._keyed += 1
        own = given or f"{self._service.clock.wall_ms()}.{self._keyed}"
        return f"key/{person.id[:18]}/{own}"

    # --- Questions --------------------------------------------------------------

    async def _status(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return views.status(self._service, self._check.last, self._first_causes)

    async def _health(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        wrong = list(views.unwell(self._service, self._check.last))
        return {"healthy": not wrong, "wrong": wrong}

    async def _table(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {"table": views.whole(self._service.recorder.table)}

    async def _prompts(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {"prompts": views.asked(self._service)}

    async def _recall(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {"rounds": await asyncio.to_thread(self._rounds, asked.given)}

    def _rounds(self, given: Recall) -> list[dict[str, Any]]:
        try:
            with Reader.look(self._service.configuration.journal) as reader:
                known = reader.rounds(given.last)
                if given.round is None:
                    first = known[0] if known else 1
                    return list(recalled(reader, first, first + MAX_RECALLED, self._library))
                found = list(recalled(reader, given.round, given.round, self._library))
        except JournalError as error:
            raise Refused("", str(error)) from None
        if not found:
            raise Refused("round", f"there is no round {given.round}", f"last: {listed(known)}")
        return found

    async def _who(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {"on_duty": {one.role: one.id for one in self._service.duty.everyone()}}

    async def _help(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {
            "actions": [
                {"action": a.name, "does": a.does, "roles": list(a.roles), "takes": a.schema()}
                for a in self.known.values()
            ]
        }

    async def _numbers(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {"text": self._metrics.text()}

    async def _signature(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        key = signature.key_of(asked.given.key) if asked.given.key else b""
        file = self._service.configuration.file
        found = await asyncio.to_thread(signature.parts, self._library, file)
        return signature.signature(found, key)

    async def _self_check(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        said = views.checked(await self._check.run())
        assert said is not None
        return said

    async def _watching(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        """Where it begins. The changes themselves are for whoever can send them on."""
        return {"seq": self._service.journal.head.seq, "phase": self._service.recorder.table.phase}

    # --- The service ------------------------------------------------------------

    async def _sign_on(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        assert person is not None
        self._service.duty.sign_on(person)
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
        self._service.duty.sign_off(role)
        self._service.said("signed off", person=on.id, role=role, by=person.id)
        return await self._who(asked, person)

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


# --- Events as actions --------------------------------------------------------


def tag(kind: type[Any]) -> str:
    return str(kind.__struct_config__.tag)


def _is_a_persons(kind: type[events.Happening]) -> bool:
    return issubclass(kind, events.Act) or kind in KEYED


def _roles(terms: Terms, kind: type[events.Happening]) -> tuple[Role, ...]:
    rule = TRANSITIONS[kind]
    if kind in KEYED:
        return (KEYED[kind],)
    if rule.role is None:
        # The hold, or the line of the settlement, says whose it is.
        return tuple(role for role in ROLES if role != "auditor")
    role = role_of(terms, rule)
    return _STANDS_IN.get(role, (role,))


def _fields(kind: type[events.Happening]) -> type[msgspec.Struct]:
    """What a person gives: the fields of the event without those that the daemon fills in."""
    fields: list[Any] = []
    for one in msgspec.structs.fields(kind):
        if one.name in ("at", "by", "id"):
            continue
        if kind in get_args(Reveal) and one.name in ("card", "cards"):
            # Left out, they are those that the shoe has read.
            fields.append((one.name, one.type, ""))
        elif one.required:
            fields.append((one.name, one.type))
        else:
            fields.append((one.name, one.type, one.default))
    #: The same id is taken once, however often it is sent.
    fields.append(("id", GivenId | None, None))
    return msgspec.defstruct(kind.__name__, fields, kw_only=True, forbid_unknown_fields=True)


def _does(kind: type[events.Happening]) -> str:
    own = kind.__dict__.get("__doc__")
    first = (own or "").strip().partition("\n")[0].strip(' "')
    return first or tag(kind).replace("_", " ").capitalize() + "."


def _takes(action: Action) -> str:
    fields = msgspec.structs.fields(action.takes)
    return listed(one.name if one.required else f"[{one.name}]" for one in fields) or "nothing"


def _plain(text: str) -> str:
    """msgspec's words without its path marks."""
    return text.replace(" - at `$.", ": ").replace(" - at `$`", "").replace("`", "")


#: Codes under which a refusal is told to a program.
Code = Literal["not allowed", "pin", "refused", "bad request"]
