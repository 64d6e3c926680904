"""Drivers of vendors beside the felt of the Debian package: as the page has it, and signed."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.debian.test_package import Installed, installed
from tests.docs.test_adding_a_driver import files

# Building the package takes half a minute.
pytestmark = pytest.mark.slow

__all__ = ["installed"]


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """The page's badge reader, as its vendor builds it."""
    (tmp_path / "acme-badge").mkdir()
    for name, text in files("acme-badge").items():
        (tmp_path / "acme-badge" / name).write_text(text)
    pip = [sys.executable, "-m", "pip", "--quiet", "wheel", "--no-deps", "--wheel-dir", "dist"]
    subprocess.run([*pip, "./acme-badge"], cwd=tmp_path, check=True)
    [built] = (tmp_path / "dist").iterdir()
    return built


def parts(system: Installed) -> dict[str, str]:
    said = json.loads(system.felt("signature", "--json"))
    return {name: part["digest"] for name, part in said["parts"].items()}


def refused(system: Installed, *words: str | Path) -> str:
    command = [str(system.root / "usr/bin/felt"), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout
    return done.stderr


def test_a_vendors_wheel_is_found_signed_and_taken_away_again(
    installed: Installed, wheel: Path
) -> None:
    before = parts(installed)
    said = installed.felt("driver", "add", wheel)
    vendors = installed.root / "usr/local/lib/felt"
    assert f"acme-badge 1.0 is in {vendors}" in said
    assert 'in the table file: driver = "acme-badge", devices = ["badge"]' in said
    assert "acme-badge: drives badge, of acme-badge\n" in installed.felt("driver")
    after = parts(installed)
    assert {name for name, one in after.items() if one != before[name]} == {"packages", "imports"}
    # Nothing is compiled beside it, and what somebody writes into it is another signature.
    assert not list(vendors.rglob("*.pyc"))
    (vendors / "acme_badge.py").write_text((vendors / "acme_badge.py").read_text() + "# more\n")
    assert parts(installed)["packages"] != after["packages"]
    installed.felt("driver", "add", wheel)
    assert parts(installed) == after
    installed.felt("driver", "remove", "acme-badge")
    assert parts(installed) == before
    assert "no driver is called" in refused(installed, "drive", "acme-badge", "--port", "-")


def test_a_vendors_own_debian_package_is_found_too(installed: Installed, wheel: Path) -> None:
    folder = installed.root / "usr/lib/felt-drivers"
    folder.mkdir()
    unpack = [sys.executable, "-m", "zipfile", "-e", str(wheel), str(folder)]
    subprocess.run(unpack, check=True)
    assert "acme-badge: drives badge, of acme-badge\n" in installed.felt("driver")
    assert "is a package of felt's own" not in refused(installed, "driver", "remove", "acme-badge")


def test_the_page_asks_for_the_felt_that_is_installed() -> None:
    for package in ("acme-pedal", "acme-badge"):
        project = tomllib.loads(files(package)["pyproject.toml"])["project"]
        assert project["dependencies"] == ["felt-table"]
