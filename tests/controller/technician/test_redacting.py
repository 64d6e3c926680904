"""Logs for strangers say nothing of where and whose, and can still be read and replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.cli import main
from controller.technician import comparing, cut, logs
from drivers.wire import frame
from drivers.wire.devicelog import Bytes, bytes_line
from drivers.wire.envelope import from_json
from drivers.wire.frame import Kind, Packet
from simulators.cctalk import CoinAcceptor
from tests.controller.technician.test_rebrokered import at_broker, recorded_dialects
from tests.logs.editing import unchecked

GOLDEN = Path(__file__).parents[2] / "logs" / "shoe-jam" / "cut.zip"


def redacted(source: Path, out: Path) -> str:
    """All of it, with the bytes of devices in plain."""
    assert main(["log", "redact", str(source), str(out)]) == 0
    text = ""
    for file in out.iterdir():
        text += file.read_text()
        (run,) = logs.read([file]).runs
        heard = (one.record for one in run.records())
        text += "".join(
            one.data.decode("latin-1")
            for one in heard
            if isinstance(one, Bytes) and one.direction == "in"
        )
    return text


def same(first: Path, second: Path) -> bool:
    (one,), (other,) = (logs.read([path]).runs for path in (first, second))
    return comparing.compared(one, other).same


def test_a_folder_replays_as_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with cut.unpacked(GOLDEN) as found:
        text = redacted(found, tmp_path / "out")
        assert same(found, tmp_path / "out")
    assert "SIM-" not in text
    assert "tty-" not in text
    # Without it nobody could read the rest.
    assert '"devices": ["shoe"]' in text
    assert "firmware=" in text
    capsys.readouterr()
    assert main(["replay", str(tmp_path / "out")]) == 3
    assert "as far as it goes the same" in capsys.readouterr().out


def test_a_cut_becomes_a_folder_without_its_journal(tmp_path: Path) -> None:
    assert "SIM-" not in redacted(GOLDEN, tmp_path / "out")
    assert {one.suffix for one in (tmp_path / "out").iterdir()} == {".log"}


def test_at_a_broker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = at_broker(tmp_path / "table")
    log = next((state / "logs").glob("broker.*"))
    half = b'{"kind":"identity","identity":{"serial_number":"SIM-terminal-1'
    channel = "felt/pa-639a-1/terminal-1/info"
    log.write_text(log.read_text() + bytes_line(10**12, "in", half, channel=channel))
    text = redacted(state / "logs", tmp_path / "out")
    assert "SIM-" not in text
    assert "127.0.0.1" not in text
    assert "embedded" not in text
    assert "bytes that were no frame" in capsys.readouterr().out
    assert same(state / "logs", tmp_path / "out")


@pytest.mark.parametrize("channel", ["", "felt/t/shoe/info"])
def test_an_identity_that_nobody_here_can_read_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], channel: str
) -> None:
    """Of another protocol: its number may stand anywhere in it."""
    with cut.unpacked(GOLDEN) as found:
        log = tmp_path / "shoe.log"
        log.write_bytes(next(one for one in found.glob("**/shoe*.log")).read_bytes())
    said = b"\x02" + b"N-4711-X and whatever else"
    data = frame.to_bytes(Packet(Kind.IDENTITY, 1, 9, 0, said))
    if channel:
        data = b'{"kind":"identity","session":9,"identity":{"protocol":2,"is":"N-4711-X"}}'
    with log.open("a") as file:
        file.write(bytes_line(10**12, "in", data, channel=channel))
    out = tmp_path / "out"
    assert main(["log", "redact", str(log), str(out)]) == 0
    assert "identities that could not be read" in capsys.readouterr().out
    (run,) = logs.read([out]).runs
    *_, last = (one.record for one in run.records() if isinstance(one.record, Bytes))
    assert b"N-4711-X" not in last.data
    # What it is, and of which protocol, stays.
    heard = frame.from_bytes(last.data[:-1]) if not channel else from_json(last.data)
    assert heard is not None
    assert (heard.kind, heard.payload[:1]) == (Kind.IDENTITY, b"\x02")


async def test_the_number_of_an_acceptor_that_speaks_cctalk(tmp_path: Path) -> None:
    state = await recorded_dialects(tmp_path / "table")
    # Of eight digits: five may well be in the hours that this PC has been up.
    printed = CoinAcceptor().serial_number
    number = printed.to_bytes(3, "little")
    (log,) = (state / "logs").glob("acceptors.*")
    text = unchecked(log.read_text())
    assert number.hex() in text
    # One of its answers was cut short, and said in two pieces.
    lines = text.splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if number.hex() in line)
    time, _, data = lines[place].split()
    lines[place : place + 1] = [f"{time} in {data[:-10]}\n", f"{time} in {data[-10:-2]}\n"]
    log.write_text("".join(lines))
    plain = redacted(state / "logs", tmp_path / "out")
    assert number.decode("latin-1") not in plain
    assert str(printed) not in plain
    assert "/dev/" not in plain
    assert "Felt Works" in plain


@pytest.mark.parametrize("text", ["", "no log at all\n", "\0\1\2\3"])
def test_what_is_no_log_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tmp_path / "x.log").write_text(text)
    assert main(["log", "redact", str(tmp_path / "x.log"), str(tmp_path / "out.log")]) == 2
    assert "no header of a device log is in it" in capsys.readouterr().err
    assert not (tmp_path / "out.log").exists()
