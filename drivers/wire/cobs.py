"""Consistent overhead byte stuffing: a block without zeros, so that a zero can end a frame."""

from __future__ import annotations

#: Longer blocks would need a second code byte, and nothing that felt says is that long.
MAX_BLOCK = 254


def encode(block: bytes) -> bytes:
    """The block without its zeros: each is replaced by the distance to the next one."""
    if len(block) > MAX_BLOCK:
        raise ValueError(f"a block of {len(block)} bytes is too long: {MAX_BLOCK} at most")
    coded = bytearray()
    for run in block.split(b"\0"):
        coded.append(len(run) + 1)
        coded += run
    return bytes(coded)


def decode(coded: bytes) -> bytes | None:
    """The block that was encoded, or none if this can't be one."""
    length = len(coded)
    if not coded or 0 in coded or length > MAX_BLOCK + 1:
        return None
    # In place: every packet goes through here, and slices would take twice as long.
    block = bytearray(coded)
    at = coded[0]
    while at < length:
        block[at] = 0
        at += coded[at]
    # What stands first was never part of it.
    return bytes(block)[1:] if at == length else None
