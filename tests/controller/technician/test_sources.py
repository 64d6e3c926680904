"""Whatever is given as a log is read, or refused in a sentence; nothing is waited for."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli import main
from controller.technician import cut

GOLDEN = Path(__file__).parents[2] / "logs" / "shoe-jam" / "cut.zip"
ACTIONS = (
    ["show"],
    ["stats"],
    ["diff", str(GOLDEN)],
    ["cut", "--out", "never.zip", "--round", "1"],
    ["note", "--text", "never"],
)


def strange(folder: Path, kind: str) -> Path:
    path = folder / f"{kind}.log"
    match kind:
        case "empty":
            path.write_bytes(b"")
        case "binary":
            path.write_bytes(bytes(range(256)) * 50)
        case "no log":
            path.write_text("Dear technician,\n" * 100)
        case "another version":
            path.write_text("# felt device log 99\n# table: x\n      0.000000 note   x\n")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "half a cut":
            path.write_bytes(GOLDEN.read_bytes()[:3000])
        case "compressed nonsense":
            path.write_bytes(b"\x1f\x8b" + bytes(200))
        case "compressed, cut short at once":
            path.write_bytes(gzip.compress(b"# felt device log 1\n" * 5000)[:12])
    return path


@pytest.mark.parametrize("action", ACTIONS, ids=lambda words: words[0])
@pytest.mark.parametrize(
    "kind",
    [
        "not there",
        "empty",
        "binary",
        "no log",
        "another version",
        "pipe",
        "folder",
        "half a cut",
        "compressed nonsense",
        "compressed, cut short at once",
    ],
)
def test_what_is_no_log_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, action: list[str]
) -> None:
    path = strange(tmp_path, kind)
    assert main(["log", *action, str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("felt log: ")
    assert len(err.splitlines()) == 1


def test_what_is_strange_among_logs_is_named_and_the_rest_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with cut.unpacked(GOLDEN) as found:
        (tmp_path / "shoe.log").write_bytes((found / "shoe.log").read_bytes())
    for kind in ("pipe", "folder", "binary", "empty"):
        strange(tmp_path, kind)
    for action in ("show", "stats"):
        assert main(["log", action, str(tmp_path)]) == 0
        out, err = capsys.readouterr()
        assert "shoe" in out
        assert f"{tmp_path / 'pipe.log'}:0: skipped: is no file" in err
        assert f"{tmp_path / 'folder.log'}:0: skipped: is no file" in err
        assert f"{tmp_path / 'binary.log'}:1: skipped: no header" in err


def test_several_starts_of_felt_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with cut.unpacked(GOLDEN) as found:
        text = (found / "shoe.log").read_text()
    (tmp_path / "a.log").write_text(text)
    (tmp_path / "b.log").write_text(text.replace("# table: ", "# table: other-", 1))
    assert main(["log", "show", str(tmp_path), "--message", "fault"]) == 0
    headings = [line for line in capsys.readouterr().out.splitlines() if "started" in line]
    assert len(headings) == 2
    assert main(["log", "diff", str(tmp_path), str(GOLDEN)]) == 2
    assert "name the logs of one table" in capsys.readouterr().err


@pytest.mark.parametrize("action", [["show"], ["stats"], ["diff", str(GOLDEN)]])
def test_whoever_reads_may_leave(action: list[str]) -> None:
    """As ``| head -1`` does."""
    words = [sys.executable, "-m", "controller", "log", *action, str(GOLDEN)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as felt:
        assert felt.stdout is not None
        assert felt.stderr is not None
        assert felt.stdout.readline()
        felt.stdout.close()
        assert felt.stderr.read() == b""
        assert felt.wait(300) in (0, 1)


def test_a_round_and_a_time_are_not_asked_for_together(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["log", "show", str(GOLDEN), "--round", "1", "--from", "3"]) == 2
    assert "leave one of them out" in capsys.readouterr().err


def test_a_table_file_that_is_not_there_spoils_no_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "cut.zip"
    words = ["log", "cut", str(GOLDEN), "--round", "1", "--out", str(out)]
    assert main([*words, "--table", str(tmp_path / "nothing.toml")]) == 2
    assert "--table: " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(words) == 0
    assert cut.read(out).manifest["span"] == "round 1"
