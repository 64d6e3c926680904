"""Puts files where a system wants them, and never over something that a person has changed.

What was put is noted with its digest, in a list that ``sha256sum -c`` reads. So a file that is
still as it was put may be replaced, and one that somebody has worked on is kept: the new one then
lies beside it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from controller.rules.faults import Refused

#: What was put where, as its digest and its place.
NOTED = "/etc/felt/installed.sha256"

What = Literal["make", "write", "replace", "keep", "there", "make key"]


class Done(NamedTuple):
    """What became of one place; what is there as it should be is said too."""

    what: What
    path: str
    why: str = ""


@dataclass
class Layout:
    """Below a root, all paths as the system itself will see them. Dry, nothing is touched."""

    root: Path
    dry: bool
    done: list[Done] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._noted = dict(_noted(self.at(NOTED)))

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def has(self, path: str) -> bool:
        """Whether something is there; what only root sees counts as there."""
        try:
            return self.at(path).exists()
        except PermissionError:
            return True

    def is_shut(self, path: str) -> bool:
        """Whether something may be in it that nobody but root sees."""
        folder = self.at(path)
        return folder.exists() and not os.access(folder, os.R_OK | os.X_OK)

    def folder(self, path: str, mode: int = 0o755) -> None:
        if self.has(path):
            return
        self.done.append(Done("make", path))
        if not self.dry:
            with _said(path):
                self.at(path).mkdir(mode, parents=True)
                self.at(path).chmod(mode)

    def put(self, path: str, data: bytes, *, yours: bool = False) -> What:
        """Lay a file out. One that is ``yours`` to change is only ever written once."""
        what = self._what(path, data, yours=yours)
        why = ""
        if what == "keep" and not yours:
            why = f"it was changed; the new one is {path}.new"
            self._write(f"{path}.new", data)
        elif what in ("write", "replace"):
            self._write(path, data)
        if what in ("write", "replace", "there") and not yours:
            self._noted[path] = hashlib.sha256(data).hexdigest()
        self.done.append(Done(what, path, why))
        return what

    def note(self) -> None:
        """Remember what was put, for the next time."""
        lines = (f"{digest}  {path}\n" for path, digest in sorted(self._noted.items()))
        text = "".join(lines).encode()
        file = self.at(NOTED)
        if not file.exists() or file.read_bytes() != text:
            self._write(NOTED, text)

    def _what(self, path: str, data: bytes, *, yours: bool) -> What:
        if not self.has(path):
            return "write"
        with _said(path):
            before = self.at(path).read_bytes()
        if before == data:
            return "there"
        if not yours and hashlib.sha256(before).hexdigest() == self._noted.get(path):
            return "replace"
        return "keep"

    def _write(self, path: str, data: bytes) -> None:
        """Whole or not at all, whatever happens."""
        if self.dry:
            return
        file = self.at(path)
        part = file.with_name(f".{file.name}.{os.getpid()}.part")
        with _said(path):
            file.parent.mkdir(parents=True, exist_ok=True)
            try:
                part.write_bytes(data)
                part.chmod(0o644)
                part.replace(file)
            finally:
                part.unlink(missing_ok=True)


@contextmanager
def _said(path: str) -> Iterator[None]:
    """What the system refuses, with the place and the way out."""
    try:
        yield
    except OSError as error:
        problem = f"can't be written: {error.strerror}"
        raise Refused(path, problem, "run it as root, or with --root DIR") from None


def _noted(file: Path) -> list[tuple[str, str]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(str(file), f"can't be read: {error}", "move it away") from None
    parts = (line.partition("  ") for line in lines)
    return [(path, digest) for digest, _, path in parts if path]
