"""Which files Python loads, as they are at the instant before it reads them.

A signature is taken over what lies on the disk, and a source can put another one in its own place
as soon as it is run. So each file is noted with its stamp before a byte of it is read: whoever
changes it later can give it back its bytes, its length and its age, but not the time of its last
change, which the file system alone writes.

Where a package says what its files hold, nothing else is run: each file is compared with that
before it is, and one that the package does not know is refused.

This is the first of felt that is imported, and it needs nothing but what Python has begun with.
What was loaded before it is noted with how it stands now, and must be older than this process.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from importlib.util import cache_from_source
from types import CodeType, ModuleType
from typing import Any

#: Volume, number, length, age and last change of a file; nothing if there is none.
Stamp = tuple[int, int, int, int, int] | None

#: Every file that was run, with its stamp from before it was read.
files: dict[str, Stamp] = {}
#: Those of them that somebody has changed since this process began, and before they were noted.
younger: set[str] = set()
#: Both clocks are read within so long, if that can be had in so many looks.
_AT_ONCE_NS, _LOOKS = 1_000_000, 20

#: What Python keeps of a source has one of these endings.
_COMPILED = tuple(BYTECODE_SUFFIXES)
#: Folders whose files are known, each with the digests of those by their paths in it.
_known: dict[str, Mapping[str, str]] = {}


def stamp_of(path: str) -> Stamp:
    try:
        found = os.stat(path)  # noqa: PTH116 - pathlib is not loaded yet
    except OSError:
        return None
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def only(folder: str, digests: Mapping[str, str]) -> None:
    """Of what lies below a folder run nothing but these files, by SHA-256."""
    _known[folder.rstrip("/") + "/"] = digests


class NotKnown(ImportError):
    """A file that would be run, and that is not as the package brought it."""


def _must_be_known(path: str, data: bytes) -> None:
    for folder, digests in _known.items():
        if path.startswith(folder):
            from hashlib import sha256  # noqa: PLC0415 - not before there is something to compare

            expected = digests.get(path[len(folder) :])
            if expected != sha256(data).hexdigest():
                problem = "is not as the package brought it" if expected else "is not the package's"
                raise NotKnown(f"{path} {problem}; find out who wrote it, and install felt anew")


class _Source(SourceFileLoader):
    _is_compiled_now = False
    #: How the compiled file stood before it was read.
    _kept: Stamp = None

    def get_code(self, fullname: str) -> CodeType | None:
        before = stamp_of(self.path)
        code = super().get_code(fullname)
        files.setdefault(self.path, before)
        if not self._is_compiled_now:
            files.setdefault(cache_from_source(self.path), self._kept)
        return code

    def source_to_code(self, *given: Any, **more: Any) -> CodeType:  # type: ignore[override]
        self._is_compiled_now = True
        code: CodeType = super().source_to_code(*given, **more)
        return code

    def get_data(self, path: str) -> bytes:
        if path.endswith(_COMPILED):
            self._kept = stamp_of(path)
        return _read(super().get_data(path), path)

    def set_data(self, path: str, data: Any, **more: Any) -> None:
        """Keeps what was compiled, but never in place of what another felt has just kept there.

        Two that begin at the same time compile the same source, and not to the same bytes: the
        first one's may be what a third has run by now.
        """
        folder = _taken(self.path.rpartition("/")[0])
        if folder is None:
            return
        try:
            if stamp_of(path) == self._kept:
                super().set_data(path, data, **more)
        finally:
            os.close(folder)


def _taken(folder: str) -> int | None:
    """The folder, if nobody else keeps anything for its sources now. Nobody is waited for."""
    import fcntl  # noqa: PLC0415 - not loaded yet, and only needed where something is compiled

    try:
        taken = os.open(folder or "/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(taken, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(taken)
        return None
    return taken


class _Compiled(SourcelessFileLoader):
    def get_code(self, fullname: str) -> CodeType | None:
        files.setdefault(self.path, stamp_of(self.path))
        return super().get_code(fullname)

    def get_data(self, path: str) -> bytes:
        return _read(super().get_data(path), path)


class _Library(ExtensionFileLoader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        files.setdefault(self.path, stamp_of(self.path))
        if _known:
            _read(self.get_data(self.path), self.path)
        return super().create_module(spec)


def _read(data: bytes, path: str) -> bytes:
    if _known:
        _must_be_known(path, data)
    return data


def _began_ns() -> int:
    """When this process began, by the clock on the wall; never before it did."""
    with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 - pathlib is not loaded yet
        ticks = int(file.read().rpartition(b")")[2].split()[19])
    started = (ticks + 1) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    # Two clocks are read one after the other, and a busy PC may stop us in between: then it would
    # have begun after what it has run. So the wall is looked at first, and again if it took long.
    for _ in range(_LOOKS):
        wall = time.time_ns()
        since = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - started
        if time.time_ns() - wall < _AT_ONCE_NS:
            break
    return wall - since


def _note_earlier() -> None:
    began = _began_ns()
    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        # The program itself has none if it was begun by its file.
        path = getattr(spec, "origin", None) or getattr(module, "__file__", None)
        if not isinstance(path, str) or not path.startswith("/"):
            continue
        stamp = stamp_of(path)
        if stamp is not None:
            files.setdefault(path, stamp)
            if stamp[4] > began:
                younger.add(path)


def _begin() -> None:
    _note_earlier()
    loaders = (
        (_Library, EXTENSION_SUFFIXES),
        (_Source, SOURCE_SUFFIXES),
        (_Compiled, BYTECODE_SUFFIXES),
    )
    sys.path_hooks.insert(0, FileFinder.path_hook(*loaders))
    sys.path_importer_cache.clear()


_begin()
