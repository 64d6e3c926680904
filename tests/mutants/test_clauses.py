"""The register of mutants: whole, still fitting the code, and some of it run for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants import proving
from tests.mutants.carriers import carriers, collected
from tests.mutants.lacking import LACKING
from tests.mutants.register import (
    ROOT,
    Mutant,
    RegisterError,
    cells,
    expanded,
    otherwise,
    read_register,
)

#: A clause of each kind of behaviour, whose tests are quick. The first mutant of each is run.
SAMPLE = (
    "PA-639a.6(b)(4)",
    "PA-639a.7(e)",
    "PA-639a.11(c)(3)(i)",
    "PA-639a.12(d)(3)",
    "PA-669a.11(i)(3)(ii)",
    "PA-682a.11(d)(2)(i)",
    "PA-683a.11(i)(3)(i)",
    "S10.(d)(3)(i)(A)",
    "S10.(j)(5)(ii)",
    "S10.(l)(6)",
    "MA.2(b)(4)",
    "MA.12(h)",
)


def test_every_mutant_has_exactly_one_place() -> None:
    for mutant in read_register():
        mutant.applied((ROOT / mutant.file).read_text(encoding="utf-8"))


def test_the_register_breaks_only_clauses_that_it_answers_for() -> None:
    known = proving.clauses_to_prove()
    named = {clause for mutant in read_register() for clause in mutant.clauses}
    assert sorted(named - set(known)) == []
    assert len(known) == 846


def test_every_clause_has_a_mutant() -> None:
    assert sorted(proving.unregistered(read_register())) == sorted(LACKING)


def test_some_of_them_are_killed() -> None:
    tests_of = collected(among=SAMPLE)
    every = read_register()
    first = {c: next(m for m in every if c in m.clauses)._replace(clauses=(c,)) for c in SAMPLE}
    said = [one for some in proving.verdicts(list(first.values()), tests_of) for one in some]
    assert [str(one) for one in said if one.what != "killed"] == []
    assert sorted(one.clause for one in said) == sorted(SAMPLE)


@pytest.mark.slow
def test_all_of_them_are_killed() -> None:
    tests_of = carriers()
    said = [one for some in proving.verdicts(read_register(), tests_of) for one in some]
    assert [str(one) for one in said if one.what != "killed"] == []


# --- What the runner itself says --------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree of one module and its test, with what the runner needs."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\npythonpath = ["."]\n'
    )
    (tmp_path / "controller").mkdir()
    (tmp_path / "controller" / "__init__.py").touch()
    (tmp_path / "controller" / "felt.py").write_text("def one() -> int:\n    return 1\n")
    (tmp_path / "controller" / "library.py").write_text(
        "class Library:\n    def __iter__(self):\n        return iter(())\n"
    )
    (tmp_path / "tests" / "mutants").mkdir(parents=True)
    worker = ROOT / "tests" / "mutants" / "worker.py"
    (tmp_path / "tests" / "mutants" / "worker.py").write_text(worker.read_text())
    (tmp_path / "tests" / "test_felt.py").write_text(
        "from controller.felt import one\n\n\n"
        "def test_it() -> None:\n    assert one() == 1\n\n\n"
        "def test_nothing() -> None:\n    assert one()\n"
    )
    return tmp_path


def judged(tree: Path, mutant: Mutant, **tests: str) -> dict[str, str]:
    tests_of = {clause: (f"tests/test_felt.py::{name}",) for clause, name in tests.items()}
    (said,) = proving.verdicts([mutant], tests_of, workers=1, root=tree)
    return {one.clause: one.what for one in said}


def mutant(*clauses: str, old: str = "return 1", new: str = "return 2") -> Mutant:
    return Mutant(clauses, "controller/felt.py", old, new)


def test_each_clause_is_judged_by_its_own_tests(tree: Path) -> None:
    found = judged(tree, mutant("X", "Y", "Z"), X="test_it", Y="test_nothing")
    assert found == {"X": "killed", "Y": "survived", "Z": "no test"}


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        (mutant("X", old="return 3"), "stale"),
        (mutant("X", old="n", new="m"), "stale"),
        (mutant("X", old="def one() -> int:", new="def one( -> int:"), "broken"),
        (mutant("X", old="def one", new="def two"), "broken"),
    ],
)
def test_what_does_not_fit_or_does_not_run_kills_nothing(
    tree: Path, changed: Mutant, what: str
) -> None:
    assert judged(tree, changed, X="test_it") == {"X": what}


def test_a_verdict_is_void_when_the_file_the_test_or_the_entry_changes(tree: Path) -> None:
    tests_of = {"X": ("tests/test_felt.py::test_it",)}

    def mark(one: Mutant) -> str:
        proving.text_of.cache_clear()
        return proving.digest(one, tests_of["X"], tree)

    marks = [mark(mutant("X")), mark(mutant("X", new="return 3"))]
    for name in ("controller/felt.py", "tests/test_felt.py"):
        with (tree / name).open("a") as file:
            file.write("\n# changed\n")
        marks.append(mark(mutant("X")))
    assert len(set(marks)) == 4
    proving.text_of.cache_clear()


# --- The register's own language --------------------------------------------


def test_braces_are_several_clauses() -> None:
    assert list(expanded("PA-{639a,669a}.3(b)({1,2})")) == [
        "PA-639a.3(b)(1)",
        "PA-639a.3(b)(2)",
        "PA-669a.3(b)(1)",
        "PA-669a.3(b)(2)",
    ]


@pytest.mark.parametrize(
    ("cell", "other"),
    [
        ("50 to 1", "51 to 1"),
        ("3 to 2", "4 to 2"),
        ("1,000 for 1", "1,001 for 1"),
        ("100% of mega", "99% of mega"),
        ("10% of meter", "11% of meter"),
        ("$500", "$501"),
        ("push", "1 to 1"),
        ("n/a", "1 to 1"),
    ],
)
def test_a_cell_is_changed_to_another_of_its_kind(cell: str, other: str) -> None:
    assert otherwise(cell) == other


def test_every_cell_of_a_table_is_changed_once() -> None:
    found = list(cells("pa-639a", "bonus"))
    assert len(found) == 27
    assert {one.clauses for one in found} == {(f"PA-639a.12(c)[{c}]",) for c in "ABC"}
    assert len({one.new for one in found}) == 27


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[mutants]]\n", "no kind of entry"),
        ('[[mutant]]\nfile = "a"\n', "lacks clauses, new, old"),
        ('[[mutant]]\nclauses = []\nfile = "a"\nold = "a"\nnew = "b"\nwhy = ""\n', "not known"),
    ],
)
def test_a_malformed_entry_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(RegisterError, match=said):
        read_register(tmp_path)
