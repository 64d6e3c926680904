"""Heads in the form of C2SP's checkpoints: written, read, and their signatures checked."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from controller.journal import notes
from controller.journal.notes import BadNote, Key, Note, held_in, key_of, note_of

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = Key(notes.name_of("pa-639a-1"), PRIVATE.public_key().public_bytes_raw())


def signed(size: int = 48213, hash_: bytes = bytes(range(32)), created: int = 7) -> Note:
    made = Note(notes.origin_of("pa-639a-1", created), size, hash_)
    return notes.signed_by(KEY, made, PRIVATE.sign(made.body.encode()))


def test_it_reads_as_the_form_says() -> None:
    """https://c2sp.org/tlog-checkpoint, byte for byte."""
    text = str(signed())
    origin, size, hash_, blank, signature, end = text.split("\n")
    assert (origin, size, blank, end) == ("felt/pa-639a-1/7", "48213", "", "")
    assert hash_ == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    assert signature.startswith("— felt/pa-639a-1 ")
    assert note_of(text) == signed()
    assert key_of(str(KEY)) == KEY


def test_a_key_of_the_form_s_own_examples_is_read() -> None:
    """The key and the note that Go's golang.org/x/mod/sumdb/note publishes as its example."""
    key = key_of("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
    text = (
        "If you think cryptography is the answer to your problem,\n"
        "then you don't know what your problem is.\n"
    )
    signature = (
        "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpR"
        "Zb6KE6RyyBwJnAM="
    )
    line = notes._signature(f"— PeterNeumann {signature}")
    assert line[1][:4] == key.id
    assert notes.is_signed(key.public, text.encode(), line[1][4:])
    assert not notes.is_signed(key.public, text.upper().encode(), line[1][4:])


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200))
def test_signatures_are_those_of_the_usual_library(seed: bytes, message: bytes) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public, made = private.public_key().public_bytes_raw(), private.sign(message)
    assert notes.is_signed(public, message, made)
    assert not notes.is_signed(public, message + b"x", made)


@given(st.integers(0, 96 * 8 - 1))
def test_one_flipped_bit_of_key_or_signature_is_seen(bit: int) -> None:
    message = signed().body.encode()
    both = bytearray(KEY.public + PRIVATE.sign(message))
    both[bit // 8] ^= 1 << bit % 8
    assert not notes.is_signed(bytes(both[:32]), message, bytes(both[32:]))


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: text.replace("48213", "48214"),
        lambda text: text.replace("AAEC", "AAED"),
        lambda text: text.replace("/7\n", "/8\n"),
    ],
)
def test_what_was_changed_after_it_was_signed_is_seen(changed: object) -> None:
    assert callable(changed)
    assert signed().is_signed_by(KEY)
    assert not note_of(changed(str(signed()))).is_signed_by(KEY)


def test_somebody_else_s_signature_is_none_of_ours() -> None:
    other = Ed25519PrivateKey.generate()
    key = Key(KEY.name, other.public_key().public_bytes_raw())
    assert not signed().is_signed_by(key)
    # A witness's beside ours takes nothing away.
    witnessed = signed()
    witness = Key("witness.example", other.public_key().public_bytes_raw())
    witnessed = notes.signed_by(witness, witnessed, other.sign(witnessed.body.encode()))
    assert witnessed.is_signed_by(KEY)
    assert witnessed.is_signed_by(witness)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no head"),
        ("a\nb\nc\n\n", "no number of entries"),
        ("a\n1\nc\n\n", "no base64"),
        ("a\n1\nAAAA\n\n", "the hash has 3 bytes"),
        (str(signed()).replace("— ", "- "), "no signature"),
        (str(signed()) + "x" * 5000, "too long"),
        (str(signed()).replace("\n\n", "\nmore\n\n"), "lines that felt does not write"),
        ("a\n9" + "9" * 30 + "\nc\n\n", "no number of entries"),
    ],
)
def test_what_is_no_note_is_said_in_words(text: str, said: str) -> None:
    with pytest.raises(BadNote, match=said):
        note_of(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no key"),
        ("felt/x+00000000+AAAA", "none of Ed25519"),
        (str(KEY).replace(KEY.id.hex(), "00000000"), "has the id"),
        (f"{KEY.name}+{KEY.id.hex()}+###", "no base64"),
    ],
)
def test_what_is_no_key_is_said_in_words(text: str, said: str) -> None:
    with pytest.raises(BadNote, match=said):
        key_of(text)


def test_heads_are_found_wherever_they_were_kept() -> None:
    """A witness's log, a service's log as JSON, and what somebody noted down with a pen."""
    one, two = signed(3), signed(9, bytes(32))
    text = "\n".join(
        [
            "What surveillance has of table 1:",
            str(one),
            json.dumps({"event": "head", "note": str(two), "timestamp": "2026"}),
            json.dumps({"event": "head", "note": str(two)}, ensure_ascii=False),
            f"end of shift: head 12 {bytes(range(32)).hex()}",
        ]
    )
    found = list(held_in(text))
    assert [held.size for held in found] == [3, 9, 9, 12]
    assert [held.note is not None and held.note.is_signed_by(KEY) for held in found] == [
        True,
        True,
        True,
        False,
    ]
