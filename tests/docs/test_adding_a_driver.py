"""docs/adding-a-driver.md, followed: its package is put on the path, found, and drives a device."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from controller.table import commands, events
from drivers import finding
from drivers.contract import Settings
from simulators.panel import Panel
from tests.drivers.bench import Bench
from tests.drivers.people import DANA, seal

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adding-a-driver.md"


def files() -> dict[str, str]:
    """The files that the page has a reader write, by name."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"^`acme-pedal/([\w.]+)`\n\n```\w+\n(.*?)^```", text, re.M | re.S)
    return dict(found)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `pip install ./acme-pedal` leaves behind."""
    written = files()
    project = tomllib.loads(written["pyproject.toml"])
    given = project["project"]
    info = tmp_path / f"acme_pedal-{given['version']}.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.1\nName: {given['name']}\nVersion: {given['version']}\n"
    (info / "METADATA").write_text(head)
    groups = given["entry-points"]
    lines = [
        line
        for group, points in groups.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join([*lines, ""]))
    for name in project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        (tmp_path / name).write_text(written[name])
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("installed")
def test_the_driver_of_the_page_is_found_and_works() -> None:
    pedal = finding.driver("acme-pedal")(Settings("panel"), seal)
    device = Panel()
    bench = Bench.of((pedal, device))
    bench.connected()
    device.press("lock_out")
    bench.order(commands.Lock(seat=1, device="acceptor"))
    bench.until(lambda: device.lights.lock_out == "on")
    device.press("void")
    bench.run(1)
    assert bench.heard() == [
        events.LockOutPressed(at=0, by=DANA),
        events.DeviceFaulted(at=0, device="panel", nature="the dealer calls the floor"),
    ]
    assert not device.errors


@pytest.mark.usefixtures("installed")
def test_it_does_not_disturb_felts_own() -> None:
    found = finding.find()
    assert "acme-pedal" in found.drivers
    assert not found.broken


def test_the_page_names_what_there_is() -> None:
    root = PAGE.parents[1]
    text = PAGE.read_text(encoding="utf-8")
    for file in re.findall(r"`((?:drivers|tests)/[\w/]+\.py)`", text):
        assert (root / file).exists(), file
    for page in re.findall(r"\]\(([\w-]+\.md)\)", text):
        assert (PAGE.parent / page).exists(), page
