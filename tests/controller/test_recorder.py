"""A table with its journal: nothing lost, nothing decided twice, whenever the process dies."""

from __future__ import annotations

import os
import signal
import tomllib
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller import recorder as module
from controller.journal.entry import Entry, Record
from controller.journal.errors import JournalError
from controller.journal.journal import Journal
from controller.library import Library
from controller.recorder import Recorder, decision_of
from controller.replay import Replay
from controller.rules.faults import Refused
from controller.table import events
from controller.table.events import Event
from controller.table.machine import new_table, step
from controller.tables import terms_of
from tests.controller.table.playing import FLOOR, AtTheTable

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


@pytest.mark.rule("R31")
def test_a_start_from_a_checkpoint_is_the_same_as_from_all_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever came last: a checkpoint has nobody waiting for commands that were given out."""
    monkeypatch.setattr(module, "ENTRIES_A_CHECKPOINT", 9)
    one = recorder(tmp_path, "s10")
    last = []
    for event in script("s10", rounds=2)[:60]:
        one.take(event)
        table, owed = one.table, one.owed
        last.append([*one._journal.entries()][-1].kind)
        close(one)
        one = recorder(tmp_path, "s10")
        assert (one.table, one.owed) == (table, owed)
    close(one)
    assert {"decision", "checkpoint"} == set(last)


def test_a_checkpoint_shares_the_commit_of_its_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ENTRIES_A_CHECKPOINT", 20)
    one = recorder(tmp_path, "s10")
    commits: list[list[str]] = []
    append = one._journal.append

    def counted(records: Sequence[Record]) -> list[Entry]:
        commits.append([record.kind for record in records])
        return append(records)

    monkeypatch.setattr(one._journal, "append", counted)
    for event in script("s10"):
        one.take(event)
    kept = [e for e in one._journal.entries() if e.kind == "checkpoint"]
    assert commits.count(["decision", "checkpoint"]) == len(kept) > 2
    assert ["checkpoint"] not in commits
    for _ in range(50):
        one.take_text(b"nonsense")
    kept = [e for e in one._journal.entries() if e.kind == "checkpoint"]
    assert one._journal.head.seq - kept[-1].seq < 20
    # An event and its decision stay together.
    assert {b.seq - a.seq for a, b in pairwise(kept)} <= {20, 21}
    close(one)


@pytest.mark.rule("R36")
def test_a_refused_event_is_on_record_with_its_reason(tmp_path: Path) -> None:
    one = recorder(tmp_path, "s10")
    for text in (
        b'{"kind": "deal_pressed", "at": 5, "by": {"id": "d", "role": "dealer"}}',
        b'{"kind": "abracadabra", "at": 5}',
        b'{"kind": "wager_placed", "at": 5, "seat": 3, "wager": "ante", "amount": -5}',
        b'{"kind": "table_opened", "at": 5, "by": {"id": "d", "role": "king"}}',
        b"nonsense",
        b"\xff\xfe",
        b'{"kind": "deal_pressed", "at": 9300000000000000, "by": {"id": "d", "role": "dealer"}}',
    ):
        taken = one.take_text(text)
        assert taken.step.refused
        assert taken.step.table is one.table
    kinds = [entry.kind for entry in one._journal.entries()]
    assert kinds == ["terms", "event", "decision", *["refused"] * 6]
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


def rules_of_its_own(folder: Path, book: str, change: Callable[[str], str]) -> Library:
    folder.mkdir()
    text = Library().text(book)
    assert change(text) != text
    (folder / f"{book}.toml").write_text(change(text))
    return Library(folder)


def test_a_rulebook_that_is_changed_in_the_middle_of_play_is_refused(tmp_path: Path) -> None:
    one = recorder(tmp_path, "s10")
    for event in script("s10")[:3]:
        one.take(event)
    close(one)
    changed = rules_of_its_own(tmp_path / "rules", "s10", lambda text: text + "\n# another\n")
    with (
        Journal.open(one._journal.path, one.terms.id) as journal,
        pytest.raises(Refused, match="the rulebook is not the one"),
    ):
        Recorder(journal, table_file("s10"), changed)


@pytest.mark.rule("R31")
def test_a_journal_replays_by_the_rulebook_that_was_played_by(tmp_path: Path) -> None:
    """Paytables that are changed after the round do not change what the round paid."""
    one = recorder(tmp_path, "pa-683a")
    followed = [one.take(event).step.commands for event in script("pa-683a")]
    close(one)
    row = '["pair of jacks or better", "1 to 1", "1 to 1", "1 to 1"]'
    other = row.replace("1 to 1", "3 to 2")
    changed = rules_of_its_own(tmp_path / "rules", "pa-683a", lambda text: text.replace(row, other))
    terms = terms_of(table_file("pa-683a"), changed)
    table, otherwise = new_table(terms), []
    for event in script("pa-683a"):
        done = step(terms, table, event)
        table = done.table
        otherwise.append(done.commands)
    assert otherwise != followed  # by the changed rulebook it would have paid other sums
    with Journal.open(one._journal.path, one.terms.id) as journal:
        replayed = Replay(journal, changed).events(1, journal.head.seq)
        assert [played.step.commands for played in replayed] == followed


def test_people_may_change_in_the_middle_of_play(tmp_path: Path) -> None:
    one = recorder(tmp_path, "s10")
    for event in script("s10")[:3]:
        one.take(event)
    close(one)
    file = table_file("s10")
    listed = [*file.get("people", ()), {"id": "relief", "name": "Relief", "roles": ["dealer"]}]
    other = recorder(tmp_path, "s10", {**file, "people": listed})
    assert other.table == one.table
    assert other.terms.people["relief"] == ("dealer",)
    close(other)
    again = recorder(tmp_path, "s10", {**file, "people": listed})
    assert again.terms.people["relief"] == ("dealer",)
    close(again)


@pytest.mark.rule("R31")
def test_what_was_played_before_a_change_of_terms_stays_as_it_was_played(tmp_path: Path) -> None:
    """The next day the Ante is dearer: yesterday's wagers were good all the same."""
    one = recorder(tmp_path, "s10")
    for event in script("s10"):
        assert not one.take(event).step.refused
    closed = events.TableClosed(at=one.table.at + 1, by=FLOOR)
    assert not one.take(closed).step.refused
    close(one)
    dearer = {**table_file("s10"), "ante": {"least": 10_000, "most": 50_000}}
    for _ in range(2):
        other = recorder(tmp_path, "s10", dearer)
        assert other.table == one.table
        assert other.terms.least_ante == 10_000
        kinds = [entry.kind for entry in other._journal.entries()]
        assert kinds.count("terms") == 2
        close(other)


def test_a_journal_of_another_table_is_refused(tmp_path: Path) -> None:
    close(recorder(tmp_path, "s10"))
    with pytest.raises(JournalError):
        recorder(tmp_path, "ma")


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
