"""Metrics over HTTP for a collector on the same PC, and nothing else.

One short request, one answer, and the connection is closed. It listens on the PC itself only, or
where a socket unit of the operator's has it listen: what leaves the PC is for them to decide.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

HERE = "127.0.0.1"
MAX_REQUEST = 4096
MAX_CLIENTS = 8
DEADLINE_S = 5.0


class Scrape:
    def __init__(
        self,
        port: int,
        text: Callable[[], str],
        said: Callable[..., None],
        handed: socket.socket | None = None,
    ) -> None:
        """``handed`` is a socket that listens already, in place of the port."""
        self._port = port
        self._handed = handed
        self._text = text
        self._said = said
        self._clients = 0
        #: Where it listens, once it does.
        self.port = 0
        self.listens = asyncio.Event()

    async def run(self) -> None:
        """As work of the service. A port that is taken is said, and is no reason to stop."""
        try:
            where = (HERE, self._port) if self._handed is None else ()
            server = await asyncio.start_server(
                self._serve, *where, sock=self._handed, limit=MAX_REQUEST
            )
        except OSError as error:
            step = "free the port, or give metrics_port another number"
            why = f"{HERE}:{self._port}: {error.strerror}"
            self._said("no metrics over HTTP", why=why, next_step=step)
            return
        name = server.sockets[0].getsockname()
        self.port = name[1] if isinstance(name, tuple) else 0
        self.listens.set()
        async with server:
            await server.serve_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients += 1
        try:
            async with asyncio.timeout(DEADLINE_S):
                answer = await self._answer(reader)
                writer.write(answer)
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            pass  # it went away, or never said what it wants
        except asyncio.CancelledError:
            pass  # felt ends; asyncio's streams would print that as an error
        finally:
            self._clients -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> bytes:
        if self._clients > MAX_CLIENTS:
            return _response("503 Service Unavailable", "too many at once\n")
        try:
            request = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            return _response("431 Request Header Fields Too Large", "too long\n")
        if not request.startswith((b"GET /metrics ", b"GET / ")):
            return _response("404 Not Found", "only GET /metrics is here\n")
        return _response("200 OK", self._text())


def _response(status: str, text: str) -> bytes:
    body = text.encode()
    head = (
        f"HTTP/1.1 {status}\r\n"
        "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
