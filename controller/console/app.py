"""What is served where: pages, their parts, the live connection, and the same for programs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from controller.console import messages, openapi, shown
from controller.console.acts import taken
from controller.console.guard import LIVE, Guard, Own
from controller.console.house import House
from controller.console.messages import HttpSignOff, HttpSignOn, HttpTake
from controller.console.page import Page
from controller.console.school_link import SchoolLink
from controller.console.sessions import LONGEST_S, Session
from controller.daemon.client import Answered
from controller.rules.faults import Refused

#: Pages that are open at once.
MAX_PAGES = 100
#: A table that was heard within so long is there.
THERE_MS = 2000

#: How a refusal is told over HTTP.
STATUS = {
    "refused": 409,
    "stale": 409,
    "not allowed": 403,
    "pin": 401,
    "bad request": 400,
    "busy": 429,
    "late": 504,
    "stopped": 503,
    "lost": 503,
}
FACES_OF_A_TABLE = ("dealer", "sign", "bench")

Endpoint = Callable[[Request], Awaitable[Response]]
_T = TypeVar("_T")


def application(house: House, own: Own) -> ASGIApp:
    console = _Console(house, own)
    routes = [
        Route("/", console.index),
        Route("/floor", console.floor),
        Route("/school", console.school),
        *(Route(f"/{face}/{{table}}", console.face(face)) for face in FACES_OF_A_TABLE),
        Route("/static/{name:path}", console.static),
        Route("/health", console.health),
        Route("/api/openapi.json", console.openapi),
        Route("/api/tables", console.tables),
        Route("/api/tables/{table}/picture", console.picture),
        Route("/api/school", console.school_state),
        Route("/api/session", console.session),
        Route("/api/sign-on", console.sign_on, methods=["POST"]),
        Route("/api/sign-off", console.sign_off, methods=["POST"]),
        Route("/api/tables/{table}/take", console.take, methods=["POST"]),
        WebSocketRoute(LIVE, console.live),
    ]
    handlers: dict[Any, Any] = {Refused: _refused, 404: _nothing, 405: _not_so}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), house, own)


class _Console:
    def __init__(self, house: House, own: Own) -> None:
        self._house = house
        self._secure = own.scheme == "https"
        # With this beginning a browser takes the cookie from nobody else, and over TLS only.
        self._cookie = "__Host-felt" if self._secure else "felt"

    # --- Pages ------------------------------------------------------------------

    async def index(self, request: Request) -> Response:
        return self._page(request, "index.html")

    async def floor(self, request: Request) -> Response:
        return self._page(request, "floor.html")

    async def school(self, request: Request) -> Response:
        self._school()
        return self._page(request, "school.html")

    def face(self, face: str) -> Endpoint:
        async def served(request: Request) -> Response:
            # Also of a table that is not there, or not yet: a screen that was switched on before
            # its table shows that it waits, and goes on by itself.
            return self._page(request, f"{face}.html")

        return served

    async def static(self, request: Request) -> Response:
        return self._file(request, request.path_params["name"])

    def _page(self, request: Request, name: str) -> Response:
        response = self._file(request, name)
        # Not to somebody who was led here from elsewhere: their browser keeps ours to itself then,
        # and a new one would sign them off.
        if request.headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            self._give_cookie(response, request)
        return response

    def _file(self, request: Request, name: str) -> Response:
        asset = self._house.assets.get(name)
        if asset is None:
            raise Answered("bad request", "there is no such page")
        headers = {
            "cache-control": "no-cache",
            "content-type": asset.kind,
            "vary": "accept-encoding",
        }
        packs = bool(asset.packed) and "gzip" in request.headers.get("accept-encoding", "")
        headers["etag"] = f'"{asset.etag}{"-gzip" if packs else ""}"'
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        if packs:
            headers["content-encoding"] = "gzip"
        return Response(asset.packed if packs else asset.data, headers=headers)

    # --- Live -------------------------------------------------------------------

    async def live(self, socket: WebSocket) -> None:
        if self._house.pages >= MAX_PAGES:
            await socket.close(1013, "too many pages are open")
            return
        address = _address(socket)
        token = socket.cookies.get(self._cookie, "")
        headers: list[tuple[bytes, bytes]] = []
        if not self._house.sessions.is_good(token):
            token = self._house.sessions.new_token()
            headers.append((b"set-cookie", self._set_cookie(token).encode()))
        await socket.accept(headers=headers)
        self._house.pages += 1
        try:
            abort = socket.scope["state"]["abort"]
            await Page(socket, self._house, address=address, token=token, abort=abort).run()
        finally:
            self._house.pages -= 1

    # --- For programs -----------------------------------------------------------

    async def health(self, request: Request) -> Response:
        """Whether the console runs, and hears its tables."""
        heard = {one.name: one.heard_ms() for one in self._house.links()}
        lost = [
            one.name
            for one in self._house.links()
            if one.lost is not None or (one.heard_ms() or 0) > THERE_MS
        ]
        found = {"ok": not lost, "heard_ms": heard, "lost": lost, "pages": self._house.pages}
        return _json({**found, **self._house.version()}, 503 if lost else 200)

    async def openapi(self, request: Request) -> Response:
        return _json(openapi.described())

    async def tables(self, request: Request) -> Response:
        found = [
            {**one, "heard_ms": self._house.link(one["table"]).heard_ms()}
            for one in self._house.listed()
        ]
        return _json({"tables": found, **self._house.version()})

    async def picture(self, request: Request) -> Response:
        link = self._house.link(request.path_params["table"])
        if not link.watchers:
            # Nobody looks, so the one at hand may be old.
            raw = await link.question("picture", {})
            return _json({"table": link.name, "age_ms": 0, "picture": raw})
        message = shown.table(link, "dealer")
        if message["kind"] == "lost":
            raise Answered("lost", f"{message['why']}; {message['next_step']}")
        return _json({name: message[name] for name in ("table", "age_ms", "picture")})

    async def school_state(self, request: Request) -> Response:
        """The drills, the one that runs, and its report once it has ended."""
        return _json(self._school().state)

    def _school(self) -> SchoolLink:
        school = self._house.school
        if school is None or not school.is_there:
            raise Answered("bad request", "no school is kept here; felt school keeps one")
        return school

    async def session(self, request: Request) -> Response:
        session = self._session(request)
        response = _json({"session": None if session is None else self._shown(session)})
        self._give_cookie(response, request)
        return response

    async def sign_on(self, request: Request) -> Response:
        given = await _given(request, HttpSignOn)
        address = _address(request)
        if not self._house.sign_ons.take(address):
            raise Answered("busy", "too many have tried to sign on from here; wait a minute")
        if (before := self._session(request)) is not None:
            self._house.sessions.sign_off(before, "somebody else has signed on here", duty=False)
        token = self._house.sessions.new_token()
        session = await self._house.sessions.sign_on(
            token,
            address,
            face=given.face,
            person=given.person,
            role=given.role,
            pin=given.pin,
            tables=self._house.chosen(given.tables),
        )
        response = _json({"ok": True, "session": self._shown(session)})
        response.headers["set-cookie"] = self._set_cookie(token)
        return response

    async def sign_off(self, request: Request) -> Response:
        given = await _given(request, HttpSignOff)
        session = self._session(request)
        if session is not None:
            why = "the screen is locked" if given.lock else "signed off"
            self._house.sessions.sign_off(session, why, duty=not given.lock)
        response = _json({"ok": True, "session": None})
        response.headers["set-cookie"] = self._set_cookie(self._house.sessions.new_token())
        return response

    async def take(self, request: Request) -> Response:
        given = await _given(request, HttpTake)
        session = self._session(request)
        if session is not None:
            self._house.sessions.touch(session)
        result = await taken(self._house, session, given, request.path_params["table"])
        return _json({"ok": True, "result": result})

    # --- Sessions ---------------------------------------------------------------

    def _session(self, request: Request) -> Session | None:
        token = request.cookies.get(self._cookie, "")
        return self._house.sessions.of(token, _address(request))

    def _shown(self, session: Session) -> dict[str, Any]:
        return self._house.sessions.shown(session)

    def _give_cookie(self, response: Response, request: Request) -> None:
        """A name for a browser that has none, or one that is spent."""
        if not self._house.sessions.is_good(request.cookies.get(self._cookie, "")):
            response.headers["set-cookie"] = self._set_cookie(self._house.sessions.new_token())

    def _set_cookie(self, token: str) -> str:
        secure = "; Secure" if self._secure else ""
        age = int(LONGEST_S)
        return f"{self._cookie}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}"


async def _given(request: Request, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Answered("bad request", f"this is no {kind.__name__}: {error}") from None


def _address(connection: Request | WebSocket) -> str:
    return connection.client.host if connection.client else ""


def _json(found: Any, status: int = 200) -> Response:
    headers = {"content-type": "application/json", "cache-control": "no-store"}
    return Response(messages.encode(found), status, headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    told = shown.refused(error)
    status = STATUS.get(told["code"], 409)
    if request.method in ("GET", "HEAD") and told["code"] == "bad request":
        status = 404  # what is asked for by its address, and is not there
    return _json({"ok": False, **told}, status)


async def _nothing(request: Request, error: Exception) -> Response:
    return _json({"ok": False, "code": "bad request", "error": "there is no such page"}, 404)


async def _not_so(request: Request, error: Exception) -> Response:
    words = f"{request.method} is not for this address"
    return _json({"ok": False, "code": "bad request", "error": words}, 405)
