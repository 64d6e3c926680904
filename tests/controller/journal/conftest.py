"""What tests of the journal have at hand, and what none of them may leave behind."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal import journal

MEMORY = Path("/dev/shm")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: these tests flush to the disk thousands of times."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as made:
        yield Path(made)


@pytest.fixture
def path(folder: Path) -> Path:
    return folder / "J.db"


@pytest.fixture(autouse=True)
def _short_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that is full after a few commits, so that it is emptied and begun anew all the time."""
    monkeypatch.setattr(journal, "LOG_FRAMES", 16)


@pytest.fixture(autouse=True)
def _nothing_left_open() -> Iterator[None]:
    threads, files = threading.active_count(), open_files()
    yield
    assert threading.active_count() == threads
    assert open_files() <= files


def open_files() -> set[str]:
    """The databases that this process has open, with what lies beside them."""
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        try:
            name = str(link.readlink())
        except FileNotFoundError:
            continue
        if ".db" in name:
            found.add(name)
    return found
