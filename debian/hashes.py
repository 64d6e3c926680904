"""What every file must hold that the package is made of: ``python -m debian hashes``.

By name, version and SHA-256, without an address: pip, told so, refuses any other file wherever it
comes from. Asked anew when ``constraints.txt`` has changed, and looked at before it is kept.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from controller.daemon import packages

HERE = Path(__file__).resolve().parent
FILE = HERE / "hashes.txt"
CONSTRAINTS = HERE.parent / "constraints.txt"

#: What builds felt's own wheel, with all that it needs.
BUILDS = ("hatchling", "packaging", "pathspec", "pluggy", "trove-classifiers")
#: For which Pythons of Debian, on which machines.
PYTHONS = ("3.11", "3.13")
MACHINES = ("x86_64", "aarch64")
#: What wheels call a Linux that Debian 12 is not older than.
_LINUX = ("manylinux2014", "manylinux_2_17", "manylinux_2_24", "manylinux_2_26", "manylinux_2_27",
          "manylinux_2_28", "manylinux_2_31", "manylinux_2_34")  # fmt: skip
_HEAD = """\
# What the Debian package is made of: each file by what it holds, wherever it is got from.
# Made by 'python -m debian hashes' from constraints.txt; no addresses.
"""


def pinned() -> dict[str, str]:
    """The version of each package that goes in, or that builds what goes in."""
    locked = dict(_locked())
    names = {*packages.needed(packages.FELT), *BUILDS} - {packages.FELT}
    return {name: locked[name] for name in sorted(names)}


def _locked() -> Iterator[tuple[str, str]]:
    for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"([\w.-]+)==(\S+)", line):
            yield packages.plain(found[1]), found[2]


def listed(text: str) -> dict[str, tuple[str, set[str]]]:
    """Version and digests by name, as the file has them."""
    found: dict[str, tuple[str, set[str]]] = {}
    for entry in text.replace("\\\n", " ").splitlines():
        if parts := re.match(r"([\w.-]+)==(\S+)", entry):
            digests = set(re.findall(r"--hash=sha256:([0-9a-f]{64})\b", entry))
            found[packages.plain(parts[1])] = (parts[2], digests)
    return found


def write() -> Path:
    """Ask the index that pip knows here, for each Python and machine."""
    versions = pinned()
    found: dict[str, set[str]] = {name: set() for name in versions}
    wanted = [f"{name}=={version}" for name, version in versions.items()]
    for python in PYTHONS:
        for machine in MACHINES:
            for name, digest in _asked(wanted, python, machine):
                found[name].add(digest)
    lines = [_HEAD]
    for name, version in versions.items():
        digests = (f"    --hash=sha256:{one}" for one in sorted(found[name]))
        lines.append(" \\\n".join([f"{name}=={version}", *digests]) + "\n")
    FILE.write_text("".join(lines), encoding="utf-8")
    return FILE


def _asked(wanted: list[str], python: str, machine: str) -> Iterator[tuple[str, str]]:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    pip += ["--no-deps", "--only-binary", ":all:", "--target", "none", "--report", "-"]
    pip += ["--implementation", "cp", "--python-version", python]
    pip += [word for linux in _LINUX for word in ("--platform", f"{linux}_{machine}")]
    done = subprocess.run([*pip, *wanted], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"pip found not all of it for Python {python} on {machine}:\n{done.stderr}")
    for one in json.loads(done.stdout)["install"]:
        about = one["metadata"]
        yield (
            packages.plain(about["name"]),
            one["download_info"]["archive_info"]["hashes"]["sha256"],
        )
