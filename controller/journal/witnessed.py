"""What heads that were kept elsewhere say of a journal: whether it goes on from each of them.

The chain alone shows what was altered. Cut off at its end, put back from a copy or made anew as a
whole, it is sound; then one of these has another link than the journal, or one that it has not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from controller.journal.headfile import SLOT, SLOTS
from controller.journal.notes import BadNote, Held, Key, held_in, note_of, origin_of
from controller.journal.verifier import Report

#: A longer one is no file of heads: at one a minute, a witness has half a year in this.
MAX_BYTES = 64 << 20
#: So many entries may follow the last signed note: see ``controller.recorder``.
UNSIGNED_TAIL = 4 * 64


class Said(NamedTuple):
    """One line for a person, and whether it speaks against the journal."""

    text: str
    bad: bool = False


def heads_of(file: Path) -> list[Held]:
    """The heads in a file: notes, what felt verify printed, or felt's own head file."""
    if file.stat().st_size > MAX_BYTES:
        raise BadNote(f"{file} is larger than {MAX_BYTES >> 20} MiB, which is no file of heads")
    text = file.read_text(encoding="utf-8", errors="replace")
    found = list(held_in(text))
    if file.stat().st_size <= SLOT * SLOTS and "felt head 1 " in text:
        found += _slots(text)
    if not found:
        raise BadNote(f"{file} has no head in it")
    return found


def _slots(text: str) -> Iterator[Held]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if len(words) == 10 and words[5].isdecimal() and len(words[6]) == 64:
            yield Held(number, int(words[5]), bytes.fromhex(words[6]))


def compared(report: Report, held: Sequence[Held], key: Key | None) -> Iterator[Said]:
    """Each head that does not go with the journal; and one line for those that do."""
    origin = origin_of(report.table, report.created)
    fits, signed = 0, 0
    for one in held:
        where = f"the head in line {one.line}, of entry {one.size}"
        if one.note is not None and one.note.origin != origin:
            yield Said(f"{where}, is of {one.note.origin}; this journal is {origin}", bad=True)
            continue
        if key is not None and one.note is not None and not one.note.is_signed_by(key):
            yield Said(f"{where}, is not signed by {key.name}", bad=True)
            continue
        link = report.links.get(one.size)
        if link is None:
            yield Said(f"{where}: the journal ends with entry {report.head_seq}", bad=True)
        elif link != one.hash:
            yield Said(f"{where}: that entry is another one in this journal", bad=True)
        else:
            fits += 1
            signed += one.note is not None and key is not None
    if fits:
        by = f", {signed} of them signed by {key.name}" if key is not None else ""
        unsigned = "" if key is not None else "; no signature was checked: --key KEY"
        yield Said(f"it goes on from {fits} of {len(held)} heads{by}{unsigned}")


def noted(report: Report, key: Key) -> Iterator[Said]:
    """Whether the table's own notes are in the journal, up to where it ends."""
    if report.last_note is None:
        yield Said(f"no head in it is signed by {key.name}", bad=True)
        return
    seq, body = report.last_note
    try:
        good = note_of(body.decode("utf-8", "replace")).is_signed_by(key)
    except BadNote:
        good = False
    if not good:
        yield Said(f"the head in entry {seq} is not signed by {key.name}", bad=True)
    elif report.head_seq - seq > UNSIGNED_TAIL:
        yield Said(f"what follows entry {seq} is not signed, to entry {report.head_seq}", bad=True)
    else:
        yield Said(f"signed by {key.name} up to entry {seq - 1}")
