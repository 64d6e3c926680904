"""Packets as JSON: each comes back as it was, and garbage never raises."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.wire import envelope, handshake, keys, messages, topics
from drivers.wire.envelope import ADDRESS, from_json, to_json
from drivers.wire.fields import MAX_LIST, MAX_LONGS, Field
from drivers.wire.frame import Deadline, Kind, Packet
from drivers.wire.handshake import PROTOCOL, Hello, Identity, Result

KEY = bytes(range(32))
TAG = bytes.fromhex("00112233445566aa")

u8, u32 = st.integers(0, 0xFF), st.integers(0, 0xFFFF_FFFF)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "u8": u8,
    "u16": st.integers(0, 0xFFFF),
    "u32": u32,
    "u64": st.integers(0, 2**63 - 1),
    "flag": st.booleans(),
    "text": st.text(st.characters(codec="utf-8"), max_size=20),
    "u8s": st.lists(u8, max_size=MAX_LIST).map(tuple),
    "u32s": st.lists(u32, max_size=MAX_LONGS).map(tuple),
    "covered": st.binary(max_size=MAX_LIST),
}


def value_of(field: Field) -> st.SearchStrategy[Any]:
    return st.sampled_from(field.words) if field.words else VALUES[field.type]


def message_of(kind: type[messages.Message]) -> st.SearchStrategy[messages.Message]:
    return st.builds(kind, **{field.name: value_of(field) for field in kind.fields})


def messages_below(base: type[messages.Message]) -> st.SearchStrategy[bytes]:
    kinds = [kind for kind in messages.CATALOGUE.values() if issubclass(kind, base)]
    return st.sampled_from(kinds).flatmap(message_of).map(messages.to_bytes)


def tagged(kind: Kind, payload: st.SearchStrategy[bytes]) -> st.SearchStrategy[Packet]:
    return st.builds(
        Packet,
        st.just(kind),
        st.just(ADDRESS),
        u8,
        u32,
        payload,
        st.binary(min_size=8, max_size=8),
        st.builds(Deadline, u32, u32) if kind is Kind.COMMAND else st.none(),
    )


def untagged(kind: Kind, payload: st.SearchStrategy[bytes]) -> st.SearchStrategy[Packet]:
    return st.builds(
        Packet,
        st.just(kind),
        st.just(ADDRESS),
        u8,
        st.just(0),
        payload,
        tag=st.just(b""),
        deadline=st.none(),
    )


nonce = st.binary(min_size=16, max_size=16)
short = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
identities = st.builds(
    Identity,
    u8,
    st.sampled_from(["shuffler", "shoe", "panel", "acceptor", "terminal", "sign"]),
    short,
    short,
    st.binary(min_size=32, max_size=32),
    u32,
    st.sampled_from(["", "counts", "counts reads"]),
    nonce,
)
packets = st.one_of(
    untagged(Kind.HELLO, st.builds(Hello, u8, nonce).map(handshake.hello_to_bytes)),
    untagged(
        Kind.IDENTITY,
        st.one_of(
            st.just(b""),
            st.builds(handshake.identity_to_bytes, identities, st.just(KEY), nonce),
        ),
    ),
    tagged(
        Kind.COMMAND,
        st.builds(lambda i, m: i.to_bytes(4, "big") + m, u32, messages_below(messages.Command)),
    ),
    tagged(Kind.POLL, u32.map(lambda seq: seq.to_bytes(4, "big"))),
    tagged(Kind.ACK, st.just(b"")),
    tagged(
        Kind.RESULT,
        st.builds(
            Result, u32, st.sampled_from(["done", "accepted", "refused", "unknown"]), VALUES["text"]
        ).map(handshake.result_to_bytes),
    ),
    tagged(Kind.IDLE, st.just(b"")),
    tagged(Kind.EVENT, messages_below(messages.Event)),
)


@given(packets)
def test_every_packet_comes_back_as_it_was(packet: Packet) -> None:
    published = to_json(packet)
    assert from_json(published) == packet
    assert len(published) <= envelope.MAX_JSON


@given(packets)
def test_it_is_json_for_anybody(packet: Packet) -> None:
    said = json.loads(to_json(packet))
    assert said["kind"] == packet.kind.name.lower()
    assert said["session"] == packet.session


@pytest.mark.parametrize(
    ("packet", "said"),
    [
        (
            Packet(Kind.HELLO, 1, 3, 0, handshake.hello_to_bytes(Hello(1, bytes(15) + b"\x0a"))),
            {"kind": "hello", "session": 3, "protocol": 1, "nonce": "00" * 15 + "0a"},
        ),
        (
            Packet(
                Kind.COMMAND,
                1,
                3,
                4,
                (77).to_bytes(4, "big") + messages.to_bytes(messages.SetLamp("invite")),
                TAG,
                Deadline(3, 1950),
            ),
            {
                "kind": "command",
                "session": 3,
                "seq": 4,
                "tag": "00112233445566aa",
                "id": 77,
                "after": 3,
                "deadline_ms": 1950,
                "message": {"message": "set_lamp", "lamp": "invite"},
            },
        ),
        (
            Packet(Kind.EVENT, 1, 3, 13, messages.to_bytes(messages.Door(True)), TAG),
            {
                "kind": "event",
                "session": 3,
                "seq": 13,
                "tag": "00112233445566aa",
                "message": {"message": "door", "open": True},
            },
        ),
        (
            Packet(Kind.RESULT, 1, 3, 4, handshake.result_to_bytes(Result(77, "done")), TAG),
            {
                "kind": "result",
                "session": 3,
                "seq": 4,
                "tag": "00112233445566aa",
                "id": 77,
                "outcome": "done",
            },
        ),
        (Packet(Kind.IDENTITY, 1, 0, 0), {"kind": "identity", "session": 0}),
        (
            Packet(Kind.EVENT, 1, 3, 13, b"\xff\x01", TAG),
            {
                "kind": "event",
                "session": 3,
                "seq": 13,
                "tag": "00112233445566aa",
                "payload": "ff01",
            },
        ),
    ],
    ids=["hello", "command", "event", "result", "wants to be greeted", "not in the catalogue"],
)
def test_what_is_published(packet: Packet, said: dict[str, Any]) -> None:
    assert json.loads(to_json(packet)) == said
    assert from_json(json.dumps(said).encode()) == packet


def test_a_proof_still_holds_on_the_other_side() -> None:
    ours = bytes(range(16))
    identity = Identity(
        PROTOCOL, "acceptor", "Ä-100", "4711", bytes(32), 7, "reads", bytes(range(16, 32))
    )
    payload = handshake.identity_to_bytes(identity, KEY, ours)
    there = from_json(to_json(Packet(Kind.IDENTITY, 1, 3, 0, payload)))
    assert there is not None
    read = handshake.identity_from_bytes(there.payload)
    assert read is not None
    assert read[0] == identity
    assert keys.proven(KEY, ours, read[1], read[2])


@given(st.binary(max_size=300))
def test_garbage_is_no_packet(data: bytes) -> None:
    assert from_json(data) is None
    assert topics.presence_from_json(data) is None


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(packets, st.sampled_from(["session", "seq", "tag", "message", "id", "kind"]), json_values)
def test_a_packet_with_a_field_of_garbage_never_raises(
    packet: Packet, name: str, value: Any
) -> None:
    said = json.loads(to_json(packet))
    from_json(msgspec.json.encode({**said, name: value}))
    said.pop(name, None)
    from_json(msgspec.json.encode(said))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[" * 4000,
        b'{"kind":' * 500,
        b'{"kind":"idle","session":1,"seq":1,"tag":"00112233445566aa","more":1}',
        b'{"kind":"idle","session":1,"seq":1,"tag":"00112233445566AA"}',
        b'{"kind":"idle","session":1,"seq":1,"tag":"00112233445566aa\\n"}',
        b'{"kind":"idle","session":256,"seq":1,"tag":"00112233445566aa"}',
        b'{"kind":"event","session":1,"seq":1,"tag":"00112233445566aa"}',
        b'{"kind":"event","session":1,"seq":1,"tag":"00112233445566aa","payload":"ff",'
        b'"message":{"message":"empty"}}',
        b'{"kind":"event","session":1,"seq":1,"tag":"00112233445566aa",'
        b'"message":{"message":"lock"}}',
        b'{"kind":"command","session":1,"seq":1,"id":1,"tag":"00112233445566aa",'
        b'"message":{"message":"lock"}}',
        b'{"kind":"idle","session":1,"seq":1,"tag":"00112233445566aa"}' + b" " * 5000,
    ],
)
def test_what_is_almost_a_packet_is_none(data: bytes) -> None:
    assert from_json(data) is None


def test_nobody_makes_a_result_that_is_none() -> None:
    with pytest.raises(ValueError, match="no packet"):
        to_json(Packet(Kind.RESULT, 1, 1, 1, b"\0", TAG))


# --- Another protocol -----------------------------------------------------------


def test_of_another_protocol_so_much_is_read_that_it_can_be_named() -> None:
    """Whatever else stands in it, and however it is written."""
    identity = {"kind": "identity", "session": 7, "identity": {"protocol": 2, "who": ["x"]}}
    packet = from_json(json.dumps({**identity, "more": 1}).encode())
    assert packet == Packet(Kind.IDENTITY, ADDRESS, 7, 0, b"\x02")
    hello = {"kind": "hello", "session": 7, "protocol": 2, "challenge": "00" * 32}
    assert from_json(json.dumps(hello).encode()) == Packet(Kind.HELLO, ADDRESS, 7, 0, b"\x02")
    for one in (packet, Packet(Kind.HELLO, ADDRESS, 7, 0, b"\x02")):
        assert from_json(to_json(one)) == one


@pytest.mark.parametrize(
    "said",
    [
        # Of this protocol what is not in the schema makes it no packet.
        {"kind": "identity", "session": 7, "identity": {"protocol": PROTOCOL, "who": ["x"]}},
        {"kind": "hello", "session": 7, "protocol": PROTOCOL, "challenge": "00"},
        {"kind": "identity", "session": 7, "identity": {"protocol": 256}},
        {"kind": "identity", "session": 7, "identity": {"protocol": "2"}},
        {"kind": "poll", "session": 7, "protocol": 2},
    ],
)
def test_and_no_more_than_that(said: dict[str, Any]) -> None:
    assert from_json(json.dumps(said).encode()) is None
