"""Lays the package's files out and has dpkg-deb pack them: the same bytes from the same sources."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.utils import parsedate_to_datetime
from gzip import compress
from importlib.util import find_spec
from pathlib import Path

from controller import __version__
from controller.cli import parser
from debian import distributions, manual
from debian.hashes import BUILDS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

#: Where each of our own files goes, and its mode.
PLACED = {
    "debian/launcher": ("usr/bin/felt", 0o755),
    "systemd/felt@.service": ("usr/lib/systemd/system/felt@.service", 0o644),
    "systemd/felt-console.service": ("usr/lib/systemd/system/felt-console.service", 0o644),
    "systemd/felt-kiosk@.service": ("usr/lib/systemd/system/felt-kiosk@.service", 0o644),
    "systemd/felt.sysusers.conf": ("usr/lib/sysusers.d/felt.conf", 0o644),
    "systemd/felt.tmpfiles.conf": ("usr/lib/tmpfiles.d/felt.conf", 0o644),
    "systemd/70-felt.rules": ("usr/lib/udev/rules.d/70-felt.rules", 0o644),
    "systemd/71-felt-ports.rules": ("etc/udev/rules.d/71-felt-ports.rules", 0o644),
}
#: Folders that are taken over whole. Not with the documents what a PC may leave out with them.
TAKEN = {
    "docs": "usr/share/doc/felt",
    "config/tables": "usr/share/felt/tables",
    "config/rounds": "usr/share/felt/rounds",
    "config/broker": "usr/share/felt/broker",
}
FOLDERS = {"etc/felt": 0o755, "etc/felt/tables": 0o755, "etc/felt/secrets": 0o700}
PACKAGES = "usr/lib/felt"
#: In it, the digests of all files beside it.
LISTED = "felt.sha256"
SCRIPTS = ("prerm", "postinst", "postrm")


def build(work: Path, out: Path, *, level: int = 6, root: Path = ROOT) -> Path:
    """The package, made in an empty folder and put into another; smaller by level, and slower."""
    told = (root / "debian" / "changelog").read_text(encoding="utf-8")
    found = re.match(r"felt \(([^)]+)\)", told)
    if not found or found[1] != __version__:
        said = found[1] if found else "nothing"
        sys.exit(f"debian/changelog: its first entry is {said}, felt is {__version__}; add one")
    epoch = released(told)
    tree = work / "tree"
    _packages(root, work, tree / PACKAGES)
    _own(root, tree)
    _documents(tree, told, epoch)
    _control(root / "debian", tree)
    _settle(tree, epoch)
    architecture = _said("dpkg", "--print-architecture")
    out.mkdir(parents=True, exist_ok=True)
    deb = out / f"felt_{__version__}_{architecture}.deb"
    # With more threads the bytes would depend on how many there are.
    pack = ["dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zxz", f"-z{level}", "--build"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    subprocess.run(
        [*pack, str(tree), str(deb)], check=True, env=environment, stdout=subprocess.DEVNULL
    )
    return deb


def released(changelog: str) -> int:
    """When the newest entry is from: every file of the package is as old as that."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    dates = re.findall(r"^ -- .*>  (.+)$", changelog, re.M)
    return int(parsedate_to_datetime(dates[0]).timestamp())


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


# --- What goes in -------------------------------------------------------------


def _packages(root: Path, work: Path, into: Path) -> None:
    """felt itself as its wheel has it, and what it runs on as it is installed here."""
    wheels = work / "wheels"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    pack = [*pip, "wheel", "--no-deps", "--wheel-dir", str(wheels), str(root)]
    if find_spec(BUILDS[0]):
        # It is here, and by what its files hold (hashes.txt): no other one is fetched.
        pack.append("--no-build-isolation")
    subprocess.run(pack, check=True)
    (wheel,) = wheels.glob("felt_table-*.whl")
    into.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(into)
    for distribution in distributions.needed().values():
        distributions.copy(distribution, into)
    # Compiled here, as the service may write nowhere: tied to the source by its hash, not its age.
    command = [sys.executable, "-m", "compileall", "-q", "-j1", "--invalidation-mode"]
    command += ["checked-hash", "-s", str(into), "-p", f"/{PACKAGES}", str(into)]
    # Some packages carry files for other Pythons, which don't compile: they are left as they are.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    subprocess.run(command, check=False, env=environment, capture_output=True)
    _listed(into)


def _listed(into: Path) -> None:
    """What each file holds: the launcher runs nothing else of this folder."""
    files = sorted(file for file in into.rglob("*") if file.is_file())
    lines = (
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(into).as_posix()}\n"
        for file in files
    )
    (into / LISTED).write_text("".join(lines), encoding="utf-8")


def _own(root: Path, tree: Path) -> None:
    for folder, mode in FOLDERS.items():
        (tree / folder).mkdir(mode, parents=True)
    for source, (place, mode) in PLACED.items():
        target = tree / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / source, target)
        target.chmod(mode)
    for source, place in TAKEN.items():
        shutil.copytree(root / source, tree / place)


def _documents(tree: Path, changelog: str, epoch: int) -> None:
    folder = tree / "usr/share/doc/felt"
    _zipped(folder / "changelog.gz", changelog)
    (folder / "copyright").write_text(_copyright(), encoding="utf-8")
    page = tree / "usr/share/man/man1/felt.1.gz"
    page.parent.mkdir(parents=True)
    _zipped(page, manual.page(parser(), __version__, epoch))


def _copyright() -> str:
    lines = [
        "felt is under the Apache License, Version 2.0; on Debian systems its text is in",
        "/usr/share/common-licenses/Apache-2.0.",
        "",
        f"In /{PACKAGES} are these packages too, each under the license that it names itself. The",
        "texts, and who holds the rights, are in the folder NAME-VERSION.dist-info beside it.",
        "",
    ]
    for name, one in distributions.needed().items():
        lines.append(f"  {name} {one.version}: {distributions.license_of(one)}")
    return "\n".join(lines) + "\n"


def _zipped(file: Path, text: str) -> None:
    file.write_bytes(compress(text.encode(), 9, mtime=0))


# --- What dpkg is told --------------------------------------------------------


def _control(here: Path, tree: Path) -> None:
    control = tree / "DEBIAN"
    control.mkdir(mode=0o755)
    files = sorted(file for file in tree.rglob("*") if file.is_file())
    size = sum(-(-file.stat().st_size // 1024) for file in files)
    major, minor = sys.version_info[:2]
    depends = [
        # The compiled parts are for this Python and no other.
        f"python3 (>= {major}.{minor})",
        f"python3 (<< {major}.{minor + 1}~)",
        f"libc6 (>= {distributions.least_libc(tree / PACKAGES)})",
        "libgcc-s1",
        "libstdc++6",
    ]
    text = (here / "control").read_text(encoding="utf-8")
    for name, value in {
        "VERSION": __version__,
        "ARCHITECTURE": _said("dpkg", "--print-architecture"),
        "SIZE": str(size),
        "DEPENDS": ", ".join(depends),
    }.items():
        text = text.replace(f"@{name}@", value)
    (control / "control").write_text(text, encoding="utf-8")
    shutil.copyfile(here / "conffiles", control / "conffiles")
    theirs = (here / "conffiles").read_text().split()
    sums = (
        f"{hashlib.md5(file.read_bytes()).hexdigest()}  {file.relative_to(tree)}\n"
        for file in files
        if f"/{file.relative_to(tree)}" not in theirs
    )
    (control / "md5sums").write_text("".join(sums), encoding="utf-8")
    for script in SCRIPTS:
        shutil.copyfile(here / script, control / script)
        (control / script).chmod(0o755)


def _settle(tree: Path, epoch: int) -> None:
    """The same modes and times wherever it is built, whatever the umask was."""
    for path in sorted(tree.rglob("*"), reverse=True):
        kept = FOLDERS.get(str(path.relative_to(tree)), 0o755)
        executable = path.stat().st_mode & 0o100
        path.chmod(kept if path.is_dir() else 0o755 if executable else 0o644)
        os.utime(path, (epoch, epoch))
    os.utime(tree, (epoch, epoch))
