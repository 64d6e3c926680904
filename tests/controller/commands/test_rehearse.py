"""``felt rehearse``: a real service, simulated devices on its ports, and rounds played at it."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli import main
from controller.daemon import secrets
from controller.daemon.client import Client
from controller.daemon.configuration import Configuration, read
from controller.demo.rehearsal import FIRST_BROKER, ID, PORTS, Stage, table_file
from controller.demo.table import free_port
from controller.library import Library
from controller.rules.faults import Refused
from controller.tables import in_toml
from tests.controller.commands import wired
from tests.scenarios.kill.processes import Daemon

SEATS = 2


def made(folder: Path) -> dict[str, object]:
    """What the table file of a rehearsal says."""
    file, out = wired.table_file(folder), folder / "rehearsal.toml"
    assert main(["rehearse", str(file), "--out", str(out)]) == 0
    return tomllib.loads(out.read_text())


def test_its_table_is_the_same_under_an_id_and_ports_of_its_own(tmp_path: Path) -> None:
    said, before = made(tmp_path), tomllib.loads((tmp_path / "table.toml").read_text())
    assert said["id"] == ID
    for part in ("rulebook", "method", "ante", "devices", "options", "people"):
        assert said[part] == before[part]
    wires = said["wires"]
    assert isinstance(wires, dict)
    # What a module speaks, and a broker that is elsewhere, are not there to be rehearsed with.
    assert wires["panel"] == {"serial": PORTS.format("panel"), "devices": ["panel"]}
    assert wires["seats"]["mqtt"] == f"embedded:{FIRST_BROKER}"
    assert wires["rack"]["devices"] == ["shuffler", "shoe"]


def test_each_broker_has_a_port(tmp_path: Path) -> None:
    wires = {name: {"mqtt": "192.0.2.4:8883", "devices": [name]} for name in ("sign", "panel")}
    said = tomllib.loads(table_file({"id": "a", "wires": wires}))
    assert len({one["mqtt"] for one in said["wires"].values()}) == 2


def test_nobodys_file_is_written_over_but_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = wired.table_file(tmp_path)
    before = file.read_text()
    assert main(["rehearse", str(file), "--out", str(file)]) == 2
    assert "is no rehearsal's" in capsys.readouterr().err
    assert file.read_text() == before
    made(tmp_path)
    made(tmp_path)


def test_nothing_is_played_into_the_record_of_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = wired.table_file(tmp_path)
    assert main(["rehearse", str(file)]) == 2
    said = capsys.readouterr().err
    assert f"{wired.ID} is a table" in said
    assert "--out rehearsal.toml" in said


def test_a_wrong_table_file_makes_no_rehearsal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = wired.table_file(tmp_path)
    file.write_text(file.read_text().replace("seats = 7", "seats = 99"))
    assert main(["rehearse", str(file), "--out", str(tmp_path / "out.toml")]) == 2
    assert "options.seats: 99 is too much" in capsys.readouterr().err
    assert not (tmp_path / "out.toml").exists()


@pytest.fixture
def rehearsal(tmp_path: Path) -> Configuration:
    """Laid out in a folder, with fewer seats, and a port of the broker that is free."""
    said = made(tmp_path)
    wires, options = said["wires"], said["options"]
    assert isinstance(wires, dict)
    assert isinstance(options, dict)
    options["seats"] = SEATS
    for name, wire in wires.items():
        seated = [one for one in wire["devices"] if int(one.partition(" ")[2] or 0) <= SEATS]
        there = {"serial": f"{tmp_path}/tty-{name}"}
        if "mqtt" in wire:
            there = {"mqtt": f"embedded:{free_port()}"}
        wires[name] = {**there, "devices": seated}
    folders = {one: f"{tmp_path}/{one}" for one in ("state", "runtime", "secrets")}
    file = tmp_path / "rehearsal.toml"
    file.write_text(in_toml({**said, "service": folders}))
    assert main(["keys", folders["secrets"], "--table", str(file)]) == 0
    return read(file, Library())


@pytest.fixture
def service(rehearsal: Configuration, tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(rehearsal.file, tmp_path / "daemon.log")
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.end()


def test_nobody_answers(rehearsal: Configuration, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rehearse", str(rehearsal.file)]) == 2
    assert "nobody answers at" in capsys.readouterr().err


def test_a_port_of_somebody_is_left_alone(rehearsal: Configuration, tmp_path: Path) -> None:
    port = tmp_path / "tty-panel"
    port.symlink_to("/dev/null")
    with pytest.raises(Refused, match="is a port that is there already"):
        Stage(rehearsal, seed=0)
    assert port.resolve() == Path("/dev/null")


def test_the_service_comes_to_ready_and_plays_and_plays_on(
    rehearsal: Configuration,
    service: Daemon,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers(rehearsal, service)
    for number in (1, 2):
        assert main(["rehearse", str(rehearsal.file)]) == 0, service.last_words()
        said = capsys.readouterr().out
        assert "Ready: all 7 devices are there, and all is well" in said
        assert f"Round {number} is over" in said
    with Client(rehearsal.socket) as client:
        status = client.ask("status")
    assert (status["round"], status["holds"]) == (2, [])
    assert not (tmp_path / "tty-panel").exists()


def test_devices_that_are_turned_away_are_named(
    rehearsal: Configuration,
    service: Daemon,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers(rehearsal, service)
    # Another key than the service has.
    secrets.put(rehearsal.secrets / "shoe.key", "11" * 32 + "\n", mode=0o600)
    monkeypatch.setattr("controller.commands.rehearse.READY_S", 4.0)
    assert main(["rehearse", str(rehearsal.file)]) == 1
    assert "not ready: " in (said := capsys.readouterr().err)
    assert "shoe" in said


def answers(rehearsal: Configuration, service: Daemon) -> None:
    """Until somebody answers; the first thing that a service does not do."""
    until = time.monotonic() + 300
    while True:
        try:
            Client(rehearsal.socket).close()
            return
        except Refused:
            assert service.code is None, service.last_words()
            assert time.monotonic() < until
            time.sleep(0.1)
