"""As much of MQTT 3.1.1 as a device of felt needs: one connection, quality of service 1, a will."""

from __future__ import annotations

import select
import socket
import ssl
import time
from typing import NamedTuple

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 1, 2, 3, 4, 8, 9
PINGREQ, PINGRESP, DISCONNECT = 12, 13, 14
#: felt's own broker takes no longer one than a minute.
KEEP_ALIVE_S = 20
ANSWER_S = 10.0
LONGEST = 8192


class Lost(Exception):
    """The broker is not there, or is no more."""


class Message(NamedTuple):
    topic: str
    payload: bytes
    retained: bool


def _text(data: str | bytes) -> bytes:
    coded = data.encode() if isinstance(data, str) else data
    return len(coded).to_bytes(2, "big") + coded


def _packet(kind: int, flags: int, body: bytes) -> bytes:
    length, left = b"", len(body)
    while True:
        left, byte = left >> 7, left & 0x7F
        length += bytes((byte | 0x80 if left else byte,))
        if not left:
            return bytes((kind << 4 | flags,)) + length + body


class Connection:
    """Raises ``Lost`` from any of its methods when it is."""

    def __init__(
        self,
        host: str,
        port: int,
        name: str,
        will: tuple[str, bytes],
        *,
        user: str = "",
        password: str = "",
        ca: str = "",
    ) -> None:
        self._data = b""
        self._number = 0
        self._heard_at = self._said_at = time.monotonic()
        try:
            self._socket = socket.create_connection((host, port), ANSWER_S)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if ca:
                context = ssl.create_default_context(cafile=ca)
                self._socket = context.wrap_socket(self._socket, server_hostname=host)
        except OSError as error:
            raise Lost(f"{host}:{port}: {error}") from None
        # A clean session, and a will that is kept, with quality of service 1.
        flags = 0x02 | 0x04 | 0x08 | 0x20 | (0x80 if user else 0) | (0x40 if password else 0)
        body = _text("MQTT") + bytes((4, flags)) + KEEP_ALIVE_S.to_bytes(2, "big") + _text(name)
        body += _text(will[0]) + _text(will[1])
        body += (_text(user) if user else b"") + (_text(password) if password else b"")
        self._send(CONNECT, 0, body)
        if self._wait_for(CONNACK)[1]:
            self.close()
            raise Lost("the broker does not want us: look at the user and its password")

    def close(self) -> None:
        self._socket.close()

    def leave(self) -> None:
        """In good order: the will is not published."""
        self._send(DISCONNECT, 0, b"")
        self.close()

    def subscribe(self, topic: str) -> None:
        self._send(SUBSCRIBE, 2, self._next() + _text(topic) + b"\1")
        if self._wait_for(SUBACK)[-1] == 0x80:
            raise Lost(f"the broker does not let us hear {topic}")

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        # What becomes of it felt says: it is repeated until that is heard, and no sooner.
        self._send(PUBLISH, 0x02 | retain, _text(topic) + self._next() + payload)

    def receive(self, seconds: float) -> Message | None:
        """The next message that comes within this time."""
        until = time.monotonic() + seconds
        while True:
            found = self._one(max(0.0, until - time.monotonic()))
            if found is None:
                self._keep_alive()
                return None
            if found[0] >> 4 == PUBLISH:
                return self._published(*found)

    def _published(self, first: int, body: bytes) -> Message:
        length = int.from_bytes(body[:2], "big")
        topic, rest = body[2 : 2 + length].decode(errors="replace"), body[2 + length :]
        if first & 0x06:
            self._send(PUBACK, 0, rest[:2])
            rest = rest[2:]
        return Message(topic, rest, bool(first & 1))

    def _keep_alive(self) -> None:
        now = time.monotonic()
        if now - self._heard_at > 1.5 * KEEP_ALIVE_S:
            raise Lost("the broker says nothing any more")
        if now - self._said_at > KEEP_ALIVE_S / 2:
            self._send(PINGREQ, 0, b"")

    def _next(self) -> bytes:
        self._number = self._number % 0xFFFF + 1
        return self._number.to_bytes(2, "big")

    def _send(self, kind: int, flags: int, body: bytes) -> None:
        try:
            self._socket.sendall(_packet(kind, flags, body))
        except OSError as error:
            raise Lost(str(error)) from None
        self._said_at = time.monotonic()

    def _wait_for(self, kind: int) -> bytes:
        until = time.monotonic() + ANSWER_S
        while (left := until - time.monotonic()) > 0:
            found = self._one(left)
            if found is not None and found[0] >> 4 == kind:
                return found[1]
        self.close()
        raise Lost("the broker does not answer")

    def _one(self, seconds: float) -> tuple[int, bytes] | None:
        until = time.monotonic() + seconds
        while (whole := self._cut()) is None:
            pending = isinstance(self._socket, ssl.SSLSocket) and self._socket.pending()
            left = max(0.0, until - time.monotonic())
            if not pending and not select.select([self._socket], [], [], left)[0]:
                return None
            try:
                data = self._socket.recv(4096)
            except OSError as error:
                raise Lost(str(error)) from None
            if not data:
                raise Lost("the broker hung up")
            self._data += data
            self._heard_at = time.monotonic()
        return whole

    def _cut(self) -> tuple[int, bytes] | None:
        """The first packet of what has come, if it is whole."""
        length = shift = 0
        for at, byte in enumerate(self._data[1:5], 2):
            length |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                if length > LONGEST:
                    raise Lost("the broker says more than it may")
                if len(self._data) < at + length:
                    return None
                whole = self._data[0], self._data[at : at + length]
                self._data = self._data[at + length :]
                return whole
        if len(self._data) >= 5:
            raise Lost("what listens there is no broker")
        return None
