"""Which tests carry which clause: one collection, kept until a test or what it imports changes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from tests.mutants.register import ROOT

#: What the names of tests may hang on.
_PARTS = ("tests", "controller", "drivers", "simulators", "config", "docs/conformance")
_SUFFIXES = (".py", ".toml", ".csv")

Carriers = Mapping[str, tuple[str, ...]]


def carriers(root: Path = ROOT, kept: Path | None = None) -> Carriers:
    """The tests of each clause, by their node ids; slow ones only where there is no other."""
    kept = kept or root / "build" / "carriers.json"
    stamp = _stamp(root)
    if kept.exists():
        data = json.loads(kept.read_text(encoding="utf-8"))
        if data["stamp"] == stamp:
            return {clause: tuple(tests) for clause, tests in data["carriers"].items()}
    found = collected(root)
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps({"stamp": stamp, "carriers": found}), encoding="utf-8")
    return found


def _stamp(root: Path) -> str:
    whole = sha256()
    for part in _PARTS:
        for path in sorted((root / part).rglob("*")):
            if path.suffix in _SUFFIXES and "mutants" not in path.parts:
                whole.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return whole.hexdigest()


def collected(
    root: Path = ROOT, among: Collection[str] = ("mark.rule",)
) -> dict[str, tuple[str, ...]]:
    """The same from the files that have one of these texts only."""
    carrying = [
        str(path.relative_to(root))
        for path in sorted((root / "tests").rglob("test_*.py"))
        if "mutants" not in path.parts
        and any(text in path.read_text(encoding="utf-8") for text in among)
    ]
    code = f"import sys; from tests.mutants import carriers; sys.exit(carriers.collect({carrying}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    line = next((one for one in done.stdout.splitlines() if one.startswith("{")), None)
    if done.returncode or line is None:
        raise RuntimeError(f"the tests can't be collected:\n{done.stdout}{done.stderr}")
    return {clause: tuple(tests) for clause, tests in json.loads(line).items()}


def collect(files: list[str]) -> int:
    """In a process of its own: prints as JSON which tests carry which clause."""
    quick: dict[str, list[str]] = defaultdict(list)
    slow: dict[str, list[str]] = defaultdict(list)

    class Collector:
        def pytest_collection_finish(self, session: pytest.Session) -> None:
            for item in session.items:
                among = slow if item.get_closest_marker("slow") else quick
                for mark in item.iter_markers("rule"):
                    for clause in mark.args:
                        among[clause].append(item.nodeid)

    ended = pytest.main(["--collect-only", "-qq", "--no-header", *files], plugins=[Collector()])
    print(json.dumps({**slow, **quick}))
    return int(ended)


def functions(tests: tuple[str, ...]) -> list[str]:
    """The same without parameters: what pytest is told to collect."""
    return list(dict.fromkeys(re.sub(r"(?s)\[.*", "", test) for test in tests))
