"""What whoever watches reads: a line for each event, and a phase or a hold only when it is new."""

from __future__ import annotations

from typing import Any

import pytest

from controller.commands import columns
from controller.commands.watch import Watched

BEGUN = {"seq": 7, "phase": "betting", "round": 3, "devices": {"shoe": "ready"}}
JAM = {"number": 1, "where": "shoe", "cause": "jam", "clears": "floorperson"}


def change(seq: int, said: str, **more: Any) -> dict[str, Any]:
    common: dict[str, Any] = {
        "at": 0,
        "by": None,
        "refused": None,
        "phase": "betting",
        "round": 3,
        "holds": [],
    }
    return {"seq": seq, "said": said, **common, **more}


def texts(*changes: dict[str, Any]) -> list[str]:
    """Without the times, which are those of this PC."""
    watched = Watched(BEGUN)
    return [line[9:] for one in changes for line in watched.lines(one)]


def test_each_event_is_a_line_with_its_person() -> None:
    who = {"id": "dealer-1", "role": "dealer"}
    assert texts(
        change(8, "seat 3: $20 on Ante"), change(9, "no more bets", by=who, phase="locked")
    ) == [
        "       8 seat 3: $20 on Ante",
        "       9 no more bets  (dealer-1)",
        "         -- locked, round 3",
    ]


def test_a_hold_is_said_when_it_comes_and_not_again() -> None:
    said = texts(
        change(8, "shoe: jam", holds=[JAM]),
        change(9, "time is up: x", holds=[JAM]),
        change(10, "hold 1 is cleared: put right"),
        change(11, "seat 1: $1 on Ante", refused="betting is not open"),
    )
    assert said == [
        "       8 shoe: jam",
        "         HOLD 1, shoe: jam; a floorperson clears it",
        "       9 time is up: x",
        "      10 hold 1 is cleared: put right",
        "      11 seat 1: $1 on Ante",
        "         REFUSED: betting is not open",
    ]


def test_a_device_stands_between_them_and_what_was_missed_is_counted() -> None:
    away = {"at": 0, "device": "shoe", "status": "absent", "reason": "gone", "next_step": "look"}
    missed, line = Watched(BEGUN).lines({**away, "missed": 3})
    assert missed == "(3 changes were missed)"
    assert line[9:] == "       - shoe is absent: gone  (look)"


def test_in_a_small_window_a_long_line_goes_on_below_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(columns, "width", lambda: 40)
    lines = list(Watched(BEGUN).lines(change(8, "seat 3: $20 on a wager of many words")))
    assert len(lines) == 2
    assert max(map(len, lines)) <= 40
    assert lines[1].startswith(" " * 18)
