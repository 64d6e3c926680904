"""Modbus RTU: the few frames that an input/output module is asked and answers with.

    unit | function | ... | CRC-16/MODBUS, the low byte first

An answer is recognised by what was asked: unit, function and length are known beforehand, so that
what is found does not depend on how the bytes arrived. Coils are always written by function 0x0F,
never 0x05: the answer to a 0x05 is the same bytes again, and can't be told from an echo.

The check value of the CRC over "123456789" is 0x4B37.
"""

from __future__ import annotations

from collections.abc import Sequence

from drivers.dialects.polled import Ask

READ_COILS = 0x01
READ_INPUTS = 0x02
WRITE_COILS = 0x0F
READ_IDENTIFICATION = 0x2B

#: Set in the function of an answer that says no; its reason follows.
_REFUSED = 0x80
_REFUSED_BYTES = 5
_WRITTEN_BYTES = 8
#: As long as a frame can be.
_MAX_BYTES = 256
#: Of device identification: the kind of interface, and the basic objects from the first.
_DEVICE, _BASIC, _FIRST = 0x0E, 0x01, 0x00
#: In an answer with identification, where the number of objects stands and where they begin.
_OBJECTS_AT = 7

REASONS = {1: "illegal function", 2: "illegal address", 3: "illegal value", 4: "it failed"}


def crc(data: bytes) -> bytes:
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return value.to_bytes(2, "little")


def read_inputs(unit: int, first: int, count: int) -> Ask:
    return _read(unit, READ_INPUTS, first, count)


def read_coils(unit: int, first: int, count: int) -> Ask:
    return _read(unit, READ_COILS, first, count)


def write_coils(unit: int, first: int, coils: Sequence[bool]) -> Ask:
    packed = sum(on << n for n, on in enumerate(coils)).to_bytes((len(coils) + 7) // 8, "little")
    place = first.to_bytes(2, "big") + len(coils).to_bytes(2, "big")
    body = bytes((unit, WRITE_COILS)) + place + bytes((len(packed),)) + packed

    def look(data: bytes) -> int:
        if not place.startswith(data[2:6]) and data[1:2] == bytes((WRITE_COILS,)):
            return -1
        return _look(data, unit, WRITE_COILS, _WRITTEN_BYTES)

    return Ask(body + crc(body), look)


def read_identification(unit: int) -> Ask:
    body = bytes((unit, READ_IDENTIFICATION, _DEVICE, _BASIC, _FIRST))

    def look(data: bytes) -> int:
        return _look(data, unit, READ_IDENTIFICATION, _identification_bytes(data))

    return Ask(body + crc(body), look, optional=True)


def refusal(frame: bytes) -> str:
    """Why the module refused what it was asked; nothing if it did not."""
    if not frame[1] & _REFUSED:
        return ""
    return REASONS.get(frame[2], f"exception {frame[2]}")


def bits(frame: bytes, count: int) -> tuple[bool, ...]:
    """What was read, from the answer to a reading."""
    value = int.from_bytes(frame[3:-2], "little")
    return tuple(bool(value >> n & 1) for n in range(count))


def identification(frame: bytes) -> tuple[str, ...]:
    """Vendor, product and revision, as far as they are there."""
    found = []
    at = _OBJECTS_AT + 1
    for _ in range(min(frame[_OBJECTS_AT], 3)):
        length = frame[at + 1]
        found.append(frame[at + 2 : at + 2 + length].decode("ascii", errors="replace"))
        at += 2 + length
    return tuple(found)


def _read(unit: int, function: int, first: int, count: int) -> Ask:
    body = bytes((unit, function)) + first.to_bytes(2, "big") + count.to_bytes(2, "big")
    data_bytes = (count + 7) // 8

    def look(data: bytes) -> int:
        if data[1:2] == body[1:2] and data[2:3] not in (b"", bytes((data_bytes,))):
            return -1
        return _look(data, unit, function, 5 + data_bytes)

    return Ask(body + crc(body), look)


def _look(data: bytes, unit: int, function: int, length: int) -> int:
    """The length of the answer at the beginning; 0 for more is needed, -1 for none here."""
    if data[0] != unit:
        return -1
    if len(data) > 1 and data[1] == function | _REFUSED:
        length = _REFUSED_BYTES
    elif len(data) > 1 and data[1] != function:
        return -1
    if length > _MAX_BYTES:
        return -1
    if len(data) < length:
        return 0
    return length if crc(data[: length - 2]) == data[length - 2 : length] else -1


def _identification_bytes(data: bytes) -> int:
    """How long an answer with these beginnings is; one more than there is while that is open."""
    if not bytes((_DEVICE, _BASIC)).startswith(data[2:4]):
        return _MAX_BYTES + 1
    at = _OBJECTS_AT + 1
    if len(data) < at:
        return at
    for _ in range(data[_OBJECTS_AT]):
        if len(data) < at + 2:
            return at + 2
        at += 2 + data[at + 1]
    return at + 2
