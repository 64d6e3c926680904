"""Every action there is, once: for the command line, the pages and MQTT alike.

Each says who may do it and what it is given, so help and schema come from here and are never
behind. Who asks is known to the way in that brings the request.
"""

from __future__ import annotations

from typing import Any

from controller.daemon.access import Access, NotAllowed
from controller.daemon.action import Action, Asked, NoSuch, Nothing
from controller.daemon.acts import Acts
from controller.daemon.changes import Changes, Watcher
from controller.daemon.questions import Questions
from controller.rules.faults import listed
from controller.table.people import Person


class Actions:
    #: After this one come changes, where the way in can tell them.
    watched_by = "watch"

    def __init__(self, access: Access, changes: Changes, acts: Acts, questions: Questions) -> None:
        self._access = access
        self._changes = changes
        help_ = Action("actions", "All actions, with what they take.", (), Nothing, self._help)
        found = (*acts.all(), *questions.all(), help_)
        self.known: dict[str, Action] = {one.name: one for one in found}

    async def do(self, name: str, asked: Asked) -> dict[str, Any]:
        """Do an action, or ``Refused`` with the reason; what is refused is on record."""
        action = self.known.get(name)
        if action is None:
            raise NoSuch("action", f"there is no {name[:64]!r}", "`felt act` lists them")
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
        # Whose act it is at the table, the machine decides and records.
        if not action.is_act and person.role not in action.roles:
            who = listed(action.roles)
            why = NotAllowed("as", f"{action.name} is not for a {person.role}", who)
            await self._access.refused(asked.caller, person.id, action.name, why)
            raise why
        return person

    async def _help(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        return {
            "actions": [
                {"action": a.name, "does": a.does, "roles": list(a.roles), "takes": a.schema()}
                for a in self.known.values()
            ]
        }
