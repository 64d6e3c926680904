"""``felt recall``: rounds as they were played, from the journal alone."""

from __future__ import annotations

import argparse
import json
import sys

from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from controller.library import Library
from controller.recalling import recalled
from controller.rules.faults import Refused, listed


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    try:
        with Reader.look(given.journal) as reader:
            known = reader.rounds(given.last)
            if given.round is not None:
                found = list(recalled(reader, given.round, given.round, library))
            else:
                # The one that is under way may not be locked yet, and comes on top.
                first = known[0] if known else 1
                found = list(recalled(reader, first, sys.maxsize, library))
    except JournalError as error:
        raise Refused("", str(error)) from None
    if given.round is not None and not found:
        raise Refused("--round", f"there is no round {given.round}", f"last: {listed(known)}")
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
    return 0
