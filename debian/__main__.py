"""Makes the package: python -m debian [FOLDER]"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from debian.build import ROOT, build

if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    with tempfile.TemporaryDirectory() as work:
        made = build(Path(work), out)
    sys.stdout.write(f"{made}\n")
