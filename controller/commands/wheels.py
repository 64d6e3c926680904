"""A wheel of a vendor, as ``felt driver`` takes it: looked through before anything of it is kept.

A wheel is an archive with a list of its files and what each must hold. Nothing of it is run by
being unpacked, and pip is not asked: on a table PC there is none for felt, and it would fetch more.
"""

from __future__ import annotations

import base64
import configparser
import csv
import email
import hashlib
import platform
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from controller.daemon.packages import plain
from controller.rules.faults import Refused
from drivers.finding import GROUP

#: A driver is small. What it needs may hold more, but no PC is filled by one file.
MAX_FILES = 5_000
MAX_BYTES = 200 << 20

_INFO = ".dist-info"
_NAMED = "METADATA", "RECORD", "WHEEL"


@dataclass(frozen=True, slots=True)
class Wheel:
    name: str
    version: str
    #: The drivers that it brings, by name.
    drivers: tuple[str, ...]
    #: The packages that it needs, by name.
    needs: tuple[str, ...]
    #: Every file, by its path below the folder of packages.
    files: dict[str, bytes]

    @property
    def tops(self) -> frozenset[str]:
        """Its folders and files in the folder of packages; its modules are called so."""
        return frozenset(PurePosixPath(path).parts[0] for path in self.files)

    @property
    def modules(self) -> frozenset[str]:
        return frozenset(one.partition(".")[0] for one in self.tops if not one.endswith(_INFO))


def read(file: Path) -> Wheel:
    """What a wheel holds, or ``Refused`` where it is not one that can be taken over."""
    try:
        with zipfile.ZipFile(file) as opened:
            files = dict(_files(file, opened))
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as error:
        step = "ask its maker for a wheel: NAME-VERSION-py3-none-any.whl"
        raise Refused(str(file), f"is no wheel: {error}", step) from None
    infos = {one for one in (PurePosixPath(path).parts[0] for path in files) if _INFO in one}
    if len(infos) != 1 or any(f"{info}/{name}" not in files for info in infos for name in _NAMED):
        step = "ask its maker for a wheel: NAME-VERSION-py3-none-any.whl"
        raise Refused(str(file), "is no wheel: it does not say what it is", step)
    (info,) = infos
    _must_be_as_listed(file, files, info)
    _must_be_for_this_python(file, files[f"{info}/WHEEL"].decode(errors="replace"))
    about = email.message_from_bytes(files[f"{info}/METADATA"])
    name, version = str(about["Name"] or ""), str(about["Version"] or "")
    if not re.fullmatch(r"[\w.-]{1,100}", name) or not re.fullmatch(r"[\w.!+-]{1,100}", version):
        raise Refused(str(file), "is no wheel: it has no name and version", "ask its maker")
    needs = tuple(sorted(set(needed(about.get_all("Requires-Dist") or []))))
    points = files.get(f"{info}/entry_points.txt", b"").decode(errors="replace")
    return Wheel(name, version, tuple(_drivers(file, points)), needs, files)


def _files(file: Path, opened: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    listed = [one for one in opened.infolist() if not one.is_dir()]
    if len(listed) > MAX_FILES or sum(one.file_size for one in listed) > MAX_BYTES:
        most = f"{MAX_FILES} files and {MAX_BYTES >> 20} MB"
        raise Refused(str(file), "is too large for a driver", f"at most {most}")
    for one in listed:
        path = PurePosixPath(one.filename)
        outside = path.is_absolute() or ".." in path.parts or "\\" in one.filename
        if outside or path.suffix == ".pth":
            problem = f"has a file {one.filename!r}, which is not for a folder of packages"
            raise Refused(str(file), problem, "ask its maker for a plain wheel")
        if path.parts[0].endswith(".data"):
            problem = f"puts {path.parts[1] if len(path.parts) > 1 else path} elsewhere on the PC"
            raise Refused(str(file), problem, "a driver is packages and modules only")
        with opened.open(one) as part:
            yield str(path), part.read(MAX_BYTES)


def _must_be_as_listed(file: Path, files: dict[str, bytes], info: str) -> None:
    """Each file as the wheel's own list has it, and no other: a list is what gets approved."""
    lines = csv.reader(files[f"{info}/RECORD"].decode(errors="replace").splitlines())
    listed = {line[0]: line[1] for line in lines if len(line) == 3}
    for path, data in files.items():
        if path == f"{info}/RECORD":
            continue
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if listed.get(path) != f"sha256={digest}":
            problem = f"{path} in it is not as its list has it"
            raise Refused(str(file), problem, "get it from its maker again")


def _must_be_for_this_python(file: Path, said: str) -> None:
    tags = re.findall(r"^Tag: *(\S+)", said, re.M)
    if any(map(_fits, tags)):
        return
    here = f"cp{sys.version_info.major}{sys.version_info.minor} on {platform.machine()}"
    raise Refused(str(file), f"is for {' or '.join(tags) or 'no Python'}", f"this PC has {here}")


def _fits(tag: str) -> bool:
    python, _, rest = tag.partition("-")
    abi, _, where = rest.partition("-")
    ours = f"cp{sys.version_info.major}{sys.version_info.minor}"
    spoken = python in ("py3", f"py3{sys.version_info.minor}", ours) or abi == "abi3"
    placed = where == "any" or ("linux" in where and where.endswith(f"_{platform.machine()}"))
    return spoken and abi in ("none", "abi3", ours) and placed and "musl" not in where


def needed(lines: Iterable[str]) -> Iterator[str]:
    """The names of the packages that these requirements are of; not those of extras."""
    for line in lines:
        name = re.match(r"\s*([\w.-]+)", line)
        if name and "extra" not in line.partition(";")[2]:
            yield plain(name[1])


def _drivers(file: Path, text: str) -> list[str]:
    points = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    points.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        points.read_string(text)
    except configparser.Error as error:
        problem = f"its entry points can't be read: {str(error).splitlines()[0]}"
        raise Refused(str(file), problem, "ask its maker") from None
    return sorted(points[GROUP]) if points.has_section(GROUP) else []
