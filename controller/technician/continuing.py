"""What somebody needs who goes on from where felt as it is now leaves a record.

That is a journal which ends there: the terms, the table as it stood when the round before was over,
as a checkpoint, and from then on the recorded events, each with the decision that felt as it is now
makes of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.journal.entry import CHECKPOINT, Record
from controller.journal.journal import Journal
from controller.library import Library
from controller.recorder import NS, Recorder
from controller.replay import RULEBOOK_TEXT, Checkpoint, packed, terms_body
from controller.rules.faults import Refused
from controller.table.commands import Command
from controller.table.events import Event
from controller.table.machine import Step
from controller.table.state import Table

#: Where the rulebook of the record is put, so that it is found before any other.
RULEBOOKS = "rulebooks"


@dataclass(slots=True)
class Since:
    """The events since the last round was over, and how the table stood then."""

    table: Table
    events: list[Event] = field(default_factory=list)

    def took(self, before: Table, event: Event, done: Step) -> None:
        self.events.append(event)
        if before.phase == "clearing" and done.table.phase != "clearing":
            self.table, self.events = done.table, []


@dataclass(frozen=True, slots=True)
class Begun:
    """A journal that ends where somebody goes on."""

    data: dict[str, Any]
    library: Library
    table: Table
    #: What the last event asked for, and no device has done.
    owed: tuple[Command, ...]
    entries: int


def begin(
    journal: Path,
    terms: bytes,
    since: Since,
    event: Event | None,
    folders: Sequence[Path],
) -> Begun:
    """Write it; ``event`` is the one with which felt as it is now leaves the record."""
    if journal.exists():
        problem = "a journal is there already, and nothing may be written after its end"
        raise Refused(str(journal), problem, "name a folder that is new")
    journal.parent.mkdir(parents=True, exist_ok=True)
    data = json.loads(terms)
    library = _library(data, journal.parent.parent / RULEBOOKS, folders)
    body, at = terms_body(data, library), since.table.at * NS
    with Journal.create(journal, data["id"]) as written:
        number = since.table.round or None
        standing = packed(Checkpoint(1, since.table))
        written.append([Record("terms", body, at, None), Record(CHECKPOINT, standing, at, number)])
        recorder = Recorder(written, data, library)
        for one in since.events:
            recorder.take(one)
        if event is not None:
            recorder.take(event)
        return Begun(data, library, recorder.table, recorder.owed, written.head.seq)


def _library(data: dict[str, Any], own: Path, folders: Sequence[Path]) -> Library:
    """With the rulebook that was played by, if the journal has it, as every felt since does."""
    text = data.pop(RULEBOOK_TEXT, None)
    if text is None:
        return Library(*folders)
    own.mkdir(parents=True, exist_ok=True)
    (own / f"{data['rulebook']}.toml").write_text(text, encoding="utf-8", newline="")
    return Library(own, *folders)
