"""The words beside the bytes: for every message, and never a face."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.wire import describe, frame, handshake, messages
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import PROTOCOL, Identity, Result
from tests.drivers.wire.catalogue import any_message

TAG = bytes(8)


def said(packet: Packet) -> str:
    return describe.frames()("in", frame.to_bytes(packet))


@given(any_message())
def test_every_message_is_named(message: messages.Message) -> None:
    kind = Kind.COMMAND if isinstance(message, messages.Command) else Kind.EVENT
    head = b"\0\0\0\7" if kind is Kind.COMMAND else b""
    words = said(Packet(kind, 3, 1, 9, head + messages.to_bytes(message), TAG))
    assert words.startswith(f"{kind.name.lower()} 3 s1 #9 ")
    assert messages.name(message) in words


@given(st.binary(min_size=1, max_size=32))
def test_no_face_is_said_covered_or_not(faces: bytes) -> None:
    dispensed = messages.Dispensed(1, 1, 5, faces)
    words = said(Packet(Kind.EVENT, 1, 1, 1, messages.to_bytes(dispensed), TAG))
    assert words == "event 1 s1 #1 dispensed round=1 number=1 cards=5"
    assert describe.message(dispensed) == "dispensed round=1 number=1 cards=5"


def test_the_handshake_and_what_goes_around_messages() -> None:
    identity = Identity(PROTOCOL, "shoe", "S 1", "47", bytes(32), 7, "", bytes(16))
    written = handshake.identity_to_bytes(identity, bytes(32), bytes(16))
    who = f"shoe model='S 1' serial='47' firmware={'00' * 32} boot=7 protocol=1"
    assert said(Packet(Kind.IDENTITY, 1, 1, 0, written)) == f"identity 1 s1 #0 {who}"
    assert said(Packet(Kind.IDENTITY, 1, 0, 0)) == "identity 1 s0 #0 asks for a hello"
    hello = handshake.hello_to_bytes(handshake.Hello(1, bytes(16)))
    assert said(Packet(Kind.HELLO, 1, 1, 0, hello)) == "hello 1 s1 #0 protocol=1"
    result = handshake.result_to_bytes(Result(7, "refused", "door"))
    assert said(Packet(Kind.RESULT, 1, 1, 4, result, TAG)).endswith("id=00000007 refused 'door'")
    assert said(Packet(Kind.POLL, 1, 1, 4, b"\0\0\0\5", TAG)) == "poll 1 s1 #4 has=5"
    assert said(Packet(Kind.IDLE, 1, 1, 4, b"", TAG)) == "idle 1 s1 #4"


@given(st.sampled_from(Kind), st.binary(max_size=200))
def test_whatever_a_frame_holds_it_is_described(kind: Kind, payload: bytes) -> None:
    assert said(Packet(kind, 1, 1, 1, payload, TAG if kind.tagged else b""))


def test_a_frame_is_said_where_it_ends_and_a_flood_is_counted() -> None:
    idle = frame.to_bytes(Packet(Kind.IDLE, 1, 1, 4, b"", TAG))
    say = describe.frames()
    assert say("in", idle[:5]) == ""
    assert say("out", b"half") == ""
    assert say("in", idle[5:]) == "idle 1 s1 #4"
    assert say("in", b"noise\0" + idle) == "garbage, 5 bytes | idle 1 s1 #4"
    assert say("in", idle * 9).endswith("| and 5 more")
