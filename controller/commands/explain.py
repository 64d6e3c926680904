"""``felt check --explain``: what the keys of a table file mean."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby

from controller.commands.columns import folded
from controller.library import Library
from controller.reference.keys import Key, keys, wanted

_INDENT = "    "


def run(key: str, library: Library, *, as_json: bool) -> int:
    """Of one key and those below it, or of all."""
    found = keys(library)
    found = wanted(found, key) if key else found
    if as_json:
        sys.stdout.write(json.dumps([asdict(one) for one in found], indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(lines(found)) + "\n")
    return 0


def lines(found: list[Key]) -> Iterator[str]:
    first = True
    for (rulebook, section), some in groupby(found, lambda one: (one.rulebook, one.section)):
        if not first:
            yield ""
        first = False
        heading = section or "at the top of the file"
        yield f"{heading}, rulebook {rulebook}" if rulebook else heading
        for one in some:
            yield from _key(one)


def _key(one: Key) -> Iterator[str]:
    yield f"  {one.name}"
    yield from folded(_INDENT, f"{one.says}{f' ({one.clause})' if one.clause else ''}")
    yield from folded(_INDENT, f"{one.may_be}; {one.otherwise}" if one.may_be else one.otherwise)
    yield from folded(_INDENT + "e.g. ", one.line)
