"""People who act through the control socket: they know nothing but what the table says.

The table may be anybody's, on this PC: one that a service runs, with simulated devices on its
ports. When it does not answer they wait, and when it is back they look at it anew: nobody remembers
whether the last thing that was said has been heard.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from controller.daemon.client import Answered, Client, Unanswered
from controller.demo.crew import Act, Crew, Do, Say
from controller.demo.performer import people_of
from controller.demo.players import Player
from controller.demo.world import World
from controller.rules.cards import cards
from controller.table import events
from controller.table.state import Table
from controller.table.terms import Terms
from simulators.device import Device
from simulators.tabletop import HANDS, RACK, SHOE, TRAY, Impossible

#: What was refused lately, for whoever asks why nothing goes on.
MAX_REFUSED = 20


class Stuck(Exception):
    """Nothing has happened at the table for a long time."""


class Window:
    """The control socket, through which people look at the table and act."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._client: Client | None = None
        # A thread of its own: the devices go on while somebody waits for an answer.
        self._thread = ThreadPoolExecutor(1)
        #: How often the table was found again.
        self.connections = 0

    async def ask(
        self,
        action: str,
        given: dict[str, Any] | None = None,
        as_: str = "",
        pin: str | None = None,
    ) -> Any:
        """The answer; ``Unanswered`` if there is no daemon, or none any more."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._ask, action, given, as_, pin)

    def _ask(self, action: str, given: dict[str, Any] | None, as_: str, pin: str | None) -> Any:
        try:
            if self._client is None:
                self._client = Client(self._path)
                self.connections += 1
            return self._client.ask(action, given, as_=as_, pin=pin)
        except Unanswered:
            self._hang_up()
            raise

    def _hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown(wait=True)
        self._hang_up()


class People:
    """``kick`` is called with a device that has something to say."""

    #: Between two looks at the table.
    pause_s = 0.05
    #: So long somebody waits for a device before doing the same thing again.
    patience_s = 15.0
    #: After so long without anything new at the table nobody expects anything any more.
    stuck_s = 120.0
    #: After what was refused, and between two tries to find the table.
    wait_s = 0.1

    def __init__(
        self, window: Window, world: World, terms: Terms, kick: Callable[[Device], None], seed: int
    ) -> None:
        self._window = window
        self._world = world
        self._kick = kick
        seats = range(1, terms.seats + 1)
        players = {seat: Player(seat, random.Random(f"player {seat}/{seed}")) for seat in seats}
        self._crew = Crew(terms, players, world)
        self._people = people_of(terms)
        self._signed_on = 0
        #: The act whose handling of cards is done, and which may not have been heard.
        self._handled: Say | None = None
        self._last: Do | None = None
        self._since = 0.0
        self.refused: list[str] = []
        self._given = 0
        self._looked = asyncio.Event()
        #: As it was when somebody last looked.
        self.round = 0

    # --- For whoever wants to know more -----------------------------------------

    def moment(self, what: str) -> None:
        """What is about to happen."""

    def unanswered(self) -> None:
        """Nobody answers at the moment. Raises if nobody ever will."""

    def next_act(self, table: Table) -> Act | None:
        return self._crew.next_act(table)

    # --- Looking ----------------------------------------------------------------

    async def sees(self) -> Table:
        """The table as it stands; waits for a daemon that is not there."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.stuck_s
        while True:
            try:
                said = await self._window.ask("table")
                if self._signed_on != self._window.connections:
                    await self._sign_on()
                table = table_of(said["table"])
                self.round = table.round
                self._looked.set()
                return table
            except Unanswered as nobody:
                self.unanswered()
                if loop.time() > deadline:
                    raise Stuck(str(nobody)) from None
                await asyncio.sleep(self.wait_s)

    async def sees_play(self) -> None:
        """Until somebody at the table has looked at it again."""
        self._looked.clear()
        await self._looked.wait()

    async def _sign_on(self) -> None:
        # Who was on duty is in the journal: after a restart nobody signs on again.
        on = (await self._window.ask("who"))["on_duty"]
        for person in self._people.values():
            if on.get(person.role) != person.id:
                await self._window.ask("sign_on", as_=f"{person.id}:{person.role}")
        self._signed_on = self._window.connections

    # --- Acting -----------------------------------------------------------------

    async def play(self, until: Callable[[Table], bool]) -> Table:
        loop = asyncio.get_running_loop()
        taken, changed_at = -1, loop.time()
        while True:
            table = await self.sees()
            if table.taken != taken:
                taken, changed_at = table.taken, loop.time()
            elif loop.time() - changed_at > self.stuck_s:
                raise Stuck(self.where(table))
            if until(table):
                return table
            self._take_the_stack(table)
            await self._act(table)
            await asyncio.sleep(self.pause_s)

    async def _act(self, table: Table) -> None:
        act = self.next_act(table)
        if isinstance(act, Say):
            self._last = None
            await self._say(act)
            return
        now = asyncio.get_running_loop().time()
        if act == self._last and now - self._since < self.patience_s:
            return
        self._last, self._since = act, now
        if act is not None:
            self.moment(f"{act.what} {act.name}" if act.what == "press" else act.what)
            self._do(act)

    async def _say(self, act: Say) -> None:
        if act.first is not None and act != self._handled:
            self._handled = act
            self._do(act.first)
        kind = str(act.kind.__struct_config__.tag)
        person = self._people[act.role or "dealer"]
        facts = dict(act.facts)
        if "second" in facts:
            facts["second"] = msgspec.to_builtins(self._people[facts["second"]])
        self.moment(kind)
        try:
            await self._window.ask(kind, facts, as_=f"{person.id}:{person.role}")
            # The same again is another one: a card to the dealer, and one more.
            self._handled = None
        except Unanswered:
            return  # heard or not: the table will show it
        except Answered as refused:
            self.refused = [*self.refused, f"{kind}: {refused}"][-MAX_REFUSED:]
            await asyncio.sleep(self.wait_s)

    def _do(self, act: Do) -> None:
        if self._is_to_be_seen(act):
            self._last = None  # it goes in again at once
            return
        try:
            device = self._world.do(act)
        except Impossible:
            return  # it was done before somebody could say so
        if device is not None:
            self._kick(device)

    def _is_to_be_seen(self, act: Do) -> bool:
        """The deck is in the shoe, and the table did not take it: it is taken out again.

        A shoe says once that it was loaded, and a hold may have been in the way of that.
        """
        world = self._world
        if act.what != "put into shoe" or world.shoe is None:
            return False
        if world.top.deck_at(SHOE) != act.name:
            return False
        world.top.move(SHOE, HANDS)
        self._kick(world.shoe)
        return True

    def _take_the_stack(self, table: Table) -> None:
        """What lies in the tray goes where the table says, once the table knows of it."""
        world = self._world
        if world.shoe is None or not world.top.count(TRAY) or not world.shoe.given:
            return
        round_, number, count = world.shoe.given[-1]
        if len(world.shoe.given) > self._given:
            self._given = len(world.shoe.given)
            self.moment("stack given")
        if round_ != table.round or table.phase != "dealing":
            world.top.move(TRAY, RACK)
        elif table.deal.done < number:
            return
        else:
            came = events.StackDispensed(at=0, number=number, cards=count)
            world.stack_came(table, came)
        self.moment("stack taken")
        self._kick(world.shoe)

    def where(self, table: Table) -> str:
        """How the table stands of which nothing comes any more."""
        return (
            f"nothing happens in {table.phase} of round {table.round}: next "
            f"{self._crew.next_act(table)}; holds {table.holds}; offline {table.offline}; "
            f"refused {self.refused}"
        )


def table_of(said: dict[str, Any]) -> Table:
    """The table out of what the service says of it; seals and ids are not told."""
    made = dict(said)
    made["faces"] = {place: cards(text) for place, text in said["faces"].items()}
    made["up_card"] = cards(said["up_card"])[0] if said["up_card"] else None
    made["seats"] = [{**seat, "cards": cards(seat["cards"])} for seat in said["seats"]]
    return msgspec.convert(made, Table, str_keys=True)
