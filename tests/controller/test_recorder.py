"""A table with its journal: nothing lost, nothing decided twice, whenever the process dies."""

from __future__ import annotations

import os
import signal
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.journal.errors import JournalError
from controller.journal.journal import Journal
from controller.library import Library
from controller.recorder import Recorder, decision_of, replay
from controller.rules.faults import Refused
from controller.table.events import Event
from controller.table.machine import new_table, step
from controller.tables import terms_of
from tests.controller.table.playing import AtTheTable

TABLES = Path(__file__).resolve().parents[2] / "config" / "tables"
BOOKS = sorted(file.stem for file in TABLES.glob("*.toml"))


def table_file(book: str) -> dict[str, Any]:
    return tomllib.loads((TABLES / f"{book}.toml").read_text(encoding="utf-8"))


def script(book: str, rounds: int = 1) -> list[Event]:
    """The events of an opening and some rounds at the table of a shipped table file."""
    at = AtTheTable(terms_of(table_file(book), Library()))
    at.opens().sits(1, 2)
    for _ in range(rounds):
        at.plays(1, 2)
    return at.taken


def recorder(folder: Path, book: str, data: dict[str, Any] | None = None) -> Recorder:
    given = data or table_file(book)
    return Recorder(Journal.at(folder / "j.db", given["id"]), given, Library())


def close(one: Recorder) -> None:
    one._journal.close()


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.rule("R31")
def test_a_reopened_table_is_the_table_that_was_closed(book: str, tmp_path: Path) -> None:
    events = script(book)
    half = len(events) // 2
    first = recorder(tmp_path, book)
    for event in events[:half]:
        assert not first.take(event).step.refused
    close(first)
    second = recorder(tmp_path, book)
    assert second.table == first.table
    assert second.owed == first.owed
    for event in events[half:]:
        assert not second.take(event).step.refused
    close(second)
    table = new_table(second.terms)
    for event in events:
        table = step(second.terms, table, event).table
    assert second.table == table


def test_a_snapshot_is_the_same_as_all_events(tmp_path: Path) -> None:
    events = script("s10", rounds=2)
    one = recorder(tmp_path, "s10")
    for n, event in enumerate(events):
        one.take(event)
        if n == 40:
            one.snapshot()
    close(one)
    again = recorder(tmp_path, "s10")
    assert again.table == one.table
    close(again)


def test_a_refused_event_is_on_record_with_its_reason(tmp_path: Path) -> None:
    one = recorder(tmp_path, "s10")
    for text in (
        b'{"kind": "deal_pressed", "at": 5, "by": {"id": "d", "role": "dealer"}}',
        b'{"kind": "abracadabra", "at": 5}',
        b'{"kind": "wager_placed", "at": 5, "seat": 3, "wager": "ante", "amount": -5}',
        b'{"kind": "table_opened", "at": 5, "by": {"id": "d", "role": "king"}}',
        b"nonsense",
        b"\xff\xfe",
    ):
        taken = one.take_text(text)
        assert taken.step.refused
        assert taken.step.table is one.table
    kinds = [entry.kind for entry in one._journal.entries()]
    assert kinds == ["terms", "event", "decision", *["refused"] * 5]
    (decision,) = [decision_of(e) for e in one._journal.entries() if e.kind == "decision"]
    assert "is not for the phase closed" in decision.refused
    close(one)


def test_other_terms_wait_until_the_table_is_closed(tmp_path: Path) -> None:
    one = recorder(tmp_path, "s10")
    for event in script("s10")[:3]:
        one.take(event)
    close(one)
    other = {**table_file("s10"), "ante": {"least": 1000, "most": 50_000}}
    with pytest.raises(Refused, match="not the one that the journal was begun with"):
        recorder(tmp_path, "s10", other)


def test_a_journal_of_another_table_is_refused(tmp_path: Path) -> None:
    close(recorder(tmp_path, "s10"))
    with pytest.raises(JournalError):
        recorder(tmp_path, "ma")


def test_a_replay_gives_the_decisions_that_were_made(tmp_path: Path) -> None:
    one = recorder(tmp_path, "pa-683a")
    for event in script("pa-683a"):
        one.take(event)
    made = [decision_of(e) for e in one._journal.entries() if e.kind == "decision"]
    replayed = list(replay(one._journal.entries(), Library()))
    assert [d.commands for d in made] == [done.commands for _, _, done in replayed]
    assert [d.phase for d in made] == [done.table.phase for _, _, done in replayed]
    close(one)


# --- Killed -----------------------------------------------------------------


def run_until_killed(folder: Path, book: str, events: list[Event], fatal: int, after: bool) -> None:
    """In a child: play the script and die at the ``fatal``-th append, before or after it."""
    child = os.fork()
    if child == 0:
        appends = 0
        append = Journal.append

        def counted(self: Journal, records: Any) -> Any:
            nonlocal appends
            appends += 1
            if appends == fatal and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            entries = append(self, records)
            if appends == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
            return entries

        Journal.append = counted  # type: ignore[method-assign]
        try:
            one = recorder(folder, book)
            for event in events:
                one.take(event)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)


def killed_and_recovered(folder: Path, book: str, fatal: int, after: bool) -> None:
    events = script(book)
    run_until_killed(folder, book, events, fatal, after)
    one = recorder(folder, book)
    kept = [e.body for e in one._journal.entries() if e.kind == "event"]
    assert kept == [msgspec.json.encode(event) for event in events[: len(kept)]]
    # Every event that was kept has its decision, once.
    kinds = [e.kind for e in one._journal.entries() if e.kind in ("event", "decision")]
    assert kinds == ["event", "decision"] * len(kept)
    for event in events[len(kept) :]:
        assert not one.take(event).step.refused
    table = new_table(one.terms)
    for event in events:
        table = step(one.terms, table, event).table
    assert one.table == table
    close(one)


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.rule("R31")
def test_killed_at_some_writes_of_a_round(book: str, tmp_path: Path) -> None:
    appends = 1 + 2 * len(script(book))
    for n, fatal in enumerate(range(2, appends, 23)):
        folder = tmp_path / str(n)
        folder.mkdir()
        killed_and_recovered(folder, book, fatal, after=bool(n % 2))


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
def test_killed_at_every_write_of_a_round(book: str, tmp_path: Path) -> None:
    for fatal in range(1, 1 + 2 * len(script(book))):
        for after in (False, True):
            folder = tmp_path / f"{fatal}-{after}"
            folder.mkdir()
            killed_and_recovered(folder, book, fatal, after)
