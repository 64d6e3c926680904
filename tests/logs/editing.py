"""Logs changed by hand, as somebody with an editor would."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from controller.technician import cut

_CHECK = re.compile(r"^( *\d+\.\d{6} )[0-9a-f]{4} ", re.MULTILINE)
_DATA = re.compile(r"^ *\d+\.\d{6} (?:[0-9a-f]{4} )?(?:in|out) +(?:@\S+ )?([0-9a-f]+)")


def unchecked(text: str) -> str:
    """Without the checks of its records: whoever edits a log takes them out."""
    return _CHECK.sub(r"\1", text)


def flipped(line: str, place: int = 7, bits: int = 0x41) -> str:
    """One byte of a record is another one."""
    found = _DATA.match(line)
    assert found is not None, line
    data = bytearray.fromhex(found[1])
    data[place % len(data)] ^= bits
    return line[: found.start(1)] + data.hex() + line[found.end(1) :]


def has_bytes(line: str) -> bool:
    return _DATA.match(line) is not None


def changed(file: Path, change: Callable[[str], str], number: int) -> None:
    """Change one line of a file, counted from 1."""
    lines = file.read_text(encoding="utf-8").split("\n")
    lines[number - 1] = change(lines[number - 1])
    file.write_text("\n".join(lines), encoding="utf-8")


def unpacked(cut_: Path, folder: Path) -> Path:
    """The logs of a cut in a folder, for whoever changes them."""
    with cut.unpacked(cut_) as found:
        for one in found.iterdir():
            (folder / one.name).write_bytes(one.read_bytes())
    return folder
