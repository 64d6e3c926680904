"""Coin acceptors that speak ccTalk, as their makers describe them: the other end of felt's dialect.

Written from the public specification, and from nothing of felt's: message format and headers, the
event counter, what a restart forgets. What makers leave to themselves is as in a common validator:
after a restart no coin is enabled and the master inhibit is off, and one that is not asked for its
events for a second takes nothing.

An acceptor is strict. It answers what is right, and notes what a host should not have done.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

HOST = 1
#: A message is forgotten when its next byte takes longer than this.
BETWEEN_BYTES_S = 0.05
#: Without being asked for its events for so long it takes nothing.
UNASKED_S = 1.0
MAX_COMPLAINTS = 32

ACK, NAK = 0, 5


@dataclass(frozen=True, slots=True)
class Faults:
    """How often something goes wrong, from 0 to 1."""

    #: It does not answer.
    silence: float = 0.0
    #: It answers with a checksum that is not right.
    wrong_checksum: float = 0.0
    #: The line loses a byte of the answer.
    lost_byte: float = 0.0


class CoinAcceptor:
    def __init__(
        self,
        address: int = 2,
        *,
        serial_number: int = 13_579_246,
        category: str = "Coin Acceptor",
        faults: Faults | None = None,
        seed: int = 0,
    ) -> None:
        self.address = address
        self.serial_number = serial_number
        self.category = category
        self.faults = faults or Faults()
        #: What the host did that it should not have.
        self.complaints: list[str] = []
        #: Coins in its box, by position.
        self.box: list[int] = []
        self._random = random.Random(seed)
        self._heard = b""
        self._heard_at = 0.0
        self.restart()

    def restart(self) -> None:
        self.enabled = 0
        self.accepting = True
        self.counter = 0
        self.results: list[tuple[int, int]] = [(0, 0)] * 5
        self._asked_at: float | None = None
        self._heard = b""

    # --- What happens to it -----------------------------------------------------

    def insert(self, position: int, now: float) -> Literal["taken", "returned"]:
        """A coin of this position. It is told as an event either way."""
        wanted = self.enabled >> (position - 1) & 1
        watched = self._asked_at is not None and now - self._asked_at <= UNASKED_S
        if self.accepting and wanted and watched:
            self.box.append(position)
            self.happen(position, 1)
            return "taken"
        # Master inhibit or not asked: rejected. Not enabled: told with its position.
        self.happen(0, 1 if wanted else 127 + position)
        return "returned"

    def happen(self, a: int, b: int) -> None:
        """An event as the specification writes it: a position and its path, or 0 and a code."""
        self.counter = self.counter % 255 + 1
        self.results = [(a, b), *self.results[:4]]

    # --- The wire ---------------------------------------------------------------

    def received(self, data: bytes, now: float) -> bytes:
        """Bytes from the line; the answer to what they complete, if it is for this one."""
        if self._heard and now - self._heard_at > BETWEEN_BYTES_S:
            self._complain("a message was not finished")
            self._heard = b""
        self._heard_at = now
        self._heard += data
        said = b""
        while len(self._heard) >= 5 and len(self._heard) >= 5 + self._heard[1]:
            length = 5 + self._heard[1]
            message, self._heard = self._heard[:length], self._heard[length:]
            said += self._answer_to(message, now)
        return said

    def _answer_to(self, message: bytes, now: float) -> bytes:
        destination, _, source, header, *data = message[:-1]
        if destination != self.address:
            return b""
        if sum(message) % 256:
            self._complain("a wrong checksum")
            return b""
        if source != HOST:
            self._complain(f"a message from {source}")
            return b""
        answer = self._do(header, bytes(data), now)
        return b"" if answer is None else self._spoiled(self._reply(*answer))

    def _do(self, header: int, data: bytes, now: float) -> tuple[int, bytes] | None:
        asked = {
            254: b"",
            246: b"Felt Works",
            245: self.category.encode(),
            244: b"SIM-1",
            242: self.serial_number.to_bytes(3, "little"),
            241: b"SIM 1.0",
            230: self.enabled.to_bytes(2, "little"),
            229: bytes([self.counter, *(byte for pair in self.results for byte in pair)]),
            227: bytes([self.accepting]),
        }
        told = {231: 2, 228: 1, 1: 0}
        if len(data) != told.get(header, 0):
            self._complain(f"header {header} with {len(data)} bytes")
            return NAK, b""
        if header in told:
            self._told(header, data)
            return ACK, b""
        if header not in asked:
            self._complain(f"header {header}, which nobody uses")
            return None
        if header == 229:
            self._asked_at = now
        return ACK, asked[header]

    def _told(self, header: int, data: bytes) -> None:
        if header == 231:
            self.enabled = int.from_bytes(data, "little")
        elif header == 228:
            self.accepting = bool(data[0] & 1)
        else:
            self.restart()

    def _reply(self, header: int, data: bytes) -> bytes:
        message = bytes([HOST, len(data), self.address, header]) + data
        return message + bytes([-sum(message) % 256])

    def _spoiled(self, reply: bytes) -> bytes:
        if self._random.random() < self.faults.silence:
            return b""
        if self._random.random() < self.faults.wrong_checksum:
            return reply[:-1] + bytes([(reply[-1] + self._random.randrange(1, 256)) % 256])
        if self._random.random() < self.faults.lost_byte:
            at = self._random.randrange(len(reply))
            return reply[:at] + reply[at + 1 :]
        return reply

    def _complain(self, what: str) -> None:
        if len(self.complaints) < MAX_COMPLAINTS:
            self.complaints.append(what)


class Bus:
    """One data line: everybody hears everything, and the host hears itself."""

    def __init__(self, acceptors: Sequence[CoinAcceptor], *, echo: bool = True) -> None:
        self.acceptors = tuple(acceptors)
        self.echo = echo

    def received(self, data: bytes, now: float) -> bytes:
        """What the host said; what it hears: its own bytes, then the answers."""
        said = data if self.echo else b""
        for acceptor in self.acceptors:
            answer = acceptor.received(data, now)
            for other in self.acceptors:
                if other is not acceptor:
                    other.received(answer, now)
            said += answer
        return said


def attach(bus: Bus, descriptor: int) -> Callable[[], None]:
    """Have the running loop put the bus on a terminal. Call what is returned to take it off."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        if data := os.read(descriptor, 1024):
            os.write(descriptor, bus.received(data, loop.time()))

    loop.add_reader(descriptor, read)

    def detach() -> None:
        loop.remove_reader(descriptor)

    return detach
