"""The table at any entry: the same from the nearest checkpoint as from the first event."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller import recorder as recording
from controller.journal.entry import CHECKPOINT, Record
from controller.journal.journal import Journal
from controller.journal.reader import Reader
from controller.library import Library
from controller.recorder import decision_of
from controller.replay import Replay, packed, unpacked
from controller.rules.faults import Refused
from controller.table import events
from controller.table.machine import new_table, step
from controller.table.state import Table
from controller.tables import terms_of
from tests.controller.table.playing import FLOOR
from tests.controller.test_recorder import BOOKS, close, recorder, script, table_file

EVERY = 25
ROUNDS = 4


@pytest.fixture(autouse=True)
def _many_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "ENTRIES_A_CHECKPOINT", EVERY)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Reader]:
    """Some rounds of Section 10, looked at by somebody else."""
    with Reader.look(played(tmp_path, "s10")) as reader:
        yield reader


def played(folder: Path, book: str, rounds: int = ROUNDS) -> Path:
    one = recorder(folder, book)
    for event in script(book, rounds):
        one.take(event)
    close(one)
    return folder / "j.db"


def tables(reader: Reader, book: str) -> dict[int, Table]:
    """The table after each entry, from the first event on and without any checkpoint."""
    terms = terms_of(table_file(book), Library())
    table = new_table(terms)
    found = {}
    for entry in reader.entries():
        if entry.kind == "event":
            event = msgspec.json.decode(entry.body, type=events.Event)
            table = step(terms, table, event).table
        found[entry.seq] = table
    return found


@pytest.mark.parametrize("book", BOOKS)
def test_the_table_at_every_entry(book: str, tmp_path: Path) -> None:
    with Reader.look(played(tmp_path, book, rounds=2)) as reader:
        replay = Replay(reader, Library())
        for seq, table in tables(reader, book).items():
            standing = replay.at(seq)
            assert standing.table == table
            assert (standing.seq, standing.terms_at) == (seq, 1)
            assert standing.terms.id == f"{book}-1"


def test_a_checkpoint_is_the_table_that_the_events_lead_to(journal: Reader) -> None:
    known = tables(journal, "s10")
    kept = [entry for entry in journal.entries() if entry.kind == CHECKPOINT]
    assert len(kept) == journal.head.seq // EVERY
    for entry in kept:
        checkpoint = unpacked(entry.body)
        assert checkpoint is not None
        assert checkpoint.table == known[entry.seq]


def test_a_replay_gives_the_decisions_that_were_made(journal: Reader) -> None:
    made = [decision_of(e) for e in journal.entries() if e.kind == "decision"]
    replayed = list(Replay(journal, Library()).events())
    assert [d.commands for d in made] == [one.step.commands for one in replayed]
    assert [d.phase for d in made] == [one.step.table.phase for one in replayed]
    some = list(Replay(journal, Library()).events(60, 110))
    assert some == [one for one in replayed if 60 <= one.entry.seq <= 110]


@pytest.mark.parametrize("back", [0, 1, EVERY, 3 * EVERY])
def test_only_what_came_since_the_checkpoint_is_read(journal: Reader, back: int) -> None:
    """However long the journal is: so a look at an entry takes as long at its end as before."""
    replay = Replay(journal, Library())
    seq = journal.head.seq - back
    replay.at(seq)
    read: list[int] = []
    entries = journal.entries

    class Counting(Reader):
        """The same journal, noting which entries it gives out."""

        def __init__(self) -> None:
            super().__init__(journal.path, journal._reading, journal.header)

        def entries(self, first: int = 1, last: int | None = None) -> Iterator[object]:  # type: ignore[override]
            for entry in entries(first, last):
                read.append(entry.seq)
                yield entry

    Replay(Counting(), Library()).at(seq)
    # The checkpoint, the terms that it names, and what came since.
    assert read[1] == 1
    assert seq - EVERY <= min(read[:1] + read[2:])
    assert len(read) <= EVERY + 2


def test_a_checkpoint_of_another_felt_is_passed_over(tmp_path: Path) -> None:
    path = played(tmp_path, "s10", rounds=1)
    with Journal.open(path, "s10-1") as journal:
        table = Replay(journal, Library()).at(journal.head.seq).table
        for body in (b"", b"not compressed", zlib.compress(b'{"table": {"phase": "lunch"}}')):
            journal.append([Record(CHECKPOINT, body, 0)])
            assert Replay(journal, Library()).at(journal.head.seq).table == table
    again = recorder(tmp_path, "s10")
    assert again.table == table
    close(again)


def test_an_event_of_another_felt_is_refused_and_named(tmp_path: Path) -> None:
    path = played(tmp_path, "s10", rounds=1)
    with Journal.open(path, "s10-1") as journal:
        journal.append([Record("event", b'{"kind": "coffee_served"}', 0)])
        with pytest.raises(Refused, match=f"entry {journal.head.seq} is an event that this felt"):
            Replay(journal, Library()).at(journal.head.seq)


def test_where_there_is_no_table_there_is_none(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "j.db", "s10-1") as journal:
        replay = Replay(journal, Library())
        with pytest.raises(Refused, match="0 is not there"):
            replay.at(0)
        journal.append([Record("note", b"", 0)])
        with pytest.raises(Refused, match="before the table had any terms"):
            replay.at(1)
        with pytest.raises(Refused, match="2 is not there; 1 to 1"):
            replay.at(2)
        opened = msgspec.json.encode(events.TableOpened(at=1, by=FLOOR))
        journal.append([Record("event", opened, 0)])
        with pytest.raises(Refused, match="entry 2 is an event before any terms"):
            replay.at(2)


def test_packing_keeps_everything(journal: Reader) -> None:
    kept = [unpacked(e.body) for e in journal.entries() if e.kind == CHECKPOINT]
    for checkpoint in kept:
        assert checkpoint is not None
        body = packed(checkpoint)
        assert unpacked(body) == checkpoint
        assert len(body) < len(msgspec.json.encode(checkpoint)) / 2
