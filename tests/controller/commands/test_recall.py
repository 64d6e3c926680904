"""Rounds from the journal alone: each with its own wagers, cards and payouts, and no other's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controller import recorder as recording
from controller.journal.entry import CHECKPOINT
from controller.journal.reader import Reader
from controller.library import Library
from controller.recalling import recalled
from controller.table.events import Event
from tests.controller.test_recorder import BOOKS, close, recorder, script

ROUNDS = 4


def played(folder: Path, book: str, taken: list[Event]) -> Path:
    folder.mkdir(exist_ok=True)
    one = recorder(folder, book)
    for event in taken:
        assert not one.take(event).step.refused
    close(one)
    return folder / "j.db"


def rounds(path: Path, first: int, last: int) -> list[dict[str, Any]]:
    with Reader.look(path) as reader:
        return list(recalled(reader, first, last, Library()))


def kinds(found: dict[str, Any]) -> list[str]:
    return [told["kind"] for told in found["events"]]


@pytest.mark.rule("R33")
@pytest.mark.parametrize("book", BOOKS)
def test_a_round_has_its_own_wagers_cards_and_payouts(book: str, tmp_path: Path) -> None:
    taken = script(book, ROUNDS)
    found = rounds(played(tmp_path, book, taken), 1, ROUNDS)
    assert [one["round"] for one in found] == [1, 2, 3, 4]
    for one in found:
        assert one["finished"]
        assert kinds(one)[-1] == "cards_racked"
        for kind in ("cards_racked", "lock_out_pressed", "deal_pressed"):
            assert kinds(one).count(kind) == 1
        assert kinds(one).index("wager_placed") < kinds(one).index("lock_out_pressed")
        assert [seat["seat"] for seat in one["seats"]] == [1, 2]
        assert all(seat["wagers"] for seat in one["seats"])
        turned = {told["seat"] for told in one["events"] if told["kind"] == "hand_turned"}
        assert {seat["seat"] for seat in one["seats"] if seat["cards"]} == turned
        assert one["faces"]
        assert one["payouts"]
    # Every event belongs to one round.
    told = [told["at"] for one in found for told in one["events"]]
    assert told == [event.at for event in taken]


@pytest.mark.rule("R33")
@pytest.mark.parametrize("book", BOOKS)
def test_a_round_is_the_same_from_a_checkpoint(
    book: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = script(book, ROUNDS)
    wanted = rounds(played(tmp_path / "without", book, taken), 1, ROUNDS)
    monkeypatch.setattr(recording, "ENTRIES_A_CHECKPOINT", 25)
    path = played(tmp_path / "with", book, taken)
    with Reader.look(path) as reader:
        assert reader.last(CHECKPOINT) is not None

    def without_numbers(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Checkpoints are entries too, and move the numbers of the others."""
        events = [[{**told, "seq": 0} for told in one["events"]] for one in found]
        return [{**one, "events": its} for one, its in zip(found, events, strict=True)]

    for number in range(1, ROUNDS + 1):
        assert without_numbers(rounds(path, number, number)) == without_numbers(
            wanted[number - 1 : number]
        )
    assert without_numbers(rounds(path, 2, 3)) == without_numbers(wanted[1:3])
    assert rounds(path, ROUNDS + 1, ROUNDS + 1) == []


@pytest.mark.rule("R33")
def test_a_round_under_way_is_recalled_wherever_it_stands(tmp_path: Path) -> None:
    """Before its lock-out too, once there is a wager."""
    taken = script("s10", rounds=2)
    racked = next(n for n, one in enumerate(taken) if type(one).__name__ == "CardsRacked")
    wagered = False
    path = played(tmp_path, "s10", taken[: racked + 1])
    for event in taken[racked + 1 : -1]:
        one = recorder(tmp_path, "s10")
        one.take(event)
        close(one)
        wagered = wagered or type(event).__name__ == "WagerPlaced"
        first, *rest = rounds(path, 1, 99)
        assert (first["round"], first["finished"]) == (1, True)
        assert [(one["round"], one["finished"]) for one in rest] == [(2, False)] * wagered
    assert rest[0]["phase"] == one.table.phase


def test_the_command_prints_the_last_rounds_or_the_one_asked_for(tmp_path: Path) -> None:
    path = played(tmp_path, "s10", script("s10", rounds=12)[:-3])

    def felt(*words: str) -> Any:
        command = [sys.executable, "-m", "controller", "recall", str(path), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr

    assert [one["round"] for one in felt()] == [*range(3, 13)]
    assert felt()[-1]["finished"] is False
    assert [one["round"] for one in felt("--last", "2")] == [11, 12]
    assert [one["round"] for one in felt("--round", "7")] == [7]
    assert "there is no round 13; last: " in felt("--round", "13")
