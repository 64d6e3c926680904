"""A bundle has all that can be had, says what is in it, and no secret."""

from __future__ import annotations

import json
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
        assert not listed["missing"]
        everything = b"".join(packed.read(name) for name in packed.namelist())
    for secret in configuration.secrets.glob("*"):
        assert secret.read_bytes().strip() not in everything


def test_what_is_not_there_is_named_and_the_rest_is_in_it(tmp_path: Path) -> None:
    configuration = read(written(tmp_path), Library())
    listed = bundling.write(tmp_path / "b.zip", configuration, Library())
    assert any("rounds.json" in one for one in listed["missing"])
    assert "versions.json" in listed["contents"]
