"""Where the felt that runs is installed, and whether its own unit could start it there."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from controller.commands import isolated

#: Folders that the unit hides from the service, with what hides them.
HIDDEN = {"/home": "ProtectHome", "/root": "ProtectHome", "/run/user": "ProtectHome",
          "/tmp": "PrivateTmp", "/var/tmp": "PrivateTmp"}  # fmt: skip
#: Where a package puts it, and the folder of all that it brings.
PACKAGED = "/usr/bin/felt"
PACKAGES = "usr/lib/felt"


def exec_start() -> str:
    """The command to start this felt by: isolated, wherever that can be."""
    if isolated.ROOT.as_posix().endswith(PACKAGES):
        return PACKAGED
    if isolated.is_so() or isolated.can_be():
        return " ".join(isolated.command())
    script = Path(sysconfig.get_path("scripts")) / "felt"
    return str(script) if script.exists() else PACKAGED


def hidden(*programs: str) -> tuple[str, str, str] | None:
    """Why the service would not find them, as the parts of a refusal; nothing if it would."""
    for program in programs:
        for folder, by in HIDDEN.items():
            if program.startswith(f"{folder}/"):
                problem = f"the service does not see what is below {folder} ({by})"
                step = "install felt from the package, or into an environment below /opt"
                return program, problem, step
    return None


def running() -> tuple[str, str]:
    """What the service would have to find: this felt, and the Python behind its environment."""
    return exec_start().partition(" ")[0], str(Path(sys.executable).resolve())
