"""Text in columns, for people at a terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence

#: Where nobody looks, lines are as long as they are: programs take them apart.
UNFOLDED = 10**6


def columns(
    rows: Iterable[Sequence[str]], *, right: Sequence[int] = (), indent: str = "  "
) -> list[str]:
    """Rows as lines with aligned columns; those in ``right`` are flush right."""
    table = [list(row) for row in rows]
    if not table:
        return []
    widths = [max(len(row[n]) for row in table) for n in range(len(table[0]))]
    return [
        indent
        + "  ".join(
            cell.rjust(width) if n in right else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def width() -> int:
    """How much fits beside each other where somebody looks."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else UNFOLDED


def folded(head: str, text: str, *, indent: int | None = None) -> list[str]:
    """``text`` behind its head; what does not fit goes on below, as far in."""
    below = " " * (len(head) if indent is None else indent)
    most = max(width(), len(below) + 20)
    return textwrap.wrap(
        text, most, initial_indent=head, subsequent_indent=below, break_on_hyphens=False
    ) or [head.rstrip()]
