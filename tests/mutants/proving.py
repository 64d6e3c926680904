"""Whether a clause is proven: each of its mutants is run against the tests that carry it.

Verdicts are kept in docs/conformance/proof.json, by clause, as digests of the mutants that its own
tests killed. A digest takes in the entry, the file that it changes and the files of those tests;
when one of these changes, the verdict is void and the mutant is run again.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from tests.conformance.lists import Lists, read_lists
from tests.mutants.carriers import Carriers, functions
from tests.mutants.register import CLASSES, ROOT, Mutant, RegisterError
from tests.mutants.workplace import Workplace, folder

PROOF = ROOT / "docs" / "conformance" / "proof.json"
#: Seconds; a mutant that runs longer hangs.
TIMEOUT = 600
RULEBOOKS = "config/rulebooks/"
#: How many mutants of one rulebook go to a worker at once.
TOGETHER = 40


class Verdict(NamedTuple):
    mutant: Mutant
    clause: str
    #: killed, survived, no test, stale, broken (felt does not run with it) or hangs.
    what: str
    #: The test that noticed, or what is wrong.
    why: str = ""

    def __str__(self) -> str:
        return f"{self.what}: {self.clause}: {self.mutant}" + (f" ({self.why})" if self.why else "")


Proof = Mapping[str, Sequence[str]]


def clauses_to_prove(lists: Lists | None = None) -> dict[str, str]:
    """The clauses that the register answers for, with their lists."""
    lists = lists or read_lists(ROOT / "docs" / "conformance")
    return {
        clause.id: name
        for name, some in lists.items()
        for clause in some
        if clause.kind in CLASSES and name != "requirements"
    }


# --- Running ----------------------------------------------------------------


def verdicts(
    mutants: Sequence[Mutant], tests_of: Carriers, workers: int = 2, root: Path = ROOT
) -> Iterator[list[Verdict]]:
    """What becomes of the mutants, clause by clause."""
    jobs = list(_jobs(mutants, tests_of))
    places: SimpleQueue[Workplace] = SimpleQueue()
    made: list[Workplace] = []
    with folder(root) as copies:
        try:
            for n in range(min(workers, len(jobs))):
                made.append(Workplace(copies / str(n), root))
                places.put(made[-1])

            def judge(job: list[Mutant]) -> list[Verdict]:
                place = places.get()
                try:
                    return _judged(job, tests_of, place, root)
                finally:
                    places.put(place)

            with ThreadPoolExecutor(max(1, workers)) as pool:
                for done in as_completed([pool.submit(judge, job) for job in jobs]):
                    yield done.result()
        finally:
            for place in made:
                place.end()


def _jobs(mutants: Sequence[Mutant], tests_of: Carriers) -> Iterator[list[Mutant]]:
    """One each; and together those that change one rulebook and are given to the same tests."""
    together: dict[tuple[str, ...], list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        if mutant.file.startswith(RULEBOOKS):
            together[mutant.file, *sorted(functions(_tests(mutant, tests_of)))].append(mutant)
        else:
            yield [mutant]
    for some in together.values():
        yield from (some[n : n + TOGETHER] for n in range(0, len(some), TOGETHER))


def _tests(mutant: Mutant, tests_of: Carriers) -> tuple[str, ...]:
    every = (test for clause in mutant.clauses for test in tests_of.get(clause, ()))
    return tuple(dict.fromkeys(every))


def _judged(
    mutants: Sequence[Mutant], tests_of: Carriers, place: Workplace, root: Path
) -> list[Verdict]:
    said: list[Verdict] = []
    fit: list[tuple[Mutant, dict[str, Any]]] = []
    for mutant in mutants:
        try:
            text = mutant.applied((root / mutant.file).read_text(encoding="utf-8"))
        except (OSError, RegisterError) as error:
            said += [Verdict(mutant, clause, "stale", str(error)) for clause in mutant.clauses]
            continue
        tests = {clause: tests_of[clause] for clause in mutant.clauses if tests_of.get(clause)}
        said += [Verdict(mutant, c, "no test") for c in mutant.clauses if c not in tests]
        if tests:
            fit.append((mutant, {"text": text, "tests": tests}))
    if not fit:
        return said
    job = {
        "file": mutants[0].file,
        "functions": functions(tuple(t for mutant, _ in fit for t in _tests(mutant, tests_of))),
        "mutants": [one for _, one in fit],
        "together": mutants[0].file.startswith(RULEBOOKS),
        "timeout": TIMEOUT,
    }
    found = place.judged(job)
    if "unfit" in found:
        found = place.judged({**job, "together": False})
    answers = found.get("said") or [found] * len(fit)
    for (mutant, _), answer in zip(fit, answers, strict=True):
        said += _said(mutant, answer, tests_of)
    return said


def _said(mutant: Mutant, answer: dict[str, Any], tests_of: Carriers) -> Iterator[Verdict]:
    for clause in mutant.clauses:
        if not tests_of.get(clause):
            continue
        if "killed" not in answer:
            what = "hangs" if "hangs" in answer else "broken"
            yield Verdict(mutant, clause, what, str(answer.get("broken", "")))
        elif clause in answer["killed"]:
            yield Verdict(mutant, clause, "killed", answer["killed"][clause])
        else:
            yield Verdict(mutant, clause, "survived")


# --- What is proven ---------------------------------------------------------


def read_proof(path: Path = PROOF) -> Proof:
    if not path.exists():
        return {}
    found: Proof = json.loads(path.read_text(encoding="utf-8"))
    return found


def written(proof: Proof) -> str:
    lines = [f"{json.dumps(one)}: {json.dumps(sorted(proof[one]))}" for one in sorted(proof)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def digest(mutant: Mutant, tests: Iterable[str], root: Path = ROOT) -> str:
    files = sorted({test.partition("::")[0] for test in tests})
    return mutant.digest(text_of(root / mutant.file), *(text_of(root / file) for file in files))


def proven(mutants: Iterable[Mutant], tests_of: Carriers, proof: Proof) -> set[str]:
    """The clauses of which every mutant was killed, as the files stand now."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for mutant in mutants:
        for clause in mutant.clauses:
            wanted[clause].add(digest(mutant, tests_of.get(clause, ())))
    return {clause for clause, every in wanted.items() if every <= set(proof.get(clause, ()))}


def still_to_run(
    mutants: Iterable[Mutant], tests_of: Carriers, proof: Proof, again: bool = False
) -> list[Mutant]:
    """The mutants with a clause for which no verdict stands, each with these clauses only."""
    found = []
    for mutant in mutants:
        left = tuple(
            clause
            for clause in mutant.clauses
            if again or digest(mutant, tests_of.get(clause, ())) not in proof.get(clause, ())
        )
        if left:
            found.append(mutant._replace(clauses=left))
    return found


def with_verdicts(
    proof: Proof, mutants: Iterable[Mutant], tests_of: Carriers, said: Iterable[Verdict]
) -> dict[str, list[str]]:
    """What is proven after these verdicts; what no entry asks for any more is left out."""
    asked: dict[str, set[str]] = defaultdict(set)
    for mutant in mutants:
        for clause in mutant.clauses:
            asked[clause].add(digest(mutant, tests_of.get(clause, ())))
    kept = {clause: set(proof.get(clause, ())) & every for clause, every in asked.items()}
    for one in said:
        mark = digest(one.mutant, tests_of.get(one.clause, ()))
        if one.what == "killed":
            kept[one.clause].add(mark)
        else:
            kept[one.clause].discard(mark)
    return {clause: sorted(marks) for clause, marks in kept.items() if marks}


def summed_up(said: Iterable[Verdict]) -> str:
    counts = Counter(one.what for one in said)
    return ", ".join(f"{n} {what}" for what, n in counts.most_common()) or "nothing to run"


def unregistered(mutants: Iterable[Mutant]) -> list[str]:
    """The clauses that no entry breaks."""
    there = {clause for mutant in mutants for clause in mutant.clauses}
    return [clause for clause in clauses_to_prove() if clause not in there]
