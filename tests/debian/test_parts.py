"""The parts of the package that need no building: its scripts, its manual page, what it packs."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from controller import __version__
from controller.cli import parser
from controller.commands.install import POLICY
from controller.daemon.packages import FELT
from debian import distributions, manual
from debian.build import HERE, PLACED, ROOT, SCRIPTS, TAKEN, released
from tests.systemd.test_units import OWN, settings

# --- The scripts --------------------------------------------------------------


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A root on which systemd seems to run, with a systemctl that only says what it is asked."""
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    says(tmp_path, "")
    return tmp_path


def says(system: Path, units: str) -> None:
    file = system / "bin/systemctl"
    listing = f"case $1 in list-units) printf '{units}' ;; esac"
    file.write_text(f'#!/bin/sh\necho "$@" >>"{system}/asked"\n{listing}\n')
    file.chmod(0o755)


def script(system: Path, name: str, *words: str) -> subprocess.CompletedProcess[str]:
    path = f"{system}/bin:{os.environ['PATH']}"
    environment = {"PATH": path, "DPKG_ROOT": str(system)}
    command = ["/bin/sh", str(HERE / name), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("why", ["configure", "remove", "upgrade", "purge", "abort-upgrade"])
def test_a_script_may_run_again_and_again(system: Path, name: str, why: str) -> None:
    for _ in range(2):
        done = script(system, name, why)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("why", ["remove", "upgrade", "failed-upgrade"])
def test_no_program_is_taken_from_under_a_table_that_runs(system: Path, why: str) -> None:
    says(system, "felt@pa-639a-1.service loaded active running felt")
    done = script(system, "prerm", why)
    assert done.returncode == 1
    assert "these tables run: felt@pa-639a-1.service" in done.stderr
    assert "systemctl stop 'felt@*'" in done.stderr


def test_no_table_is_started_by_an_installation(system: Path) -> None:
    script(system, "postinst", "configure")
    # Pages that are served already are served by the new felt; where there are none, it is nothing.
    asked = (system / "asked").read_text().splitlines()
    assert asked == ["daemon-reload", "try-restart felt-console.service"]


def test_the_pages_end_with_the_package_and_stay_over_an_upgrade(system: Path) -> None:
    script(system, "prerm", "upgrade")
    assert "stop" not in (system / "asked").read_text()
    script(system, "prerm", "remove")
    assert "stop felt-kiosk@* felt-console.service" in (system / "asked").read_text()


def test_the_pages_user_is_made_when_the_package_is_configured(system: Path) -> None:
    place = system / PLACED["systemd/felt.sysusers.conf"][0]
    place.parent.mkdir(parents=True)
    shutil.copy(ROOT / "systemd/felt.sysusers.conf", place)
    (system / "etc").mkdir()
    assert script(system, "postinst", "configure").returncode == 0
    assert "felt-console:" in (system / "etc/passwd").read_text()


def test_purging_forgets_the_tables_and_keeps_what_is_theirs(system: Path) -> None:
    etc = system / "etc"
    wants = etc / "systemd/system/multi-user.target.wants/felt@a.service"
    pages = etc / "systemd/system/multi-user.target.wants/felt-console.service"
    screen = etc / "systemd/system/multi-user.target.wants/felt-kiosk@a.service"
    wanted = etc / "systemd/system/multi-user.target.wants/other.service"
    ours = etc / "systemd/system/felt@a.service.d/table.conf"
    mine = etc / "systemd/system/felt@b.service.d/mine.conf"
    journal = system / "var/lib/felt/a/journal.db"
    key = etc / "felt/secrets/a/shoe.key"
    for file in (
        wants,
        pages,
        screen,
        wanted,
        ours,
        mine,
        journal,
        key,
        etc / "felt/installed.sha256",
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    done = script(system, "postrm", "purge")
    assert done.returncode == 0
    left = {file for file in system.rglob("*") if file.is_file() and "bin" not in file.parts}
    assert left == {wanted, mine, journal, key, system / "asked"}
    assert not ours.parent.exists()
    assert "/var/lib/felt is kept" in done.stdout
    assert "/etc/felt/secrets is kept" in done.stdout


@pytest.mark.parametrize("changed", [False, True])
def test_purging_lets_browsers_go_again_unless_somebody_wrote_the_policy(
    system: Path, changed: bool
) -> None:
    policy = system / POLICY.lstrip("/")
    policy.parent.mkdir(parents=True)
    policy.write_text("{}")
    (system / "etc/felt").mkdir()
    digest = hashlib.sha256(policy.read_bytes()).hexdigest()
    (system / "etc/felt/installed.sha256").write_text(f"{digest}  {POLICY}\n")
    if changed:
        policy.write_text('{"HomepageLocation": "about:blank"}')
    assert script(system, "postrm", "purge").returncode == 0
    assert policy.exists() == changed


# --- What is packed -----------------------------------------------------------


def test_the_newest_entry_of_the_changelog_is_this_felt() -> None:
    told = (HERE / "changelog").read_text()
    assert told.startswith(f"felt ({__version__}) ")
    assert released(told) > 0


def test_what_is_named_is_there() -> None:
    assert all((ROOT / source).exists() for source in (*PLACED, *TAKEN))
    assert (HERE / "conffiles").read_text().split() == [
        f"/{place}" for place, _ in PLACED.values() if place.startswith("etc/")
    ]


def test_the_units_start_the_launcher() -> None:
    assert PLACED["debian/launcher"] == ("usr/bin/felt", 0o755)
    for unit in OWN:
        assert settings("ExecStart", unit)[0].startswith("/usr/bin/felt ")


def test_all_that_felt_needs_is_packed_and_no_tool_of_the_tests() -> None:
    found = distributions.needed()
    named = (re.match(r"[\w-]+", line) for line in importlib.metadata.requires(FELT) or ())
    direct = {one[0].lower() for one in named if one}
    tests = {"apsw", "eval7", "fastjsonschema", "hypothesis", "mypy", "pytest", "ruff"}
    assert {
        "pydantic",
        "msgspec",
        "cryptography",
        "pyserial",
        "amqtt",
        "starlette",
    } <= found.keys() & direct
    assert {"pydantic-core", "paho-mqtt", "cffi", "h11"} <= found.keys()  # what those need
    assert not tests & found.keys()
    assert FELT not in found


def test_a_copy_records_exactly_what_was_copied(tmp_path: Path) -> None:
    distributions.copy(importlib.metadata.distribution("structlog"), tmp_path)
    (copied,) = importlib.metadata.distributions(path=[str(tmp_path)])
    assert copied.version == importlib.metadata.version("structlog")
    recorded = {str(file) for file in copied.files or ()}
    there = {str(f.relative_to(tmp_path)) for f in tmp_path.rglob("*") if f.is_file()}
    assert recorded == there - {one for one in there if one.endswith("/INSTALLER")}
    assert not [one for one in there if "direct_url" in one or one.endswith(".pyc")]


# --- The manual page ----------------------------------------------------------


def test_the_manual_has_every_command_and_reads_without_a_warning(tmp_path: Path) -> None:
    text = manual.page(parser(), __version__, 0)
    for name, _ in manual._commands(parser()):
        assert f".SS {name}\n" in text
    assert f'"1970-01-01" "felt {__version__}"' in text
    if shutil.which("man"):
        file = tmp_path / "felt.1"
        file.write_text(text)
        done = subprocess.run(
            ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
