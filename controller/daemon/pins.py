"""PINs: how a person shows who they are. Kept as salted hashes, in one file of the secrets folder.

A PIN has few digits, so whoever reads the file finds them all in an hour: what protects them is
that nobody else may read it, and that wrong ones are counted (see ``controller.table``).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import stat
from pathlib import Path

from controller.daemon.secrets import file_of, put
from controller.rules.faults import Refused

FILE = "people.pins"
LEAST, MOST = 4, 12
#: Nobody has so many people that their hashes need more.
MAX_BYTES = 1 << 20

_SALT_BYTES = 16
#: About a twentieth of a second and 16 MB for each try.
_N, _R, _P = 1 << 14, 8, 1


def is_kept(folder: Path) -> bool:
    """Whether people at this table prove who they are."""
    return file_of(folder, FILE).exists()


def guarded(file: Path, step: str) -> bytes:
    """What a file holds that nobody else may read, or ``Refused``."""
    try:
        with file.open("rb") as opened:
            mode = stat.S_IMODE(os.fstat(opened.fileno()).st_mode)
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}", step) from None
    if mode & 0o027:
        raise Refused(str(file), f"others may read or write it ({mode:03o})", f"chmod 600 {file}")
    return data


def read(folder: Path) -> dict[str, str]:
    """The hashes by person, or ``Refused`` where the file is not as it must be."""
    file = file_of(folder, FILE)
    data = guarded(file, "felt pin makes it")
    try:
        found = json.loads(data) if len(data) <= MAX_BYTES else None
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise Refused(str(file), "is not a file of PINs", "move it away and set them: felt pin")
    return found


def is_right(kept: str, pin: str) -> bool:
    """Whether a PIN is the one that was set. Takes a while, on purpose: not for the loop."""
    try:
        scheme, n, r, p, salt, wanted = kept.split(":")
        if scheme != "scrypt":
            return False
        made = hashlib.scrypt(
            pin.encode(), salt=bytes.fromhex(salt), n=int(n), r=int(r), p=int(p), dklen=32
        )
        return hmac.compare_digest(made, bytes.fromhex(wanted))
    except ValueError:
        return False


def hashed(pin: str) -> str:
    if not (LEAST <= len(pin) <= MOST and pin.isascii() and pin.isdecimal()):
        raise Refused("PIN", "is not a PIN", f"{LEAST} to {MOST} digits")
    salt = os.urandom(_SALT_BYTES)
    made = hashlib.scrypt(pin.encode(), salt=salt, n=_N, r=_R, p=_P, dklen=32)
    return f"scrypt:{_N}:{_R}:{_P}:{salt.hex()}:{made.hex()}"


def keep(folder: Path, person: str, pin: str) -> str:
    """Set a person's PIN, and its hash. The file is whole at any instant, whatever happens."""
    known = read(folder) if is_kept(folder) else {}
    made = hashed(pin)
    _put(folder, {**known, person: made})
    return made


def withdraw(folder: Path, person: str) -> None:
    """Take a person's PIN away; though it was the last one, nobody acts without one."""
    known = read(folder) if is_kept(folder) else {}
    if person not in known:
        raise Refused("", f"{person} has no PIN")
    _put(folder, {one: kept for one, kept in known.items() if one != person})


def _put(folder: Path, known: dict[str, str]) -> None:
    text = json.dumps(known, indent=1, sort_keys=True) + "\n"
    put(folder / FILE, text, mode=0o600, like_before=True)
