"""What a table file says to the daemon: whole, checked, and apart from the table's own terms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from controller.daemon.configuration import configured, needed, read
from controller.rules.faults import Refused
from controller.tables import read_file
from tests.controller.rules.rounds import library

TABLES = Path(__file__).parents[3] / "config" / "tables"


def wired(**changes: Any) -> dict[str, Any]:
    """The table of pa-639a with all that it needs on wires."""
    data = read_file(TABLES / "pa-639a.toml")
    seats = range(1, 8)
    data["wires"] = {
        "shuffler": {"serial": "/dev/felt/shuffler", "devices": ["shuffler"]},
        "shoe": {"serial": "/dev/felt/shoe", "devices": ["shoe"]},
        "panel": {"serial": "/dev/felt/panel", "devices": ["panel"]},
        "acceptors": {
            "serial": "/dev/felt/acceptors",
            "baud": 57600,
            "devices": [f"acceptor {seat}" for seat in seats],
        },
        "floor": {
            "mqtt": "localhost:1883",
            "devices": [*(f"terminal {seat}" for seat in seats), "sign"],
        },
    }
    for place, value in changes.items():
        *parents, last = place.split("__")
        part = data
        for parent in parents:
            part = part.setdefault(parent, {})
        if value is None:
            del part[last]
        else:
            part[last] = value
    return data


def made(data: dict[str, Any]) -> Any:
    return configured(data, library(), Path("T.toml"))


def test_a_port_is_known_under_all_its_names(tmp_path: Path) -> None:
    (tmp_path / "by-id").symlink_to(tmp_path / "ttyUSB0")
    changes = {
        "wires__shoe__serial": str(tmp_path / "by-id"),
        "wires__panel__serial": str(tmp_path / "ttyUSB0"),
    }
    with pytest.raises(
        Refused, match=r"ttyUSB0 is the port of wires\.shoe already; give each wire"
    ):
        made(wired(**changes))


def test_a_misspelt_key_is_named_and_not_only_the_one_that_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    text = (TABLES / "pa-639a.toml").read_text()
    file.write_text(text.replace("rulebook =", "rulebok =", 1))
    with pytest.raises(Refused, match=r"table\.toml: rulebok: is not known here; known are id, ru"):
        read(file, library())


def test_devices_know_their_seat_wire_and_address() -> None:
    devices = made(wired()).devices
    assert len(devices) == 3 + 7 + 7 + 1
    third = devices["acceptor 3"]
    assert (third.kind, third.seat, third.wire, third.address) == ("acceptor", 3, "acceptors", 3)
    assert (devices["shoe"].seat, devices["shoe"].address) == (None, 1)


def test_what_the_journal_keeps_does_not_change_with_the_wires() -> None:
    one, other = made(wired()), made(wired(wires__shoe__serial="/dev/felt/other"))
    assert one.data == other.data
    assert "wires" not in one.data


def test_folders_are_the_systems_unless_the_file_says_otherwise() -> None:
    usual = made(wired())
    assert str(usual.journal) == "/var/lib/felt/pa-639a-1/journal.db"
    assert str(usual.socket) == "/run/felt/pa-639a-1/control.sock"
    own = made(wired(service__state="/tmp/state", service__runtime="/tmp/run"))
    assert str(own.journal) == "/tmp/state/journal.db"
    assert str(own.socket) == "/tmp/run/control.sock"


def test_secrets_come_from_systemd_if_it_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", "/run/credentials/felt")
    assert str(made(wired()).secrets) == "/run/credentials/felt"
    assert str(made(wired(service__secrets="/etc/keys")).secrets) == "/etc/keys"


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"wires__shoe": None}, "wires", "this table needs shoe"),
        ({"wires__shoe__devices": ["sho"]}, "wires.shoe.devices", "'sho' is no device"),
        ({"wires__shoe__devices": ["acceptor"]}, "wires.shoe.devices", "'acceptor' is no device"),
        ({"wires__shoe__devices": ["shoe 3"]}, "wires.shoe.devices", "'shoe 3' is no device"),
        ({"wires__shoe__devices": ["acceptor 8"]}, "wires.shoe.devices", "at no seat"),
        ({"wires__shoe__devices": ["acceptor x"]}, "wires.shoe.devices", "at no seat"),
        ({"wires__shoe__devices": ["shuffler"]}, "wires.shoe.devices", "on wires.shuffler already"),
        ({"wires__shoe__serial": "/dev/felt/panel"}, "wires", "is the port of wires."),
        ({"wires__shoe__serial": None}, "wires.shoe", "neither or both"),
        ({"wires__shoe__mqtt": "x:1"}, "wires.shoe", "neither or both"),
        ({"wires__shoe__baud": 12}, "wires.shoe.baud", ""),
        ({"wires__shoe__parity": "some"}, "wires.shoe.parity", ""),
        ({"wires__shoe__bauds": 9600}, "wires.shoe.bauds", "is not known here"),
        ({"wires__shoe__devices": []}, "wires.shoe.devices", ""),
        ({"service__jurnal": "x"}, "service.jurnal", "is not known here"),
        ({"approved": {"shoe": ["abc"]}}, "approved.shoe", ""),
        ({"approved": {"shue": ["0" * 64]}}, "approved.shue", "no kind of device"),
        ({"rulebook": "pa-1"}, "", "pa-1"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(
    changes: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(Refused) as refused:
        made(wired(**changes))
    assert refused.value.field.startswith(field)
    assert said.lower() in str(refused.value).lower()


def test_a_file_is_named_when_it_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "T.toml"
    for text, said in (("id = ", "is not TOML"), ('id = "x"', "T.toml")):
        file.write_text(text)
        with pytest.raises(Refused, match=said):
            read(file, library())
    with pytest.raises(Refused, match="can't be read"):
        read(tmp_path / "none.toml", library())


def test_a_table_without_shuffler_and_side_wagers_needs_its_panel_only() -> None:
    data = read_file(TABLES / "s10.toml")
    data["wires"] = {"panel": {"serial": "/dev/p", "devices": ["panel"]}}
    data["options"].pop("progressive", None)
    wanted = [*needed(_terms(data))]
    assert wanted[0] == "panel"
    assert "shoe" not in wanted


def _terms(data: dict[str, Any]) -> Any:
    from controller.tables import table_part, terms_of  # noqa: PLC0415

    return terms_of(table_part({k: v for k, v in data.items() if k != "wires"}), library())


@pytest.mark.parametrize(
    ("devices", "step"),
    [
        (["panel", "acceptor 1"], "list the devices at seats first"),
        (["acceptor 2", "panel"], "put one of the two on another wire"),
    ],
)
def test_two_devices_at_one_address_are_refused_before_anything_opens(
    devices: list[str], step: str
) -> None:
    data = wired(wires__panel=None, wires__acceptors__devices=devices)
    with pytest.raises(Refused, match=rf"both have address [12]; {step}"):
        made(data)


def test_at_a_broker_a_seat_may_have_two_devices() -> None:
    both = [f"{kind} {seat}" for kind in ("acceptor", "terminal") for seat in range(1, 8)]
    found = made(wired(wires__acceptors=None, wires__floor__devices=[*both, "sign"]))
    assert found.devices["terminal 3"].address == 3


def test_the_number_of_each_device_stands_in_the_file() -> None:
    found = made(wired(serial_numbers={"panel": "P-1", "acceptor 3": "4711"}))
    assert found.daemon.serial_numbers == {"panel": "P-1", "acceptor 3": "4711"}
    with pytest.raises(Refused, match=r"serial_numbers\.acceptor 9: is no device on any wire"):
        made(wired(serial_numbers={"acceptor 9": "4711"}))
    with pytest.raises(Refused, match=r"serial_numbers\.panel"):
        made(wired(serial_numbers={"panel": "x" * 25}))


@pytest.mark.parametrize(
    ("wire", "options", "said"),
    [
        ("shoe", {"tells_takn": False}, "there are tells_taken"),
        ("panel", {"tells_taken": False}, "there are none for these devices"),
        ("panel", {"serial_number": "P-1"}, r"it stands under \[serial_numbers\]"),
        ("floor", {"poll_ms": 20}, "there are none"),
    ],
)
def test_an_option_that_nobody_knows_is_refused(
    wire: str, options: dict[str, Any], said: str
) -> None:
    (option,) = options
    with pytest.raises(Refused, match=rf"wires\.{wire}\.options\.{option}: no driver.*{said}"):
        made(wired(**{f"wires__{wire}__options": options}))


def test_options_are_known_by_the_dialect_or_by_one_driver_on_the_wire() -> None:
    made(wired(wires__shoe__options={"tells_taken": False}))
    data = wired(wires__shoe=None, wires__shuffler__devices=["shuffler", "shoe"])
    data["wires"]["shuffler"]["options"] = {"tells_taken": False, "game": "Caribbean Stud"}
    made(data)
    made(wired(wires__panel__speaks="modbus", wires__panel__options={"poll_ms": 20}))
