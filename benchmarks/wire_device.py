"""The other end of a cable, in a process of its own: for benchmarks.wire.

    python -m benchmarks.wire_device echo FD
    python -m benchmarks.wire_device devices FD COUNT SECONDS_A_BYTE

A pty has no rate, so the devices hold every byte back for as long as a wire would need for it.
"""

from __future__ import annotations

import os
import sys
import time

from drivers.wire import frame
from drivers.wire.frame import Packet, Splitter
from drivers.wire.handshake import PROTOCOL, Identity
from drivers.wire.responder import Responder

#: A sleep ends late by about so much; the rest of a wait is spent looking at the clock.
LATE_S = 0.0002
KEY = bytes(range(32))


def echo(master: int) -> None:
    while data := os.read(master, 1024):
        os.write(master, data)


def wait_until(at: float) -> None:
    left = at - time.perf_counter()
    if left > LATE_S:
        time.sleep(left - LATE_S)
    while time.perf_counter() < at:
        pass


def devices(master: int, count: int, byte_s: float) -> None:
    responders = [responder(address, polled=count > 1) for address in range(1, count + 1)]
    splitter = Splitter()
    while data := os.read(master, 1024):
        here = time.perf_counter()
        for found in splitter.feed(data):
            if not isinstance(found, Packet):
                continue
            now = time.monotonic()
            for one in responders:
                if answer := one.received(found, now):
                    written = frame.to_bytes(answer)
                    wait_until(here + (len(data) + len(written)) * byte_s)
                    os.write(master, written)


def responder(address: int, *, polled: bool) -> Responder:
    identity = Identity(PROTOCOL, "acceptor", "A", str(address), bytes(32), 1, "", bytes(16))
    return Responder(
        identity,
        KEY,
        lambda command: ("done", ""),
        lambda: os.urandom(16),
        address=address,
        polled=polled,
    )


def main() -> None:
    match sys.argv[1:]:
        case ["echo", master]:
            echo(int(master))
        case ["devices", master, count, byte_s]:
            devices(int(master), int(count), float(byte_s))


if __name__ == "__main__":
    # The cable is pulled out when the benchmark is over.
    try:
        main()
    except OSError:
        sys.exit(0)
