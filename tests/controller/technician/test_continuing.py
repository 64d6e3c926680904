"""A journal that ends where somebody goes on: it begins with a standing table, and is a journal."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from controller.journal.entry import CHECKPOINT
from controller.journal.reader import Reader
from controller.journal.verifier import verify
from controller.library import Library
from controller.recorder import Decision
from controller.replay import Replay, recorded_terms
from controller.rules.faults import Refused
from controller.table.events import Event
from controller.table.machine import step
from controller.technician import continuing, cut
from controller.technician.continuing import Since

LIBRARY = Library()
GOLDEN = Path(__file__).parents[2] / "logs" / "pa-639a-automated-shoe" / "cut.zip"

_events = msgspec.json.Decoder(Event)


def taken(found: cut.Cut, last: int) -> tuple[Since, list[Event]]:
    """What was taken up to an entry."""
    terms, table = recorded_terms(found.past.data, LIBRARY), found.past.table
    since, all_ = Since(table), []
    for entry in found.past.entries:
        if entry.kind == "event" and entry.seq <= last:
            event = _events.decode(entry.body)
            done = step(terms, table, event)
            since.took(table, event, done)
            table = done.table
            all_.append(event)
    return since, all_


def entry_of(found: cut.Cut, kind: str) -> int:
    return next(one.seq for one in found.past.entries if f'"kind":"{kind}"'.encode() in one.body)


def test_it_has_the_events_of_the_round_with_what_is_decided_now(tmp_path: Path) -> None:
    found = cut.read(GOLDEN)
    since, all_ = taken(found, entry_of(found, "deal_pressed"))
    assert since.events == all_
    *before, last = all_
    journal = tmp_path / "state" / "journal.db"
    begun = continuing.begin(
        journal, found.past.data, Since(found.past.table, list(before)), last, []
    )
    report = verify(journal)
    assert report.sound
    with Reader.look(journal) as reader:
        entries = list(reader.entries())
        assert Replay(reader, LIBRARY).at(reader.head.seq).table == begun.table
        assert len(entries) == begun.entries
    assert begun.table.phase == "dealing"
    assert any(one.__struct_config__.tag == "dispense" for one in begun.owed)
    assert [one.kind for one in entries[:2]] == ["terms", CHECKPOINT]
    assert json.loads(entries[0].body) == json.loads(found.past.data)
    assert [_events.decode(one.body) for one in entries if one.kind == "event"] == all_
    decision = msgspec.json.decode(entries[-1].body, type=Decision)
    assert (decision.phase, decision.commands) == ("dealing", begun.owed)


def test_where_a_round_is_over_it_begins_anew(tmp_path: Path) -> None:
    """The rounds before are in the table with which the journal begins."""
    found = cut.read(GOLDEN)
    since, all_ = taken(found, entry_of(found, "cards_racked"))
    assert len(all_) > 20
    assert since.events == []
    assert (since.table.round, since.table.phase) == (1, "shuffling")
    journal = tmp_path / "state" / "journal.db"
    begun = continuing.begin(journal, found.past.data, since, None, [])
    assert begun.table == since.table
    assert (begun.entries, begun.owed) == (2, ())
    assert verify(journal).sound


def test_the_rulebook_that_was_played_by_comes_before_any_other(tmp_path: Path) -> None:
    found = cut.read(GOLDEN)
    data = json.loads(found.past.data)
    data["rulebook_text"] = data["rulebook_text"].replace("[2]", "[3]")
    terms = json.dumps(data, sort_keys=True).encode()
    journal = tmp_path / "state" / "journal.db"
    begun = continuing.begin(journal, terms, Since(found.past.table), None, [])
    bet = begun.library.rulebook("pa-639a").wagers["bet"]
    assert [list(many) for many in bet.multiples.values()] == [[3]]
    with Reader.look(journal) as reader:
        assert reader.entry(1).body == terms


def test_nothing_is_written_after_the_end_of_another(tmp_path: Path) -> None:
    found = cut.read(GOLDEN)
    journal = tmp_path / "state" / "journal.db"
    since = Since(found.past.table)
    continuing.begin(journal, found.past.data, since, None, [])
    written = journal.read_bytes()
    with pytest.raises(Refused, match="a journal is there already"):
        continuing.begin(journal, found.past.data, since, None, [])
    assert journal.read_bytes() == written
