"""What passes between one account and the broker inside felt: its own topics, no more, in measure.

amqtt reads from a ``Gate`` and writes to a ``Way``, both packet by packet. What an account may not
say is thrown away and acknowledged, as at mosquitto. What it says faster than it is asked is left
in its socket until it is due: so a burst cuts nobody off, and little waits for felt.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from math import inf
from typing import NoReturn

from drivers.wire import broker_packets as packets
from drivers.wire.broker_accounts import Rights
from drivers.wire.broker_packets import Connect, Filter, Malformed
from drivers.wire.broker_turned import Turned

#: The longest packet of MQTT that is taken, without the five bytes in front of it: as mosquitto is
#: set up. What devices say is 4096 bytes and a topic; felt asks for sixteen topics at a time.
MAX_PACKET = 8 * 1024
#: The longest that is kept: a state, a word for people, a head.
MAX_KEPT = 1024
#: What a connection may have unread.
MAX_UNREAD = 256 * 1024

#: amqtt begins to read before it begins to wait for the end, and would wait for ever for one that
#: comes in between: so many turns of the loop it gets first.
TURNS_FIRST = 5

#: What an account may say unasked, so much at once and so much a second; a packet counts once for
#: each KiB that it begins. felt listens to a device for half of it, and mutes one that goes on.
MAX_UNASKED = 128
UNASKED_PER_S = 40.0
A_PACKET = 1024
#: What a command earns: an answer and an event. What is acknowledged earns its acknowledgement.
PER_COMMAND = 2


class Allowance:
    """How much may still be said."""

    def __init__(self, rights: Rights, now: Callable[[], float]) -> None:
        self._left = inf if rights.is_felt else float(MAX_UNASKED)
        self._most = self._left
        self._now = now
        self._counted_at = now()

    def earn(self, more: float) -> None:
        self._left = min(self._left + more, self._most)

    def spend(self, length: int) -> float:
        """Say something so long; how long that must wait."""
        now = self._now()
        self.earn((now - self._counted_at) * UNASKED_PER_S)
        self._counted_at = now
        self._left -= 1 + length // A_PACKET
        return max(-self._left / UNASKED_PER_S, 0.0)


class Way:
    """What amqtt writes to: one packet at a time, and it never waits for whoever reads."""

    def __init__(
        self, rights: Rights, writer: asyncio.StreamWriter, allowance: Allowance, turned: Turned
    ) -> None:
        self.rights = rights
        self._transport = writer.transport
        self._peer = writer.get_extra_info("peername")
        self.allowance = allowance
        self.turned = turned

    def write(self, data: bytes) -> None:
        if self._transport.is_closing():
            return
        if data[0] >> 4 == packets.PUBLISH:
            topic = packets.topic_of(data)
            if not self.rights.may_hear(topic):
                # amqtt tells whoever comes all that it keeps for anybody.
                return
            commanded = PER_COMMAND if topic == self.rights.commanded else 0
            self.allowance.earn(packets.is_acknowledged(data) + commanded)
        if self._transport.get_write_buffer_size() > MAX_UNREAD:
            self.turned.away("not read", self.rights.user)
            self._transport.abort()
            return
        self._transport.write(data)

    def hang_up(self) -> None:
        self._transport.abort()

    async def drain(self) -> None:
        """What is not read is bounded above; one who does not read keeps nobody else waiting."""

    def get_peer_info(self) -> tuple[str, int] | None:
        return (self._peer[0], self._peer[1]) if self._peer else None

    def get_ssl_info(self) -> ssl.SSLObject | None:
        return None

    async def close(self) -> None:
        self._transport.close()


class Gate:
    """What amqtt reads from. ``quiet`` is how often it was looked at since something came."""

    def __init__(self, connect: Connect, reader: asyncio.StreamReader, way: Way) -> None:
        self.keepalive = connect.keepalive
        self.quiet = 0
        self._rights = way.rights
        self._turned = way.turned
        self._reader = reader
        self._way = way
        self._is_over = False
        self._turns_first = TURNS_FIRST
        self._packet = bytearray(connect.packet(way.rights.client_id))

    async def read(self, n: int = -1) -> bytes:
        """Less than ``n`` bytes only where a packet ends before it should."""
        while not self._packet:
            if self._is_over:
                raise ConnectionResetError
            await self._next()
        data = bytes(self._packet[:n] if n >= 0 else self._packet)
        del self._packet[: len(data)]
        return data

    def feed_eof(self) -> None:
        self._reader.feed_eof()

    def _hang_up(self) -> NoReturn:
        """For good: amqtt would read on, and take for packets what comes in the middle of one."""
        self._is_over = True
        self._way.hang_up()
        raise ConnectionResetError

    async def _next(self) -> None:
        """Bring the next packet here, if it may pass; or hang up, and to amqtt he has gone."""
        for _ in range(self._turns_first):
            await asyncio.sleep(0)
        self._turns_first = 0
        try:
            first, body = await self._whole()
            self.quiet = 0
            if (wait := self._way.allowance.spend(len(body))) > 0:
                self._turned.away("held back", self._rights.user)
                await asyncio.sleep(wait)
                self.quiet = 0
            self._packet += self._passed(first, body)
        except Malformed:
            self._turned.away("not spoken here", self._rights.user)
            self._hang_up()

    async def _whole(self) -> tuple[int, bytes]:
        front = bytearray(await self._reader.readexactly(2))
        try:
            while (told := packets.front_of(front, MAX_PACKET)) is None:
                front += await self._reader.readexactly(1)
        except Malformed:
            # The length in front tells, so no more than that is read of it.
            self._turned.away("too long", self._rights.user)
            self._hang_up()
        return front[0], await self._reader.readexactly(told[1])

    def _passed(self, first: int, body: bytes) -> bytes:
        """What amqtt gets in its place; nothing, if it was dealt with here."""
        kind, flags = first >> 4, first & 0x0F
        match kind, flags:
            case packets.PUBLISH, _:
                return self._published(first, body)
            case packets.SUBSCRIBE, 2:
                return self._subscribed(body)
            case packets.UNSUBSCRIBE, 2:
                return self._unsubscribed(body)
            case ((packets.PUBACK | packets.PINGREQ | packets.DISCONNECT), 0):
                # amqtt reads as much as such a packet should have, whatever its front says.
                if len(body) == (2 if kind == packets.PUBACK else 0):
                    return packets.framed(first, body)
        raise Malformed("nobody here sends that")

    def _published(self, first: int, body: bytes) -> bytes:
        said = packets.publish(first, body)
        if said.topic not in self._rights.says:
            self._turned.away("topic", self._rights.user)
            if said.number:
                self._way.write(packets.puback(said.number))
            return b""
        if said.retained and (said.topic not in self._rights.keeps or len(said.payload) > MAX_KEPT):
            self._turned.away("kept", self._rights.user)
            first = packets.without_retain(first)
        return packets.framed(first, body)

    def _subscribed(self, body: bytes) -> bytes:
        number, wanted = packets.subscribe(body)
        granted = [
            one if self._may_hear(one.topic) else Filter(packets.NO_FILTER, one.qos)
            for one in wanted
        ]
        for before, after in zip(wanted, granted, strict=True):
            if before is not after:
                self._turned.away("filter", self._rights.user)
        return packets.subscribing(number, granted)

    def _unsubscribed(self, body: bytes) -> bytes:
        number, topics = packets.unsubscribe(body)
        known = [one if self._may_hear(one) else packets.NO_FILTER for one in topics]
        return packets.unsubscribing(number, known)

    def _may_hear(self, topic: bytes) -> bool:
        return self._rights.may_hear(topic) and packets.is_text(topic)
