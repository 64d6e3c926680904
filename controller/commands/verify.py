"""``felt verify``: is a journal as it was written, and does it go on from heads kept elsewhere?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from controller.journal.notes import BadNote, Held, Key, key_of
from controller.journal.verifier import Unreadable, lines, verify
from controller.journal.witnessed import Said, compared, heads_of, noted
from controller.rules.faults import Refused


def run(given: argparse.Namespace) -> int:
    key = None if given.key is None else _key(given.key)
    held = [] if given.head is None else _heads(given.head)
    try:
        report = verify(given.journal, wanted=frozenset(one.size for one in held))
    except Unreadable as error:
        raise Refused("", str(error)) from None
    said: list[Said] = []
    if held:
        said += compared(report, held, key)
    if key is not None and report.table:
        said += noted(report, key)
    against = [one.text for one in said if one.bad]
    report.remarks += [one.text for one in said if not one.bad]
    sound = report.sound
    shown = list(lines(report))
    if against and sound:
        shown.pop()  # it is sound in itself
    sys.stdout.write("\n".join([*shown, *(f"AGAINST IT {one}" for one in against)]) + "\n")
    if against and sound:
        sys.stdout.write("sound in itself, and not the journal that those heads are of: stop the")
        sys.stdout.write(" table, keep this file and the heads, and find the one that goes on\n")
    return 0 if sound and not against else 1


def _key(text: str) -> Key:
    """As it is written, or in a file."""
    file = Path(text)
    try:
        return key_of(file.read_text(encoding="utf-8") if file.is_file() else text)
    except (BadNote, OSError, UnicodeDecodeError) as error:
        raise Refused("--key", str(error), "give it as felt keys prints it") from None


def _heads(file: Path) -> list[Held]:
    try:
        return heads_of(file)
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    except BadNote as error:
        step = "notes, or lines like those that felt verify prints: head NUMBER LINK"
        raise Refused("--head", str(error), step) from None
