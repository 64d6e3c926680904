"""Lays out the keys of faces: sealed on the PC that they are for, and in plain anywhere else.

On the PC itself the service gets the key that seals the one of the round, from systemd, which alone
can open it, and of the auditors' key only the public half. That key is sealed here as well, until
somebody takes it to the auditors. What lay in plain before is sealed, and then gone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from controller.commands.layout import Done, Layout
from controller.daemon import creds, secrets
from controller.daemon.heads import public_key
from controller.daemon.sealing import public_of
from controller.rules.faults import Refused
from drivers.wire.keys import KEY_BYTES

#: Each of a service's sealed keys, by the name under which it is handed over.
HANDED_OVER = {
    f"{secrets.UNSEALED}_{name}.key": f"{name}.key" for name in (secrets.ROUNDS, secrets.HEADS)
}
_FACES = f"{secrets.FACES}.key"


def handed_over(table: str) -> Iterator[str]:
    """As the unit says it: the name, and the file."""
    for name, file in HANDED_OVER.items():
        yield f"{name}:{_folder(table)}/{file}"


def lay(layout: Layout, table: str) -> list[str]:
    """Make and seal what is not there yet; what a person has to do with it."""
    folder, given = _folder(table), f"/etc/felt/secrets/{table}"
    layout.folder(f"/etc/felt/{secrets.UNSEALED}", 0o700)
    layout.folder(folder, 0o700)
    for name, file in HANDED_OVER.items():
        if not layout.has(f"{folder}/{file}"):
            before = layout.at(f"{given}/{file}")
            # Dry, whoever asks may not even look.
            known = not layout.dry and before.exists()
            key = secrets.read_key(before, before.parent) if known else os.urandom(KEY_BYTES)
            _sealed(layout, f"{folder}/{file}", name, key)
            if file == f"{secrets.HEADS}.key" and not layout.dry:
                signer = f"{public_key(key, table)}\n"
                secrets.put(layout.at(f"{given}/{secrets.SIGNER}"), signer, mode=0o444)
            if known:
                _overwritten(before)
                layout.done.append(Done("replace", f"{given}/{file}", "it lay in plain"))
    plain, public = f"{given}/{_FACES}", f"{given}/{secrets.AUDITORS}"
    if layout.has(plain) or not layout.has(public):
        _auditors(layout, table, plain, public)
    if not layout.has(f"{folder}/{_FACES}") and not layout.dry:
        return []
    opens = f"systemd-creds decrypt --name={_FACES} {folder}/{_FACES} -"
    return [f"take the auditors' key to them ({opens}), and delete {folder}/{_FACES} here"]


def _auditors(layout: Layout, table: str, plain: str, public: str) -> None:
    """Their key: the one that lay in plain, or a new one. Here it stays only if it is sealed."""
    if layout.dry:
        layout.done.append(Done("make key", f"{_folder(table)}/{_FACES}"))
        return
    given = layout.at(plain)
    private = secrets.read_key(given, given.parent) if given.exists() else os.urandom(KEY_BYTES)
    _sealed(layout, f"{_folder(table)}/{_FACES}", _FACES, private)
    half = f"{public_of(private).hex()}\n"
    secrets.put(layout.at(public), half, mode=0o444)
    layout.done.append(Done("make key", public))
    if given.exists():
        _overwritten(given)
        layout.done.append(Done("replace", plain, "it lay in plain, and is sealed now"))


def _sealed(layout: Layout, path: str, name: str, key: bytes) -> None:
    layout.done.append(Done("make key", path, "sealed"))
    if layout.dry:
        return
    text = f"{key.hex()}\n".encode()
    sealed = creds.seal(name, text)
    if creds.unseal(name, sealed) != text:
        raise Refused(path, "can't be opened again after it was sealed", "look at systemd-creds")
    secrets.put(layout.at(path), sealed.decode("ascii"), mode=0o400)


def _overwritten(file: Path) -> None:
    """In its place first, as far as a disk does that; then it is gone."""
    with file.open("r+b") as opened:
        opened.write(bytes(file.stat().st_size))
        opened.flush()
        os.fsync(opened.fileno())
    file.unlink()


def plain(layout: Layout, table: str) -> list[str]:
    """For another PC's system, or one without systemd's credentials: as files, and it is said."""
    folder = f"/etc/felt/secrets/{table}"
    if layout.has(f"{folder}/{secrets.AUDITORS}"):
        return []
    path = f"{folder}/{_FACES}"
    for name in (secrets.FACES, secrets.HEADS):
        if not layout.has(f"{folder}/{name}.key"):
            if not layout.dry:
                secrets.make_key(layout.at(folder), name)
            layout.done.append(Done("make key", f"{folder}/{name}.key"))
    return [f"{path} lies in plain: run felt install once more on the table PC, which seals it"]


def _folder(table: str) -> str:
    return f"/etc/felt/{secrets.UNSEALED}/{table}"
