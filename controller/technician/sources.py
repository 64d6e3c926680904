"""Where logs come from: files and folders, a cut, a bundle, or the flights of a journal."""

from __future__ import annotations

import stat
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.rules.faults import Refused
from controller.technician import cut, flights, logs
from controller.technician.logs import Damages, Logs
from drivers.wire.devicelog import Damage, Header
from drivers.wire.logreading import read_headers

#: The list of what is in a bundle.
BUNDLED = "contents.json"
_ZIP = b"PK\x03\x04"
_NEXT = "name device logs, the folder they are in, or a cut"


@contextmanager
def opened(paths: list[Path], number: int | None = None) -> Iterator[Logs]:
    """What they have, as long as somebody looks; of a journal's flights, those of a round.

    ``Refused`` if there is nothing in them at all.
    """
    first = paths[0]
    if len(paths) > 1 and any(cut.is_cut(one) or flights.is_journal(one) for one in paths):
        raise Refused(str(first), "a cut, a bundle or a journal is looked at alone", "name one")
    if is_bundle(first):
        with files_in(first) as found_in:
            yield _read(found_in)
    elif cut.is_cut(first):
        found = cut.read(first)
        yield Logs([found.run], found.damage)
    elif flights.is_journal(first):
        with flights.opened(first, number) as kept:
            yield kept
    else:
        yield _read(paths)


@contextmanager
def files_in(path: Path) -> Iterator[list[Path]]:
    """The logs in a folder, a cut or a bundle, or the one that is named, as long as wanted."""
    if not cut.is_cut(path):
        yield files([path])
        return
    with tempfile.TemporaryDirectory(prefix="felt-logs-") as made:
        cut.unpack(path, Path(made))
        yield files([Path(made)])


def is_bundle(path: Path) -> bool:
    if not cut.is_cut(path):
        return False
    try:
        with zipfile.ZipFile(path) as packed:
            return BUNDLED in packed.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _read(paths: list[Path]) -> Logs:
    strange = Damages()
    found = logs.read(files(paths, strange))
    for one in strange.first.values():
        found.damage.add(one)
    if not found.runs:
        raise Refused("logs", "; ".join(found.damage.said()[:3]), _NEXT)
    return found


def to_replay(paths: list[Path]) -> list[Path]:
    """A cut, or the files of the logs; ``Refused`` if none of them is a log."""
    if len(paths) == 1 and cut.is_cut(paths[0]):
        return paths
    found = files(paths)
    for path in found:
        for _, header in read_headers(path):
            if isinstance(header, Header):
                return found
    raise Refused("logs", f"no header of a device log is in {found[0]}", _NEXT)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_ZIP))


def files(paths: Iterable[Path], damage: Damages | None = None) -> list[Path]:
    """The files, and the logs in folders by their names; ``Refused`` for what can't be one.

    What is no file among the logs of a folder is named in ``damage``.
    """
    found: list[Path] = []
    for path in paths:
        try:
            mode = path.stat().st_mode
            inside = sorted(path.iterdir()) if stat.S_ISDIR(mode) else None
            begins = _beginning(path) if stat.S_ISREG(mode) else b""
        except OSError as error:
            raise Refused(str(path), f"can't be read: {error.strerror}", _NEXT) from None
        if begins == _ZIP:
            raise Refused(str(path), "is a cut or a bundle that is damaged", "copy it again")
        if inside is None:
            if not stat.S_ISREG(mode):
                # It would be waited for, and it can be read only once.
                raise Refused(str(path), "is no file", "write what comes from it into one")
            found.append(path)
            continue
        for one in inside:
            if one.name.endswith((".log", ".log.gz")):
                if one.is_file():
                    found.append(one)
                elif damage is not None:
                    damage.add(Damage(one, 0, "is no file"))
    if not found:
        raise Refused("logs", "none were found", _NEXT)
    return found
