"""A table's folder as it lies on the disk at one instant, as after a kill."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.controller.daemon.house import House


def image_of(house: House, folder: Path) -> Path:
    """A copy of all that a house has, made while it runs; the table file of the copy."""
    source = house.configuration.file.parent
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("run", "*.db-lock"))
    (folder / "run").mkdir()
    file = folder / "table.toml"
    file.write_text(file.read_text().replace(str(source), str(folder)))
    return file
