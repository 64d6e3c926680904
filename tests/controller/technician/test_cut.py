"""A cut may end at any moment: what was due then went on outside of it, and is no difference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.cli import main
from controller.technician import logs
from controller.technician.lateness import LATE_S
from drivers.wire.devicelog import Bytes, Quiet, Remark
from tests.controller.technician.test_rebrokered import at_broker

#: So many of the moments that there are.
SOME = 8
#: A felt that is no later than this might not have asked yet.
LATE_US = round(LATE_S * 1_000_000)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round at a pace at which polls are counted while people think."""
    folder = tmp_path_factory.mktemp("played") / "kept"
    words = ("--speed", "max", "--rounds", "1", "--seed", "5", "--keep", str(folder))
    assert main(["demo", *words]) == 0
    return folder / "state/logs"


def replays(played: Path, folder: Path, ends_us: Sequence[int]) -> None:
    """Cuts that end at some of these times are made, and are identical."""
    (run,) = logs.read([played]).runs
    first_us = next(run.records()).at_us
    assert ends_us
    for number, at_us in enumerate(ends_us[:: max(1, len(ends_us) // SOME)]):
        until, made = f"{(at_us - first_us) / 1e6:.6f}", folder / f"{number}.zip"
        assert main(["log", "cut", str(played), "--until", until, "--out", str(made)]) == 0
        assert main(["replay", str(made), "--jobs", "1"]) == 0, until


@pytest.mark.parametrize("wire", ["acceptors", "panel", "shoe", "shuffler"])
@pytest.mark.parametrize("behind_us", [-1, 0, 1])
def test_a_cut_may_end_with_what_a_device_says(
    played: Path, wire: str, behind_us: int, tmp_path: Path
) -> None:
    """On a bus felt asks the next one in the same moment."""
    (run,) = logs.read([played]).runs
    said = [
        one.at_us + behind_us
        for one in run.wires[wire].records()
        if isinstance(one.record, Bytes) and one.record.direction == "in"
    ]
    replays(played, tmp_path, said)


@pytest.mark.parametrize("wire", ["acceptors", "terminals"])
def test_a_cut_may_end_while_polls_are_only_counted(
    played: Path, wire: str, tmp_path: Path
) -> None:
    """They stand where they end, and what the table did meanwhile stands before them."""
    (run,) = logs.read([played]).runs
    among, marks = [], []
    for one in run.wires[wire].records():
        match one.record:
            case Remark(word="table"):
                marks.append(one.at_us)
            case Quiet(length_us=length_us):
                began = one.at_us - length_us
                among += [at_us for at_us in marks if began + LATE_US < at_us < one.at_us]
                marks.clear()
    replays(played, tmp_path, among)


def test_a_cut_may_end_with_anything_that_happens_at_a_broker(tmp_path: Path) -> None:
    """Each device there has its own polls, and felt speaks to all of them when it has connected."""
    played = at_broker(tmp_path / "played") / "logs"
    (run,) = logs.read([played]).runs
    happened = [
        one.at_us
        for one in run.wires["broker"].records()
        if isinstance(one.record, Bytes)
        or (isinstance(one.record, Remark) and one.record.word == "port")
    ]
    first = next(
        one.at_us
        for one in run.wires["broker"].records()
        if isinstance(one.record, Remark) and one.record.text.startswith("open ")
    )
    replays(played, tmp_path, [first])
    replays(played, tmp_path, happened)
