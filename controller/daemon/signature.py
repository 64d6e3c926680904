"""What this felt is, as digests: its program, the packages it runs on, rulebooks, configuration.

A lab or a regulator asks for it during a round, and compares. The same files always give the same
digest, whichever folder they are in, and one changed byte gives another. Files are read from the
disk each time: what the process has in memory was checked when it started.

Whatever Python would run is in it: all files of a package's folders, whether the package lists them
or not, and what would be imported in place of Python's own modules. Of compiled files, those are in
it that came with felt, and those that were not made of their sources.
"""

from __future__ import annotations

import hashlib
import hmac
import importlib.metadata
import json
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from controller import __version__
from controller.daemon import compiled, secrets
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
#: Where tools keep what they made of the files, and nobody runs it.
_MADE = {".mypy_cache", ".ruff_cache"}
#: What to do about a compiled file that was not made of its source.
FOREIGN = "take the PC out of service, find out who wrote it, and install felt anew"
_CHUNK = 1 << 20
_KEY_BYTES = 16


class Part(NamedTuple):
    digest: str
    files: int
    #: Compiled files that are run in place of sources of which they were not made.
    foreign: tuple[str, ...] = ()


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
    return tree(found for one in (*folders, *shadows) for found in _below(one, root))


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


def rulebooks(library: Library) -> Part:
    return tree((f"{name}.toml", file) for name, file in library.files.items())


def configuration(file: Path) -> Part:
    return tree([("table.toml", file)])


def parts(library: Library, table: Path | None) -> dict[str, Part]:
    found = {"program": program(), "packages": packages(), "rulebooks": rulebooks(library)}
    if table is not None:
        found["configuration"] = configuration(table)
    return found


def _below(folder: Path, root: Path) -> Iterator[tuple[str, Path]]:
    for file in (folder, *folder.rglob("*")):
        if file.is_file() and not _MADE & set(file.parts):
            yield file.relative_to(root).as_posix(), file


def _distributions() -> dict[str, importlib.metadata.Distribution]:
    """The packages that felt needs, with all that they need, by name."""
    found: dict[str, importlib.metadata.Distribution] = {}
    drivers = importlib.metadata.entry_points(group=DRIVERS)
    wanted = ["felt", *(one.dist.name for one in drivers if one.dist is not None)]
    while wanted and len(found) < 500:
        name = _plain(wanted.pop())
        if name in found:
            continue
        try:
            found[name] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # needed elsewhere: on another system, or for what is not used here
        needs = found[name].requires or ()
        always = (one for one in needs if "extra" not in one.partition(";")[2])
        wanted += [match[0] for one in always if (match := re.match(r"[\w.-]+", one))]
    # felt's own files are the program.
    found.pop("felt", None)
    return found


def _belongs(file: PurePath) -> bool:
    """Not what an installer notes down for itself, which differs from one PC to the next."""
    return (
        ".." not in file.parts
        and file.parts[0] != compiled.CACHE
        and not file.parts[0].endswith(".dist-info")
    )


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


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
