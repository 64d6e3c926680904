"""Whose a badge is: digests of numbers, in one file of the secrets folder, beside the PINs.

The number of a badge is a secret: whoever knows it can make another card with it. So it is kept
nowhere, as PINs are not, and named on record by a digest that nobody can make without this file. As
a number says nothing of whose it is, all of them are hashed with one salt, so that it can be found.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path

import msgspec

from controller.daemon import pins
from controller.daemon.secrets import file_of, put
from controller.rules.faults import Refused

FILE = "people.badges"
#: Shorter ones are guessed too soon; more does not go over a wire under its cover.
LEAST, MOST = 4, 32
#: Of a digest, so much stands on record.
_NAMED = 8
_SALT_BYTES = 16
#: As for a PIN: a twentieth of a second for each try.
_N, _R, _P = 1 << 14, 8, 1
_NUMBER = re.compile(rf"[0-9A-Za-z.:-]{{{LEAST},{MOST}}}", re.ASCII)


class Badge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    person: str
    #: It was somebody's: whoever holds it to a reader is refused, and that says whose it was.
    withdrawn: bool = False


class Badges(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    salt: str
    #: By the digest of its number.
    known: dict[str, Badge] = {}

    def of(self, person: str) -> str | None:
        """The digest of the badge that a person has."""
        found = (d for d, one in self.known.items() if one.person == person and not one.withdrawn)
        return next(found, None)


def named(digest: str) -> str:
    """What a badge is called on record."""
    return digest[:_NAMED]


def plain(number: str) -> str:
    """A number as every reader writes it, or ``Refused``: it is in no word of that."""
    found = number.strip()
    if not _NUMBER.fullmatch(found):
        allowed = f"{LEAST} to {MOST} letters, digits and . : -"
        raise Refused("badge", "is no number of a badge", allowed)
    return found.upper()


def digest(salt: str, number: str) -> str:
    """Takes a while, on purpose: not for the loop."""
    made = hashlib.scrypt(
        plain(number).encode(), salt=bytes.fromhex(salt), n=_N, r=_R, p=_P, dklen=32
    )
    return made.hex()


def read(folder: Path) -> Badges | None:
    """What the file says, if there is one; ``Refused`` where it is not as it must be."""
    file = file_of(folder, FILE)
    if not file.exists():
        return None
    data = pins.guarded(file, "felt badge makes it")
    try:
        found = msgspec.json.decode(data, type=Badges)
        if len(bytes.fromhex(found.salt)) != _SALT_BYTES:
            raise ValueError
    except (msgspec.MsgspecError, ValueError):
        step = "move it away and give them out: felt badge"
        raise Refused(str(file), "is not a file of badges", step) from None
    return found


def give(folder: Path, person: str, number: str) -> tuple[Badges, str]:
    """The badge with this number is the person's from now on, in place of the one before."""
    known = read(folder) or Badges(os.urandom(_SALT_BYTES).hex())
    made = digest(known.salt, number)
    before = known.known.get(made)
    if before is not None and not before.withdrawn and before.person != person:
        step = f"felt badge {before.person} --withdraw first"
        raise Refused("badge", f"is the badge of {before.person}", step)
    after = {**_without(known, person), made: Badge(person)}
    return _put(folder, Badges(known.salt, after)), made


def withdraw(folder: Path, person: str) -> tuple[Badges, str]:
    known = read(folder)
    if known is None or (had := known.of(person)) is None:
        raise Refused("", f"{person} has no badge")
    return _put(folder, Badges(known.salt, _without(known, person))), had


def _without(known: Badges, person: str) -> dict[str, Badge]:
    return {
        made: Badge(person, withdrawn=True) if one.person == person else one
        for made, one in known.known.items()
    }


def _put(folder: Path, known: Badges) -> Badges:
    text = json.dumps(msgspec.to_builtins(known), indent=1, sort_keys=True) + "\n"
    put(folder / FILE, text, mode=0o600, like_before=True)
    return known
