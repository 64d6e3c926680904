"""One page that is open: what it is told, and what it says.

It is told how tables stand, never more often than a person sees, and always the latest: what it
had no time to read is left out. One that reads nothing is let go. Nobody waits for a page, neither
a table nor another page.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from controller.console import messages, shown
from controller.console.acts import asked, taken
from controller.console.house import House
from controller.console.limits import PRESSES, Bucket
from controller.console.messages import (
    Agree,
    Ask,
    Badge,
    Bench,
    Face,
    Here,
    Look,
    Propose,
    School,
    SignOff,
    SignOn,
    Take,
    Withdraw,
)
from controller.console.sessions import Session, place_of
from controller.console.socket_client import Connection
from controller.console.table_link import TableLink
from controller.daemon.client import Answered, Unanswered
from controller.rules.faults import Refused

ALIVE_S = 0.5
#: Between two pictures of all tables, for one page. A table's own come no more often than people
#: see; this keeps those of many tables together, and is too short for one to wait twice.
PICTURES_S = 0.02
#: Who does not read for so long is let go.
SEND_S = 5.0
#: Presses of one page that are under way, and answers that wait to be read.
MAX_UNDER_WAY = 8
MAX_ANSWERS = 64
#: Messages over the limit before the page is let go.
MAX_TOO_MANY = 200

#: Reasons for closing, beyond those of the protocol.
SPENT = 4401
TOO_MANY = 4429
NOT_READ = 4408


class _LetGo(Exception):
    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class Page:
    def __init__(
        self,
        socket: WebSocket,
        house: House,
        *,
        address: str,
        token: str,
        abort: Callable[[], None],
    ) -> None:
        self._socket = socket
        self._house = house
        self._address = address
        self._token = token
        self._abort = abort
        loop = asyncio.get_running_loop()
        self._clock = loop.time
        self._presses = Bucket(PRESSES, loop.time())
        self._too_many = 0
        self._under_way: set[asyncio.Task[None]] = set()
        self._face: Face = "sign"
        self._looks_at: frozenset[str] | None = None
        self._more = asyncio.Event()
        self._answers: deque[bytes] = deque()
        self._old: set[TableLink] = set()
        self._old_benches: set[str] = set()
        self._old_school = False
        self._watched: dict[TableLink, Callable[[], None]] = {}
        self._session: Session | None = None
        self._closing: _LetGo | None = None
        #: What it was told of acts for two that wait.
        self._proposals: list[dict[str, Any]] = []

    async def run(self) -> None:
        """Until the page goes, or is let go."""
        self._join(self._house.sessions.of(self._token, self._address))
        if self._house.school is not None:
            self._house.school.watchers.add(self._school_is_new)
        self._say(
            {
                "kind": "hello",
                **self._house.version(),
                "tables": self._house.listed(),
                "school": self._house.school is not None and self._house.school.is_there,
                "session": self._session_shown(),
            }
        )
        sending = asyncio.create_task(self._send_all(), name="console page sends")
        reading = asyncio.create_task(self._read_all(), name="console page reads")
        try:
            await asyncio.wait({sending, reading}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, reading, *self._under_way):
                task.cancel()
            ended = await asyncio.gather(sending, reading, *self._under_way, return_exceptions=True)
            self._leave()
            for one in ended:
                if isinstance(one, _LetGo):
                    await self._let_go(one)
                elif isinstance(one, Exception) and not isinstance(one, WebSocketDisconnect):
                    raise one

    def _leave(self) -> None:
        for link in list(self._watched):
            self._unwatch(link)
        if self._house.school is not None:
            self._house.school.watchers.discard(self._school_is_new)
        if self._session is not None:
            self._session.watchers.discard(self._signed_off)

    async def _let_go(self, why: _LetGo) -> None:
        self._house.said("page let go", address=self._address, why=str(why))
        if why.code == NOT_READ:
            self._abort()  # what it did not read would be kept for it
            return
        try:
            async with asyncio.timeout(SEND_S):
                await self._socket.close(why.code, str(why)[:120])
        except (TimeoutError, RuntimeError, WebSocketDisconnect):
            self._abort()

    # --- What it is told --------------------------------------------------------

    def _say(self, message: dict[str, Any]) -> None:
        if len(self._answers) >= MAX_ANSWERS:
            self._closing = _LetGo(NOT_READ, "it does not read its answers")
        else:
            self._answers.append(messages.encode(message))
        self._more.set()

    async def _send_all(self) -> None:
        alive_at = self._clock()
        pictures_at = 0.0
        while True:
            now = self._clock()
            if self._closing is not None and not self._answers:
                raise self._closing
            while self._answers:
                await self._send(self._answers.popleft())
            if self._is_behind() and now >= pictures_at:
                pictures_at = now + PICTURES_S
                await self._send_pictures()
            if now >= alive_at:
                alive_at = now + ALIVE_S
                self._watch_new_ones()
                await self._send_proposals()
                await self._send(messages.encode(self._alive()))
            due = min(alive_at, pictures_at) if self._is_behind() else alive_at
            self._more.clear()
            if not self._answers and self._closing is None:
                await self._wait(due - self._clock())

    def _is_behind(self) -> bool:
        return bool(self._old or self._old_benches or self._old_school)

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                await self._more.wait()
        except TimeoutError:
            return

    async def _send(self, data: bytes) -> None:
        try:
            async with asyncio.timeout(SEND_S):
                await self._socket.send_text(data.decode())
        except TimeoutError:
            raise _LetGo(NOT_READ, f"it has read nothing for {SEND_S:.0f} s") from None

    async def _send_pictures(self) -> None:
        links, self._old = self._old, set()
        benches, self._old_benches = self._old_benches, set()
        for link in links:
            await self._send(messages.encode(shown.table(link, self._face)))
        for name in benches:
            state = self._house.bench(name).state
            if state is not None:
                await self._send(messages.encode({"kind": "bench", "table": name, "bench": state}))
        if self._old_school and self._house.school is not None:
            self._old_school = False
            state = self._house.school.state
            await self._send(messages.encode({"kind": "school", "school": state}))

    async def _send_proposals(self) -> None:
        """Acts for two that whoever is before it has asked for, or is asked for."""
        if self._face != "floor":
            return
        shown_now = self._house.proposals.shown(self._session)
        before = [{**one, "since_s": 0} for one in self._proposals]
        self._proposals = shown_now
        if [{**one, "since_s": 0} for one in shown_now] != before:
            await self._send(messages.encode({"kind": "proposals", "proposals": shown_now}))

    def _alive(self) -> dict[str, Any]:
        looked_at = self._house.chosen(self._looks_at or ()) if self._watched else []
        tables = {one.name: {"heard_ms": one.heard_ms(), "seq": one.seq} for one in looked_at}
        return {"kind": "alive", "tables": tables}

    # --- Which tables it looks at -----------------------------------------------

    def _watch_new_ones(self) -> None:
        """Tables that have come since, or have told their name."""
        if self._looks_at is None:
            return
        wanted = self._house.chosen(self._looks_at) if self._face != "school" else []
        for link in list(self._watched):
            if link not in wanted:
                self._unwatch(link)
        for link in wanted:
            if link not in self._watched:
                self._watch(link)

    def _watch(self, link: TableLink) -> None:
        bench = self._house.bench(link.name)

        def bench_is_new() -> None:
            if self._face == "bench":
                self._old_benches.add(link.name)
                self._more.set()

        link.watchers.add(self._is_new)
        bench.watchers.add(bench_is_new)

        def stop() -> None:
            link.watchers.discard(self._is_new)
            bench.watchers.discard(bench_is_new)

        self._watched[link] = stop
        link.look()
        self._is_new(link)
        bench_is_new()

    def _unwatch(self, link: TableLink) -> None:
        self._watched.pop(link)()
        self._old.discard(link)

    def _school_is_new(self) -> None:
        """Told to whoever stands in it: before its own page, or at its table."""
        school = self._house.school
        if school is None or self._looks_at is None:
            return
        if self._face == "school" or school.table.name in self._looks_at:
            self._old_school = True
            self._more.set()

    def _is_new(self, link: TableLink) -> None:
        self._old.add(link)
        self._more.set()

    # --- What it says -----------------------------------------------------------

    async def _read_all(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] != "websocket.receive":
                raise WebSocketDisconnect(message.get("code", 1005))
            said = message.get("text")
            if not self._presses.take(self._clock()):
                self._too_many += 1
                if self._too_many > MAX_TOO_MANY:
                    raise _LetGo(TOO_MANY, "it says more than anybody can press")
                if len(self._answers) < MAX_ANSWERS // 2:
                    self._answer("", Answered("busy", "too much at once; wait a moment"))
                continue
            try:
                if said is None:
                    raise Answered("bad request", "frames are text")
                self._heard(messages.read(said))
            except msgspec.MsgspecError as error:
                self._answer("", Answered("bad request", f"this is no message: {error}"))
            except Answered as error:
                self._answer("", error)

    def _heard(self, message: messages.Message) -> None:
        if self._session is not None:
            self._house.sessions.touch(self._session)
        match message:
            case Look():
                self._look(message)
            case Here():
                pass
            case SignOff():
                if self._session is not None:
                    why = "the screen is locked" if message.lock else "signed off"
                    self._house.sessions.sign_off(self._session, why, duty=not message.lock)
            case _:
                self._begin(message.press or "", self._work(message))

    def _work(self, message: messages.Pressed) -> Coroutine[Any, Any, Any]:
        """What answers a press; it is waited for beside everything else."""
        house = self._house
        work: Coroutine[Any, Any, Any]
        match message:
            case SignOn():
                work = self._sign_on(message)
            case Badge():
                work = self._whose(message)
            case Take():
                work = taken(house, self._session, message)
            case Propose():
                work = self._proposed(message)
            case Agree():
                work = house.proposals.agree(self._session, message)
            case Withdraw():
                work = self._withdrawn(message)
            case Ask():
                work = asked(house, message)
            case Bench():
                work = house.bench(message.table).do(message.do, message.given)
            case School():
                if house.school is None:
                    raise Answered("bad request", "no school is kept here; felt school keeps one")
                work = house.school.do(message.do, message.given)
        return work

    def _look(self, message: Look) -> None:
        self._face = message.face
        self._looks_at = frozenset(message.tables)
        for link in list(self._watched):
            self._unwatch(link)
        self._watch_new_ones()
        self._school_is_new()

    def _begin(self, press: str, work: Any) -> None:
        """An act that waits for a table keeps nothing else of this page waiting."""
        if len(self._under_way) >= MAX_UNDER_WAY:
            work.close()
            self._answer(press, Answered("busy", f"{MAX_UNDER_WAY} presses are under way; wait"))
            return
        task = asyncio.create_task(self._answered(press, work), name="console press")
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _answered(self, press: str, work: Any) -> None:
        try:
            result = await work
        except Refused as error:
            self._answer(press, error)
        else:
            self._say({"kind": "answer", "press": press, "ok": True, "result": result})

    def _answer(self, press: str, error: Refused) -> None:
        self._say({"kind": "answer", "press": press, "ok": False, **shown.refused(error)})

    async def _proposed(self, message: Propose) -> dict[str, Any]:
        return self._house.proposals.propose(self._session, message)

    async def _withdrawn(self, message: Withdraw) -> None:
        self._house.proposals.withdraw(self._session, message)

    # --- Who is before it -------------------------------------------------------

    def _signs_on_at(self) -> list[TableLink]:
        if self._face == "school" and self._house.school is not None:
            return [self._house.school.table]
        return self._house.chosen(self._looks_at or ())

    async def _sign_on(self, message: SignOn) -> dict[str, Any]:
        sessions = self._house.sessions
        try:
            if not self._house.sign_ons.take(self._address):
                raise Answered("busy", "too many have tried to sign on from here; wait a minute")
            if not sessions.is_good(self._token):
                raise Answered("refused", "this page was signed off; load it again")
            session = await sessions.sign_on(
                self._token,
                self._address,
                face=self._face,
                person=message.person,
                role=message.role,
                pin=message.pin,
                tables=self._signs_on_at(),
            )
        except (Answered, Unanswered) as error:
            self._say(
                {"kind": "session", "session": self._session_shown(), "why": str(error),
                 "code": shown.refused(error)["code"]}
            )  # fmt: skip
            raise
        self._join(session)
        self._say({"kind": "session", "session": self._session_shown(), "why": ""})
        return {"session": self._session_shown()}

    async def _whose(self, message: Badge) -> Any:
        """Asked of the first table that is looked at, which counts there what is nobody's."""
        tables = self._signs_on_at()
        if not tables:
            raise Answered("bad request", "there is no such table")
        if not self._house.sign_ons.take(self._address):
            raise Answered("busy", "too many have tried to sign on from here; wait a minute")
        async with await Connection.open(tables[0].path) as connection:
            given = {"badge": message.badge}
            return await connection.ask("badge", given, from_=place_of(self._address))

    def _join(self, session: Session | None) -> None:
        if self._session is not None:
            self._session.watchers.discard(self._signed_off)
        self._session = session
        if session is not None:
            session.watchers.add(self._signed_off)

    def _signed_off(self, why: str) -> None:
        self._session = None
        self._say({"kind": "session", "session": None, "why": why})
        if not self._house.sessions.is_good(self._token):
            # Its cookie is worth nothing any more: it comes again, and gets another.
            self._closing = _LetGo(SPENT, "signed off; connect again")
            self._more.set()
        else:
            self._join(self._house.sessions.of(self._token, self._address))
            if self._session is not None:
                self._say({"kind": "session", "session": self._session_shown(), "why": why})

    def _session_shown(self) -> dict[str, Any] | None:
        return None if self._session is None else self._session.shown(self._clock())
