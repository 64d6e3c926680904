"""The technician's page: its five commands, from a jam to a test, run as they stand there."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from controller.cli import main
from tests.docs.tried import blocks


def test_from_a_jam_to_a_test_in_five_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ((commands, _),) = blocks("technician.md")
    lines = commands.strip().splitlines()
    assert len(lines) == 5
    said = []
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "felt"
        assert main(words) == 0, capsys.readouterr().err
        said.append(capsys.readouterr().out)
    assert "jam" in said[1]
    assert "identical" in said[3]
    assert (tmp_path / "cases/jam-on-the-bench/expected.json").exists()
