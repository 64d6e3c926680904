"""A screenshot made small: PNG with a palette, in pure Python, as a browser's PNG is the only kind.

Pages are drawn in few colours; what text mixes at its edges goes to the nearest of those kept.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 256
#: By colour type: bytes of a pixel.
_BYTES = {2: 3, 6: 4}


def small(png: bytes) -> bytes:
    """The same picture in at most 256 colours."""
    width, rows = _rows(png)
    counted = Counter(row[at : at + 3] for row in rows for at in range(0, 3 * width, 3))
    kept = [colour for colour, _ in counted.most_common(COLOURS)]
    index = {colour: n for n, colour in enumerate(kept)}
    for colour in counted:
        if colour not in index:
            index[colour] = min(range(len(kept)), key=lambda n: _apart(colour, kept[n]))
    lines = (
        b"\0" + bytes(index[row[at : at + 3]] for at in range(0, 3 * width, 3)) for row in rows
    )
    head = struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", b"".join(kept)),
             (b"IDAT", zlib.compress(b"".join(lines), 9)), (b"IEND", b""))  # fmt: skip
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def _apart(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12


def _rows(png: bytes) -> tuple[int, list[bytes]]:
    """Width, and every row as red, green and blue."""
    head = next(data for kind, data in _chunks(png) if kind == b"IHDR")
    width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", head)
    if depth != 8 or colours not in _BYTES or interlaced:
        raise ValueError("a browser's screenshot has eight bits of red, green and blue")
    step = _BYTES[colours]
    data = zlib.decompress(b"".join(data for kind, data in _chunks(png) if kind == b"IDAT"))
    before, rows = bytearray(width * step), []
    for n in range(height):
        start = n * (width * step + 1)
        before = _unfiltered(data[start], data[start + 1 : start + 1 + width * step], before, step)
        rows.append(bytes(before) if step == 3 else _without_alpha(before))
    return width, rows


def _without_alpha(row: bytearray) -> bytes:
    made = bytearray(len(row) // 4 * 3)
    for colour in range(3):
        made[colour::3] = row[colour::4]
    return bytes(made)


def _unfiltered(kind: int, line: bytes, above: bytearray, step: int) -> bytearray:
    if kind == 0:
        return bytearray(line)
    if kind == 2:
        return bytearray((a + b) & 255 for a, b in zip(line, above, strict=True))
    row = bytearray(line)
    for at in range(len(row)):
        left = row[at - step] if at >= step else 0
        corner = above[at - step] if at >= step else 0
        row[at] = (line[at] + _foretold(kind, left, above[at], corner)) & 255
    return row


def _foretold(kind: int, left: int, up: int, corner: int) -> int:
    if kind == 1:
        return left
    if kind == 3:
        return (left + up) // 2
    guess = left + up - corner
    return min((left, up, corner), key=lambda one: abs(guess - one))
