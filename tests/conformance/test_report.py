"""The pages that say what is proven."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.lists import read_lists
from tests.conformance.plugin import outcome
from tests.conformance.report import escaped, link, main
from tests.mutants.proving import digest, written
from tests.mutants.register import read_register

LIST = """\
id,class,actor,behaviour,evidence
X.1[Lucky Bonus](i),enforce,dealer,Pays $1 | $5 *once*,seen
X.1(b),prompt,dealer,Two,seen
X.10(a),physical,dealer,Three,seen
"""
TITLES = '[x]\ntitle = "Book X"\n[x.sections]\n"X.1" = "Wagers"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "x.csv").write_text(LIST)
    (folder / "titles.toml").write_text(TITLES)
    return folder


@pytest.fixture
def found(folder: Path, tmp_path: Path) -> Path:
    """A run in which two cases of one test, and another test, prove the first clause."""
    tests = {
        "tests/a/test_a.py::test_n[1|2]",
        "tests/a/test_a.py::test_n[3]",
        "tests/test_b.py::T::t",
    }
    carriers = {test: ["X.1[Lucky Bonus](i)"] for test in tests}
    path = tmp_path / "found.json"
    path.write_text(json.dumps(outcome(read_lists(folder), carriers, tests, set())))
    _noticed(folder, tests)
    return path


def _noticed(folder: Path, tests: set[str]) -> None:
    """A register with a mutant for the first clause, and that its tests have killed it."""
    register = folder / "register"
    register.mkdir()
    (register / "x.toml").write_text(
        '[[mutant]]\nclauses = ["X.1[Lucky Bonus](i)"]\nfile = "nowhere.py"\nold = "1"\nnew = "2"\n'
    )
    (mutant,) = read_register(register)
    proof = {"X.1[Lucky Bonus](i)": [digest(mutant, tests)]}
    (folder / "proof.json").write_text(written(proof))


def report(found: Path, folder: Path, *options: str) -> int:
    return main(
        [str(found), "--folder", str(folder), "--register", str(folder / "register"), *options]
    )


def test_the_totals_are_printed(
    found: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(found, folder) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["proven", "claimed", "open", "physical", "clauses"],
        ["x", "1", "0", "1", "1", "3"],
        ["in", "all", "1", "0", "1", "1", "3"],
    ]


def test_the_page_of_a_list(found: Path, folder: Path) -> None:
    report(found, folder)
    page = (folder / "x.md").read_text()
    assert "# Book X\n" in page
    assert "3 clauses: 1 proven, 0 claimed, 1 open, 1 physical." in page
    assert "make conformance" in page
    assert page.index("## X.1: Wagers") < page.index("X.1(b)") < page.index("## X.10\n")
    assert (
        r"| `X.1[Lucky Bonus](i)` | enforce | Pays \$1 \| \$5 \*once\* | **proven** | "
        "[`test_a.py::test_n`](../../tests/a/test_a.py)<br>"
        "[`test_b.py::T::t`](../../tests/test_b.py) |\n"
    ) in page
    assert "| `X.1(b)` | prompt | Two | open |  |\n" in page
    assert "| `X.10(a)` | physical | Three | physical |  |\n" in page


def test_the_index(found: Path, folder: Path) -> None:
    report(found, folder)
    index = (folder / "README.md").read_text()
    assert "| [Book X](x.md) | 1 | 0 | 1 | 1 | 3 |\n| in all | 1 | 0 | 1 | 1 | 3 |\n" in index


@pytest.mark.parametrize("lacks", ["a mutant", "a verdict", "the verdict on what it is now"])
def test_a_clause_whose_tests_were_never_seen_to_fail_is_claimed(
    found: Path, folder: Path, lacks: str
) -> None:
    register, proof = folder / "register" / "x.toml", folder / "proof.json"
    if lacks == "a mutant":
        register.unlink()
    elif lacks == "a verdict":
        proof.unlink()
    else:
        register.write_text(register.read_text().replace('"2"', '"3"'))
    assert report(found, folder) == 0
    page = (folder / "x.md").read_text()
    assert "3 clauses: 0 proven, 1 claimed, 1 open, 1 physical." in page
    assert "*once\\* | claimed | [`test_a.py::test_n`]" in page


def test_the_check_tells_pages_that_differ(
    found: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(found, folder, "--check") == 1
    assert not (folder / "x.md").exists()
    report(found, folder)
    assert report(found, folder, "--check") == 0
    capsys.readouterr()
    edited = (folder / "x.md").read_text().replace("open |", "**proven** |")
    (folder / "x.md").write_text(edited)
    assert report(found, folder, "--check") == 1
    assert capsys.readouterr().err.startswith(f"{folder / 'x.md'}: not what")
    assert (folder / "x.md").read_text() == edited


def test_the_pages_are_the_same_every_time(found: Path, folder: Path) -> None:
    report(found, folder)
    first = {path.name: path.read_bytes() for path in folder.glob("*.md")}
    for path in folder.glob("*.md"):
        path.unlink()
    report(found, folder)
    assert {path.name: path.read_bytes() for path in folder.glob("*.md")} == first


def test_a_run_against_other_lists_is_refused(
    found: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "x.csv").write_text(LIST.replace("X.1(b)", "X.1(c)"))
    assert report(found, folder) == 2
    assert "other lists of clauses" in capsys.readouterr().err
    assert report(found.with_name("missing.json"), folder) == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b [c](d) <e> *f*", r"a\|b \[c\](d) \<e\> \*f\*"),
        ("$1 and $5", r"\$1 and \$5"),
        ("two_deck=true, _so_", r"two_deck=true, \_so\_"),
        ("`x` \\ y\n z", r"\`x\` \\ y z"),
    ],
)
def test_nothing_in_a_text_is_read_as_markdown(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_a_link_leads_to_the_file_of_the_test() -> None:
    assert (
        link("tests/a b/test_c.py::test_d") == "[`test_c.py::test_d`](../../tests/a%20b/test_c.py)"
    )
