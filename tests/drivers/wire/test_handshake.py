"""Who speaks is proven, and nothing that was recorded, changed or made up is taken for real."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.wire import fields, frame, handshake, keys, messages
from drivers.wire.frame import MAX_PAYLOAD, Kind, Packet
from drivers.wire.handshake import PROTOCOL, Hello, Identity, Result
from drivers.wire.keys import SessionKeys
from drivers.wire.responder import Responder
from tests.drivers.wire.conversation import KEY, Conversation

OTHER_KEY = bytes(range(1, 33))
IDENTITY = Identity(PROTOCOL, "shoe", "S-1", "4711", bytes(32), 7, "counts reads", bytes(16))
OURS, THEIRS = b"o" * 16, b"t" * 16

identities = st.builds(
    Identity,
    st.integers(0, 255),
    st.sampled_from(["shuffler", "shoe", "panel", "acceptor", "terminal", "sign"]),
    st.text(st.characters(codec="ascii"), min_size=1, max_size=24),
    st.text(st.characters(codec="ascii"), min_size=1, max_size=24),
    st.binary(min_size=32, max_size=32),
    st.integers(0, 2**32 - 1),
    st.text(st.characters(codec="ascii"), max_size=48),
    st.binary(min_size=16, max_size=16),
)


@pytest.mark.parametrize(
    ("field", "most"), [("model", 24), ("serial_number", 24), ("capabilities", 48)]
)
def test_a_text_is_counted_in_bytes(field: str, most: int) -> None:
    """Of what a device writes too long, nothing is taken; what we write ourselves is cut."""
    written = fields.write(
        msgspec.structs.replace(IDENTITY, **{field: "e" * most}), fields.fields_of(Identity)
    )
    longer = written.replace(
        bytes([most]) + b"e" * most, bytes([most + 2]) + "é".encode() * (most // 2 + 1)
    )
    assert longer != written
    assert handshake.identity_from_bytes(written + bytes(16)) is not None
    assert handshake.identity_from_bytes(longer + bytes(16)) is None


@given(identities)
def test_an_identity_there_and_back(identity: Identity) -> None:
    written = handshake.identity_to_bytes(identity, KEY, OURS)
    assert len(written) <= MAX_PAYLOAD
    read = handshake.identity_from_bytes(written)
    assert read is not None
    assert read[0] == identity
    assert keys.proven(KEY, OURS, read[1], read[2])


@given(st.binary(max_size=MAX_PAYLOAD))
def test_readers_take_any_bytes(data: bytes) -> None:
    for read in (
        handshake.hello_from_bytes,
        handshake.identity_from_bytes,
        handshake.result_from_bytes,
    ):
        read(data)


@given(st.integers(0, 255), st.binary(min_size=16, max_size=16))
def test_a_hello_there_and_back(protocol: int, nonce: bytes) -> None:
    hello = Hello(protocol, nonce)
    assert handshake.hello_from_bytes(handshake.hello_to_bytes(hello)) == hello


def test_a_result_there_and_back() -> None:
    result = Result(7, "refused", "the door is open")
    assert handshake.result_from_bytes(handshake.result_to_bytes(result)) == result


def test_an_identity_without_a_name_is_none() -> None:
    nameless = msgspec.structs.replace(IDENTITY, model="")
    assert handshake.identity_from_bytes(handshake.identity_to_bytes(nameless, KEY, OURS)) is None


def test_a_name_too_long_for_the_frame_is_cut() -> None:
    long = msgspec.structs.replace(IDENTITY, model="m" * 80, serial_number="s" * 80)
    written = handshake.identity_to_bytes(long, KEY, OURS)
    assert len(written) <= MAX_PAYLOAD
    read = handshake.identity_from_bytes(written)
    assert read is not None
    assert (read[0].model, read[0].serial_number) == ("m" * 24, "s" * 24)


@given(st.data())
def test_a_proof_holds_for_one_key_one_nonce_and_every_byte(data: st.DataObject) -> None:
    written = handshake.identity_to_bytes(IDENTITY, KEY, OURS)
    body, proof = written[:-16], written[-16:]
    assert keys.proven(KEY, OURS, body, proof)
    assert not keys.proven(OTHER_KEY, OURS, body, proof)
    assert not keys.proven(KEY, b"x" * 16, body, proof)
    at = data.draw(st.integers(0, len(written) - 1))
    altered = bytearray(written)
    altered[at] ^= data.draw(st.integers(1, 255))
    assert not keys.proven(KEY, OURS, bytes(altered[:-16]), bytes(altered[-16:]))


def test_both_sides_make_the_same_keys_and_no_two_sessions_do() -> None:
    ours, theirs = b"o" * 16, b"t" * 16
    agreed = SessionKeys.agreed(KEY, ours, theirs)
    assert agreed == SessionKeys.agreed(KEY, ours, theirs)
    assert agreed.tag != agreed.faces
    for other in (
        SessionKeys.agreed(OTHER_KEY, ours, theirs),
        SessionKeys.agreed(KEY, theirs, ours),
        SessionKeys.agreed(KEY, ours, ours),
    ):
        assert other.tag != agreed.tag
        assert other.faces != agreed.faces


@given(
    st.sampled_from(["kind", "address", "session", "seq", "payload", "tag"]), st.integers(1, 255)
)
def test_a_tag_covers_all_of_a_packet(part: str, by: int) -> None:
    session = SessionKeys.agreed(KEY, b"o" * 16, b"t" * 16)
    packet = Packet(Kind.RESULT, 1, 1, 1, b"payload")
    packet = packet._replace(tag=session.sign(packet))
    assert session.signed(packet)
    changes: dict[str, object] = {
        "kind": Kind.EVENT,
        "address": (1 + by) % 256,
        "session": (1 + by) % 256,
        "seq": 1 + by,
        "payload": bytes((by ^ ord("p"),)) + b"ayload",
        "tag": bytes((packet.tag[0] ^ by,)) + packet.tag[1:],
    }
    assert not session.signed(packet._replace(**{part: changes[part]}))  # type: ignore[arg-type]


@given(st.binary(max_size=32), st.integers(1, 2**32 - 1))
def test_faces_are_covered_and_uncovered(faces: bytes, seq: int) -> None:
    session = SessionKeys.agreed(KEY, b"o" * 16, b"t" * 16)
    assert session.cover(session.cover(faces, seq), seq) == faces


def test_no_two_events_have_the_same_cover() -> None:
    session = SessionKeys.agreed(KEY, b"o" * 16, b"t" * 16)
    covers = {session.cover(bytes(32), seq) for seq in range(1000)}
    assert len(covers) == 1000


# --- On the line --------------------------------------------------------------


def test_a_device_with_another_key_is_refused_and_asked_again_seldom() -> None:
    talk = Conversation()
    talk.devices[0].key = OTHER_KEY
    talk.devices[0].restart()
    talk.run(60)
    assert talk.stations[0].stage == "refused"
    assert set(talk.strange()) == {"wrong proof"}
    assert 10 <= len(talk.strange()) <= 13
    assert talk.heard() == []


@pytest.mark.parametrize("protocol", [0, 2, 255])
def test_a_device_of_another_protocol_is_refused_in_words(protocol: int) -> None:
    talk = Conversation()
    talk.devices[0].protocol = protocol
    talk.devices[0].restart()
    talk.run(11)
    assert talk.stations[0].stage == "refused"
    assert set(talk.refusals()) == {f"it speaks protocol {protocol}, felt speaks {PROTOCOL}"}
    assert talk.strange() == []


def test_it_is_taken_once_its_firmware_is_the_right_one() -> None:
    talk = Conversation()
    talk.devices[0].protocol = 2
    talk.devices[0].restart()
    talk.run(11)
    talk.devices[0].protocol = PROTOCOL
    talk.devices[0].restart()
    talk.until(lambda: talk.all_ready)


def test_an_identity_of_the_future_need_not_be_readable() -> None:
    talk = Conversation()
    talk.run(0.0005)
    _, hello = talk.spoken[0]
    talk.line.received(
        frame.to_bytes(Packet(Kind.IDENTITY, 1, hello.session, 0, b"\x09 something new")), talk.now
    )
    talk.run(0.0)
    talk.step()
    assert talk.refusals() == ["it speaks protocol 9, felt speaks 1"]


@pytest.mark.parametrize("payload", [b"\x02", b"\x02" + bytes(16), b"\x02" + bytes(60)])
def test_a_device_answers_a_hello_of_the_future_with_what_it_speaks(payload: bytes) -> None:
    """However long that is; it makes no keys, and does nothing for whoever greeted it so."""
    device = Responder(IDENTITY, KEY, lambda _: ("done", ""), lambda: THEIRS, address=1)
    answer = device.received(Packet(Kind.HELLO, 1, 5, 0, payload), 0.0)
    assert answer is not None
    assert (answer.kind, answer.session, answer.payload[0]) == (Kind.IDENTITY, 5, PROTOCOL)
    assert not device.in_session
    asked = device.received(Packet(Kind.POLL, 1, 5, 1, bytes(4), bytes(8)), 0.0)
    assert asked == Packet(Kind.IDENTITY, 1, 0, 0), "it asks for a hello that it understands"
    greeted = Packet(Kind.HELLO, 1, 6, 0, handshake.hello_to_bytes(Hello(PROTOCOL, OURS)))
    assert device.received(greeted, 0.0) is not None
    assert device.in_session


def test_a_hello_of_this_protocol_is_as_long_as_it_is() -> None:
    device = Responder(IDENTITY, KEY, lambda _: ("done", ""), lambda: THEIRS, address=1)
    for payload in (b"", b"\x01", b"\x01" + bytes(15), b"\x01" + bytes(17)):
        assert device.received(Packet(Kind.HELLO, 1, 5, 0, payload), 0.0) is None


def test_an_identity_of_before_proves_nothing() -> None:
    talk = Conversation()
    talk.until(lambda: talk.all_ready)
    recorded = handshake.identity_to_bytes(IDENTITY, KEY, OURS)
    session = talk.spoken[0][1].session
    talk.cut()
    talk.devices[0].mute = True
    talk.run(0.001)
    talk.line.received(frame.to_bytes(Packet(Kind.IDENTITY, 1, session + 1, 0, recorded)), talk.now)
    talk.run(0.1)
    assert talk.strange() == ["wrong proof"]
    assert talk.stations[0].stage == "refused"


def test_a_late_answer_to_a_hello_is_one() -> None:
    talk = Conversation()
    talk.wire = replace(talk.wire, delay=(0.2, 0.2))
    talk.until(lambda: talk.all_ready)
    assert talk.strange() == []


def event(talk: Conversation, seq: int, *, session: int | None = None) -> bytes:
    """As the device would send it, but outside of its own counting."""
    device = talk.devices[0].responder
    packet = device._signed(Kind.EVENT, seq, messages.to_bytes(messages.Door(True)))
    if session is not None:
        packet = packet._replace(session=session)
    return frame.to_bytes(packet)


def test_an_event_played_again_is_not_heard_again() -> None:
    talk = Conversation()
    talk.until(lambda: talk.all_ready)
    recorded = event(talk, 1)
    for _ in range(10):
        talk.line.received(recorded, talk.now)
        talk.run(0.01)
    assert talk.heard() == [messages.Door(True)]


def test_an_event_of_an_earlier_session_is_not_heard() -> None:
    talk = Conversation()
    talk.until(lambda: talk.all_ready)
    recorded = event(talk, 1)
    earlier = talk.spoken[0][1].session
    talk.cut()
    talk.until(lambda: talk.all_ready)
    talk.line.received(recorded, talk.now)
    current = talk.spoken[-1][1].session
    talk.line.received(event(talk, 1, session=earlier), talk.now)
    forged = frame.from_bytes(recorded[:-1])
    assert forged is not None
    talk.line.received(frame.to_bytes(forged._replace(session=current)), talk.now)
    talk.run(0.01)
    assert talk.heard() == []
    assert talk.strange() == ["old session", "old session", "bad tag"]


def test_a_command_played_again_is_not_done_again() -> None:
    talk = Conversation()
    talk.until(lambda: talk.all_ready)
    talk.send(messages.Dispense(1, 1, 5))
    talk.until(lambda: bool(talk.answered()))
    recorded = next(packet for _, packet in talk.spoken if packet.kind is Kind.COMMAND)
    device = talk.devices[0]
    for _ in range(3):
        device.responder.received(recorded, talk.now)
    talk.send(messages.Report())
    talk.until(lambda: len(talk.answered()) == 2)
    assert device.responder.received(recorded, talk.now) is None
    altered = recorded._replace(seq=9)
    assert device.responder.received(altered, talk.now) is None
    assert device.done == [messages.Dispense(1, 1, 5), messages.Report()]


def test_a_hello_alone_does_not_feed_the_watchdog_of_a_device() -> None:
    talk = Conversation(accepts=False)
    talk.run(1.0)
    assert talk.devices[0].responder.heard_at is None
    assert talk.stations[0].stage == "identified"
