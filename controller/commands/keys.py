"""``felt keys``: a key for each device of a table, and the one that faces are sealed with."""

from __future__ import annotations

import argparse
import sys

from controller.daemon import secrets
from controller.daemon.configuration import read
from controller.library import Library
from controller.rules.faults import Refused


def run(given: argparse.Namespace) -> int:
    configuration = read(given.table, Library(*given.folder))
    folder = given.secrets
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(str(folder), f"can't be made: {error.strerror}") from None
    names = (*configuration.devices, secrets.FACES)
    made = [name for name in names if secrets.make_key(folder, name)]
    for name in made:
        sys.stdout.write(f"made {folder}/{secrets.slug(name)}.key\n")
    sys.stdout.write(f"{len(made)} made, {len(names) - len(made)} were there\n")
    return 0
