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


def test_a_block_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="255 bytes is too long"):
        cobs.encode(bytes(255))
