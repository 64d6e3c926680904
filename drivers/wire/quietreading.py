"""Quiet stretches of a device log, read at once.

A stretch of a bus counts seven devices with eight numbers each: to search for each of them takes
half of all the time that a log is read. So what felt writes is made into JSON, for which there is a
fast reader, and what is written in any other way is left to the slower one in ``logreading``, which
knows all that is allowed.
"""

from __future__ import annotations

import zlib
from typing import Annotated

import msgspec
from msgspec import Meta

from drivers.wire.devicelog import Polled, Quiet

_DIGITS = b"0123456789"
#: What is left without the digits, for as many devices as a wire may well have. It says where the
#: numbers are, and that nothing else is there: no sign, no exponent.
_SHAPES = frozenset(b" polls in : " + b", ".join([b" x # - -  . ."] * n) for n in range(1, 33))
#: Everything that is part of a number looks alike, so that one that is too long is found.
_ALIKE = bytes.maketrans(b".123456789", b"0" * 10)
_TOO_LONG = b"0" * 25
#: Between the numbers of a device are a blank, and signs that say what they are.
_TO_JSON = bytes.maketrans(b" x#-", b",   ")
_Count = Annotated[int, Meta(lt=10**9)]
_Micros = Annotated[int, Meta(lt=10**12)]
#: Address, polls and number; sent, heard and slowest; answer and pause.
_Device = tuple[
    Annotated[int, Meta(lt=10**3)],
    _Count,
    Annotated[int, Meta(lt=10**10)],
    _Micros,
    _Micros,
    _Micros,
    float,
    float,
]
_STRETCH = msgspec.json.Decoder(tuple[_Count, _Micros, list[_Device]])
_new = tuple.__new__


def quiet_of(at_us: int, text: bytes) -> Quiet | None:
    """A stretch as felt writes it; none if it is written otherwise, or its sum is not right."""
    said, _, sum_ = text.rpartition(b" = ")
    if (
        said.translate(None, _DIGITS) not in _SHAPES
        or _TOO_LONG in said.translate(_ALIKE)
        or b"%08x" % zlib.crc32(said) != sum_
    ):
        return None
    lists = said.replace(b", ", b"],[").replace(b" polls in ", b",").replace(b": ", b",[[")
    try:
        _, length_us, devices = _STRETCH.decode(b"[%b]]]" % lists.translate(_TO_JSON))
    except msgspec.DecodeError:
        return None  # a digit is missing, or a zero stands before others
    polled = [
        _new(Polled, (address, seq, polls, sent, heard, slowest, answer, pause))
        for address, polls, seq, sent, heard, slowest, answer, pause in devices
    ]
    return _new(Quiet, (at_us, length_us, tuple(polled)))
