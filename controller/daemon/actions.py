"""Every action there is, once: for the command line, the pages and MQTT alike.

Each says who may do it and what it is given, so help and schema come from here and are never
behind. Who asks is known to the way in that brings the request.
"""

from __future__ import annotations

from typing import Any

from controller.daemon.access import Access, NotAllowed, PinNeeded
from controller.daemon.action import Action, Asked, NoSuch, Nothing, must_be_for
from controller.daemon.acts import Acts
from controller.daemon.changes import Changes, Watcher
from controller.daemon.questions import Questions
from controller.daemon.refusals import Refusals
from controller.daemon.service import Service
from controller.daemon.taking import Taking
from controller.rules.faults import Refused
from controller.table.people import Person


class Actions:
    #: After this one come changes, where the way in can tell them.
    watched_by = "watch"

    def __init__(
        self,
        service: Service,
        access: Access,
        changes: Changes,
        acts: Acts,
        questions: Questions,
    ) -> None:
        self._access = access
        self._changes = changes
        self._refusals = Refusals(service.clock, service.core.post)
        taking = Taking(service, access, acts)
        help_ = Action("actions", "All actions, with what they take.", (), Nothing, self._help)
        found = (*acts.known.values(), *taking.all(), *questions.all(), help_)
        self.known: dict[str, Action] = {one.name: one for one in found}

    async def do(self, name: str, asked: Asked) -> dict[str, Any]:
        """Do an action, or ``Refused`` with the reason; what is refused is on record."""
        action = self.known.get(name)
        if action is None:
            raise NoSuch("action", f"there is no {name[:64]!r}", "`felt act --all` lists them")
        if not action.roles:
            return await self._run(action, asked)
        # Whoever acts is refused so often, and then turned away for a while.
        who = asked.as_.partition(":")[0]
        self._refusals.must_be_few(asked.caller, who, name)
        try:
            done = await self._run(action, asked)
        except (PinNeeded, NoSuch):
            raise  # nothing of it is on record
        except Refused as refused:
            self._refusals.refused(asked.caller, who, str(refused))
            raise
        if done.get("repeated"):
            self._refusals.refused(asked.caller, who, "it was done before, under the same id")
        return done

    async def _run(self, action: Action, asked: Asked) -> dict[str, Any]:
        person = await self._person(action, asked) if action.roles else None
        given = action.given(asked.given)
        checked = Asked(asked.caller, given, asked.as_, asked.pin, asked.second_pin)
        return await action.run(checked, person)

    def watch(self) -> Watcher:
        """Every change from now on, until ``leave``."""
        return self._changes.watch()

    def leave(self, watcher: Watcher) -> None:
        self._changes.leave(watcher)

    async def _person(self, action: Action, asked: Asked) -> Person:
        if not asked.as_:
            raise NoSuch("as", f"{action.name} is done by somebody", "say who: PERSON:ROLE")
        person = await self._access.person(asked.caller, asked.as_, asked.pin, action.name)
        try:
            must_be_for(action, person)
        except NotAllowed as why:
            await self._access.refused(asked.caller, person.id, action.name, why)
            raise
        return person

    async def _help(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {
            "actions": [
                {"action": a.name, "does": a.does, "roles": list(a.roles), "takes": a.schema()}
                for a in self.known.values()
            ]
        }
