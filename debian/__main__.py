"""``python -m debian build`` makes the package, ``hashes`` the list of what it is made of."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from debian import hashes
from debian.build import ROOT, build


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m debian", description=__doc__)
    words.add_argument("what", choices=("build", "hashes"))
    words.add_argument("folder", nargs="?", type=Path, default=ROOT / "build")
    given = words.parse_args()
    if given.what == "hashes":
        made = hashes.write()
    else:
        with tempfile.TemporaryDirectory() as work:
            made = build(Path(work), given.folder)
    sys.stdout.write(f"{made}\n")


if __name__ == "__main__":
    main()
