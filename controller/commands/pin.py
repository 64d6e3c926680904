"""``felt pin``: set the PIN of one of a table's people."""

from __future__ import annotations

import argparse
import getpass
import sys

from controller.daemon import pins
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
    return 0
