"""Without a journal the wires alone are compared, and no more than that is claimed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import main
from controller.technician import cut
from controller.technician.promoting import CUT
from controller.technician.unjudged import Unjudged
from tests.logs.editing import changed, flipped, unchecked
from tests.logs.recording import HERE, cases

#: Those from the middle of a felt's life say where they begin beside their logs, with the journal.
FROM_ITS_START = sorted(case.name for case in cases())


@pytest.mark.parametrize("name", FROM_ITS_START)
def test_the_wires_of_a_golden_log_are_the_same(name: str) -> None:
    found = cut.read(HERE / name / CUT)
    seen = Unjudged(found.run, late_s=0).run()
    assert seen.difference is None
    assert seen.remarks[0] == "no journal: what the table decided is not compared"
    assert seen.frames > seen.commands > 0
    assert seen.events


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """The logs of a round, and nothing beside them."""
    folder = tmp_path / "state" / "logs"
    folder.mkdir(parents=True)
    with cut.unpacked(HERE / "shoe-jam" / "cut.zip") as found:
        for one in found.glob("*.log"):
            (folder / one.name).write_bytes(one.read_bytes())
    return folder


def test_it_does_not_say_that_it_is_identical(
    alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(alone), "--exact"]) == 3
    said = capsys.readouterr().out
    assert "no journal: what the table decided is not compared" in said
    assert "identical" not in said
    assert "the devices said: " in said
    assert main(["replay", str(alone), "--exact", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["identical"] is None


def test_a_poll_that_is_another_one_is_found(
    alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = alone / "acceptors.log"
    file.write_text(unchecked(file.read_text()))
    place = next(n for n, text in enumerate(file.read_text().split("\n"), 1) if "; poll" in text)
    changed(file, flipped, place)
    assert main(["replay", str(alone), "--exact", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["difference"]
    assert found["where"] == f"{file}:{place}"


def test_a_record_that_was_altered_is_found_by_its_check(
    alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = alone / "shoe.log"
    place = next(n for n, text in enumerate(file.read_text().split("\n"), 1) if "; result" in text)
    changed(file, flipped, place)
    assert main(["replay", str(alone), "--exact", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["difference"]
    assert found["where"] == f"{file}:{place}"


def test_a_journal_that_is_named_and_not_there_is_refused(
    alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(alone), "--journal", str(alone / "no.db")]) == 2
    assert "--journal" in capsys.readouterr().err
    assert main(["replay", str(alone), "--into", str(alone / "bench")]) == 2
    assert "needs the journal" in capsys.readouterr().err
