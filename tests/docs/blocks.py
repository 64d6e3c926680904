"""Marked stretches of a page that are written by a program; the rest of it is written by people."""

from __future__ import annotations

import re
from collections.abc import Mapping

BEGIN = "<!-- generated: {} -->"
END = "<!-- end of {} -->"


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """The page with each block between its marks. Raises ValueError unless the marks are these."""
    marked = set(re.findall(r"<!-- generated: (.+?) -->", page))
    if marked != set(blocks):
        raise ValueError(f"the page has marks for {sorted(marked)}, not for {sorted(blocks)}")
    for name, text in blocks.items():
        begin, end = BEGIN.format(name), END.format(name)
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found or begin in rest:
            raise ValueError(f"the block {name!r} must begin once and end")
        page = f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}"
    return page


def between(page: str, name: str) -> str:
    """What stands in a block."""
    return page.partition(BEGIN.format(name))[2].partition(END.format(name))[0].strip()
