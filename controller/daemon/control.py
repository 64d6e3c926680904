"""The control socket: the actions of a running table, for programs on the same PC.

A line of JSON asks, a line of JSON answers:

    {"id": 1, "action": "seat_paid", "with": {"seat": 3}, "as": "dealer-1:dealer", "pin": "1234"}
    {"id": 1, "ok": true, "result": {...}}
    {"id": 1, "ok": false, "code": "refused", "error": "..."}

After ``watch`` come lines with ``change`` under the same id. Everything is bounded: clients, of
each user and of all (``slots``), the length of a line and what is in it (``bounds``), how fast one
is answered (``pace``), how long one may take, and how often one may be refused (``refusals``).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Meta

from controller.daemon.access import Caller, NotAllowed, PinNeeded
from controller.daemon.action import Asked, NoSuch, TableRefused
from controller.daemon.core import Overrun, Stopped
from controller.daemon.pace import Pace
from controller.daemon.peers import caller_of, is_trusted, peer_of
from controller.daemon.refusals import TooOften
from controller.daemon.seen import Stale
from controller.daemon.slots import Slot, Slots
from controller.daemon.socket_file import bound, locked
from controller.journal.entry import MAX_INTEGER
from controller.rules.faults import Refused
from controller.table.people import Role

MAX_LINE = 64 * 1024
#: A client that says nothing for so long is let go, unless it watches.
IDLE_S = 300.0
#: An answer takes no longer; an act that was begun is finished all the same.
ANSWER_S = 30.0
#: A client that does not read its answers is let go.
SEND_S = 10.0
#: Lines that are no request, or that are not allowed, before the connection is closed.
MAX_WRONG = 16
#: What the system allows for the name of a socket.
MAX_PATH = 107

_CODES: tuple[tuple[type[Exception], str], ...] = (
    (TooOften, "busy"),
    (Stale, "stale"),
    (PinNeeded, "pin"),
    (NotAllowed, "not allowed"),
    (NoSuch, "bad request"),
    (TableRefused, "refused"),
    (Refused, "refused"),
    (Stopped, "stopped"),
    (Overrun, "busy"),
)

Pin = Annotated[str, Meta(max_length=32)]
Number = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]


class Request(
    msgspec.Struct,
    forbid_unknown_fields=True,
    rename={"as_": "as", "given": "with", "from_": "from"},
):
    action: Annotated[str, Meta(min_length=1, max_length=64)]
    id: Number | Annotated[str, Meta(max_length=64)] | None = None
    given: dict[str, Any] = {}
    as_: Annotated[str, Meta(max_length=160)] = ""
    pin: Pin | None = None
    second_pin: Pin | None = None
    #: The address of whoever asks through the pages.
    from_: Annotated[str, Meta(min_length=1, max_length=48)] | None = None


_requests = msgspec.json.Decoder(Request)

W = TypeVar("W", bound="Watching")


class Watching(Protocol):
    async def next(self) -> Any: ...


class Served(Protocol[W]):
    """What is asked for through a socket: actions by name, and one of them that goes on."""

    #: The action after which come lines with ``change``.
    watched_by: str

    async def do(self, name: str, asked: Asked) -> dict[str, Any]: ...

    def watch(self) -> W: ...

    def leave(self, watcher: W) -> None: ...


class Control(Generic[W]):
    def __init__(
        self,
        path: Path,
        actions: Served[W],
        *,
        operators: dict[str, list[Role]],
        group: str,
        said: Callable[..., None],
        console: str = "",
    ) -> None:
        """Takes the place of a socket that nobody serves any more, or ``Refused``."""
        self.path = path
        self._actions = actions
        self._operators = operators
        self._said = said
        self._console = console
        self._slots = Slots()
        self._pace = Pace()
        self._tasks: set[asyncio.Task[None]] = set()
        if len(os.fsencode(path)) > MAX_PATH:
            raise Refused(str(path), f"is longer than {MAX_PATH} bytes", "set service.runtime")
        self._lock = locked(path)
        try:
            self._socket = bound(path, group)
        except BaseException:
            os.close(self._lock)
            raise
        self._inode = path.lstat().st_ino

    async def run(self) -> None:
        """As work of the service, until cancelled."""
        try:
            server = await asyncio.start_unix_server(self._come, sock=self._socket, limit=MAX_LINE)
            async with server:
                await server.serve_forever()
        finally:
            for task in self._tasks:
                task.cancel()
            self.close()

    def close(self) -> None:
        self._socket.close()
        # Only our own: somebody may have put another one there.
        with contextlib.suppress(OSError):
            if self.path.lstat().st_ino == self._inode:
                self.path.unlink()
        with contextlib.suppress(OSError):
            os.close(self._lock)
        self._lock = -1

    async def _come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = peer_of(writer.get_extra_info("socket"))
        caller = caller_of(peer, self._operators)
        trusted = is_trusted(peer, self._console)
        pace = None if trusted else partial(self._pace.wait_s, peer.uid)
        connection = _Connection(reader, writer, caller, self._actions, pace)
        slot = self._slots.take(peer, caller, trusted=trusted)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if isinstance(slot, str):
                self._said("control socket is full", user=peer.name, why=slot)
                await connection.send({"id": None, "ok": False, "code": "busy", "error": slot})
                return
            await connection.serve()
        except TimeoutError:
            why = "it said or read nothing in time"
            self._said("control client let go", user=peer.name, why=why)
        except OSError:
            return  # it has gone
        except asyncio.CancelledError:
            # felt ends. asyncio's streams would print that as an error, below what really is one.
            return
        finally:
            self._tasks.discard(task)
            if isinstance(slot, Slot):
                self._slots.leave(slot)
            connection.close()


class _Connection(Generic[W]):
    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        caller: Caller,
        actions: Served[W],
        pace: Callable[[float], float] | None,
    ) -> None:
        """With a ``pace``, somebody who waits, and who does not say where others are."""
        self.caller = caller
        self._device = caller.device
        caller.ended = self._ended
        self._pace = pace
        self._ending: asyncio.Task[None] | None = None
        self._answering = asyncio.Lock()
        self._reader = reader
        self._writer = writer
        self._actions = actions
        self._wrong = 0
        self._watcher: W | None = None
        self._forwarding: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        while self._wrong < MAX_WRONG:
            line = await self._line()
            if line is None:
                return
            if line.strip() and self._ending is None:
                if self._pace is not None:
                    await asyncio.sleep(self._pace(asyncio.get_running_loop().time()))
                async with self._answering:
                    await self._answer(line)

    async def _line(self) -> bytes | None:
        """The next line; None if there is no more, or none that could be one."""
        try:
            async with asyncio.timeout(None if self._watcher else IDLE_S):
                return await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            return None
        except asyncio.LimitOverrunError:
            error = f"a line is at most {MAX_LINE} bytes"
            await self.send({"id": None, "ok": False, "code": "bad request", "error": error})
            return None

    async def _answer(self, line: bytes) -> None:
        try:
            request = _requests.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._wrong += 1
            said = f"this is no request: {error}"
            await self.send({"id": None, "ok": False, "code": "bad request", "error": said})
            return
        answer: dict[str, Any]
        try:
            async with asyncio.timeout(ANSWER_S):
                result = await self._do(request)
        except TimeoutError:
            error_ = f"no answer within {ANSWER_S:.0f} s; ask again under the same id"
            answer = {"id": request.id, "ok": False, "code": "late", "error": error_}
        except tuple(kind for kind, _ in _CODES) as error:
            code = next(code for kind, code in _CODES if isinstance(error, kind))
            self._wrong += code in ("not allowed", "bad request")
            answer = {"id": request.id, "ok": False, "code": code, "error": str(error)}
        else:
            answer = {"id": request.id, "ok": True, "result": result}
        await self.send(answer)
        is_watch = request.action == self._actions.watched_by
        if is_watch and answer["ok"] and self._watcher is not None:
            self._begin_to_forward(request.id)

    async def _do(self, request: Request) -> dict[str, Any]:
        if request.from_ is not None and self._pace is not None:
            raise NoSuch("from", f"{self._device} does not say where somebody is", "leave it out")
        # Where somebody is who asks through the pages, wrong PINs and refused acts count for.
        self.caller.device = self._device if request.from_ is None else f"page {request.from_}"
        asked = Asked(self.caller, request.given, request.as_, request.pin, request.second_pin)
        if request.action == self._actions.watched_by:
            if self._watcher is not None:
                raise NoSuch(request.action, "this connection watches already")
            # Before the answer, so that nothing is missed in between.
            self._watcher = self._actions.watch()
        return await self._actions.do(request.action, asked)

    def _begin_to_forward(self, id_: int | str | None) -> None:
        if self._forwarding is None:
            self._forwarding = asyncio.create_task(self._forward(id_), name="felt watch")

    async def _forward(self, id_: int | str | None) -> None:
        assert self._watcher is not None
        try:
            while True:
                await self.send({"id": id_, "change": await self._watcher.next()})
        except (TimeoutError, OSError):
            self._writer.close()  # which ends the reading side as well

    def _ended(self, why: str) -> None:
        """What was opened under a PIN ends with it; whoever reads is told so first."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end(why), name="felt ends a proof")

    async def _end(self, why: str) -> None:
        with contextlib.suppress(TimeoutError, OSError):
            # What is being answered, be it the very act that ended it, is answered first.
            async with asyncio.timeout(SEND_S), self._answering:
                await self.send({"id": None, "ok": False, "code": "pin", "error": why})
        self._writer.close()

    async def send(self, answer: dict[str, Any]) -> None:
        self._writer.write(msgspec.json.encode(answer) + b"\n")
        async with asyncio.timeout(SEND_S):
            await self._writer.drain()

    def close(self) -> None:
        if self._forwarding is not None:
            self._forwarding.cancel()
        self.caller.proven.clear()
        if self._watcher is not None:
            self._actions.leave(self._watcher)
        self._writer.close()
