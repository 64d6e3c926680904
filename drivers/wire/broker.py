"""A broker inside felt, for a table that has none: on this machine only, for its own devices.

It is amqtt, which is imported when such a broker is started. It keeps nothing over a restart, and
nothing that is said to somebody who is away; felt and its devices do not rely on either.

amqtt hears of nobody who has not shown at the door who he is, and of no packet that its account may
not send. It has plugins for both, and asks them too late: it ends the session of whoever has the id
that a newcomer names, before it looks at the password, publishes a will without looking at rights,
and tells everybody who comes whatever is kept for anybody.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable
from typing import Any, NamedTuple

from drivers.wire.broker_accounts import Accounts, Rights
from drivers.wire.broker_client import Account
from drivers.wire.broker_door import HOST, Door
from drivers.wire.broker_gate import MAX_PACKET, Allowance, Gate, Way
from drivers.wire.broker_packets import Connect
from drivers.wire.broker_turned import Turned

#: By this name amqtt knows where a connection came in.
LISTENER = "default"
#: An account is one client, so this is for those that come again before they have gone.
MAX_CONNECTIONS = 100
#: How long it may take to end: then what is left of it is left.
ENDS_WITHIN_S = 5.0
REPLACED_WITHIN_S = 1.0
#: How often it is seen whether somebody has kept silent for longer than it said it would.
LOOK_S = 1.0
#: Of what a client has said is its longest silence; the standard has it so.
PATIENCE = 1.5
#: Its warnings are about single clients, and each says little: no more than so many are passed on.
MAX_WARNINGS = 100

_LOGGERS = ("amqtt", "transitions")


class _Client(NamedTuple):
    user: str
    gate: Gate
    transport: asyncio.WriteTransport


class EmbeddedBroker:
    """``port`` 0 is any that is free. ``on_warning`` is told what it turns away and amqtt says."""

    def __init__(
        self, accounts: Accounts, port: int = 0, on_warning: Callable[[str], None] | None = None
    ) -> None:
        self.port = port
        self.accounts = accounts
        self._log = _Log(on_warning or (lambda said: None))
        self._loop = asyncio.get_running_loop()
        self.turned = Turned(self._loop.time, self._log.on_warning)
        # Their types would need the import.
        self._broker: Any = None
        self._door: Door | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._clients: dict[asyncio.Task[None], _Client | None] = {}
        #: The connection that an account has, or that waits for the one before it to end.
        self._of: dict[str, asyncio.Task[None]] = {}

    @property
    def connections(self) -> int:
        return len(self._clients)

    async def start(self) -> Account:
        """Listen, and say where and as whom felt comes. Raises OSError if the port is taken."""
        from amqtt.broker import Broker  # noqa: PLC0415
        from amqtt.contexts import BrokerConfig, ListenerConfig, ListenerType  # noqa: PLC0415

        self.accounts.renew()
        # To amqtt everybody is anonymous: it keeps nothing for whoever is away then.
        anonymous = "amqtt.plugins.authentication.AnonymousAuthPlugin"
        listener = ListenerConfig(type=ListenerType.EXTERNAL, bind=LISTENER)
        self._log.listen()
        self._broker = Broker(
            BrokerConfig(
                listeners={LISTENER: listener}, plugins={anonymous: {"allow_anonymous": True}}
            )
        )
        await self._broker.start()
        self._door = Door(self.accounts, self.turned, self._admit)
        try:
            self.port = self._door.open(self.port)
        except OSError:
            await self.stop()
            raise
        self._looking = self._loop.call_later(LOOK_S, self._look)
        return self.accounts.as_felt(HOST, self.port)

    async def stop(self) -> None:
        broker, self._broker = self._broker, None
        if broker is None:
            return
        if self._looking is not None:
            self._looking.cancel()
        if self._door is not None:
            self._door.close()
            self._door = None
        try:
            # Everybody is hung up on before amqtt is told to end. It would cancel what reads from
            # them, and a cancellation that comes together with a packet is lost in Python 3.11's
            # ``wait_for``: amqtt then waits for ever for a reader that reads on.
            for client in self._clients.values():
                if client is not None:
                    client.transport.abort()
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

    # --- Who has come in ----------------------------------------------------------

    def _admit(self, sock: socket.socket, connect: Connect, rights: Rights, more: bytes) -> None:
        if len(self._clients) >= MAX_CONNECTIONS and not rights.is_felt:
            self.turned.away("crowd", rights.user)
            sock.close()
            return
        before = self._of.get(rights.user)
        task = self._loop.create_task(
            self._serve(sock, connect, rights, more, before), name=f"broker client {rights.user}"
        )
        self._of[rights.user] = task
        self._clients[task] = None
        task.add_done_callback(self._gone)

    def _gone(self, task: asyncio.Task[None]) -> None:
        client = self._clients.pop(task)
        if client is not None and self._of.get(client.user) is task:
            del self._of[client.user]

    async def _serve(
        self,
        sock: socket.socket,
        connect: Connect,
        rights: Rights,
        more: bytes,
        before: asyncio.Task[None] | None,
    ) -> None:
        reader = asyncio.StreamReader(limit=MAX_PACKET)
        protocol = asyncio.StreamReaderProtocol(reader)
        reader.feed_data(more)
        transport, _ = await self._loop.connect_accepted_socket(lambda: protocol, sock)
        try:
            writer = asyncio.StreamWriter(transport, protocol, reader, self._loop)
            way = Way(rights, writer, Allowance(rights, self._loop.time), self.turned)
            gate = Gate(connect, reader, way)
            task = asyncio.current_task()
            assert task is not None
            self._clients[task] = _Client(rights.user, gate, transport)
            await self._replace(before)
            if self._broker is not None and not transport.is_closing():
                await self._broker.external_connected(gate, way, LISTENER)
        except asyncio.CancelledError:
            # By ``stop``, and nobody waits for more: asyncio would report an error otherwise.
            pass
        except Exception as error:  # amqtt's own: one connection is lost, and the client comes back
            self._log.on_warning(f"a connection ended in {error!r}")
        finally:
            transport.abort()

    async def _replace(self, before: asyncio.Task[None] | None) -> None:
        """An account is one client, and the one that comes last is it."""
        if before is None or before.done():
            return
        if (client := self._clients.get(before)) is not None:
            client.transport.abort()
        # What amqtt has forgotten to end is ended here; who comes again need not wait long for it.
        await asyncio.wait([before], timeout=REPLACED_WITHIN_S)
        before.cancel()

    def _look(self) -> None:
        """Hang up on whoever has been silent for longer than it said.

        Looks are counted and not seconds: when the PC stood still, nobody could be heard.
        """
        self._looking = self._loop.call_later(LOOK_S, self._look)
        for client in list(self._clients.values()):
            if client is not None and client.gate.keepalive:
                client.gate.quiet += 1
                if client.gate.quiet * LOOK_S > PATIENCE * client.gate.keepalive + LOOK_S:
                    client.transport.abort()


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
