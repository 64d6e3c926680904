"""``felt driver``: drivers of vendors beside the felt of the Debian package.

Debian lets pip install nothing, and felt, isolated, would not look where pip puts it. So wheels are
unpacked into one folder, which the package's launcher knows: a driver and what it needs, each whole
or not at all. A vendor's Debian package puts the same files into the folder beside it.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePath

from controller.commands import wheels
from controller.commands.wheels import Wheel
from controller.daemon import signature, vendors
from controller.daemon.packages import FELT, plain
from controller.rules.faults import Refused, listed
from drivers import finding

_STAGED = ".felt-driver-"
_NEXT = """\
What runs at the tables is another program now, and their self-checks say so. Have it approved, then
for each table:
  sudo felt signature --table /etc/felt/tables/TABLE.toml --record
  sudo systemctl restart felt@TABLE     (closed, between two rounds)
"""


def run(given: argparse.Namespace) -> int:
    doing: dict[str | None, Callable[[argparse.Namespace], int]] = {"add": _add, "remove": _remove}
    return doing.get(given.action, _list)(given)


def _list(_: argparse.Namespace) -> int:
    """Every driver that this felt finds, where it is from, and what is wrong with it."""
    found = finding.find()
    for name, one in found.drivers.items():
        package = finding.package(name)
        whose = "felt's own" if plain(package) == FELT else f"of {package}"
        sys.stdout.write(f"{name}: drives {one.kind}, {whose}\n")
    for name, why in found.broken.items():
        sys.stdout.write(f"{name}: BROKEN: {why}\n")
    return 1 if found.broken else 0


def _add(given: argparse.Namespace) -> int:
    add(given.wheels, _folder())
    return 0


def _remove(given: argparse.Namespace) -> int:
    remove(given.name, _folder())
    return 0


def add(files: Sequence[Path], folder: Path) -> None:
    """All of these wheels into the folder, or ``Refused`` and none of them."""
    found = [wheels.read(file) for file in files]
    _must_fit(found, folder)
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=_STAGED, dir=folder.parent) as staged:
        for one in found:
            _unpack(one, Path(staged) / "new")
        kinds = _tried(found, Path(staged) / "new", folder)
        _put(found, folder, Path(staged))
    for one in found:
        sys.stdout.write(f"{one.name} {one.version} is in {folder}\n")
    for driver, kind in kinds.items():
        sys.stdout.write(f'  in the table file: driver = "{driver}", devices = ["{kind}"]\n')
    sys.stdout.write(_NEXT)


def remove(name: str, folder: Path) -> None:
    there = _there(folder)
    one = there.get(plain(name))
    if one is None:
        raise Refused(name, f"is not in {folder}", f"there are {listed(sorted(there))}")
    others = [
        other for other, its in there.items() if plain(name) in wheels.needed(its.requires or ())
    ]
    if others:
        raise Refused(name, f"{listed(others)} needs it", "take that away first")
    gone = f"{one.name} {one.version} is gone from {folder}\n"
    with tempfile.TemporaryDirectory(prefix=_STAGED, dir=folder.parent) as away:
        _move(_tops(one), folder, Path(away))
    sys.stdout.write(gone + _NEXT)


def _folder() -> Path:
    folder = vendors.folder()
    if folder is None:
        step = "install it into the same environment: pip install WHEEL"
        raise Refused("", "this felt is not the one of the Debian package", step)
    # An empty folder can't be made where nobody may write; better said before anything is read.
    above = next(one for one in (folder, *folder.parents) if one.exists())
    if not os.access(above, os.W_OK):
        raise Refused(str(folder), "is for root to write", "sudo felt driver ...")
    return folder


# --- Whether it may be there ----------------------------------------------------


def _must_fit(found: Sequence[Wheel], folder: Path) -> None:
    given = {plain(one.name) for one in found}
    if len(given) < len(found):
        raise Refused("", "a package is given twice", "give each once")
    if not any(one.drivers for one in found):
        problem = f"{listed(one.name for one in found)} brings no driver"
        raise Refused("", problem, f"its entry points have no group {finding.GROUP}")
    theirs = {name: one for name, one in _there(folder).items() if name not in given}
    known = {plain(one.name): one for one in distributions()}
    for one in found:
        if plain(one.name) in known and plain(one.name) not in _there(folder):
            raise Refused(one.name, "is a package of felt's own", "it is there already")
        missing = [need for need in one.needs if need not in known and need not in given]
        if missing:
            step = "give their wheels with it: felt driver add DRIVER.whl NEEDED.whl"
            raise Refused(one.name, f"needs {listed(missing)}", step)
        _must_shadow_nothing(one, theirs)


def _must_shadow_nothing(one: Wheel, theirs: dict[str, Distribution]) -> None:
    """A module of a name that felt imports would be asked for in place of it, or never."""
    ours = {*sys.stdlib_module_names, *_modules_of(signature.ROOT)}
    if taken := sorted(one.modules & ours):
        step = "its maker must give its modules names of their own"
        raise Refused(one.name, f"has modules that felt has too: {listed(taken)}", step)
    for name, other in theirs.items():
        both = sorted(one.tops & _tops(other))
        if both:
            raise Refused(one.name, f"{name} has {listed(both)} too", "remove one of them")


def _modules_of(folder: Path) -> set[str]:
    return {one.name.partition(".")[0] for one in folder.iterdir()}


def _tried(found: Sequence[Wheel], staged: Path, folder: Path) -> dict[str, str]:
    """The kind of device of each driver: loaded once, before a table has to."""
    # Before the one that it takes the place of.
    at = sys.path.index(str(folder)) if str(folder) in sys.path else len(sys.path)
    sys.path.insert(at, str(staged))
    importlib.invalidate_caches()
    try:
        loaded = {name: finding.driver(name) for one in found for name in one.drivers}
    except finding.NoDriver as why:
        raise Refused("", str(why), "nothing was changed; ask its maker") from None
    finally:
        sys.path.remove(str(staged))
    return {name: one.kind for name, one in loaded.items()}


# --- The folder -----------------------------------------------------------------


def _there(folder: Path) -> dict[str, Distribution]:
    return {plain(one.name): one for one in distributions(path=[str(folder)])}


def _tops(one: Distribution) -> frozenset[str]:
    return frozenset(PurePath(file).parts[0] for file in one.files or ())


def _unpack(one: Wheel, folder: Path) -> None:
    """Readable for every table's service, and nobody's to write but root's."""
    for path, data in one.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o644)
    for inner in (folder, *folder.rglob("*")):
        if inner.is_dir():
            inner.chmod(0o755)


def _put(found: Sequence[Wheel], folder: Path, staged: Path) -> None:
    """In the place of those of the same names; what was there comes back if that fails."""
    there = _there(folder)
    before = frozenset[str]().union(
        *(_tops(there[plain(one.name)]) for one in found if plain(one.name) in there)
    )
    (staged / "old").mkdir()
    new = frozenset[str]().union(*(one.tops for one in found))
    _move(before, folder, staged / "old")
    try:
        _move(new, staged / "new", folder)
    except OSError:
        for one in new:
            shutil.rmtree(folder / one, ignore_errors=True)
        _move(before, staged / "old", folder)
        raise


def _move(names: frozenset[str], from_: Path, to: Path) -> None:
    for one in sorted(names):
        if (from_ / one).exists():
            (from_ / one).rename(to / one)
