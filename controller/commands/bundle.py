"""``felt bundle``: all that support needs of a table, in one file."""

from __future__ import annotations

import argparse
import sys

from controller.daemon.configuration import read
from controller.library import Library
from controller.technician import bundling


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    listed = bundling.write(given.out, read(given.table, library), library)
    out = sys.stdout
    out.write(f"{given.out}\n")
    for name, facts in listed["contents"].items():
        out.write(f"  {name}: {facts['bytes']} bytes\n")
    for one in listed["missing"]:
        out.write(f"  not in it: {one}\n")
    for one in listed["redacted"]:
        out.write(f"  redacted: {one}\n")
    return 0
