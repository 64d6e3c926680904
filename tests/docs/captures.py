"""Captures for Wireshark: a file with one record for each piece of bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

#: For whoever has no number of their own.
USER0 = 147
_MAGIC = 0xA1B2C3D4


def write_pcap(path: Path, records: Iterable[bytes]) -> None:
    """A record a millisecond."""
    with path.open("wb") as file:
        file.write(struct.pack(">IHHiIII", _MAGIC, 2, 4, 0, 0, 65535, USER0))
        for number, data in enumerate(records):
            head = struct.pack(">IIII", number // 1000, number % 1000 * 1000, len(data), len(data))
            file.write(head + data)
