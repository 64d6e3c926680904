"""A round gone through entry by entry: how the table lay after each, from the journal alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controller import recalling
from controller.journal.reader import Reader
from controller.library import Library
from controller.recalling import recalled
from controller.table import events
from controller.table.lay import Lay, lay, merged
from controller.table.machine import new_table, step
from controller.tables import terms_of
from tests.controller.table.playing import DEALER, FLOOR, AtTheTable
from tests.controller.test_recorder import BOOKS, close, recorder, table_file

#: All that is said of a round with every seat taken, as it goes over the control socket.
MOST_BYTES = 60_000


def played(folder: Path, at: AtTheTable, book: str) -> Path:
    one = recorder(folder, book)
    for event in at.taken:
        one.take(event)
    close(one)
    return folder / "j.db"


def table_of(book: str) -> tuple[AtTheTable, list[int]]:
    data = table_file(book)
    at = AtTheTable(terms_of(data, Library()))
    seats = list(range(1, data["options"]["seats"] + 1))
    at.opens().sits(*seats)
    return at, seats


def laid(path: Path, number: int) -> dict[str, Any]:
    with Reader.look(path) as reader:
        (found,) = recalled(reader, number, number, Library(), laid=True)
    return found


def lays(found: dict[str, Any]) -> list[Lay]:
    """How it lay after each entry that is noted with it."""
    now: Lay = {}
    after = []
    for told in found["events"]:
        if "lay" in told:
            now = merged(now, told["lay"])
            after.append(now)
    return after


@pytest.mark.rule("R33")
@pytest.mark.parametrize("book", BOOKS)
def test_after_each_entry_it_lay_as_the_table_had_it(book: str, tmp_path: Path) -> None:
    at, seats = table_of(book)
    at.plays(*seats).plays(*seats)
    table = new_table(at.terms)
    wanted = []
    for event in at.taken:
        table = step(at.terms, table, event).table
        wanted.append((event.at, lay(table)))
    found = laid(played(tmp_path, at, book), 2)
    told = [(one["at"], how) for one, how in zip(found["events"], lays(found), strict=True)]
    assert told == wanted[-len(told) :]
    # Small enough for every wire, with all seats taken, and without what devices were ordered.
    assert len(seats) >= 6
    assert len(json.dumps(found)) < MOST_BYTES
    assert not any("commands" in one for one in found["events"])
    # What follows a clause says which.
    clauses = [clause for one in found["events"] for clause in one.get("clauses", ())]
    assert len(clauses) > len(seats)
    for one in found["events"]:
        assert len(set(one.get("clauses", ()))) == len(one.get("clauses", ()))
    # Nobody has asked for it, and it is as it was.
    with Reader.look(tmp_path / "j.db") as reader:
        (plain,) = recalled(reader, 2, 2, Library())
    assert not any({"lay", "clauses", "told_by"} & one.keys() for one in plain["events"])
    assert {**plain, "events": 0} == {**found, "events": 0}


def test_a_hold_that_came_and_went_and_what_was_refused(tmp_path: Path) -> None:
    at, seats = table_of("pa-639a")
    at.shuffles().antes(*seats).locks()
    at.does(events.DeviceFaulted, device="acceptor 1", nature="it is jammed")
    number = at.table.holds[0].number
    at.refuses(events.DealPressed)
    # It is in the journal too.
    at.taken.append(events.DealPressed(at=at.now, by=DEALER))
    at.does(events.HoldCleared, by=FLOOR, hold=number, reason="freed")
    found = laid(played(tmp_path, at, "pa-639a"), 1)
    after = lays(found)
    fault, refused, cleared = (
        next(n for n, one in enumerate(found["events"]) if one["kind"] == kind)
        for kind in ("device_faulted", "deal_pressed", "hold_cleared")
    )
    assert [str(number) in one.get("holds", {}) for one in after[fault - 1 : cleared + 1]] == [
        False, *[True] * (cleared - fault), False,
    ]  # fmt: skip
    assert found["events"][refused]["refused"]
    assert found["events"][refused]["lay"] == {}


def test_of_a_long_wait_the_last_entries_are_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, seats = table_of("s10")
    at.plays(*seats)
    path = played(tmp_path, at, "s10")
    whole = laid(path, 1)
    monkeypatch.setattr(recalling, "MOST_LAID", 20)
    found = laid(path, 1)
    assert len(found["events"]) == len(whole["events"])
    assert [one["seq"] for one in found["events"] if "lay" in one] == [
        one["seq"] for one in whole["events"][-20:]
    ]
    assert lays(found) == lays(whole)[-20:]


def test_a_round_under_way_is_laid_out_up_to_now(tmp_path: Path) -> None:
    at, seats = table_of("pa-639a")
    at.shuffles().antes(*seats)
    found = laid(played(tmp_path, at, "pa-639a"), 1)
    assert found["finished"] is False
    assert lays(found)[-1] == lay(at.table)


def test_the_command_notes_it_for_one_round(tmp_path: Path) -> None:
    at, seats = table_of("s10")
    at.plays(*seats)
    path = played(tmp_path, at, "s10")

    def felt(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "controller", "recall", str(path), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    (found,) = json.loads(felt("--round", "1", "--laid").stdout)
    assert found == json.loads(json.dumps(laid(path, 1)))
    assert "say which: --round N" in felt("--laid").stderr
