"""A drill never hangs, and its report is in the journal of its table."""

from __future__ import annotations

import asyncio
from pathlib import Path

from controller.library import Library
from controller.school import report
from controller.school.drill import Drill, read
from controller.school.running import IDLE_S, Running
from controller.table.offer import Offer
from tests.controller.school.classroom import drills, held
from tests.controller.school.test_drill import SOUND
from tests.controller.school.trainee import Trainee

NORMAL = "caribbean-stud-pennsylvania"


async def does_nothing(me: Trainee, offers: list[Offer]) -> bool:
    return True


def test_a_trainee_who_does_nothing_gets_a_report() -> None:
    told = held(NORMAL, does_nothing).report
    assert told["ended"] == "nobody acted for a long time"
    assert not told["passed"]
    assert told["counts"] == {"right": 0, "refused": 0, "late": 0, "wrong": 0, "left_out": 8}
    assert "nobody acted for a long time before it was over" in [
        one["words"].partition(",")[0] for one in told["reasons"]
    ]
    # What the table asked for, in its words and with its clause, and nobody did.
    asked = told["left_out"][-1]
    assert "press lock-out" in asked["words"]
    assert asked["clause"] == "PA-639a.10(a)(2)"


def test_a_trainee_who_is_stuck_ends_it() -> None:
    async def ends(running: Running, trainee: Trainee) -> None:
        while running.stage != "running" or running.table.phase != "deciding":  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        running.end()

    lesson = held(NORMAL, beside=ends)
    told = lesson.report
    assert told["ended"] == "the trainee has ended it"
    assert {row["action"] for row in lesson.mine} >= {"lock_out_pressed", "deal_pressed"}
    assert told["reason"].startswith("Failed: it was left out: The bet of seat 1")
    # It is over as soon as somebody says so, and not when nobody has acted for long.
    assert told["acts"][-1]["at"] - told["acts"][0]["at"] < IDLE_S * 1000


def test_a_press_that_comes_after_its_time_is_late_and_no_failure() -> None:
    pressed: list[Offer] = []

    async def presses_twice(me: Trainee, offers: list[Offer]) -> bool:
        for offer in offers:
            if not pressed and offer.acts[0].action == "deal_pressed":
                pressed.append(offer)
        if pressed and me.running.table.phase == "dealing" and len(pressed) == 1:
            pressed.append(pressed[0])
            await me.takes(pressed[0], {})
            return True
        return False

    lesson = held(NORMAL, presses_twice)
    (late,) = [row for row in lesson.mine if row["verdict"] == "late"]
    assert late["why"].startswith("the table had gone on")
    assert lesson.report["passed"], lesson.report["reason"]
    assert "is not offered now" in lesson.trainee.refused[0]


def test_who_else_acted_is_said_beside_the_trainee() -> None:
    told = held("a-player-leaves").report
    by_floor = [row for row in told["acts"] if row["role"] == "floorperson"]
    assert [row["action"] for row in by_floor] == ["wagers_abandoned"]
    assert by_floor[0]["clause"] == "PA-639a.7(b)"
    players = {row["who"] for row in told["acts"] if row["role"] == "player"}
    assert players == {"Ann", "Ben", "Cleo"}


def test_the_report_is_read_off_the_journal(tmp_path: Path) -> None:
    """Whoever has the journal, and the drill, comes to the same."""
    kept = tmp_path / "journal.db"

    async def keeps(running: Running, trainee: Trainee) -> None:
        await running.reported()
        journal = running.simulated.configuration.journal
        for file in journal.parent.glob("journal.db*"):
            (tmp_path / file.name).write_bytes(file.read_bytes())

    lesson = held("a-late-chip", beside=keeps)
    last = lesson.running.last_seq
    again = report.of(kept, drills()["a-late-chip"], Library(), ended="it is over", last=last)
    assert again == lesson.report


def mine(folder: Path, text: str) -> Drill:
    file = folder / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return read(file, Library())


def test_cards_lie_where_a_drill_wants_them(tmp_path: Path) -> None:
    text = SOUND.replace('"As Kd"', '"9h 8h 7h 6h 5h", dealer = "As Ah Ad Ac 2s"')
    text = text.replace('fault = { device = "shoe", name = "jam" }', 'says = "Deal."')
    text = text.replace("upon = 1\n", "").replace('before = ["seat_paid"]\n', "")
    lesson = held(mine(tmp_path, text))
    assert lesson.report["passed"], lesson.report["reason"]
    turned = [row["words"] for row in lesson.mine]
    assert any("hand that wins" in one or "verif" in one.lower() for one in turned), turned


def test_what_a_drill_does_to_the_table_is_done(tmp_path: Path) -> None:
    """The jam of the file strikes: the round is void, which it says must never be."""
    told = held(mine(tmp_path, SOUND.replace("upon = 1\n", ""))).report
    assert told["reason"].startswith("Failed: A round that goes as it should is not void")
