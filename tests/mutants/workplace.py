"""A copy of the tree in which things are broken, and a process that runs mutants in it."""

from __future__ import annotations

import fcntl
import json
import os
import py_compile
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.mutants.register import ROOT

_PARTS = (
    "controller",
    "drivers",
    "simulators",
    "config",
    "systemd",
    "debian",
    "benchmarks",
    "tests",
    "docs",
)
_FILES = ("pyproject.toml", "README.md", "LICENSE", "Makefile", "constraints.txt")
_COMPILED = "__pycache__"


@contextmanager
def folder(root: Path = ROOT) -> Iterator[Path]:
    """Where copies are kept from one run to the next; another place while somebody uses them."""
    kept = root / "build" / "mutants"
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with tempfile.TemporaryDirectory(prefix="felt-mutants-") as other:
                yield Path(other)
            return
        yield kept


def copied(root: Path, place: Path) -> None:
    """The tree as it is now, with what has changed since the last time."""
    wanted = {Path(name) for name in _FILES if (root / name).exists()}
    for part in _PARTS:
        wanted |= {
            path.relative_to(root)
            for path in (root / part).rglob("*")
            if path.is_file() and not {_COMPILED, ".hypothesis"} & set(path.parts)
        }
    there = {path.relative_to(place) for path in place.rglob("*") if path.is_file()}
    for name in there - wanted:
        if _COMPILED not in name.parts:
            (place / name).unlink()
    for name in wanted:
        source, copy = root / name, place / name
        data = source.read_bytes()
        if name in there and copy.read_bytes() == data:
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(data)
        copy.chmod(source.stat().st_mode)
        if name.suffix == ".py":
            # By hash: what is changed and changed back within a second is read anew each time.
            mode = py_compile.PycInvalidationMode.CHECKED_HASH
            py_compile.compile(str(copy), doraise=False, quiet=2, invalidation_mode=mode)


class Workplace:
    def __init__(self, place: Path, root: Path = ROOT) -> None:
        place.mkdir(parents=True, exist_ok=True)
        copied(root, place)
        env = {**os.environ, "PYTHONPATH": str(place)}
        for name in [name for name in env if name.startswith("PYTEST_")]:
            del env[name]
        self.process = subprocess.Popen(
            [sys.executable, str(place / "tests" / "mutants" / "worker.py"), str(place)],
            cwd=place,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def judged(self, job: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        found: dict[str, Any] = json.loads(answer) if answer else {"broken": "the worker ended"}
        return found

    def end(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
