"""Runs pip for the Makefile, and says how far it is: a line that moves, and no minute of silence.

    python pip_progress.py "felt is set up" .venv/bin/pip install --editable .

In a pipe it says each part once. What pip itself says is shown only if it fails. Needs nothing but
Python, as nothing else is there yet.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence

#: Of what pip said, so much is shown if it fails.
KEPT = 40
#: The line anew.
AGAIN = "\r\x1b[K"
_FOUND = re.compile(r"(?:Collecting|Requirement already satisfied:) ([A-Za-z0-9._-]+)")
_INSTALLING = re.compile(r"Installing collected packages: (.+)")


def main(words: Sequence[str]) -> int:
    what, *command = words
    said: deque[str] = deque(maxlen=KEPT)
    began = time.monotonic()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as pip:
        assert pip.stdout is not None
        show = _Line(what)
        for part in parts(pip.stdout, said):
            show(part)
        code = pip.wait()
        show.ends(f"done in {time.monotonic() - began:.0f} s" if code == 0 else "failed")
    if code:
        sys.stderr.write("".join(said))
    return code


def parts(lines: Iterator[str] | Sequence[str], said: deque[str]) -> Iterator[tuple[str, str]]:
    """What it is at, and at which package, line by line of what pip says."""
    found: set[str] = set()
    for line in lines:
        said.append(line)
        if one := _FOUND.match(line):
            found.add(one[1].lower())
            yield "fetching packages", f"{len(found)} so far, {one[1]}"
        elif one := _INSTALLING.match(line):
            yield "installing them", f"{one[1].count(',') + 1} packages"


class _Line:
    def __init__(self, what: str) -> None:
        self._what = what
        self._is_live = sys.stdout.isatty()
        self._part = ""
        self._write(f"{what} ...", ends=not self._is_live)

    def __call__(self, said: tuple[str, str]) -> None:
        part, detail = said
        if self._is_live:
            self._write(f"{AGAIN}{self._what}: {part} ({detail})")
        elif part != self._part:
            self._write(f"{self._what}: {part}", ends=True)
        self._part = part

    def ends(self, how: str) -> None:
        begins = AGAIN if self._is_live else ""
        self._write(f"{begins}{self._what}: {how}", ends=True)

    @staticmethod
    def _write(text: str, *, ends: bool = False) -> None:
        sys.stdout.write(f"{text}\n" if ends else text)
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
