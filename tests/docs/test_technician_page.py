"""The technician's page: its commands, run as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from controller.cli import main
from tests.docs.tried import PC, ROOT, blocks


def test_from_a_jam_to_a_test_in_five_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (commands, _), _ = blocks("technician.md")
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


def test_a_round_is_played_into_a_felt_that_runs(tmp_path: Path) -> None:
    (first, _), (second, _) = blocks("technician.md")
    pc = PC(tmp_path, "")
    made = pc.run(first.splitlines()[0])
    assert made.code == 0, made.said
    tried = pc.run(second)
    assert tried.code == 0, tried.said
    # What the page says of it, and what is in the log that it names.
    page = (ROOT / "docs/technician.md").read_text(encoding="utf-8")
    (played,) = re.findall(r"^    (played: .+)$", page, re.M)
    assert played in tried.said
    assert "felt did otherwise" not in tried.said
    assert '"event": "ready"' in (pc.home / "bench/run.log").read_text()
    assert "pa-639a-1" in tried.said
