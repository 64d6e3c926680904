"""ccTalk messages, byte for byte as makers print them in their manuals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.dialects import cctalk_frame as frame

CATEGORY = bytes([1, 13, 2, 0, *b"Coin Acceptor", 22])
EVENTS = bytes([1, 11, 2, 0, 6, 6, 4, 0, 20, 0, 23, 6, 4, 13, 2, 158])
DONE = bytes([1, 0, 2, 0, 253])


@pytest.mark.parametrize(
    ("address", "header", "data", "written"),
    [
        (2, frame.CATEGORY, b"", [2, 0, 1, 245, 8]),
        (2, frame.READ_EVENTS, b"", [2, 0, 1, 229, 24]),
        (2, frame.SET_INHIBITS, b"\xa7\x0a", [2, 2, 1, 231, 167, 10, 99]),
        (3, frame.MANUFACTURER, b"", [0x03, 0x00, 0x01, 0xF6, 0x06]),
        (2, 230, b"", [2, 0, 1, 230, 23]),
        (2, 221, b"", [2, 0, 1, 221, 32]),
    ],
)
def test_a_request_is_written_as_in_the_manuals(
    address: int, header: int, data: bytes, written: list[int]
) -> None:
    assert frame.ask(address, header, data).frame == bytes(written)


@pytest.mark.parametrize(
    ("answer", "length", "held"),
    [
        (CATEGORY, frame.TEXT, b"Coin Acceptor"),
        (EVENTS, 11, EVENTS[4:-1]),
        (DONE, 0, b""),
        (bytes([1, 2, 2, 0, 0, 0, 251]), 2, b"\0\0"),
    ],
)
def test_an_answer_is_read_as_in_the_manuals(answer: bytes, length: int, held: bytes) -> None:
    look = frame.ask(2, frame.READ_EVENTS, answer=length).look
    assert [look(answer[:n]) for n in range(1, len(answer))] == [0] * (len(answer) - 1)
    assert look(answer) == look(answer + b"more") == len(answer)
    assert frame.data_of(answer) == held


@pytest.mark.parametrize(
    "other",
    [
        bytes([1, 0, 3, 0, 252]),  # of another device
        bytes([2, 0, 2, 0, 252]),  # for another host
        bytes([1, 0, 2, 0, 252]),  # with a wrong checksum
        bytes([1, 0, 2, 6, 247]),  # not now
        bytes([1, 1, 2, 0, 1, 251]),  # of another length
    ],
)
def test_what_is_no_answer_to_this(other: bytes) -> None:
    assert frame.ask(2, frame.SET_MASTER_INHIBIT, b"\0").look(other) == -1


def test_a_refusal_is_an_answer() -> None:
    no = bytes([1, 0, 2, 5, 248])
    assert frame.ask(2, frame.READ_EVENTS, answer=11).look(no) == len(no)
    assert frame.data_of(no) is None


def test_what_is_not_printable_in_a_text_is_not_printed() -> None:
    assert frame.text_of(bytes([1, 3, 2, 0, 65, 7, 66, 0])) == "A?B"


@given(address=st.integers(2, 255), header=st.integers(0, 255), data=st.binary(max_size=255))
def test_all_bytes_of_a_message_add_up_to_nothing(address: int, header: int, data: bytes) -> None:
    assert sum(frame.to_bytes(address, 1, header, data)) % 256 == 0


@given(data=st.binary(min_size=1, max_size=600), length=st.integers(-1, 255))
def test_looking_at_anything_is_safe(data: bytes, length: int) -> None:
    assert -1 <= frame.ask(2, 229, answer=length).look(data) <= len(data)
