"""The one tablet that is connected: what it is shown, and what is done at it.

Two hands at one terminal would not see what the other does, so a second tablet is told that there
is one already. One that says nothing any more, because its network is gone, makes room.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from math import isinf
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from controller.console.limits import PRESSES, Bucket
from controller.rules.faults import Refused
from controller.terminal import messages
from controller.terminal.bridge import Bridge
from controller.terminal.messages import Here, Look

#: The page looks at one thing, and has pages' usual messages for it.
NAME = "terminal"
ALIVE_S = 0.5
#: Between two pictures of the terminal.
PICTURES_S = 0.05
SEND_S = 5.0
#: A page says so often that it is there (see terminal.js), and is not after so long.
SILENT_S = 6.0
MAX_ANSWERS = 32
MAX_TOO_MANY = 200
#: Reasons for closing, beyond those of the protocol.
TAKEN, TOO_MANY, NOT_READ = 4409, 4429, 4408


class _LetGo(Exception):
    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class Tablets:
    """Which one is at the terminal."""

    def __init__(self) -> None:
        self._page: Page | None = None

    def come(self, page: Page) -> bool:
        if self._page is not None and not self._page.is_silent:
            return False
        if self._page is not None:
            self._page.let_go(TAKEN, "another tablet is at this terminal now")
        self._page = page
        return True

    def go(self, page: Page) -> None:
        if self._page is page:
            self._page = None


class Page:
    def __init__(
        self, socket: WebSocket, bridge: Bridge, build: str, abort: Callable[[], None]
    ) -> None:
        loop = asyncio.get_running_loop()
        self._socket = socket
        self._bridge = bridge
        self._build = build
        self._abort = abort
        self._clock = loop.time
        self._presses = Bucket(PRESSES, loop.time())
        self._too_many = 0
        self._heard_at = loop.time()
        self._more = asyncio.Event()
        self._answers: deque[dict[str, Any]] = deque()
        self._is_old = True
        self._closing: _LetGo | None = None

    @property
    def is_silent(self) -> bool:
        return self._clock() - self._heard_at > SILENT_S

    def let_go(self, code: int, why: str) -> None:
        self._closing = _LetGo(code, why)
        self._more.set()

    async def refuse(self) -> None:
        """There is another tablet at the terminal."""
        self._say_hello()
        why = f"another tablet is at {self._bridge.name} of {self._bridge.table}"
        lost = {"why": why, "next_step": "close it there; this page goes on by itself then"}
        self._say({"kind": "lost", "table": NAME, "taken": True, **lost})
        while self._answers:
            await self._send(self._answers.popleft())
        await self._socket.close(TAKEN, "another tablet is at this terminal")

    async def run(self) -> None:
        """Until it goes, or is let go."""
        self._say_hello()
        self._bridge.watchers.add(self._is_new)
        self._more.set()
        sending = asyncio.create_task(self._send_all(), name="terminal page sends")
        reading = asyncio.create_task(self._read_all(), name="terminal page reads")
        try:
            await asyncio.wait({sending, reading}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._bridge.watchers.discard(self._is_new)
            for task in (sending, reading):
                task.cancel()
            ended = await asyncio.gather(sending, reading, return_exceptions=True)
        for error in ended:
            if isinstance(error, _LetGo):
                await self._close(error)
            elif isinstance(error, Exception) and not isinstance(error, WebSocketDisconnect):
                raise error

    async def _close(self, why: _LetGo) -> None:
        if why.code == NOT_READ:
            self._abort()
            return
        try:
            async with asyncio.timeout(SEND_S):
                await self._socket.close(why.code, str(why))
        except (TimeoutError, RuntimeError):
            self._abort()

    def _say_hello(self) -> None:
        names = [{"table": NAME}]
        self._say({"kind": "hello", "build": self._build, "tables": names, "session": None})

    def _is_new(self) -> None:
        self._is_old = True
        self._more.set()

    def _say(self, message: dict[str, Any]) -> None:
        if len(self._answers) >= MAX_ANSWERS:
            self.let_go(NOT_READ, "it does not read")
            return
        self._answers.append(message)
        self._more.set()

    # --- What it is told ----------------------------------------------------------

    async def _send_all(self) -> None:
        while True:
            try:
                async with asyncio.timeout(ALIVE_S):
                    await self._more.wait()
            except TimeoutError:
                await self._send(self._alive())
                continue
            self._more.clear()
            if self._closing is not None:
                raise self._closing
            while self._answers:
                await self._send(self._answers.popleft())
            if self._is_old:
                self._is_old = False
                await self._send(self._picture())
                await asyncio.sleep(PICTURES_S)
            await self._send(self._alive())

    def _alive(self) -> dict[str, Any]:
        return {"kind": "alive", "tables": {NAME: {"heard_ms": self._heard_ms()}}}

    def _heard_ms(self) -> int | None:
        heard = self._bridge.heard_s()
        return None if isinf(heard) or self._bridge.trouble() is not None else int(heard * 1000)

    def _picture(self) -> dict[str, Any]:
        trouble, heard = self._bridge.trouble(), self._heard_ms()
        if trouble is not None or heard is None:
            why, step = trouble or ("nothing was heard of the table yet", "wait a moment")
            return {"kind": "lost", "table": NAME, "why": why, "next_step": step}
        return {
            "kind": "picture",
            "table": NAME,
            "age_ms": heard,
            "picture": self._bridge.state(),
        }

    async def _send(self, message: dict[str, Any]) -> None:
        try:
            async with asyncio.timeout(SEND_S):
                await self._socket.send_text(messages.encode(message).decode())
        except TimeoutError:
            raise _LetGo(NOT_READ, "it does not read") from None

    # --- What it says -------------------------------------------------------------

    async def _read_all(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] != "websocket.receive":
                raise WebSocketDisconnect(message.get("code", 1005))
            self._heard_at = self._clock()
            if not self._presses.take(self._clock()):
                self._too_many += 1
                if self._too_many > MAX_TOO_MANY:
                    raise _LetGo(TOO_MANY, "it says more than anybody can press")
                continue
            self._heard(message.get("text"))

    def _heard(self, said: str | None) -> None:
        try:
            if said is None:
                raise msgspec.ValidationError("frames are text")
            message = messages.read(said)
        except (msgspec.MsgspecError, RecursionError) as error:
            self._answer("", f"this is no message: {error}")
            return
        if isinstance(message, Look | Here):
            return
        try:
            request = self._bridge.take(message)
        except Refused as error:
            self._answer(message.press, str(error))
        else:
            done = {"kind": "answer", "press": message.press, "ok": True}
            self._say({**done, "result": {"number": request.number}})

    def _answer(self, press: str, why: str) -> None:
        self._say({"kind": "answer", "press": press, "ok": False, "code": "refused", "error": why})
