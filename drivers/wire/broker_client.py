"""One connection to a broker, by aiomqtt, and what that lacks.

aiomqtt 2.5 acknowledges a message before anybody has seen it, queues without bound, waits in vain
for a broker that hangs up instead of answering, and leaves the socket open when it gives up. So
this module reaches into it, and no other does; the version is pinned for that reason.

A connection is used once. Who wants another one makes it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

import aiomqtt
from aiomqtt.exceptions import MqttConnectError
from aiomqtt.types import PahoSocket
from paho.mqtt.client import Client as Paho
from paho.mqtt.client import DisconnectFlags, MQTTMessage
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

#: At least once: what is acknowledged by the broker has reached it, and no more is asked of it.
QOS = 1
#: Publishes that the broker has not acknowledged. One more is thrown away; its sender repeats it.
MAX_UNANSWERED = 256
#: So many are asked for at once: brokers bound the length of a packet.
MAX_TOPICS = 16
#: How long the network may take to reach it.
CONNECT_S = 2.0
#: How long the broker may take to answer: a connection, a subscription.
PATIENCE_S = 3.0
#: How long it may take to take leave of it.
LEAVING_S = 1.0
#: Nothing is heard of an idle broker for so long before it is asked. In whole seconds.
KEEPALIVE_S = 10
#: The packet that takes leave, as MQTT has it.
DISCONNECT = b"\xe0\x00"
#: For brokers' refusals, by the numbers that MQTT 5 gives them and paho gives the older ones.
_BAD_LOGIN = (134, 135)

# A line for every packet, and its warnings repeat what comes back as an error.
_QUIET = logging.getLogger("felt.mqtt")
_QUIET.setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files. A certificate of our own only if the broker asks for one."""

    ca: str
    certificate: str = ""
    key: str = ""

    def context(self) -> ssl.SSLContext:
        made = ssl.create_default_context(cafile=self.ca)
        made.minimum_version = ssl.TLSVersion.TLSv1_2
        if self.certificate:
            made.load_cert_chain(self.certificate, self.key or None)
        return made


@dataclass(frozen=True, slots=True)
class Account:
    """Who we are at which broker."""

    host: str
    port: int = 1883
    user: str = ""
    password: str = field(default="", repr=False)
    tls: TlsFiles | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


Nature = Literal[
    "refused", "unreachable", "name", "tls", "files", "not authorised", "no answer", "lost"
]


@dataclass(frozen=True, slots=True)
class BrokerTrouble:
    """Why there is no connection, and what to do about it. Both name the broker."""

    nature: Nature
    reason: str
    next_step: str


class NotConnected(Exception):
    def __init__(self, trouble: BrokerTrouble) -> None:
        super().__init__(f"{trouble.reason}; {trouble.next_step}")
        self.trouble = trouble


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker says in our name when the connection breaks. Retained."""

    topic: str
    payload: bytes


#: A topic, what was published to it, and whether it was kept there from before.
Take = Callable[[str, bytes, bool], None]


class Connection(aiomqtt.Client):
    """``take`` gets what is published; only when it has returned does the broker hear of it."""

    def __init__(
        self, account: Account, client_id: str, will: Will, take: Take, *, fresh: bool
    ) -> None:
        super().__init__(
            account.host,
            account.port,
            username=account.user or None,
            password=account.password or None,
            identifier=client_id,
            clean_session=fresh,
            will=aiomqtt.Will(will.topic, will.payload, QOS, retain=True),
            timeout=PATIENCE_S,
            keepalive=KEEPALIVE_S,
            logger=_QUIET,
            max_inflight_messages=MAX_UNANSWERED,
            max_queued_outgoing_messages=MAX_UNANSWERED,
        )
        self.account = account
        #: Publishes for which there was no room.
        self.dropped = 0
        self._take = take
        self._tls: ssl.SSLContext | None = None
        self._unanswered: OrderedDict[int, float] = OrderedDict()
        self._thread = threading.get_ident()
        self._all_said: asyncio.Future[None] | None = None
        self._client.manual_ack_set(True)
        self._client.connect_timeout = CONNECT_S
        # paho has no hook for a handshake that must not block: see ``_secured``.
        self._client._ssl_wrap_socket = self._secured  # type: ignore[assignment, method-assign]

    async def open(self) -> None:
        """Connect, or raise NotConnected."""
        pool = ThreadPoolExecutor(1, thread_name_prefix="felt broker")
        connecting = self._loop.run_in_executor(pool, self._client_connect)
        pool.shutdown(wait=False)
        try:
            await asyncio.shield(connecting)
            self._hurry(socket.TCP_NODELAY)
            # Not wait_for, here and below: it may forget that we were cancelled in that moment.
            await asyncio.wait([self._connected], timeout=PATIENCE_S)
            if not self._connected.done():
                raise TimeoutError
            self._connected.result()
        except asyncio.CancelledError:
            # The thread can't be stopped; what it opens must be closed again.
            await asyncio.wait([connecting], timeout=LEAVING_S)
            if connecting.done():
                self._hang_up(connecting)
            else:
                connecting.add_done_callback(self._hang_up)
            raise
        except (OSError, ValueError, aiomqtt.MqttError) as error:
            self._hang_up(connecting)
            raise NotConnected(trouble_with(self.account, error)) from None

    async def listen(self, topics: Sequence[str]) -> None:
        """Have what is published there delivered, or raise NotConnected."""
        for begin in range(0, len(topics), MAX_TOPICS):
            some = topics[begin : begin + MAX_TOPICS]
            codes = await self._granted(some)
            for topic, code in zip(some, codes, strict=False):
                if isinstance(code, ReasonCode) and code.value > QOS:
                    raise NotConnected(not_allowed(self.account, f"to read {topic}"))

    async def _granted(self, topics: Sequence[str]) -> Sequence[object]:
        result, mid = self._client.subscribe([(topic, QOS) for topic in topics])
        if result != MQTTErrorCode.MQTT_ERR_SUCCESS or mid is None:
            raise NotConnected(lost(self.account))
        granted: asyncio.Future[Any] = self._loop.create_future()
        self._pending_subscribes[mid] = granted
        try:
            await asyncio.wait(
                [granted, self.gone], timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            self._pending_subscribes.pop(mid, None)
        if granted.done():
            codes: Sequence[object] = granted.result()
            return codes
        raise NotConnected((lost if self.gone.done() else no_answer)(self.account))

    def say(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish without waiting. What finds no room is dropped and counted."""
        info = self._client.publish(topic, payload, QOS, retain)
        if info.rc == MQTTErrorCode.MQTT_ERR_SUCCESS:
            self._unanswered[info.mid] = self._loop.time()
        else:
            self.dropped += 1

    def stop_listening(self, topics: Sequence[str]) -> None:
        self._client.unsubscribe(list(topics))

    def listen_again(self, topics: Sequence[str]) -> None:
        self._client.subscribe([(topic, QOS) for topic in topics])

    @property
    def unanswered_since(self) -> float | None:
        """When the oldest publish went out that the broker has not acknowledged."""
        return next(iter(self._unanswered.values()), None)

    async def said(self) -> None:
        """All that was published is with the broker; or nobody waits for it any longer."""
        if self._unanswered and not self.gone.done():
            self._all_said = self._loop.create_future()
            await asyncio.wait(
                [self._all_said, self._disconnected],
                timeout=LEAVING_S,
                return_when=asyncio.FIRST_COMPLETED,
            )
            self._all_said = None

    @property
    def gone(self) -> asyncio.Future[None]:
        """Done when the connection has ended, whichever way."""
        return self._disconnected

    async def leave(self) -> None:
        """Have all of it said, tell the broker that we go, and wait until it hangs up.

        It keeps our will to itself then. paho would close at once: with something still unread that
        resets the connection, and the broker might take us for lost after all.
        """
        await self.said()
        # Acknowledgements of ours may still wait.
        self._client.loop_write()
        sock = self._client.socket()
        if sock is None or self._client.want_write():
            return
        self._take = _to_nobody
        with contextlib.suppress(OSError):
            sock.send(DISCONNECT)
            if isinstance(sock, socket.socket) and not isinstance(sock, ssl.SSLSocket):
                # amqtt hangs up only when it hears that nothing more will come.
                sock.shutdown(socket.SHUT_WR)
            await asyncio.wait([self.gone], timeout=LEAVING_S)

    def close(self) -> None:
        """Hang up, whatever is still on its way."""
        self._hang_up(None)

    def _hurry(self, option: int) -> None:
        sock = self._client.socket()
        if isinstance(sock, socket.socket):
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, option, 1)

    def _hang_up(self, _: object) -> None:
        self._client._sock_close()
        for future in (self._connected, self._disconnected):
            if not future.done():
                future.cancel()
            elif not future.cancelled():
                # Whoever waited for it has been told; asyncio would complain otherwise.
                future.exception()

    # --- In place of aiomqtt's own --------------------------------------------

    def _client_connect(self) -> None:
        """In a thread: names are looked up, files read and keys exchanged here."""
        if self.account.tls is not None:
            self._tls = self.account.tls.context()
            self._client.tls_set_context(self._tls)
        super()._client_connect()

    def _secured(self, sock: socket.socket) -> ssl.SSLSocket:
        """In place of paho's own, which leaves the socket open when it does not come about."""
        if self._tls is None:
            raise RuntimeError("there is nothing to secure it with")
        secured = self._tls.wrap_socket(
            sock, server_hostname=self.account.host, do_handshake_on_connect=False
        )
        try:
            secured.settimeout(CONNECT_S)
            secured.do_handshake()
        except ConnectionError as error:
            secured.close()
            raise ssl.SSLError(f"it hung up ({error.strerror})") from None
        except BaseException:
            secured.close()
            raise
        return secured

    def _on_socket_register_write(self, client: Paho, userdata: Any, sock: PahoSocket) -> None:
        # On the loop it is written when this turn of the loop ends, in one go. aiomqtt asks the
        # loop to watch the socket instead, and does so even when it has been closed meanwhile.
        if threading.get_ident() == self._thread:
            self._loop.call_soon(self._write)
        else:
            self._loop.call_soon_threadsafe(self._write)

    def _write(self) -> None:
        self._client.loop_write()
        sock = self._client.socket()
        if sock is not None and self._client.want_write():
            self._loop.add_writer(sock.fileno(), self._write)

    def _on_message(self, client: Paho, userdata: Any, message: MQTTMessage) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            topic = ""
        self._take(topic, bytes(message.payload), message.retain)
        client.ack(message.mid, message.qos)

    def _on_publish(
        self, client: Paho, userdata: Any, mid: int, reason_code: ReasonCode, properties: Properties
    ) -> None:
        self._unanswered.pop(mid, None)
        # A broker that collects small packets holds the answer to what we said until our system
        # has told it that this acknowledgement came, which can take 40 ms.
        self._hurry(socket.TCP_QUICKACK)
        if not self._unanswered and self._all_said is not None and not self._all_said.done():
            self._all_said.set_result(None)

    def _on_disconnect(
        self,
        client: Paho,
        userdata: Any,
        flags: DisconnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttError("hung up"))
            return
        super()._on_disconnect(client, userdata, flags, reason_code, properties)

    def _on_subscribe(
        self,
        client: Paho,
        userdata: Any,
        mid: int,
        reason_codes: list[ReasonCode],
        properties: Properties | None = None,
    ) -> None:
        # Not every subscription is waited for.
        if mid in self._pending_subscribes:
            super()._on_subscribe(client, userdata, mid, reason_codes, properties)

    def _on_unsubscribe(
        self,
        client: Paho,
        userdata: Any,
        mid: int,
        reason_codes: list[ReasonCode],
        properties: Properties | None = None,
    ) -> None:
        """Nobody waits for it."""


def _to_nobody(topic: str, payload: bytes, retained: bool) -> None:
    """We have left."""


# --- What is in the way -------------------------------------------------------


def trouble_with(account: Account, error: Exception) -> BrokerTrouble:  # noqa: PLR0911
    """An error of connecting to a broker, in words."""
    match error:
        case MqttConnectError(rc=ReasonCode(value=value)) if value in _BAD_LOGIN:
            return not_allowed(account, f"as {account.user!r}")
        case MqttConnectError():
            return BrokerTrouble(
                "refused",
                f"the broker at {account} refused: {error}",
                f"check its log at {account}",
            )
        case ssl.SSLError():
            return _tls(account, error)
        case socket.gaierror():
            return BrokerTrouble(
                "name",
                f"nobody knows the name {account.host} (for {account})",
                f"check the name and the DNS server, or write {account} as a number",
            )
        case FileNotFoundError() | PermissionError() | IsADirectoryError():
            return BrokerTrouble(
                "files",
                f"a file for the broker at {account} can't be read: {error}",
                f"check the paths under tls for {account} and who may read them",
            )
        case ConnectionRefusedError():
            return BrokerTrouble(
                "refused",
                f"nothing listens at {account}",
                f"start the broker at {account}, or check its port",
            )
        case TimeoutError():
            return no_answer(account)
        case OSError():
            return BrokerTrouble(
                "unreachable",
                f"{account} can't be reached: {error.strerror or error}",
                f"check the network cable and the address {account}",
            )
    if "timed out" in str(error):
        return no_answer(account)
    return lost(account)


def _tls(account: Account, error: ssl.SSLError) -> BrokerTrouble:
    if isinstance(error, ssl.SSLCertVerificationError):
        why = error.verify_message.rstrip(".")
        step = f"give felt the certificate that signed the one of {account}, for that name"
        return BrokerTrouble(
            "tls", f"the certificate of {account} is not to be trusted: {why}", step
        )
    # Only those that OpenSSL itself makes have a reason.
    why = str(getattr(error, "reason", None) or error).lower().replace("_", " ")
    return BrokerTrouble(
        "tls",
        f"no secure connection to {account}: {why}",
        f"check that {account} speaks TLS, and our own certificate and key",
    )


def not_allowed(account: Account, what: str) -> BrokerTrouble:
    return BrokerTrouble(
        "not authorised",
        f"the broker at {account} does not let us in {what}"
        if what.startswith("as")
        else f"the broker at {account} does not allow us {what}",
        f"check the user, its password and its rights at the broker {account}",
    )


def no_answer(account: Account) -> BrokerTrouble:
    return BrokerTrouble(
        "no answer",
        f"{account} does not answer",
        f"check that what runs at {account} is a broker, and restart it if it hangs",
    )


def lost(account: Account) -> BrokerTrouble:
    return BrokerTrouble(
        "lost",
        f"the broker at {account} hung up",
        f"look at the log of the broker at {account}: it ended, or only one of us speaks TLS",
    )
