"""``felt keys``: a key for each device that can prove itself, for the faces and for the heads."""

from __future__ import annotations

import argparse
import sys

from controller.daemon import secrets
from controller.daemon.configuration import read
from controller.daemon.heads import public_key
from controller.library import Library
from controller.rules.faults import Refused


def run(given: argparse.Namespace) -> int:
    configuration = read(given.table, Library(*given.folder))
    folder = given.secrets
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(str(folder), f"can't be made: {error.strerror}") from None
    # Where the auditors' public key lies, nobody here has theirs.
    has_public = (folder / secrets.AUDITORS).exists()
    faces = secrets.ROUNDS if has_public else secrets.FACES
    names = (*configuration.proving, faces, secrets.HEADS)
    made = [name for name in names if secrets.make_key(folder, name)]
    for name in made:
        sys.stdout.write(f"made {folder}/{secrets.slug(name)}.key\n")
    sys.stdout.write(f"{len(made)} made, {len(names) - len(made)} were there\n")
    if without := [name for name in configuration.devices if name not in configuration.proving]:
        sys.stdout.write(f"without a key, as they can't prove who they are: {', '.join(without)}\n")
    signs = public_key(secrets.key(folder, secrets.HEADS), configuration.terms.id)
    sys.stdout.write(f"the heads of its journal are signed by {signs}\n")
    return 0
