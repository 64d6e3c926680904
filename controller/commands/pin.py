"""``felt pin``: set or withdraw the PIN of one of a table's people, also while it runs."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path
from typing import Any

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
    if given.withdraw:
        pins.withdraw(configuration.secrets, given.person)
        sys.stdout.write(f"the PIN of {given.person} is withdrawn\n")
        _tell(configuration.socket, {"person": given.person, "withdrawn": True})
        return 0
    if given.stdin:
        pin = sys.stdin.readline().strip()
    else:
        pin = getpass.getpass(f"PIN of {given.person}: ")
        if getpass.getpass("again: ") != pin:
            raise Refused("", "the two are not the same", "try again")
    kept = pins.keep(configuration.secrets, given.person, pin)
    sys.stdout.write(f"the PIN of {given.person} is set\n")
    _tell(configuration.socket, {"person": given.person, "kept": kept})
    return 0


def _tell(socket: Path, given: dict[str, Any]) -> None:
    """The running table takes it on record, and ends what was opened under the old PIN."""
    person, is_gone = given["person"], "withdrawn" in given
    try:
        with Client(socket) as client:
            client.ask("pin_set", given)
    except Unanswered:
        if is_gone:
            sys.stdout.write("the table does not run: it counts from its next start\n")
            return
        sys.stdout.write(
            f"the table does not run: if the credential of {person} is locked it stays so; "
            "set the PIN again while the table runs\n"
        )
    else:
        if is_gone:
            sys.stdout.write(f"it is on record: {person} does nothing without a new PIN\n")
            return
        sys.stdout.write(f"it is on record, and the credential of {person} is not locked\n")
