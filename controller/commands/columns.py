"""Text in columns, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
