"""Where it is known what files hold, nothing else is run."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import py_compile
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.util import cache_from_source
from pathlib import Path
from py_compile import PycInvalidationMode
from types import CodeType
from typing import Any

import pytest

from controller import loading
from controller.daemon import imported

_RUN = """
import json, runpy, sys
loading = runpy.run_path(sys.argv[1])
loading["only"](sys.argv[2], json.loads(sys.argv[3]))
sys.path.insert(0, sys.argv[2])
try:
    import main
except loading["NotKnown"] as refused:
    print(refused)
else:
    print(main.SAID)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.py").write_text("from inner.deep import SAID\n")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "deep.py").write_text("SAID = 'honest'\n")
    return tmp_path


def said(folder: Path, digests: dict[str, str]) -> str:
    words = [sys.executable, "-ISB", "-c", _RUN, str(loading.__file__), str(folder)]
    done = subprocess.run([*words, json.dumps(digests)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def digests_of(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


@pytest.mark.rule("R35")
def test_a_changed_file_and_one_that_nobody_knows_are_not_run(folder: Path) -> None:
    known = digests_of(folder)
    assert said(folder, known) == "honest"
    deep = folder / "inner" / "deep.py"
    deep.write_text("SAID = 'evil! '\n")
    assert said(folder, known).startswith(f"{deep} is not as the package brought it; find out")
    deep.write_text("SAID = 'honest'\n")
    # Python looks for these before it looks for sources.
    library = folder / "inner" / "deep.abi3.so"
    library.write_bytes(b"")
    assert said(folder, known).startswith(f"{library} is not the package's; find out")


@pytest.mark.rule("R35")
@pytest.mark.parametrize("mode", list(PycInvalidationMode))
def test_a_compiled_file_is_run_only_if_it_came_along(
    folder: Path, mode: PycInvalidationMode
) -> None:
    known = digests_of(folder)
    deep = folder / "inner" / "deep.py"
    made = py_compile.compile(str(deep), invalidation_mode=mode)
    assert made is not None
    assert said(folder, known).startswith(f"{made} is not the package's")
    assert said(folder, digests_of(folder)) == "honest"


@pytest.mark.parametrize("stalls", [1, 1000])
def test_a_pc_that_stops_between_two_clocks_makes_no_file_older(
    monkeypatch: pytest.MonkeyPatch, stalls: int
) -> None:
    began = loading._began_ns()
    stopped_ns, left = 0, stalls
    wall, running = time.time_ns, time.clock_gettime_ns

    def stops(clock: int) -> int:
        nonlocal stopped_ns, left
        if left:
            left -= 1
            stopped_ns += 3_000_000_000
        return running(clock) + stopped_ns

    monkeypatch.setattr(time, "time_ns", lambda: wall() + stopped_ns)
    monkeypatch.setattr(time, "clock_gettime_ns", stops)
    # Never later; and as it was, once both are read in one go.
    assert loading._began_ns() <= began + 50_000_000
    assert stalls > 1 or abs(loading._began_ns() - began) <= 50_000_000


class _Overtaken(loading._Source):
    """One felt of two that begin at once: the other one has done it all in the middle of this."""

    def source_to_code(self, *given: Any, **more: Any) -> CodeType:  # type: ignore[override]
        another(self.path)
        another(self.path)  # and a third has run what it kept
        return super().source_to_code(*given, **more)


class _OvertakenEarlier(loading._Source):
    def path_stats(self, path: str) -> Mapping[str, Any]:
        another(path)
        return super().path_stats(path)


def another(path: str) -> None:
    loading._Source("deep", path).get_code("deep")


@pytest.mark.parametrize("overtaken", [_Overtaken, _OvertakenEarlier])
@pytest.mark.parametrize("is_there", [False, True])
def test_of_two_that_begin_at_once_neither_replaces_what_the_other_has_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, overtaken: type[loading._Source], is_there: bool
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(loading, "files", {})
    deep = folder / "inner" / "deep.py"
    if is_there:  # of an older source
        py_compile.compile(str(deep))
        deep.write_text("SAID = 'honest, and longer'\n")
    overtaken("deep", str(deep)).get_code("deep")
    another(str(deep))
    assert {Path(one).name for one in loading.files} == {"deep.py", Path(kept_of(deep)).name}
    assert imported.differing() == {}


def test_nobody_waits_for_who_holds_a_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(loading, "files", {})
    deep = folder / "inner" / "deep.py"
    held = os.open(deep.parent, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        another(str(deep))
        assert not Path(kept_of(deep)).exists()
    finally:
        os.close(held)
    another(str(deep))
    assert Path(kept_of(deep)).exists()


def kept_of(source: Path) -> str:
    return cache_from_source(str(source))
