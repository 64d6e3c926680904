"""The words of the commands that write a journal without devices, show it, and prove it."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def add(commands: Any) -> tuple[Any, Any]:
    """The words of ``felt play``, ``felt recall`` and ``felt verify``; whoever takes rulebooks."""
    play = commands.add_parser(
        "play",
        help="run events through journal and machine, without devices",
        description="Run events through journal and machine and print a JSON line for each.",
    )
    play.add_argument("--table", metavar="TABLE.toml", type=Path, required=True)
    play.add_argument("--journal", metavar="J.db", type=Path, required=True)
    play.add_argument(
        "events", metavar="EVENTS.jsonl", type=Path, nargs="?", help="one a line; - or none: stdin"
    )

    recall = commands.add_parser(
        "recall", help="show rounds from a journal", description="Show rounds from a journal."
    )
    recall.add_argument("journal", metavar="J.db", type=Path)
    recall.add_argument("--round", type=int, help="this one")
    recall.add_argument(
        "--laid", action="store_true", help="of --round: how the table lay after each entry"
    )
    recall.add_argument("--last", type=int, default=10, help="the last so many (10)")
    recall.add_argument(
        "--faces-key", metavar="FILE", type=Path, help="the auditors' key: also what the shoe read"
    )

    verify = commands.add_parser(
        "verify",
        help="check every byte of a journal, and that it goes on from heads kept elsewhere",
        description="Check every byte of a journal, and that it goes on from heads kept elsewhere.",
    )
    verify.add_argument("journal", metavar="J.db", type=Path)
    verify.add_argument(
        "--head", metavar="FILE", type=Path, help="heads of it that were kept: a witness's log"
    )
    verify.add_argument(
        "--key", metavar="KEY", help="the table's public key, or its file: signatures are checked"
    )
    return play, recall
