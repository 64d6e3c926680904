"""``felt recall``: rounds as they were played, from the journal alone."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from controller.daemon import secrets
from controller.daemon.sealing import opened_by_auditors
from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from controller.library import Library
from controller.recalling import recalled
from controller.rules.cards import names
from controller.rules.faults import Refused, listed


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    if given.laid and given.round is None:
        raise Refused("--laid", "is noted for one round", "say which: --round N")
    auditors = secrets.read_key(given.faces_key, given.faces_key.parent) if given.faces_key else b""
    try:
        with Reader.look(given.journal) as reader:
            known = reader.rounds(given.last)
            if (number := given.round) is not None:
                found = list(recalled(reader, number, number, library, laid=given.laid))
            else:
                # The one that is under way may not be locked yet, and comes on top.
                first = known[0] if known else 1
                found = list(recalled(reader, first, sys.maxsize, library))
            if auditors:
                for one in found:
                    one["read"] = _read(one, auditors)
    except JournalError as error:
        raise Refused("", str(error)) from None
    if given.round is not None and not found:
        raise Refused("--round", f"there is no round {given.round}", f"last: {listed(known)}")
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
    return 0


def _read(found: dict[str, Any], auditors: bytes) -> list[dict[str, Any]]:
    """What the shoe has read of each stack of a round, turned over or not."""
    return [
        {
            "seq": event["seq"],
            "stack": event["number"],
            "cards": names(opened_by_auditors(auditors, event["sealed"])),
        }
        for event in found["events"]
        if event.get("sealed")
    ]
