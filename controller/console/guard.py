"""Before anything else looks at a request: is it from a page of ours, and is it not too much.

A browser tells where a request comes from, and no script of another site can change that: Origin,
Sec-Fetch-Site, Host. So a page of somebody else can neither act here nor read, not even under a
name that it has let point to this PC. What is refused never reaches a table, and goes to the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.console.limits import Limit

MAX_BODY = 32 * 1024
BODY_S = 5.0
#: So long a connection that asks too much waits for its refusal, and asks nothing meanwhile.
PAUSE_S = 0.02
LIVE = "/live"
#: What a browser loads for a page, rather than as one.
PARTS = ("/api/", "/static/", "/health", LIVE)

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types lit-html",
    )
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
]


class Own(NamedTuple):
    """Under which names the console is reached."""

    scheme: str
    #: As they stand in a Host header: "127.0.0.1:8400".
    hosts: frozenset[str]

    @classmethod
    def at(cls, names: Iterable[str], port: int, *, tls: bool) -> Own:
        bare = [f"[{name}]" if ":" in name else name.lower() for name in names]
        hosts = {f"{name}:{port}" for name in bare}
        if port == (443 if tls else 80):
            hosts.update(bare)
        return cls("https" if tls else "http", frozenset(hosts))


class Asked(Protocol):
    """Who is asked by those that come in: how much each may ask, and where it is told."""

    requests: Limit
    said: Callable[..., None]


class _No(Exception):
    def __init__(self, status: int, code: str, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.code = code


class Guard:
    def __init__(self, app: ASGIApp, house: Asked, own: Own) -> None:
        self._app = app
        self._house = house
        self._own = own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            headers = self._allowed(scope)
            if scope["method"] == "POST":
                self._must_be_a_press(headers)
                receive = _once(await _body(headers, receive))
            elif scope["method"] not in ("GET", "HEAD"):
                raise _No(405, "bad request", f"{scope['method']} is not served")
            else:
                self._must_be_for_us(scope, headers)
        except _No as no:
            self._refused(scope, no)
            await _answer(send, no)
            return
        await self._app(scope, receive, send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            headers = self._allowed(scope)
            if scope["path"] != LIVE:
                raise _No(404, "bad request", f"live pages connect to {LIVE}")
            self._must_be_ours(headers)
        except _No as no:
            self._refused(scope, no)
            await receive()
            await _answer(send, no, "websocket.http.response")
            return
        await self._app(scope, receive, send)

    def _allowed(self, scope: Scope) -> dict[str, str]:
        """Its headers, if it may ask at all. What is said twice is not allowed to differ."""
        if not self._house.requests.take(_address(scope)):
            raise _No(429, "busy", "too many requests from this address; wait a moment")
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            said = value.decode("latin-1")
            if headers.setdefault(name.decode("latin-1"), said) != said and name in _ONCE:
                raise _No(400, "bad request", f"{name.decode('latin-1')} is said twice")
        if headers.get("host", "").lower() not in self._own.hosts:
            raise _No(421, "not allowed", "the console is not reached by this name; see --name")
        raw = scope.get("raw_path", b"").lower()
        if any(part in raw for part in _CLIMBING) or "\x00" in scope["path"]:
            raise _No(400, "bad request", "this path is not taken")
        return headers

    def _must_be_ours(self, headers: dict[str, str]) -> None:
        """From a page that the console itself has served, under the name that it is asked by."""
        if headers.get("origin", "").lower() != f"{self._own.scheme}://{headers['host'].lower()}":
            raise _No(403, "not allowed", "this comes from a page of another origin, or of none")
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise _No(403, "not allowed", "this comes from a page of another site")

    def _must_be_a_press(self, headers: dict[str, str]) -> None:
        self._must_be_ours(headers)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise _No(415, "bad request", "the body must be application/json")

    def _must_be_for_us(self, scope: Scope, headers: dict[str, str]) -> None:
        if "origin" in headers:
            self._must_be_ours(headers)
        if headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
            return
        # A link elsewhere may lead to a page; nothing else of ours is for other sites.
        leads_here = headers.get("sec-fetch-mode") == "navigate"
        top = headers.get("sec-fetch-dest") == "document"
        if not (leads_here and top) or scope["path"].startswith(PARTS):
            raise _No(403, "not allowed", "this comes from a page of another site")

    def _refused(self, scope: Scope, no: _No) -> None:
        path = scope["path"][:100]
        self._house.said("request refused", address=_address(scope), path=path, why=str(no))


_ONCE = frozenset({b"host", b"origin", b"content-length", b"content-type", b"sec-fetch-site"})
_CLIMBING = (b"..", b"%2e", b"%2f", b"%5c", b"\\", b"//", b"%00")


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


async def _body(headers: dict[str, str], receive: Receive) -> bytes:
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > MAX_BODY:
        raise _No(413, "bad request", f"a body is at most {MAX_BODY} bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise _No(400, "bad request", "the body was not sent whole")
                body += message.get("body", b"")
                if len(body) > MAX_BODY:
                    raise _No(413, "bad request", f"a body is at most {MAX_BODY} bytes")
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise _No(408, "late", f"the body did not come within {BODY_S:.0f} s") from None


def _once(body: bytes) -> Receive:
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return left.pop() if left else {"type": "http.disconnect"}

    return receive


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        await send(message)

    return sent


async def _answer(send: Send, no: _No, kind: str = "http.response") -> None:
    body = msgspec.json.encode({"ok": False, "code": no.code, "error": str(no)})
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    if no.status == 429:
        headers.append((b"retry-after", b"1"))
        # Whoever asks without a pause is given one: else saying no would be all that is done.
        await asyncio.sleep(PAUSE_S)
    await send({"type": f"{kind}.start", "status": no.status, "headers": headers})
    await send({"type": f"{kind}.body", "body": body})
