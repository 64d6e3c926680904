"""How long all odds take, and how much memory: beside the limits that felt sets itself.

Each part runs in a process of its own with an empty cache, so that its memory is its own.

    python -m benchmarks.odds
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from time import perf_counter

MEMORY = 1 << 30
PARTS = {"all side wagers": (["--side"], 60), "everything": ([], 15 * 60)}


def main() -> int:
    for name, (words, limit) in PARTS.items():
        with tempfile.TemporaryDirectory() as cache:
            start = perf_counter()
            subprocess.run(
                [sys.executable, "-m", "controller", "odds", "all", "--json", *words],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "XDG_CACHE_HOME": cache},
            )
            took = perf_counter() - start
        # The largest child so far; the parts grow, so it is this one's.
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        print(f"{name}, six rulebooks: {took:.1f} s, {peak >> 20} MiB at most")
        print(f"  of the limit of {limit} s: {took / limit:.2f}; of 1 GiB: {peak / MEMORY:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
