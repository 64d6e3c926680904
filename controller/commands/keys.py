"""``felt keys``: the keys of a table's devices over their lives: new, list, rotate, retire.

With a folder in place of what to do it makes the missing ones there: on a PC that is no table's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from controller.commands.columns import columns
from controller.daemon import keyring, secrets
from controller.daemon.client import Client
from controller.daemon.configuration import Configuration, read
from controller.daemon.heads import public_key
from controller.library import Library
from controller.rules.faults import Refused, listed

Lines = Iterator[str]


def run(given: argparse.Namespace) -> int:
    act = ACTIONS.get(given.action)
    configuration = read(given.table, Library(*given.folder))
    folder = given.secrets or configuration.secrets
    if act is None:
        if given.secrets or given.device:
            raise Refused("felt keys", f"{given.action!r} can't be done", listed(ACTIONS))
        act, folder = _new, Path(given.action)
    for line in act(configuration, folder, given.device):
        sys.stdout.write(f"{line}\n")
    return 0


# --- new --------------------------------------------------------------------------


def _new(configuration: Configuration, folder: Path, device: str) -> Lines:
    """Those that are missing: of the devices that can prove themselves, of faces and of heads."""
    if device:
        raise Refused("felt keys new", "makes all that are missing", f"felt keys rotate {device!r}")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(str(folder), f"can't be made: {error.strerror}") from None
    # Where the auditors' public key lies, nobody here has theirs; where the sealed ones lie, the
    # service gets these from systemd and not from here.
    has_public = (folder / secrets.AUDITORS).exists()
    is_sealed = has_public and secrets.sealed_folder(folder).is_dir()
    own = (secrets.ROUNDS if has_public else secrets.FACES, secrets.HEADS)
    names = (*configuration.proving, *(() if is_sealed else own))
    made = [name for name in names if secrets.make_key(folder, name)]
    for name in made:
        yield f"made {folder}/{secrets.slug(name)}.key"
    yield f"{len(made)} made, {len(names) - len(made)} were there"
    if without := _without(configuration):
        yield f"without a key, as they can't prove who they are: {', '.join(without)}"
    if not is_sealed:
        signs = public_key(secrets.key(folder, secrets.HEADS), configuration.terms.id)
        yield f"the heads of its journal are signed by {signs}"


def _without(configuration: Configuration) -> list[str]:
    return [name for name in configuration.devices if name not in configuration.proving]


# --- list -------------------------------------------------------------------------


def _list(configuration: Configuration, folder: Path, device: str) -> Lines:
    """What each device has, what the table expects, and what is there now."""
    names = [one for one in configuration.devices if device in ("", one)]
    if not names:
        raise _no_device(configuration, device)
    there = _at_the_table(configuration)
    since = _runs_since(configuration) if there is not None else None
    rows = [("device", "key", "made", "named", "at the table")]
    newer = []
    for name in names:
        key, made = "-", "-"
        if name in configuration.proving:
            found = keyring.kept(folder, name)
            key = "MISSING" if found is None else found.fingerprint
            if found is not None:
                made = datetime.fromtimestamp(found.at, UTC).strftime("%Y-%m-%d")
                if since is not None and found.at > since:
                    newer.append(name)
        named = configuration.daemon.serial_numbers.get(name, "-")
        stands = "felt does not run" if there is None else _stands(there.get(name))
        rows.append((name, key, made, named, stands))
    yield from columns(rows, indent="")
    if newer:
        yield f"felt has the keys from before of {listed(newer)}: restart the service"
    if device:
        return
    for stray in keyring.strays(folder, configuration.proving):
        yield f"{stray}.key is of no device of this table: felt keys retire {stray}"
    if gone := keyring.retired(folder):
        yield f"retired, in {keyring.beside(folder)}: {', '.join(gone)}"


def _at_the_table(configuration: Configuration) -> dict[str, dict[str, Any]] | None:
    """The devices as the felt has them that runs; none if none does."""
    try:
        with Client(configuration.socket) as client:
            return {one["device"]: one for one in client.ask("status")["devices"]}
    except Refused:
        return None


def _runs_since(configuration: Configuration) -> float | None:
    try:
        return configuration.socket.stat().st_mtime
    except OSError:
        return None


def _stands(one: dict[str, Any] | None) -> str:
    if one is None:
        return "-"
    number = f", {one['serial_number']}" if one["serial_number"] else ""
    firmware = f", firmware {one['firmware'][:16]}" if one["firmware"] else ""
    return f"{one['status']}{number}{firmware}"


# --- rotate and retire ------------------------------------------------------------


def _rotate(configuration: Configuration, folder: Path, device: str) -> Lines:
    """A new key, for a device that is exchanged or whose key somebody else may have seen."""
    if device not in configuration.proving:
        raise _no_device(configuration, device)
    before = keyring.rotate(folder, device)
    file, table = folder / f"{secrets.slug(device)}.key", configuration.terms.id
    found = keyring.kept(folder, device)
    assert found is not None
    yield f"{device} has a new key, {found.fingerprint}, in {file}"
    yield f"the one before lies in {before}: device logs of until now are checked with it"
    yield ""
    yield "Next:"
    yield "  finish the round and close the table"
    yield f"  load the new key into the device with its maker's tool: {file}"
    yield f"  systemctl restart felt@{table}, which takes the new key"
    yield f"  felt keys list {device!r} --table {configuration.file}"


def _retire(configuration: Configuration, folder: Path, device: str) -> Lines:
    """The key of a device that this table has no more."""
    slug = secrets.slug(device)
    if slug in {secrets.slug(name) for name in configuration.proving}:
        wire = next(
            one.wire for one in configuration.devices.values() if secrets.slug(one.name) == slug
        )
        step = f"take it off the table file first; felt keys rotate {device!r} makes another"
        raise Refused(device, f"is on wires.{wire}, and needs its key", step)
    if slug not in keyring.strays(folder, configuration.proving):
        left = listed(keyring.strays(folder, configuration.proving))
        raise Refused(device or "felt keys retire", "names no key that is left over", left)
    yield f"{slug}.key is used no longer, and lies in {keyring.retire(folder, slug)}"


def _no_device(configuration: Configuration, device: str) -> Refused:
    if device in configuration.devices:
        return Refused(device, "has no key: it can't prove who it is", "docs/hardware.md")
    problem = "is no device of this table" if device else "say which device"
    return Refused(device or "felt keys", problem, listed(configuration.proving))


ACTIONS: dict[str, Callable[[Configuration, Path, str], Lines]] = {
    "new": _new,
    "list": _list,
    "rotate": _rotate,
    "retire": _retire,
}
