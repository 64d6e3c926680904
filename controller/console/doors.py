"""Connections: how many there are, and how long one may take to say what it wants.

uvicorn bounds neither a client that sends its request byte by byte nor one that never reads. Both
are let go here, so that a browser with a bad network, or a bad will, keeps nothing from others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from controller.console.limits import MAX_CONNECTIONS, MAX_CONNECTIONS_EACH

#: A request is complete within so long, and its answer read.
REQUEST_S = 10.0


class Doors:
    """Who is in, by address."""

    def __init__(self, said: Callable[..., None]) -> None:
        self._said = said
        self._inside: Counter[str] = Counter()

    def come(self, address: str) -> bool:
        of_all = self._inside.total()
        if self._inside[address] >= MAX_CONNECTIONS_EACH or of_all >= MAX_CONNECTIONS:
            self._said("connection refused", address=address, why="too many are open")
            return False
        self._inside[address] += 1
        return True

    def go(self, address: str) -> None:
        self._inside[address] -= 1
        if self._inside[address] <= 0:
            del self._inside[address]

    def protocols(self) -> tuple[type[H11Protocol], type[WebSocketsSansIOProtocol]]:
        """What uvicorn is given to speak: its own, with these bounds."""
        doors = self

        class Http(H11Protocol):
            _address = ""
            _upgraded = False
            _timer: asyncio.TimerHandle | None = None
            _seen: Any = None

            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                address = self.client[0] if self.client else ""
                if not doors.come(address):
                    transport.abort()
                    return
                self._address = address
                self._look_again()

            def connection_lost(self, exc: Exception | None) -> None:
                self._out()
                super().connection_lost(exc)

            def handle_websocket_upgrade(self, event: h11.Request) -> None:
                # It stays inside, and goes with the protocol that takes over.
                self._upgraded = True
                self._stop_looking()
                self.app_state = {**self.app_state, "address": self._address}
                super().handle_websocket_upgrade(event)

            def _out(self) -> None:
                self._stop_looking()
                if self._address and not self._upgraded:
                    doors.go(self._address)
                    self._address = ""

            def _stop_looking(self) -> None:
                if self._timer is not None:
                    self._timer.cancel()

            def _look_again(self) -> None:
                self._seen = self.cycle
                self._timer = self.loop.call_later(REQUEST_S, self._must_have_moved)

            def _must_have_moved(self) -> None:
                """The same request as a while ago, or none at all since: that is enough."""
                if self.cycle is self._seen:
                    self.transport.abort()
                else:
                    self._look_again()

        class Socket(WebSocketsSansIOProtocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                super().connection_made(transport)
                # A page that does not read is let go without a word that it would not read.
                self.app_state = {**self.app_state, "abort": self.transport.abort}

            def connection_lost(self, exc: Exception | None) -> None:
                doors.go(self.app_state["address"])
                super().connection_lost(exc)

        return Http, Socket
