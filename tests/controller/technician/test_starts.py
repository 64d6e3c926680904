"""Logs whose beginning is gone, and cuts of a late round: a replay begins where all was known."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controller.cli import main
from controller.technician import cut, logs, starts
from controller.technician.replaying import Replayer
from tests.controller.technician.waypointed import LIBRARY, ROUNDS, played
from tests.logs.editing import unchecked


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("played"))


def replayed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["replay", *words, "--exact"])
    return code, capsys.readouterr().out


def test_there_are_places_to_begin(state: Path) -> None:
    (run,) = logs.read([state / "logs"]).runs
    assert starts.latest(run, None) is None, "the logs go back to the start of felt"
    last = starts.latest(run, 10**12)
    assert last is not None
    assert set(last.wires) == set(run.wires)
    assert starts.of_entry(run, last.entry) == last
    early = starts.latest(run, last.at_us - 1)
    assert early is not None
    assert early.entry < last.entry


@pytest.mark.parametrize("number", range(2, ROUNDS + 1))
def test_a_late_round_is_replayed_from_the_place_before_it(
    state: Path, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    code, out = replayed(capsys, str(state / "logs"), "--from", f"round:{number}")
    assert code == 0, out
    assert "begins at entry" in out
    assert "identical" in out


def test_with_the_keys_too(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secrets = str(state.parent / "secrets")
    code, out = replayed(capsys, str(state / "logs"), "--from", "round:3", "--secrets", secrets)
    assert code == 0, out
    assert "tags not checked" not in out


def test_a_log_whose_beginning_is_gone_is_replayed_from_the_first_place(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after a rotation: a later part has its own header, and the first is not there."""
    shutil.copytree(state, tmp_path / "state")
    for log in (tmp_path / "state" / "logs").iterdir():
        head, rest = [], []
        lines = unchecked(log.read_text()).splitlines(keepends=True)
        records = [n for n, text in enumerate(lines) if not text.startswith("#")]
        head = [text.replace("# part: 1\n", "# part: 7\n") for text in lines[: records[0]]]
        rest = lines[records[len(records) // 4] :]
        log.write_text("".join([*head, *rest]))
    code, out = replayed(capsys, str(tmp_path / "state" / "logs"))
    assert code == 0, out
    assert "begins at entry" in out
    assert "identical" in out
    # And without the journal, as far as that goes.
    (tmp_path / "state" / "journal.db").rename(tmp_path / "elsewhere.db")
    code, out = replayed(capsys, str(tmp_path / "state" / "logs"))
    assert code == 3, out
    assert "begins at entry" in out
    assert "as far as it goes the same" in out


def test_a_cut_begins_at_the_place_before_its_round(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, late = tmp_path / "whole.zip", tmp_path / "late.zip"
    assert main(["log", "cut", str(state / "logs"), "--out", str(whole)]) == 0
    assert main(["log", "cut", str(state / "logs"), "--round", "4", "--out", str(late)]) == 0
    capsys.readouterr()
    found = cut.read(late)
    assert found.start is not None
    assert found.past.after == found.start.entry
    assert late.stat().st_size < whole.stat().st_size / 2
    for file in (whole, late):
        code, out = replayed(capsys, str(file))
        assert code == 0, out


def test_a_difference_is_found_from_there_too(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    late = tmp_path / "late.zip"
    assert main(["log", "cut", str(state / "logs"), "--round", "4", "--out", str(late)]) == 0
    capsys.readouterr()
    with cut.unpacked(late) as folder:
        lines = (folder / "shoe.log").read_text().split("\n")
    assert sum("; command" in text for text in lines) > 3
    found = cut.read(late)
    (part,) = found.run.wires["shoe"].parts
    place = max(n for n, text in enumerate(lines) if "; command" in text)
    words = lines[place].split()
    lines[place] = lines[place].replace(words[2][8:10], "77", 1)
    part.file.write_text("\n".join(lines))
    outcome = Replayer(found.run, found.past, LIBRARY, late_s=0, start=found.start).run()
    assert not outcome.identical


def test_a_memory_that_was_changed_is_named(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(state, tmp_path / "state")
    for log in (tmp_path / "state" / "logs").iterdir():
        log.write_text(unchecked(log.read_text()).replace('"_seq": ', '"_sqe": '))
    assert main(["replay", str(tmp_path / "state" / "logs"), "--from", "round:4"]) == 2
    err = capsys.readouterr().err
    assert "can't be used" in err
    assert "_seq" in err
