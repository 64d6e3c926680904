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
from tests.mutants import code, figures, proving
from tests.mutants.carriers import Carriers, carriers
from tests.mutants.register import Mutant, RegisterError, read_register

WORKERS = 2


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument(
        "what", nargs="?", choices=["figures", "code", "all", "clauses"], default="all"
    )
    parser.add_argument("--only", help="rulebooks, or modules whose path has this", default="")
    parser.add_argument("--sample", type=int, help="this many mutants, by seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--book", help="clauses: of this list only", default="")
    parser.add_argument("--clause", help="clauses: this one only", default="")
    parser.add_argument(
        "--again", action="store_true", help="clauses: also those with a verdict that stands"
    )
    parser.add_argument("-n", dest="workers", type=int, default=WORKERS)
    given = parser.parse_args()
    if given.what == "clauses":
        return _clauses(given)
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


def _clauses(given: argparse.Namespace) -> int:
    """The register, or what is left of it to run; the verdicts are kept."""
    books = proving.clauses_to_prove()
    if given.book and given.book not in books.values():
        print(f"{given.book} is no list of clauses; there are {', '.join(set(books.values()))}")
        return 2
    if given.clause and given.clause not in books:
        print(f"{given.clause} is no clause that is enforced, prompted or configured")
        return 2
    try:
        register = read_register()
    except RegisterError as error:
        print(error)
        return 2
    tests_of, proof = carriers(), proving.read_proof()
    chosen = [
        mutant._replace(clauses=left)
        for mutant in register
        if (
            left := tuple(
                clause
                for clause in mutant.clauses
                if given.book in ("", books.get(clause)) and given.clause in ("", clause)
            )
        )
    ]
    some = proving.still_to_run(chosen, tests_of, proof, again=given.again)
    if given.sample is not None and given.sample < len(some):
        some = random.Random(given.seed).sample(some, given.sample)
    said: list[proving.Verdict] = []
    for verdicts in proving.verdicts(some, tests_of, given.workers):
        said += verdicts
        for one in verdicts:
            if one.what != "killed" or given.clause:
                print(one, flush=True)
        if len(said) % 50 < len(verdicts):
            _kept(proof, register, tests_of, said)
    _kept(proof, register, tests_of, said)
    lacking = [c for c in proving.unregistered(register) if given.book in ("", books[c])]
    if not given.clause:
        for clause in lacking:
            print(f"nothing registered: {clause}")
    print(f"clauses: {len(some)} mutants run: {proving.summed_up(said)}")
    stand = proving.proven(register, tests_of, proving.read_proof())
    print(f"{len(stand)} of {len(books)} clauses proven, {len(lacking)} without a mutant")
    return int(any(one.what != "killed" for one in said))


def _kept(
    proof: proving.Proof,
    register: list[Mutant],
    tests_of: Carriers,
    said: list[proving.Verdict],
) -> None:
    now = proving.with_verdicts(proof, register, tests_of, said)
    proving.PROOF.write_text(proving.written(now), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
