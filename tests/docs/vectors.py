"""The protocol's test vectors, for whoever writes a device: as JSON, and as a table for C.

All bytes are from felt's own codec, but for those of the hashes: they are the published ones, so
that they hold against felt as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from drivers.wire import cobs, fields, frame, handshake, messages
from drivers.wire.fields import Field
from drivers.wire.frame import Kind, Packet
from drivers.wire.messages import Message
from tests.docs import conversation
from tests.docs.conversation import Said
from tests.docs.examples import EXAMPLES, FACES, packet_with, travelling
from tests.docs.session import (
    ADDRESS,
    BOOT,
    DEVICE_NONCE,
    FELT_NONCE,
    FIRMWARE_TEXT,
    IDENTITY,
    KEY,
    KEYS,
    MORE_DEVICE_NONCES,
    SESSION,
)

ABOUT = (
    "Test vectors of felt's protocol (docs/protocol.md). Written by `make docs`; described in "
    "docs/reference-device/README.md. Bytes are hexadecimal."
)

ABOUT_CATALOGUE = (
    "Every message of felt's protocol: codes below 64 are commands, the others events; `devices` "
    "is who is told it or says it, all of them if it is empty. Written by `make docs`."
)

#: FIPS 180-4's examples: what is hashed, how many times over, and the digest.
SHA256 = (
    (b"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (b"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
        b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        1,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ),
    (b"a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
)
#: RFC 4231's cases that give the whole digest.
HMAC = (
    (
        b"\x0b" * 20,
        b"Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ),
    (
        b"Jefe",
        b"what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ),
    (
        b"\xaa" * 20,
        b"\xdd" * 50,
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
    ),
    (
        bytes(range(1, 26)),
        b"\xcd" * 50,
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ),
    (
        b"\xaa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
    (
        b"\xaa" * 131,
        b"This is a test using a larger than block-size key and a larger than block-size data. "
        b"The key needs to be hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ),
)
BLOCKS = (
    b"",
    b"\0",
    b"\0\0",
    bytes.fromhex("11220033"),
    bytes.fromhex("1100002200"),
    bytes(range(frame.MAX_FRAME - 2)),
    b"\xff" * (frame.MAX_FRAME - 2),
    bytes(frame.MAX_FRAME - 2),
)


def vectors() -> dict[str, Any]:
    return {
        "about": ABOUT,
        "protocol": handshake.PROTOCOL,
        "sha256": [
            {"bytes": data.hex(), "times": times, "digest": digest}
            for data, times, digest in SHA256
        ],
        "hmac_sha256": [
            {"key": key.hex(), "bytes": data.hex(), "digest": digest} for key, data, digest in HMAC
        ],
        "check": [
            {"bytes": data.hex(), "check": f"{frame.check(data):04x}"}
            for data in (b"", b"123456789", bytes(range(256)))
        ],
        "stuffing": [{"block": one.hex(), "stuffed": cobs.encode(one).hex()} for one in BLOCKS],
        "session": _session(),
        "faces": _faces(),
        "messages": [_message(one) for one in EXAMPLES],
        "no_messages": [{"payload": data.hex(), "why": why} for data, why in no_messages()],
        "no_frames": [{"bytes": data.hex(), "why": why} for data, why in no_frames()],
        "conversations": {
            "a line of its own": _conversation(conversation.worked(), polled=False),
            "a bus": _conversation(conversation.on_a_bus(), polled=True),
        },
    }


def text() -> str:
    """One entry on a line: so that a change of one is a change of one line."""
    parts = []
    for name, value in vectors().items():
        if isinstance(value, list):
            said = ",\n".join(f"    {json.dumps(one, ensure_ascii=False)}" for one in value)
            parts.append(f"  {json.dumps(name)}: [\n{said}\n  ]")
        elif name == "conversations":
            parts.append(f"  {json.dumps(name)}: {_spread(value)}")
        else:
            parts.append(f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _spread(conversations: dict[str, Any]) -> str:
    parts = []
    for name, one in conversations.items():
        steps = ",\n".join(f"        {json.dumps(step)}" for step in one["steps"])
        head = {key: value for key, value in one.items() if key != "steps"}
        said = json.dumps(head)[1:-1]
        parts.append(f'    {json.dumps(name)}: {{{said}, "steps": [\n{steps}\n    ]}}')
    return "{\n" + ",\n".join(parts) + "\n  }"


def _session() -> dict[str, Any]:
    payload = handshake.identity_to_bytes(IDENTITY, KEY, FELT_NONCE)
    return {
        "session": SESSION,
        "address": ADDRESS,
        "key": KEY.hex(),
        "felt_nonce": FELT_NONCE.hex(),
        "device_nonces": [one.hex() for one in (DEVICE_NONCE, *MORE_DEVICE_NONCES)],
        "firmware_text": FIRMWARE_TEXT,
        "kind": IDENTITY.kind,
        "model": IDENTITY.model,
        "serial_number": IDENTITY.serial_number,
        "boot": BOOT,
        "identity": payload[:-16].hex(),
        "proof": payload[-16:].hex(),
        "tag_key": KEYS.tag.hex(),
        "faces_key": KEYS.faces.hex(),
    }


def _faces() -> dict[str, Any]:
    seq = messages.Dispensed.code
    return {"event": seq, "faces": FACES.hex(), "covered": KEYS.cover(FACES, seq).hex()}


def _message(message: Message) -> dict[str, Any]:
    packet = packet_with(message)
    return {
        "message": messages.name(message),
        "fields": msgspec.to_builtins(message) | {"message": messages.name(message)},
        "payload": messages.to_bytes(travelling(message)).hex(),
        "seq": packet.seq,
        "frame": frame.to_bytes(packet).hex(),
    }


# --- What must be turned away -------------------------------------------------


def no_messages() -> Iterator[tuple[bytes, str]]:
    """Payloads that are no message: a device answers them with `unknown`."""
    yield bytes((0x3F,)), "no such code"
    yield bytes((messages.Unlock.code, 0)), "longer than the message"
    yield bytes((messages.SetWatchdog.code, 1)), "shorter than the message"
    yield bytes((messages.SetLamp.code, 4)), "a word that there is not"
    yield bytes((messages.Offer.code, 1, 65, 2, 0)), "a flag that is neither 0 nor 1"
    yield bytes((messages.Return.code, 0x80)) + bytes(7), "more than 2^63 - 1"
    yield bytes((messages.Shuffle.code, 81)) + b"x" * 81, "a text of more than 80 bytes"
    yield bytes((messages.Shuffle.code, 1, 0xFF)), "a text that is not UTF-8"
    yield bytes((messages.Shuffle.code, 2, 0xC0, 0x80)), "a zero of two bytes is not UTF-8"
    yield bytes((messages.Shuffle.code, 3, 0xED, 0xA0, 0x80)), "a surrogate is not UTF-8"
    yield bytes((messages.Shuffle.code, 9, 65)), "a text that runs over the end"
    yield bytes((messages.Arm.code, 0, 0, 0, 1, 33)) + b"\1" * 33, "more than 32 numbers"


def no_frames() -> Iterator[tuple[bytes, str]]:
    """What may come over the line and is no frame, with its zero: dropped, and not answered."""
    good = frame.to_bytes(packet_with(messages.Unlock()))
    block = cobs.decode(good[:-1]) or b""
    yield b"\0\0", "nothing between two zeros"
    yield good[:-5] + b"\0", "cut short"
    yield bytes((good[0], good[1] ^ 0x40)) + good[2:], "one bit is wrong"
    yield _framed(block[:-2] + bytes((block[-2] ^ 1, block[-1]))), "the check is wrong"
    yield b"\x09\x01\x02\0", "a piece runs over the end"
    yield _checked(bytes((0x05,)) + block[1:-2]), "an unknown kind"
    yield _checked(block[:6]), "shorter than its head"
    yield _checked(block[:12]), "too short for a tag"
    yield b"\x55" * 300 + b"\0", "longer than the longest frame"
    yield _checked(block[:7] + bytes(201) + block[-10:-2]), "a payload of 201 bytes"


def _framed(block: bytes) -> bytes:
    return cobs.encode(block) + b"\0"


def _checked(body: bytes) -> bytes:
    return _framed(body + frame.check(body).to_bytes(2, "big"))


# --- Conversations ------------------------------------------------------------


def _conversation(said: Sequence[Said], *, polled: bool) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []
    for before, one in zip((None, *said[:-1]), said, strict=True):
        if one.by == "device" and one.packet.kind is Kind.EVENT:
            # Before the request that it is the answer to, if it is one.
            asked = before is not None and before.packet.kind is Kind.POLL
            act = {"tell": one.packet.payload.hex()}
            steps.insert(len(steps) - (1 if asked else 0), act)
        if _asks_for_a_hello(one.packet):
            steps.insert(len(steps) - 1, {"restart": True})
        steps.append({one.by: frame.to_bytes(one.packet).hex()})
    return {"address": said[0].packet.address, "polled": polled, "steps": steps}


def _asks_for_a_hello(packet: Packet) -> bool:
    return packet.kind is Kind.IDENTITY and not packet.payload


# --- The catalogue ------------------------------------------------------------


def catalogue() -> str:
    """Every message with its fields, for a program that writes them as bytes."""
    rows = []
    for code, kind in sorted(messages.CATALOGUE.items()):
        defaults = {
            one.encode_name: one.default
            for one in msgspec.structs.fields(kind)
            if one.default is not msgspec.NODEFAULT
        }
        fields_: list[dict[str, Any]] = []
        for one in kind.fields:
            said: dict[str, Any] = {"name": one.name, "type": one.type}
            if one.words:
                said["words"] = list(one.words)
            if one.name in defaults:
                default = defaults[one.name]
                said["default"] = default.decode() if isinstance(default, bytes) else default
            fields_.append(said)
        row = {"message": messages.name(kind), "code": code, "devices": list(kind.devices)}
        rows.append(f"    {json.dumps({**row, 'fields': fields_})}")
    about = json.dumps(ABOUT_CATALOGUE)
    return f'{{\n  "about": {about},\n  "messages": [\n' + ",\n".join(rows) + "\n  ]\n}\n"


# --- For C --------------------------------------------------------------------

_HEAD = """\
/* Written by `make docs` from felt's own code; edits are lost. */
"""
_CONSTANTS = (
    "key", "tag_key", "faces_key", "proof", "identity", "felt_nonce", "faces", "covered",
    "device_nonce_1", "device_nonce_2",
)  # fmt: skip
#: Fields of one type that have names of their own.
_TYPES = {"lock_out": "light", "deal": "light", "warning": "light"}


def _constant(*words: str) -> str:
    return "_".join(("FELT", *words)).upper().replace(" ", "_")


def codes() -> str:
    """The codes of all messages, and the numbers of all words."""
    lines = [_HEAD + "#ifndef FELT_CODES_H\n#define FELT_CODES_H\n", "enum {"]
    for code, kind in sorted(messages.CATALOGUE.items()):
        lines.append(f"    {_constant('msg', messages.name(kind))} = 0x{code:02x},")
    lines.append("};\n")
    for name, words in _words().items():
        lines.append("enum {")
        lines += [f"    {_constant(name, word)} = {n}," for n, word in enumerate(words)]
        lines.append("};\n")
    return "\n".join((*lines, "#endif\n"))


def _words() -> dict[str, tuple[str, ...]]:
    """By the field's name; where two messages use one name, the longer list holds for both."""
    found: dict[str, tuple[str, ...]] = {}
    all_fields: list[Field] = [
        *fields.fields_of(handshake.Identity),
        *fields.fields_of(handshake.Result),
        *(one for _, kind in sorted(messages.CATALOGUE.items()) for one in kind.fields),
    ]
    for one in all_fields:
        if not one.words:
            continue
        name = _TYPES.get(one.name, one.name)
        before = found.get(name, ())
        longer, shorter = sorted((before, one.words), key=len, reverse=True)
        if longer[: len(shorter)] != shorter:
            raise ValueError(f"{name} has other words in another message")
        found[name] = longer
    return found


def table_for_c() -> str:
    """The vectors as constants: a test on the smallest part has no files."""
    given = vectors()
    session = given["session"]
    rows = [_HEAD, '#include "vectors.h"\n']
    rows.append(_rows("sha256", _each(given["sha256"], "bytes", "digest", number="times")))
    rows.append(_rows("hmac", _each(given["hmac_sha256"], "key", "bytes", "digest")))
    rows.append(_rows("check", _each(given["check"], "bytes", "check")))
    rows.append(_rows("stuffing", _each(given["stuffing"], "block", "stuffed")))
    rows.append(_rows("message", _each(given["messages"], "payload", "frame", number="seq")))
    rows.append(_rows("no_message", _each(given["no_messages"], "payload")))
    rows.append(_rows("no_frame", _each(given["no_frames"], "bytes")))
    for name, one in given["conversations"].items():
        steps = [
            f"{{STEP_{what.upper()}, {_c('' if data is True else data)}}}"
            for step in one["steps"]
            for what, data in step.items()
        ]
        rows.append(_rows(name.replace(" ", "_"), steps, "step"))
    flat = {name: value for name, value in session.items() if isinstance(value, str)}
    flat["felt_nonce"], flat["faces"] = session["felt_nonce"], given["faces"]["faces"]
    flat["covered"] = given["faces"]["covered"]
    for n, nonce in enumerate(session["device_nonces"], 1):
        flat[f"device_nonce_{n}"] = nonce
    rows += [f"const struct bytes vector_{name} = {_c(flat[name])};" for name in _CONSTANTS]
    rows.append(f'const char vector_firmware[] = "{session["firmware_text"]}";')
    return "\n".join(rows) + "\n"


def _each(entries: list[dict[str, Any]], *names: str, number: str = "") -> list[str]:
    return [
        "{"
        + ", ".join((*(_c(one[name]) for name in names), *([str(one[number])] if number else [])))
        + "}"
        for one in entries
    ]


def _rows(name: str, rows: list[str], type_: str = "") -> str:
    said = "".join(f"    {row},\n" for row in rows)
    kind = f"struct vector_{type_ or name}"
    return (
        f"const {kind} vectors_{name}[] = {{\n{said}}};\n"
        f"const unsigned vectors_{name}_count = {len(rows)};\n"
    )


def _c(hexed: str) -> str:
    data = bytes.fromhex(hexed)
    said = "".join(f"\\x{byte:02x}" for byte in data)
    return f'{{(const uint8_t *)"{said}", {len(data)}}}'
