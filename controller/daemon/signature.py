"""What this felt is, as digests: its program, the packages and the Python that it runs on, what is
imported beside them, rulebooks, configuration.

A lab or a regulator asks for it during a round, and compares. The same files always give the same
digest, whichever folder they are in, and one changed byte gives another. Files are read from the
disk each time. What the process that answers has loaded is compared with them: a file that was
another one when it was run has a part in the digest under its name.

Whatever Python would run is in it: all files of a package's folders, whether the package lists them
or not, what would be imported in place of Python's own modules, what Python runs of itself when it
begins, and which driver a name stands for. Of compiled files, those are in it that came with felt,
and those that were not made of their sources.
"""

from __future__ import annotations

import hashlib
import hmac
import importlib.metadata
import json
import os
import platform
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from controller import __version__, loading
from controller.daemon import compiled, imported, secrets
from controller.daemon.packages import FELT, needed
from controller.library import Library
from controller.rules.faults import Refused

#: The packages that felt consists of.
OWN = ("controller", "drivers", "simulators")
ROOT = Path(__file__).resolve().parents[2]
#: More files than this are no felt.
MAX_FILES = 20_000
#: Where the digests that were approved are kept, in the secrets folder.
APPROVED = "approved.json"
#: A package that holds drivers of a vendor says so under this name.
DRIVERS = "felt.drivers"
#: Where a Debian package says what each of its files holds; its launcher runs nothing else.
LISTED = "felt.sha256"
#: Where tools keep what they made of the files, and nobody runs it.
_MADE = {".mypy_cache", ".ruff_cache"}
#: What to do about a compiled file that was not made of its source.
FOREIGN = "take the PC out of service, find out who wrote it, and install felt anew"
#: Of Python's own library no table runs these, and they are most of it; or they are others'.
_NEVER_RUN = {
    *("test", "tests", "idlelib", "lib2to3", "turtledemo", "ensurepip", "config", "tkinter"),
    *("site-packages", "dist-packages", compiled.CACHE),
}
_CHUNK = 1 << 20
#: And about a file that was another one when it was loaded.
RESTORED = "if nobody has changed felt on purpose: " + FOREIGN + "; else restart felt"
_KEY_BYTES = 16


class Part(NamedTuple):
    digest: str
    files: int
    #: Compiled files that are run in place of sources of which they were not made.
    foreign: tuple[str, ...] = ()
    #: Files that this process has run and that held something else then.
    restored: tuple[str, ...] = ()

    @property
    def wrong(self) -> str:
        """What makes any digest of it worthless; nothing if all is well."""
        if self.foreign:
            return f"{self.foreign[0]} is not made of its source, and is run in its place"
        if self.restored:
            return f"{self.restored[0]} is not what was loaded from there when felt was started"
        return ""


def digest_of(file: Path) -> str:
    found = hashlib.sha256()
    try:
        with file.open("rb") as opened:
            while data := opened.read(_CHUNK):
                found.update(data)
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    return found.hexdigest()


def tree(files: Iterable[tuple[str, Path]]) -> Part:
    """One digest over files and the names under which they belong there."""
    given = set(files)
    made = {file for _, file in given if file.suffix == compiled.SUFFIX}
    signed, foreign = compiled.sorted_out(made)
    unsigned = made.difference(signed)
    found = hashlib.sha256()
    count = 0
    for name, file in sorted(one for one in given if one[1] not in unsigned):
        count += 1
        if count > MAX_FILES:
            raise Refused(str(file), f"there are more than {MAX_FILES} files")
        found.update(f"{digest_of(file)} {name}\n".encode())
    planted = sorted(name for name, file in given if file in foreign)
    return Part(found.hexdigest(), count, tuple(planted))


# --- The parts ----------------------------------------------------------------


def program(root: Path = ROOT) -> Part:
    """felt's own files, wherever they are installed."""
    folders = [root / own for own in OWN]
    # Where this folder comes before Python's own, a module of the same name takes its place.
    shadows = [one for one in root.iterdir() if one.name.split(".")[0] in sys.stdlib_module_names]
    found = {found for one in (*folders, *shadows) for found in _below(one, root)}
    # Of a package: what its files must hold, and what compares them with it.
    for name, file in ((LISTED, root / LISTED), ("felt", root.parents[1] / "bin" / "felt")):
        if (root / LISTED).is_file() and file.is_file():
            found.add((name, file))
    return tree(found)


def packages() -> Part:
    """What felt runs on: the packages that it needs, and the drivers of vendors."""
    return tree(
        (f"{name}/{file}", place)
        for name, distribution in _distributions().items()
        for file, place in _installed(distribution)
    )


def _installed(distribution: importlib.metadata.Distribution) -> Iterator[tuple[str, Path]]:
    """What it lists, and what else is in its folders: Python asks nobody whether it is listed."""
    root = Path(str(distribution.locate_file("")))
    listed = [file for file in distribution.files or () if _belongs(file)]
    for folder in sorted({file.parts[0] for file in listed if len(file.parts) > 1}):
        yield from _below(root / folder, root)
    for file in listed:
        if len(file.parts) == 1:
            place = root / file
            made = (root / compiled.CACHE).glob(f"{file.stem}.*{compiled.SUFFIX}")
            yield from ((one.relative_to(root).as_posix(), one) for one in (place, *made))


def python() -> Part:
    """Python itself, its own library, and what was compiled of that and has been run."""
    found = [("python", Path(sys.executable).resolve())]
    shared = Path(f"{sysconfig.get_config_var('LIBDIR')}/{sysconfig.get_config_var('INSTSONAME')}")
    if shared.is_file():
        found.append(("libpython", shared))
    ran = [Path(one) for one in list(loading.files) if one.endswith(compiled.SUFFIX)]
    for library in _library():
        for folder, inner, names in os.walk(library):
            inner[:] = [one for one in inner if one not in _NEVER_RUN]
            at = Path(folder)
            there = [at / one for one in names if one.endswith((".py", ".so"))]
            there += [one for one in ran if one.parent == at / compiled.CACHE and one.is_file()]
            found += [(file.relative_to(library).as_posix(), file) for file in there]
    return tree(found)


def imports(root: Path = ROOT) -> Part:
    """What else Python runs or would import, and what it has run that is another file now."""
    known = {root: {*OWN}}
    for one in _distributions().values():
        folder = Path(str(one.locate_file(""))).resolve()
        listed = {file.parts[0].partition(".")[0] for file in one.files or ()}
        known.setdefault(folder, set()).update(listed)
    frozen = {folder: frozenset(names) for folder, names in known.items()}
    beside = tree(imported.lines(frozenset(_library()), frozen))
    differing = {_short(file, root): now for file, now in imported.differing().items()}
    if not differing:
        return beside
    whole = hashlib.sha256(beside.digest.encode())
    for name, now in sorted(differing.items()):
        whole.update(f"\n{now} {name}, and another when it was run".encode())
    return beside._replace(digest=whole.hexdigest(), restored=tuple(sorted(differing)))


def _library() -> list[Path]:
    paths = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
    return list(dict.fromkeys(Path(one).resolve() for one in paths))


def _short(file: str, root: Path) -> str:
    """As it is called where it is signed, and not where somebody has put all of it."""
    folders = sorted({str(root), *(one or "." for one in sys.path)}, key=len, reverse=True)
    inside = (file[len(one) + 1 :] for one in folders if file.startswith(f"{one}/"))
    return next(inside, file)


def rulebooks(library: Library) -> Part:
    return tree((f"{name}.toml", file) for name, file in library.files.items())


def configuration(file: Path) -> Part:
    return tree([("table.toml", file)])


def parts(library: Library, table: Path | None) -> dict[str, Part]:
    found = {
        "program": program(),
        "packages": packages(),
        "python": python(),
        "imports": imports(),
        "rulebooks": rulebooks(library),
    }
    if table is not None:
        found["configuration"] = configuration(table)
    return found


def _below(folder: Path, root: Path) -> Iterator[tuple[str, Path]]:
    for file in (folder, *folder.rglob("*")):
        if file.is_file() and not _MADE & set(file.parts):
            yield file.relative_to(root).as_posix(), file


def _distributions() -> dict[str, importlib.metadata.Distribution]:
    """The packages that felt and its drivers need, with all that those need, by name."""
    drivers = importlib.metadata.entry_points(group=DRIVERS)
    brought = (one.dist.name for one in drivers if one.dist is not None)
    found = needed(FELT, *brought)
    # felt's own files are the program.
    found.pop(FELT, None)
    return found


def _belongs(file: PurePath) -> bool:
    """Not what an installer notes down for itself, which differs from one PC to the next."""
    return (
        ".." not in file.parts
        and file.parts[0] != compiled.CACHE
        and not file.parts[0].endswith(".dist-info")
    )


# --- The whole ----------------------------------------------------------------


def signature(found: Mapping[str, Part], key: bytes = b"") -> dict[str, Any]:
    """The parts and one digest over them; with a key, that digest signed by HMAC-SHA-256."""
    whole = hashlib.sha256()
    for name in sorted(found):
        whole.update(f"{name} {found[name].digest}\n".encode())
    said: dict[str, Any] = {
        "felt": __version__,
        "python": platform.python_version(),
        "parts": {name: part._asdict() for name, part in found.items()},
        "digest": whole.hexdigest(),
    }
    if key:
        said["hmac"] = hmac.new(key, whole.digest(), hashlib.sha256).hexdigest()
    return said


def key_of(text: str) -> bytes:
    """A key in hexadecimal digits, as a lab gives it."""
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if not _KEY_BYTES <= len(key) <= 64:
        raise Refused("key", "is not a key", f"{2 * _KEY_BYTES} to 128 hexadecimal digits")
    return key


# --- What was approved --------------------------------------------------------


def record(folder: Path, found: Mapping[str, Part]) -> Path:
    """Keep these digests as the approved ones, in place of those before."""
    file = folder / APPROVED
    text = json.dumps({name: one.digest for name, one in found.items()}, indent=1) + "\n"
    secrets.put(file, text, mode=0o644)
    return file


def approved(folder: Path) -> dict[str, str]:
    """The digests that were recorded, by part; none if nothing was."""
    file = secrets.file_of(folder, APPROVED)
    try:
        found = json.loads(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise Refused(str(file), f"can't be read: {error}", "felt signature --record") from None
    if not isinstance(found, dict):
        raise Refused(str(file), "holds no digests", "felt signature --record makes it anew")
    return {str(name): str(digest) for name, digest in found.items()}
