"""Every message of the catalogue: there and back in both written forms, and no other gets in."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.wire import messages
from drivers.wire.fields import MAX_TEXT_BYTES
from drivers.wire.frame import MAX_PAYLOAD
from drivers.wire.messages import BY_NAME, CATALOGUE, Command, Event, Message
from tests.drivers.wire.catalogue import any_message, any_of, longest

COMMAND_ID_BYTES = 4
#: Of each kind: a message has a handful of fields, and there are half a hundred kinds.
few = settings(max_examples=25)
KINDS = [pytest.param(kind, id=messages.name(kind)) for kind in CATALOGUE.values()]


@pytest.mark.parametrize("kind", KINDS)
@few
@given(data=st.data())
def test_there_and_back(kind: type[Message], data: st.DataObject) -> None:
    message = data.draw(any_of(kind))
    assert messages.from_bytes(messages.to_bytes(message)) == message


@pytest.mark.parametrize("kind", KINDS)
@few
@given(data=st.data())
def test_there_and_back_as_json(kind: type[Message], data: st.DataObject) -> None:
    message = data.draw(any_of(kind))
    assert msgspec.json.decode(msgspec.json.encode(message), type=kind) == message


@pytest.mark.parametrize("kind", KINDS)
def test_the_longest_fits_into_a_frame(kind: type[Message]) -> None:
    message = longest(kind)
    assert len(messages.to_bytes(message)) + COMMAND_ID_BYTES <= MAX_PAYLOAD
    assert messages.from_bytes(messages.to_bytes(message)) == message


@given(any_message(), st.data())
def test_what_is_cut_short_or_goes_on_is_no_message(message: Message, data: st.DataObject) -> None:
    written = messages.to_bytes(message)
    cut = data.draw(st.integers(0, len(written) - 1))
    assert messages.from_bytes(written[:cut]) is None
    assert messages.from_bytes(written + data.draw(st.binary(min_size=1, max_size=9))) is None


@given(st.binary(max_size=MAX_PAYLOAD))
def test_any_bytes_are_a_message_that_is_written_so_or_none(data: bytes) -> None:
    message = messages.from_bytes(data)
    if message is not None:
        assert messages.to_bytes(message) == data
        # Whatever is read from a line can go over the other wire too.
        kind = type(message)
        assert msgspec.json.decode(msgspec.json.encode(message), type=kind) == message


def test_codes_and_names_are_one_each() -> None:
    assert len(CATALOGUE) == len(BY_NAME)
    for code, kind in CATALOGUE.items():
        assert kind.code == code
        assert issubclass(kind, Command if code < 0x40 else Event)


@pytest.mark.parametrize(
    "written",
    [
        b"",
        b"\xff",
        # More than money can be.
        bytes((messages.ShowBalance.code,)) + b"\xff" * 8,
        # A flag that is neither.
        bytes((messages.Door.code, 2)),
        # A word beyond the last.
        bytes((messages.Pressed.code, 4)),
        # A text that is none.
        bytes((messages.Prompt.code, 1, 0xFF)),
        # A text longer than a text may be.
        bytes((messages.Prompt.code, 81)) + b"x" * 81,
        # A list longer than it may be.
        bytes((messages.Arm.code, 0, 0, 0, 1, 33)) + bytes(33),
    ],
)
def test_no_message(written: bytes) -> None:
    assert messages.from_bytes(written) is None


def test_a_text_too_long_is_cut_between_characters() -> None:
    read = messages.from_bytes(messages.to_bytes(messages.Prompt("é" * 41)))
    assert read == messages.Prompt("é" * 40)
    assert len("é".encode()) * 40 == MAX_TEXT_BYTES
    assert messages.from_bytes(messages.to_bytes(messages.Prompt("\ud800"))) == messages.Prompt("?")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (messages.ShowBalance(-1), "cents can't be written as u64: -1"),
        (messages.SetWatchdog(65536), "milliseconds can't be written as u16: 65536"),
        (messages.Lights("on", "on", "green"), "warning can't be written as word: 'green'"),  # type: ignore[arg-type]
        (messages.Arm(1, (2, 256)), "stacks can't be written as u8s"),
    ],
)
def test_a_value_that_can_not_be_says_which(message: Message, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        messages.to_bytes(message)


def test_no_face_is_in_an_error() -> None:
    with pytest.raises(ValueError, match=r"faces can't be written as covered$"):
        messages.to_bytes(messages.Dispensed(1, 1, 5, bytes(256)))
