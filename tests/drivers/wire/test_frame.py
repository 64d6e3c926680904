"""Packets survive the line; whatever else is on it harms nothing and is kept nowhere."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.wire import cobs, frame
from drivers.wire.frame import MAX_FRAME, MAX_PAYLOAD, TAG_BYTES, Garbage, Kind, Packet, Splitter

BYTE = st.integers(0, 255)


@st.composite
def packets(draw: st.DrawFn) -> Packet:
    kind = draw(st.sampled_from(Kind))
    return Packet(
        kind,
        draw(BYTE),
        draw(BYTE),
        draw(st.integers(0, 2**32 - 1)),
        draw(st.binary(max_size=MAX_PAYLOAD)),
        draw(st.binary(min_size=TAG_BYTES, max_size=TAG_BYTES)) if kind.tagged else b"",
    )


#: What a line may carry: frames, pieces of frames, noise, and zeros.
STREAMS = st.lists(
    st.one_of(
        packets().map(frame.to_bytes),
        packets().map(lambda packet: frame.to_bytes(packet)[:-1]),
        st.binary(max_size=300),
        st.sampled_from([b"\0", b"\0\0\0", b"\xff" * 300]),
    ),
    max_size=12,
).map(b"".join)


def fed(splitter: Splitter, *chunks: bytes) -> list[Packet | Garbage]:
    return [found for chunk in chunks for found in splitter.feed(chunk)]


def packets_in(found: list[Packet | Garbage]) -> list[Packet]:
    return [one for one in found if isinstance(one, Packet)]


def test_the_check_has_its_published_value() -> None:
    assert frame.check(b"123456789") == 0x29B1


def test_a_frame_byte_for_byte() -> None:
    packet = Packet(Kind.ACK, 1, 2, 3, b"", bytes(range(1, 9)))
    body = bytes.fromhex("04010200000003" + "0102030405060708")
    assert (
        frame.to_bytes(packet) == cobs.encode(body + frame.check(body).to_bytes(2, "big")) + b"\0"
    )
    assert (
        frame.to_bytes(packet).hex() == "040401020101" + "0c" + "03" + "0102030405060708" + "7f3e00"
    )


@given(packets())
def test_what_is_sent_is_received(packet: Packet) -> None:
    coded = frame.to_bytes(packet)
    assert len(coded) <= MAX_FRAME
    assert coded.index(0) == len(coded) - 1
    assert frame.from_bytes(coded[:-1]) == packet
    assert fed(Splitter(), coded) == [packet]


@given(packets(), st.data())
def test_no_altered_byte_gets_through(packet: Packet, data: st.DataObject) -> None:
    coded = bytearray(frame.to_bytes(packet))
    at = data.draw(st.integers(0, len(coded) - 2))
    coded[at] ^= data.draw(st.integers(1, 255))
    assert packet not in fed(Splitter(), bytes(coded))


@given(STREAMS, st.data())
def test_how_the_bytes_come_in_does_not_matter(stream: bytes, data: st.DataObject) -> None:
    whole = fed(Splitter(), stream)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=30).map(sorted))
    pieces = [stream[a:b] for a, b in pairwise([0, *cuts, len(stream)])]
    single = [stream[at : at + 1] for at in range(len(stream))]
    for chunks in (pieces, single):
        found = fed(Splitter(), *chunks)
        assert packets_in(found) == packets_in(whole)
        assert garbage_in(found) == garbage_in(whole)


def garbage_in(found: list[Packet | Garbage]) -> bytes:
    return b"".join(one.data for one in found if isinstance(one, Garbage))


@given(st.lists(st.binary(max_size=2000), max_size=8))
def test_noise_never_raises_and_is_never_hoarded(chunks: list[bytes]) -> None:
    splitter = Splitter()
    held = 0
    for chunk in chunks:
        found = fed(splitter, chunk)
        zeros = chunk.count(0)
        said = len(garbage_in(found)) + sum(len(frame.to_bytes(p)) - 1 for p in packets_in(found))
        held += len(chunk) - zeros - said
        assert 0 <= held < MAX_FRAME


@given(st.binary(max_size=400), packets())
def test_a_frame_after_noise_and_a_zero_is_received(noise: bytes, packet: Packet) -> None:
    assert fed(Splitter(), noise + b"\0" + frame.to_bytes(packet))[-1] == packet


@pytest.mark.parametrize("length", range(MAX_PAYLOAD + 1, 238))
def test_a_frame_longer_than_the_longest_is_none(length: int) -> None:
    body = bytes((Kind.HELLO, 1, 1)) + bytes(4) + b"\x01" * length
    coded = cobs.encode(body + frame.check(body).to_bytes(2, "big")) + b"\0"
    if len(coded) > MAX_FRAME:
        assert packets_in(fed(Splitter(), coded)) == []
        assert packets_in(fed(Splitter(), coded[:230], coded[230:])) == []


def test_what_is_too_long_is_not_sent() -> None:
    with pytest.raises(ValueError, match="201 bytes is too long"):
        frame.to_bytes(Packet(Kind.EVENT, 1, 1, 1, bytes(201), bytes(8)))


def test_a_kind_that_nobody_knows_is_garbage() -> None:
    body = bytes((0x7F, 1, 1)) + bytes(4)
    coded = cobs.encode(body + frame.check(body).to_bytes(2, "big"))
    assert fed(Splitter(), coded + b"\0") == [Garbage(coded)]


def test_a_frame_without_room_for_its_tag_is_garbage() -> None:
    body = bytes((Kind.IDLE, 1, 1)) + bytes(4) + b"1234567"
    coded = cobs.encode(body + frame.check(body).to_bytes(2, "big"))
    assert fed(Splitter(), coded + b"\0") == [Garbage(coded)]
