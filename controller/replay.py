"""A table at any entry of its journal, and every event with what followed from it.

One way leads there, for a restart, for recalling a round and for looking into a dispute: the last
checkpoint before the entry, and from it on the same events through the same machine. Checkpoints
are entries like all others, so what a replay begins with is chained as well as what it goes
through.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from controller.journal.entry import CHECKPOINT, Entry
from controller.journal.reader import Reader
from controller.library import Library
from controller.rules.faults import Refused
from controller.rules.rulebook import Rulebook, read_rulebook
from controller.table.events import Event
from controller.table.machine import Step, new_table, step
from controller.table.state import Table
from controller.table.terms import Terms
from controller.tables import terms_of


class Checkpoint(msgspec.Struct, frozen=True):
    """How the table stands, and the entry that says what it plays by."""

    terms: int
    table: Table


#: Where the entry of the terms has the rulebook.
RULEBOOK_TEXT = "rulebook_text"

_checkpoints = msgspec.json.Decoder(Checkpoint)
_events = msgspec.json.Decoder(Event)


def packed(checkpoint: Checkpoint) -> bytes:
    """A checkpoint as the body of its entry, about a quarter of its size as text."""
    return zlib.compress(msgspec.json.encode(checkpoint))


def unpacked(body: bytes) -> Checkpoint | None:
    """The checkpoint, or nothing where another felt has written what this one can't read."""
    try:
        return _checkpoints.decode(zlib.decompress(body))
    except (zlib.error, msgspec.MsgspecError):
        return None


def terms_body(data: Mapping[str, Any], library: Library) -> bytes:
    """What a table plays by, as the body of its entry: the table file and the rulebook's own text.

    With the text the journal explains itself: a rulebook that is changed later changes nothing of
    what was played before.
    """
    text = library.text(str(data["rulebook"]))
    return json.dumps({**data, RULEBOOK_TEXT: text}, sort_keys=True).encode()


@lru_cache(maxsize=8)
def _rulebook(text: str) -> Rulebook:
    """Read once: entry after entry, and log after log, has the same text."""
    return read_rulebook(text)


def recorded_terms(body: bytes, library: Library) -> Terms:
    data = json.loads(body)
    # Journals of earlier felts have the table file alone.
    text = data.pop(RULEBOOK_TEXT, None)
    return terms_of(data, library, _rulebook(text) if text is not None else None)


class Standing(NamedTuple):
    """The table when entry ``seq`` had been taken in."""

    seq: int
    #: The entry that says what the table plays by, and what that is.
    terms_at: int
    terms: Terms
    table: Table


class Played(NamedTuple):
    """One event with what followed from it."""

    entry: Entry
    event: Event
    step: Step


class Replay:
    """Looks into a journal, be it in use or not. Nothing is written."""

    def __init__(self, reader: Reader, library: Library) -> None:
        self._reader = reader
        self._library = library
        #: Terms by their entry: a journal has a handful, and each takes a while to read.
        self._known: dict[int, Terms] = {}

    def at(self, seq: int) -> Standing:
        """The table as it stood when entry ``seq`` had been taken in."""
        if not 1 <= seq <= self._reader.head.seq:
            raise Refused("entry", f"{seq} is not there", f"1 to {self._reader.head.seq}")
        found = self._last_checkpoint(seq)
        for after, _ in self._on_from(found, seq):
            found = after
        if found is None:
            raise Refused("entry", f"{seq} is before the table had any terms")
        return found._replace(seq=seq)

    def events(self, first: int = 1, last: int | None = None) -> Iterator[Played]:
        """The events from entry ``first`` to ``last``, or to the head, with what followed."""
        for _, played in self.steps(first, last):
            yield played

    def steps(self, first: int = 1, last: int | None = None) -> Iterator[tuple[Standing, Played]]:
        """The same, each with how the table stood before it."""
        before = self._last_checkpoint(first - 1)
        for after, played in self._on_from(before, last):
            if played is not None and before is not None and played.entry.seq >= first:
                yield before, played
            before = after

    def _last_checkpoint(self, seq: int) -> Standing | None:
        """The newest checkpoint up to an entry that this felt can read."""
        while seq > 0 and (entry := self._reader.last(CHECKPOINT, seq)) is not None:
            checkpoint = unpacked(entry.body)
            if checkpoint is not None:
                terms = self._terms(self._reader.entry(checkpoint.terms))
                return Standing(entry.seq, checkpoint.terms, terms, checkpoint.table)
            seq = entry.seq - 1
        return None

    def _on_from(
        self, standing: Standing | None, last: int | None
    ) -> Iterator[tuple[Standing, Played | None]]:
        """Every entry after a standing, or after none, that changes what the table is."""
        first = standing.seq + 1 if standing else 1
        for entry in self._reader.entries(first, last):
            if entry.kind == "terms":
                terms = self._terms(entry)
                table = standing.table if standing else new_table(terms)
                standing = Standing(entry.seq, entry.seq, terms, table)
                yield standing, None
            elif entry.kind == "event":
                if standing is None:
                    raise Refused("journal", f"entry {entry.seq} is an event before any terms")
                event = _event(entry)
                done = step(standing.terms, standing.table, event)
                standing = Standing(entry.seq, standing.terms_at, standing.terms, done.table)
                yield standing, Played(entry, event, done)

    def _terms(self, entry: Entry) -> Terms:
        if entry.seq not in self._known:
            self._known[entry.seq] = recorded_terms(entry.body, self._library)
        return self._known[entry.seq]


def _event(entry: Entry) -> Event:
    try:
        event: Event = _events.decode(entry.body)
    except msgspec.MsgspecError as error:
        raise Refused(
            "journal", f"entry {entry.seq} is an event that this felt does not know: {error}"
        ) from None
    return event
