"""What the doctor finds, on a PC without the table's devices."""

from __future__ import annotations

import errno
import json
import os
import socket
from pathlib import Path

import pytest

from controller.daemon import pins, secrets
from controller.daemon.configuration import Wire
from controller.daemon.doctor import Finding, _wire, examined
from controller.daemon.hints import page
from controller.library import Library
from tests.controller.daemon.house import House, felt, table_file


def findings(file: Path | None) -> list[Finding]:
    return list(examined(file, Library(), None))


def about(found: list[Finding], what: str) -> list[Finding]:
    return [one for one in found if one.what == what]


def test_without_a_table_it_looks_at_the_pc() -> None:
    found = findings(None)
    assert about(found, "python")[0].verdict == "ok"
    assert about(found, "packages")[0].verdict == "ok"
    assert about(found, "table file")[0].next_step


def test_every_line_that_is_not_well_says_what_to_do(tmp_path: Path) -> None:
    for one in findings(table_file(tmp_path)):
        assert one.found
        if one.verdict != "ok":
            assert one.next_step or "felt" in one.found, one


def test_a_port_that_is_not_there(tmp_path: Path) -> None:
    (wire,) = about(findings(table_file(tmp_path)), "wire rack")
    assert wire.verdict == "fail"
    assert "no-such-port: No such file" in wire.found
    assert "71-felt-ports" not in wire.next_step


def test_a_port_with_a_name_of_ours_is_missing_where_names_are_given() -> None:
    wire = Wire(serial="/dev/felt/no-such-port", devices=["panel"])
    (found,) = _wire("rack", wire, runs=False)
    assert "/etc/udev/rules.d/71-felt-ports.rules" in found.next_step


def test_a_port_without_a_stable_name_is_warned_of() -> None:
    master, slave = os.openpty()
    try:
        wire = Wire(serial=os.ttyname(slave), devices=["panel"])
        there, warned = _wire("rack", wire, runs=True)
    finally:
        os.close(master)
        os.close(slave)
    assert there.verdict == "ok"
    assert (warned.verdict, "by-id" in warned.next_step) == ("warn", True)


def test_a_file_is_no_port(tmp_path: Path) -> None:
    file = tmp_path / "port"
    file.write_text("")
    (found,) = _wire("rack", Wire(serial=str(file), devices=["panel"]), runs=False)
    assert "is no serial port" in found.found


def test_a_broker_is_reached_or_not() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        (there,) = _wire("net", Wire(mqtt=f"127.0.0.1:{port}", devices=["sign"]), runs=False)
    assert there.verdict == "ok"
    for address in (f"127.0.0.1:{port}", "127.0.0.1:x", "no such host:1"):
        (gone,) = _wire("net", Wire(mqtt=address, devices=["sign"]), runs=False)
        assert (gone.verdict, address in gone.found) == ("fail", True)


@pytest.mark.parametrize("address", ["embedded", "embedded:18830"])
def test_a_broker_inside_the_service_is_no_host(address: str) -> None:
    (found,) = _wire("net", Wire(mqtt=address, devices=["sign"]), runs=True)
    assert (found.verdict, found.found) == ("ok", "the broker is inside the service")


def test_a_port_that_the_broker_inside_would_not_get_is_found_before_the_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        wire = Wire(mqtt=f"embedded:{port}", devices=["sign"])
        (taken,) = _wire("net", wire, runs=False)
    assert (taken.verdict, f"port {port}" in taken.found) == ("fail", True)
    (free,) = _wire("net", wire, runs=False)
    assert free.verdict == "ok"


def test_missing_keys_and_open_folders_are_found(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    folder = tmp_path / "secrets"
    found = about(findings(file), "secrets")
    assert sum(one.verdict == "fail" for one in found) == 3
    assert [one.verdict for one in about(findings(file), "seals")] == ["fail"]
    for name in ("shuffler", "shoe", "panel", "faces"):
        secrets.make_key(folder, name)
    assert {one.verdict for one in about(findings(file), "secrets")} == {"ok"}
    # It is there, and in plain.
    assert [one.verdict for one in about(findings(file), "seals")] == ["warn"]
    folder.chmod(0o755)
    assert f"chmod 700 {folder}" in about(findings(file), "secrets")[0].next_step


@pytest.mark.parametrize("people", [True, False])
def test_people_without_pins_are_warned_of(tmp_path: Path, people: bool) -> None:
    file = table_file(tmp_path, people=people)
    assert about(findings(file), "people")[0].verdict == "warn"
    if people:
        pins.keep(tmp_path / "secrets", "dealer-1", "1234")
        assert "no PIN for dealer-2, floor-1" in about(findings(file), "people")[0].found


def test_a_service_that_this_user_may_not_ask_is_not_taken_for_one_that_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket.socket, "connect", refused)
    (service,) = about(findings(table_file(tmp_path)), "service")
    assert "this user may not ask it" in service.found
    assert "sudo" in service.next_step


def test_what_only_root_sees_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = table_file(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    found = findings(file)
    (secret,) = about(found, "secrets")
    assert (secret.verdict, "sudo felt doctor" in secret.next_step) == ("fail", True)
    assert not about(found, "disk")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    (tmp_path / "state").rmdir()
    # It is made at the first start: before that nothing is wrong.
    (found,) = about(findings(file), "disk")
    assert found.verdict == "ok"
    assert found.found.endswith(f"{tmp_path / 'state'} is not there yet, the first start makes it")


async def test_with_a_running_service(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    async with House(file).with_desk().running() as house:
        done = await felt("doctor", "--table", file, "--json")
        found = [Finding(**json.loads(line)) for line in done.out.splitlines()]
        assert done.code == 1
        assert "it runs: test-1 is in phase closed" in about(found, "service")[0].found
        assert about(found, "journal")[0].verdict == "ok"
        # Looking at it has taken nothing away from who writes it.
        assert (await house.asks("health"))["wrong"] is not None
        assert house.service.journal.stopped is None


def test_a_damaged_journal_is_found(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    journal = tmp_path / "state" / "journal.db"
    journal.write_bytes(b"not a journal" * 1000)
    assert about(findings(file), "journal")[0].verdict == "fail"


def test_the_page_can_be_printed() -> None:
    assert next(iter(page())) == "# What to do when"
