"""One table, as the console knows it: the latest picture, and when the table itself was last heard.

One connection watches. A change makes the picture old, and a new one is asked for, but not more
often than anybody can see. Where nothing changes, a question goes round every half second: a socket
that is open says nothing about who is at its other end. A table that has gone is looked for again,
for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec

from controller.console.socket_client import Connection
from controller.daemon.client import Answered, Unanswered
from controller.rules.faults import Refused

#: Pictures are not asked for more often.
PICTURE_S = 0.05
#: A round trip, at the least, so often.
BEAT_S = 0.5
#: The picture of a quiet table is taken anew every so many beats: ages and lateness grow in it.
BEATS_A_PICTURE = 4
#: A table that does not answer for so long is lost, though its socket be open.
LOST_S = 5.0
RETRY_S = 0.5
#: Questions of pages that wait for one table.
MAX_QUESTIONS = 8


#: Where the console tells what happens: an event, and facts by name.
Said = Callable[..., None]


class _Known(msgspec.Struct):
    """What the console itself reads of a picture."""

    table: str
    title: str = ""
    seq: int = 0
    people: list[_Person] = []


class _Person(msgspec.Struct):
    id: str
    roles: list[str] = []


class Lost(msgspec.Struct):
    why: str
    next_step: str


class TableLink:
    def __init__(self, path: Path, said: Said) -> None:
        self.path = path
        #: The table's name; until it has told it, the folder's.
        self.name = path.parent.name
        self.title = ""
        self.seq = 0
        #: The roles of its people; none are listed where anybody may act.
        self.people: dict[str, list[str]] = {}
        #: As it came, and when, by the loop's clock.
        self.picture: msgspec.Raw | None = None
        self.taken_at = 0.0
        self.heard_at: float | None = None
        self.lost: Lost | None = Lost("the table was not reached yet", "wait a moment")
        #: Once it is known whether the table is there.
        self.tried = asyncio.Event()
        #: Told whenever the picture is new, or the table is lost.
        self.watchers: set[Callable[[TableLink], None]] = set()
        self._said = said
        self._old = asyncio.Event()
        self._asking = asyncio.Lock()
        self._questions = 0

    def heard_ms(self) -> int | None:
        """How long ago the table itself answered."""
        if self.heard_at is None:
            return None
        return max(0, round((self._now() - self.heard_at) * 1000))

    def age_ms(self) -> int:
        return max(0, round((self._now() - self.taken_at) * 1000))

    def look(self) -> None:
        """Somebody looks who did not: the next picture is taken now."""
        self._old.set()

    async def run(self) -> None:
        """For ever: a table that is not there may come."""
        while True:
            try:
                async with await Connection.open(self.path) as connection:
                    await self._watch(connection)
            except (Answered, Unanswered) as error:
                self._is_lost(error)
            except msgspec.MsgspecError as error:
                step = "console and table must be of the same felt"
                self._is_lost(Refused("", f"{self.path} tells what is no picture: {error}", step))
            await asyncio.sleep(RETRY_S)

    async def question(self, action: str, given: dict[str, object]) -> msgspec.Raw:
        """What a page asks, on a connection of its own: a long answer delays no picture."""
        if self._questions >= MAX_QUESTIONS:
            raise Answered("busy", f"{MAX_QUESTIONS} questions wait for {self.name}; ask again")
        self._questions += 1
        try:
            async with self._asking, await Connection.open(self.path) as connection:
                return await connection.ask(action, given)
        finally:
            self._questions -= 1

    async def _watch(self, connection: Connection) -> None:
        connection.changed = lambda _: self._old.set()
        connection.ended = self._old.set
        await connection.ask("watch", timeout_s=LOST_S)
        while True:
            self._old.clear()
            await self._take(connection)
            await asyncio.sleep(PICTURE_S)
            await self._quiet(connection)

    async def _quiet(self, connection: Connection) -> None:
        """Until there is a reason for another picture."""
        for _ in range(BEATS_A_PICTURE):
            try:
                async with asyncio.timeout(BEAT_S):
                    await self._old.wait()
            except TimeoutError:
                pass
            else:
                if self.watchers or connection.gone is not None:
                    return
                # Nobody looks: it is enough that the table is there.
                self._old.clear()
                await asyncio.sleep(BEAT_S)
            await connection.ask("who", timeout_s=LOST_S)
            self.heard_at = self._now()

    async def _take(self, connection: Connection) -> None:
        raw = await connection.ask("picture", timeout_s=LOST_S)
        known = msgspec.json.decode(raw, type=_Known)
        if self.lost is not None:
            self._said("table is there", table=known.table, socket=str(self.path))
        self.name, self.title, self.seq = known.table, known.title, known.seq
        self.people = {one.id: one.roles for one in known.people}
        # Another buffer than the line's: that would be kept as long as the picture is.
        self.picture = msgspec.Raw(bytes(raw))
        self.taken_at = self.heard_at = self._now()
        self.lost = None
        self.tried.set()
        self._tell()

    def _is_lost(self, error: Refused) -> None:
        self.tried.set()
        if self.lost is None or self.lost.why != error.problem:
            self._said("table is lost", table=self.name, why=str(error))
            self.lost = Lost(error.problem, error.allowed)
            self._tell()

    def _tell(self) -> None:
        for watcher in tuple(self.watchers):
            watcher(self)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
