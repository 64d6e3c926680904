"""``felt pin``: set the PIN of one of a table's people; a locked credential is free with it."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path

from controller.daemon import pins
from controller.daemon.client import Client, Unanswered
from controller.daemon.configuration import read
from controller.library import Library
from controller.rules.faults import Refused, listed


def run(given: argparse.Namespace) -> int:
    configuration = read(given.table, Library(*given.folder))
    people = configuration.terms.people
    if given.person not in people:
        problem = f"{given.person} is not among the people of this table"
        raise Refused("", problem, f"there are {listed(people)}")
    if given.stdin:
        pin = sys.stdin.readline().strip()
    else:
        pin = getpass.getpass(f"PIN of {given.person}: ")
        if getpass.getpass("again: ") != pin:
            raise Refused("", "the two are not the same", "try again")
    pins.keep(configuration.secrets, given.person, pin)
    sys.stdout.write(f"the PIN of {given.person} is set\n")
    _tell(configuration.socket, given.person)
    return 0


def _tell(socket: Path, person: str) -> None:
    """The running table takes the new PIN on record; a locked credential is free with it."""
    try:
        with Client(socket) as client:
            client.ask("pin_set", {"person": person})
    except Unanswered:
        sys.stdout.write(
            f"the table does not run: if the credential of {person} is locked it stays so; "
            "set the PIN again while the table runs\n"
        )
    else:
        sys.stdout.write(f"it is on record, and the credential of {person} is not locked\n")
