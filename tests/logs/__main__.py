"""Makes the golden logs that are missing: ``python -m tests.logs [--again REASON] [CASE...]``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from controller.library import Library
from controller.rules.faults import Refused
from tests.logs.recording import cases, make


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.logs")
    parser.add_argument("cases", metavar="CASE", nargs="*")
    parser.add_argument("--again", metavar="REASON", default="", help="why they are made anew")
    given = parser.parse_args()
    failed = 0
    for case in cases():
        if given.cases and case.name not in given.cases:
            continue
        with tempfile.TemporaryDirectory(prefix="felt-golden-") as folder:
            try:
                if make(case, Path(folder), Library(), given.again):
                    print(f"{case.name}: {case.because}", flush=True)
            except Refused as refused:
                failed += 1
                print(f"{case.name}: {refused}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
