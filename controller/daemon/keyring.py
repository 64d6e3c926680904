"""A device's key over its life: made, known by its fingerprint, rotated, retired.

The key in use is NAME.key; one that is no longer used goes to a folder beside, with the time, where
no service is handed it: tags in old device logs can still be checked with it. Whatever is done, a
power cut leaves either the key from before or the new one, whole.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from controller.daemon import secrets
from controller.rules.faults import Refused
from drivers.wire.keys import KEY_BYTES

#: Keys of felt's own: they have a life of their own (docs/install.md).
OWN = (secrets.FACES, secrets.ROUNDS, secrets.HEADS)
#: Of a fingerprint, as many hexadecimal digits: enough to tell keys apart, and no key.
FINGERPRINT = 8
_KEY = ".key"


class Kept(NamedTuple):
    """A key as it lies in a folder."""

    name: str
    fingerprint: str
    #: When it was written, in seconds since 1970.
    at: float


def fingerprint(key: bytes) -> str:
    """What may be shown of a key: felt's tools and a maker's show the same."""
    return hashlib.sha256(b"felt key" + key).hexdigest()[:FINGERPRINT]


def kept(folder: Path, name: str) -> Kept | None:
    """The key of a device; none where there is none, ``Refused`` where it can't be read."""
    file = secrets.file_of(folder, f"{secrets.slug(name)}{_KEY}")
    try:
        at = file.stat().st_mtime
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}", "be root") from None
    return Kept(name, fingerprint(secrets.key(folder, name)), at)


def strays(folder: Path, names: Iterable[str]) -> Iterator[str]:
    """Names of keys in a folder that are none of these devices' and not felt's own."""
    known = {secrets.slug(name) for name in (*names, *OWN)}
    yield from sorted(one.stem for one in folder.glob(f"*{_KEY}") if one.stem not in known)


def retired(folder: Path) -> list[str]:
    return sorted(one.name for one in beside(folder).glob(f"*{_KEY}"))


def beside(folder: Path) -> Path:
    """Where keys go that are used no longer: outside of what a service is handed."""
    return folder.with_name(f"{folder.name}.retired")


def rotate(folder: Path, name: str) -> Path:
    """A new key in place of the one in use; where that lies now."""
    file = folder / f"{secrets.slug(name)}{_KEY}"
    before = _set_aside(file)
    secrets.put(file, os.urandom(KEY_BYTES).hex() + "\n", mode=0o400, like_before=True)
    return before


def retire(folder: Path, name: str) -> Path:
    """The key of a device that is no longer there; where it lies now."""
    file = folder / f"{secrets.slug(name)}{_KEY}"
    before = _set_aside(file)
    try:
        file.unlink()
    except OSError as error:
        raise Refused(str(file), f"can't be taken away: {error.strerror}") from None
    return before


def _set_aside(file: Path) -> Path:
    """The same key under another name, before anything becomes of the first."""
    folder = beside(file.parent)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    there = folder / f"{file.stem}.{moment}{_KEY}"
    try:
        key = secrets.read_key(file, file.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        if there.exists():
            raise Refused(str(there), "is there already", "wait a second")
        secrets.put(there, f"{key.hex()}\n", mode=0o400)
    except OSError as error:
        raise Refused(str(folder), f"can't be made: {error.strerror}", "be root") from None
    return there
