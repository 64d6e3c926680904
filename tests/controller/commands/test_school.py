"""``felt school`` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.cli import main
from tests.controller.school.test_drill import SOUND
from tests.docs.tried import PC, blocks

ROOT = Path(__file__).resolve().parents[3]


def test_it_lists_its_drills(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["school", "--list"]) == 0
    said = capsys.readouterr().out
    for file in (ROOT / "config" / "drills").glob("*.toml"):
        assert f"{file.stem}\n" in said


def test_a_drill_of_ones_own_is_checked_and_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SOUND, encoding="utf-8")
    assert main(["check", str(file)]) == 0
    assert "drill mine: A round" in capsys.readouterr().out
    assert main(["school", "--list", "--drills", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "mine\n  A round\n  The order of a round.\n"
    file.write_text(SOUND.replace("goal =", "gaol ="), encoding="utf-8")
    assert main(["check", str(file)]) == 2
    assert f"felt check: {file}: gaol: is not known here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--drills", "nowhere"], "nowhere: is not a folder with drills"),
        (["--speed", "0"], "--speed: '0' is no speed; a number from 0.1 to 100"),
    ],
)
def test_what_it_can_not_keep_it_refuses(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["school", *words]) == 2
    assert told in capsys.readouterr().err


def test_the_drill_of_the_page_is_written_checked_and_listed(tmp_path: Path) -> None:
    ((commands, _),) = blocks("school.md")
    tried = PC(tmp_path, "unused").run(commands)
    assert tried.code == 0, tried.said
    assert "drill a-shoe-that-jams: My shoe jams; Caribbean Stud Poker" in tried.said
    assert "A jam in the deal voids the round." in tried.said
