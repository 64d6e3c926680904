"""A felt that is installed into an environment of its own, for one test to plant things in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from controller.daemon import signature
from controller.library import shipped

_HERE = Path(sysconfig.get_path("purelib"))
#: Asks the felt of the environment what it takes for its parts.
_PART = (
    "import json, sys; import controller.cli; from controller.daemon import signature; "
    "print(json.dumps(getattr(signature, sys.argv[1])()._asdict()))"
)


class Installed(NamedTuple):
    #: Where its packages stand, felt among them.
    packages: Path
    python: Path
    #: Beside it, with nothing in it.
    folder: Path

    def said(self, *words: str | Path, env: Mapping[str, str] | None = None) -> str:
        """What its Python prints, without this machine's settings."""
        done = subprocess.run(
            [str(self.python), *map(str, words)], cwd=self.folder, env={**(env or {})},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    def part(self, name: str, env: Mapping[str, str] | None = None) -> dict[str, Any]:
        said = self.said("-c", _PART, name, env=env)
        found = next((one for one in said.splitlines() if one.startswith("{")), "")
        assert found, said
        made: dict[str, Any] = json.loads(found)
        return made


def install(folder: Path) -> Installed:
    """As ``pip install`` would leave it: the sources, what felt needs, and its list of drivers."""
    at = folder / "venv"
    make = [sys.executable, "-m", "venv", "--without-pip", "--symlinks", str(at)]
    subprocess.run(make, check=True)
    major, minor = sys.version_info[:2]
    packages = at / "lib" / f"python{major}.{minor}" / "site-packages"
    for own in signature.OWN:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(signature.ROOT / own, packages / own, ignore=ignored)
    for kind in ("rulebooks", "tables", "rounds", "drills"):
        shutil.copytree(shipped(kind), packages / "controller" / "shipped" / kind)
    for one in _HERE.iterdir():
        if one.name.startswith("felt-") and one.suffix == ".dist-info":
            shutil.copytree(one, packages / one.name)
        elif one.suffix != ".pth" and one.name not in signature.OWN:
            (packages / one.name).symlink_to(one)
    return Installed(packages, at / "bin" / "python", folder)
