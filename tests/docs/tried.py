"""Commands on a page that are run as they stand there: in blocks that are marked as tried.

They are written for a table PC. Here they run below a folder: paths of the system lead there, root
is whoever runs the tests, and systemd and udev are only asked.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
#: A block, and whether its commands may find faults: they end with 1 then, as they should.
_BLOCK = re.compile(r"<!-- tried(: finds faults)? -->\n\n```sh\n(.*?)```", re.S)
_SYSTEM = re.compile(r"(?<![\w/.])/(?:etc|var/lib)/")
ONLY_ASKED = ("systemctl", "udevadm", "apt")


class Tried(NamedTuple):
    commands: str
    code: int
    said: str


class PC:
    """A folder that stands for a table PC."""

    def __init__(self, folder: Path, table: str) -> None:
        self.root = folder / "root"
        self.home = folder / "home"
        self._bin = folder / "bin"
        for one in (self.root, self.home, self._bin):
            one.mkdir()
        felt = f'exec "{sys.executable}" -m controller'
        # It is laid out below the folder; everything else is felt as it is.
        self._program(
            "felt",
            f'if [ "$1" = install ]; then shift; {felt} install --root "{self.root}" "$@"; fi\n'
            f'{felt} "$@"',
        )
        self._program("sudo", 'exec "$@"')
        for name in ONLY_ASKED:
            self._program(name, f'echo "{name} $*" >>"{folder}/asked"')
        self._environment = {
            "PATH": f"{self._bin}:{os.environ['PATH']}:/usr/sbin",
            "PYTHONPATH": str(ROOT),
            "CREDENTIALS_DIRECTORY": str(self.root / "etc/felt/secrets" / table),
        }

    def _program(self, name: str, text: str) -> None:
        file = self._bin / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def run(self, commands: str) -> Tried:
        here = _SYSTEM.sub(lambda found: f"{self.root}{found[0]}", commands)
        here = here.replace("/usr/share/felt/", f"{ROOT}/config/")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", here],
            cwd=self.home,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return Tried(commands, done.returncode, done.stdout + done.stderr)


def blocks(page: str) -> list[tuple[str, bool]]:
    """The commands of each block, and whether they may find faults."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [(commands, bool(faults)) for faults, commands in _BLOCK.findall(text)]
