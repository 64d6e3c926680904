"""A note stands in the log of the device that it is of, also while felt writes there."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from controller.cli import main
from controller.rules.faults import Refused
from controller.technician import choosing, logs, noting
from controller.technician.choosing import Choice
from drivers.wire.capture import Capture
from drivers.wire.devicelog import Remark
from tests.controller.technician.test_following import written
from tests.drivers.wire.plugs import until


def notes(folder: Path, *devices: str) -> list[str]:
    (run,) = logs.read([folder]).runs
    found = choosing.chosen(run, Choice.of(None, devices, ["note"], None))
    return [one.logged.record.text for one in found if isinstance(one.logged.record, Remark)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two wires with three acceptors each, as it happens."""
    for wire in ("acceptors", "others"):
        log = written(tmp_path, wire=wire)
        log.port("open /dev/bus", 1.0)
        log.close()
    return tmp_path


def test_a_note_is_of_a_wire_or_of_all(folder: Path) -> None:
    (file,) = noting.note([folder], "new cable", wires=["others"])
    assert file.name == "others.000001.log"
    assert notes(folder) == ["new cable"]
    assert len(noting.note([folder], "cleaned")) == 2


def test_a_note_of_a_device_is_found_with_it_and_not_with_its_neighbour(folder: Path) -> None:
    noting.note([folder], "new lamp", wires=["acceptors"], devices=["acceptor 2"])
    noting.note([folder], "new cable", wires=["acceptors"])
    assert notes(folder, "acceptor 2") == ["acceptor 2: new lamp", "new cable"]
    assert notes(folder, "acceptor 1") == ["new cable"]


def test_a_note_of_several_lines_is_one_record(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "first\nsecond\r\x1b[31m \u2028 \\ end"
    noting.note([folder], text, wires=["others"])
    assert notes(folder) == [text]
    assert main(["log", "show", str(folder), "--message", "note"]) == 0
    out = capsys.readouterr().out
    assert "first\\x0asecond\\x0d\\x1b[31m" in out
    assert "\x1b" not in out


def test_after_half_a_line_a_note_stands_on_its_own(folder: Path) -> None:
    (file,) = folder.glob("others*")
    file.write_text(file.read_text() + "      9.000000 in   040")
    noting.note([file], "the power was gone")
    read = logs.read([file])
    (run,) = read.runs
    *_, last = run.records()
    assert isinstance(last.record, Remark)
    assert last.record.text == "the power was gone"
    assert len(read.damage.said()) == 1


@pytest.mark.parametrize(
    ("text", "wires", "devices", "problem"),
    [
        ("", [], [], "says nothing"),
        (" \n ", [], [], "says nothing"),
        ("x" * 5000, [], [], "is too long"),
        ("x", ["shoe"], [], "there is no 'shoe'; acceptors, others"),
        ("x", [], ["shoe"], "there is no 'shoe'; acceptor 1, "),
    ],
)
def test_what_can_not_be_noted(
    folder: Path, text: str, wires: list[str], devices: list[str], problem: str
) -> None:
    with pytest.raises(Refused) as refused:
        noting.note([folder], text, wires, devices)
    assert problem in str(refused.value)
    assert notes(folder) == []


def test_where_nothing_is_written_no_note_is(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="none were found"):
        noting.note([tmp_path], "x")
    (tmp_path / "shoe.000001.log.gz").write_bytes(b"")
    with pytest.raises(Refused, match="no log is being written there"):
        noting.note([tmp_path], "x")


async def test_beside_a_felt_that_writes_times_stay_in_order(tmp_path: Path) -> None:
    """What felt has in memory when the note is written comes after it, with its own times."""
    heading = written(tmp_path).heading
    log = Capture(tmp_path, heading)
    writing = asyncio.create_task(log.run())
    for n in range(4):
        log.port(f"open /dev/bus {n}", time.monotonic())
        if n == 0:
            # The first is in the file, so that there is one to note in.
            await until(lambda: any("bus 0" in one.read_text() for one in tmp_path.glob("*.log")))
        await asyncio.sleep(0.05)
        log.device("acceptor 1", f"said {n}", time.monotonic())
        await asyncio.to_thread(noting.note, [tmp_path], f"note {n}")
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    read = logs.read([tmp_path])
    (run,) = read.runs
    words = [one.record.word for one in run.records() if isinstance(one.record, Remark)]
    assert words.count("note") == 4
    assert read.damage.said() == []
