"""felt's end of a line, spoken by hand with the page's codec: for what felt itself never does."""

from __future__ import annotations

import os
import select
import time
import tty
from pathlib import Path

from tests.docs import independent as wire
from tests.docs.independent import Block, Keys

#: Only so that a test ends.
AT_LAST_S = 300.0
#: As long as a device may take before it begins to answer, many times over.
QUIET_S = 0.3
#: In an identity, before the proof that ends it.
DEVICE_NONCE = slice(-32, -16)


class ByHand:
    def __init__(self, port: Path, key: bytes = bytes(32), address: int = 1) -> None:
        self.key, self.address = key, address
        self.session = 0
        self.request = 0
        #: Everything that the device has said and nobody has looked at yet.
        self.heard: list[Block] = []
        self._rest = b""
        self._port = os.open(port, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._port)

    def close(self) -> None:
        os.close(self._port)

    def put(self, data: bytes) -> None:
        os.write(self._port, data)

    def listen(self, seconds: float) -> None:
        if select.select([self._port], [], [], seconds)[0]:
            self._rest += os.read(self._port, 4096)
            *frames, self._rest = self._rest.split(b"\0")
            self.heard += [block for one in frames if (block := wire.unframe(one)) is not None]

    def wait_for(self, kind: int, seq: int | None = None) -> Block:
        """The next packet of this kind; others before it are dropped."""
        end = time.monotonic() + AT_LAST_S
        while time.monotonic() < end:
            while self.heard:
                block = self.heard.pop(0)
                if block.kind == kind and seq in (None, block.seq):
                    return block
            self.listen(0.05)
        raise AssertionError(f"no {wire.NAMES[kind]} came")

    def is_silent(self) -> bool:
        """Nothing more comes, but for an event that repeats itself."""
        end = time.monotonic() + QUIET_S
        while time.monotonic() < end:
            self.listen(0.05)
        return all(one.kind == wire.EVENT for one in self.heard)

    def greet(self) -> bytes:
        """A new session; the identity without its proof."""
        self.session += 1
        self.request = 0
        self.nonce = os.urandom(16)
        hello = Block(wire.HELLO, self.address, self.session, 0, b"\1" + self.nonce)
        self.put(wire.frame(hello))
        while (said := self.wait_for(wire.IDENTITY)).session != self.session:
            """That was a device that asks for a hello."""
        identity, proof = said.payload[:-16], said.payload[-16:]
        assert proof == wire.proof(self.key, self.nonce, identity)
        self.keys = Keys.of(self.key, self.nonce, said.payload[DEVICE_NONCE])
        return identity

    def signed(self, kind: int, seq: int, payload: bytes = b"") -> bytes:
        block = Block(kind, self.address, self.session, seq, payload)
        return wire.frame(self.keys.signed(block))

    def command(self, number: int, message: bytes) -> tuple[str, str]:
        """The outcome and the detail of a command with this id."""
        self.request += 1
        self.put(self.signed(wire.COMMAND, self.request, number.to_bytes(4, "big") + message))
        result = self.wait_for(wire.RESULT, self.request)
        assert result.tag == self.keys.tag_of(result)
        assert result.payload[:4] == number.to_bytes(4, "big")
        return wire.OUTCOMES[result.payload[4]], result.payload[6:].decode()

    def poll(self) -> None:
        """It answers, whatever it is that has been said before."""
        self.request += 1
        self.put(self.signed(wire.POLL, self.request, bytes(4)))
        self.wait_for(wire.IDLE, self.request)

    def acknowledge(self, event: int) -> None:
        self.put(self.signed(wire.ACK, event))
