"""The control socket: the actions of a running table, for programs on the same PC.

A line of JSON asks, a line of JSON answers:

    {"id": 1, "action": "seat_paid", "with": {"seat": 3}, "as": "dealer-1:dealer", "pin": "1234"}
    {"id": 1, "ok": true, "result": {...}}
    {"id": 1, "ok": false, "code": "refused", "error": "..."}

After ``watch`` come lines with ``change`` under the same id. Everything is bounded: clients, the
length of a line, how long one may take, and how often one may be refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import grp
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Meta

from controller.daemon.access import Caller, NotAllowed, PinNeeded
from controller.daemon.action import Asked, NoSuch, TableRefused
from controller.daemon.core import Overrun, Stopped
from controller.daemon.peers import caller_of, peer_of
from controller.daemon.refusals import TooOften
from controller.daemon.seen import Stale
from controller.rules.faults import Refused
from controller.table.people import Role

MAX_LINE = 64 * 1024
MAX_CLIENTS = 32
#: Of these, so many may be people who may only look: they never crowd out who has to act.
MAX_LOOKING = 16
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

MODE = 0o660

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


class Request(msgspec.Struct, forbid_unknown_fields=True, rename={"as_": "as", "given": "with"}):
    action: Annotated[str, Meta(min_length=1, max_length=64)]
    id: int | Annotated[str, Meta(max_length=64)] | None = None
    given: dict[str, Any] = {}
    as_: Annotated[str, Meta(max_length=160)] = ""
    pin: Pin | None = None
    second_pin: Pin | None = None


_requests = msgspec.json.Decoder(Request)

W = TypeVar("W", bound="Watching")


class Watching(Protocol):
    async def next(self) -> dict[str, Any]: ...


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
    ) -> None:
        """Takes the place of a socket that nobody serves any more, or ``Refused``."""
        self.path = path
        self._actions = actions
        self._operators = operators
        self._said = said
        self._connections: set[_Connection[W]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        if len(os.fsencode(path)) > MAX_PATH:
            raise Refused(str(path), f"is longer than {MAX_PATH} bytes", "set service.runtime")
        self._lock = _locked(path)
        try:
            self._socket = _bound(path, group)
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
        connection = _Connection(reader, writer, caller, self._actions)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if full := self._full(caller):
                self._said("control socket is full", user=peer.name, why=full)
                await connection.send({"id": None, "ok": False, "code": "busy", "error": full})
                return
            self._connections.add(connection)
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
            self._connections.discard(connection)
            connection.close()

    def _full(self, caller: Caller) -> str:
        looking = sum(1 for one in self._connections if not one.caller.may)
        if len(self._connections) >= MAX_CLIENTS or (not caller.may and looking >= MAX_LOOKING):
            return f"{len(self._connections)} are connected to {self.path}; close one of them"
        return ""


class _Connection(Generic[W]):
    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        caller: Caller,
        actions: Served[W],
    ) -> None:
        self.caller = caller
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
            if line.strip():
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

    async def send(self, answer: dict[str, Any]) -> None:
        self._writer.write(msgspec.json.encode(answer) + b"\n")
        async with asyncio.timeout(SEND_S):
            await self._writer.drain()

    def close(self) -> None:
        if self._forwarding is not None:
            self._forwarding.cancel()
        if self._watcher is not None:
            self._actions.leave(self._watcher)
        self._writer.close()


# --- The socket's file --------------------------------------------------------


def _locked(path: Path) -> int:
    """The right to serve this socket: the system's lock, which ends with the process."""
    lock = path.with_suffix(".lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        step = "make the folder, or set service.runtime"
        raise Refused(str(lock), f"can't be written: {error.strerror}", step) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        problem = "is served by another felt"
        raise Refused(str(path), problem, "a table has one: stop the other one first") from None
    return handle


def _bound(path: Path, group: str) -> socket.socket:
    """Bound beside its place and moved there, so that it never stands there open to others."""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise Refused(str(path), "is there and is no socket", "move it away")
    beside = path.with_name(f".{path.name}")
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        beside.unlink(missing_ok=True)
        made.bind(str(beside))
        beside.chmod(MODE)
        if group:
            os.chown(beside, -1, grp.getgrnam(group).gr_gid)
        beside.replace(path)
    except KeyError:
        made.close()
        beside.unlink(missing_ok=True)
        raise Refused("service.control_group", f"there is no group {group!r}") from None
    except OSError as error:
        made.close()
        beside.unlink(missing_ok=True)
        raise Refused(str(path), f"can't be made: {error.strerror}") from None
    return made
