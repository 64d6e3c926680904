"""Keys and passwords: files in one folder that nobody else may read. Never in a table file."""

from __future__ import annotations

import os
from pathlib import Path

from controller.rules.faults import Refused
from drivers.wire.keys import KEY_BYTES

#: The auditors' key, which opens the faces that a shoe has read in any round.
FACES = "faces"
#: The key that signs the heads of the table's journal.
HEADS = "heads"
#: Its public half, as whoever checks a signed head is given it.
SIGNER = "heads.pub"
#: Its public half, where it lies elsewhere itself: with it faces are sealed.
AUDITORS = "faces.pub"
#: The key that seals the one of the round that is played.
ROUNDS = "rounds"
#: What the unit calls the folder that it hands over, and what it has unsealed to hand it over.
CREDENTIAL = "secrets"
UNSEALED = "sealed"


def key(folder: Path, name: str) -> bytes:
    """The key of a device, or ``Refused``: 64 hexadecimal digits in NAME.key."""
    return read_key(file_of(folder, f"{slug(name)}.key"), folder)


def public(folder: Path) -> bytes:
    """The public half of the auditors' key, or ``Refused``."""
    return read_key(file_of(folder, AUDITORS), folder)


def read_key(file: Path, folder: Path) -> bytes:
    try:
        text = file.read_text(encoding="ascii").strip()
        made = bytes.fromhex(text)
    except FileNotFoundError:
        raise Refused(
            str(file), "is missing", f"felt keys {folder} --table TABLE.toml makes it"
        ) from None
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    except ValueError:
        raise Refused(str(file), "is not a key", f"{2 * KEY_BYTES} hexadecimal digits") from None
    if len(made) != KEY_BYTES:
        problem = f"has {len(text)} digits"
        raise Refused(str(file), problem, f"{2 * KEY_BYTES} hexadecimal digits")
    return made


def key_if_there(folder: Path, name: str) -> bytes | None:
    """The key of that name; none where none was ever made."""
    if not file_of(folder, f"{slug(name)}.key").exists():
        return None
    return key(folder, name)


def password(folder: Path, name: str) -> str:
    file = file_of(folder, f"{slug(name)}.password")
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        said = error.strerror or "can't be read"
        raise Refused(str(file), said, "put the broker's password for this table there") from None


def password_if_there(folder: Path, name: str) -> str:
    """The password of that name; empty where nobody has put one."""
    there = file_of(folder, f"{slug(name)}.password").exists()
    return password(folder, name) if there else ""


def make_key(folder: Path, name: str) -> bool:
    """Make a key, unless there is one. True if it was made."""
    file = folder / f"{slug(name)}.key"
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    except FileExistsError:
        return False
    except OSError as error:
        raise Refused(str(file), f"can't be written: {error.strerror}") from None
    with os.fdopen(handle, "w", encoding="ascii") as opened:
        opened.write(os.urandom(KEY_BYTES).hex() + "\n")
    return True


def put(file: Path, text: str, *, mode: int, like_before: bool = False) -> None:
    """Write a file in place of the one before, whole at any instant, or ``Refused``.

    ``like_before``: root writes it and the service reads it, so it stays the service's.
    """
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(handle)
        if like_before and os.geteuid() == 0:
            before = (file if file.exists() else file.parent).stat()
            os.chown(part, before.st_uid, before.st_gid)
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Refused(str(file), f"can't be written: {error.strerror}") from None


def file_of(folder: Path, name: str) -> Path:
    """A secret by its name; systemd puts the name of the credential before those of a folder."""
    given = (folder / f"{credential}_{name}" for credential in (UNSEALED, CREDENTIAL))
    return next((one for one in given if one.exists()), folder / name)


def is_unsealed(folder: Path) -> bool:
    """Whether the keys of faces come from where a copy of the disk does not open them."""
    plain = file_of(folder, f"{FACES}.key").exists()
    return not plain and (folder / f"{UNSEALED}_{ROUNDS}.key").exists()


def sealed_folder(folder: Path) -> Path:
    """Where keys lie that only this PC's systemd opens, beside a folder of /etc/felt/secrets."""
    return folder.parent.parent / UNSEALED / folder.name


def slug(name: str) -> str:
    return name.replace(" ", "-")
