"""The unit, as systemd itself reads it: no warning, little exposure, and what a table relies on."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).parents[2] / "systemd"
UNIT = "felt@.service"
#: systemd's own scale goes to 10; most services have more than 9.
MOST_EXPOSED = 2.0


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit, with a program in it that is there: felt's own is where it is installed."""
    text = (SYSTEMD / UNIT).read_text()
    assert "ExecStart=/usr/bin/felt run --config /etc/felt/tables/%i.toml\n" in text
    file = tmp_path / UNIT
    file.write_text(text.replace("/usr/bin/felt", "/bin/true"))
    return file


def analyzed(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command: Sequence[str] = ["systemd-analyze", "--no-pager", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def settings(name: str) -> list[str]:
    text = (SYSTEMD / UNIT).read_text()
    return [line.partition("=")[2] for line in text.splitlines() if line.startswith(f"{name}=")]


def test_systemd_takes_the_unit_without_a_warning(unit: Path) -> None:
    done = analyzed("verify", "--man=no", unit)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_wrong_unit_would_be_noticed(unit: Path) -> None:
    unit.write_text(unit.read_text().replace("Restart=always", "Restart=allways"))
    assert "allways" in analyzed("verify", "--man=no", unit).stderr


def exposure(said: str) -> float:
    found = re.search(r"Overall exposure level for \S+: (\d+\.\d+)", said)
    assert found, said
    return float(found[1])


def test_the_service_is_exposed_to_little(unit: Path) -> None:
    said = analyzed("security", "--offline=true", unit).stdout
    assert exposure(said) <= MOST_EXPOSED, said


def test_a_unit_that_is_open_would_be_noticed(tmp_path: Path) -> None:
    file = tmp_path / "open.service"
    file.write_text("[Service]\nExecStart=/bin/true\n")
    assert exposure(analyzed("security", "--offline=true", file).stdout) > MOST_EXPOSED


def test_a_table_owns_its_own_folder_and_no_other_tables() -> None:
    assert settings("StateDirectory") == ["felt/%i"]
    assert settings("RuntimeDirectory") == ["felt/%i"]


def test_a_table_comes_back_by_itself_unless_its_file_is_refused() -> None:
    assert settings("Restart") == ["always"]
    assert settings("StartLimitIntervalSec") == ["0"]
    assert settings("RestartPreventExitStatus") == ["2"]


def test_every_kind_of_port_is_known_before_the_first_adapter_is_plugged_in() -> None:
    kinds = {kind.split()[0] for kind in settings("DeviceAllow")}
    assert kinds == {"char-ttyS", "char-ttyUSB", "char-ttyACM"}  # the first is in the kernel
    (wanted,) = settings("Wants")
    assert wanted.split() == ["modprobe@usbserial.service", "modprobe@cdc_acm.service"]
    assert wanted in settings("After")
