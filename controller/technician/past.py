"""The part of a journal that a replay needs: how the table stood, and what was taken from there on.

It comes from a journal, or from the file in a cut. There it is text that can be read, with the
links of the chain, so that it can still be said whether an entry is the one that was recorded.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

import msgspec

from controller.journal.entry import Entry, Record, link
from controller.journal.reader import Reader
from controller.library import Library
from controller.recorder import decision_of
from controller.replay import Checkpoint, Replay, packed, unpacked
from controller.rules.faults import Refused
from controller.table.commands import Command
from controller.table.state import Table

_commands = msgspec.json.Decoder(tuple[Command, ...])


@dataclass(frozen=True, slots=True)
class Past:
    #: What the table plays by, as the journal has it.
    data: bytes
    #: The entry before the first, and how the table stood after it.
    after: int
    table: Table
    #: What the last decision before had asked for, and may not have reached the devices.
    owed: tuple[Command, ...]
    entries: Iterable[Entry]
    #: The link before the first entry.
    link: bytes


class _Read:
    """Entries of a journal, read when they are wanted: there may be millions."""

    def __init__(self, reader: Reader, first: int, last: int | None) -> None:
        self._reader = reader
        self._stretch = (first, last)

    def __iter__(self) -> Iterator[Entry]:
        first, last = self._stretch
        # The table may be at play: what came since is read too.
        while first <= min(self._reader.head.seq, last or inf):
            for entry in self._reader.entries(first, last):
                yield entry
                first = entry.seq + 1


def of_journal(reader: Reader, library: Library, after: int, last: int | None = None) -> Past:
    """Entries after ``after`` up to ``last``, or to the head; as long as the reader is open."""
    standing = Replay(reader, library).at(after)
    decision = reader.last("decision", after)
    return Past(
        data=reader.entry(standing.terms_at).body,
        after=after,
        table=standing.table,
        owed=decision_of(decision).commands if decision else (),
        entries=_Read(reader, after + 1, last),
        link=reader.entry(after).link,
    )


def to_text(past: Past) -> Iterator[bytes]:
    """A first line with how it began, and a line for each entry."""
    begun = {
        "felt journal part": 1,
        "after": past.after,
        "link": past.link.hex(),
        "terms": json.loads(past.data),
        "standing": base64.b64encode(packed(Checkpoint(0, past.table))).decode(),
        "owed": json.loads(msgspec.json.encode(past.owed)),
    }
    yield json.dumps(begun, sort_keys=True).encode() + b"\n"
    for entry in past.entries:
        said = {
            "seq": entry.seq,
            "at": entry.at,
            "kind": entry.kind,
            "round": entry.round,
            "body": base64.b64encode(entry.body).decode()
            if entry.kind == "checkpoint"
            else entry.body.decode(errors="surrogateescape"),
            "link": entry.link.hex(),
        }
        yield json.dumps(said).encode() + b"\n"


def of_text(text: bytes, name: str) -> Past:
    """From the file in a cut, or ``Refused`` with the line that is not as it was recorded."""
    number = 0
    try:
        first, *rest = text.decode().splitlines()
        begun = json.loads(first)
        if begun["felt journal part"] != 1:
            raise Refused(name, "is of another version", "use the felt that wrote it")
        checkpoint = unpacked(base64.b64decode(begun["standing"]))
        if checkpoint is None:
            raise Refused(name, "the table in it is of another felt", "use the felt that wrote it")
        before = start = bytes.fromhex(begun["link"])
        entries = []
        for number, line in enumerate(rest, 2):
            entry = _entry(json.loads(line))
            if link(before, Record(entry.kind, entry.body, entry.at, entry.round), entry.seq) != (
                entry.link
            ):
                problem = f"entry {entry.seq} is not as it was recorded"
                raise Refused(f"{name}:{number}", problem, "cut it from the journal again")
            before = entry.link
            entries.append(entry)
        owed = _commands.decode(json.dumps(begun["owed"]))
        data = json.dumps(begun["terms"], sort_keys=True).encode()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"is damaged: {type(error).__name__} {error}"
        raise Refused(f"{name}:{number or 1}", problem, "cut it again") from None
    return Past(data, begun["after"], checkpoint.table, owed, tuple(entries), start)


def _entry(said: dict[str, object]) -> Entry:
    kind, body = str(said["kind"]), str(said["body"])
    written = (
        base64.b64decode(body) if kind == "checkpoint" else body.encode(errors="surrogateescape")
    )
    number = said["round"]
    return Entry(
        int(str(said["seq"])),
        int(str(said["at"])),
        kind,
        None if number is None else int(str(number)),
        written,
        bytes.fromhex(str(said["link"])),
    )
