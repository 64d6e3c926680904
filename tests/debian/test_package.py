"""The whole package: built, installed below a folder, used, verified, and taken away again."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from controller import __version__
from debian.build import ROOT, build
from tests.controller.commands.wired import ID, table_file

# Building takes half a minute: most of it goes into compiling and packing.
pytestmark = pytest.mark.slow


class Installed(NamedTuple):
    """A system of its own, with the package on it."""

    root: Path
    deb: Path

    def dpkg(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        options = [f"--root={self.root}", "--force-not-root", "--force-depends"]
        options += ["--force-script-chrootless", "--no-triggers"]
        command = ["dpkg", *options, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def felt(self, *words: str | Path) -> str:
        """With nothing of this environment."""
        command = [str(self.root / "usr/bin/felt"), *map(str, words)]
        done = subprocess.run(
            command, cwd=self.root, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def files(self) -> set[str]:
        return {
            f"/{file.relative_to(self.root)}"
            for file in self.root.rglob("*")
            if file.is_file() and "dpkg" not in file.parts
        }


@pytest.fixture
def installed(deb: Path, tmp_path: Path) -> Installed:
    system = Installed(tmp_path / "system", deb)
    for folder in ("info", "updates", "triggers"):
        (system.root / "var/lib/dpkg" / folder).mkdir(parents=True)
    (system.root / "var/lib/dpkg/status").touch()
    done = system.dpkg("--install", deb)
    assert done.returncode == 0, done.stderr
    return system


def test_the_same_sources_make_the_same_bytes(tmp_path: Path) -> None:
    # From a copy: somebody may be working on the sources meanwhile.
    for name in ("controller", "drivers", "simulators", "config", "systemd", "docs", "debian"):
        shutil.copytree(ROOT / name, tmp_path / "source" / name)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / "source")
    made = [
        build(tmp_path / f"work{n}", tmp_path / f"out{n}", level=0, root=tmp_path / "source")
        for n in (1, 2)
    ]
    digests = {hashlib.sha256(one.read_bytes()).hexdigest() for one in made}
    assert len(digests) == 1


def test_dpkg_reads_it_and_everything_is_roots(deb: Path) -> None:
    fields = ["dpkg-deb", "--field", str(deb), "Package", "Version", "Depends"]
    said = subprocess.run(fields, check=True, capture_output=True, text=True).stdout
    assert f"Package: felt\nVersion: {__version__}\nDepends: python3 (>= 3.11)" in said
    listing = ["dpkg-deb", "--contents", str(deb)]
    lines = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.splitlines()
    assert {line.split()[1] for line in lines} == {"root/root"}
    assert not [line for line in lines if line[5] == "w" or line[8] == "w"]
    if lintian := shutil.which("lintian"):
        found = subprocess.run([lintian, "--fail-on", "error", str(deb)], check=False)
        assert found.returncode == 0


def test_the_installed_felt_works_and_writes_nothing_beside_its_files(installed: Installed) -> None:
    before = installed.files()
    assert installed.felt("--version") == f"felt {__version__}\n"
    settled = json.loads(installed.felt("settle", "usr/share/felt/rounds/s10.json"))
    assert settled["rulebook"] == "s10"
    assert "7 seats" in installed.felt("check", "usr/share/felt/tables/ma.toml")
    assert len(installed.felt("rulebooks").splitlines()) == 6
    assert "edge" in installed.felt("odds", "pa-683a", "--wager", "pocket", "--json")
    assert installed.files() == before


def test_what_it_needs_is_its_own(installed: Installed) -> None:
    packages = installed.root / "usr/lib/felt"
    names = ["aiomqtt", "amqtt.broker", "serial", "cryptography.fernet"]
    code = f"import sys; sys.path.insert(0, {str(packages)!r})\n"
    code += "".join(f"import {name}\nprint({name.split('.')[0]}.__file__)\n" for name in names)
    python = ["/usr/bin/python3", "-ISB", "-c", code]
    said = subprocess.run(python, check=True, capture_output=True, text=True).stdout
    assert all(line.startswith(str(packages)) for line in said.splitlines())


def test_dpkg_finds_a_file_that_was_changed(installed: Installed) -> None:
    assert installed.dpkg("--verify", "felt").stdout == ""
    (installed.root / "usr/lib/felt/controller/rules/cards.py").write_text("# changed\n")
    assert "/usr/lib/felt/controller/rules/cards.py" in installed.dpkg("--verify", "felt").stdout


def test_a_table_is_laid_out_on_the_units_of_the_package(
    installed: Installed, tmp_path: Path
) -> None:
    said = installed.felt("install", "--root", installed.root, table_file(tmp_path))
    assert "/usr/lib/systemd/system/felt@.service" in said
    assert not (installed.root / "etc/systemd/system/felt@.service").exists()
    assert (installed.root / f"etc/felt/secrets/{ID}/shoe.key").exists()


def test_an_upgrade_keeps_the_names_of_ports(installed: Installed) -> None:
    ports = installed.root / "etc/udev/rules.d/71-felt-ports.rules"
    ports.write_text("# mine\n")
    assert installed.dpkg("--force-confold", "--install", installed.deb).returncode == 0
    assert ports.read_text() == "# mine\n"


def test_purged_it_leaves_nothing_but_what_is_the_tables(
    installed: Installed, tmp_path: Path
) -> None:
    installed.felt("install", "--root", installed.root, table_file(tmp_path))
    journal = installed.root / f"var/lib/felt/{ID}/journal.db"
    journal.parent.mkdir(parents=True)
    journal.write_text("the record")
    done = installed.dpkg("--purge", "felt")
    assert done.returncode == 0, done.stderr
    left = installed.files()
    assert {one for one in left if not one.startswith(f"/etc/felt/secrets/{ID}/")} == {
        f"/etc/felt/tables/{ID}.toml",
        f"/var/lib/felt/{ID}/journal.db",
    }
    assert "/var/lib/felt is kept" in done.stdout
