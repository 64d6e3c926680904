"""What a browser sends and hears, over real sockets and byte by byte where a test wants that."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect

from tests.drivers.wire.plugs import AT_LAST_S

Headers = dict[str, str]


class Answer(NamedTuple):
    status: int
    headers: Headers
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def asked(
    address: str,
    method: str,
    path: str,
    body: bytes | None = None,
    *,
    tls: ssl.SSLContext | None = None,
    more: str = "",
    **headers: str | None,
) -> Answer:
    """One request, on a connection of its own. ``host=None`` leaves a header out."""
    there = urlsplit(address)
    said: dict[str, str | None] = {"host": there.netloc, "connection": "close"}
    if body is not None:
        said |= {"content-type": "application/json", "content-length": str(len(body))}
        said |= {"origin": address.rstrip("/")}
    said |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name}: {value}\r\n" for name, value in said.items() if value is not None]
    head = f"{method} {path} HTTP/1.1\r\n{''.join(lines)}{more}\r\n".encode("latin-1")
    async with asyncio.timeout(AT_LAST_S), connected(address, tls) as (reader, writer):
        writer.write(head + (body or b""))
        await writer.drain()
        return parsed(await reader.read())


@contextlib.asynccontextmanager
async def connected(
    address: str, tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    there = urlsplit(address)
    reader, writer = await asyncio.open_connection(there.hostname, there.port, ssl=tls)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError, ssl.SSLError):
            await writer.wait_closed()


def parsed(data: bytes) -> Answer:
    head, _, body = data.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return Answer(int(status.split()[1]), {k.lower(): v for k, v in headers.items()}, body)


class Live:
    """A page's live connection. Everything that came is kept, as it came."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.frames: list[str] = []

    async def says(self, kind: str, **more: Any) -> None:
        await self.socket.send(json.dumps({"kind": kind, **more}))

    async def hears(
        self, kind: str, fits: Callable[[dict[str, Any]], Any] = lambda _: True
    ) -> dict[str, Any]:
        """The next message of a kind, of those that fit."""
        async with asyncio.timeout(AT_LAST_S):
            while True:
                frame = await self.socket.recv()
                assert isinstance(frame, str)
                self.frames.append(frame)
                message: dict[str, Any] = json.loads(frame)
                if message["kind"] == kind and fits(message):
                    return message

    async def picture(self, fits: Callable[[dict[str, Any]], Any] = lambda _: True) -> Any:
        """The next picture that fits, without what stands around it."""
        return (await self.hears("picture", lambda one: fits(one["picture"])))["picture"]

    async def since(self, seq: int) -> Any:
        """The next picture that has this entry of the journal in it."""
        return await self.picture(lambda one: one["seq"] >= seq)

    async def asks(self, kind: str, **more: Any) -> dict[str, Any]:
        """Say something that is answered, and the answer."""
        press = more.setdefault("press", str(uuid.uuid4()))
        await self.says(kind, **more)
        return await self.hears("answer", lambda one: one["press"] == press)

    async def signs_on(self, person: str, role: str, pin: str | None = None) -> dict[str, Any]:
        return await self.asks("sign_on", person=person, role=role, pin=pin)

    async def takes(
        self, seen: dict[str, Any], title: str, second: Any = None, **fields: Any
    ) -> dict[str, Any]:
        """Press what a picture offers under a title."""
        (offer,) = [one for one in seen["offers"] if title in one["title"]]
        return await self.asks(
            "take", table=seen["table"], offer=offer["id"], fields=fields, round=seen["round"],
            seq=seen["seq"], second=second,
        )  # fmt: skip


def cookie_of(answer: Answer) -> str:
    return answer.headers["set-cookie"].partition(";")[0]


@contextlib.asynccontextmanager
async def live(
    address: str, cookie: str = "", *, tls: ssl.SSLContext | None = None, **headers: str
) -> AsyncIterator[Live]:
    """As a page of the console opens it: with the cookie that came with the page."""
    if not cookie:
        cookie = cookie_of(await asked(address, "GET", "/api/session", tls=tls))
    more = {"Cookie": cookie, **{name.replace("_", "-"): text for name, text in headers.items()}}
    where = f"{address.replace('http', 'ws', 1)}live"
    origin = more.pop("origin", address.rstrip("/"))
    async with connect(
        where, origin=origin, additional_headers=more, ssl=tls, proxy=None,  # type: ignore[arg-type]
        max_size=1 << 24, compression=None,
    ) as socket:  # fmt: skip
        yield Live(socket)
