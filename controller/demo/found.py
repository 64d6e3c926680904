"""Lets ``felt status`` and its like find a demonstration, without a word about where it is.

A link to its runtime folder, under a name of its own, in a folder of this user alone.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from controller.daemon.client import is_own, own_run


@contextlib.contextmanager
def found_as(table: str, runtime: Path) -> Iterator[None]:
    """As long as it runs. Where the folder is not ours alone, nobody finds it by itself."""
    folder = own_run()
    link = folder / f"{table}.{os.getpid()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_own(folder):
            _forget_the_dead(folder)
            link.unlink(missing_ok=True)
            link.symlink_to(runtime)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            link.unlink(missing_ok=True)


def _forget_the_dead(folder: Path) -> None:
    for one in folder.iterdir():
        if one.is_symlink() and not one.exists():
            one.unlink(missing_ok=True)
