"""What else the system reads: folders that are made, and rules for ports."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from tests.systemd.test_units import CONSOLE, settings
from tests.systemd.udev import faults

SYSTEMD = Path(__file__).parents[2] / "systemd"
RULES = sorted(SYSTEMD.glob("*.rules"))


def created(file: Path, root: Path) -> subprocess.CompletedProcess[str]:
    # The owners' names are looked up below the root.
    (root / "etc").mkdir(parents=True, exist_ok=True)
    (root / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc" / "group").write_text("root:x:0:\n")
    command = ["systemd-tmpfiles", f"--root={root}", "--create", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def modes(root: Path) -> dict[str, int]:
    return {
        str(found.relative_to(root)): stat.S_IMODE(found.stat().st_mode)
        for found in root.rglob("*")
        if found.is_dir()
    }


def test_the_folders_are_made_and_only_root_sees_the_secrets(tmp_path: Path) -> None:
    file = tmp_path / "felt.conf"
    text = (SYSTEMD / "felt.tmpfiles.conf").read_text()
    # Whoever runs the tests can make folders for nobody but themselves.
    file.write_text(re.sub(r"(\d{4}) root root", r"\1 - -", text))
    root = tmp_path / "root"
    done = created(file, root)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {name: mode for name, mode in modes(root).items() if "felt" in name} == {
        "etc/felt": 0o755,
        "etc/felt/tables": 0o755,
        "etc/felt/secrets": 0o700,
    }


def test_a_wrong_line_for_folders_would_be_noticed(tmp_path: Path) -> None:
    file = tmp_path / "felt.conf"
    file.write_text("d /etc/felt 9999 - - -\n")
    assert "9999" in created(file, tmp_path / "root").stderr


def users(file: Path, root: Path) -> subprocess.CompletedProcess[str]:
    (root / "etc").mkdir(parents=True, exist_ok=True)
    command = ["systemd-sysusers", f"--root={root}", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_user_and_the_group_that_the_pages_run_as_are_made(tmp_path: Path) -> None:
    done = users(SYSTEMD / "felt.sysusers.conf", tmp_path)
    assert done.returncode == 0, done.stderr
    named = (tmp_path / "etc/passwd").read_text()
    assert settings("User", CONSOLE) == [named.partition(":")[0]]
    assert "nologin" in named
    (group,) = settings("SupplementaryGroups", CONSOLE)
    members = rf"^{group}:[^:]*:\d+:felt-console$"
    assert re.search(members, (tmp_path / "etc/group").read_text(), re.M)


def test_a_wrong_line_for_users_would_be_noticed(tmp_path: Path) -> None:
    file = tmp_path / "felt.conf"
    file.write_text("who felt -\n")
    assert "who" in users(file, tmp_path / "root").stderr


@pytest.mark.parametrize("file", RULES, ids=lambda file: file.name)
def test_udev_takes_the_rules(file: Path) -> None:
    text = file.read_text()
    # The examples must be right as well: they are what gets copied.
    examples = "\n".join(found[1] for found in re.finditer(r"^# (SUBSYSTEM.*)$", text, re.M))
    assert list(faults(f"{text}\n{examples}")) == []
    if shutil.which("udevadm"):
        command = ["udevadm", "verify", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        unknown = "Unknown command" in done.stderr  # older than systemd 254
        assert done.returncode == 0 or unknown, done.stderr


def test_there_are_rules_for_every_port_and_for_names() -> None:
    assert [file.name for file in RULES] == ["70-felt.rules", "71-felt-ports.rules"]
    assert 'SYMLINK+="felt/' in RULES[1].read_text()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('SUBSYSTEM="tty", MODE="0660"', "SUBSYSTEM can't stand before ="),
        ('SUBSYSTEM=="tty"', "does nothing"),
        ('SUBSYSTEM=="tty" MODE="0660"', "is no rule"),
        ('SUBSYSTEM=="tty", MODE="660"', "660 is no mode"),
        ('SUBSYSTEM=="tty", ENV=="1", MODE="0660"', "braces"),
        ('SUBSYSTEM=="tty", KERNEL=="tty[', "is no rule"),
    ],
)
def test_a_wrong_rule_is_found(rule: str, said: str) -> None:
    assert any(said in fault for fault in faults(rule))
