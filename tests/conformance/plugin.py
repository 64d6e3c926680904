"""Ties tests to the clauses they prove.

A test names its clauses, ``@pytest.mark.rule("PA-639a.5(b)")``. Naming a clause that no list
has, none at all or a physical one ends the run before it starts. ``--conformance=PATH``
writes as JSON what the run has proven:

    proven    a test that names the clause passed, and none that names it failed
    open      anything else
    physical  no device can see it, so no test is asked for

A skipped test proves nothing. One expected to fail speaks against its clauses, whether it
then fails or not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.lists import ListError, Lists, read_lists

CARRIERS = "conformance_carriers"
FAULTS = "conformance_faults"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("conformance").addoption(
        "--conformance",
        metavar="PATH",
        help="write to PATH, as JSON, which clauses this run has proven",
    )
    parser.addini(
        "conformance_lists",
        "folder with the lists of clauses, from the root of the project",
        default="docs/conformance",
    )


def pytest_configure(config: pytest.Config) -> None:
    try:
        lists = read_lists(config.rootpath / config.getini("conformance_lists"))
    except ListError as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(Conformance(config, lists), "conformance")


class Conformance:
    def __init__(self, config: pytest.Config, lists: Lists) -> None:
        self.lists = lists
        self.kinds = {clause.id: clause.kind for some in lists.values() for clause in some}
        path = config.getoption("conformance")
        self.path = None if path is None else config.invocation_params.dir / path
        #: In a worker of pytest-xdist: what it hands to the controlling process at its end.
        self.handover: dict[str, Any] | None = getattr(config, "workeroutput", None)
        self.carriers: dict[str, list[str]] = {}
        self.passed: set[str] = set()
        self.against: set[str] = set()
        self.skipped: set[str] = set()
        self.written = ""

    @pytest.hookimpl(tryfirst=True)  # before -k and -m take tests away
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        faults = [fault for item in items for fault in self.faults(item)]
        if faults and self.handover is None:
            raise pytest.UsageError("\n".join(faults))
        if self.handover is not None:
            # A worker that ends in an error is started again; one without tests just ends.
            self.handover[FAULTS] = faults
            if faults:
                items.clear()

    def faults(self, item: pytest.Item) -> Iterable[str]:
        """What is wrong with the clauses that a test names."""
        for mark in item.iter_markers("rule"):
            if not mark.args or mark.kwargs:
                yield f"{item.nodeid}: a rule mark names clauses, and nothing else"
            for clause in mark.args:
                kind = self.kinds.get(clause) if isinstance(clause, str) else None
                if kind is None:
                    yield f"{item.nodeid}: {clause!r} is a clause in none of the lists"
                elif kind == "physical":
                    yield f"{item.nodeid}: {clause!r} is physical; no test can prove it"

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            if clauses := [arg for mark in item.iter_markers("rule") for arg in mark.args]:
                self.carriers[item.nodeid] = clauses
        if self.handover is not None:
            self.handover[CARRIERS] = self.carriers

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of pytest-xdist has ended; one that crashed hands nothing over."""
        handed: dict[str, Any] = getattr(node, "workeroutput", {})
        if faults := handed.get(FAULTS):
            raise pytest.UsageError("\n".join(faults))
        self.carriers.update(handed.get(CARRIERS, {}))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or hasattr(report, "wasxfail"):
            self.against.add(report.nodeid)
        elif report.skipped:
            self.skipped.add(report.nodeid)
        elif report.passed and report.when == "call":
            self.passed.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self.path is None or self.handover is not None or session.config.option.collectonly:
            return
        if exitstatus in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
            return
        proofs = self.passed - self.against - self.skipped
        found = outcome(self.lists, self.carriers, proofs, self.against)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        proven = sum(totals["proven"] for totals in found["rulebooks"].values())
        self.written = f"{proven} clauses proven, written to {self.shown(self.path)}"

    @staticmethod
    def shown(path: Path) -> str:
        return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.written:
            terminalreporter.write_line(f"conformance: {self.written}")


def outcome(
    lists: Lists,
    carriers: Mapping[str, Iterable[str]],
    proofs: set[str],
    against: set[str],
) -> dict[str, Any]:
    """The status of every clause and the totals of every list."""
    tests_of: dict[str, list[str]] = {}
    for test, carried in sorted(carriers.items()):
        for clause_id in set(carried):
            tests_of.setdefault(clause_id, []).append(test)
    rulebooks: dict[str, dict[str, int]] = {}
    clauses: dict[str, dict[str, Any]] = {}
    for name, some in lists.items():
        totals = rulebooks[name] = {"proven": 0, "open": 0, "physical": 0}
        for clause in some:
            tests = tests_of.get(clause.id, [])
            passed = [test for test in tests if test in proofs]
            if clause.kind == "physical":
                status = "physical"
            elif passed and against.isdisjoint(tests):
                status = "proven"
            else:
                status = "open"
            totals[status] += 1
            clauses[clause.id] = {"class": clause.kind, "status": status, "tests": passed}
    return {"rulebooks": rulebooks, "clauses": clauses}
