"""The pictures of the pages: small, there for all that shows them, and true to the screen."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path

import pytest

from tests.docs.palette import _chunk, _chunks, small
from tests.docs.screens import SCREENS, SHOTS, SIZE
from tests.docs.tried import ROOT

LARGEST = 150_000


def png(width: int, rows: list[bytes]) -> bytes:
    """As a browser writes one: each row as the difference to what is left of it, or above."""
    lines = []
    before = bytes(3 * width)
    for n, row in enumerate(rows):
        kind = n % 5
        line = bytearray()
        for at, value in enumerate(row):
            left = row[at - 3] if at >= 3 else 0
            corner = before[at - 3] if at >= 3 else 0
            guess = left + before[at] - corner
            nearest = min((left, before[at], corner), key=lambda one: abs(guess - one))
            foretold = (0, left, before[at], (left + before[at]) // 2, nearest)[kind]
            line.append((value - foretold) & 255)
        lines.append(bytes([kind]) + bytes(line))
        before = row
    head = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    data = _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(b"".join(lines)))
    return b"\x89PNG\r\n\x1a\n" + data + _chunk(b"IEND", b"")


def drawn(picture: bytes) -> list[bytes]:
    """Red, green and blue of every row of one with a palette."""
    parts = dict(_chunks(picture))
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    data, palette = zlib.decompress(parts[b"IDAT"]), parts[b"PLTE"]
    rows = (data[n * (width + 1) + 1 : (n + 1) * (width + 1)] for n in range(height))
    return [b"".join(palette[3 * one : 3 * one + 3] for one in row) for row in rows]


def test_few_colours_are_kept_as_they_are() -> None:
    rows = [
        bytes((x * y * part) % 5 * 50 for x in range(7) for part in (1, 2, 3)) for y in range(9)
    ]
    assert drawn(small(png(7, rows))) == rows


def test_one_colour_too_many_becomes_its_nearest() -> None:
    most = [bytes((n, 0, 0)) for n in range(256)]
    row = b"".join(most * 2) + bytes((7, 1, 0))
    assert drawn(small(png(513, [row])))[0] == b"".join(most * 2) + bytes((7, 0, 0))


@pytest.mark.parametrize("file", sorted(SCREENS.glob("*.png")), ids=lambda file: file.name)
def test_a_picture_is_small_and_is_one_that_is_taken(file: Path) -> None:
    assert file.stem in {shot.name for shot in SHOTS}
    assert file.stat().st_size < LARGEST
    width, height = struct.unpack_from(">II", file.read_bytes(), 16)
    assert (width, height) == (SIZE["width"], SIZE["height"])


def test_the_readme_shows_four_of_them() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[\w+\]\(docs/screens/([\w-]+)\.png\)", text)
    assert len(shown) == 4
    assert set(shown) <= {shot.name for shot in SHOTS}
