"""One package for all tests that need it: building takes half a minute."""

from __future__ import annotations

from pathlib import Path

import pytest

from debian.build import build


@pytest.fixture(scope="session")
def deb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("deb")
    return build(work / "work", work / "out", level=0)
