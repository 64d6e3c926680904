"""The test vectors hold against felt's codec and against one that was written from the page."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import msgspec
import pytest

from drivers.wire import cobs, frame, messages
from drivers.wire.frame import Packet, Splitter
from tests.docs import independent, page_reader, vectors
from tests.docs.independent import Keys
from tests.docs.pages import VECTORS

GIVEN: dict[str, Any] = json.loads(VECTORS.read_text(encoding="utf-8"))
SESSION = GIVEN["session"]
KEY, FELT_NONCE = bytes.fromhex(SESSION["key"]), bytes.fromhex(SESSION["felt_nonce"])
DEVICE_NONCE = bytes.fromhex(SESSION["device_nonces"][0])
KEYS = Keys.of(KEY, FELT_NONCE, DEVICE_NONCE)


def b(entry: dict[str, Any], name: str) -> bytes:
    return bytes.fromhex(entry[name])


def test_the_published_digests_are_those_of_the_library_that_felt_uses() -> None:
    for one in GIVEN["sha256"]:
        assert hashlib.sha256(b(one, "bytes") * one["times"]).digest() == b(one, "digest")
    for one in GIVEN["hmac_sha256"]:
        assert hmac.digest(b(one, "key"), b(one, "bytes"), "sha256") == b(one, "digest")


def test_checks_and_stuffing_are_those_of_the_page() -> None:
    for one in GIVEN["check"]:
        assert independent.crc(b(one, "bytes")).to_bytes(2, "big") == b(one, "check")
    for one in GIVEN["stuffing"]:
        assert independent.stuff(b(one, "block")) == b(one, "stuffed")
        assert cobs.decode(b(one, "stuffed")) == b(one, "block")


def test_the_session_is_that_of_the_page() -> None:
    on_page = page_reader.hexed("keys")
    assert KEYS.tag == b(SESSION, "tag_key") == on_page["tag key"]
    assert KEYS.faces == b(SESSION, "faces_key") == on_page["faces key"]
    identity = b(SESSION, "identity")
    assert independent.proof(KEY, FELT_NONCE, identity) == b(SESSION, "proof")
    faces = GIVEN["faces"]
    assert KEYS.covered(b(faces, "faces"), faces["event"]) == b(faces, "covered")


@pytest.mark.parametrize("one", GIVEN["messages"], ids=lambda one: one["message"])
def test_a_message_is_read_as_it_is_written(one: dict[str, Any]) -> None:
    read = messages.from_bytes(b(one, "payload"))
    assert read is not None
    assert messages.name(read) == one["message"]
    # What is covered goes over the wire as such.
    covered = one["message"] in ("dispensed", "reading")
    assert covered or json.loads(msgspec.json.encode(read)) == one["fields"]
    block = independent.unframe(b(one, "frame")[:-1])
    assert block is not None
    assert (block.seq, block.tag) == (one["seq"], KEYS.tag_of(block))
    assert block.payload.endswith(b(one, "payload"))


def test_every_message_is_among_them() -> None:
    assert {one["message"] for one in GIVEN["messages"]} == set(messages.BY_NAME)


@pytest.mark.parametrize("one", GIVEN["no_messages"], ids=lambda one: one["why"])
def test_what_is_no_message_is_none(one: dict[str, Any]) -> None:
    assert messages.from_bytes(b(one, "payload")) is None


@pytest.mark.parametrize("one", GIVEN["no_frames"], ids=lambda one: one["why"])
def test_what_is_no_frame_is_none_and_the_next_one_is_read(one: dict[str, Any]) -> None:
    good = b(GIVEN["messages"][0], "frame")
    splitter = Splitter()
    assert not [found for found in splitter.feed(b(one, "bytes")) if isinstance(found, Packet)]
    assert [found for found in splitter.feed(good) if isinstance(found, Packet)]
    # What felt takes for a frame and what the page does is the same, but for its length.
    stuffed = b(one, "bytes").rstrip(b"\0")
    assert len(stuffed) > frame.MAX_FRAME - 2 or independent.unframe(stuffed) is None


def test_words_that_differ_under_one_name_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_TYPES", {"lamp": "lock_out"})
    with pytest.raises(ValueError, match="lock_out has other words"):
        vectors.codes()
