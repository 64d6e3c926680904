"""Runs mutants in a copy of the tree: one line of JSON in, one out.

The process has imported what the tests import from elsewhere, and nothing of felt, so each mutant
is a fork that has only felt itself to import. Where only a rulebook is changed, which tests read
when they run, the tests are collected once and each mutant is a fork of that.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from _pytest.main import pytest_runtestloop

#: What takes long to import; none of it is felt's own.
_ELSEWHERE = (
    "amqtt.broker",
    "asyncio",
    "cryptography.hazmat.primitives.ciphers.aead",
    "hypothesis",
    "msgspec",
    "numpy",
    "pydantic",
    "pytest_asyncio",
    "serial",
    "structlog",
)
_OPTIONS = (
    "-q",
    "--no-header",
    "--no-summary",
    "--tb=no",
    "--assert=plain",
    "--hypothesis-seed=0",
    "-pno:cacheprovider",
)

Verdict = dict[str, Any]


def main() -> int:
    place = Path(sys.argv[1])
    os.chdir(place)
    sys.path.insert(0, str(place))
    sys.dont_write_bytecode = True
    for name in _ELSEWHERE:
        importlib.import_module(name)
    for line in sys.stdin:
        job = json.loads(line)
        file = place / job["file"]
        original = file.read_text(encoding="utf-8")
        try:
            print(json.dumps(_run(job, file)), flush=True)
        finally:
            file.write_text(original, encoding="utf-8")
    return 0


def _run(job: dict[str, Any], file: Path) -> Verdict:
    if job["together"]:
        return forked(partial(_collected_once, job, file), job["timeout"] * len(job["mutants"]))
    said = []
    for mutant in job["mutants"]:
        file.write_text(mutant["text"], encoding="utf-8")
        said.append(forked(partial(_judged, job, mutant), job["timeout"]))
    return {"said": said}


def forked(do: Callable[[], Verdict], seconds: float) -> Verdict:
    """What a fork of this process answers, if it does in time."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        os.setsid()
        said: Verdict = {"broken": "it ended early"}
        try:
            said = do()
        except BaseException as error:
            said = {"broken": repr(error)}
        finally:
            os.write(theirs, json.dumps(said).encode())
            os._exit(0)
    os.close(theirs)
    try:
        return _answer(ours, time.monotonic() + seconds)
    finally:
        os.close(ours)
        with suppress(ProcessLookupError):  # whatever its tests have started ends with it
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _answer(pipe: int, until: float) -> Verdict:
    said = b""
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return {"hangs": True}
        some = os.read(pipe, 65536)
        said += some
        if not some:
            found: Verdict = json.loads(said or b'{"broken": "it ended early"}')
            return found


def _silent() -> None:
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)


def _books_can_be_read() -> None:
    """A rulebook that can't be read is noticed by whatever reads it, which proves nothing."""
    library = importlib.import_module("controller.library").Library()
    for book in library:
        library.rulebook(book)


def _judged(job: dict[str, Any], mutant: dict[str, Any]) -> Verdict:
    """In the fork: which clauses a test of their own has noticed."""
    _silent()
    _books_can_be_read()
    judge = Judge(mutant["tests"])
    pytest.main([*_OPTIONS, *job["functions"]], plugins=[judge])
    return judge.verdict()


def _collected_once(job: dict[str, Any], file: Path) -> Verdict:
    """In the fork: the same for many, each in a fork after the collection."""
    _silent()
    each = Each(job, file)
    pytest.main([*_OPTIONS, *job["functions"]], plugins=[each])
    return {"unfit": each.unfit} if each.unfit else {"said": each.said}


class Judge:
    """Runs the tests of these clauses until each clause has one that failed."""

    def __init__(self, tests: dict[str, list[str]]) -> None:
        self.left = {clause: set(some) for clause, some in tests.items()}
        self.killed: dict[str, str] = {}
        self.uncollected = ""
        self.session: Any = None

    def verdict(self) -> Verdict:
        return {"broken": self.uncollected} if self.uncollected else {"killed": self.killed}

    def pytest_sessionstart(self, session: Any) -> None:
        self.session = session

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.uncollected = f"{report.nodeid} can't be collected"

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        wanted = set().union(*self.left.values())
        items[:] = [item for item in items if item.nodeid in wanted]

    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> bool | None:
        # The tests of a clause that is killed already have nothing to add.
        return None if any(item.nodeid in tests for tests in self.left.values()) else True

    def pytest_runtest_logreport(self, report: Any) -> None:
        if not report.failed:
            return
        for clause in [one for one, tests in self.left.items() if report.nodeid in tests]:
            self.killed[clause] = report.nodeid
            del self.left[clause]
        if not self.left:
            self.session.shouldstop = "every clause has a test that failed"


class Each:
    """In place of the run of the tests: one fork for each mutant, with a judge of its own."""

    def __init__(self, job: dict[str, Any], file: Path) -> None:
        self.job = job
        self.file = file
        self.unfit = "not collected"
        self.said: list[Verdict] = []

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.unfit = f"{report.nodeid} can't be collected"

    def pytest_runtestloop(self, session: Any) -> bool:
        rulebook = importlib.import_module("controller.rules.rulebook").Rulebook
        if any(isinstance(one, rulebook) for one in gc.get_objects()):
            # Somebody has read it already, as it was.
            self.unfit = "a rulebook is read when the tests are collected"
            return True
        self.unfit = ""
        for mutant in self.job["mutants"]:
            self.file.write_text(mutant["text"], encoding="utf-8")
            self.said.append(forked(partial(self.judged, session, mutant), self.job["timeout"]))
        return True

    def judged(self, session: Any, mutant: dict[str, Any]) -> Verdict:
        _books_can_be_read()
        judge = Judge(mutant["tests"])
        judge.session = session
        judge.pytest_collection_modifyitems(session.items)
        session.config.pluginmanager.register(judge)
        with suppress(session.Interrupted):
            pytest_runtestloop(session)
        return judge.verdict()


if __name__ == "__main__":
    sys.exit(main())
