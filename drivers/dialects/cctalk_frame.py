"""ccTalk: how a message stands on the wire.

    destination | number of data bytes | source | header | data | checksum

All bytes together are 0 modulo 256. The host has address 1. Its requests have headers of their own;
an answer has header 0, or 5 for a refusal and 6 for not now. There is no mark for where a message
begins: an answer is recognised by what was asked.
"""

from __future__ import annotations

from drivers.dialects.polled import Ask

HOST = 1

# Requests.
SIMPLE_POLL = 254
MANUFACTURER = 246
CATEGORY = 245
PRODUCT = 244
SERIAL_NUMBER = 242
SOFTWARE = 241
SET_INHIBITS = 231
READ_EVENTS = 229
SET_MASTER_INHIBIT = 228
READ_MASTER_INHIBIT = 227

# Answers.
ACK = 0
NAK = 5

#: Any number of bytes: a text.
TEXT = -1
_AROUND = 5


def checksum(data: bytes) -> int:
    return -sum(data) % 256


def to_bytes(destination: int, source: int, header: int, data: bytes = b"") -> bytes:
    message = bytes((destination, len(data), source, header)) + data
    return message + bytes((checksum(message),))


def ask(
    address: int, header: int, data: bytes = b"", *, answer: int = 0, optional: bool = False
) -> Ask:
    """A request to the device with this address, answered by so many bytes of data, or TEXT."""

    def look(heard: bytes) -> int:
        # One that is busy (6) is asked again, as one that says nothing is.
        lengths = {ACK: answer, NAK: 0}
        if heard[0] != HOST or heard[2:3] not in (b"", bytes((address,))):
            return -1
        if len(heard) < 4:
            return 0
        said, length = heard[3], heard[1]
        if said not in lengths or lengths[said] not in (length, TEXT):
            return -1
        whole = _AROUND + length
        if len(heard) < whole:
            return 0
        return whole if sum(heard[:whole]) % 256 == 0 else -1

    return Ask(to_bytes(address, HOST, header, data), look, optional)


def data_of(frame: bytes) -> bytes | None:
    """What an answer holds; none if it is a refusal, or did not come."""
    return frame[4:-1] if frame and frame[3] == ACK else None


def text_of(frame: bytes) -> str:
    data = data_of(frame) or b""
    return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in data).strip()
