"""The session that the examples are from: a key, two nonces and what follows from them."""

from __future__ import annotations

import hashlib

from drivers.wire.frame import Packet
from drivers.wire.handshake import PROTOCOL, Identity
from drivers.wire.keys import SessionKeys

KEY = bytes(range(32))
FELT_NONCE = bytes(range(0xA0, 0xB0))
DEVICE_NONCE = bytes(range(0xB0, 0xC0))
#: For the second session of the worked example.
MORE_FELT_NONCES = (bytes(range(0xC0, 0xD0)),)
MORE_DEVICE_NONCES = (bytes(range(0xD0, 0xE0)),)

ADDRESS = 1
SESSION = 1
FIRMWARE_TEXT = "A-100 firmware 1.0"
BOOT = 7

IDENTITY = Identity(
    protocol=PROTOCOL,
    kind="acceptor",
    model="A-100",
    serial_number="4711",
    firmware=hashlib.sha256(FIRMWARE_TEXT.encode()).digest(),
    boot=BOOT,
    capabilities="",
    nonce=DEVICE_NONCE,
)
KEYS = SessionKeys.agreed(KEY, FELT_NONCE, DEVICE_NONCE)


def signed(packet: Packet) -> Packet:
    return packet._replace(tag=KEYS.sign(packet))
