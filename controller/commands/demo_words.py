"""The words of ``felt demo``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

#: Where the pages are, if nobody else is there.
PORT = 8400


def add(commands: Any) -> argparse.ArgumentParser:
    demo: argparse.ArgumentParser = commands.add_parser(
        "demo",
        help="play a whole table without hardware",
        description="Play a whole table without hardware: the daemon on simulated devices, with "
        "simulated people.",
    )
    demo.add_argument("--table", metavar="TABLE.toml", type=Path, help="which (Caribbean Stud)")
    demo.add_argument(
        "--rounds", metavar="N", type=_whole, default=10**9, help="stop after so many"
    )
    demo.add_argument(
        "--speed", metavar="N|max", default="1", help="times as fast as people; max: no waiting"
    )
    demo.add_argument(
        "--seed", metavar="N", type=_whole, default=0, help="the same seed, the same play"
    )
    demo.add_argument(
        "--faults",
        metavar="[DEVICE:]FAULT",
        nargs="+",
        default=[],
        help="what goes wrong: shoe:jam@30, shuffler:wrong-count, 'wire acceptors:lost=0.1'; "
        "'?' lists what there is",
    )
    demo.add_argument(
        "--hold",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="a device jams in the second round, and its hold stays for a while (where somebody "
        "watches, and no --faults are given)",
    )
    demo.add_argument("--no-faces", action="store_true", help="a shoe that does not read the cards")
    demo.add_argument("--keep", metavar="DIR", type=Path, help="keep all of the table in DIR")
    demo.add_argument(
        "--no-console", action="store_true", help="without pages for a browser (max has none)"
    )
    demo.add_argument(
        "--port",
        metavar="N",
        type=_whole,
        default=PORT,
        help=f"of the pages; if it is taken, the next that is free ({PORT})",
    )
    return demo


def _whole(text: str) -> int:
    """A whole number that is not below 0; argparse says what is wrong with another one."""
    number = int(text)
    if number < 0:
        raise ValueError
    return number
