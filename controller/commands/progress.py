"""Progress of something long, on standard error: one line that moves, or nothing but its end."""

from __future__ import annotations

import sys
from types import TracebackType


class Ticker:
    """Told what is done, it shows a line on a terminal; elsewhere it says only that it began."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._terminal = sys.stderr.isatty()
        self._shown = ""

    def __enter__(self) -> Ticker:
        if not self._terminal:
            sys.stderr.write(f"felt: {self._what}: counting\n")
            sys.stderr.flush()
        return self

    def __call__(self, what: str, done: int, total: int) -> None:
        if not self._terminal:
            return
        share = 100 * done // total if total else 100
        text = f"{self._what}: {what} {share}%"
        if text != self._shown:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
            self._shown = text

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
