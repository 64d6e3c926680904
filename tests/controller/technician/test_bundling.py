"""A bundle has all that can be had, says what is in it, and no secret."""

from __future__ import annotations

import json
import os
import tomllib
import zipfile
from pathlib import Path

import pytest

from controller.cli import main
from controller.daemon.configuration import read
from controller.journal.journal import Journal
from controller.library import Library
from controller.recorder import Recorder
from controller.technician import bundling
from tests.controller.commands.wired import table_file


def written(folder: Path) -> Path:
    (folder / "secrets").mkdir()
    service = f'state = "{folder}/state"\nsecrets = "{folder}/secrets"'
    return table_file(folder, service=service)


def test_a_bundle_lists_what_is_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = written(tmp_path)
    (tmp_path / "secrets/shoe.key").write_text("5ec2e7" * 10 + "0123\n")
    library = Library()
    configuration = read(table, library)
    configuration.logs.mkdir(parents=True)
    (configuration.logs / "shoe.000001.log").write_text("# felt device log 1\n")
    with Journal.at(configuration.journal, configuration.terms.id) as journal:
        Recorder(journal, configuration.data, library)
    out = tmp_path / "bundle.zip"
    assert main(["bundle", "--table", str(table), "--out", str(out)]) == 0
    assert "redacted: keys" in capsys.readouterr().out
    with zipfile.ZipFile(out) as packed:
        listed = json.loads(packed.read("contents.json"))
        assert set(listed["contents"]) == set(packed.namelist()) - {"contents.json"}
        assert "logs/shoe.000001.log" in listed["contents"]
        # Nobody runs it.
        (missing,) = listed["missing"]
        assert missing.startswith("status.json: nobody answers at ")
        everything = b"".join(packed.read(name) for name in packed.namelist())
    for secret in configuration.secrets.glob("*"):
        assert secret.read_bytes().strip() not in everything


def test_what_is_not_there_is_named_and_the_rest_is_in_it(tmp_path: Path) -> None:
    listed = bundling.write(tmp_path / "b.zip", written(tmp_path), Library())
    for name in ("rounds.json", "journal.json", "logs"):
        assert any(one.startswith(f"{name}: ") for one in listed["missing"])
    assert "versions.json" in listed["contents"]


def test_a_damaged_journal_and_strange_logs_keep_nothing_else_out(tmp_path: Path) -> None:
    table = written(tmp_path)
    configuration = read(table, Library())
    configuration.logs.mkdir(parents=True)
    configuration.journal.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 20)
    (configuration.logs / "shoe.000001.log").write_bytes(b"\xff\x00 no log")
    (configuration.logs / "panel.000001.log").mkdir()
    os.mkfifo(configuration.logs / "sign.000001.log")
    listed = bundling.write(tmp_path / "b.zip", table, Library())
    assert "logs/shoe.000001.log" in listed["contents"]
    assert "health.json" in listed["contents"]
    missing = "\n".join(listed["missing"])
    assert "rounds.json: " in missing
    assert "logs/panel.000001.log: is no file" in missing
    assert "logs/sign.000001.log: is no file" in missing


def test_a_table_file_that_is_wrong_still_gives_its_logs(tmp_path: Path) -> None:
    table = written(tmp_path)
    logs = read(table, Library()).logs
    logs.mkdir(parents=True)
    (logs / "shoe.000001.log").write_text("# felt device log 1\n")
    table.write_text(table.read_text().replace('method = "', 'method = "no such '))
    listed = bundling.write(tmp_path / "b.zip", table, Library())
    assert listed["table"] == "pa-639a-1"
    assert "logs/shoe.000001.log" in listed["contents"]
    assert any(one.startswith("configuration.json: ") for one in listed["missing"])
    table.write_text("nonsense [")
    listed = bundling.write(tmp_path / "c.zip", table, Library())
    assert "versions.json" in listed["contents"]
    assert any(one.startswith("logs: ") for one in listed["missing"])


def test_people_are_in_it_without_their_names(tmp_path: Path) -> None:
    table = written(tmp_path)
    bundling.write(tmp_path / "b.zip", table, Library())
    with zipfile.ZipFile(tmp_path / "b.zip") as packed:
        said = packed.read("configuration.json").decode()
    names = [one["name"] for one in tomllib.loads(table.read_text())["people"]]
    assert names
    assert not any(f'"{name}"' in said for name in names)
    assert '"dealer-1"' in said


def test_what_is_there_already_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "b.zip"
    out.write_text("mine")
    assert main(["bundle", "--table", str(written(tmp_path)), "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert out.read_text() == "mine"


def test_the_logs_of_a_bundle_are_shown_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = written(tmp_path)
    logs = read(table, Library()).logs
    logs.mkdir(parents=True)
    (logs / "shoe.000001.log").write_text(
        "# felt device log 1\n# table: T12\n# line: shoe\n# monotonic: 1.000000\n"
        "# utc: 2026-02-03T04:05:06+00:00\n      0.000000 note   swapped the cable\n"
    )
    bundling.write(tmp_path / "b.zip", table, Library())
    assert main(["log", "show", str(tmp_path / "b.zip")]) == 0
    assert "swapped the cable" in capsys.readouterr().out
