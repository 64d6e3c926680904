"""The line of the set-up: it says how far pip is, and all that pip said if it fails."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from pathlib import Path

import pip_progress

ROOT = Path(__file__).parents[1]
SAID = (
    "Obtaining file:///felt\n",
    "Collecting pydantic==2.9\n",
    "  Downloading pydantic-2.9-py3-none-any.whl (434 kB)\n",
    "Requirement already satisfied: msgspec in x\n",
    "Installing collected packages: msgspec, pydantic, felt\n",
)


def run(code: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "pip_progress.py", "felt is set up", sys.executable, "-c", code]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def test_it_counts_what_pip_names() -> None:
    assert list(pip_progress.parts(SAID, deque())) == [
        ("fetching packages", "1 so far, pydantic"),
        ("fetching packages", "2 so far, msgspec"),
        ("installing them", "3 packages"),
    ]


def test_in_a_pipe_each_part_is_said_once() -> None:
    done = run(f"print({''.join(SAID)!r})")
    *parts, last = done.stdout.splitlines()
    assert parts == [
        "felt is set up ...",
        "felt is set up: fetching packages",
        "felt is set up: installing them",
    ]
    assert last.startswith("felt is set up: done in ")
    assert (done.returncode, done.stderr) == (0, "")


def test_what_pip_said_is_shown_if_it_fails() -> None:
    done = run("print('no such package'); raise SystemExit(3)")
    assert done.returncode == 3
    assert "no such package" in done.stderr
    assert done.stdout.splitlines()[-1] == "felt is set up: failed"
