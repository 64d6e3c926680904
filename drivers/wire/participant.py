"""Whoever is at a broker: it connects, says that it is there, and always comes back.

felt's end of the wire and a device's end are both one of these. What they have in common is here:
when to connect again, that a broker which takes everything and answers nothing is left, and that
nobody counts as connected before what it publishes comes back to it: only that shows that it may
speak and listen there.

Away from the broker it speaks to nobody: what it says is thrown away, so that deadlines pass and
say so.
"""

from __future__ import annotations

import asyncio
import random
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf
from typing import Literal, Protocol

from drivers.wire import broker_client, topics
from drivers.wire.broker_accounts import client_id_of
from drivers.wire.broker_client import Account, BrokerTrouble, Connection, NotConnected, Will
from drivers.wire.running import LEAST_REST_S, Running, Runs
from drivers.wire.station import Rest
from drivers.wire.topics import Place, Presence

#: A broker that does not acknowledge a publish for so long hangs.
HUNG_S = 2.5


class Tap(Protocol):
    """Gets every payload with its topic, and what became of the connection: see ``capture``."""

    def received(self, data: bytes, now: float, channel: str = "") -> None: ...
    def sent(self, data: bytes, now: float, channel: str = "") -> None: ...
    def port(self, what: str, now: float) -> None: ...
    def quiet(self, rest: Rest, channel: str = "") -> None:
        """What was last said and heard there was a poll and its answer, and nothing follows."""


@dataclass(frozen=True, slots=True)
class BrokerState:
    status: Literal["absent", "open"]
    #: By the loop's clock.
    since: float
    #: Why it is absent; none while it is open, and before the first attempt has ended.
    trouble: BrokerTrouble | None = None
    #: How many attempts in a row have ended in this trouble.
    times: int = 0


class Participant(Runs["_Running"]):
    """``name`` is a level of a topic; ``boot`` names this run in what is said about it."""

    def __init__(
        self,
        account: Account,
        table: str,
        name: str,
        boot: int,
        *,
        fresh: bool,
        tap: Tap | None = None,
        jitter: Callable[[float, float], float] = random.uniform,
    ) -> None:
        super().__init__(name, jitter)
        self.account = account
        self.table = topics.slug(table)
        self.state = BrokerState("absent", 0.0)
        self._name = name
        self._boot = boot
        #: Whether the broker forgets us when we are gone, or keeps what is said meanwhile.
        self._fresh = fresh
        self._tap = tap
        self._connections = 0
        #: What is said of our own, again whenever the broker is reached.
        self._announced: dict[str, bytes] = {}
        #: Who is told what the broker keeps in our own name, by its topic.
        self._recalled: dict[str, tuple[str, Callable[[bytes], bool]]] = {}

    # --- What the ends differ in ----------------------------------------------

    @abstractmethod
    def _listens_to(self) -> Iterable[str]:
        """Topics, beside the own state."""

    @abstractmethod
    def _hear(self, place: Place, payload: bytes, retained: bool, now: float) -> None: ...

    @abstractmethod
    def _speak(self, now: float) -> bool:
        """``_say`` what is to be said now. True if there was something."""

    @abstractmethod
    def _wakes_at(self) -> float: ...

    @abstractmethod
    def _arrive(self, now: float) -> None:
        """The broker was reached."""

    @abstractmethod
    def _depart(self, now: float, why: str) -> None:
        """The broker is gone."""

    def _turn(self) -> None:
        """Something may have happened."""
        self._speak_now()

    # --- Running --------------------------------------------------------------

    def _begin(self, loop: asyncio.AbstractEventLoop) -> _Running:
        running = _Running(loop)
        self.state = BrokerState("absent", running.now())
        return running

    async def _once(self, running: _Running) -> bool:
        """Connect, and stay until the connection is gone. False if it did not come to that."""
        self._connections += 1
        connection = Connection(
            self.account,
            client_id_of(self.table, self._name),
            Will(self._topic("state"), self._presence("lost")),
            self._taken,
            fresh=self._fresh,
        )
        running.meet(connection, self._presence("ready"))
        opened = False
        try:
            trouble = await self._refused_by(connection, running)
            if trouble is None:
                opened = True
                await running.first_of(connection.gone, running.hung)
                trouble = running.trouble or broker_client.lost(self.account)
        except asyncio.CancelledError:
            await self._take_leave(connection)
            raise
        finally:
            running.part()
            connection.close()
        self._guarded(lambda: self._became_absent(trouble))
        return opened

    async def _refused_by(self, connection: Connection, running: _Running) -> BrokerTrouble | None:
        """Come in, and make sure that we are heard. What is in the way, if anything is."""
        own = self._topic("state")
        try:
            await connection.open()
            connection.say(own, self._presence("init"), retain=True)
            await connection.listen([own, *self._recalled, *self._listens_to()])
        except NotConnected as error:
            return error.trouble
        connection.say(own, self._presence("ready"), retain=True)
        await running.first_of(connection.gone, running.echo, within=broker_client.PATIENCE_S)
        if running.echo.done():
            return None
        if connection.gone.done():
            return broker_client.lost(self.account)
        if connection.unanswered_since is not None:
            return broker_client.no_answer(self.account)
        return broker_client.not_allowed(self.account, f"to write and read {own}")

    async def _take_leave(self, connection: Connection) -> None:
        if not connection.gone.done():
            connection.say(self._topic("state"), self._presence("disconnected"), retain=True)
            await connection.leave()

    def _became_open(self) -> None:
        running = self._here()
        now = running.now()
        tries = self.state.times
        self.state = BrokerState("open", now)
        if self._tap is not None:
            after = f", after {tries} tries" if tries > 1 else ""
            self._tap.port(f"open {self.account}{after}", now)
        for what, payload in self._announced.items():
            self.announce(what, payload)
        self._arrive(now)
        self._turn()

    def _became_absent(self, trouble: BrokerTrouble) -> None:
        now = self._here().now()
        if self.state.trouble == trouble:
            self.state = replace(self.state, times=self.state.times + 1)
            return
        if self.state.status == "open":
            self._depart(now, trouble.reason)
        self.state = BrokerState("absent", now, trouble, 1)
        if self._tap is not None:
            self._tap.port(f"absent, {trouble.nature}: {trouble.reason}", now)
        self._turn()

    def _topic(self, what: str) -> str:
        return str(Place(self.table, self._name, what))

    def _presence(self, state: Literal["init", "ready", "disconnected", "lost"]) -> bytes:
        return topics.presence_to_json(Presence(state, self._boot, self._connections))

    # --- Speaking and hearing -------------------------------------------------

    @property
    def _is_open(self) -> bool:
        return self.state.status == "open"

    @property
    def _connection(self) -> Connection | None:
        return self._here().connection

    def _say(self, topic: str, payload: bytes, now: float, *, retain: bool = False) -> None:
        running = self._here()
        if self._is_open and running.connection is not None:
            if self._tap is not None:
                self._tap.sent(payload, now, topic)
            running.connection.say(topic, payload, retain=retain)

    def announce(self, what: str, payload: bytes) -> None:
        """Say something of our own, retained, now and whenever the broker is reached again.

        It is for whoever keeps it elsewhere. No device hears it, and so no log has it.
        """
        self._announced[what] = payload
        if self._running is not None and self._is_open and self._connection is not None:
            self._connection.say(self._topic(what), payload, retain=True)

    def recall_announced(self, what: str, hear: Callable[[bytes], bool]) -> None:
        """Be told what the broker keeps of our own, whenever it is reached, before we say ours.

        ``hear`` says whether ours may take its place; if not, it waits until it is announced again.
        """
        self._recalled[self._topic(what)] = what, hear

    def _taken(self, topic: str, payload: bytes, retained: bool) -> None:
        try:
            self._take(topic, payload, retained)
        except Exception as error:
            # The broker keeps it: it was not dealt with.
            self._here().fail(error)
            raise

    def _take(self, topic: str, payload: bytes, retained: bool) -> None:
        running = self._here()
        if topic == self._topic("state"):
            if payload == running.birth and not running.echo.done():
                running.echo.set_result(None)
                # Not later: what comes next on the same connection may be for us already.
                self._became_open()
            return
        if topic in self._recalled:
            what, hear = self._recalled[topic]
            # What is not retained is our own word, as it comes back.
            if retained and not hear(payload):
                self._announced.pop(what, None)
            return
        place = topics.place_of(topic)
        if place is not None and place.table == self.table:
            self._hear(place, payload, retained, running.now())
        if self._is_open:
            self._turn()

    def _speak_now(self) -> None:
        running = self._here()
        now = running.now()
        spoke = self._speak(now)
        since = None if running.connection is None else running.connection.unanswered_since
        if since is not None and now - since >= HUNG_S:
            running.hang(broker_client.no_answer(self.account))
        self._schedule(now, spoke, inf if since is None else since + HUNG_S)

    def _schedule(self, now: float, spoke: bool, latest: float) -> None:
        """Come back when there is something to say; at once twice at the most, and then less."""
        running = self._here()
        running.cancel_timer()
        at = running.rested(self._wakes_at(), now, spoke=spoke)
        at = min(at, max(latest, now + LEAST_REST_S))
        if at < inf:
            running.timer = running.loop.call_at(max(at, now), self._guarded, self._turn)


class _Running(Running):
    """What there is only while a participant runs: its connection, its timer, its errors."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.connection: Connection | None = None
        self.birth = b""
        self.echo: asyncio.Future[None] = loop.create_future()
        self.hung: asyncio.Future[None] = loop.create_future()
        #: Why the broker counts as hung.
        self.trouble: BrokerTrouble | None = None

    def meet(self, connection: Connection, birth: bytes) -> None:
        self.connection = connection
        self.birth = birth
        self.echo = self.loop.create_future()
        self.hung = self.loop.create_future()
        self.trouble = None

    def part(self) -> None:
        self.connection = None
        self.echo.cancel()
        self.hung.cancel()

    def hang(self, trouble: BrokerTrouble) -> None:
        if not self.hung.done():
            self.trouble = trouble
            self.hung.set_result(None)
