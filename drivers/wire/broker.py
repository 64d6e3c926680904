"""A broker inside felt, for a table that has none: on this machine only, for its own devices.

It is amqtt, which is imported when such a broker is started. It keeps nothing over a restart, and
not always what is said to somebody who is away; felt and its devices do not rely on either. Whoever
runs on the machine may connect: who is a device is still proved by its key.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

from drivers.wire.broker_client import Account

HOST = "127.0.0.1"
#: By this name amqtt knows where a connection came in.
LISTENER = "default"
MAX_CONNECTIONS = 100
#: The longest packet of MQTT that is taken, without the five bytes in front of it. What devices say
#: is 4096 bytes and a topic; felt's list of all topics that it listens to may be longer.
MAX_PACKET = 32 * 1024
#: A packet begins with a byte for its kind and up to four for its length.
LONGEST_FRONT = 5
#: How long it may take to end: then what is left of it is left.
ENDS_WITHIN_S = 5.0
#: Its warnings are about single clients, and each says little: no more than so many are passed on.
MAX_WARNINGS = 100

_LOGGERS = ("amqtt", "transitions")


class EmbeddedBroker:
    """``port`` 0 is any that is free. ``on_warning`` gets what amqtt complains about."""

    def __init__(self, port: int = 0, on_warning: Callable[[str], None] | None = None) -> None:
        self.port = port
        self._log = _Log(on_warning or (lambda said: None))
        # Their types would need the import.
        self._broker: Any = None
        self._adapters: Any = None
        self._server: asyncio.Server | None = None
        self._clients: dict[asyncio.Task[Any], asyncio.StreamWriter] = {}

    async def start(self) -> Account:
        """Listen, and say where. Raises OSError if the port is taken."""
        from amqtt import adapters  # noqa: PLC0415
        from amqtt.broker import Broker  # noqa: PLC0415
        from amqtt.contexts import BrokerConfig, ListenerConfig, ListenerType  # noqa: PLC0415

        # We listen ourselves: amqtt would leave a connection open that never says who it is.
        listener = ListenerConfig(type=ListenerType.EXTERNAL, bind=LISTENER)
        anonymous = "amqtt.plugins.authentication.AnonymousAuthPlugin"
        self._log.listen()
        self._adapters = adapters
        self._broker = Broker(
            BrokerConfig(
                listeners={LISTENER: listener}, plugins={anonymous: {"allow_anonymous": True}}
            )
        )
        await self._broker.start()
        try:
            self._server = await asyncio.start_server(self._connected, HOST, self.port)
        except OSError:
            await self.stop()
            raise
        self.port = self._server.sockets[0].getsockname()[1]
        return Account(HOST, self.port)

    async def stop(self) -> None:
        broker, self._broker = self._broker, None
        if broker is None:
            return
        if self._server is not None:
            self._server.close()
            self._server = None
        try:
            # Everybody is hung up on before amqtt is told to end. It would cancel what reads from
            # them, and a cancellation that comes together with a packet is lost in Python 3.11's
            # ``wait_for``: amqtt then waits for ever for a reader that reads on.
            for writer in self._clients.values():
                writer.transport.abort()
            if self._clients:
                await asyncio.wait(self._clients, timeout=ENDS_WITHIN_S)
            for task in self._clients:
                task.cancel()
            while self._clients:
                await asyncio.wait(self._clients)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ENDS_WITHIN_S):
                    await broker.shutdown()
        finally:
            self._log.stop()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or self._broker is None or len(self._clients) >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        self._clients[task] = writer
        task.add_done_callback(self._clients.pop)
        try:
            await self._broker.external_connected(
                _Bounded(reader, self._log.on_warning),
                self._adapters.StreamWriterAdapter(writer),
                LISTENER,
            )
        except asyncio.CancelledError:
            # By ``stop``, and nobody waits for more: asyncio would report an error otherwise.
            pass
        except Exception as error:  # amqtt's own: one connection is lost, and the client comes back
            self._log.on_warning(f"a connection ended in {error!r}")
        finally:
            writer.transport.abort()


class _Bounded:
    """What amqtt reads from, packet by packet: as it is, it would take 256 MB if somebody says so.

    The length in front of a packet tells, so no more than that is read of one that is too long.
    """

    def __init__(self, reader: asyncio.StreamReader, on_warning: Callable[[str], None]) -> None:
        self._reader = reader
        self._on_warning = on_warning
        self._packet = bytearray()

    async def read(self, n: int = -1) -> bytes:
        """Less than ``n`` bytes only where a packet ends before it should."""
        if not self._packet:
            await self._next()
        data = bytes(self._packet[:n] if n >= 0 else self._packet)
        del self._packet[: len(data)]
        return data

    def feed_eof(self) -> None:
        self._reader.feed_eof()

    async def _next(self) -> None:
        front = bytearray(await self._reader.readexactly(2))
        while front[-1] & 0x80 and len(front) < LONGEST_FRONT:
            front += await self._reader.readexactly(1)
        length = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(front[1:]))
        if front[-1] & 0x80 or length > MAX_PACKET:
            self._on_warning(f"a packet of more than {MAX_PACKET} bytes: its sender is hung up on")
            # To amqtt the sender has gone: it does what it does then, and closes.
            raise ConnectionResetError
        self._packet = front + await self._reader.readexactly(length)


class _Log(logging.Handler):
    """Takes amqtt's log to itself: as it is, it writes a line for every packet."""

    def __init__(self, on_warning: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self.on_warning = on_warning
        self._left = MAX_WARNINGS

    def emit(self, record: logging.LogRecord) -> None:
        if self._left > 0:
            self._left -= 1
            self.on_warning(record.getMessage())

    def listen(self) -> None:
        for name in _LOGGERS:
            logger = logging.getLogger(name)
            logger.addHandler(self)
            logger.propagate = False
            logger.setLevel(logging.WARNING)

    def stop(self) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).removeHandler(self)
