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
from controller.demo.cast import DEALER, Cast, part_of_role
from controller.demo.crew import Act, Crew, Do, Say
from controller.demo.following import handwork, lay_as_said
from controller.demo.world import World
from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event, TableOpened
from controller.table.people import Person, Role
from controller.table.state import Table
from controller.table.terms import Terms
from simulators.device import Device
from simulators.tabletop import Impossible

#: So long somebody waits for a device before doing the same thing again.
PATIENCE_S = 15.0
#: And so often, before it is given up: then the table is stuck, and says so.
MAX_TRIES = 20
#: Between two acts of a person, at a pace that others can watch.
PEOPLE_S = 0.6
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
        cast: Cast | None = None,
    ) -> None:
        self._service = service
        self.crew = crew
        self.world = world
        #: A device has something to say that nobody on its wire knows of yet.
        self._stirred = stirred
        self.pause = pause
        self.cast = cast or Cast(())
        #: Not while somebody has told the crew to stop.
        self.goes = asyncio.Event()
        self.goes.set()
        #: Why nothing goes on, where somebody has had a hand in it.
        self.stuck = ""
        #: What the performer itself is telling the table.
        self._telling: Event | None = None
        #: A stack that lies in the shoe's exit, and the table before it came.
        self._lies: tuple[Table, events.StackDispensed] | None = None
        #: Where hands are to put something right, on a hold that a person clears.
        self._wrong_at: list[str] = []
        self._changed = asyncio.Event()
        self._before = service.recorder.table
        self.refused: list[tuple[str, str]] = []
        self._in_vain = 0
        service.listen(self._told)
        self._people = people_of(service.recorder.terms)
        on = service.duty.everyone()
        for person in self._people.values():
            # Whoever is played from a page signs on there.
            if person not in on and not self.cast.is_me(part_of_role(person.role)):
                self._sign_on(person)

    def _sign_on(self, person: Person) -> None:
        self._people[person.role] = person
        self._service.core.post(events.SignedOn(at=self._service.clock.wall_ms(), by=person))

    def _relieve(self) -> None:
        """Between two rounds: whose shift is over goes, and the next one who may comes."""
        if self._table.phase not in RELIEVED_IN:
            return
        for role, seconds in self._service.duty.seconds().items():
            if seconds >= SHIFT_S and not self.cast.is_me(part_of_role(role)):
                self._sign_on(_next(self._service.recorder.terms, self._people[role]))

    def _told(self, event: Event, taken: Taken) -> None:
        """Somebody watches what comes out of the shoe, and what others say was done."""
        before, self._before = self._before, taken.step.table
        if taken.step.refused:
            kind = str(event.__struct_config__.tag)
            self.refused = [*self.refused, (kind, taken.step.refused)][-100:]
            self._changed.set()
            return
        if isinstance(event, events.StackDispensed):
            self._lies = (before, event)
            if not self.cast.is_me(DEALER):
                self.take_stack()
        if isinstance(event, events.FaceUpCardFound):
            self.world.set_aside(event.where)
        if event is not self._telling:
            self._follow(before, event)
        self._look_at_holds(before)
        self._changed.set()

    def _follow(self, before: Table, event: Event) -> None:
        """Hands do what a person at a page has said."""
        for one in handwork(before, event):
            self.do(one)
        lay_as_said(self.world, before, event)

    def _look_at_holds(self, before: Table) -> None:
        known = {hold.number for hold in before.holds}
        for hold in self._before.holds:
            if hold.number not in known and self.cast.is_me(part_of_role(hold.clears)):
                self._wrong_at.append(hold.where)

    def do(self, act: Do) -> str:
        """Do something with the hands; what is in the way of it, if anything is."""
        try:
            self._stir(self.world.do(act))
        except Impossible as error:
            if not self.cast.is_touched:
                raise
            self.stuck = f"{act.what}: {error}"
            return self.stuck
        return ""

    def take_stack(self) -> bool:
        """Out of the shoe's exit, to where it belongs; whether one lay there."""
        if self._lies is None:
            return False
        (before, event), self._lies = self._lies, None
        self._stir(self.world.stack_came(before, event))
        return True

    @property
    def stack_lies(self) -> bool:
        return self._lies is not None

    def _use_hands(self) -> None:
        """For a dealer who is played from a page."""
        if self.cast.hands_follow:
            self.take_stack()
            for where in self._wrong_at:
                self.do(Do("put right", name=where))
        self._wrong_at.clear()

    def nudge(self) -> None:
        """Something is otherwise than it was: the crew looks again, at once."""
        self._changed.set()

    def given_back(self, part: str) -> None:
        """The crew plays a part again: in its own person, and with what was left lying."""
        if part == DEALER:
            self.take_stack()
        on = self._service.duty.everyone()
        for role, person in self._people.items():
            if part_of_role(role) == part and person not in on:
                self._sign_on(person)

    async def plays(self, rounds: int) -> None:
        """Until so many rounds are over and their cards racked."""
        loop = asyncio.get_running_loop()
        last: Do | None = None
        since, tries = loop.time(), 0
        while not _is_over(self._table, rounds):
            await self.goes.wait()
            self._relieve()
            if self.cast.is_touched:
                self._use_hands()
            act = self._next_act()
            if isinstance(act, Say):
                last, since, tries = None, loop.time(), 0
                if await self._said(act):
                    await asyncio.sleep(self.pause)
                else:
                    await self._change()
                continue
            again = loop.time() - since >= PATIENCE_S
            if act != last or again:
                tries = tries + 1 if act == last else 1
                if tries > MAX_TRIES:
                    self._stuck(f"{act} has led to nothing in phase {self._table.phase}")
                last, since = act, loop.time()
                if act is not None:
                    self.do(act)
            await self._change()
            await asyncio.sleep(self.pause)

    def _next_act(self) -> Act | None:
        try:
            return self.crew.next_act(self._table)
        except (IndexError, Impossible) as error:
            # Cards lie where the table does not have them: somebody has moved them.
            if not self.cast.is_touched:
                raise
            self.stuck = f"the cards do not lie as the table has them: {error}"
            return None

    def _stuck(self, why: str) -> None:
        """Nothing goes on; where somebody has a hand in it, that may be what they want to see."""
        if not self.cast.is_touched:
            raise Stuck(why)
        self.stuck = why

    async def _change(self) -> None:
        """Wait for something to happen at the table, but not for ever."""
        self._changed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await self._changed.wait()

    async def _said(self, act: Say) -> bool:
        """Say it; somebody who is refused the same thing again and again calls for help."""
        refused = await self._say(act)
        self._in_vain = self._in_vain + 1 if refused else 0
        if not refused:
            self.stuck = ""
        if self._in_vain > MAX_TRIES:
            self._stuck(f"{act.kind.__name__} is refused in {self._table.phase}: {refused}")
        return not self.stuck

    async def _say(self, act: Say) -> str:
        if act.first is not None:
            self.do(act.first)
        facts: dict[str, Any] = dict(act.facts)
        if act.role is not None:
            facts["by"] = self._people[act.role]
        if "second" in facts:
            facts["second"] = self._people[facts["second"]]
        make: Callable[..., Any] = act.kind
        event: Event = make(at=self._service.clock.wall_ms(), **facts)
        if isinstance(event, TableOpened):
            event = self._service.opening(event)
        self._telling = event
        taken = await self._service.core.post(event)
        self._telling = None
        return taken.step.refused

    def _stir(self, device: Device | None) -> None:
        if device is not None:
            self._stirred(device)

    @property
    def _table(self) -> Table:
        return self._service.recorder.table


def _is_over(table: Table, rounds: int) -> bool:
    return table.round >= rounds and table.phase in ("shuffling", "betting", "closed")
