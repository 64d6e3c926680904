"""A broker inside felt, for a table that has none: on this machine only, for its own devices.

It is amqtt, which is imported when such a broker is started. It keeps nothing over a restart, and
not always what is said to somebody who is away; felt and its devices do not rely on either. Whoever
runs on the machine may connect: who is a device is still proved by its key.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from drivers.wire.broker_client import Account

HOST = "127.0.0.1"
#: By this name amqtt knows where a connection came in.
LISTENER = "default"
MAX_CONNECTIONS = 100
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
        self._clients: set[asyncio.Task[Any]] = set()

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
            async with asyncio.timeout(ENDS_WITHIN_S):
                await broker.shutdown()
                for task in self._clients:
                    task.cancel()
                while self._clients:
                    await asyncio.wait(self._clients)
        finally:
            self._log.stop()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or self._broker is None or len(self._clients) >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        self._clients.add(task)
        task.add_done_callback(self._clients.discard)
        try:
            await self._broker.external_connected(
                self._adapters.StreamReaderAdapter(reader),
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
