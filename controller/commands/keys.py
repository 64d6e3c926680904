"""``felt keys``: a key for each device that can prove itself, and the one that seals faces."""

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
    names = (*configuration.proving, secrets.FACES)
    made = [name for name in names if secrets.make_key(folder, name)]
    for name in made:
        sys.stdout.write(f"made {folder}/{secrets.slug(name)}.key\n")
    sys.stdout.write(f"{len(made)} made, {len(names) - len(made)} were there\n")
    if without := [name for name in configuration.devices if name not in configuration.proving]:
        sys.stdout.write(f"without a key, as they can't prove who they are: {', '.join(without)}\n")
    return 0
