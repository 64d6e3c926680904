"""The command ``felt`` in this process: what it prints and its exit code, as from outside.

For what a command does and says. That it runs as a program, with pipes, signals and imports of its
own, is for tests that start one: Python and its libraries take half a second each time.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import NamedTuple

from controller.cli import main


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def felt(*words: str | Path, stdin: str = "") -> Done:
    given, out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(3))
    given.write(stdin)
    given.seek(0)
    kept, sys.stdin = sys.stdin, given
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([*map(str, words)])
    except SystemExit as ended:  # argparse
        code = ended.code if isinstance(ended.code, int) else 1
    finally:
        sys.stdin = kept
    return Done(code, *(_written(one) for one in (out, err)))


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
