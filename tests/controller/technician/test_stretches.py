"""A log in stretches, side by side: the verdict is the one of a replay in one piece."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

from controller.cli import main
from controller.journal.reader import Reader
from controller.replay import Replay
from controller.technician import logs, past, stretches
from controller.technician.logs import Run
from controller.technician.outcome import Outcome
from controller.technician.replaying import Replayer, Seam
from controller.technician.starts import Start
from tests.controller.technician.waypointed import LIBRARY, played
from tests.logs.editing import unchecked

JOBS = 3


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("played"))


def work_of(state: Path) -> stretches.Work:
    read = logs.read([state / "logs"])
    (run,) = read.runs
    return stretches.Work(
        run, state / "journal.db", LIBRARY, read.damage, state.parent / "secrets", late_s=0.0
    )


def in_stretches(state: Path) -> Outcome | None:
    work = work_of(state)
    begins = stretches.beginnings(work.run, None, JOBS)
    assert len(begins) == JOBS - 1
    return stretches.replay(work, None, begins)


def in_one_piece(state: Path, seams: Callable[[Run, Replay], list[Seam]]) -> Replayer:
    work = work_of(state)
    with Reader.look(work.journal) as reader:
        before = past.of_journal(reader, LIBRARY, work.run.after_entry)
        replayer = Replayer(
            work.run,
            before,
            LIBRARY,
            secrets=work.secrets,
            late_s=0.0,
            seams=seams(work.run, Replay(reader, LIBRARY)),
        )
        replayer.run()
    return replayer


def whole(state: Path) -> Outcome:
    return in_one_piece(state, lambda *_: []).outcome


def altered(state: Path, folder: Path, change: Callable[[str, Path], str]) -> Path:
    shutil.copytree(state.parent, folder, dirs_exist_ok=True)
    for log in (folder / "state" / "logs").iterdir():
        log.write_text(change(unchecked(log.read_text()), log))
    return folder / "state"


def test_it_is_the_same_replay(state: Path) -> None:
    outcome = in_stretches(state)
    assert outcome is not None
    assert outcome.identical
    assert outcome == whole(state)


def test_a_stretch_ends_where_the_next_one_begins(state: Path) -> None:
    def seams(run: Run, recorded: Replay) -> list[Seam]:
        (first, *_) = stretches.beginnings(run, None, JOBS)
        return [Seam(first, lambda: recorded.at(first.entry).table)]

    replayer = in_one_piece(state, seams)
    assert replayer.joined is not None, replayer.apart
    assert replayer.outcome.identical
    assert 0 < replayer.outcome.records < whole(state).records


def _of_an_earlier_felt(start: Start) -> Start:
    """Which did not know that a reading may never come."""
    wires = deepcopy(start.wires)
    for wire in wires.values():
        for one in wire["devices"].values():
            if "_lamp" in one["driver"]:
                del one["driver"]["_lamp"]["read back"]["_perhaps"]
    assert wires != start.wires
    return replace(start, wires=wires)


def test_it_ends_there_too_if_an_earlier_felt_wrote_it_down(state: Path) -> None:
    def seams(run: Run, recorded: Replay) -> list[Seam]:
        (first, *_) = stretches.beginnings(run, None, JOBS)
        return [Seam(_of_an_earlier_felt(first), lambda: recorded.at(first.entry).table)]

    assert in_one_piece(state, seams).joined is not None


def _other_turns(start: Start) -> Start:
    wires = {**start.wires}
    line = {**wires["acceptors"]["line"]}
    line["turns"] = list(reversed(line["turns"]))
    wires["acceptors"] = {**wires["acceptors"], "line": line}
    return replace(start, wires=wires)


@pytest.mark.parametrize("what", ["a wire", "the table", "a wire less"])
def test_where_all_does_not_stand_as_recorded_it_goes_on_over_the_seam(
    state: Path, what: str
) -> None:
    def seams(run: Run, recorded: Replay) -> list[Seam]:
        (first, *_) = stretches.beginnings(run, None, JOBS)
        entry = first.entry - 20 if what == "the table" else first.entry
        if what == "a wire":
            first = _other_turns(first)
        elif what == "a wire less":
            first = replace(first, wires={n: m for n, m in first.wires.items() if n != "shoe"})
        return [Seam(first, lambda: recorded.at(entry).table)]

    replayer = in_one_piece(state, seams)
    assert replayer.joined is None
    assert replayer.outcome == whole(state)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_difference_is_named_where_it_is(state: Path, tmp_path: Path, part: float) -> None:
    def change(text: str, log: Path) -> str:
        if log.name.startswith("shoe"):
            places = [one.start(1) for one in re.finditer(r" in +(\w\w)\w+  ; event", text)]
            place = places[int(part * len(places))] + 20
            text = text[:place] + ("0" if text[place] != "0" else "1") + text[place + 1 :]
        return text

    changed = altered(state, tmp_path, change)
    outcome, one_piece = in_stretches(changed), whole(changed)
    assert outcome is not None
    assert outcome.difference is not None
    assert one_piece.difference is not None
    assert outcome.difference == one_piece.difference


def test_what_was_written_down_wrongly_changes_no_verdict(state: Path, tmp_path: Path) -> None:
    """Numbers of what felt knew were altered: who begins there would see something else."""
    changed = altered(
        state, tmp_path, lambda text, _: re.sub(r'"_seq": (\d)', r'"_seq": 9\1', text)
    )
    assert in_stretches(changed) == whole(state)


def test_where_nobody_can_begin_the_one_before_goes_on(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = altered(state, tmp_path, lambda text, _: text.replace('"_seq": ', '"_sqe": '))
    assert in_stretches(changed) == whole(state)
    assert main(["replay", str(changed / "logs"), "--exact", "--jobs", str(JOBS)]) == 0
    assert f"identical: {whole(state).records} records" in capsys.readouterr().out


def test_a_stretch_that_fails_leaves_it_to_a_replay_in_one_piece(
    state: Path, tmp_path: Path
) -> None:
    work = replace(work_of(state), journal=tmp_path / "nowhere.db")
    begins = stretches.beginnings(work.run, None, JOBS)
    assert stretches.replay(work, None, begins) is None


def test_a_short_log_is_one_stretch(state: Path) -> None:
    work = work_of(state)
    assert stretches.beginnings(work.run, None, 1) == []
    many = stretches.beginnings(work.run, None, 1000)
    assert 0 < len(many) < 1000 / stretches.LEAST_MOMENTS
