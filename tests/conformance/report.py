"""Turns what a run has proven into pages under docs/conformance.

python -m tests.conformance.report build/conformance.json [--check]

The pages depend on nothing but the lists of clauses and the run, so the same run gives the
same pages. With ``--check`` nothing is written, and a page that would change is an error.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.conformance.lists import CLASSES, Clause, ListError, Lists, read_lists
from tests.mutants import proving
from tests.mutants.register import FOLDER as REGISTER
from tests.mutants.register import read_register

ROOT = Path(__file__).resolve().parents[2]
STATUSES = ("proven", "claimed", "open", "physical")

NOTICE = "<!-- Written by `make conformance` from the lists and a test run; edits are lost. -->"
STATUS = """\
A clause is **proven** when, in one run of the tests, at least one test that names it passed and
none that names it failed, and when such a test fails as soon as felt no longer does what the clause
asks: `make proof` breaks that on purpose, in every way that `tests/mutants/clauses` lists for it. A
clause whose tests pass and would pass without the behaviour, or of which that is not known, is
only **claimed**. (What is recorded, and the requirements, go by their tests alone.) A skipped test
proves nothing, and a test that is expected to fail speaks against its clauses. A clause that no
device can see is **physical** and no test may name it. Every other clause is **open**; the tests
beside an open clause are those that passed."""
AGAIN = "`make conformance` runs the tests and writes these pages again; `make proof` comes first."
INDEX = """\
# Conformance

Six regulations and the requirements on every table, clause by clause, and the tests that prove
each clause. The clauses are in the `.csv` files of this folder: what felt does about each, who
acts, and what one would see. A test names the clauses it proves:

```python
@pytest.mark.rule("PA-639a.5(b)")
def test_...
```

A test that names a clause which is in no list stops the run."""


def pages(lists: Lists, titles: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, str]:
    """Every page by its file name."""
    written = {"README.md": _index(lists, titles, found)}
    for name, clauses in lists.items():
        written[f"{name}.md"] = _page(name, clauses, titles.get(name, {}), found)
    return written


def _index(lists: Lists, titles: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    rows = []
    for name, numbers in totals(lists, found):
        title = escaped(titles.get(name, {}).get("title", name))
        rows.append((f"[{title}]({quote(name)}.md)" if name in lists else "in all", *numbers))
    parts = [
        NOTICE,
        INDEX,
        table(("list", *STATUSES, "clauses"), rows, align=(":--", *["--:"] * 5)),
        STATUS,
        AGAIN,
        table(("class", "what felt does about the clause"), CLASSES.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _page(
    name: str, clauses: Sequence[Clause], titles: Mapping[str, Any], found: Mapping[str, Any]
) -> str:
    sections: Mapping[str, str] = titles.get("sections", {})
    statuses = [found["clauses"][clause.id]["status"] for clause in clauses]
    counted = ", ".join(f"{statuses.count(status)} {status}" for status in STATUSES)
    parts = [
        NOTICE,
        f"# {escaped(titles.get('title', name))}",
        f"{len(clauses)} clauses: {counted}. [All lists](README.md).",
        STATUS,
        AGAIN,
    ]
    for (section, title), members in groupby(
        sectioned(clauses, sections), key=lambda pair: pair[0]
    ):
        heading = ": ".join(escaped(part) for part in (section, title) if part)
        parts.append(f"## {heading or 'Clauses'}")
        rows = [_row(clause, found["clauses"][clause.id]) for _, clause in members]
        parts.append(table(("clause", "class", "behaviour", "status", "tests"), rows))
    return "\n\n".join(parts) + "\n"


def _row(clause: Clause, entry: Mapping[str, Any]) -> tuple[str, ...]:
    # The cases of one parametrized test are one line: the test.
    tests = dict.fromkeys(re.sub(r"(?s)\[.*", "", test) for test in entry["tests"])
    status = entry["status"]
    return (
        code(clause.id),
        clause.kind,
        escaped(clause.behaviour),
        "**proven**" if status == "proven" else status,
        "<br>".join(link(test) for test in tests),
    )


def sectioned(
    clauses: Iterable[Clause], titles: Mapping[str, str]
) -> Iterator[tuple[tuple[str, str], Clause]]:
    """Each clause with its section and the section's title.

    The section of ``PA-639a.6(b)(1)`` is ``PA-639a.6``, that of ``S10.(a)(1)`` is ``S10.(a)``.
    An id without sections, such as ``R14``, is in the section that last began.
    """
    here = ("", "")
    for clause in clauses:
        if match := re.match(r"[^.(\[]+\.(\d+|\(\w+\))", clause.id):
            here = (match[0], titles.get(match[0], ""))
        elif clause.id in titles:
            here = ("", titles[clause.id])
        yield here, clause


def totals(lists: Lists, found: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The numbers of each list, then of all of them."""
    everything = [0] * len(STATUSES)
    for name, clauses in lists.items():
        statuses = [found["clauses"][clause.id]["status"] for clause in clauses]
        counts = [statuses.count(status) for status in STATUSES]
        everything = [a + b for a, b in zip(everything, counts, strict=True)]
        yield name, _numbers(counts)
    yield "in all", _numbers(everything)


def _numbers(counts: Sequence[int]) -> tuple[str, ...]:
    return *map(str, counts), str(sum(counts))


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], align: Sequence[str] | None = None
) -> str:
    lines = [head, align or ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def escaped(text: str) -> str:
    """Text that Markdown shows as it stands, in a table too."""
    special = r"[\\`*\[\]<>|$~&]|(?<![^\W_])_|_(?![^\W_])"  # an underscore in a word is none
    return re.sub(f"({special})", r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """An id as a code span, in which no bracket is read as a link."""
    return f"`{text.replace('|', chr(92) + '|')}`"


def link(test: str) -> str:
    path, _, name = test.partition("::")
    return f"[{code(f'{Path(path).name}::{name}')}](../../{quote(path)})"


def read_found(path: Path, lists: Lists) -> dict[str, Any]:
    """What a run has proven, if it was a run against these lists."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    known = {clause.id: clause.kind for clauses in lists.values() for clause in clauses}
    if {clause: entry["class"] for clause, entry in found["clauses"].items()} != known:
        raise ListError(f"{path}: from a run against other lists of clauses; run the tests again")
    return found


def weighed(found: dict[str, Any], lists: Lists, register: Path, proof: Path) -> dict[str, Any]:
    """The same, with what is only claimed told from what is proven."""
    tests = {clause: tuple(entry["tests"]) for clause, entry in found["clauses"].items()}
    stand = proving.proven(read_register(register), tests, proving.read_proof(proof))
    for clause in proving.clauses_to_prove(lists):
        if found["clauses"][clause]["status"] == "proven" and clause not in stand:
            found["clauses"][clause]["status"] = "claimed"
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.report")
    parser.add_argument("found", type=Path, help="what pytest --conformance=PATH wrote")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a page differs")
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "docs" / "conformance",
        help="where the lists are and the pages go (default: docs/conformance)",
    )
    parser.add_argument(
        "--register",
        type=Path,
        default=REGISTER,
        help="what is broken for which clause (default: tests/mutants/clauses)",
    )
    options = parser.parse_args(arguments)
    folder: Path = options.folder
    try:
        lists = read_lists(folder)
        found = read_found(options.found, lists)
        found = weighed(found, lists, options.register, folder / "proof.json")
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    named = folder / "titles.toml"
    titles = tomllib.loads(named.read_text(encoding="utf-8")) if named.exists() else {}

    print(f"{'':14}" + "".join(f"{head:>10}" for head in (*STATUSES, "clauses")))
    for name, numbers in totals(lists, found):
        print(f"{name:14}" + "".join(f"{number:>10}" for number in numbers))

    stale = False
    for name, text in pages(lists, titles, found).items():
        page = folder / name
        if page.exists() and page.read_bytes() == text.encode():
            continue
        if options.check:
            print(f"{page}: not what `make conformance` writes", file=sys.stderr)
            stale = True
        else:
            page.write_bytes(text.encode())
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
