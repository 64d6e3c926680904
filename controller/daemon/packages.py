"""The Python packages that felt runs on, as they are installed here."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator
from importlib.metadata import Distribution

#: felt itself, as it is called where Python packages are: "felt" is another one there.
FELT = "felt-table"
#: More packages than this are no felt.
_MOST = 500


def needed(*roots: str) -> dict[str, Distribution]:
    """These packages and all that they need, by name; with the extras that are asked for."""
    found: dict[str, Distribution] = {}
    asked: set[tuple[str, str]] = set()
    wanted = [(plain(one), "") for one in roots]
    while wanted and len(found) < _MOST:
        name, extra = wanted.pop()
        if (name, extra) in asked:
            continue
        asked.add((name, extra))
        try:
            found[name] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another system, or another Python
        for line in found[name].requires or ():
            wanted += _wanted(line, extra)
    return dict(sorted(found.items()))


def _wanted(line: str, extra: str) -> Iterator[tuple[str, str]]:
    """What a requirement asks for, if it is asked for at all: ``name[extra]>=1; marker``."""
    said, _, marker = line.partition(";")
    of_extra = re.search(r"""extra\s*==\s*["']([^"']+)["']""", marker)
    if of_extra and of_extra[1] != extra:
        return
    parts = re.match(r"\s*([\w.-]+)\s*(?:\[([^\]]*)\])?", said)
    assert parts, line
    name = plain(parts[1])
    yield name, ""
    for one in filter(None, re.split(r"[\s,]+", parts[2] or "")):
        yield name, one


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
