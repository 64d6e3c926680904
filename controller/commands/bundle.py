"""``felt bundle``: all that support needs of a table, in one file."""

from __future__ import annotations

import argparse
import sys

from controller.library import Library
from controller.technician import bundling


def run(given: argparse.Namespace) -> int:
    listed = bundling.write(given.out, given.table, Library(*given.folder))
    out = sys.stdout
    out.write(f"{given.out}\n")
    for name, facts in listed["contents"].items():
        out.write(f"  {name}: {facts['bytes']} bytes\n")
    for one in listed["missing"]:
        out.write(f"  not in it: {one}\n")
    for one in listed["redacted"]:
        out.write(f"  redacted: {one}\n")
    for one in listed["also in it"]:
        out.write(f"  also in it: {one}\n")
    return 0
