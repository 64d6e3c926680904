"""What the package is made of is pinned by what it holds, and nothing else is taken."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from debian import hashes
from debian.build import ROOT


def test_everything_that_is_packed_is_pinned_at_the_version_that_was_tested() -> None:
    found = hashes.listed(hashes.FILE.read_text(encoding="utf-8"))
    assert {name: version for name, (version, _) in found.items()} == hashes.pinned()
    assert all(digests for _, digests in found.values())


def test_the_package_is_built_where_pip_asks_for_them() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = re.findall(r"^\t\$\(VENV\)/deb/bin/pip install (.+)$", recipe, re.M)
    assert len(installs) == 2
    assert "--require-hashes" in installs[0]
    # And the second brings felt itself, without a word with any index.
    assert {"--no-deps", "--no-build-isolation", "."} <= set(installs[1].split())


def test_a_file_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "six-1.0-py3-none-any.whl"
    wheel.write_bytes(b"something else")
    wanted = tmp_path / "hashes.txt"
    wanted.write_text(f"six==1.0 --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--isolated"]
    pip += ["--target", str(tmp_path / "into"), "--find-links", str(tmp_path)]
    done = subprocess.run(
        [*pip, "--require-hashes", "-r", str(wanted)], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "DO NOT MATCH" in done.stderr
    assert not (tmp_path / "into").exists()


@pytest.mark.slow
def test_pip_takes_all_of_it_as_it_is_pinned(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    pip += ["--only-binary", ":all:", "--dest", str(tmp_path), "-r", str(hashes.FILE)]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.iterdir())) == len(hashes.pinned())
