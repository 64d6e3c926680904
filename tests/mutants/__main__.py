"""``python -m tests.mutants``: change things on purpose and list what no test noticed."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from controller.library import Library
from tests.mutants import code, figures

WORKERS = 2


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["figures", "code", "all"], default="all")
    parser.add_argument("--only", help="rulebooks, or modules whose path has this", default="")
    parser.add_argument("--sample", type=int, help="this many mutants of the code, by seed")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    survived = 0
    if given.what in ("figures", "all"):
        survived += _figures(given.only if given.what == "figures" else "")
    if given.what in ("code", "all"):
        survived += _code(given)
    return int(survived > 0)


def _figures(only: str) -> int:
    total = survived = 0
    books = [book for book in Library() if only in book]
    for figure, alive in figures.survivors(books):
        total += 1
        if alive:
            survived += 1
            print(f"survives: {figure}", flush=True)
    print(f"figures: {total} changed, {survived} survived")
    return survived


def _code(given: argparse.Namespace) -> int:
    modules = [m for m in sorted(code.RULES.rglob("*.py")) if given.only in str(m)]
    every = [mutant for module in modules for mutant in code.mutants(module)]
    if given.sample is not None and given.sample < len(every):
        every = random.Random(given.seed).sample(every, given.sample)
    places: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(WORKERS) as pool:
        for n in range(WORKERS):
            places.put(code.workplace(Path(folder) / str(n)))

        def judge(mutant: code.Mutant) -> bool:
            place = places.get()
            try:
                return code.survives(mutant, place)
            finally:
                places.put(place)

        survived = 0
        for mutant, alive in zip(every, pool.map(judge, every), strict=True):
            if alive:
                survived += 1
                print(f"survives: {mutant}", flush=True)
    print(f"code: {len(every)} changed, {survived} survived")
    return survived


if __name__ == "__main__":
    sys.exit(main())
