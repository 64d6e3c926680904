"""docs/wireshark/felt.lua in a real tshark: every message, and whatever else is on a line."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from drivers.wire import cobs, devicelog, frame, messages
from drivers.wire.describe import packet as described
from drivers.wire.frame import Kind, Packet
from tests.docs import conversation, page_reader, wireshark
from tests.docs.captures import write_pcap
from tests.docs.independent import Field
from tests.docs.page_reader import Example
from tests.docs.pages import DISSECTOR, DOCS
from tests.docs.session import signed

pytestmark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="tshark is not installed: 'make test' installs it"
)

SHOWN = list(page_reader.examples())
GOOD = SHOWN[0].frame

Tshark = Callable[..., str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wireshark")


@pytest.fixture(scope="module")
def tshark(folder: Path) -> Tshark:
    """tshark with the dissector and without anybody's own settings."""

    def run(capture: Path, *options: str) -> str:
        command = ["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", str(capture), *options]
        environment = {**os.environ, "WIRESHARK_CONFIG_DIR": str(folder), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=600
        )
        assert "Lua" not in done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def lines(tshark: Tshark, tmp_path: Path) -> Callable[[Sequence[bytes]], list[str]]:
    """What the list of packets says of each record."""

    def shown(records: Sequence[bytes]) -> list[str]:
        capture = tmp_path / "line.pcap"
        write_pcap(capture, records)
        return tshark(capture, "-T", "fields", "-e", "_ws.col.Info").splitlines()

    return shown


@pytest.fixture(scope="module")
def dissected(tshark: Tshark, folder: Path) -> list[dict[str, Any]]:
    """The example of each message, with everything that is known of it by the field's name."""
    capture = folder / "examples.pcap"
    write_pcap(capture, [example.frame for example in SHOWN])
    packets = json.loads(tshark(capture, "-T", "json", "--no-duplicate-keys"))
    return [dict(_leaves(packet)) for packet in packets]


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, key)
    else:
        yield name, value


# --- Messages -----------------------------------------------------------------


def _expected(field: Field, value: Any) -> Any:
    match field.type:
        case "word":
            return next(str(number) for number, word in field.words.items() if word == value)
        case "flag":
            return str(int(value))
        case "u8s" | "u32s":
            return [str(number) for number in value]
    return str(value)


@pytest.mark.parametrize("place", range(len(SHOWN)), ids=[one.name for one in SHOWN])
def test_a_message_is_taken_apart(dissected: list[dict[str, Any]], place: int) -> None:
    example: Example = SHOWN[place]
    found = dissected[place]
    assert found["felt.seq"] == str(example.code)
    assert found["felt.message"] == example.name
    assert found["felt.check.good"] == "1"
    for field in example.fields:
        shown = found[f"felt.{example.name}.{field.name}"]
        if field.type == "covered":
            assert len(shown.split(":")) == len(example.values[field.name])
        else:
            assert shown == _expected(field, example.values[field.name]), field.name


def test_a_conversation_reads_like_the_device_log(
    lines: Callable[[Sequence[bytes]], list[str]],
) -> None:
    packets = [one.packet for one in conversation.worked()]
    for line, packet in zip(lines([*map(frame.to_bytes, packets)]), packets, strict=True):
        head = f"{packet.kind.name} {packet.address} s{packet.session} #{packet.seq}"
        assert line.startswith(head)
        if packet.kind in (Kind.COMMAND, Kind.EVENT):
            # The log writes values as Python does.
            plain = re.sub(r"['\"]", "", described(packet).partition("#")[2])
            assert re.sub(r"['\"]", "", line.partition("#")[2]) == plain


def test_the_faces_are_not_in_the_list_of_packets(
    lines: Callable[[Sequence[bytes]], list[str]],
) -> None:
    example = next(one for one in SHOWN if one.name == "dispensed")
    assert lines([example.frame])[0].endswith("cards=5 faces=5 covered")


# --- Whatever else is on a line -----------------------------------------------


def changed(frame_: bytes) -> bytes:
    return frame_[:-2] + bytes((frame_[-2] ^ 1 or 2,)) + frame_[-1:]


def unknown(kind: Kind, payload: bytes) -> bytes:
    return frame.to_bytes(signed(Packet(kind, 1, 1, 9, payload)))


def of_no_kind() -> bytes:
    body = b"\x55" + bytes((1, 1, 0, 0, 0, 9))
    return cobs.encode(body + frame.check(body).to_bytes(2, "big")) + b"\0"


WRONG = [
    (changed(GOOD), "bad_check"),
    (b"\x09\x01\x00", "bad_stuffing"),
    (b"\x03\x01\x02\x00", "short"),
    (of_no_kind(), "unknown_kind"),
    (unknown(Kind.EVENT, b"\xee\x01"), "unknown_message"),
    (unknown(Kind.EVENT, b"\x28"), "unknown_message"),
    (unknown(Kind.COMMAND, bytes(4) + b"\x43\x01"), "unknown_message"),
    (unknown(Kind.EVENT, b"\x43\x02"), "bad_payload"),
    (unknown(Kind.EVENT, b"\x43"), "bad_payload"),
    (unknown(Kind.EVENT, b"\x43\x01\x01"), "bad_payload"),
    (unknown(Kind.EVENT, b""), "bad_payload"),
    (unknown(Kind.COMMAND, b"\x01"), "bad_payload"),
    (unknown(Kind.POLL, b""), "bad_payload"),
    (unknown(Kind.ACK, b"\x01"), "bad_payload"),
    (unknown(Kind.RESULT, bytes(4) + b"\x09\x00"), "bad_payload"),
    (frame.to_bytes(Packet(Kind.IDENTITY, 1, 1, 0, b"\x01")), "bad_payload"),
    (GOOD[:-3], "part"),
]
MARKS = sorted({mark for _, mark in WRONG})


def test_what_is_wrong_is_marked_and_what_is_right_is_not(tshark: Tshark, tmp_path: Path) -> None:
    capture = tmp_path / "line.pcap"
    records = [*(example.frame for example in SHOWN), *(record for record, _ in WRONG)]
    write_pcap(capture, records)
    fields = [word for mark in MARKS for word in ("-e", f"felt.{mark}")]
    shown = tshark(capture, "-T", "fields", "-E", "separator=;", *fields).splitlines()
    found = [
        [mark for mark, cell in zip(MARKS, line.split(";"), strict=True) if cell] for line in shown
    ]
    assert found == [[]] * len(SHOWN) + [[mark] for _, mark in WRONG]


def test_frames_that_came_together_or_in_pieces(
    lines: Callable[[Sequence[bytes]], list[str]],
) -> None:
    one, two, three = (example.frame for example in SHOWN[:3])
    shown = lines([one + b"\0" + two, three[:4], three[4:9], three[9:] + one])
    report = "COMMAND 1 s1 #1 id=00004d01 report"
    watchdog = "COMMAND 1 s1 #2 id=00004d02 set_watchdog milliseconds=3000"
    quiesce = "COMMAND 1 s1 #3 id=00004d03 quiesce"
    part = "a part of a frame"
    assert shown == [f"{report} | {watchdog}", part, part, f"{quiesce} | {report}"]


def test_noise_is_survived(lines: Callable[[Sequence[bytes]], list[str]]) -> None:
    source = random.Random(7)
    records = []
    for _ in range(300):
        example = source.choice(SHOWN).frame
        place = source.randrange(len(example))
        records += [
            source.randbytes(source.randrange(1, 300)),
            example[:place] + source.randbytes(1) + example[place + 1 :],
            example[:place] or b"\0",
        ]
    shown = lines([*records, b"\0", GOOD])
    assert shown[-1] == "COMMAND 1 s1 #1 id=00004d01 report"


def test_every_kind_of_payload_survives_noise_under_a_right_check(
    lines: Callable[[Sequence[bytes]], list[str]],
) -> None:
    source = random.Random(8)
    packets = []
    for kind in Kind:
        for code in [*messages.CATALOGUE, 0xEE]:
            start = bytes(4) if kind is Kind.COMMAND else b""
            payload = start + bytes((code,)) + source.randbytes(source.randrange(40))
            tag = bytes(8) if kind.tagged else b""
            packets.append(frame.to_bytes(Packet(kind, 1, 1, 1, payload, tag)))
    assert len(lines(packets)) == len(packets)


# --- The README ---------------------------------------------------------------


def test_a_device_log_becomes_a_capture_as_the_readme_says(tshark: Tshark, tmp_path: Path) -> None:
    readme = (DOCS / "wireshark" / "README.md").read_text(encoding="utf-8")
    command = next(line.strip() for line in readme.splitlines() if "text2pcap -l" in line)
    poll, idle = next(page_reader.conversation("bus")).frame, GOOD
    written = [
        devicelog.header_line(devicelog.Header(1, (("table", "table 4"),))),
        devicelog.bytes_line(1_500_000, "out", poll, "hello 3 s1 #0"),
        # Both directions at once, each in two pieces.
        devicelog.bytes_line(1_600_000, "in", idle[:5]),
        devicelog.bytes_line(1_700_000, "out", poll[:6]),
        devicelog.remark_line(1_700_100, "note", "in 00ff: not bytes"),
        devicelog.bytes_line(1_800_000, "in", idle[5:], "report"),
        devicelog.bytes_line(1_900_000, "out", poll[6:]),
        devicelog.bytes_line(2_000_000, "in", b"{}", "", "felt/table-4/sign/state"),
    ]
    checks = devicelog.Checks()
    (tmp_path / "line.log").write_text("".join(map(checks.line, written)), encoding="utf-8")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    fields = ("-T", "fields", "-e", "frame.time_epoch", "-e", "_ws.col.Info")
    shown = tshark(tmp_path / "line.pcapng", *fields).splitlines()
    assert [line.partition("\t")[2] for line in shown] == [
        "HELLO 3 s1 #0 protocol=1",
        "a part of a frame",
        "a part of a frame",
        "COMMAND 1 s1 #1 id=00004d01 report",
        "HELLO 3 s1 #0 protocol=1",
    ]
    assert shown[0].startswith("1.5")


def test_the_filters_of_the_readme_are_filters(tshark: Tshark, tmp_path: Path) -> None:
    capture = tmp_path / "line.pcap"
    write_pcap(capture, [GOOD])
    readme = (DOCS / "wireshark" / "README.md").read_text(encoding="utf-8")
    filters = [row[0].strip("`") for row in _rows(readme)]
    assert len(filters) >= 7
    # All in one go; a name that does not exist would be an error.
    tshark(capture, "-Y", " or ".join(f"({one})" for one in filters))


def _rows(readme: str) -> list[list[str]]:
    # A filter may hold the sign that divides cells.
    cells = [re.split(r" \| ", line.strip("| ")) for line in readme.splitlines() if line[:1] == "|"]
    return cells[2:]


def test_a_program_without_a_place_for_the_catalogue_is_an_error() -> None:
    with pytest.raises(ValueError, match="no place"):
        wireshark.filled("local nothing")
