"""Starts felt so that Python runs and imports nothing but its own library, felt, and its packages.

Before the first line of a program Python runs what anybody has put into certain folders: path
files, and modules of certain names. It does none of that if it is told so (``-I``, ``-S``), and
then it also looks for packages in no folder but those that it is given.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

#: Without the environment, the user's folders, what ``site`` adds, and compiled files of its own.
OPTIONS = "-ISB"
ROOT = Path(__file__).resolve().parents[2]


def command(root: Path = ROOT, program: str = "") -> list[str]:
    """The words that start this felt isolated."""
    return [program or sys.executable, OPTIONS, str(root / "controller" / "__main__.py")]


def can_be(root: Path = ROOT) -> bool:
    """Whether all that felt needs stands in the folder that it was installed into.

    Not so in a checkout: what it needs stands elsewhere, and a path file leads to it.
    """
    return root == Path(sysconfig.get_path("purelib")).resolve()


def is_so() -> bool:
    return bool(sys.flags.isolated and sys.flags.no_site)


def must_be() -> None:
    """Begin again in the place of this process, unless it is isolated or can't be."""
    if not is_so() and can_be():
        sys.stdout.flush()
        os.execv(sys.executable, [*command(), *sys.argv[1:]])
