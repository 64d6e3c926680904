"""What a copy of the disk opens of the faces that a shoe has read: the round that is played."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controller.daemon import sealing, secrets
from controller.daemon.reveals import SEALS, UNOPENED
from controller.daemon.sealing import ROUND, Sealer, opened_by_auditors, public_of
from controller.rules.cards import cards
from controller.rules.faults import Refused
from controller.table import events
from controller.table.state import Hold
from tests.scenarios.stage import Stage

AUDITORS = bytes(range(1, 33))
ROUNDS = bytes(range(33, 65))


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """As on a table PC: the auditors' key is elsewhere, and systemd hands over what it opened."""
    stage = Stage(tmp_path / "table")
    folder = stage.simulated.configuration.secrets
    (folder / "faces.key").unlink()
    (folder / f"{secrets.CREDENTIAL}_{secrets.AUDITORS}").write_text(public_of(AUDITORS).hex())
    (folder / f"{secrets.UNSEALED}_{secrets.ROUNDS}.key").write_text(ROUNDS.hex())
    return stage


def dealt(stage: Stage) -> dict[int, list[str]]:
    """What was sealed, by round."""
    found: dict[int, list[str]] = {}
    for event, taken in stage.events:
        if isinstance(event, events.StackDispensed) and event.sealed:
            found.setdefault(taken.step.table.round, []).append(event.sealed)
    return found


def opened(sealer: Sealer, some: list[str]) -> int:
    count = 0
    for one in some:
        try:
            sealer.open(one)
        except Refused:
            continue
        count += 1
    return count


@pytest.mark.rule("R12")
def test_a_copy_of_the_disk_opens_the_hand_that_is_played_at_the_most(
    stage: Stage, tmp_path: Path
) -> None:
    async def into_the_second_round() -> None:
        await stage.plays_until(lambda: stage.table.round == 2 and stage.table.phase == "deciding")

    stage.killed(into_the_second_round)
    configuration = stage.simulated.configuration
    copied = tmp_path / "copied"
    shutil.copytree(configuration.state, copied)
    # The disk alone: what systemd opened is not on it.
    locked = tmp_path / "locked"
    locked.mkdir()
    (locked / "faces.pub").write_text(public_of(AUDITORS).hex())
    (locked / "rounds.key").write_text(bytes(32).hex())
    thief = sealing.of_table(locked, shutil.copytree(copied, tmp_path / "without"))
    found = dealt(stage)
    assert len(found[1]) >= 3
    assert len(found[2]) >= 3
    assert [opened(thief, found[one]) for one in (1, 2)] == [0, 0]
    # With all that felt itself is given.
    thief = sealing.of_table(configuration.secrets, copied)
    assert [opened(thief, found[one]) for one in (1, 2)] == [0, len(found[2])]

    # felt comes back and goes on; the copy opens nothing of what comes then.
    async def into_the_third() -> None:
        assert opened(stage.service.sealer, found[2]) == len(found[2])
        await stage.plays_until(lambda: stage.table.round == 3 and stage.table.phase == "deciding")
        assert opened(stage.service.sealer, found[2]) == 0

    stage.run(into_the_third)
    later = dealt(stage)[3]
    assert opened(thief, later) == 0
    assert not [hold for hold in stage.table.holds if hold.where == SEALS]
    # Auditors read all three, turned over or not, and it is what was turned over.
    assert all(opened_by_auditors(AUDITORS, one) for one in (*found[1], *found[2], *later))
    turned = [
        cards(event.cards) for event, _ in stage.events if isinstance(event, events.HandTurned)
    ]
    read = [
        set(opened_by_auditors(AUDITORS, one)) for some in dealt(stage).values() for one in some
    ]
    assert turned
    assert all(set(hand) in read for hand in turned)


@pytest.mark.rule("R12")
def test_a_key_that_is_gone_in_mid_round_holds_the_table_and_the_round_is_played(
    stage: Stage,
) -> None:
    async def into_the_decisions() -> None:
        await stage.plays_until(lambda: stage.table.phase == "deciding")

    stage.killed(into_the_decisions)
    (stage.simulated.configuration.state / ROUND).unlink()
    held: list[Hold] = []

    async def to_the_end() -> None:
        stage.service.listen(
            lambda _, taken: held.extend(h for h in taken.step.table.holds if h.where == SEALS)
        )
        await stage.plays_until(lambda: stage.table.phase == "clearing")
        assert not stage.table.void

    stage.run(to_the_end)
    assert held
    assert UNOPENED in held[0].cause
