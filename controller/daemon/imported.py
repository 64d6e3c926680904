"""What Python runs of itself, and what it would import that is nobody's: beside the signed files.

Before the first line of felt, Python runs what it finds under certain names in the folders that it
imports from: lines of path files, and two modules that anybody may put there. Which driver a name
stands for, and what a library takes for its plug-in, packages say in a list of entry points. And a
module that lies beside those of felt may be asked for by one of them, if it is there. None of that
is a file of felt's or of a package that it needs, so it is looked for and signed by itself.

Where felt is started isolated there is nothing of it to be found.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.machinery import all_suffixes
from pathlib import Path

from controller import loading
from controller.rules.faults import Refused

#: Modules that Python imports when it begins, wherever they are.
OF_THEMSELVES = ("sitecustomize", "usercustomize")
#: A line of a path file that is run, not a folder.
_RUN = re.compile(r"import[ \t]")
#: The folder in Python's own library for those parts of it that are not written in Python.
_COMPILED = "lib-dynload"
_MOST = 20_000

#: What the files held that were run, by SHA-256, once that is known.
_held: dict[str, str] = {}


def lines(
    library: frozenset[Path], known: Mapping[Path, frozenset[str]]
) -> Iterator[tuple[str, Path]]:
    """Name and file of each, but for Python's own library and what is ``known`` in a folder.

    A module of the name of one of Python's own counts only where Python looks before it.
    """
    began_by_itself = "site" in sys.modules
    never: frozenset[str] = frozenset()
    for folder in _folders():
        if began_by_itself:
            yield from _run_at_the_start(folder)
        if folder in library:
            never = sys.stdlib_module_names
        elif not (folder.name == _COMPILED and folder.parent in library):
            yield from _beside(folder, never | known.get(folder, frozenset()))
    for one in importlib.metadata.distributions():
        file = _entry_points(one)
        if file is not None:
            yield f"entry points of {one.name}", file


def _folders() -> list[Path]:
    """Where Python looks, in its order."""
    found = dict.fromkeys(Path(one or ".").resolve() for one in sys.path)
    return [one for one in found if one.is_dir()]


def _run_at_the_start(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.glob("*.pth")):
        text = file.read_bytes().decode("utf-8", "replace")
        if any(_RUN.match(line) for line in text.splitlines()):
            yield file.name, file
    for name in OF_THEMSELVES:
        yield from ((f"{name}, of itself", one) for one in _files_of(folder, name))


def _beside(folder: Path, known: frozenset[str]) -> Iterator[tuple[str, Path]]:
    """The first file of each module that nobody signs: what more there is of it, it imports."""
    for one in sorted(folder.iterdir()):
        name = one.name.partition(".")[0]
        if name in known or name in OF_THEMSELVES or not name.isidentifier():
            continue
        if one.is_dir():
            for file in _files_of(one, "__init__"):
                yield f"{one.name}/{file.name}", file
        elif one.name.endswith(tuple(all_suffixes())):
            yield one.name, one


def _files_of(folder: Path, module: str) -> Iterator[Path]:
    for suffix in all_suffixes():
        if (file := folder / f"{module}{suffix}").is_file():
            yield file


def _entry_points(one: importlib.metadata.Distribution) -> Path | None:
    if one.read_text("entry_points.txt") is None:
        return None
    # Where the record of an installed package lies is asked of nobody but this, in any Python.
    return Path(str(getattr(one, "_path", ""))) / "entry_points.txt"


# --- What was loaded ----------------------------------------------------------


def differing() -> dict[str, str]:
    """Files that were run and are not on the disk as they were then, with what they hold now.

    Which bytes were run is known as long as nobody has touched the file since it was read; from the
    first look on it is known for good.
    """
    found: dict[str, str] = {}
    for path, stamp in list(loading.files.items())[:_MOST]:
        now = loading.stamp_of(path)
        if path in loading.younger or (now != stamp and path not in _held):
            found[path] = _digest(path)
        elif path not in _held:
            _held[path] = _digest(path)
        elif now != stamp and _held[path] != (digest := _digest(path)):
            found[path] = digest
    return found


def _digest(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return "gone"
    except OSError as error:
        raise Refused(path, f"can't be read: {error.strerror}") from None
