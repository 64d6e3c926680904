"""What comes of a run: grades, and what nobody can leave out."""

from __future__ import annotations

from typing import Any

import pytest

from controller.certify import running
from controller.certify.everything import CHECKS
from controller.certify.running import grade
from controller.certify.timing import Limit, Times
from controller.certify.verdict import CantBeDone, Check, Result, Verdict
from simulators.panel import Panel
from tests.controller.certify import desk
from tests.controller.certify.desk import certified

BY_ID = {check.id: check for check in CHECKS}


def result(grade_: Any, verdict: Verdict) -> Result:
    async def nothing(_: Any) -> None:
        return

    return Result(Check("a", grade_, "", nothing), verdict)


@pytest.mark.parametrize(
    ("ended", "reached"),
    [
        ((), "gold"),
        ((("bronze", "failed"),), None),
        ((("bronze", "not tried"),), None),
        ((("bronze", "not for it"),), "gold"),
        ((("silver", "failed"),), "bronze"),
        ((("gold", "not tried"),), "silver"),
        ((("gold", "passed"), ("bronze", "failed")), None),
    ],
)
def test_a_grade_takes_all_below_it(ended: Any, reached: str | None) -> None:
    assert grade([result(*one) for one in ended]) == reached


def test_what_a_device_must_have_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(self: Any, act: Any, words: str) -> None:
        raise CantBeDone("it has no such thing")

    monkeypatch.setattr(desk.AtIt, "do", none)
    ids = ("panel.pressed", "panel.floor_key", "works.boot", "every.door")
    found = {one.check.id: one.verdict for one in certified(Panel(), only=ids)[0]}
    assert found == {
        "panel.pressed": "not tried",
        "works.boot": "not tried",
        "panel.floor_key": "not for it",
        "every.door": "not for it",
    }


def test_a_device_that_dies_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is switched off and on, and what it can't be tried with any more is not tried."""
    device = Panel()

    async def breaks(bench: Any) -> None:
        device.unplug()
        await bench.talk.poll()

    monkeypatch.setattr(running, "REVIVALS", 0)
    dying = Check("dies", "bronze", "it lives", breaks)
    monkeypatch.setattr(desk, "CHECKS", (dying, BY_ID["panel.tone"]))
    results, _ = certified(device)
    assert [one.verdict for one in results] == ["failed", "not tried"]
    assert results[0].found.startswith("no answer to 5 tries")
    assert results[1].found == "it does not answer any more"


def test_times_against_a_limit() -> None:
    times = Times(Limit("an answer", most_ms=20, percent=95))
    assert times.outside() == ""
    for _ in range(95):
        times.took(0.005)
    for _ in range(5):
        times.took(0.5)
    assert times.outside() == ""
    times.took(0.5)
    times.took(0.5)
    assert times.outside() == "an answer: 500 ms, and not 20"
    assert times.bars == [0, 0, 95, 0, 0, 0, 0, 0, 7, 0, 0]
    early = Times(Limit("a repeat", least_ms=200, most_ms=400))
    early.took(0.1)
    assert early.outside() == "a repeat: 100 ms, and not 200"
