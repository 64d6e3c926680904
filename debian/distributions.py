"""The Python packages that felt runs on, as they are installed here, and their files.

What is packed is what was tested: the files of this environment, not a second download.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
from importlib.metadata import Distribution
from pathlib import Path

from controller.daemon import packages

#: What an installer notes about this environment; it says nothing about another.
_NOTES = frozenset({"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"})


def needed() -> dict[str, Distribution]:
    """All that felt needs, by name, without itself."""
    found = packages.needed(packages.FELT)
    del found[packages.FELT]
    return found


def copy(distribution: Distribution, into: Path) -> None:
    """Its files, and a record of exactly those: felt's signature goes by the record."""
    recorded: list[tuple[str, str, int]] = []
    folder = ""
    for file in sorted(distribution.files or (), key=str):
        if file.parts[0].endswith(".dist-info"):
            folder = file.parts[0]
        noted = file.parts[0] == folder and file.name in _NOTES
        if noted or ".." in file.parts or file.suffix == ".pyc":
            continue  # scripts are not for a table PC
        data = Path(str(distribution.locate_file(file))).read_bytes()
        target = into / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        recorded.append((str(file), f"sha256={digest}", len(data)))
    assert folder, distribution.name
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerows([*recorded, (f"{folder}/RECORD", "", "")])
    (into / folder / "RECORD").write_text(lines.getvalue(), encoding="utf-8")
    (into / folder / "INSTALLER").write_text("dpkg\n", encoding="ascii")


def license_of(distribution: Distribution) -> str:
    """What it says of its own license, in a few words."""
    told = distribution.metadata
    for said in told.get_all("License-Expression") or ():
        return str(said)
    named = (one for one in told.get_all("Classifier") or () if one.startswith("License ::"))
    listed = sorted({one.rpartition(" :: ")[2] for one in named} - {"OSI Approved"})
    (first,) = told.get_all("License") or ("",)
    return ", ".join(listed) or first.strip().partition("\n")[0] or "see its folder"


def least_libc(tree: Path) -> str:
    """The oldest C library that every compiled part says it runs with."""
    tags = (
        found
        for file in tree.glob("*.dist-info/WHEEL")
        for found in re.findall(r"manylinux_(\d+)_(\d+)_", file.read_text(encoding="utf-8"))
    )
    by_wheel = [(int(major), int(minor)) for major, minor in tags]
    major, minor = max(by_wheel, default=(2, 36))
    return f"{major}.{minor}"
