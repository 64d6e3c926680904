"""Who is signed on where: a cookie names a browser, and what it may do is kept here.

A cookie is a random name with a seal, so that only those count that the console gave out. It is
worth something while somebody is signed on under it, from the same address. When that ends, by
signing off or because nobody touched the screen for a while, the name is spent for good: whoever
copied it has nothing, also when the next person signs on, who gets another name.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address, ip_network
from typing import Any

from controller.console.acting import Acting
from controller.console.table_link import Said, TableLink
from controller.daemon.client import Answered, Unanswered

#: People who are signed on at once, on all screens together.
MAX_SESSIONS = 64
#: Nobody's shift is longer, and a cookie no older.
LONGEST_S = 16 * 3600.0
#: So long nobody has touched the screen: then somebody else may stand before it.
IDLE_S: dict[str, float] = {
    "dealer": 300.0,
    "bench": 300.0,
    "floor": 900.0,
    "sign": 300.0,
    "school": 900.0,
}
#: Connections of people are kept open by a question, well before the table lets them go.
KEPT_OPEN_S = 100.0
MAX_SPENT = 20_000
_KEY_BYTES = 32
#: As long as the name of a place may be, at a table.
MAX_PLACE = 48


@dataclass(eq=False)
class Session:
    token: str
    address: str
    person: str
    role: str
    idle_s: float
    began: float
    touched: float
    acting: dict[str, Acting] = field(default_factory=dict)
    #: Told once, with the reason, when it has ended.
    watchers: set[Callable[[str], None]] = field(default_factory=set)
    ended: bool = False

    def left_s(self, now: float) -> float:
        return min(self.touched + self.idle_s, self.began + LONGEST_S) - now

    def shown(self, now: float) -> dict[str, Any]:
        return {
            "person": self.person,
            "role": self.role,
            "until_s": max(0, round(self.left_s(now))),
            "tables": sorted(self.acting),
        }


class Sessions:
    def __init__(self, clock: Callable[[], float], said: Said, idle_s: Mapping[str, float]) -> None:
        self._clock = clock
        self._said = said
        self._idle_s = {**IDLE_S, **idle_s}
        self._key = secrets.token_bytes(_KEY_BYTES)
        self._by_token: dict[str, Session] = {}
        self._spent: OrderedDict[str, float] = OrderedDict()
        self._kept_open_at = clock()
        self._leaving: set[asyncio.Task[None]] = set()

    # --- Cookies ----------------------------------------------------------------

    def new_token(self) -> str:
        name = secrets.token_urlsafe(18)
        return f"{name}.{int(self._clock())}.{self._seal(name, int(self._clock()))}"

    def is_good(self, token: str) -> bool:
        """Whether the console gave it out, it is not too old, and nobody has signed off with it."""
        name, _, rest = token.partition(".")
        at, _, seal = rest.partition(".")
        if not at.isascii() or not at.isdecimal() or len(at) > 12 or token in self._spent:
            return False
        if not hmac.compare_digest(seal.encode(), self._seal(name, int(at)).encode()):
            return False
        return self._clock() - int(at) < LONGEST_S

    def _seal(self, name: str, at: int) -> str:
        return hmac.new(self._key, f"{name}.{at}".encode(), "sha256").hexdigest()[:32]

    def _spend(self, token: str) -> None:
        self._spent[token] = self._clock()
        while len(self._spent) > MAX_SPENT:
            self._spent.popitem(last=False)

    # --- People -----------------------------------------------------------------

    def of(self, token: str, address: str) -> Session | None:
        """Who is signed on under a cookie that comes from an address."""
        found = self._by_token.get(token)
        if found is None or found.address != address or found.left_s(self._clock()) <= 0:
            return None
        return found

    async def sign_on(
        self,
        token: str,
        address: str,
        *,
        face: str,
        person: str,
        role: str,
        pin: str | None,
        tables: Iterable[TableLink],
    ) -> Session:
        """At each of the tables that lists the person; ``Answered`` with why it was refused."""
        if len(self._by_token) >= MAX_SESSIONS:
            raise Answered("busy", f"{MAX_SESSIONS} people are signed on; one must sign off")
        some = list(tables)
        if not some:
            raise Answered("bad request", "there is no such table")
        # A wrong PIN is counted once, and not at every table of the house. Where nobody lists the
        # person, the first table refuses, and has it on record.
        listing = [one for one in some if role in one.people.get(person, ())]
        anybody = [one for one in some if not one.people]
        acting: dict[str, Acting] = {}
        try:
            for link in listing or anybody or some[:1]:
                acting[link.name] = await Acting.sign_on(
                    link, f"{person}:{role}", pin, place_of(address)
                )
        except (Answered, Unanswered) as error:
            # Refused at one table, people still work at those that took them.
            if not acting or (isinstance(error, Answered) and error.code in ("pin", "not allowed")):
                await _all_leave(acting.values())
                raise
        if (before := self._by_token.get(token)) is not None:
            # The next person at the same screen. On duty is whom the table has now.
            self._remove(before, "somebody else has signed on here", duty=False, spend=False)
        now = self._clock()
        session = Session(
            token, address, person, role, self._idle_s.get(face, 300.0), now, now, acting
        )
        self._by_token[token] = session
        for one in tuple(acting.values()):
            one.when_gone(partial(self._table_gone, session))
        self._said("signed on", person=person, role=role, address=address, face=face)
        return session

    def sign_off(self, session: Session, why: str = "signed off", *, duty: bool = True) -> None:
        self._remove(session, why, duty=duty, spend=True)

    def shown(self, session: Session) -> dict[str, Any]:
        return session.shown(self._clock())

    def touch(self, session: Session) -> None:
        session.touched = self._clock()

    async def run(self) -> None:
        """Ends what nobody has touched, and keeps the rest open."""
        try:
            while True:
                await asyncio.sleep(0.5)
                now = self._clock()
                for session in list(self._by_token.values()):
                    if session.left_s(now) <= 0:
                        why = "nobody touched the screen for a while; sign on again"
                        self.sign_off(session, why, duty=False)
                while self._spent and now - next(iter(self._spent.values())) > LONGEST_S:
                    self._spent.popitem(last=False)
                if now - self._kept_open_at >= KEPT_OPEN_S:
                    self._kept_open_at = now
                    await self._keep_open()
        finally:
            for session in list(self._by_token.values()):
                self.sign_off(session, "the console ends", duty=False)
            await asyncio.gather(*self._leaving)

    async def _keep_open(self) -> None:
        for session in list(self._by_token.values()):
            for one in list(session.acting.values()):
                try:
                    await one.keep_open()
                except (Answered, Unanswered):
                    continue  # then it has gone, and that is told by itself

    def _table_gone(self, session: Session, gone: Acting) -> None:
        """The proof went with the connection."""
        found = [name for name, one in session.acting.items() if one is gone]
        for name in found:
            self._leave(session.acting.pop(name), duty=False)
        if not session.acting:
            why = gone.why_gone or "the table was away; sign on again"
            self.sign_off(session, why, duty=False)

    def _remove(self, session: Session, why: str, *, duty: bool, spend: bool) -> None:
        if session.ended:
            return
        session.ended = True
        if self._by_token.get(session.token) is session:
            del self._by_token[session.token]
        if spend:
            self._spend(session.token)
        for one in session.acting.values():
            self._leave(one, duty=duty)
        session.acting.clear()
        self._said("signed off", person=session.person, role=session.role, why=why)
        for told in tuple(session.watchers):
            told(why)

    def _leave(self, one: Acting, *, duty: bool) -> None:
        task = asyncio.create_task(one.leave(duty=duty), name="console leaves a table")
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)


def place_of(address: str) -> str:
    """Where somebody is, for the table: of IPv6 the network, as its addresses are free."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:MAX_PLACE] or "somewhere"
    if ip.version == 4 or ip.is_loopback:
        return str(ip)
    return str(ip.ipv4_mapped or ip_network((ip, 64), strict=False))


async def _all_leave(some: Iterable[Acting]) -> None:
    for one in some:
        await one.leave(duty=True)
