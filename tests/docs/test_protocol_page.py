"""docs/protocol.md: up to date, and enough: whatever is on it can be read with it alone."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from drivers.contract import Settings
from drivers.wire import envelope, frame, keys, messages, responder, station
from tests.docs import blocks, independent, independent_device, page_reader, pages
from tests.docs.examples import EXAMPLES
from tests.docs.independent import Block, Keys
from tests.docs.page_reader import Example

SESSION = page_reader.hexed("keys")
KEY, FELT_NONCE, DEVICE_NONCE = (
    SESSION[name] for name in ("key", "felt's nonce", "device's nonce")
)
KEYS = Keys.of(KEY, FELT_NONCE, DEVICE_NONCE)
IDENTITY_FIELDS = page_reader.fields_in(page_reader.block("identity"))
RESULT_FIELDS = page_reader.fields_in(page_reader.block("result"))
SHOWN = list(page_reader.examples())


@pytest.fixture(scope="module")
def written() -> dict[Path, str]:
    return pages.written()


@pytest.mark.parametrize("path", pages.PAGES, ids=lambda path: path.name)
def test_a_page_is_up_to_date(path: Path, written: dict[Path, str]) -> None:
    said = "run 'make docs' and read what has changed"
    assert path.read_text(encoding="utf-8") == written[path], said


def test_every_page_that_is_written_is_tried(written: dict[Path, str]) -> None:
    assert set(written) == set(pages.PAGES)


def test_every_message_has_an_example() -> None:
    assert sorted(one.code for one in EXAMPLES) == sorted(messages.CATALOGUE)
    assert {one.name for one in SHOWN} == set(messages.BY_NAME)


@pytest.mark.parametrize("module", [independent, independent_device])
def test_the_independent_ones_import_nothing_of_felt(module: Any) -> None:
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    imported = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [])
        + [alias.name for alias in node.names if isinstance(node, ast.Import)]
    }
    ours = {name for name in imported if name.split(".")[0] in ("drivers", "controller", "tests")}
    assert ours <= {"tests.docs", "tests.docs.independent"}


def test_a_block_that_is_marked_twice_or_never_is_an_error() -> None:
    with pytest.raises(ValueError, match="marks for"):
        blocks.filled("nothing", {"keys": "text"})
    twice = "<!-- generated: a --><!-- end of a -->" * 2
    with pytest.raises(ValueError, match="begin once"):
        blocks.filled(twice, {"a": "text"})


def test_figures_in_the_prose_are_those_of_the_code() -> None:
    timing = station.Timing()
    for said in (
        f"A block is at most {frame.MAX_FRAME - 2} bytes",
        f"| `payload` | 0 to {frame.MAX_PAYLOAD} |",
        f"whose payload has {1 + keys.NONCE_BYTES} bytes",
        f"the results of its last {responder.MAX_REMEMBERED} commands",
        f"keeps at least {responder.MAX_EVENTS} events",
        f"of its last {responder.MAX_RECEIVED} requests",
        f"| does not answer | {station.MAX_TRIES} tries",
        f"up to every {timing.hello_most:.0f} s",
        f"JSON object of at most {envelope.MAX_JSON} bytes",
        f"takes {Settings(name='').watchdog_ms} unless",
    ):
        assert said in page_reader.page()


# --- The layers below ---------------------------------------------------------


def test_the_check_is_the_one_that_is_named() -> None:
    assert independent.crc(b"123456789") == 0x29B1


def test_stuffing_is_as_it_is_shown() -> None:
    shown = page_reader.rows(page_reader.block("stuffing"))
    assert shown
    for block, stuffed in shown:
        open_ = b"" if block == "(nothing)" else bytes.fromhex(block)
        assert independent.stuff(open_) == bytes.fromhex(stuffed)
        assert independent.unstuff(bytes.fromhex(stuffed)) == open_


def test_proof_and_keys_follow_from_what_is_shown() -> None:
    identity = SESSION["identity, without its proof"]
    assert independent.proof(KEY, FELT_NONCE, identity) == SESSION["proof"]
    assert SESSION["tag key"] == KEYS.tag
    assert SESSION["faces key"] == KEYS.faces
    firmware = hashlib.sha256(b"A-100 firmware 1.0").digest()
    assert independent.read(identity, IDENTITY_FIELDS) == {
        "protocol": 1,
        "kind": "acceptor",
        "model": "A-100",
        "serial_number": "4711",
        "firmware": firmware,
        "boot": 7,
        "capabilities": "",
        "nonce": DEVICE_NONCE,
    }


def test_faces_are_covered_as_it_is_shown() -> None:
    shown = page_reader.hexed("faces")
    assert KEYS.covered(shown["faces"], 0x59) == shown["covered"]
    assert KEYS.covered(shown["covered"], 0x59) == shown["faces"]
    assert KEYS.covered(bytes(5), 0x59) == shown["stream"]


# --- Messages -----------------------------------------------------------------


@pytest.mark.parametrize("example", SHOWN, ids=lambda one: one.name)
def test_the_frame_of_a_message_holds_its_values(example: Example) -> None:
    assert example.frame[-1] == 0
    block = independent.unframe(example.frame[:-1])
    assert block is not None
    assert independent.frame(block) == example.frame
    assert block.tag == KEYS.tag_of(block)
    assert (block.address, block.session, block.seq) == (1, 1, example.code)
    assert block.kind == (independent.COMMAND if example.is_command else independent.EVENT)
    payload = block.payload
    if example.is_command:
        assert payload[:4] == (0x4D00 + example.code).to_bytes(4, "big")
        payload = payload[4:]
    assert payload[0] == example.code
    values = independent.read(payload[1:], example.fields)
    assert independent.write(values, example.fields) == payload[1:]
    for field in example.fields:
        if field.type == "covered":
            values[field.name] = KEYS.covered(values[field.name], block.seq)
    assert values == example.values


@pytest.mark.parametrize("example", SHOWN, ids=lambda one: one.name)
def test_the_object_of_a_message_says_the_same(example: Example) -> None:
    said = dict(example.object)
    assert said.pop("message") == example.name
    for field in example.fields:
        if field.type == "covered":
            covered = base64.b64decode(said[field.name])
            said[field.name] = KEYS.covered(covered, example.code)
    assert said == example.values


# --- Conversations ------------------------------------------------------------


@pytest.mark.parametrize(("name", "address"), [("conversation", 1), ("bus", 3)])
def test_a_conversation_can_be_followed(name: str, address: int) -> None:
    keys, felt_nonce = KEYS, b""
    spoken = list(page_reader.conversation(name))
    assert len(spoken) >= 6
    for one in spoken:
        block = independent.unframe(one.frame[:-1])
        assert block is not None
        assert independent.frame(block) == one.frame
        assert block.address == address
        assert (one.by == "device") == (block.kind >= 0x80)
        assert one.said.removesuffix("  (lost)") == _taken_apart(block)
        if block.kind == independent.HELLO:
            felt_nonce = block.payload[1:]
        elif block.kind == independent.IDENTITY and block.payload:
            identity, proof = block.payload[:-16], block.payload[-16:]
            assert proof == independent.proof(KEY, felt_nonce, identity)
            said = independent.read(identity, IDENTITY_FIELDS)
            keys = Keys.of(KEY, felt_nonce, said["nonce"])
        elif block.kind != independent.IDENTITY:
            assert block.tag == keys.tag_of(block)


def _taken_apart(block: Block) -> str:
    tag = f", tag {block.tag.hex()}" if block.tag else ""
    return (
        f"{independent.NAMES[block.kind]}, address {block.address}, session {block.session}, "
        f"seq {block.seq}, payload {block.payload.hex() or 'none'}{tag}, "
        f"check {independent.crc(block.before_tag + block.tag):04x}"
    )


def test_every_kind_of_packet_is_spoken() -> None:
    spoken = page_reader.conversation("conversation")
    found = [independent.unframe(one.frame[:-1]) for one in spoken]
    assert {block.kind for block in found if block} == set(independent.NAMES)


def test_what_is_published_is_signed_as_the_page_says() -> None:
    by_name = {example.name: example for example in SHOWN}
    kinds = {name.lower(): kind for kind, name in independent.NAMES.items()}
    seen = set()
    for topic, packet in page_reader.published():
        seen.add((topic.rpartition("/")[2], packet["kind"]))
        kind = kinds[packet["kind"]]
        if kind in (independent.HELLO, independent.IDENTITY):
            continue
        payload = more = b""
        if kind == independent.POLL:
            payload = packet["acknowledged"].to_bytes(4, "big")
        elif kind == independent.RESULT:
            values = {"command": packet["id"], "outcome": packet["outcome"], "detail": ""}
            payload = independent.write(values | packet, RESULT_FIELDS)
        elif kind in (independent.COMMAND, independent.EVENT):
            example = by_name[packet["message"]["message"]]
            payload = bytes((example.code,))
            payload += independent.write(packet["message"], example.fields)
        if kind == independent.COMMAND:
            payload = packet["id"].to_bytes(4, "big") + payload
            more = packet["after"].to_bytes(4, "big") + packet["deadline_ms"].to_bytes(4, "big")
        block = Block(kind, 1, packet["session"], packet["seq"], payload)
        assert packet["tag"] == KEYS.tag_of(block, more).hex(), packet
    assert seen == {
        ("cmd", "hello"),
        ("cmd", "command"),
        ("cmd", "poll"),
        ("cmd", "ack"),
        ("info", "identity"),
        ("ack", "result"),
        ("ack", "idle"),
        ("event", "event"),
    }


def test_the_published_identity_has_its_proof() -> None:
    said = {packet["kind"]: packet for _, packet in page_reader.published()}
    identity = dict(said["identity"]["identity"])
    proof = bytes.fromhex(identity.pop("proof"))
    for name in ("firmware", "nonce"):
        identity[name] = bytes.fromhex(identity[name])
    written = independent.write(identity, IDENTITY_FIELDS)
    felt_nonce = bytes.fromhex(said["hello"]["nonce"])
    assert proof == independent.proof(KEY, felt_nonce, written)


def test_the_schema_on_the_page_is_json() -> None:
    text = page_reader.block("schema").removeprefix("```json").removesuffix("```")
    assert set(json.loads(text)) >= {"hello", "command", "event", "state"}


def test_every_link_of_the_page_leads_somewhere() -> None:
    page = page_reader.page()
    anchors = {
        "".join(c for c in line.lstrip("# ").lower().replace(" ", "-") if c.isalnum() or c in "-_")
        for line in page.splitlines()
        if line.startswith("#")
    }
    links = {part.partition(")")[0] for part in page.split("](")[1:]}
    for link in links:
        path, _, anchor = link.partition("#")
        assert not path or (pages.DOCS / path).exists(), link
        assert path or anchor in anchors, link
