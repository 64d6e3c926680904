"""Where the rulebooks are kept, and how they are found: the one place that reads their files.

In a checkout they stand in ``config/rulebooks``; an installed felt carries them inside its
package. An operator's own folder comes before both.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from controller.rules.faults import Refused, listed
from controller.rules.rulebook import Rulebook, read_rulebook

_PACKAGE = Path(__file__).parent
_SHIPPED = _PACKAGE / "shipped"
_CHECKOUT = _PACKAGE.parent / "config"


def shipped(what: str) -> Path:
    """The folder of something that felt ships with: ``rulebooks``, ``rounds`` or ``drills``."""
    installed = _SHIPPED / what
    return installed if installed.is_dir() else _CHECKOUT / what


class Library:
    """The rulebooks that this felt knows, read when they are asked for."""

    def __init__(self, *folders: Path) -> None:
        self._folders = [*folders, shipped("rulebooks")]
        self._read: dict[str, Rulebook] = {}

    @cached_property
    def files(self) -> dict[str, Path]:
        """The file of each rulebook, by its id; the first folder that has it wins."""
        found: dict[str, Path] = {}
        for folder in self._folders:
            if not folder.is_dir():
                raise Refused(str(folder), "is not a folder with rulebooks")
            for file in sorted(folder.glob("*.toml")):
                found.setdefault(file.stem, file)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.files))

    def rulebook(self, wanted: str) -> Rulebook:
        """One rulebook, by its id."""
        if wanted not in self._read:
            self._read[wanted] = read_file(self._file(wanted))
        return self._read[wanted]

    def text(self, wanted: str) -> str:
        """A rulebook as it is written, for whoever has to keep what was played by."""
        return self._file(wanted).read_text(encoding="utf-8")

    def _file(self, wanted: str) -> Path:
        if wanted not in self.files:
            raise Refused(
                "rulebook", f"there is no rulebook {wanted!r}", f"there are {listed(self)}"
            )
        return self.files[wanted]


#: How a text begins that an editor has saved in another way, and what that is.
_MARKS = {
    b"\xef\xbb\xbf": "begins with a byte order mark (BOM)",
    b"\xff\xfe": "is not a text in UTF-8, but in UTF-16, as editors on Windows save it",
    b"\xfe\xff": "is not a text in UTF-8, but in UTF-16, as editors on Windows save it",
}


def text_of(file: Path) -> str:
    """A text that a person writes, in UTF-8; ``Refused`` if it is none, and what it is instead."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    for mark, what in _MARKS.items():
        if data.startswith(mark):
            raise Refused(str(file), what, "save it as UTF-8 without a BOM")
    try:
        # Ends of lines may be those of Windows: TOML takes both.
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise Refused(str(file), "is not a text in UTF-8") from None


def read_file(file: Path) -> Rulebook:
    """The rulebook in a file; its name must be the rulebook's id."""
    text = text_of(file)
    try:
        rulebook = read_rulebook(text)
    except Refused as refused:
        raise Refused(
            f"{file}: {refused.field}" if refused.field else str(file),
            refused.problem,
            refused.allowed,
            refused.clause,
        ) from None
    if rulebook.id != file.stem:
        raise Refused(f"{file}: id", f"{rulebook.id!r} differs from the file's name", file.stem)
    return rulebook
