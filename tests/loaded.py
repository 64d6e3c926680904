"""Code that a test brings and loads is gone afterwards: what this process has run is as it was.

A table of another test in the same process would be held for files that are no longer there.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from controller import loading


@pytest.fixture
def forgotten() -> Iterator[None]:
    files, younger = dict(loading.files), set(loading.younger)
    yield
    loading.files.clear()
    loading.files.update(files)
    loading.younger.clear()
    loading.younger.update(younger)
