"""``felt play``: events through journal and machine, without devices, a JSON line each."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from controller.journal.errors import JournalError
from controller.journal.journal import Journal
from controller.library import Library
from controller.recorder import Recorder, Taken
from controller.rules.faults import Refused
from controller.table.prompts import prompts
from controller.tables import read_file, read_table, table_part

STOPPED = 3


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    terms = read_table(given.table, library)  # says what is wrong with the file, if anything is
    data = table_part(read_file(given.table))
    try:
        with Journal.at(given.journal, terms.id) as journal:
            recorder = Recorder(journal, data, library)
            for line in _lines(given.events):
                taken = recorder.take_text(line)
                sys.stdout.write(json.dumps(said(recorder, taken)) + "\n")
                sys.stdout.flush()
    except JournalError as error:
        sys.stderr.write(f"felt play: the table is stopped: {error}\n")
        return STOPPED
    return 0


def _lines(source: Path | None) -> Iterator[bytes]:
    if source is None or str(source) == "-":
        lines: Iterator[bytes] = iter(sys.stdin.buffer)
    else:
        try:
            lines = iter(source.read_bytes().splitlines())
        except OSError as error:
            raise Refused(str(source), f"can't be read: {error.strerror}") from None
    return (line for line in lines if line.strip())


def said(recorder: Recorder, taken: Taken) -> dict[str, Any]:
    """What one event led to, as the line that is printed."""
    table = taken.step.table
    return {
        "seq": taken.seq,
        "phase": table.phase,
        "round": table.round,
        "refused": taken.step.refused or None,
        "commands": msgspec.to_builtins(taken.step.commands),
        "holds": msgspec.to_builtins(table.holds),
        "prompts": [prompt._asdict() for prompt in prompts(recorder.terms, table)],
        "meters": {name: meter.shows() for name, meter in table.meters.items()},
    }
