"""A table and its journal together: every event durable before it decides anything.

The order is always the same: the event is written down, the machine says what follows, that is
written down too, and only then may anybody act on it. After a crash the same events make the
same table, and what the last one asked for is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from controller.journal.entry import Entry, Record
from controller.journal.journal import Journal
from controller.library import Library
from controller.rules.faults import Refused
from controller.table.commands import Command
from controller.table.events import Event
from controller.table.machine import Step, new_table, step
from controller.table.state import Table
from controller.table.terms import Terms
from controller.tables import terms_of

#: Rounds between two snapshots: few enough to start fast, many enough to cost nothing.
ROUNDS_A_SNAPSHOT = 50
NS = 1_000_000

_events = msgspec.json.Decoder(Event)
_tables = msgspec.json.Decoder(Table)


class Decision(msgspec.Struct, frozen=True):
    """What the machine made of the event before it."""

    phase: str
    commands: tuple[Command, ...] = ()
    refused: str = ""


_decisions = msgspec.json.Decoder(Decision)


class Taken(NamedTuple):
    """One event as it was recorded: its entry's number, and what followed."""

    seq: int
    step: Step


class Recorder:
    """The one writer of one table's journal."""

    def __init__(self, journal: Journal, data: Mapping[str, Any], library: Library) -> None:
        self._journal = journal
        self.terms: Terms = terms_of(dict(data), library)
        self.table: Table = new_table(self.terms)
        #: What the last event asked the devices for, and may not have reached them.
        self.owed: tuple[Command, ...] = ()
        self._snapshot_at = 0
        self._recover(json.dumps(data, sort_keys=True).encode(), library)

    # --- Recovery ---------------------------------------------------------------

    def _recover(self, data: bytes, library: Library) -> None:
        """Every event since the last snapshot again, and the decision that a crash kept back."""
        snapshot = self._journal.latest_snapshot()
        first = 1
        if snapshot is not None:
            self.table, first = _tables.decode(snapshot.state), snapshot.seq + 1
            self._snapshot_at = self.table.round
        undecided: Step | None = None
        known: bytes | None = None
        for entry in self._journal.entries(first):
            if entry.kind == "terms":
                known = entry.body
            elif entry.kind == "event":
                undecided = step(self.terms, self.table, _events.decode(entry.body))
                self.table = undecided.table
                self.owed = undecided.commands
            elif entry.kind == "decision":
                undecided = None
        if undecided is not None:
            self._decided(undecided, self.table.at * NS)
        known = known if known is not None else self._last_terms()
        if known is None:
            self._write("terms", data, 0)
        elif known != data:
            self._other_terms(data)

    def _last_terms(self) -> bytes | None:
        """The terms that the journal was last opened with, from before the last snapshot."""
        head = self._journal.head.seq
        for entry in self._journal.entries(1, min(head, 1)):
            if entry.kind == "terms":
                return entry.body
        return None

    def _other_terms(self, data: bytes) -> None:
        if self.table.phase != "closed":
            raise Refused(
                "table",
                "the table file is not the one that the journal was begun with",
                "go on with that one, or close the table first",
            )
        self._write("terms", data, self.table.at * NS)

    # --- Events -----------------------------------------------------------------

    def take(self, event: Event) -> Taken:
        """Write the event down, decide, write the decision down."""
        entry = self._write("event", msgspec.json.encode(event), event.at * NS)
        done = step(self.terms, self.table, event)
        before, self.table = self.table, done.table
        self._decided(done, event.at * NS)
        self.owed = done.commands
        if before.round // ROUNDS_A_SNAPSHOT != self.table.round // ROUNDS_A_SNAPSHOT:
            self.snapshot()
        return Taken(entry.seq, done)

    def take_text(self, text: bytes) -> Taken:
        """The same for an event as it came in; what is no event is recorded as refused."""
        try:
            event = _events.decode(text)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            said = f"this is not an event: {error}"
            body = json.dumps({"text": text.decode(errors="replace")[:2000], "refused": said})
            entry = self._write("refused", body.encode(), self.table.at * NS)
            return Taken(entry.seq, Step(self.table, refused=said))
        return self.take(event)

    def snapshot(self) -> None:
        self._journal.snapshot(self._journal.head.seq, msgspec.json.encode(self.table))

    def _decided(self, done: Step, at: int) -> None:
        decision = Decision(done.table.phase, done.commands, done.refused)
        self._write("decision", msgspec.json.encode(decision), at)

    def _write(self, kind: str, body: bytes, at: int) -> Entry:
        number = self.table.round or None
        (entry,) = self._journal.append([Record(kind, body, at, number)])
        return entry


def replay(entries: Iterator[Entry], library: Library) -> Iterator[tuple[Entry, Event, Step]]:
    """Every event of a journal with what follows from it, by the terms that it was played with."""
    terms: Terms | None = None
    table: Table | None = None
    for entry in entries:
        if entry.kind == "terms":
            terms = terms_of(json.loads(entry.body), library)
            table = table or new_table(terms)
        elif entry.kind == "event":
            if terms is None or table is None:
                raise Refused("journal", f"entry {entry.seq} is an event before any terms")
            event = _events.decode(entry.body)
            done = step(terms, table, event)
            table = done.table
            yield entry, event, done


def decision_of(entry: Entry) -> Decision:
    return _decisions.decode(entry.body)
