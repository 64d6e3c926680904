"""A table and its journal together: every event durable before it decides anything.

The order is always the same: the event is written down, the machine says what follows, that is
written down too, and only then may anybody act on it. After a crash the same events make the
same table, and what the last one asked for is known.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from controller.journal.entry import CHECKPOINT, HEAD, MAX_INTEGER, Entry, Head, Record
from controller.journal.journal import Journal
from controller.journal.notes import Note
from controller.library import Library
from controller.replay import RULEBOOK_TEXT, Checkpoint, Replay, packed, terms_body
from controller.rules.faults import Refused
from controller.table.commands import Command
from controller.table.events import Event
from controller.table.machine import Step, new_table, step
from controller.table.state import Table
from controller.table.terms import Terms
from controller.tables import terms_of

#: Entries between two checkpoints. A start, or a look at any entry, replays at most as many, in
#: about a tenth of a second; a checkpoint's kilobyte is lost among their thousand.
ENTRIES_A_CHECKPOINT = 4096
#: Entries between two signed notes of the head: what comes after the last one is not signed yet.
ENTRIES_A_NOTE = 64
NS = 1_000_000
#: What the journal can hold as a time.
LAST_STAMP = MAX_INTEGER // NS

Signs = Callable[[Head], Note]

_events = msgspec.json.Decoder(Event)


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

    def __init__(
        self,
        journal: Journal,
        data: Mapping[str, Any],
        library: Library,
        signs: Signs | None = None,
    ) -> None:
        """``signs`` makes a signed note of a head, which is written down now and then."""
        self._journal = journal
        self._signs = signs
        self.terms: Terms = terms_of(dict(data), library)
        self.table: Table = new_table(self.terms)
        #: What the last event asked the devices for, and may not have reached them.
        self.owed: tuple[Command, ...] = ()
        self._checkpoint_at = journal.recovery.first
        self._terms_at = 0
        #: Where the last note is; a start begins with one.
        self._noted_at = -ENTRIES_A_NOTE
        self._recover(terms_body(data, library), Replay(journal, library))

    @property
    def seq(self) -> int:
        """The number of the last entry."""
        return self._journal.head.seq

    # --- Recovery ---------------------------------------------------------------

    def _recover(self, data: bytes, replay: Replay) -> None:
        """The table as the journal has it, and the decision that a crash kept back."""
        if not self._journal.head.seq:
            self._new_terms(data, 0)
            return
        standing = replay.at(self._journal.head.seq)
        self.table, self._terms_at = standing.table, standing.terms_at
        event, decision = self._journal.last("event"), self._journal.last("decision")
        if event is not None and (decision is None or decision.seq < event.seq):
            (undecided,) = replay.events(event.seq, event.seq)
            self.owed = undecided.step.commands
            self._decided(undecided.step, event.at)
        elif decision is not None:
            self.owed = decision_of(decision).commands
        before = self._journal.entry(self._terms_at).body
        if before != data:
            self._other_terms(before, data)

    def _other_terms(self, before: bytes, data: bytes) -> None:
        """Who may act changes with every shift; what is played by, only when nothing is played."""
        if self.table.phase != "closed" and _without_people(before) != _without_people(data):
            raise Refused(
                "table",
                f"{_what_differs(before, data)} is not the one that the journal was begun with",
                "go on with that one, or close the table first",
            )
        self._new_terms(data, self.table.at * NS)

    def _new_terms(self, data: bytes, at: int) -> None:
        self._terms_at = self._write("terms", data, at).seq

    # --- Events -----------------------------------------------------------------

    def take(self, event: Event) -> Taken:
        """Write the event down, decide, write the decision down."""
        entry = self._write("event", msgspec.json.encode(event), event.at * NS, self._noted(event))
        done = step(self.terms, self.table, event)
        self.table = done.table
        self._decided(done, event.at * NS)
        self.owed = done.commands
        return Taken(entry.seq, done)

    def take_text(self, text: bytes) -> Taken:
        """The same for an event as it came in; what is no event is recorded as refused."""
        try:
            event = _events.decode(text)
            if event.at > LAST_STAMP:
                raise msgspec.ValidationError("Its stamp is beyond the year 2262")
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            said = f"this is not an event: {error}"
            body = json.dumps({"text": text.decode(errors="replace")[:2000], "refused": said})
            entry = self._write_last("refused", body.encode(), self.table.at * NS)
            return Taken(entry.seq, Step(self.table, refused=said))
        return self.take(event)

    def keep(self, kind: str, body: bytes, at: int) -> Entry:
        """Write down what decides nothing, but belongs to what happened: it is chained with it."""
        return self._write_last(kind, body, at * NS)

    def _decided(self, done: Step, at: int) -> None:
        decision = Decision(done.table.phase, done.commands, done.refused)
        self._write_last("decision", msgspec.json.encode(decision), at)

    def _write_last(self, kind: str, body: bytes, at: int) -> Entry:
        """An entry that leaves nothing open, with a checkpoint in the same commit if it is time."""
        number = self.table.round or None
        records = [Record(kind, body, at, number)]
        seq = self._journal.head.seq + 1
        if seq - self._checkpoint_at >= ENTRIES_A_CHECKPOINT - 1:
            standing = packed(Checkpoint(self._terms_at, self.table))
            records.append(Record(CHECKPOINT, standing, at, number))
        entries = self._journal.append(records)
        if len(entries) > 1:
            self._checkpoint_at = entries[1].seq
        return entries[0]

    def _noted(self, event: Event) -> list[Record]:
        """A signed note of the head before this event, if it is time for one.

        Whoever makes the journal anew from some entry on can't sign what follows from it.
        """
        head = self._journal.head
        if self._signs is None or head.seq - self._noted_at < ENTRIES_A_NOTE:
            return []
        self._noted_at = head.seq
        note = str(self._signs(head)).encode()
        return [Record(HEAD, note, event.at * NS, self.table.round or None)]

    def _write(self, kind: str, body: bytes, at: int, before: Sequence[Record] = ()) -> Entry:
        record = Record(kind, body, at, self.table.round or None)
        return self._journal.append([*before, record])[-1]


def _without_people(data: bytes) -> dict[str, Any]:
    return {key: value for key, value in json.loads(data).items() if key != "people"}


def _what_differs(before: bytes, data: bytes) -> str:
    one, other = _without_people(before), _without_people(data)
    same_file = {**one, RULEBOOK_TEXT: ""} == {**other, RULEBOOK_TEXT: ""}
    return "the rulebook" if same_file else "the table file"


def decision_of(entry: Entry) -> Decision:
    return _decisions.decode(entry.body)
