"""MQTT 3.1.1 byte by byte, for those at a broker who do what no library does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from drivers.wire.broker_client import Account

PING = bytes([0xC0, 0])
#: Answers: that one is in, or what for not.
IN, BAD_ID, BAD_LOGIN = 0, 2, 4
#: Only so that a test ends when what it waits for never comes; the broker misses nobody so soon.
AT_LAST_S = 300.0


def string(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return len(data).to_bytes(2, "big") + data


def packet(first: int, body: bytes) -> bytes:
    length, front = len(body), bytearray([first])
    while True:
        length, low = divmod(length, 128)
        front.append(low | (0x80 if length else 0))
        if not length:
            return bytes(front) + body


def connect(
    account: Account, name: str = "somebody", *, will: tuple[str, bytes] | None = None
) -> bytes:
    """With a clean session, as whoever it is, who may keep silent for long."""
    flags = 2 | (0xC0 if account.user else 0) | (0x2C if will else 0)
    body = string("MQTT") + bytes([4, flags, 255, 255]) + string(name)
    if will is not None:
        body += string(will[0]) + string(will[1])
    if account.user:
        body += string(account.user) + string(account.password)
    return packet(0x10, body)


def publish(topic: str, payload: bytes, *, number: int = 0, retained: bool = False) -> bytes:
    first = 0x30 | (2 if number else 0) | retained
    return packet(first, string(topic) + (number.to_bytes(2, "big") if number else b"") + payload)


def subscribe(number: int, *topics: str, qos: int = 1) -> bytes:
    wanted = b"".join(string(topic) + bytes([qos]) for topic in topics)
    return packet(0x82, number.to_bytes(2, "big") + wanted)


class Caller:
    """Somebody at the broker, with both hands on the wire."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def asks(self, data: bytes) -> int:
        """To come in; the broker's answer."""
        self.writer.write(data)
        return (await self.reader.readexactly(4))[3]

    async def next(self) -> tuple[int, bytes]:
        """What kind of packet comes, and what is in it."""
        first = (await self.reader.readexactly(1))[0]
        length = place = 0
        while True:
            byte = (await self.reader.readexactly(1))[0]
            length |= (byte & 0x7F) << 7 * place
            place += 1
            if not byte & 0x80:
                return first >> 4, await self.reader.readexactly(length)

    async def until(self, kind: int) -> bytes:
        async with asyncio.timeout(AT_LAST_S):
            while True:
                found, body = await self.next()
                if found == kind:
                    return body

    async def is_hung_up_on(self) -> None:
        await hung_up_on(self.reader)


async def hung_up_on(reader: asyncio.StreamReader) -> None:
    # Long before the broker would miss a sign of life.
    async with asyncio.timeout(AT_LAST_S):
        with contextlib.suppress(ConnectionError):
            await reader.read()


@contextlib.asynccontextmanager
async def calling(account: Account) -> AsyncIterator[Caller]:
    reader, writer = await asyncio.open_connection(account.host, account.port)
    try:
        yield Caller(reader, writer)
    finally:
        writer.transport.abort()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
