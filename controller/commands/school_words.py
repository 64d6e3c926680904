"""The words of ``felt school``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from controller.commands.demo_words import PORT


def add(commands: Any) -> argparse.ArgumentParser:
    school: argparse.ArgumentParser = commands.add_parser(
        "school",
        help="drills for a trainee dealer, on a simulated table",
        description="Keep a school: drills for a trainee dealer on a simulated table, chosen and "
        "reported on a page.",
    )
    school.add_argument(
        "--drills", metavar="DIR", type=Path, help="other drills than those that felt ships with"
    )
    school.add_argument(
        "--list", action="store_true", help="only list the drills, with what each teaches"
    )
    school.add_argument(
        "--speed", metavar="N", default="1", help="how much faster than people the others are (1)"
    )
    school.add_argument(
        "--keep", metavar="DIR", type=Path, help="keep the journals of the tables in DIR"
    )
    school.add_argument(
        "--port",
        metavar="N",
        type=int,
        default=PORT,
        help=f"of the pages; if it is taken, the next that is free ({PORT})",
    )
    return school
