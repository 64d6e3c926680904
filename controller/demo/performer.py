"""Has the crew act: one thing after the other, at a pace that a person can watch or at once.

A person who pressed a button or put in a chip waits for something to happen, and if nothing does
for a while, tries again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, get_args

from controller.daemon.service import Service
from controller.demo.crew import Crew, Do, Say
from controller.demo.world import World
from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.table.people import Person, Role
from controller.table.state import Table
from controller.table.terms import Terms
from simulators.device import Device

#: So long somebody waits for a device before doing the same thing again.
PATIENCE_S = 15.0
#: And so often, before it is given up: then the table is stuck, and says so.
MAX_TRIES = 20
#: People work for so long; then others come, if others are listed.
SHIFT_S = 8 * 3600
RELIEVED_IN = ("opening", "shuffling", "betting")


def people_of(terms: Terms) -> dict[Role, Person]:
    """Who acts in each role: somebody whom the table file lists, or whoever says so."""
    found: dict[Role, Person] = {}
    for role in get_args(Role):
        listed = (id_ for id_, roles in terms.people.items() if role in roles)
        found[role] = Person(next(listed, f"{role}-1"), role)
    return found


def _next(terms: Terms, person: Person) -> Person:
    """Who comes after somebody in a role; themselves, if nobody else is listed."""
    listed = [id_ for id_, roles in terms.people.items() if person.role in roles]
    if person.id not in listed:
        return person
    return Person(listed[(listed.index(person.id) + 1) % len(listed)], person.role)


class Stuck(Exception):
    """The crew has tried for a long time, and the table does not go on."""


class Performer:
    def __init__(
        self,
        service: Service,
        crew: Crew,
        world: World,
        stirred: Callable[[Device], None],
        *,
        pause: float,
    ) -> None:
        self._service = service
        self._crew = crew
        self._world = world
        #: A device has something to say that nobody on its wire knows of yet.
        self._stirred = stirred
        self._pause = pause
        self._changed = asyncio.Event()
        self._before = service.recorder.table
        self.refused: list[tuple[str, str]] = []
        self._in_vain = 0
        service.listen(self._told)
        self._people = people_of(service.recorder.terms)
        on = service.duty.everyone()
        for person in self._people.values():
            if person not in on:
                self._sign_on(person)

    def _sign_on(self, person: Person) -> None:
        self._people[person.role] = person
        self._service.core.post(events.SignedOn(at=self._service.clock.wall_ms(), by=person))

    def _relieve(self) -> None:
        """Between two rounds: whose shift is over goes, and the next one who may comes."""
        if self._table.phase not in RELIEVED_IN:
            return
        for role, seconds in self._service.duty.seconds().items():
            if seconds >= SHIFT_S:
                self._sign_on(_next(self._service.recorder.terms, self._people[role]))

    def _told(self, event: Event, taken: Taken) -> None:
        """Somebody watches what comes out of the shoe."""
        if isinstance(event, events.StackDispensed) and not taken.step.refused:
            self._stir(self._world.stack_came(self._before, event))
        if isinstance(event, events.FaceUpCardFound) and not taken.step.refused:
            self._world.set_aside(event.where)
        if taken.step.refused:
            kind = str(event.__struct_config__.tag)
            self.refused = [*self.refused, (kind, taken.step.refused)][-100:]
        self._before = taken.step.table
        self._changed.set()

    async def plays(self, rounds: int) -> None:
        """Until so many rounds are over and their cards racked."""
        loop = asyncio.get_running_loop()
        last: Do | None = None
        since, tries = loop.time(), 0
        while not _is_over(self._table, rounds):
            self._relieve()
            act = self._crew.next_act(self._table)
            if isinstance(act, Say):
                last, since, tries = None, loop.time(), 0
                await self._said(act)
                await asyncio.sleep(self._pause)
                continue
            again = loop.time() - since >= PATIENCE_S
            if act != last or again:
                tries = tries + 1 if act == last else 1
                if tries > MAX_TRIES:
                    raise Stuck(f"{act} has led to nothing in phase {self._table.phase}")
                last, since = act, loop.time()
                if act is not None:
                    self._stir(self._world.do(act))
            await self._change()
            await asyncio.sleep(self._pause)

    async def _change(self) -> None:
        """Wait for something to happen at the table, but not for ever."""
        self._changed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await self._changed.wait()

    async def _said(self, act: Say) -> None:
        """Say it; somebody who is refused the same thing again and again calls for help."""
        refused = await self._say(act)
        self._in_vain = self._in_vain + 1 if refused else 0
        if self._in_vain > MAX_TRIES:
            raise Stuck(f"{act.kind.__name__} is refused in {self._table.phase}: {refused}")

    async def _say(self, act: Say) -> str:
        if act.first is not None:
            self._stir(self._world.do(act.first))
        facts: dict[str, Any] = dict(act.facts)
        if act.role is not None:
            facts["by"] = self._people[act.role]
        make: Callable[..., Any] = act.kind
        event: Event = make(at=self._service.clock.wall_ms(), **facts)
        taken = await self._service.core.post(event)
        return taken.step.refused

    def _stir(self, device: Device | None) -> None:
        if device is not None:
            self._stirred(device)

    @property
    def _table(self) -> Table:
        return self._service.recorder.table


def _is_over(table: Table, rounds: int) -> bool:
    return table.round >= rounds and table.phase in ("shuffling", "betting", "closed")
