"""The plugin itself: which marks it refuses, and what it calls proven."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import plugin

ROOT = Path(__file__).resolve().parents[2]

BOOK = """\
id,class,actor,behaviour,evidence
X.1(a),enforce,dealer,"One, two",seen
X.1(b),prompt,dealer,Three,seen
X.2[Table],config,operator,Four,seen
X.3,physical,dealer,Five,seen
"""
MORE = """\
id,class,actor,behaviour,evidence
Y1,record,dealer,Six,seen
"""
INI = """\
[pytest]
conformance_lists = rules
markers = rule(*clauses): the clauses that this test proves
"""

MIXED = """\
import pytest

@pytest.mark.rule("X.1(a)", "Y1")
def test_passes():
    pass

@pytest.mark.rule("X.1(a)")
@pytest.mark.parametrize("n", [2, 1])
def test_cases(n):
    pass

@pytest.mark.rule("X.1(b)")
def test_also_passes():
    pass

@pytest.mark.rule("X.1(b)")
def test_fails():
    assert False

def test_without_a_clause():
    assert False
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with two lists of its own, and no plugins but those it asks for."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini(INI)
    folder = pytester.mkdir("rules")
    (folder / "x.csv").write_text(BOOK)
    (folder / "y.csv").write_text(MORE)
    return pytester


def run(project: pytest.Pytester, source: str, *options: str) -> pytest.RunResult:
    project.makepyfile(test_it=source)
    return project.runpytest_inprocess("--conformance=build/found.json", *options, plugins=[plugin])


def found(project: pytest.Pytester) -> dict[str, Any]:
    outcome: dict[str, Any] = json.loads((project.path / "build/found.json").read_text())
    return outcome


def status(project: pytest.Pytester, clause: str) -> tuple[str, list[str]]:
    entry = found(project)["clauses"][clause]
    return entry["status"], entry["tests"]


def marked(body: str, *marks: str, clause: str = "X.1(a)") -> str:
    """A source with one test that names ``clause``."""
    above = "".join(f"@pytest.mark.{mark}\n" for mark in marks)
    return f"import pytest\n\n@pytest.mark.rule({clause!r})\n{above}def test_it():\n    {body}\n"


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ('rule("X.1(c)")', "'X.1(c)' is a clause in none of the lists"),
        ('rule("X.1(a)", "X.9")', "'X.9' is a clause in none of the lists"),
        ("rule(7)", "7 is a clause in none of the lists"),
        ('rule(["X.1(a)"])', "['X.1(a)'] is a clause in none of the lists"),
        ("rule", "a rule mark names clauses, and nothing else"),
        ("rule()", "a rule mark names clauses, and nothing else"),
        ('rule("X.1(a)", because="so")', "a rule mark names clauses, and nothing else"),
        ('rule("X.3")', "'X.3' is physical; no test can prove it"),
    ],
)
def test_a_wrong_mark_ends_the_run(project: pytest.Pytester, mark: str, said: str) -> None:
    result = run(project, f"import pytest\n\n@pytest.mark.{mark}\ndef test_it():\n    pass\n")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: test_it.py::test_it: {said}" in result.stderr.str()
    assert not (project.path / "build").exists()


def test_every_wrong_mark_is_told_of_at_once(project: pytest.Pytester) -> None:
    source = """\
import pytest

@pytest.mark.rule("X.4", "X.5")
def test_one():
    pass

class TestTwo:
    pytestmark = pytest.mark.rule("X.6")

    def test_two(self):
        pass
"""
    result = run(project, source)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = result.stderr.str()
    assert "test_it.py::test_one: 'X.4'" in text
    assert "test_it.py::test_one: 'X.5'" in text
    assert "test_it.py::TestTwo::test_two: 'X.6'" in text


def test_a_wrong_mark_counts_where_the_test_is_not_selected(project: pytest.Pytester) -> None:
    result = run(project, marked("pass", clause="X.7"), "-k", "nothing_of_that_name")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_a_missing_list_ends_the_run(project: pytest.Pytester) -> None:
    result = run(project, marked("pass"), "-o", "conformance_lists=elsewhere")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "elsewhere: no list of clauses" in result.stderr.str()


def test_what_is_written(project: pytest.Pytester) -> None:
    result = run(project, MIXED)
    result.assert_outcomes(passed=4, failed=2)
    result.stdout.fnmatch_lines(["conformance: 2 clauses proven, written to build*found.json"])
    everything = found(project)
    assert everything == {
        "rulebooks": {
            "x": {"proven": 1, "open": 2, "physical": 1},
            "y": {"proven": 1, "open": 0, "physical": 0},
        },
        "clauses": {
            "X.1(a)": {
                "class": "enforce",
                "status": "proven",
                "tests": [
                    "test_it.py::test_cases[1]",
                    "test_it.py::test_cases[2]",
                    "test_it.py::test_passes",
                ],
            },
            "X.1(b)": {
                "class": "prompt",
                "status": "open",
                "tests": ["test_it.py::test_also_passes"],
            },
            "X.2[Table]": {"class": "config", "status": "open", "tests": []},
            "X.3": {"class": "physical", "status": "physical", "tests": []},
            "Y1": {"class": "record", "status": "proven", "tests": ["test_it.py::test_passes"]},
        },
    }
    assert list(everything["clauses"]) == ["X.1(a)", "X.1(b)", "X.2[Table]", "X.3", "Y1"]


def test_a_passing_test_proves(project: pytest.Pytester) -> None:
    run(project, marked("pass"))
    assert status(project, "X.1(a)") == ("proven", ["test_it.py::test_it"])


@pytest.mark.parametrize(
    "source",
    [
        marked("assert False"),
        marked("pytest.skip('no')"),
        marked("pass", "skip"),
        marked("assert False", "xfail"),
        marked("pass", "xfail"),
        marked("pass", "xfail(strict=True)"),
        marked("pytest.xfail('no')"),
        "import pytest\n\n@pytest.fixture\ndef broken():\n    assert False\n\n"
        + marked("pass", "usefixtures('broken')"),
        "import pytest\n\n@pytest.fixture\ndef broken():\n    yield\n    assert False\n\n"
        + marked("pass", "usefixtures('broken')"),
    ],
    ids=[
        "failed",
        "skipped inside",
        "skipped",
        "failed as expected",
        "passed unexpectedly",
        "passed unexpectedly, which is a failure",
        "gave up",
        "failed in setup",
        "failed in teardown",
    ],
)
def test_what_proves_nothing(project: pytest.Pytester, source: str) -> None:
    run(project, source)
    assert status(project, "X.1(a)") == ("open", [])


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("pytest.skip('no')", "proven"),
        ("assert False", "open"),
        ("pytest.xfail('no')", "open"),
    ],
)
def test_another_carrier_beside_one_that_passes(
    project: pytest.Pytester, other: str, expected: str
) -> None:
    passing = "\n@pytest.mark.rule('X.1(a)')\ndef test_passes():\n    pass\n"
    run(project, marked(other) + passing)
    assert status(project, "X.1(a)") == (expected, ["test_it.py::test_passes"])


def test_a_failing_subtest_leaves_the_clause_open(project: pytest.Pytester) -> None:
    source = """\
import pytest

@pytest.mark.rule("X.1(a)")
def test_it(subtests):
    for n in range(3):
        with subtests.test(n=n):
            assert n != 1
"""
    run(project, source)
    assert status(project, "X.1(a)") == ("open", [])


def test_nothing_is_written_without_the_option(project: pytest.Pytester) -> None:
    project.makepyfile(test_it=marked("pass"))
    assert project.runpytest_inprocess(plugins=[plugin]).ret == pytest.ExitCode.OK
    assert not (project.path / "build").exists()


def test_collecting_alone_writes_nothing(project: pytest.Pytester) -> None:
    run(project, marked("pass"), "--collect-only")
    assert not (project.path / "build").exists()


class TestWorkers:
    """Under pytest-xdist, where tests run in other processes than the one that writes."""

    @pytest.fixture(autouse=True)
    def _workers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("xdist")
        monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def run(self, project: pytest.Pytester, source: str) -> pytest.RunResult:
        project.makepyfile(test_it=source)
        return project.runpytest_subprocess(
            *("-p", "tests.conformance.plugin", "--conformance=build/found.json"),
            *("-p", "xdist.plugin", "-n", "2"),
        )

    def test_the_outcome_is_the_same(self, project: pytest.Pytester) -> None:
        self.run(project, MIXED).assert_outcomes(passed=4, failed=2)
        apart = (project.path / "build/found.json").read_bytes()
        run(project, MIXED)
        assert (project.path / "build/found.json").read_bytes() == apart

    def test_a_wrong_mark_ends_the_run(self, project: pytest.Pytester) -> None:
        result = self.run(project, marked("pass", clause="X.8"))
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert "ERROR: test_it.py::test_it: 'X.8' is a clause in none" in result.stderr.str()
        assert not (project.path / "build").exists()

    def test_a_test_that_takes_its_worker_down_leaves_the_clause_open(
        self, project: pytest.Pytester
    ) -> None:
        passing = "\n@pytest.mark.rule('X.1(a)')\ndef test_passes():\n    pass\n"
        self.run(project, marked("import os; os._exit(1)") + passing)
        assert status(project, "X.1(a)") == ("open", ["test_it.py::test_passes"])
