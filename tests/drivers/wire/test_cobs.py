from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.wire import cobs

BLOCKS = st.binary(max_size=cobs.MAX_BLOCK)


@pytest.mark.parametrize(
    ("block", "coded"),
    [
        (b"", "01"),
        (b"\0", "0101"),
        (b"\0\0", "010101"),
        (b"\x11\x22\0\x33", "0311220233"),
        (b"\x11\x22\x33\x44", "0511223344"),
        (b"\x11\0\0\0", "0211010101"),
        (bytes(range(1, 255)), "ff" + bytes(range(1, 255)).hex()),
    ],
)
def test_known_blocks(block: bytes, coded: str) -> None:
    assert cobs.encode(block).hex() == coded
    assert cobs.decode(bytes.fromhex(coded)) == block


@given(BLOCKS)
def test_what_is_encoded_is_decoded_and_has_no_zero(block: bytes) -> None:
    coded = cobs.encode(block)
    assert 0 not in coded
    assert len(coded) == len(block) + 1
    assert cobs.decode(coded) == block


@given(st.binary(max_size=600))
def test_whatever_comes_in_is_a_block_or_none(coded: bytes) -> None:
    block = cobs.decode(coded)
    if block is not None:
        assert cobs.encode(block) == coded


def by_the_book(coded: bytes) -> bytes | None:
    """Run by run: so many bytes, and a zero between two of them."""
    runs = []
    rest = coded
    while rest:
        length = rest[0]
        if length == 0 or length > len(rest) or 0 in rest[1:length]:
            return None
        runs.append(rest[1:length])
        rest = rest[length:]
    return b"\0".join(runs) if runs and len(coded) <= cobs.MAX_BLOCK + 1 else None


@given(BLOCKS, st.integers(0, 254), st.integers(0, 255), st.integers(0, 3))
def test_an_altered_block_is_what_it_is_by_the_book(
    block: bytes, at: int, byte: int, more: int
) -> None:
    coded = bytearray(cobs.encode(block))
    coded[at % len(coded)] = byte
    coded += b"\x01" * more
    assert cobs.decode(bytes(coded)) == by_the_book(bytes(coded))
    assert cobs.decode(bytes(coded[more:])) == by_the_book(bytes(coded[more:]))


@given(st.binary(max_size=10))
def test_so_is_whatever_comes_in(coded: bytes) -> None:
    assert cobs.decode(coded) == by_the_book(coded)


def test_a_block_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="255 bytes is too long"):
        cobs.encode(bytes(255))
