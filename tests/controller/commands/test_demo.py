"""``felt demo --keep``: what it leaves is a table to the other commands."""

from __future__ import annotations

import contextlib
import json
import zipfile
from pathlib import Path

import pytest

from controller.cli import main
from controller.daemon.configuration import read
from controller.library import Library

DEMO = ["demo", "--speed", "max", "--rounds", "1", "--seed", "1", "--keep"]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table file of a demonstration that was kept where its folder is called just "kept"."""
    folder = tmp_path_factory.mktemp("demo")
    with contextlib.chdir(folder):
        assert main([*DEMO, "kept"]) == 0
    return folder / "kept/table.toml"


def test_a_table_that_was_kept_can_be_checked_and_bundled(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(kept)]) == 0
    assert "devices panel, shuffler, shoe, acceptor 1" in capsys.readouterr().out
    out = tmp_path / "b.zip"
    assert main(["bundle", "--table", str(kept), "--out", str(out)]) == 0
    with zipfile.ZipFile(out) as packed:
        listed = json.loads(packed.read("contents.json"))
        (round_,) = json.loads(packed.read("rounds.json"))
    assert round_["round"] == 1
    assert {"journal.json", "logs/shoe.000001.log"} <= set(listed["contents"])
    # It is over, so nobody can say how it stands.
    (missing,) = listed["missing"]
    assert missing.startswith("status.json: ")


def test_the_doctor_misses_its_devices_and_nothing_else(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--json", "--table", str(kept)]) == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    failed = {one["what"] for one in found if one["verdict"] == "fail"}
    assert failed == {f"wire {name}" for name in read(kept, Library()).daemon.wires}


def test_a_table_file_that_is_there_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.toml").write_text("# mine\n")
    assert main([*DEMO, str(tmp_path)]) == 2
    said = f"--keep {tmp_path}: there is a table.toml in it already; name a folder that is new"
    assert said in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["table.toml"]
    assert (tmp_path / "table.toml").read_text() == "# mine\n"
