"""Two logs are compared by what was said in them, whatever chance and the clock made of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from controller.cli import main
from controller.technician import comparing, cut, logs
from controller.technician.comparing import Compared
from drivers.wire import frame, messages
from drivers.wire.devicelog import Bytes, bytes_line
from drivers.wire.frame import Packet
from tests.controller.technician.test_rebrokered import at_broker, recorded_dialects

GOLDEN = Path(__file__).parents[2] / "logs" / "shoe-jam" / "cut.zip"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The golden log, unpacked: the first of two."""
    made = tmp_path / "first"
    made.mkdir()
    with cut.unpacked(GOLDEN) as found:
        for one in found.iterdir():
            (made / one.name).write_bytes(one.read_bytes())
    return made


def compared(first: Path, second: Path) -> Compared:
    (one,), (other,) = (logs.read([path]).runs for path in (first, second))
    return comparing.compared(one, other)


def another(folder: Path, change: Callable[[str, Packet], Packet], wire: str = "shoe") -> Path:
    """The logs again, with other packets on one wire; tags are left as they are."""
    made = folder.parent / "second"
    made.mkdir()
    for file in folder.glob("*.log"):
        text = file.read_text()
        if file.stem == wire:
            (run,) = logs.read([file]).runs
            lines = text.splitlines(keepends=True)
            for one in run.wires[wire].records():
                record = one.record
                if isinstance(record, Bytes) and (packet := frame.from_bytes(record.data[:-1])):
                    data = frame.to_bytes(change(record.direction, packet))
                    lines[one.line - 1] = bytes_line(record.at_us, record.direction, data)
            text = "".join(lines)
        (made / file.name).write_text(text)
    return made


def test_what_chance_made_otherwise_is_no_difference(folder: Path) -> None:
    """Another session, other tags and other ids, in the whole of it."""

    def other(_: str, packet: Packet) -> Packet:
        payload = packet.payload
        if packet.kind in (frame.Kind.COMMAND, frame.Kind.RESULT):
            payload = bytes(byte ^ 0x55 for byte in payload[:4]) + payload[4:]
        tag = bytes(len(packet.tag))
        return packet._replace(session=packet.session % 200 + 7, payload=payload, tag=tag)

    found = compared(folder, another(folder, other))
    assert found.same
    assert sum(one.same for one in found.streams if one.device == "shoe") > 10


def test_the_first_thing_that_was_said_otherwise_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def other(_: str, packet: Packet) -> Packet:
        message = messages.from_bytes(packet.payload) if packet.kind is frame.Kind.EVENT else None
        if isinstance(message, messages.Fault):
            changed = msgspec.structs.replace(message, nature="door")
            return packet._replace(payload=messages.to_bytes(changed))
        return packet

    second = another(folder, other)
    found = compared(folder, second)
    (stream,) = found.differences
    assert (stream.wire, stream.device, stream.kind) == ("shoe", "shoe", "event")
    assert stream.first is not None
    assert stream.second is not None
    assert "nature='jam'" in stream.first.plain
    assert "nature='door'" in stream.second.plain
    # What stands before it is that device's, both ways.
    assert len(stream.first.before) == comparing.CONTEXT
    assert main(["log", "diff", str(folder), str(second)]) == 1
    out = capsys.readouterr().out
    assert "different: events from shoe" in out
    assert f"{second / 'shoe.log'}:{stream.second.logged.line}" in out
    assert main(["log", "diff", str(folder), str(folder)]) == 0
    assert "the same was said" in capsys.readouterr().out


def test_a_command_that_was_repeated_is_no_other_command(folder: Path) -> None:
    second = another(folder, lambda _, packet: packet)
    log = second / "shoe.log"
    lines = log.read_text().splitlines(keepends=True)
    (run,) = logs.read([folder / "shoe.log"]).runs
    place = next(
        one.line
        for one in run.wires["shoe"].records()
        if isinstance(one.record, Bytes) and "dispense " in one.record.comment
    )
    lines.insert(place, lines[place - 1])
    log.write_text("".join(lines))
    found = compared(folder, second)
    assert found.same
    assert ("shoe, said again", "0", "1") in found.facts


def test_what_is_missing_at_the_end_is_a_difference(folder: Path) -> None:
    second = another(folder, lambda _, packet: packet)
    log = second / "shoe.log"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[: len(lines) // 2]))
    found = compared(folder, second)
    assert not found.same
    assert all(one.second is None for one in found.differences)
    assert {one.device for one in found.differences} == {"shoe"}


def test_another_firmware_and_slower_answers_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The play is the same; the device is not."""
    second = another(folder, lambda _, packet: packet, wire="acceptors")
    log = second / "acceptors.log"
    text = re.sub(r"firmware=[0-9a-f]{64}", "firmware=" + "ab" * 32, log.read_text())
    lines = text.splitlines(keepends=True)
    for n, line in enumerate(lines):
        # Only what the bus was quiet for: what follows stays in its order.
        if " quiet " not in line and (found := re.match(r" *(\d+\.\d{6}) in  ", line)):
            lines[n] = line.replace(found[1], f"{float(found[1]) + 0.004:.6f}", 1)
    log.write_text("".join(lines))
    found_ = compared(folder, second)
    assert found_.same
    facts = {one.what: one.second for one in found_.facts}
    assert facts["acceptor 1, firmware"] == "ab" * 32
    verdicts = {(one.device, one.asked_for): one.verdict for one in found_.times}
    assert verdicts["acceptor 1", "poll"] == "slower"
    assert verdicts["shoe", "poll"] != "slower"
    assert main(["log", "diff", str(folder), str(second), "--times"]) == 0
    out = capsys.readouterr().out
    assert "acceptor 1, firmware: " in out
    assert "slower" in out


def test_a_wire_that_only_one_has(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = another(folder, lambda _, packet: packet)
    (second / "panel.log").unlink()
    assert main(["log", "diff", str(folder), str(second)]) == 1
    assert f"panel: only in {folder}" in capsys.readouterr().out


def test_no_more_is_kept_than_fits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MAX_AHEAD", 3)
    second = another(folder, lambda _, packet: packet)
    log = second / "shoe.log"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:14]))
    found = compared(folder, second)
    assert any(one.gave_up for one in found.differences)


@pytest.mark.slow
def test_two_runs_in_real_time_say_the_same(tmp_path: Path) -> None:
    """At a broker and on lines, under keys of their own."""
    first, second = (at_broker(tmp_path / name) for name in ("first", "second"))
    found = compared(first / "logs", second / "logs")
    assert found.same, found.differences
    assert len({one.device for one in found.streams}) > 5


async def test_two_runs_in_dialects_say_the_same(tmp_path: Path) -> None:
    first, second = [await recorded_dialects(tmp_path / name) for name in ("first", "second")]
    found = compared(first / "logs", second / "logs")
    # In real time one of them may be asked once more before it ends.
    assert all(one.first is None or one.second is None for one in found.differences)
    assert {one.device for one in found.times} == {"panel", "acceptor 1", "acceptor 2"}
