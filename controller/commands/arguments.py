"""What several commands take alike."""

from __future__ import annotations

import argparse
from pathlib import Path


def takes_rulebooks(*commands: argparse.ArgumentParser) -> None:
    """Folders of the operator's own, in ``folder``; it is not there if none is given."""
    for command in commands:
        command.add_argument(
            "--rulebooks",
            dest="folder",
            metavar="DIR",
            type=Path,
            action="append",
            default=argparse.SUPPRESS,
            help="a folder with rulebooks of your own (repeatable)",
        )
