"""The units, as systemd itself reads them: no warning, little exposure, what a table relies on."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.cli import parser

SYSTEMD = Path(__file__).parents[2] / "systemd"
UNIT = "felt@.service"
CONSOLE = "felt-console.service"
KIOSK = "felt-kiosk@.service"
#: systemd's own scale goes to 10; most services have more than 9. A browser needs more than felt.
UNITS = {UNIT: 2.0, CONSOLE: 1.5, KIOSK: 2.5}
#: Those that run felt itself.
OWN = (UNIT, CONSOLE)
#: What they run is somewhere else, or not there, where the tests are.
THERE = {
    "/usr/bin/felt": "/bin/true",
    "/usr/bin/cage": "/bin/true",
    "/usr/bin/chromium": "/bin/true",
}


@pytest.fixture(params=UNITS)
def unit(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A unit, with a program in it that is there: felt's own is where it is installed."""
    text = (SYSTEMD / request.param).read_text()
    file = tmp_path / str(request.param)
    for program, other in THERE.items():
        text = text.replace(program, other)
    file.write_text(text)
    return file


def analyzed(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command: Sequence[str] = ["systemd-analyze", "--no-pager", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def settings(name: str, unit: str = UNIT) -> list[str]:
    text = (SYSTEMD / unit).read_text()
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
    assert exposure(said) <= UNITS[unit.name], said


def test_a_unit_that_is_open_would_be_noticed(tmp_path: Path) -> None:
    file = tmp_path / "open.service"
    file.write_text("[Service]\nExecStart=/bin/true\n")
    assert exposure(analyzed("security", "--offline=true", file).stdout) > max(UNITS.values())


def test_what_the_units_run_is_what_felt_takes() -> None:
    for unit in OWN:
        (line,) = settings("ExecStart", unit)
        given = parser().parse_args(line.split()[1:])
        assert given.command in ("run", "console")


def test_a_table_owns_its_own_folder_and_no_other_tables() -> None:
    assert settings("StateDirectory") == ["felt/%i felt-heads/%i"]
    assert settings("RuntimeDirectory") == ["felt/%i"]


def test_a_table_comes_back_by_itself_unless_its_file_is_refused() -> None:
    assert settings("Restart") == ["always"]
    assert settings("StartLimitIntervalSec") == ["0"]
    assert settings("RestartPreventExitStatus") == ["2"]


def test_the_pages_are_served_with_less_than_a_table_has() -> None:
    assert int(settings("Nice", CONSOLE)[0]) > int(settings("Nice")[0])
    assert int(settings("OOMScoreAdjust", CONSOLE)[0]) > int(settings("OOMScoreAdjust")[0])
    for bound in ("CPUQuota", "TasksMax", "LimitNOFILE"):
        assert settings(bound, CONSOLE), bound
        assert not settings(bound), bound  # a table is never the one that has to wait
    pages, table = (settings("MemoryMax", unit)[0].removesuffix("M") for unit in (CONSOLE, UNIT))
    assert int(pages) < int(table)


def test_the_pages_get_no_secret_and_no_folder_of_a_table() -> None:
    for none in ("LoadCredential", "StateDirectory", "RuntimeDirectory", "DeviceAllow"):
        assert not settings(none, CONSOLE), none
    (hidden,) = settings("InaccessiblePaths", CONSOLE)
    assert {"-/etc/felt/secrets", "-/var/lib/felt"} <= set(hidden.split())


def test_every_kind_of_port_is_known_before_the_first_adapter_is_plugged_in() -> None:
    kinds = {kind.split()[0] for kind in settings("DeviceAllow")}
    assert kinds == {"char-ttyS", "char-ttyUSB", "char-ttyACM"}  # the first is in the kernel
    (wanted,) = settings("Wants")
    assert wanted.split() == ["modprobe@usbserial.service", "modprobe@cdc_acm.service"]
    assert wanted in settings("After")


def test_a_table_that_fills_memory_ends_alone() -> None:
    """Above all that a table was seen to need, several times over; below what a table PC has."""
    (most,) = settings("MemoryMax")
    assert most == "512M"
    assert settings("MemorySwapMax") == ["0"]
    assert settings("Restart") == ["always"]
