"""What people do at the table, as actions: its events, with the same names and the same fields.

The daemon adds when it was and who did it. Two things are decided before the machine is asked:
play does not begin before the self-check has passed, and cards that a shoe has read are filled in.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta
from msgspec.structs import asdict

from controller.daemon import views
from controller.daemon.access import ROLES, Access, Caller
from controller.daemon.act_words import DOES
from controller.daemon.action import Action, Asked, TableRefused
from controller.daemon.reveals import OTHER_FACES, Disagree, Reveal, filled
from controller.daemon.seen import must_be_seen_now
from controller.daemon.selfcheck import WHERE as SELF_CHECK
from controller.daemon.selfcheck import SelfCheck
from controller.daemon.service import Service
from controller.journal.entry import MAX_INTEGER
from controller.rules.faults import Refused
from controller.table import events
from controller.table.machine import WITH_A_SECOND, role_of
from controller.table.offers import made_at_devices
from controller.table.people import Person, Role
from controller.table.repeats import is_repeat
from controller.table.terms import Terms
from controller.table.transitions import TRANSITIONS

GivenId = Annotated[str, Meta(min_length=1, max_length=56)]
#: What an act may say of what its author saw.
SEEN = ("round", "seq")

#: What the daemon adds to an act.
FILLED_IN = ("at", "by", "id", "kept", "serial_numbers")

#: What a person keys in where no device tells it. These events say nobody's name, so their id does.
KEYED: dict[type[events.Happening], Role] = {
    events.WagerPlaced: "dealer",
    events.WagerTakenBack: "dealer",
    events.DeckLoaded: "dealer",
    # For a shoe that has lost sight of its exit: somebody else than the dealer sees it empty.
    events.StackTaken: "floorperson",
}
#: Acts that are actions of their own: sign_on and sign_off.
BY_OTHER_NAMES = (events.SignedOn, events.SignedOff)
#: Who is meant by a role; the machine has the last word.
_STANDS_IN: dict[Role, tuple[Role, ...]] = {"floorperson": ("floorperson", "supervisor")}


class Acts:
    def __init__(self, service: Service, access: Access, check: SelfCheck) -> None:
        self._service = service
        self._access = access
        self._check = check
        self._keyed = 0
        terms = service.recorder.terms
        self._kinds: dict[str, type[events.Happening]] = {
            tag(kind): kind
            for kind in get_args(events.Event)
            if _is_a_persons(kind) and kind not in BY_OTHER_NAMES
        }
        #: By name.
        self.known = {name: self._act(terms, kind) for name, kind in self._kinds.items()}

    def _act(self, terms: Terms, kind: type[events.Happening]) -> Action:
        async def run(asked: Asked, person: Person | None) -> dict[str, Any]:
            assert person is not None
            done = await self.happened(tag(kind), asked, person)
            return {**done, "prompts": views.asked(self._service)}

        name = tag(kind)
        roles = _roles(terms, kind)
        does = DOES.get(kind, f"{name.replace('_', ' ').capitalize()}.")
        return Action(name, does, roles, _fields(kind), run, is_act=kind not in KEYED)

    async def happened(self, name: str, asked: Asked, person: Person) -> dict[str, Any]:
        """Where the table stands after it; or ``Refused``."""
        kind = self._kinds[name]
        facts = asdict(asked.given)
        given_id = facts.pop("id")
        await self._must_be_of_now(asked, person, name, *(facts.pop(one) for one in SEEN))
        at = self._service.clock.wall_ms()
        made: Any
        if kind in KEYED:
            made = kind(at=at, id=self._keyed_id(person, given_id), **facts)
        else:
            id_ = f"act/{given_id}" if given_id else None
            facts["by"] = person
            made = kind(at=at, id=id_, **facts)
        if isinstance(made, WITH_A_SECOND):
            second = f"{made.second.id}:{made.second.role}"
            # Each time: nobody else's word stays where the first one acts.
            await self._access.person(asked.caller, second, asked.second_pin, name, stays=False)
        made = await self._let_through(made, asked.caller, person)
        return await self._taken(made)

    async def _must_be_of_now(
        self, asked: Asked, person: Person, name: str, round_: int | None, seq: int | None
    ) -> None:
        try:
            must_be_seen_now(self._service, round_, seq)
        except Refused as refused:
            await self._access.refused(asked.caller, person.id, name, refused)
            raise

    async def _let_through(self, event: Any, caller: Caller, person: Person) -> Any:
        """What is not for the table alone to decide."""
        try:
            self._must_not_be_told_by_a_device(event)
            if isinstance(event, events.TableOpened) or self._clears_the_self_check(event):
                await self._check.must_pass()
            if isinstance(event, events.TableOpened):
                return self._service.opening(event)
            if isinstance(event, get_args(Reveal)):
                return self._revealing(event)
        except Refused as refused:
            await self._access.refused(caller, person.id, tag(type(event)), refused)
            raise
        return event

    async def _taken(self, event: events.Event) -> dict[str, Any]:
        taken = await asyncio.shield(self._service.core.post(event))
        table = taken.step.table
        repeated = bool(taken.step.refused) and is_repeat(table, event)
        if taken.step.refused and not repeated:
            raise TableRefused("", taken.step.refused)
        return {
            "seq": taken.seq,
            "phase": table.phase,
            "round": table.round,
            "repeated": repeated,
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

    def _must_not_be_told_by_a_device(self, event: Any) -> None:
        """A chip in an acceptor and a player's account are nobody else's to wager."""
        terms, table = self._service.recorder.terms, self._service.recorder.table
        match event:
            case events.DeckLoaded() if table.method == "automated shoe" and table.shoe_in_service:
                raise Refused("deck", "the shoe tells that it was loaded", "load it")
            case events.WagerPlaced(wager=wager) | events.WagerTakenBack(wager=wager):
                if wager in made_at_devices(terms):
                    clause = terms.ruleset.rulebook.wagers[wager].clause
                    said = f"{wager} is told by the device at the seat"
                    raise Refused("wager", said, "the player makes it there", clause)

    def _keyed_id(self, person: Person, given: str | None) -> str:
        """Says who keyed it in: the event itself has no place for that."""
        self._keyed += 1
        own = given or f"{self._service.clock.wall_ms()}.{self._keyed}"
        return f"key/{person.id[:18]}/{own}"


def tag(kind: type[Any]) -> str:
    return str(kind.__struct_config__.tag)


def _is_a_persons(kind: type[events.Happening]) -> bool:
    return issubclass(kind, events.Act) or kind in KEYED


def _roles(terms: Terms, kind: type[events.Happening]) -> tuple[Role, ...]:
    rule = TRANSITIONS[kind]
    if kind in KEYED:
        return _STANDS_IN.get(KEYED[kind], (KEYED[kind],))
    if rule.role is None:
        # The hold, or the line of the settlement, says whose it is.
        return tuple(role for role in ROLES if role != "auditor")
    role = role_of(terms, rule)
    return _STANDS_IN.get(role, (role,))


def _fields(kind: type[events.Happening]) -> type[msgspec.Struct]:
    """What a person gives: the fields of the event without those that the daemon fills in."""
    fields: list[Any] = []
    for one in msgspec.structs.fields(kind):
        if one.name in FILLED_IN:
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
    #: The round and the last entry that were seen: an act is for no other round.
    fields += [(one, Annotated[int, Meta(ge=0, le=MAX_INTEGER)] | None, None) for one in SEEN]
    return msgspec.defstruct(kind.__name__, fields, kw_only=True, forbid_unknown_fields=True)
