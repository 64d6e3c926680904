"""``felt badge``: give one of a table's people a badge, or take it away, also while it runs."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path
from typing import Any

from controller.commands.columns import columns
from controller.daemon import badges
from controller.daemon.client import Client, Unanswered
from controller.daemon.configuration import read
from controller.library import Library
from controller.rules.faults import Refused, listed


def run(given: argparse.Namespace) -> int:
    configuration = read(given.table, Library(*given.folder))
    people, secrets = configuration.terms.people, configuration.secrets
    if given.person is None:
        return _list(secrets)
    if given.person not in people and not given.withdraw:
        problem = f"{given.person} is not among the people of this table"
        raise Refused("", problem, f"there are {listed(people)}")
    if given.withdraw:
        known, digest = badges.withdraw(secrets, given.person)
    else:
        known, digest = badges.give(secrets, given.person, _number(given))
    has = "has no badge" if given.withdraw else "has a badge"
    sys.stdout.write(f"{given.person} {has}; on record it is {badges.named(digest)}\n")
    _tell(
        configuration.socket,
        {
            "person": given.person,
            "digest": digest,
            "salt": known.salt,
            "withdrawn": given.withdraw,
        },
    )
    return 0


def _number(given: argparse.Namespace) -> str:
    """Typed by a reader that is a keyboard, or by hand; never an argument, which others can see."""
    if given.stdin:
        return sys.stdin.readline().strip()
    return getpass.getpass(f"hold the badge of {given.person} to the reader, or type its number: ")


def _list(secrets: Path) -> int:
    """Whose badges there are, as the record names them."""
    known = badges.read(secrets)
    rows = [
        (one.person, badges.named(digest), "withdrawn" if one.withdrawn else "")
        for digest, one in (known.known if known is not None else {}).items()
    ]
    lines = columns(sorted(rows), indent="") or ["nobody has one"]
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in lines))
    return 0


def _tell(socket: Path, given: dict[str, Any]) -> None:
    try:
        with Client(socket) as client:
            client.ask("badge_set", given)
    except Unanswered:
        sys.stdout.write("the table does not run: it counts from its next start\n")
    else:
        sys.stdout.write("it is on record, and counts from now on\n")
