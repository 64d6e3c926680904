"""How late felt may have been, told by what its logs show of it: all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.technician import logs
from controller.technician.lateness import LATE_S, is_held_up, late_until, started_by
from controller.technician.relined import Relined
from drivers.wire.capture import Capture, Heading
from drivers.wire.keys import BENCH_KEY
from drivers.wire.line import Line
from drivers.wire.recorded import RecordedStation
from drivers.wire.station import Timing

EXACT = 0.0


class Wires:
    """Wires on which something happened at these times, in seconds after felt started."""

    def __init__(self, folder: Path, **wires: Sequence[float]) -> None:
        for name, times in wires.items():
            heading = Heading("T", name, "tty", "0", "pa-639a", "1 after entry 1", "{}")
            now = [0.0]
            capture = Capture(folder, heading, clock=lambda: now[0], utc=lambda: now[0])  # noqa: B023
            for now[0] in times:
                capture.received(b"something\0", now[0])
            capture.close()
        (run,) = logs.read([folder]).runs
        self._lines = {
            name: Relined(
                name,
                Line([RecordedStation(1, BENCH_KEY, timing=Timing())]),
                wire.records(),
                lambda: 0.0,
                trusts=False,
            )
            for name, wire in run.wires.items()
        }

    def __getitem__(self, name: str) -> Relined:
        return self._lines[name]

    def at(self, now: float) -> list[Relined]:
        """All of them, when what was before that is done with."""
        for line in self._lines.values():
            while line.head is not None and line.head.at_us < round(now * 1e6):
                line.take()
        return list(self._lines.values())


def test_who_does_nothing_anywhere_stands_still(tmp_path: Path) -> None:
    """What was due on the panel's wire at 10.0 came at 13.1."""
    wires = Wires(tmp_path, panel=[9.9, 13.1], shoe=[10.0, 13.05])
    assert is_held_up(wires["panel"], wires.at(10.0), 10.0, LATE_S)
    assert not is_held_up(wires["panel"], wires.at(10.0), 10.0, EXACT)


def test_who_does_something_else_meanwhile_does_not(tmp_path: Path) -> None:
    shoe = [10.0 + n / 10 for n in range(40)]
    wires = Wires(tmp_path, panel=[9.9, 13.1], shoe=shoe)
    assert not is_held_up(wires["panel"], wires.at(10.0), 10.0, LATE_S)


@pytest.mark.parametrize("at", [16_907.001_843, 16_907.002_134, 10.5])
def test_what_it_does_first_shows_that_it_is_there_again(tmp_path: Path, at: float) -> None:
    """However that time is rounded; and after it felt stands still once more."""
    wires = Wires(tmp_path, panel=[at, at + 3.3], shoe=[at - 0.65, at + 3.4])
    assert is_held_up(wires["panel"], wires.at(at - 0.65), at - 0.65, LATE_S)


def test_nobody_stands_still_for_ever(tmp_path: Path) -> None:
    wires = Wires(tmp_path, panel=[9.9, 16.0], shoe=[10.0, 16.0])
    assert not is_held_up(wires["panel"], wires.at(10.0), 10.0, LATE_S)


def test_a_timer_goes_off_when_felt_is_there_again(tmp_path: Path) -> None:
    """It first hears what has come in: whoever was to be missed, and is back by then, is not."""
    wires = Wires(tmp_path, panel=[9.9, 12.4], shoe=[10.0, 12.2])
    assert late_until(wires.at(11.0), 11.0, LATE_S) == pytest.approx(12.2 + LATE_S)
    assert late_until(wires.at(11.0), 11.0, EXACT) == 11.0
    # Nothing shows that it stood still, if nothing comes any more.
    assert late_until(wires.at(13.0), 13.0, LATE_S) == pytest.approx(13.0 + LATE_S)


def test_a_timer_may_be_started_as_late_as_felt_is_there_again(tmp_path: Path) -> None:
    wires = Wires(tmp_path, panel=[10.0, 12.4], shoe=[9.0, 12.2])
    # What happens in that very moment shows nothing of what follows on it.
    assert started_by(wires.at(10.0), 10.0, LATE_S) == pytest.approx(12.2)
    assert started_by(wires.at(10.0), 10.0, EXACT) == 10.0
    assert started_by(wires.at(12.4), 12.4, LATE_S) == 12.4
