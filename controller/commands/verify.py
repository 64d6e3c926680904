"""``felt verify``: whether a journal is as it was written, every byte of it."""

from __future__ import annotations

import argparse
import sys

from controller.journal.verifier import Unreadable, lines, verify
from controller.rules.faults import Refused


def run(given: argparse.Namespace) -> int:
    try:
        report = verify(given.journal)
    except Unreadable as error:
        raise Refused("", str(error)) from None
    sys.stdout.write("\n".join(lines(report)) + "\n")
    return 0 if report.sound else 1
