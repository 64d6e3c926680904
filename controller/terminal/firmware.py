"""What the terminal runs, as one digest: the program that a table lists as approved.

The pages are in it: what a player reads and touches is as much the terminal as the wire is.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from controller.console.assets import PAGES

_FELT = Path(__file__).resolve().parents[2]
#: The device itself, its end of the wire, and what it shows. With a trailing name: that file only.
_OF_IT = (
    "controller/terminal",
    "drivers/wire",
    "simulators/broker.py",
    "simulators/device.py",
    "simulators/terminal.py",
)
_SHOWN = ("terminal.html", "js", "css", "lang", "vendor")
_KINDS = (".py", ".html", ".js", ".css", ".json")


@cache
def digest() -> bytes:
    whole = hashlib.sha256()
    for file in sorted(_files()):
        name = file.relative_to(_FELT).as_posix()
        whole.update(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.digest()


def _files() -> set[Path]:
    places = [*(_FELT / name for name in _OF_IT), *(PAGES / name for name in _SHOWN)]
    found = {file for place in places for file in (place, *place.rglob("*")) if file.is_file()}
    return {file for file in found if file.suffix in _KINDS}
